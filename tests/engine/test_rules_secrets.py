"""Keys that were left in a file, and what is said of them without saying them."""

from __future__ import annotations

from engine.models.secret import keys_in, without_keys
from engine.parsing import parse
from engine.rules import check
from tests.many_cases import every

BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1cDe4gHi7"
KEYS = {
    f"sk-proj-{BODY}": "OpenAI",
    f"sk-{BODY}": "OpenAI",
    f"sk-ant-api03-{BODY}-_x": "Anthropic",
    f"sk-or-v1-{BODY.lower()}": "OpenRouter",
    f"AIza{BODY}": "Google",
    f"xai-{BODY}": "xAI",
    f"tgp_v1_{BODY}": "Together",
    f"gsk_{BODY}": "Groq",
    f"hf_{BODY}": "Hugging_Face",
    f"ghp_{BODY}": "GitHub",
    f"github_pat_{BODY}": "GitHub",
    f"AKIA{BODY.upper()[:16]}": "AWS",
}
NONE = (
    "task-sk-1",
    "sk-learn-and-sk-image-and-more",
    f"disk-{BODY}",
    "sk-" + "x" * 40,
    "AKIAIOSFODNN7EXAMPLE",
    "${OPENAI_API_KEY}",
    "hf_hub_download_of_a_model_card",
)


@every(("key", "provider"), KEYS.items())
def test_the_form_of_a_key_tells_its_provider(key: str, provider: str) -> None:
    assert [match.lastgroup for match in keys_in(f"(key: {key}, kept)")] == [provider]
    assert without_keys(f"a {key}.") == f"a {'*' * len(key)}."


@every("text", NONE)
def test_other_texts_are_no_keys(text: str) -> None:
    assert list(keys_in(text)) == []


@every("key", KEYS)
@every(
    "text",
    [
        "# {}\n- id: a\n  prompt: b\n  should: [c]\n",
        "title: {}\nprompts: {}\n",
        '- id: a\n  prompt: b\n  should:\n    - "$contains: {}"\n    - $icontans: {}\n    - {}: x\n      y: z\n',
        '- id: a\n  prompt: "{}\n  should: [c]\n',
        "- id: {0}\n  prompt: b\n  should: [c]\n- id: {0}\n  prompt: c\n  should: [c]\n",
        "models: [{}, 'x: {}']\n---\n- id: a\n  prompt: b\n  should: [c]\n",
    ],
)
def test_a_key_is_reported_and_repeated_nowhere(text: str, key: str) -> None:
    found = check(parse(text.replace("{0}", key).replace("{}", key)))
    assert "secret-in-file" in {each.slug for each in found}
    said = [each.message + each.why for each in found]
    said += [one.message for each in found for one in each.related]
    said += [fix.title + "".join(edit.text for edit in fix.edits) for each in found for fix in each.fixes]
    assert [each for each in said if key[8:24] in each] == []
