"""# vacuous-point

The share of the score that an empty answer earns.

The checks are run on an answer that says nothing. `$not_contains: x` is met by it, `$word_count_between: [0, 80]` is,
and so is a pattern that matches nothing at all. What such points are worth is given away: where three of four are of
that kind, every answer starts at 75, and only the last 25 points tell a good one from none. From 25 points of 100 on it
is a hint, from 50 on a warning, and an error where an empty answer earns them all. Less is what a negative check costs.

Texts under `should_not` are met by an empty answer as well, if judges find nothing of what they name. That is how the
block works, so they count in the figure, yet raise no warning: where no check is earned the rule speaks (as a hint)
only if they are more than half of the score. So it is with calls of tools that must not be made. Texts that silence
itself would meet ("refuses", "lacks a source") count as not earned, and so do texts under `should`, and scripts that
look at earlier turns, which are not written yet.

Bad:

    - id: slogan
      prompt: Write a slogan for a bakery.
      should:
        - Names bread
        - $word_count_between: [0, 8]
        - $not_icontains: cheap
        - $not_icontains: best

Good:

    - id: slogan
      prompt: Write a slogan for a bakery.
      should:
        - Names bread
        - Rhymes
        - $word_count_between: [2, 8]

Fix: none, since only the author knows what a good answer says. Add points that it has to say something for, or give
them more weight.

Documents: 002, "Understanding the Aggregation Formula", steps 2 and 4; 000, "Part 1", 3, "Negative Point-Functions".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.diagnostics import Related, Severity
from engine.record import Record
from engine.rules.negatives.negation import is_negative
from engine.rules.rule import Report, Rule
from engine.rules.shares import hundredths
from engine.rules.source.layout import first_line
from engine.rules.source.path_lists import has_competing_paths
from engine.rules.views import PromptView
from engine.scoring.aggregation import PointExtent, score_of
from engine.scoring.assessment import PlacedPoint
from engine.scoring.placement import place
from engine.text import Span

_MOST_RELATED = 4
_WORTH_REPORTING = 0.25

_MET_BY_SILENCE = re.compile(
    r"\b(?:irrelevant|unrelated|refus\w+|declin\w+|fail\w*|lack\w*|omit\w*|ignor\w+|neglect\w*|miss\w*|without|only|no|not"
    r"|never|cannot|empty|incomplete|vague\w*|evasive\w*|evad\w+|avoid\w*|dismiss\w*|short|brief)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words of what a bad answer leaves undone, which an empty one leaves undone too."""


_SCRIPTS = {"js", "expr"}
_TURNS = re.compile(r"\bcontext\b")


class _Earned(Record):
    """What an empty answer gets of one point: `extent` 0–1 after inversion; `is_check` where it is sure."""

    placed: PlacedPoint
    extent: float
    is_check: bool

    def counted(self, *, texts: bool) -> PointExtent:
        """The numbers of it, those of a text as not earned unless `texts` count."""
        extent = self.extent if texts or self.is_check else 0.0
        return PointExtent(extent, self.placed.point.multiplier, self.placed.path_id)


def _check(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    has_checks = any(point.function is not None for point in prompt.points())
    if (
        view.javascript is None
        or not (has_checks or prompt.should_not)
        or has_competing_paths(prompt)
        or _asks_nothing(prompt)
    ):
        return
    earned = list(_by_an_empty_answer(view))
    share = round(score_of(one.counted(texts=True) for one in earned) or 0.0, 9)
    certain = round(score_of(one.counted(texts=False) for one in earned) or 0.0, 9)
    level = _level(share, certain, has_checks=has_checks)
    if level is not None:
        yield _report(view, earned, share, certain, level)


def _asks_nothing(prompt: Prompt) -> bool:
    """Whether all of `should` is negative, texts among it: that is reported where it is worded so."""
    wanted = () if prompt.should is None else prompt.should.points()
    return any(point.text is not None for point in wanted) and all(
        is_negative(point.text) if point.text is not None else _is_negated(point) for point in wanted
    )


def _is_negated(point: Point) -> bool:
    return point.function is not None and point.function.name.startswith("not_")


def _by_an_empty_answer(view: PromptView) -> Iterator[_Earned]:
    from engine.evaluation import assess_functions

    assert view.javascript is not None
    checked = iter(assess_functions(view.prompt, "", view.javascript))
    for placed in place(view.prompt):
        text, call = placed.point.text, placed.point.function
        if call is None:
            yield _Earned(placed, float(placed.inverted and not _MET_BY_SILENCE.search(text or "")), False)
            continue
        extent = next(checked).extent or 0.0
        known = not any(_TURNS.search(script) for script in call.texts()) if call.name in _SCRIPTS else True
        yield _Earned(placed, extent if known else 0.0, known and not call.name.startswith("tool_"))


def _level(share: float, certain: float, *, has_checks: bool) -> Severity | None:
    """How much it matters; None where it does not. Only what is certain makes more than a hint of it."""
    if share >= 1 and has_checks:
        return Severity.ERROR
    if certain <= 0:
        return Severity.HINT if share > 0.5 else None
    if share < _WORTH_REPORTING:
        return None
    return Severity.WARNING if certain >= 0.5 else Severity.HINT


def _report(view: PromptView, earned: Sequence[_Earned], share: float, certain: float, level: Severity) -> Report:
    met = [one for one in earned if one.extent > 0]
    first, *others = [_place(view, one.placed.point) for one in met]
    judged = "" if share == certain else ", if judges find nothing of what is forbidden"
    if share >= 1:
        message = "the full score here: nothing has to be said for it"
    else:
        count = f"{len(met)} of {len(earned)} points" if len(earned) > 1 else "its one point"
        are = "is" if len(met) == 1 else "are"
        message = f"{hundredths(share)} points of 100 here: {count} {are} met, in full or in part, by saying nothing"
    left = hundredths(1 - share)
    return Report(
        first,
        f"an empty answer earns {message}{judged}",
        why=f"Every answer starts where an empty one ends, so {left} points of 100 are left to tell good from bad."
        if share < 1
        else "An answer that says nothing scores 100, so the score tells nothing of the answers that do.",
        severity=level,
        related=tuple(Related(span, "met by an empty answer too") for span in others[:_MOST_RELATED]),
    )


def _place(view: PromptView, point: Point) -> Span:
    span = point.subject_span
    return first_line(view.text, span)


RULES = (
    Rule(
        code="R016",
        slug="vacuous-point",
        severity=Severity.HINT,
        why="What an empty answer earns every answer earns, so less of the score is left to tell good from bad.",
        on_prompt=_check,
        needs_javascript=True,
    ),
)
