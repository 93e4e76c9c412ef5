"""Reading of points: their forms, alternative paths, and `$ref`."""

from __future__ import annotations

from typing import Any

import pytest

from engine.blueprint import ABSENT, FunctionCall
from engine.blueprint import Path as AlternativePath
from engine.parsing import Kind, Parsed, parse
from tests.engine.parsing_cases import LIST, THREE_LEVELS, of_kind, one, prompt, rubric, should, underlined
from tests.many_cases import every

# Reading of points: their forms, alternative paths, and `$ref`


# Points

ANYTHING = [
    ("Names it", "Names it", None),
    ("text: Names it", "Names it", None),
    ("point: Names it", "Names it", None),
    ("'Names it': the source", "Names it", None),
    ("$contains: x", None, FunctionCall("contains", "x")),
    ("$is_json", None, FunctionCall("is_json")),
    ("{fn: contains, arg: x}", None, FunctionCall("contains", "x")),
    ("{fn: contains, fnArgs: [x, 1]}", None, FunctionCall("contains", ["x", 1])),
    ("$contain: x", None, FunctionCall("contains", "x")),
    ("{fn: match, arg: x}", None, FunctionCall("matches", "x")),
    ("$is_json:", None, FunctionCall("is_json", None)),
]


@every(("item", "text", "function"), ANYTHING)
def test_a_point_is_read_in_every_form_of_the_documents(
    item: str, text: str | None, function: FunctionCall | None
) -> None:
    [point] = rubric(item).points()
    assert (point.text, point.function) == (text, function)


def test_a_key_of_several_lines_is_a_point_with_its_citation() -> None:
    text = "- id: p1\n  prompt: hi\n  should:\n    - ? |\n        One.\n        Two.\n      : SEC Rule\n"
    [point] = parse(text).blueprint.prompts[0].points()
    assert (point.text, point.citation) == ("One.\nTwo.\n", "SEC Rule")


@pytest.mark.parametrize("key", ["weight", "multiplier"])
def test_weight_and_citation_stand_beside_any_form(key: str) -> None:
    [point] = rubric(f"{{$contains: x, {key}: 2.5, citation: c}}").points()
    assert (point.multiplier, point.citation) == (2.5, "c")


@every(
    ("item", "underlined_part"),
    [("Names it", "Names it"), ("{$contains: x, weight: 2}", "$contains"), ("{fn: contains, arg: x}", "contains")],
)
def test_a_point_points_at_its_text_or_its_function(item: str, underlined_part: str) -> None:
    text = should(item)
    [point] = parse(text).blueprint.prompts[0].points()
    assert point.subject_span.of(text) == underlined_part


@every("name", ["should", "points", "expect", "expects", "expectations"])
def test_every_name_of_the_should_block_is_read(name: str) -> None:
    assert [point.text for point in prompt(f"{name}: [a, b]").points()] == ["a", "b"]


@every(
    ("item", "kind"),
    [
        ("\"$icontains: '(A)'\"", Kind.QUOTED_FUNCTION),
        ("$contains foo", Kind.DOLLAR_TEXT),
        ('"$100 is named"', Kind.DOLLAR_TEXT),
        ("42", Kind.NON_STRING_SCALAR),
        ("2024-01-01", Kind.NON_STRING_SCALAR),
        ("Mentions: something", Kind.COLON_CITATION),
        ("{}", Kind.BAD_POINT),
        ("Names it:", Kind.BAD_POINT),
        ('""', Kind.NOT_WRITTEN),
        ("", Kind.NOT_WRITTEN),
        ("point:", Kind.NOT_WRITTEN),
        ("{point: , weight: 2}", Kind.NOT_WRITTEN),
        ("[contains, kw]", Kind.LEGACY_TUPLE),
        ("[contains_any_of, [a, b]]", Kind.LEGACY_TUPLE),
        ("- $is_json\n    - b", Kind.TEXT_IN_PATH_FUNCTION),
        ("{fn: $contains, arg: x}", Kind.DOLLAR_IN_FN),
        ("{fn: contains, fnArgs: 0}", Kind.FALSY_ARGUMENT_LOST),
        ("{$contains: x, weight: 11}", Kind.BAD_WEIGHT),
        ('weight: "2"', Kind.WEIGHT_AS_POINT),
        ("{text: a, note: n}", Kind.UNKNOWN_KEY),
        ("{$contains: x, $matches: y}", Kind.UNKNOWN_KEY),
        ("$ref: nowhere", Kind.UNDEFINED_REF),
    ],
)
def test_a_point_that_is_not_read_as_it_looks_is_told_once(item: str, kind: Kind) -> None:
    assert [finding.kind for finding in parse(should(item)).findings] == [kind]


