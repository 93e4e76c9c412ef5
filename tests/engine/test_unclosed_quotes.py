"""A quotation mark that is never closed is named at its line, and its fix keeps the text that was meant."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.rules.fixes import fix_text

HEAD = "- id: a\n  prompt: What is due?\n  should:\n"
NEXT = {
    "a quoted point": '    - "Names the office"\n',
    "a point": "    - Names the office\n",
    "a check in single quotes": "    - $matches: '\\d+ \\\"days\\\"'\n",
    "another rubric": '  should_not:\n    - "Blames: them"\n',
    "another prompt": '- id: b\n  prompt: "Context: who pays?"\n  should:\n    - "Names it"\n',
}
OPENED = {
    "\"Says that the fee isn't due": "Says that the fee isn't due",
    "'Says that the fee isn't due": "Says that the fee isn't due",
    "'Says that it's 'due' now": "Says that it's 'due' now",
    '"Names the "fee" first': 'Names the "fee" first',
    '"Names the "fee"': 'Names the "fee"',
    '"Asks: who pays?': "Asks: who pays?",
    "'Tis said that it isn't due": "'Tis said that it isn't due",
    '"fee" is due': '"fee" is due',
    "'fee' isn't due": "'fee' isn't due",
}
IN_SPOILT_LIST = f'{HEAD}    • Names the date\n    - "Says that it is due\n    - Names the office\n'


def points_after(text: str) -> list[str | None]:
    after = parse(fix_text(text, None).text)
    assert after.tree.diagnostics == ()
    return [point.text for prompt in after.blueprint.prompts for point in prompt.points()]


@pytest.mark.parametrize("below", NEXT.values(), ids=NEXT)
def test_a_quote_that_the_next_one_closes_is_named_and_closed(below: str) -> None:
    text = f'{HEAD}    - "Says that it is due\n{below}'
    [found] = [one for one in check(parse(text)) if one.slug == "yaml-syntax"]
    assert (found.span.of(text), "never closed" in found.message) == ('"Says that it is due', True)
    assert points_after(text)[0] == "Says that it is due"


@pytest.mark.parametrize("below", NEXT.values(), ids=NEXT)
def test_a_quote_that_the_next_one_closes_is_the_only_error(below: str) -> None:
    found = check(parse(f'{HEAD}    - "Says that it is due\n{below}'))
    assert {one.slug for one in found} <= {"yaml-syntax", "unstable-prompt-id"}


@pytest.mark.parametrize(("item", "meant"), OPENED.items())
def test_an_opening_mark_is_no_part_of_the_text_unless_it_is_closed(item: str, meant: str) -> None:
    assert points_after(f"{HEAD}    - {item}\n    - Names the office\n") == [meant, "Names the office"]


def test_no_check_becomes_a_text_with_its_opening_mark() -> None:
    text = f'{HEAD}    - "$icontains: "due" or not\n'
    assert fix_text(text, None).text == text


def test_a_backslash_in_a_text_of_several_lines_is_not_taken_for_an_open_quote() -> None:
    text = '- id: a\n  prompt: "Match\n    this: \\d"\n  should:\n    - Names it\n'
    assert [one.slug for one in check(parse(text))] == ["backslash-in-double-quotes"]


def test_each_slip_in_a_spoilt_list_offers_the_fix_of_the_list() -> None:
    found = [one for one in check(parse(IN_SPOILT_LIST)) if one.slug == "rubric-not-a-list"]
    assert [fix.title for one in found for fix in one.fixes] == ["write `-`", "correct the whole list"]
    assert found[0].fixes[0].edits == found[1].fixes[0].edits


def test_a_quoted_text_of_several_lines_that_ends_its_line_swallows_nothing() -> None:
    text = '- id: a\n  prompt: "What\n    is due?"\n  wieght: 2\n  should:\n    - Names it\n'
    assert [one.slug for one in check(parse(text))] == ["unknown-key"]
