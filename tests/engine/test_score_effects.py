"""What an edit of the rubric does to the score of an answer that is there."""

from __future__ import annotations

from engine.evaluation.headline import Effect, Headline, effect_of
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.explanation import Bounds
from engine.text.spans import Span, TextEdit

PATHS = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  should:
    - $icontains: largest
    - - $icontains: Lagos
    - - $icontains: Cairo
"""
GRADED = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  should:
    - $icontains: Lagos
    - Says by what they were counted
"""


def edit(text: str, before: str, after: str) -> tuple[TextEdit, ...]:
    start = text.index(before)
    return (TextEdit(Span(start, start + len(before)), after),)


def effect(text: str, edits: tuple[TextEdit, ...], answer: str, javascript: JavaScript) -> Effect | None:
    return effect_of(parse(text), 0, edits, answer, javascript)


def test_flattening_paths_tells_the_score_before_and_after(javascript: JavaScript) -> None:
    flat = (
        *edit(PATHS, "- - $icontains: Lagos", "- $icontains: Lagos"),
        *edit(PATHS, "- - $icontains: C", "- $icontains: C"),
    )
    answer = "The largest are Lagos and Kinshasa."
    assert str(effect(PATHS, flat, answer, javascript)) == "100.0 → 66.7"


def test_an_edit_that_moves_no_score_says_so(javascript: JavaScript) -> None:
    renamed = edit(PATHS, "largest\n", "the largest\n")
    answer = "The largest are Lagos and Cairo."
    assert str(effect(PATHS, renamed, answer, javascript)) == "the score stays 100.0"


def test_points_that_nobody_judged_leave_bounds(javascript: JavaScript) -> None:
    added = edit(GRADED, "    - Says", "    - $icontains: Cairo\n    - Says")
    answer = "Lagos"
    assert str(effect(GRADED, added, answer, javascript)) == (
        "50–100, 1 of 2 criteria judged → 33.3–66.7, 2 of 3 criteria judged"
    )


def test_what_is_judged_is_reported_once_where_an_edit_leaves_it() -> None:
    before, after = Headline(Bounds(0.5, 1.0), 2, 4), Headline(Bounds(0.25, 0.75), 2, 4)
    assert str(Effect(before, after)) == "50–100 → 25–75, 2 of 4 criteria judged"


def test_nothing_is_told_of_an_edit_that_breaks_the_file(javascript: JavaScript) -> None:
    broken = edit(PATHS, "prompt: Name", "prompt: 'Name")
    assert effect(PATHS, broken, "x", javascript) is None