@every(
    ("item", "kind", "part"),
    [
        ('"$100 is named"', Kind.DOLLAR_TEXT, '"$100 is named"'),
        ("{$contains: x, weight: 11}", Kind.BAD_WEIGHT, "11"),
        ("{text: a, note: n}", Kind.UNKNOWN_KEY, "note"),
        ("{fn: $contains, arg: x}", Kind.DOLLAR_IN_FN, "$contains"),
        ("$ref: nowhere", Kind.UNDEFINED_REF, "nowhere"),
        ("Mentions: something", Kind.COLON_CITATION, "Mentions: something"),
    ],
)
def test_what_is_underlined_is_the_cause(item: str, kind: Kind, part: str) -> None:
    assert underlined(should(item), kind) == [part]


def test_a_weight_out_of_range_is_brought_within() -> None:
    assert [point.multiplier for point in rubric("{text: a, weight: 11}", "{text: a, weight: 0}").points()] == [10, 0.1]


def test_a_falsy_argument_is_honoured() -> None:
    [point] = rubric('{fn: contains, fnArgs: "", arg: x}').points()
    assert point.function == FunctionCall("contains", "")


def test_a_block_that_is_no_list_has_no_points() -> None:
    assert underlined(one("should: just text"), Kind.RUBRIC_NOT_A_LIST) == ["just text"]


# Alternative paths


def test_paths_are_numbered_among_all_entries_of_their_block() -> None:
    assert [path.index for path in rubric("req", "[a, b]", "$is_json", "[]", "[c]").paths] == [1, 3]


def test_three_levels_are_one_block_of_alternatives() -> None:
    paths = rubric("req", THREE_LEVELS, "last").paths
    assert [[point.text for point in path.points] for path in paths] == [["a", "b"], ["c"]]


def test_three_levels_work_here_and_are_flagged() -> None:
    [finding] = parse(should(THREE_LEVELS)).findings
    assert (finding.kind, finding.flagged, finding.refused) == (Kind.DEEP_NESTING, True, True)


@pytest.mark.parametrize("item", ["[[[a]]]", "[a, [b]]"])
def test_nesting_that_no_document_shows_is_an_error(item: str) -> None:
    [finding] = parse(should(item)).findings
    assert (finding.kind, finding.flagged) == (Kind.DEEP_NESTING, False)


def test_a_path_ignores_empty_items() -> None:
    [path] = rubric("[a, null, [], b]").paths
    assert [point.text for point in path.points] == ["a", "b"]


def test_a_dollar_text_in_a_path_stays_a_text() -> None:
    [path] = rubric("[$is_json, b]").entries
    assert isinstance(path, AlternativePath)
    assert path.points[0].text == "$is_json"


# $ref

DEFINITIONS = """point_defs:
  script: "r.length > 5"
  full: {point: Is polite, weight: 3, citation: manners}
  call: {$contain: x}
  again: {$ref: full}
  whole: {text: Is polite, multiplier: 3}
  twice: {$ref: whole}
  loop: {$ref: loop}
  list: [a]
---
"""


@every(
    ("item", "text", "function", "multiplier", "citation"),
    [
        ("$ref: script", None, FunctionCall("js", "r.length > 5"), 1, None),
        ("{$ref: script, weight: 2, citation: c}", None, FunctionCall("js", "r.length > 5"), 2, "c"),
        ("$ref: full", "Is polite", None, 3, "manners"),
        ("{$ref: full, weight: 2, citation: c}", "Is polite", None, 2, "c"),
        ("$ref: call", None, FunctionCall("contains", "x"), 1, None),
        ("$ref: again", "Is polite", None, 3, "manners"),
    ],
)
def test_a_reference_is_the_point_that_it_names_with_its_own_weight_and_citation(
    item: str, text: str | None, function: FunctionCall | None, multiplier: float, citation: str | None
) -> None:
    [point] = rubric(item, header=DEFINITIONS).points()
    assert (point.text, point.function, point.multiplier, point.citation) == (text, function, multiplier, citation)


