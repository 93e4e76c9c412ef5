"""Our reading of a blueprint: what it says, what was met on the way, and exactly where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parsing import Kind, parse, reading, weval_config
from engine.parsing.normalised_form import hash_id
from engine.parsing.urls import is_url
from tests.engine.parsing_cases import LIST, THREE_LEVELS, of_kind, should, underlined
from tests.many_cases import every

# The four structures

HEADER_AND_LIST = "title: T\n---\n- id: a\n  prompt: x\n- id: b\n  prompt: y\n"
HEADER_AND_STREAM = "title: T\n---\nid: a\nprompt: x\n---\nid: b\nprompt: y\n"
STREAM = "id: a\nprompt: x\n---\nid: b\nprompt: y\n"
PROMPTS_KEY = "title: T\nprompts:\n  - id: a\n    prompt: x\n  - id: b\n    prompt: y\n"


@every("text", [HEADER_AND_LIST, HEADER_AND_STREAM, STREAM, LIST, PROMPTS_KEY])
def test_every_structure_of_the_documents_gives_the_same_prompts(text: str) -> None:
    assert [found.id for found in parse(text).blueprint.prompts] == ["a", "b"]


@every("text", [HEADER_AND_LIST, HEADER_AND_STREAM, PROMPTS_KEY])
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


@every(
    ("text", "key"),
    [
        ("promptText: hi\n---\nprompt: b\n", "promptText"),
        ("should_not: [a]\n---\nprompt: b\n", "should_not"),
        ("title: T\nprompts: [{prompt: a}]\n---\n- prompt: b\n", "prompts"),
    ],
)
def test_a_prompt_taken_for_a_header_is_told_at_the_key_that_shows_it(text: str, key: str) -> None:
    assert underlined(text, Kind.PROMPT_LOST) == [key]


@every("item", ["just text", "42", "[a, b]"])
def test_a_stray_item_becomes_an_empty_prompt_and_is_told(item: str) -> None:
    text = f"{LIST}- {item}\n"
    assert underlined(text, Kind.STRAY_ITEM) == [item]


def test_an_empty_item_is_refused_and_is_no_prompt() -> None:
    parsed = parse(f"{LIST}-\n")
    assert (len(parsed.blueprint.prompts), parsed.weval.ok) == (2, False)


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


@every(
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


@every("empty", ["", "first\n    -", "- first\n      -", "# not yet\n\n    # nor here"])
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


@every(
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


@every(("space", "blank"), [("\\ufeff", True), ("\\u00a0", True), ("\\x85", False), ("\\x1c", False)])
def test_a_text_is_blank_where_javascript_trims_all_of_it(space: str, blank: bool) -> None:
    prompt = parse(f'- id: a\n  prompt: "{space}"\n')
    cited = parse(f'- id: b\n  prompt: x\n  citation: {{title: "{space}"}}\n')
    assert (prompt.weval.run_error is not None, cited.weval.error is not None) == (blank, blank)


@every(
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


@every(
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
