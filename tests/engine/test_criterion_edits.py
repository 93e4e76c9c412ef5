"""A criterion, or a citation, is written where it belongs, and nothing is written that would read as something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.parsing import parse
from engine.rules.rubric_edits import Refusal, as_wording, cited, new_criterion
from engine.text.spans import apply_edits


def added(text: str, wording: str = "Names the lease", block: Block = Block.SHOULD, name: str = "x.yml") -> str:
    """The text with the criterion in its first prompt, or why it was refused."""
    parsed = parse(text, Path(name))
    edits = new_criterion(parsed, parsed.blueprint.prompts[0], block, wording)
    return edits.message if isinstance(edits, Refusal) else apply_edits(text, edits)


def with_citation(text: str, citation: str) -> str:
    """The text with the citation at the last point of its first prompt, or why it was refused."""
    parsed = parse(text, None)
    prompt = parsed.blueprint.prompts[0]
    edits = cited(parsed, prompt, len(prompt.points()) - 1, citation)
    return edits.message if isinstance(edits, Refusal) else apply_edits(text, edits)


HEAD = "- id: a\n  prompt: Who?\n"
TAIL = "- id: b\n  prompt: What?\n"
ADDED = {
    "no rubric": ("", "  should:\n    - Names the lease\n"),
    "a list": (
        "  should:\n  - Is kind  # always\n  # end\n",
        "  should:\n  - Is kind  # always\n  - Names the lease\n  # end\n",
    ),
    "nothing yet": ("  should:\n\n", "  should:\n    - Names the lease\n\n"),
    "an empty list": ("  should: []  # soon\n", "  should:  # soon\n    - Names the lease\n"),
    "in brackets": ("  should: [Is kind, 'Is #1']\n", "  should: [Is kind, 'Is #1', 'Names the lease']\n"),
    "alternative paths": (
        "  should:\n    - - a\n      - b\n",
        "  should:\n    - - a\n      - b\n    - Names the lease\n",
    ),
    "the other block": ("  should_not:\n    - Lies\n", "  should_not:\n    - Lies\n  should:\n    - Names the lease\n"),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=ADDED)
def test_a_criterion_stands_at_the_end_of_its_block(before: str, after: str, newline: str) -> None:
    text = f"{HEAD}{before}{TAIL}".replace("\n", newline)
    assert added(text) == f"{HEAD}{after}{TAIL}".replace("\n", newline)


HOSTILE = ["$100 is named", "- x: y", 'it\'s "so": #1', "[b]bold[/b]", "{a: b}", "null", "A\u200bb", "*a", "&a", "42"]


@pytest.mark.parametrize("wording", HOSTILE)
@pytest.mark.parametrize("rubric", ["", "  should:\n    - Is kind\n", "  should: [Is kind]\n"])
def test_a_criterion_reads_back_as_it_is_worded(wording: str, rubric: str) -> None:
    after = parse(added(f"{HEAD}{rubric}{TAIL}", wording), None).blueprint.prompts
    assert (after[0].points()[-1].text, len(after)) == (wording, 2)


@pytest.mark.parametrize("wording", HOSTILE)
def test_so_it_does_in_json(wording: str) -> None:
    after = added('{"prompts": [{"id": "a", "prompt": "Who?"}]}', wording, name="x.json")
    assert parse(after, Path("x.json")).blueprint.prompts[0].points()[-1].text == wording


def test_a_prompt_in_brackets_gets_its_block_there() -> None:
    assert added("- {id: a, prompt: Who}\n", block=Block.SHOULD_NOT) == (
        "- {id: a, prompt: Who, should_not: ['Names the lease']}\n"
    )


def test_a_block_that_two_prompts_share_is_left_alone() -> None:
    text = f"{HEAD}  should: &both\n    - Is kind\n{TAIL}  should: *both\n"
    assert added(text).startswith("there is no room for it")


def test_a_prompt_that_is_a_bare_text_has_no_room() -> None:
    assert added("- Who?\n- What?\n").startswith("there is no room for it")


def test_the_same_criterion_is_not_added_twice() -> None:
    assert added(f"{HEAD}  should:\n    - Names the lease\n") == "`should` has this criterion already"


CITED = {
    "a criterion": ("- Names it\n", "- text: Names it\n    citation: 'it''s: #1'\n"),
    "with a citation": ("- Names it: Law 3\n", "- Names it: 'it''s: #1'\n"),
    "with keys": ("- text: Names it\n    weight: 2\n", "- text: Names it\n    weight: 2\n    citation: 'it''s: #1'\n"),
    "with nothing yet": ("- text: Names it\n    citation:\n", "- text: Names it\n    citation: 'it''s: #1'\n"),
    "in brackets": ("- {text: Names it}\n", "- {text: Names it, citation: 'it''s: #1'}\n"),
    "replaced": (
        "- text: Names it\n    citation: >-\n      a\n      b\n",
        "- text: Names it\n    citation: 'it''s: #1'\n",
    ),
    "a block": ("- >-\n    Names\n    it\n", "- text: >-\n      Names\n      it\n    citation: 'it''s: #1'\n"),
}


@pytest.mark.parametrize(("before", "after"), CITED.values(), ids=CITED)
def test_a_citation_stands_with_its_criterion(before: str, after: str) -> None:
    text = f"{HEAD}  should:\n  - Is kind\n  {before}{TAIL}"
    assert with_citation(text, "it's: #1") == f"{HEAD}  should:\n  - Is kind\n  {after}{TAIL}"


def test_where_a_citation_has_no_place_nothing_is_written() -> None:
    text = f"{HEAD}  should: &both\n    - Names it\n- id: b\n  prompt: What?\n  should: *both\n"
    assert with_citation(text, "x").startswith("it has no place")


def test_a_passage_becomes_a_wording_without_what_is_not_seen() -> None:
    assert as_wording(" It is\n\n**a**\u200b \x1b[31mlaw\u202e.\t") == "It is **a** [31mlaw."