@every(
    ("item", "kinds"),
    [
        ("{$ref: whole, weight: 2}", [Kind.REF_ATTRIBUTES_IGNORED]),
        ("{$ref: script, weight: 2}", []),
        ("$ref: call", []),
        ("$ref: full", [Kind.DEFINITION_COPIED, Kind.DEFINITION_COPIED]),
        ("$ref: twice", [Kind.DEFINITION_COPIED]),
        ("$ref: loop", [Kind.CIRCULAR_REF]),
        ("$ref: list", [Kind.BAD_POINT]),
        ("$ref: nowhere", [Kind.UNDEFINED_REF]),
    ],
)
def test_a_reference_that_weval_reads_otherwise_is_told(item: str, kinds: list[Kind]) -> None:
    assert [finding.kind for finding in parse(DEFINITIONS + should(item)).findings] == kinds


def test_a_reference_that_leads_nowhere_stays_a_point_that_cannot_be_checked() -> None:
    [point] = rubric("$ref: nowhere").points()
    assert point.function == FunctionCall("ref", "nowhere")


def test_defs_is_another_name_of_point_defs() -> None:
    [point] = rubric("$ref: a", header='defs: {a: "1"}\n---\n').points()
    assert point.function == FunctionCall("js", "1")


# Reading of messages, and of the other fields of a prompt and of the header


# Conversations


def conversation(*messages: str) -> Parsed:
    return parse("- id: p1\n  messages:\n" + "".join(f"    - {message}\n" for message in messages))


@every(
    "messages",
    [
        ("user: a", "assistant: b", "system: c", "user: d"),
        ("{role: user, content: a}", "{role: assistant, content: b}", "{role: system, content: c}", "user: d"),
        ("user: a", "ai: b", "system: c", "user: d"),
    ],
)
def test_messages_are_read_in_both_forms(messages: tuple[str, ...]) -> None:
    [only] = conversation(*messages).blueprint.prompts
    assert [(message.role.value, message.content) for message in only.messages] == [
        ("user", "a"),
        ("assistant", "b"),
        ("system", "c"),
        ("user", "d"),
    ]


@every("turn", ["assistant: null", "assistant:", "ai: null", "{role: assistant, content: null}"])
def test_an_assistant_turn_without_content_is_to_be_generated(turn: str) -> None:
    [only] = conversation("user: a", turn, "user: b").blueprint.prompts
    assert only.messages[1].content is None


@every(
    ("messages", "kind", "part"),
    [
        (("user: a", "assistant: null"), Kind.MESSAGE_ORDER, "assistant"),
        (("user: a", "assistant: b"), Kind.FIXED_ANSWER, "assistant"),
        (("assistant: a", "user: b"), Kind.MESSAGE_ORDER, "assistant"),
        (("user: a", "user: b"), Kind.MESSAGE_ORDER, "user"),
        (("user: a", "assistant: x", "assistant: null", "user: d"), Kind.MESSAGE_ORDER, "assistant"),
    ],
)
def test_an_order_that_works_here_and_not_on_weval_is_flagged_at_the_role(
    messages: tuple[str, ...], kind: Kind, part: str
) -> None:
    parsed = conversation(*messages)
    [finding] = parsed.findings
    assert (finding.kind, finding.flagged, finding.span.of(parsed.text)) == (kind, True, part)


@every("message", ["bot: x", "{user: a, assistant: b}", "[user, x]", "just text", "user: ''"])
def test_a_bad_message_is_told(message: str) -> None:
    assert Kind.BAD_MESSAGE in {finding.kind for finding in conversation(message, "user: b").findings}


def test_messages_win_over_a_prompt_and_both_are_told() -> None:
    parsed = parse("- id: p1\n  prompt: a\n  messages:\n    - user: b\n")
    assert parsed.blueprint.prompts[0].messages[0].content == "b"
    assert [finding.kind for finding in parsed.findings] == [Kind.PROMPT_AND_MESSAGES]


