"""Our reading of a blueprint: what it says, what was met on the way, and exactly where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import ABSENT, FunctionCall, Prompt, Rubric
from engine.blueprint import Path as AlternativePath
from engine.parsing import Finding, Kind, Parsed, parse, reading, weval_config
from engine.parsing.normalised_form import hash_id
from engine.parsing.urls import is_url


def prompt(body: str, header: str = "") -> Prompt:
    """The only prompt of a file that begins with `header`; `body` are its lines below `id` and `prompt`."""
    [only] = parse(header + one(body)).blueprint.prompts
    return only


def one(body: str) -> str:
    return "- id: p1\n  prompt: hi\n" + "".join(f"  {line}\n" for line in body.splitlines())


def should(*items: str) -> str:
    return one("should:\n" + "\n".join(f"  - {item}" for item in items))


def rubric(*items: str, header: str = "") -> Rubric:
    [only] = parse(header + should(*items)).blueprint.prompts
    assert only.should is not None
    return only.should


def underlined(text: str, kind: Kind) -> list[str]:
    return [finding.span.of(text) for finding in of_kind(parse(text), kind)]


def of_kind(parsed: Parsed, kind: Kind) -> list[Finding]:
    return [finding for finding in parsed.findings if finding.kind is kind]


# The four structures

HEADER_AND_LIST = "title: T\n---\n- id: a\n  prompt: x\n- id: b\n  prompt: y\n"
HEADER_AND_STREAM = "title: T\n---\nid: a\nprompt: x\n---\nid: b\nprompt: y\n"
STREAM = "id: a\nprompt: x\n---\nid: b\nprompt: y\n"
LIST = "- id: a\n  prompt: x\n- id: b\n  prompt: y\n"
PROMPTS_KEY = "title: T\nprompts:\n  - id: a\n    prompt: x\n  - id: b\n    prompt: y\n"


@pytest.mark.parametrize("text", [HEADER_AND_LIST, HEADER_AND_STREAM, STREAM, LIST, PROMPTS_KEY])
def test_every_structure_of_the_documents_gives_the_same_prompts(text: str) -> None:
    assert [found.id for found in parse(text).blueprint.prompts] == ["a", "b"]


@pytest.mark.parametrize("text", [HEADER_AND_LIST, HEADER_AND_STREAM, PROMPTS_KEY])
def test_a_header_gives_the_title(text: str) -> None:
    assert parse(text).blueprint.header.title == "T"


def test_a_json_file_is_read_by_its_name() -> None:
    parsed = parse('{"title": "T", "prompts": [{"id": "a", "promptText": "x"}]}', Path("blueprint.json"))
    assert [found.id for found in parsed.blueprint.prompts] == ["a"]


def test_a_prompt_spans_its_item_without_the_dash() -> None:
    second = parse(LIST).blueprint.prompts[1]
    assert second.span.of(LIST) == "id: b\n  prompt: y"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("title: T\nideal: x\n---\n- prompt: b\n", "title"),
        ("prompt: hi\nmodels: [CORE]\n", "models"),
    ],
)
def test_a_header_taken_for_a_prompt_is_told_at_its_first_lost_key(text: str, key: str) -> None:
    assert underlined(text, Kind.HEADER_LOST) == [key]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("promptText: hi\n---\nprompt: b\n", "promptText"),
        ("should_not: [a]\n---\nprompt: b\n", "should_not"),
        ("title: T\nprompts: [{prompt: a}]\n---\n- prompt: b\n", "prompts"),
    ],
)
def test_a_prompt_taken_for_a_header_is_told_at_the_key_that_shows_it(text: str, key: str) -> None:
    assert underlined(text, Kind.PROMPT_LOST) == [key]


@pytest.mark.parametrize("item", ["just text", "42", "[a, b]"])
def test_a_stray_item_becomes_an_empty_prompt_and_is_told(item: str) -> None:
    text = f"{LIST}- {item}\n"
    assert underlined(text, Kind.STRAY_ITEM) == [item]


def test_an_empty_item_is_refused_and_is_no_prompt() -> None:
    parsed = parse(f"{LIST}-\n")
    assert (len(parsed.blueprint.prompts), parsed.weval.ok) == (2, False)


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


@pytest.mark.parametrize(("item", "text", "function"), ANYTHING)
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


@pytest.mark.parametrize(
    ("item", "underlined_part"),
    [("Names it", "Names it"), ("{$contains: x, weight: 2}", "$contains"), ("{fn: contains, arg: x}", "contains")],
)
def test_a_point_points_at_its_text_or_its_function(item: str, underlined_part: str) -> None:
    text = should(item)
    [point] = parse(text).blueprint.prompts[0].points()
    assert point.subject_span.of(text) == underlined_part


@pytest.mark.parametrize("name", ["should", "points", "expect", "expects", "expectations"])
def test_every_name_of_the_should_block_is_read(name: str) -> None:
    assert [point.text for point in prompt(f"{name}: [a, b]").points()] == ["a", "b"]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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

THREE_LEVELS = "[[a, b], [c]]"


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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


# Conversations


def conversation(*messages: str) -> Parsed:
    return parse("- id: p1\n  messages:\n" + "".join(f"    - {message}\n" for message in messages))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("turn", ["assistant: null", "assistant:", "ai: null", "{role: assistant, content: null}"])
def test_an_assistant_turn_without_content_is_to_be_generated(turn: str) -> None:
    [only] = conversation("user: a", turn, "user: b").blueprint.prompts
    assert only.messages[1].content is None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("message", ["bot: x", "{user: a, assistant: b}", "[user, x]", "just text", "user: ''"])
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


@pytest.mark.parametrize("key", ["weight", "importance", "multiplier"])
def test_a_prompt_weight_has_three_names(key: str) -> None:
    assert prompt(f"{key}: 2").weight == 2


@pytest.mark.parametrize(("body", "system"), [("", ABSENT), ("system: null", None), ("system: S", "S")])
def test_an_absent_system_prompt_is_not_a_cleared_one(body: str, system: Any) -> None:
    assert prompt(body).system == system


@pytest.mark.parametrize(
    ("header", "systems"),
    [("system: S", ("S",)), ("systemPrompt: S", ("S",)), ("system: [null, A]", (None, "A")), ("systems: [A]", ("A",))],
)
def test_a_header_names_its_system_prompts_in_four_ways(header: str, systems: tuple[str | None, ...]) -> None:
    assert parse(f"{header}\n---\n{LIST}").blueprint.header.systems == systems


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("key", ["concurrency", "embeddingModel", "externalServices", "systems", "context"])
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


# Weval's answer and ours


def test_the_first_refusal_in_weval_s_order_is_its_error() -> None:
    text = f"render_as: x\nauthor: 5\n---\n{should('{}')}"
    error = parse(text).weval.error
    assert error is not None
    assert text[error.offset :].startswith("5\n")


def test_where_both_read_the_same_there_is_no_reading_of_ours() -> None:
    assert reading(parse(HEADER_AND_LIST)) is None


def test_where_weval_refuses_what_the_documents_show_there_is_a_reading() -> None:
    parsed = parse(should(THREE_LEVELS))
    text = {"multiplier": 1}
    assert weval_config(parsed) is None
    assert reading(parsed) == {
        "prompts": [
            {
                "messages": [{"role": "user", "content": "hi"}],
                "id": "p1",
                "render_as": "markdown",
                "points": [[{"text": "a"} | text, {"text": "b"} | text], [{"text": "c"} | text]],
            }
        ]
    }


@pytest.mark.parametrize("text", [should("{}"), "- id: a\n  prompt: 'x\n"])
def test_an_error_has_no_reading(text: str) -> None:
    assert reading(parse(text)) is None


# What cannot be read whole


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]\n",
        "- &a [b, *a]\n",
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{b}: &{b} [{','.join(f'*{a}' for _ in range(10))}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
        + "---\n- id: p\n  prompt: x\n  should: *i\n",
    ],
)
def test_a_text_that_unfolds_without_end_is_refused_and_not_walked(text: str) -> None:
    parsed = parse(text)
    assert (parsed.weval.ok, parsed.blueprint.prompts) == (False, ())


BROKEN_PROMPT = """point_defs: {a: "1"}
---
- id: a
  prompt: x
