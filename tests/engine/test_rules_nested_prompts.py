"""`prompts:` as an item of the list of prompts, beside other errors of the YAML."""

from __future__ import annotations

import pytest

from engine import check
from engine.text.diagnostics import Severity
from engine.text.spans import TextEdit, apply_edits

NESTED = "- prompts:\n    - id: b\n      prompt: Why?\n      should:\n        - Says why\n"
SOUND = "- id: a\n  prompt: Why?\n  should:\n    - Says why\n"
BROKEN = {
    "a colon in a text": "- id: c\n  description: one: two\n  prompt: Why?\n  should:\n    - Says why\n",
    "a quotation mark left open": '- id: c\n  prompt: "Why?\n  should:\n    - Says why\n',
    "a bracket left open": "- id: c\n  prompt: Why?\n  should: [Says why\n",
    "a tab": "- id: c\n  prompt: Why?\n\tshould:\n    - Says why\n",
    "a star": "- id: c\n  prompt: Why?\n  should:\n    * Says why\n",
    "a key twice": "- id: c\n  id: d\n  prompt: Why?\n  should:\n    - Says why\n",
}
HEADERS = {
    "no header": "",
    "a header": "title: Notice\n---\n",
    "a header with an error": "title: Notice: periods\n---\n",
    "a header with a bracket left open": "models: [openai:gpt-4o\n---\n",
}


def nested_prompts_lines(text: str) -> list[int]:
    """The lines, from 1, where `prompts` is reported as an item of the list."""
    found = [each for each in check(text) if each.slug == "unknown-key" and each.message.startswith("`prompts` cannot")]
    return [text.count("\n", 0, each.span.start) + 1 for each in found]


def fixes_of_nested_prompts(text: str) -> list[TextEdit]:
    """The edits that make `prompts` a key of the header."""
    found = [each for each in check(text) if each.message.startswith("`prompts` cannot")]
    return [edit for each in found for fix in each.fixes for edit in fix.edits]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("error", BROKEN)
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)], ids=str)
def test_it_is_reported_beside_an_error_of_the_yaml(header: str, error: str, order: tuple[int, ...]) -> None:
    pieces = (NESTED, SOUND, BROKEN[error])
    text = HEADERS[header] + "".join(pieces[index] for index in order)
    lines = [text.count("\n", 0, text.index("- prompts:")) + 1]
    assert nested_prompts_lines(text) == lines
    assert any(each.severity is Severity.ERROR for each in check(text))


@pytest.mark.parametrize("header", HEADERS)
def test_it_is_reported_where_the_error_is_within_its_own_list(header: str) -> None:
    text = HEADERS[header] + SOUND + NESTED.replace("id: b", "id: b\n      description: one: two")
    assert nested_prompts_lines(text) == [text.count("\n", 0, text.index("- prompts:")) + 1]


OTHER_ITEMS = {
    **BROKEN,
    "a note": "- note: one: two\n",
    "a lone dash": "-\n  note: one: two\n",
    "a text": '- "Why?\n',
    "not a list item": "note: [a\n- note: 'b\n",
}


@pytest.mark.parametrize("error", OTHER_ITEMS)
def test_it_is_no_fix_to_make_it_a_key_beside_items_that_could_not_be_read(error: str) -> None:
    for text in (NESTED + OTHER_ITEMS[error], OTHER_ITEMS[error] + NESTED):
        assert fixes_of_nested_prompts(text) == []


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("within", ["", "      description: one: two\n"], ids=["sound", "with an error"])
def test_it_becomes_a_key_of_the_header_where_it_is_the_only_item(header: str, within: str) -> None:
    nested = NESTED.replace("      prompt: Why?\n", f"{within}      prompt: Why?\n")
    assert "- prompts:" not in apply_edits(HEADERS[header] + nested, fixes_of_nested_prompts(HEADERS[header] + nested))