# Fields of prompt and header


def test_a_prompt_takes_rendering_and_caching_from_the_header() -> None:
    found = prompt("", header="render_as: html\nnoCache: true\n---\n")
    assert (found.render_as.value, found.no_cache) == ("html", True)


@every("key", ["weight", "importance", "multiplier"])
def test_a_prompt_weight_has_three_names(key: str) -> None:
    assert prompt(f"{key}: 2").weight == 2


@every(("body", "system"), [("", ABSENT), ("system: null", None), ("system: S", "S")])
def test_an_absent_system_prompt_is_not_a_cleared_one(body: str, system: Any) -> None:
    assert prompt(body).system == system


@every(
    ("header", "systems"),
    [("system: S", ("S",)), ("systemPrompt: S", ("S",)), ("system: [null, A]", (None, "A")), ("systems: [A]", ("A",))],
)
def test_a_header_names_its_system_prompts_in_four_ways(header: str, systems: tuple[str | None, ...]) -> None:
    assert parse(f"{header}\n---\n{LIST}").blueprint.header.systems == systems


@every(
    ("line", "kind"),
    [
        ("author: 5", Kind.BAD_AUTHOR),
        ("references: [{url: x}]", Kind.BAD_REFERENCE),
        ("render_as: Markdown", Kind.BAD_RENDER_AS),
        ("models: {a: b}", Kind.MODEL_FORMAT),
        ("models: [{id: i, url: u}]", Kind.CUSTOM_MODEL_INCOMPLETE),
        ("tools: [{description: d}]", Kind.BAD_TOOLS),
        ("toolUse: {mode: auto}", Kind.BAD_TOOL_USE),
        ("externalServices: {a: {method: POST}}", Kind.BAD_SERVICE),
        ("temperature: warm", Kind.BAD_TEMPERATURE),
        ("system: [1]", Kind.BAD_SYSTEM),
        ("titel: T", Kind.UNKNOWN_KEY),
    ],
)
def test_a_header_field_that_weval_refuses_is_told(line: str, kind: Kind) -> None:
    assert [finding.kind for finding in parse(f"title: T\n{line}\n---\n{LIST}").findings] == [kind]


@every("key", ["concurrency", "embeddingModel", "externalServices", "systems", "context"])
def test_a_key_that_is_honoured_but_undocumented_is_not_told(key: str) -> None:
    assert of_kind(parse(f"{key}: null\n---\n{LIST}"), Kind.UNKNOWN_KEY) == []


def test_a_service_address_from_the_environment_works_here_and_is_flagged() -> None:
    [finding] = parse(f'externalServices: {{a: {{url: "${{URL}}"}}}}\n---\n{LIST}').findings
    assert (finding.kind, finding.flagged) == (Kind.BAD_SERVICE, True)


def test_two_prompts_of_the_same_content_share_their_hash() -> None:
    first, second = parse("- prompt: x\n- prompt: x\n").blueprint.prompts
    assert first.id == second.id == "hash-7a819a780e84"


HEADERS = ("", "render_as: html\n---\n", "noCache: true\n---\n", "noCache: false\n---\n")


def test_a_hash_depends_on_what_the_prompt_inherits_however_often_it_is_read() -> None:
    ids = [parse(f"{header}- prompt: x\n").blueprint.prompts[0].id for header in HEADERS * 2]
    assert ids[:4] == ids[4:]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("reference", ["$ref: a", "{fn: ref, arg: a}"])
def test_a_hash_depends_on_what_its_references_name(reference: str) -> None:
    headers = ("point_defs: {a: one()}\n---\n", "point_defs: {a: two()}\n---\n")
    first, second = (
        parse(f"{header}- prompt: x\n  should:\n    - {reference}\n").blueprint.prompts[0].id for header in headers
    )
    assert first != second


def test_a_hash_follows_an_alias() -> None:
    first, second = (parse(f"- prompt: &a {word}\n- prompt: *a\n").blueprint.prompts[1].id for word in ("one", "two"))
    assert first != second