- id: b
  prompt: "y
- id: c
  prompt: z
  should: [{$ref: a}]
"""
BROKEN_HEADER = "title: T: U\n---\n- id: a\n  prompt: x\n  should: [{$ref: q}]\n"


def test_prompts_around_an_error_are_read_all_the_same() -> None:
    parsed = parse(BROKEN_PROMPT)
    assert ([found.id for found in parsed.blueprint.prompts], parsed.weval.ok) == (["a", "b", "c"], False)


def test_a_prompt_that_an_error_cuts_off_is_known_as_such_and_nothing_is_noted_of_it() -> None:
    parsed = parse(BROKEN_PROMPT)
    assert (parsed.broken.prompts, parsed.broken.header, parsed.findings) == ({1}, False, ())


SWALLOWED = (
    "- id: a\n  prompt: x\n  should:\n    - {empty}\n- id: b\n  prompt: y\n  should: [c]\n- id: c\n  prompt: z\n"
)


@pytest.mark.parametrize("empty", ["", "first\n    -", "- first\n      -", "# not yet\n\n    # nor here"])
def test_prompts_behind_a_point_that_is_still_empty_stay_prompts(empty: str) -> None:
    parsed = parse(SWALLOWED.format(empty=empty))
    assert [found.id for found in parsed.blueprint.prompts] == ["a", "b", "c"]
    assert (parsed.weval.ok, Kind.BAD_POINT in {finding.kind for finding in parsed.findings}) == (False, False)


def test_a_key_told_twice_cuts_nothing_off() -> None:
    parsed = parse("- id: a\n  prompt: x\n  prompt: y\n  should: [{}]\n")
    assert ([finding.kind for finding in parsed.findings], parsed.broken.prompts) == ([Kind.BAD_POINT], frozenset())


def test_the_prompts_of_a_broken_header_are_read_and_nothing_is_said_of_its_definitions() -> None:
    parsed = parse(BROKEN_HEADER)
    assert ([found.id for found in parsed.blueprint.prompts], parsed.findings) == (["a"], ())


@given(st.text(alphabet="-:[]{}$ \n'\"#|>&*!ax1", max_size=60))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parsed = parse(text)
    assert (weval_config(parsed) is not None) is parsed.weval.ok


@given(st.text(alphabet="-:[]{}$ \n'\"#ax", max_size=60))
def test_every_finding_lies_within_the_text(text: str) -> None:
    assert all(0 <= f.span.start <= f.span.end <= len(text) for f in parse(text).findings)


@pytest.mark.parametrize("point", ["{point: x, weight: 20}", "7"])
def test_braces_in_an_id_are_only_braces(point: str) -> None:
    parsed = parse(f"- id: 'a}}b{{'\n  prompt: x\n  should:\n    - {point}\n")
    assert parsed.weval.error is not None
    assert "'a}b{'" in parsed.weval.error.message


def test_an_id_made_under_a_header_that_is_refused_is_not_taken_for_another_file_s() -> None:
    parse("render_as: xml\n---\n- prompt: never asked before\n")
    parsed = parse("title: T\n---\n- prompt: never asked before\n")
    config: Any = weval_config(parsed)
    assert parsed.blueprint.prompts[0].id == hash_id(config["prompts"][0])


# What Weval refuses only when it runs


@pytest.mark.parametrize(
    ("header", "prompt", "refused"),
    [
        ("systems: [null, Be brief]", "system: Be kind", True),
        ("system: [null, Be brief]", "system: Be kind", True),
        ("systems: [null, Be brief]", "system: null", False),
        ("systems: [Be long, Be brief]", "system: Be kind", True),
        ("systems: []", "system: Be kind", False),
        ("tags: [law, 2024]", "id: a", True),
        ("tags: [law, '2024']", "id: a", False),
    ],
)
def test_systems_and_tags_that_weval_does_not_run_with_are_told(header: str, prompt: str, refused: bool) -> None:
    parsed = parse(f"{header}\n---\n- prompt: x\n  {prompt}\n")
    assert (parsed.weval.ok, parsed.weval.run_error is not None) == (True, refused)


def test_a_prompts_own_system_is_noted_beside_a_list_of_systems_that_begins_with_null() -> None:
    found = parse("systems: [null, B]\n---\n- prompt: x\n  system: own\n").findings
    assert [finding.kind for finding in found] == [Kind.BAD_SYSTEM]


# What JavaScript takes for blank, for an address, and for an object


@pytest.mark.parametrize(("space", "blank"), [("\\ufeff", True), ("\\u00a0", True), ("\\x85", False), ("\\x1c", False)])
def test_a_text_is_blank_where_javascript_trims_all_of_it(space: str, blank: bool) -> None:
    prompt = parse(f'- id: a\n  prompt: "{space}"\n')
    cited = parse(f'- id: b\n  prompt: x\n  citation: {{title: "{space}"}}\n')
    assert (prompt.weval.run_error is not None, cited.weval.error is not None) == (blank, blank)


@pytest.mark.parametrize(
    "url",
    [
        "http://x",
        "HTTP:x",
        " https://u:p@x.y:65535/z ",
        "http://1.2.3.4",
        "http://[::1]:80",
        "foo:bar",
        "file:///x",
        "http://bücher.example",
        "http://xn--bcher-kva.example",
        "http://%c3%bc.example",
        "http://中国",
        "http://A。B",
    ],
)
def test_an_address_that_javascript_takes_is_one(url: str) -> None:
    assert is_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "/x",
        "http://",
        "http://x:65536",
        "http://a b",
        "http://256.1.1.1",
        "http://1.2.3.4.5",
        "http://x.09",
        "http://[1]",
        "foo://x:99999",
        "foo://@",
        "file://x:1",
        "http://xn--a",
        "http://xn--",
        "http://\u00ad",
        "http://\u0301a",
        "${ADDRESS}",
    ],
)
def test_an_address_that_javascript_refuses_is_none(url: str) -> None:
    assert not is_url(url)


@pytest.mark.parametrize(
    "header",
    [
        "toolUse: 2024-01-31\n",
        "models: [{id: i, url: u, modelName: m, inherit: openai, parameters: 2024-01-31}]\n",
    ],
)
def test_a_date_is_an_object_as_in_javascript(header: str) -> None:
    assert parse(f"{header}---\n- id: a\n  prompt: x\n").weval.ok


def test_the_definition_that_every_object_of_javascript_has_is_empty() -> None:
    parsed = parse("- id: a\n  prompt: x\n  should: [{$ref: __proto__}]\n")
    config: Any = weval_config(parsed)
    assert config["prompts"][0]["points"] == [{}]
    assert of_kind(parsed, Kind.UNDEFINED_REF)


@given(
    st.one_of(
        st.integers(-(2**70), 2**70).map(str),
        st.floats().map(lambda number: {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(str(number), str(number))),
        st.sampled_from(
            ["1.0", "-0.0", "2020-01-01", "null", "true", "text", "[1.0, {a: 2.5}]", "{<<: {1: .inf}, b: 2}"]
        ),
    )
)
def test_every_value_of_a_prompt_is_in_the_normalised_form_what_json_can_say_of_it(written: str) -> None:
    """As in the header, whose values are all mended one by one."""
    config: Any = weval_config(parse(f"description: {written}\n---\nprompt: hi\ndescription: {written}\n"))
    assert repr(config["prompts"][0]["description"]) == repr(config["description"])
    json.dumps(config, allow_nan=False)
