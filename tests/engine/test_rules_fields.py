"""Keys, weights, messages and texts that are not written yet."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

PROMPTS = "---\n- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str) -> list[Diagnostic]:
    return reported(parse(text), slug)


def points(*lines: str) -> str:
    return "- id: a\n  prompt: b\n  should:\n" + "".join(f"    {line}\n" for line in lines)


# unknown-key


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("{titel: x, prompts: [{id: a, prompt: b}]}\n", "{title: x, prompts: [{id: a, prompt: b}]}\n"),
        (
            "{titel: x, prompts: [{id: a, prompt: b},\n {id: c}]}\n",
            "{title: x, prompts: [{id: a, prompt: b},\n {id: c}]}\n",
        ),
        ("{prompts: [{id: a, promt: b}]}\n", "{prompts: [{id: a, prompt: b}]}\n"),
        ("{prompts: [{id: a, prompt: b}], titel: x}\n", "{prompts: [{id: a, prompt: b}], title: x}\n"),
        ("prompts:\n  - id: a\n    prompt: b\ntitel: x\n", "prompts:\n  - id: a\n    prompt: b\ntitle: x\n"),
    ],
)
def test_a_slip_is_fixed_wherever_the_prompts_stand(text: str, right: str) -> None:
    [found] = of("unknown-key", text)
    assert apply_edits(text, found.fixes[0].edits) == right


def test_a_slip_is_not_fixed_where_weval_would_refuse_the_value() -> None:
    [found] = of("unknown-key", points("- text: Names the court", "  wieght: heavy"))
    assert not found.fixes


MANY_ERRORS = 30


def test_a_slip_is_fixed_beside_many_errors() -> None:
    repeated = "  ideal: y\n" * (MANY_ERRORS + 1)
    text = f"- id: a\n  prompt: b\n{repeated}  shoud:\n    - Names the court\n"
    assert len(parse(text).tree.diagnostics) == MANY_ERRORS
    [found] = of("unknown-key", text)
    assert [fix.title for fix in found.fixes] == ["write should"]


# unknown-key, within the header


@pytest.mark.parametrize(
    ("header", "right"),
    [
        ("evaluationConfig: {llm_coverage: {}}", "evaluationConfig: {llm-coverage: {}}"),
        (
            "evaluationConfig: {llm-coverage: {judges: [{modl: 'openai:x', model: 'openai:x'}]}}",
            None,
        ),
        ("author: {nam: x}", None),
        ("toolUse: {maxSteps: 1, mod: trace-only}", "toolUse: {maxSteps: 1, mode: trace-only}"),
        ("references: [{title: x, urll: y}]", "references: [{title: x, url: y}]"),
        ("externalServices: {s: {url: 'https://x.org', metod: GET}}", None),
        ("models: [{id: 'x:y', url: 'http://x', modelName: m, inherit: openai, formt: chat}]", None),
    ],
)
def test_a_slip_within_the_header_is_told(header: str, right: str | None) -> None:
    text = f"title: T\n{header}\n{PROMPTS}"
    assert len(of("unknown-key", text)) == 1
    assert right is None or fix_text(text, None).text == f"title: T\n{right}\n{PROMPTS}"


@pytest.mark.parametrize(
    "header",
    [
        "context: {anything: {at: all}}",
        "tools: [{name: t, schema: {type: object, properties: {x: {}}}}]",
        "externalServices: {anything: {url: 'https://x.org', headers: {X-Own: y}}}",
        "models: [{id: 'x:y', url: 'http://x', modelName: m, inherit: openai, parameters: {own: 1}}]",
        "author: {name: x, url: y, image_url: z}",
    ],
)
def test_keys_of_the_authors_own_are_fine(header: str) -> None:
    assert of("unknown-key", f"title: T\n{header}\n{PROMPTS}") == []


def test_a_key_one_level_too_high_is_told_where_it_belongs() -> None:
    [found] = of("unknown-key", f"title: T\nevaluationConfig:\n  judges: []\n{PROMPTS}")
    assert "under `llm-coverage`" in found.message


# weight-as-point


@pytest.mark.parametrize(
    ("above", "joined"),
    [
        (["- Names it"], ["- point: Names it"]),
        (["- 'Names it'  # why"], ["- point: 'Names it'  # why"]),
        (["- $contains: it"], ["- $contains: it"]),
        (["- point: Names it"], ["- point: Names it"]),
        (["- text: |", "    Names it"], ["- text: |", "    Names it"]),
        (["- point: Names it", "  citation: Art. 1"], ["- point: Names it", "  citation: Art. 1"]),
    ],
)
def test_a_weight_is_joined_with_the_point_above(above: list[str], joined: list[str]) -> None:
    text = points(*above, '- weight: "2"', "- c")
    [found] = of("weight-as-point", text)
    assert (found.severity, found.span.of(text), found.fixes[0].safe) == (Severity.WARNING, "weight", False)
    after = apply_edits(text, found.fixes[0].edits)
    assert after == points(*joined, "  weight: 2", "- c")
    assert of("weight-as-point", after) == []


def test_a_citation_is_joined_as_it_is_written() -> None:
    text = points("- c", '- citation: "Art. 1"')
    after = apply_edits(text, of("weight-as-point", text)[0].fixes[0].edits)
    assert after == points("- point: c", '  citation: "Art. 1"')


@pytest.mark.parametrize(
    "lines",
    [
        ['- weight: "2"'],
        ["- point: c", "  weight: 3", '- weight: "2"'],
        ["- $is_json", '- weight: "2"'],
        ["- Names it: Art. 1", '- weight: "2"'],
        ["- c", '- weight: "high"'],
        ["- |", "  c", '- weight: "2"'],
    ],
)
def test_nothing_is_joined_where_it_would_say_something_else(lines: list[str]) -> None:
    [found] = of("weight-as-point", points(*lines))
    assert found.fixes == ()


# bad-weight


@pytest.mark.parametrize(
    ("written", "nearest", "safe"),
    [("20", "10", False), ("0.01", "0.1", False), ('"20"', "10", False), ('"2"', "2", True)],
)
def test_a_weight_out_of_range_is_brought_to_the_nearest(written: str, nearest: str, safe: bool) -> None:
    text = points("- point: c", f"  weight: {written}")
    [found] = of("bad-weight", text)
    assert (found.severity, found.span.of(text), found.fixes[0].safe) == (Severity.ERROR, written, safe)
    assert apply_edits(text, found.fixes[0].edits) == points("- point: c", f"  weight: {nearest}")


PENALTIES = [
    (
        "    - Names it\n    - text: Errs # why\n      weight: -2 # much\n",
        "    - Names it\n  should_not:\n    - text: Errs # why\n      weight: 2 # much\n",
    ),
    (
        "    - Names it\n    - {text: Errs, weight: -2.5}\n  should_not:\n    - Is rude\n",
        "    - Names it\n  should_not:\n    - Is rude\n    - {text: Errs, weight: 2.5}\n",
    ),
    (
        "    - $contains: x\n      weight: '-1'\n    - Names it\n",
        "    - Names it\n  should_not:\n    - $contains: x\n      weight: 1\n",
    ),
    (
        "    - Names it\n  should_not:\n    - text: Errs\n      weight: -2\n",
        "    - Names it\n  should_not:\n    - text: Errs\n      weight: 2\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), PENALTIES)
def test_a_negative_weight_is_a_penalty(before: str, after: str) -> None:
    head = "- id: a\n  prompt: b\n  should:\n"
    [found] = of("bad-weight", head + before)
    assert [(apply_edits(head + before, fix.edits), fix.safe) for fix in found.fixes] == [(head + after, False)]
    assert of("bad-weight", head + after) == []


@pytest.mark.parametrize(("weight", "nearest"), [("-20", "10"), ("-0.05", "0.1"), ("'-30'", "10")])
def test_a_penalty_out_of_bounds_gets_the_nearest_weight(weight: str, nearest: str) -> None:
    text = points("- Names it", f"- {{text: Blames, weight: {weight}}}")
    [found] = of("bad-weight", text)
    [fix] = found.fixes
    assert fix.title == f"make it a penalty: move it to should_not, with weight {nearest}"
    after = apply_edits(text, fix.edits)
    assert f"should_not:\n    - {{text: Blames, weight: {nearest}}}" in after
    assert of("bad-weight", after) == []


def test_a_prompt_with_a_negative_weight_is_no_penalty() -> None:
    [found] = of("bad-weight", "- id: a\n  prompt: b\n  weight: -2\n  should: [c]\n")
    assert found.message == "the weight -2 is negative: a prompt cannot count against the score, give it 0.1 to 10"
    assert found.fixes == ()


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  prompt: b\n  weight: -1\n  should: [c]\n",
        "- id: a\n  prompt: b\n  should:\n    - text: c\n      weight: -1\n",
        "- id: a\n  prompt: b\n  should:\n    - c\n    - text: d\n      weight: 0\n",
        "- id: a\n  prompt: b\n  should:\n    - - {text: c, weight: -1}\n      - d\n    - - e\n      - f\n",
    ],
)
def test_a_weight_of_which_no_good_one_is_known_has_no_fix(text: str) -> None:
    [found] = of("bad-weight", text)
    assert found.fixes == ()


# bad-message


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{usr: b}", "did you mean `user`?"),
        ("{narrator: b}", "unknown role"),
        ("{user: b, assistant: c}", "`user` and `assistant`"),
        ("{role: assistent, content: c}", "did you mean `assistant`?"),
        ("{user: ''}", "empty"),
    ],
)
def test_a_message_is_told_by_what_is_wrong_with_it(message: str, words: str) -> None:
    [found] = of("bad-message", f"- id: a\n  messages:\n    - {message}\n    - user: d\n")
    assert found.severity is Severity.ERROR
    assert words in found.message


# not-written-yet


@pytest.mark.parametrize("ideal", ["ideal:", 'ideal: ""', "idealResponse: ' '", "ideal: |\n"])
def test_an_ideal_that_was_only_begun_is_a_hint(ideal: str) -> None:
    text = f"- id: a\n  prompt: b\n  {ideal}\n  should:\n    - c\n"
    [found] = of("not-written-yet", text)
    assert (found.severity, found.flagged, found.span.of(text)) == (Severity.HINT, False, ideal.partition(":")[0])


@pytest.mark.parametrize("text", [points("- c"), f"title: no ideal\n{PROMPTS}"])
def test_an_ideal_that_is_absent_is_fine(text: str) -> None:
    assert of("not-written-yet", text) == []
