"""# stale-fact

A criterion or an ideal that asks for what is "current" or "latest", without a date.

Such a point is graded by another fact every year. The judge knows the world up to its training, the model up to its
own, the author up to the day of writing: "names the current president" gives 100 and 0 to one answer, depending on who
grades it. A run of last year can no longer be compared with one of today.

Reported if what changes is named ("the latest WHO guideline", "the most recent census", "as of today") and no year
stands beside it. Not reported: points with a citation, advice to look something up ("advises to check the current
rate"), and what is current for the user ("asks about current symptoms"). English only.

Bad:

    - id: salt
      prompt: How much salt a day is safe?
      should:
        - Follows the latest WHO guideline
        - Gives grams a day

Good:

    - id: salt
      prompt: How much salt a day is safe?
      should:
        - Gives less than 5 g a day, as the WHO guideline of 2012
        - Gives grams a day

Fix: none. Name the edition, the date or the value that you mean.

Documents: Blueprint repository, What Makes a Good Weval Blueprint?, "a precise diagnostic instrument".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.rules.language.moments import stale_in, stale_in_ideal
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.node_search import enclosing_mapping
from engine.rules.source.text_points import text_points, words_place
from engine.rules.views import PromptView
from engine.text import Span


def _check(view: PromptView) -> Iterator[Report]:
    for each in text_points(view, Sign.MOMENT):
        place = stale_in(each.text) if each.point.citation is None else None
        if place is not None:
            words = " ".join(each.text[slice(*place)].split())
            span = words_place(view.text, each.point, *place)
            yield Report(span, _message(words))
    ideal = view.prompt.ideal
    words = None if ideal is None else stale_in_ideal(ideal)
    span = None if words is None else _ideal_span(view)
    if words is not None and span is not None:
        yield Report(span, f"the ideal's {_message(words)}")


def _message(words: str) -> str:
    return f"“{words}” changes with time: name the edition, the date or the value"


def _ideal_span(view: PromptView) -> Span | None:
    """The key of the prompt's ideal; None for a prompt without a rubric beside it."""
    rubrics = view.prompt.rubrics
    mapping = enclosing_mapping(view.tree, rubrics[0].span) if rubrics else None
    pair = None if mapping is None else mapping.pair("ideal") or mapping.pair("idealResponse")
    return None if pair is None else pair.key.span


RULES = (
    Rule(
        code="R061",
        slug="stale-fact",
        title="Fact that changes, without a date",
        severity=Severity.HINT,
        why="Judge, model and author know the world up to different days, so the point is graded by different facts.",
        on_prompt=_check,
    ),
)
