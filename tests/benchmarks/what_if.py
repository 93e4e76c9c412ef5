"""A key in the what-if mode with 20 labelled answers, and a result of 200 points scored again and drawn.

Processor time of this process, in the order of a key: the change, the view of it, and the rows of the list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from engine.blueprint import Prompt
from engine.evaluation.events import Response, Scored
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.study.case import Case, CaseOutcome, Label, ScoreRange, outcome_of
from engine.text.record import replace
from engine.text.spans import NOWHERE
from studio.session.views.result_view import ResultView
from studio.session.what_if import Hypothesis
from studio.tui.panes.criteria_notes import note_rows
from studio.tui.panes.criteria_rows import Order, arranged, criteria_rows
from studio.tui.panes.score import head_lines, head_of
from tests.benchmarks.table import Row, row

CASES, POINTS = 20, 200
ROUNDS = 200
KEY_GOAL, DRAWN_GOAL = (16, 16), (50, 50)
"""Milliseconds: median, and 95th percentile."""


def rubric(points: int, paths: int) -> Prompt:
    """A prompt with so many points, a tenth of them on each of `paths`."""
    required = "".join(f"    - Says number {number} of what matters here\n" for number in range(points - 2 * paths))
    others = "".join(f"    - - Takes way {number}\n      - And follows it\n" for number in range(paths))
    return parse(f"- id: many\n  prompt: x\n  should:\n{required}{others}").blueprint.prompts[0]


def assessed(prompt: Prompt, seed: int) -> tuple[Assessment, ...]:
    """Verdicts that differ from answer to answer; every seventh point is open."""
    return tuple(
        Assessment(each, None if (at + seed) % 7 == 0 else (at * 3 + seed) % 5 / 4, AssessedBy.HUMAN)
        for at, each in enumerate(place(prompt))
    )


def tried(prompt: Prompt, cases: int) -> Hypothesis:
    """A result with so many labelled answers beside it."""
    answers: list[CaseOutcome] = []
    for number in range(1, cases + 1):
        label = Label.GOOD if number % 2 else Label.BAD
        case = Case(number, NOWHERE, "many", NOWHERE, ("x",), label, ScoreRange(40, 80))
        verdicts = assessed(prompt, number)
        scored = Scored(Response("x", ()), verdicts, explain(prompt, verdicts))
        answers.append(outcome_of(case, prompt, scored))
    return Hypothesis.of(prompt, assessed(prompt, 0), tuple(answers))


def sampled(act: Callable[[int], object]) -> list[float]:
    """Milliseconds of the processor for each round."""
    samples: list[float] = []
    for number in range(ROUNDS):
        begun = time.process_time()
        act(number)
        samples.append((time.process_time() - begun) * 1000)
    return samples


def key(start: Hypothesis) -> Callable[[int], object]:
    """One key: the weight of a point on a path, and everything that follows it."""
    now = start
    assessments = tuple(each.assessment for each in start.points)
    shown = ResultView(start.prompt, "an answer", explain(start.prompt, assessments), assessments)
    places = arranged(shown, Order.DEAREST)
    last = len(assessments) - 1

    def press(number: int) -> object:
        nonlocal now
        now = now.weighed(last, 1 if number % 20 < 10 else -1)
        return tuple(criteria_rows(replace(shown, tried=now), places))

    return press


def drawn(prompt: Prompt) -> Callable[[int], object]:
    """The score of a result again, and all its rows."""

    def draw(number: int) -> object:
        verdicts = assessed(prompt, number)
        view = ResultView(prompt, "an answer", explain(prompt, verdicts), verdicts)
        rows = (*criteria_rows(view, arranged(view, Order.DEAREST)), *note_rows(view))
        return head_lines(head_of(view, is_open=True, is_unread=False), 60), rows

    return draw


def measure() -> Iterator[Row]:
    """The rows of both."""
    for points, paths in ((12, 2), (40, 5), (POINTS, 20)):
        size = f"{CASES} answers, {points} points"
        yield row("what if: a key", size, "ms", sampled(key(tried(rubric(points, paths), CASES))), KEY_GOAL)
    yield row("a result scored and drawn", f"{POINTS} points", "ms", sampled(drawn(rubric(POINTS, 20))), DRAWN_GOAL)
