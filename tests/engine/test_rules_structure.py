"""What a header and its prompts lack, or hold in vain: ids, rubrics, temperatures, keys out of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

PROMPT = "- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return reported(parse(text, path), slug)


# bad-structure


def of_aliases(levels: int, times: int) -> str:
    """A `should` in which each point holds the one before it `times` times."""
    listed = (f"    - &a{level} [{', '.join([f'*a{level - 1}'] * times)}]\n" for level in range(1, levels))
    return f"- id: a\n  prompt: b\n  should:\n    - &a0 [x]\n{''.join(listed)}"


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        (of_aliases(9, 10), "*a3", "up to 10,000 values"),
        ("context: &c\n  own: *c\n---\n- id: a\n  prompt: b\n", "*c", "contains itself"),
    ],
    ids=["many", "endless"],
)
def test_a_text_that_expands_too_far_is_told_at_the_place(text: str, marked: str, words: str) -> None:
    [found] = check(parse(text))
    assert (found.slug, found.severity) == ("bad-structure", Severity.ERROR)
    assert found.span.of(text).startswith(marked)
    assert words in found.message


def test_weval_refuses_it_at_the_same_place() -> None:
    text = "context: &c\n  own: *c\n---\n- id: a\n  prompt: b\n"
    parsed = parse(text)
    assert parsed.weval.error is not None
    assert parsed.weval.error.offset == text.index("*c")


# stray-item


@pytest.mark.parametrize("key", ["should", "should_not", "expect"])
@pytest.mark.parametrize("before", ["title: T\nprompts:\n", "title: T\n---\n", ""])
def test_a_point_at_the_margin_below_an_empty_block_is_to_be_indented(before: str, key: str) -> None:
    text = f"{before}- id: a\n  prompt: b\n  {key}:\n- Says it\n"
    [found] = of("stray-item", text)
    assert found.span.of(text) == "Says it"
    assert found.message == f"indent this point: at the margin of the prompts, it does not belong to `{key}` above"
    assert [apply_edits(text, fix.edits) for fix in found.fixes] == [text.replace("- Says", "    - Says")]


def test_points_at_the_margin_are_indented_together() -> None:
    text = "- id: a\n  prompt: b\n  should:\n- Says it\n- Names it\n- id: c\n  prompt: d\n  should: [e]\n"
    [first] = of("stray-item", text)
    assert first.message.startswith("indent these 2 points: ")
    fixed = text.replace("- Says", "    - Says").replace("- Names", "    - Names")
    assert [apply_edits(text, fix.edits) for fix in first.fixes] == [fixed]
    assert of("stray-item", fixed) == []


def test_a_text_among_prompts_with_points_is_still_taken_for_a_prompt() -> None:
    [found] = of("stray-item", f"{PROMPT}- Says it\n")
    assert [fix.title for fix in found.fixes] == ["make it a prompt"]


# unknown-key


def test_a_key_that_aliases_repeat_is_told_once_and_corrected_once() -> None:
    text = "- &p {id: a, prompt: b, shoud: [c]}\n- *p\n- *p\n"
    [found] = of("unknown-key", text)
    assert found.message == "unknown key `shoud` here: did you mean `should`?"
    assert [apply_edits(text, fix.edits) for fix in found.fixes] == [text.replace("shoud", "should")]


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ("judgeMode: consensus", "remove it, as all judges grade"),
        ("judgeModels: ['openai:gpt-4o']", "judges are listed in `judges`"),
        ("judges: []", "it belongs one level deeper"),
    ],
)
def test_a_key_beside_the_coverage_settings_has_the_advice_for_this_key(key: str, advice: str) -> None:
    [found] = of("unknown-key", f"evaluationConfig:\n  {key}\n---\n{PROMPT}")
    assert advice in found.message


def test_keys_beyond_what_may_be_read_again_have_no_fix() -> None:
    text = "".join(f"temperaturs{number}: {'x' * 20_000}\n" for number in range(120)) + f"---\n{PROMPT}"
    reported = of("unknown-key", text)
    assert len(reported) == 120
    assert all("did you mean `temperatures`" in found.message for found in reported)
    assert not reported[-1].fixes


# deprecated-key


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        (f"id: x\ntitle: T\n---\n{PROMPT}", "id", "path"),
        (f"configId: x\ntitle: T\n---\n{PROMPT}", "configId", "path"),
        (f"title: T\ndefs:\n  d: 'true'\n---\n{PROMPT}", "defs", "now called `point_defs`"),
        (f"title: T\ndefs:\n  d: 'true'\npoint_defs:\n  e: 'true'\n---\n{PROMPT}", "defs", "has no effect"),
        (
            f"evaluationConfig:\n  llm-coverage:\n    judgeModels: [openai:gpt-4o]\ntitle: T\n---\n{PROMPT}",
            "judgeModels",
            "`judges`",
        ),
        (f"evaluationConfig: {{llm-coverage: {{judgeMode: x}}}}\ntitle: T\n---\n{PROMPT}", "judgeMode", "no effect"),
        ("- id: a\n  prompt: b\n  expect:\n    - c\n", "expect", "old name of `should`"),
    ],
)
def test_a_key_out_of_use_is_a_hint(text: str, marked: str, words: str) -> None:
    [found] = of("deprecated-key", text)
    assert (found.severity, found.span.of(text)) == (Severity.HINT, marked)
    assert words in found.message


def test_an_old_name_is_told_once_with_its_count() -> None:
    [found] = of("deprecated-key", "".join(f"- id: a{n}\n  prompt: b\n  expects: [c]\n" for n in range(3)))
    assert "3 times" in found.message


def test_the_id_that_counts_is_named() -> None:
    [found] = of("deprecated-key", f"id: x\ntitle: T\n---\n{PROMPT}", Path("blueprints/africa/capitals.yml"))
    assert "`africa__capitals`" in found.message


@pytest.mark.parametrize("text", [PROMPT, f"title: T\npoint_defs:\n  expect: 'true'\n---\n{PROMPT}"])
def test_keys_in_use_are_fine(text: str) -> None:
    assert of("deprecated-key", text) == []


# reserved-id


@pytest.mark.parametrize(
    ("path", "reports"),
    [
        ("blueprints/capitals_test_2.yml", 1),
        ("blueprints/_pr_12_capitals.yml", 1),
        ("blueprints/a_staging_b/capitals.yml", 1),
        ("blueprints/capitals_tests_2.yml", 0),
        ("blueprints/capitals-test-2.yml", 0),
        ("old_test_runs/blueprints/capitals.yml", 0),
    ],
)
def test_an_id_is_reserved_by_what_follows_the_folder_of_blueprints(path: str, reports: int) -> None:
    found = of("reserved-id", PROMPT, Path(path))
    assert len(found) == reports
    assert all(each.severity is Severity.ERROR for each in found)


# unstable-prompt-id


def named(text: str, path: Path | None = None) -> str:
    [found] = of("unstable-prompt-id", text, path)
    assert found.severity is Severity.HINT
    assert not found.fixes[0].safe
    after = apply_edits(text, found.fixes[0].edits)
    assert of("unstable-prompt-id", after, path) == []
    return after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("- prompt: What is it?\n", "- id: what-is-it\n  prompt: What is it?\n"),
        ("prompt: What is it?\n", "id: what-is-it\nprompt: What is it?\n"),
        ("- {prompt: What is it}\n", "- {id: what-is-it, prompt: What is it}\n"),
        ("- id:\n  prompt: What is it?\n", "- id: what-is-it\n  prompt: What is it?\n"),
        ('- id: ""\n  prompt: What is it?\n', "- id: what-is-it\n  prompt: What is it?\n"),
        ("- prompt: É o quê?\n", "- id: e-o-que\n  prompt: É o quê?\n"),
        ("- prompt: 首都はどこ\n", "- id: prompt-1\n  prompt: 首都はどこ\n"),
        ("- prompt: 42?\n", "- id: prompt-42\n  prompt: 42?\n"),
        ("- prompt: Hi\n- id: hi\n  prompt: Ho\n", "- id: hi-2\n  prompt: Hi\n- id: hi\n  prompt: Ho\n"),
        ("- prompt: Hi\n- prompt: Hi\n", "- id: hi\n  prompt: Hi\n- id: hi-2\n  prompt: Hi\n"),
        ("# c\r\n-   prompt: Hi\r\n", "# c\r\n-   id: hi\r\n    prompt: Hi\r\n"),
    ],
)
def test_a_prompt_is_named_after_its_first_words(text: str, after: str) -> None:
    assert named(text) == after


def test_a_prompt_of_a_json_file_is_named_in_json() -> None:
    text = '{"prompts": [{"prompt": "What is it?"}]}'
    assert named(text, Path("a.json")) == '{"prompts": [{"id": "what-is-it", "prompt": "What is it?"}]}'


def test_prompts_without_an_id_are_told_once_with_their_count() -> None:
    [found] = of("unstable-prompt-id", "- prompt: b\n- prompt: c\n- id: d\n  prompt: d\n")
    assert "2 of 3 prompts" in found.message


@pytest.mark.parametrize(
    "text", [PROMPT, '- prompt: ""\n', "- should:\n    - c\n", "title: T\nideal: x\n---\n- id: a\n"]
)
def test_nothing_is_said_of_the_id_of_what_is_not_written_or_told_otherwise(text: str) -> None:
    assert of("unstable-prompt-id", text) == []


# no-rubric, extracted-rubric


def test_a_prompt_without_rubric_among_others_is_a_warning() -> None:
    [found] = of("no-rubric", f"{PROMPT}- id: b\n  prompt: c\n- id: d\n  prompt: e\n- id: f\n  prompt: g\n")
    assert found.severity is Severity.WARNING
    assert "3 of 4 prompts" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  prompt: b\n- id: b\n  prompt: b\n- id: c\n  prompt: b\n",
        "title: T\nrender_as: html\n---\n- id: a\n  prompt: Draw a clock.\n",
    ],
)
def test_a_file_whose_answers_are_only_looked_at_gets_a_hint(text: str) -> None:
    [found] = of("no-rubric", text)
    assert found.severity is Severity.HINT


def test_an_ideal_without_points_is_a_hint_of_its_own() -> None:
    text = "- id: a\n  prompt: b\n  ideal: c\n- id: b\n  prompt: b\n  ideal: d\n"
    assert of("no-rubric", text) == []
    [found] = of("extracted-rubric", text)
    assert (found.severity, found.span.of(text)) == (Severity.HINT, "a")
    assert "2 of 2 prompts" in found.message


@pytest.mark.parametrize("rubric", ["should: text", "should:\n    - 42", "should_not:\n    - x"])
def test_no_rubric_is_said_to_be_missing_where_its_loss_is_told(rubric: str) -> None:
    assert of("extracted-rubric", f"- id: a\n  prompt: b\n  ideal: c\n  {rubric}\n") == []


# temperature-shadowed


def test_a_temperature_beside_several_is_marked_and_linked_to_them() -> None:
    text = f"temperature: 0.2\ntemperatures: [0, 1]\n---\n{PROMPT}"
    [found] = of("temperature-shadowed", text)
    assert (found.severity, found.flagged, found.span.of(text)) == (Severity.WARNING, False, "temperature")
    assert found.related[0].span.of(text) == "temperatures"


def test_a_prompts_own_below_several_is_told_once_with_its_count() -> None:
    own = "- id: a\n  prompt: b\n  temperature: 0.5\n"
    text = f"temperatures: [0, 1]\n---\n{own}{own.replace('id: a', 'id: b')}"
    [found] = of("temperature-shadowed", text)
    assert "2 prompts" in found.message
    assert found.span.start == text.index("temperature: 0.5")


def test_a_prompts_own_below_a_single_one_works_here_and_not_on_weval() -> None:
    [found] = of("temperature-shadowed", "temperature: 0.2\n---\n- id: a\n  prompt: b\n  temperature: 0.5\n")
    assert found.flagged
    assert "Weval" in found.message


@pytest.mark.parametrize(
    "text",
    [
        f"temperature: 0.2\ntemperatures: []\n---\n{PROMPT}",
        f"temperatures: [0, 1]\n---\n{PROMPT}",
        "- id: a\n  prompt: b\n  temperature: 0.5\n",
    ],
)
def test_a_temperature_that_counts_is_fine(text: str) -> None:
    assert of("temperature-shadowed", text) == []


# not-enforced

CALLED = '$tool_called: "t"'


def enforced(text: str, path: Path | None = None) -> str:
    [found] = of("not-enforced", text, path)
    assert (found.severity, [fix.safe for fix in found.fixes]) == (Severity.HINT, [False])
    after = apply_edits(text, found.fixes[0].edits)
    assert of("not-enforced", after, path) == []
    return after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"{PROMPT}  requiredTools: [t]\n", f"{PROMPT}    - {CALLED}\n  requiredTools: [t]\n"),
        (f"{PROMPT}  maxCalls: 2\n", f"{PROMPT}    - $tool_call_count_between: [0, 2]\n  maxCalls: 2\n"),
        (
            f"{PROMPT}  prohibitedTools: [t, u]\n",
            f'{PROMPT}  prohibitedTools: [t, u]\n  should_not:\n    - {CALLED}\n    - $tool_called: "u"\n',
        ),
        ("- prompt: b\n  requiredTools: [t]", f"- prompt: b\n  requiredTools: [t]\n  should:\n    - {CALLED}"),
        (
            "- {prompt: b, should: [c], requiredTools: [t]}\n",
            f"- {{prompt: b, should: [c, {{{CALLED}}}], requiredTools: [t]}}\n",
        ),
        (
            "- requiredTools: [t]\n  prompt: |\n    b\n\n- prompt: d\n",
            f"- requiredTools: [t]\n  prompt: |\n    b\n  should:\n    - {CALLED}\n\n- prompt: d\n",
        ),
    ],
)
def test_the_point_that_checks_a_limit_is_added(text: str, after: str) -> None:
    assert enforced(text) == after


def test_the_point_is_added_in_json() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "b", "requiredTools": ["t"]}]}'
    after = enforced(text, Path("a.json"))
    assert (
        after == '{"prompts": [{"id": "a", "prompt": "b", "requiredTools": ["t"], "should": [{"$tool_called": "t"}]}]}'
    )


def test_a_limit_of_many_prompts_is_told_once_and_mended_in_all() -> None:
    text = "".join(f"- id: a{n}\n  prompt: b\n  maxCalls: 1\n  should:\n    - c\n" for n in range(3))
    [found] = of("not-enforced", text)
    assert "3 times" in found.message
    assert len(found.fixes[0].edits) == 3


@pytest.mark.parametrize(
    "keys",
    [
        "requiredTools: [t]\n  should: [{$tool_args_match: {name: t, where: {}}}]",
        "requiredTools: [t]\n  should: [{$tool_call_order: [t, u]}]",
        "prohibitedTools: [t]\n  should_not: [{$tool_called: t}]",
        "prohibitedTools: [t]\n  should: [{$tool_call_count_between: [0, 0, t]}]",
        "maxCalls: 2\n  should: [{$tool_call_count_between: [1, 2]}]",
        "requiredTools: []\n  should: [c]",
    ],
)
def test_a_limit_that_a_point_checks_is_fine(keys: str) -> None:
    assert of("not-enforced", f"- id: a\n  prompt: b\n  {keys}\n") == []


def test_a_context_is_told_without_a_fix() -> None:
    [found] = of("not-enforced", f"title: T\ncontext:\n  a: 1\n---\n{PROMPT}")
    assert found.fixes == ()


# header-lost


@pytest.mark.parametrize("key", ["title: T", "models: [CORE]", "author: me", "references: [x]", "toolUse: {}"])
def test_a_header_that_is_taken_for_a_prompt_is_told_once(key: str) -> None:
    text = f"{key}\nideal: short\n---\n{PROMPT}"
    [found] = [each for each in check(parse(text)) if each.slug != "extracted-rubric"]
    assert (found.slug, found.severity, found.span.of(text)) == ("header-lost", Severity.ERROR, key.partition(":")[0])


def test_nothing_is_missing_in_a_prompt_that_an_error_cuts_off() -> None:
    text = "- id: a\n  prompt: b\n  requiredTools: [t]\n  should:\n    - c: d: e\n"
    assert {found.slug for found in check(parse(text))} == {"yaml-syntax"}


# not-a-blueprint


@pytest.mark.parametrize(
    ("path", "text", "severities"),
    [
        ("blueprints/tags.yml", "- health\n", [Severity.WARNING]),
        ("blueprints/deep/tags.yml", "- health\n", [Severity.WARNING]),
        ("elsewhere/tags.yml", "- health\n", []),
        ("blueprints/draft.yml", "title: T\n", [Severity.HINT]),
        ("blueprints/models/CORE.json", '["openai:gpt-4o-mini"]', [Severity.WARNING]),
        ("models/CORE.json", '["openai:gpt-4o-mini"]', []),
        ("blueprints/rent.yml", PROMPT, []),
    ],
)
def test_what_weval_would_run_and_is_no_blueprint_is_told_by_its_folder(
    path: str, text: str, severities: list[Severity]
) -> None:
    found = of("not-a-blueprint", text, Path(path))
    assert [each.severity for each in found] == severities
    assert all(each.flagged for each in found)


def test_a_dash_without_a_space_is_named_as_the_cause() -> None:
    [found] = [
        one for one in check(parse("- id: a\n  prompt: b\n  should:\n    -c\n")) if one.slug == "rubric-not-a-list"
    ]
    assert found.message.startswith("put a space after `-`")


@pytest.mark.parametrize(
    ("text", "key"), [("title:T\n---\n- id: a\n  prompt: b\n", "title"), ("- prompt:b\n", "prompt")]
)
def test_a_key_without_a_space_is_named_as_the_cause(text: str, key: str) -> None:
    [found] = [one for one in check(parse(text)) if one.slug == "stray-item"]
    assert found.message.startswith(f"put a space after `{key}:`")
    assert apply_edits(text, found.fixes[0].edits) == text.replace(f"{key}:", f"{key}: ", 1)


def test_an_address_among_the_prompts_lacks_no_space() -> None:
    [found] = [one for one in check(parse("- id: a\n  prompt: b\n- system://c\n")) if one.slug == "stray-item"]
    assert "put a space" not in found.message
