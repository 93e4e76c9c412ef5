"""The view of the what-if mode: each change, and what it does to this answer and to all labelled ones."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Bounds, point_label
from engine.scoring.sums import PointExtent, Sums, place
from engine.study.case import CaseState
from engine.study.criterion_counts import PairState, ranked
from engine.text.record import Record
from studio.session.hypothesis import Hypothesis


class WhatIfPoint(Record):
    """One point: `extent`, `weight` as they are, and as they would be. `loosened` says how its check is loosened.

    `can_loosen`: the answer nearly has what its check looks for. `path_number` counts the paths from 1.
    """

    place: int
    text: str
    is_criterion: bool
    inverted: bool
    path_number: int | None
    extent: float | None
    extent_then: float | None
    weight: float
    weight_then: float
    is_off: bool
    loosened: str
    can_loosen: bool

    @property
    def is_changed(self) -> bool:
        """Whether any change concerns it."""
        return self.is_off or bool(self.loosened) or self.weight != self.weight_then or self.extent != self.extent_then


class WhatIfPath(Record):
    """One path with its mean as it would be, None if no point is judged or all are off."""

    path_id: str
    number: int
    mean: float | None
    is_flat: bool
    is_best: bool


class WhatIfCase(Record):
    """A labelled answer: its possible scores and its state before and after."""

    name: str
    label: str
    wanted: str
    before: Bounds
    after: Bounds
    state_before: CaseState
    state_after: CaseState


class WhatIfView(Record):
    """The what-if mode of one result. `before` and `after` are the bounds of its score.

    `cases` are those of the case file. `pairs_before` and `pairs_after` count the good–bad pairs of `pairs` that are
    ranked rightly; the ideal is one of the good answers.
    """

    count: int
    before: Bounds
    after: Bounds
    points: tuple[WhatIfPoint, ...]
    paths: tuple[WhatIfPath, ...]
    cases: tuple[WhatIfCase, ...]
    pairs: int
    pairs_before: int
    pairs_after: int


def what_if_view(tried: Hypothesis) -> WhatIfView:
    """The view of the changes that are tried."""
    after = [tried.case(index) for index in range(len(tried.cases))]
    before = [tried.case(index, changed=False) for index in range(len(tried.cases))]
    every = [answer.case for answer in tried.cases]
    now = ranked(zip(tried.cases, (each.bounds for each in before), strict=True))
    then = ranked(zip(tried.cases, (each.bounds for each in after), strict=True))
    score = tried.score()
    return WhatIfView(
        tried.count,
        tried.score(changed=False).bounds,
        score.bounds,
        tuple(_points(tried)),
        tuple(_paths(tried, score.best_path_id)),
        tuple(
            WhatIfCase(
                case.name,
                "bad" if case.is_bad else "" if case.is_bad is None else "good",
                "" if case.score is None else str(case.score),
                one.bounds,
                other.bounds,
                one.state,
                other.state,
            )
            for case, one, other in zip(every, before, after, strict=True)
            if case.number
        ),
        len(now),
        sum(state is PairState.RIGHT for state in now),
        sum(state is PairState.RIGHT for state in then),
    )


def _numbers(tried: Hypothesis) -> dict[str, int]:
    """The number from 1 of each path."""
    ids = [each.path_id for each in place(tried.prompt) if each.path_id is not None]
    return {path_id: number for number, path_id in enumerate(dict.fromkeys(ids), 1)}


def _points(tried: Hypothesis) -> Iterator[WhatIfPoint]:
    extents, numbers = tried.extents, _numbers(tried)
    for at, assessment in enumerate(tried.assessments):
        point, path_id = assessment.point, assessment.placed.path_id
        loosened = tried.loosened.get(at)
        yield WhatIfPoint(
            at,
            " ".join(point.text.split()) if point.text is not None else point_label(point),
            point.text is not None,
            assessment.placed.inverted,
            None if path_id is None else numbers[path_id],
            assessment.extent,
            extents.get(at, assessment.extent),
            point.multiplier,
            tried.weight(at),
            at in tried.changes.off,
            "" if loosened is None else loosened.title,
            at in tried.misses,
        )


def _paths(tried: Hypothesis, best: str | None) -> Iterator[WhatIfPath]:
    extents = tried.extents
    for path_id, number in _numbers(tried).items():
        members = [
            PointExtent(extents.get(at, each.extent), tried.weight(at))
            for at, each in enumerate(tried.assessments)
            if each.placed.path_id == path_id and at not in tried.changes.off
        ]
        yield WhatIfPath(path_id, number, Sums.of(members).mean, path_id in tried.changes.flat, path_id == best)
