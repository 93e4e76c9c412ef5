"""Our reading of a blueprint: what it says, what was met on the way, and exactly where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parsing import Kind, parse, reading, weval_config
from engine.parsing.normalised_form import hash_id
from engine.parsing.urls import is_url
from tests.engine.parsing_cases import LIST, THREE_LEVELS, of_kind, should
from tests.many_cases import every

# The four structures

HEADER_AND_LIST = "title: T\n---\n- id: a\n  prompt: x\n- id: b\n  prompt: y\n"


def test_a_prompt_spans_its_item_without_the_dash() -> None:
    second = parse(LIST).blueprint.prompts[1]
    assert second.span.of(LIST) == "id: b\n  prompt: y"


# Weval's answer and ours


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


@given(st.text(alphabet="-:[]{}$ \n'\"#|>&*!ax1", max_size=60))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parsed = parse(text)
    assert (weval_config(parsed) is not None) is parsed.weval.ok


@given(st.text(alphabet="-:[]{}$ \n'\"#ax", max_size=60))
def test_every_finding_lies_within_the_text(text: str) -> None:
    assert all(0 <= f.span.start <= f.span.end <= len(text) for f in parse(text).findings)


def test_an_id_made_under_a_header_that_is_refused_is_not_taken_for_another_file_s() -> None:
    parse("render_as: xml\n---\n- prompt: never asked before\n")
    parsed = parse("title: T\n---\n- prompt: never asked before\n")
    config: Any = weval_config(parsed)
    assert parsed.blueprint.prompts[0].id == hash_id(config["prompts"][0])


# What JavaScript takes for blank, for an address, and for an object


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
