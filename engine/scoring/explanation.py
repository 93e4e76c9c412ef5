"""A score with its arithmetic, as data and as text, and the share of the score that each part of a rubric is worth.

Every screen, command and report takes its figures from here: there is one function for each kind of figure. Each figure
is rounded by itself: equal points have equal figures, and figures may add up to a tenth more or less than the printed
total.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from engine.blueprint import ABSENT, Path, Point, Prompt
from engine.scoring.assessment import Assessment, Bounds, ChangedPart, OtherJudge, PlacedPoint
from engine.scoring.sums import combined, to_fixed
from engine.text.record import Record
from engine.text.spans import Span, in_quotes, one_line

_EXACT = 9
"""Decimals of a score of 100 that are more than noise of binary fractions: the same figure may come from two sums."""
_APPROACHES = ("standard", "prompt-aware", "holistic")
"""The ids of judges that a blueprint gives none."""
_CHANGED = {
    ChangedPart.CRITERIA: "other criteria",
    ChangedPart.DESCRIPTION: "another description",
    ChangedPart.TRANSCRIPT: "another conversation",
    ChangedPart.UNKNOWN: "another question",
}


def points_text(score: float | None) -> str:
    """A score, cost or gain (0–1) on the scale of 0–100 with one decimal: `45.8`; `–` where there is none."""
    return "–" if score is None else to_fixed(round(score * 100, _EXACT), 1)


def tenths(score: float) -> int:
    """A score or a difference (−1 to 1) in tenths of a point of 100, as it is printed."""
    return int(points_text(score).replace(".", ""))


def number_text(score: float) -> str:
    """As `points_text`, with a decimal only where there is one: `85`, `87.5`."""
    return points_text(score).removesuffix(".0")


def bounds_text(low: float, high: float) -> str:
    """Bounds of 0–1 on the scale of 0–100: `20–100`, `33.3–66.7`, or one number, `45.8`, if both print alike."""
    one = points_text(low)
    return one if one == points_text(high) else range_text(number_text(low), number_text(high))


def between_text(low: float, high: float) -> str:
    """Bounds of 0–1 in words: `between 33 and 67`, or one number if both print alike."""
    text = bounds_text(low, high)
    return f"between {text.replace('–', ' and ')}" if "–" in text else text


def range_text(low: object, high: object) -> str:
    """`20–100`, or `20` if both are the same."""
    return f"{low}" if low == high else f"{low}–{high}"


def signed_text(difference: float) -> str:
    """A difference of scores (−1 to 1) with its sign: `+4.2`, `−0.3`, `0.0`."""
    number = tenths(difference)
    return f"{'+' if number > 0 else '−' if number < 0 else ''}{points_text(abs(difference))}"


def stored_text(score: float) -> str:
    """A score of 0–1 as Weval stores it, with two decimals: `0.38`."""
    return to_fixed(score, 2)


def whole(score: float) -> int:
    """A score or extent (0–1) from 0 to 100, rounded as Weval stores it."""
    return round(float(stored_text(score)) * 100)


def whole_text(score: float | None) -> str:
    """`whole` as text; `–` where there is no score."""
    return "–" if score is None else f"{whole(score)}"


def extent_text(extent: float) -> str:
    """A score of 0–1 with two decimals, or up to four if two would hide digits: `0.75`, `0.3333`."""
    four = to_fixed(extent, 4)
    return four[:-2] if four.endswith("00") else four.removesuffix("0")


def weight_text(weight: float) -> str:
    """A weight with up to six digits: `3`, `0.5`."""
    return f"{weight:.6g}"


def path_label(number: int) -> str:
    """A path by its number among the paths of both blocks, from 1: `path 2`. Its `pathId` is for JSON only."""
    return f"path {number}"


def point_label(point: Point, longest: int | None = None) -> str:
    """The point as an author wrote it, on one line: its text in quotes, or `$name: argument`; cut to `longest`."""
    if point.function is None:
        return in_quotes(one_line(point.text or "", longest))
    if point.function.args is ABSENT:
        return one_line(f"${point.function.name}", longest)
    args = point.function.args
    written = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False, default=str)
    return one_line(f"${point.function.name}: {written}", longest)


def severity_text(placed: PlacedPoint, severity: float) -> str:
    """`an answer that does this can still get 92`, of a `severity` of 0–1."""
    verb = "does" if placed.inverted else "misses"
    return f"an answer that {verb} this can still get {number_text(severity)}"


def judge_name(label: str) -> str:
    """A judge by the id that a blueprint gives it, or by its model: `gpt-4o-mini`. `label` is its `judgeModelId`."""
    id, _, model = label.partition("(")
    return model.removesuffix(")").partition(":")[2].rpartition("/")[2] or id if id in _APPROACHES else id


def listed(names: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def others_text(others: Iterable[OtherJudge], choices: Mapping[str, str]) -> str:
    """`Not counted: 3 verdicts of own:a (holistic), who is not on the panel`; "" for none, else one sentence.

    `choices` says what counts the verdicts of another choice of judges.
    """
    found: dict[tuple[str, str, str], int] = {}
    for each in others:
        key = each.model, each.approach, each.judges_as
        found[key] = found.get(key, 0) + each.criteria
    if not found:
        return ""
    named = [
        f"{count} of {model} ({approach}{f'; {choices[choice]} counts them' if choice in choices else ''})"
        for (model, approach, choice), count in found.items()
    ]
    return f"Stored verdicts of judges that are not on the panel do not count: {listed(named)}."


def carried_text(count: int) -> str:
    """`3 verdicts before this edit`."""
    return f"{count} {'verdict' if count == 1 else 'verdicts'} before this edit"


def changed_text(parts: Iterable[ChangedPart]) -> str:
    """What a judge saw instead of the present text: `other criteria and another description`."""
    return listed(_CHANGED[part] for part in parts)


def inversion_text(placed: PlacedPoint, extent: float) -> str:
    """What follows the verdict on an inverted point: `, so it counts 25 here`; "" for other points.

    `extent` is 0–1 after inversion.
    """
    return f", so it counts {whole(extent)} here" if placed.inverted else ""


class PointScore(Record, gc=False):
    """One point in its group.

    `weight_share` is its part of the group's assessed weight (0–1; 0 if not assessed). `cost` is what it takes from the
    score (0–1): the costs of all points and the score add up to 1. `gain` is by how much the score would rise if this
    point alone were fully met; gains need not add up. While other points are open, the costs are those of the highest
    score that is possible, the gain that of the lowest (`Explanation.settled`); both are None without an extent. `met`
    is `settled` with the point fully met. `severity` is the score with this point at 0 and all
    others at 1, whatever is assessed: None if no point counts, or a YAML error hides points. `same_as` names the other
    points with the same text, to which the same verdicts belong, by their numbers in the order of the groups from 1.
    """

    assessment: Assessment
    weight_share: float
    cost: float | None
    gain: float | None
    met: Bounds
    severity: float | None = None
    same_as: str = ""


class GroupScore(Record, gc=False):
    """The required points (`path_id` None) or one alternative path, with its weighted mean over assessed points.

    `score` is None if none of its points is assessed: it is then left out. `cost` is that of its points together, 0
    for a path that is not the best. `gain` is by how much the score would rise if all of the group were met, `met` the
    score in that case, as for a point. It has neither cost nor gain while a point of it is open.
    """

    path_id: str | None
    span: Span | None
    points: tuple[PointScore, ...]
    score: float | None
    bounds: Bounds
    cost: float | None
    gain: float | None
    met: Bounds


class StepKind(StrEnum):
    """The steps of the documented algorithm (002, "Understanding the Aggregation Formula"), in order."""

    REQUIRED_MEAN = "required-mean"
    PATH_MEAN = "path-mean"
    BEST_PATH = "best-path"
    COMBINED = "combined"
    STORED = "stored"


class Step(Record, gc=False):
    """One line of the arithmetic: a label, the formula, and the result (0–1)."""

    kind: StepKind
    label: str
    working: str
    result: float

    @property
    def figure(self) -> str:
        """The result as printed: as Weval stores it in the last step, else on the scale of 0–100."""
        return stored_text(self.result) if self.kind is StepKind.STORED else points_text(self.result)


class WevalScore(Record):
    """The score that Weval would store (two decimals; None if nothing is scored), and why it differs from ours."""

    stored: float | None
    unrounded: float | None
    reasons: tuple[str, ...] = ()


class Advice(Record, gc=False):
    """One way to raise a score: `gain` is what it adds (0–1), `after` the score with it.

    While points are open, `gain` is what it adds for sure, to the lowest score that is possible.
    """

    text: str
    gain: float
    after: Bounds
    span: Span | None = None


class IdealScore(Record):
    """The score of the prompt's ideal on the same rubric, with all grades and verdicts on it.

    `bounds` (0–1) are its lowest and highest possible score; `judged` counts its assessed points. `figure` is the score
    as text, `20–100`, and `details` a remark on it, or "".
    """

    bounds: Bounds
    judged: int
    figure: str
    details: str = ""


class PublishedScore(Record):
    """The published score of the answer that is scored.

    `score` is 0–1, None if none was published. `reasons` explain in sentences where it came from, `since` what counts
    differently now; `gone` are the verdicts on points that no longer exist.
    """

    score: float | None
    reasons: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    gone: tuple[Assessment, ...] = ()


class Explanation(Record):
    """Why a prompt's score is what it is. All scores are 0–1 and unrounded.

    `bounds` are those that missing verdicts leave, `settled` those that open points alone leave: the score once none
    is open, whatever judges failed.

    `score` is None if no point is assessed. `best_path_id` names the path that counts. `advice` is ranked by gain.
    `against_ideal` says whether the ideal's score, if it was given, is evidence against the rubric or the answer.
    `published` is the published score of the same answer, if there is one. `is_partial`: a YAML error hides points of
    the prompt, so the bounds of the score and of each group are 0 and 1, whatever is assessed. `others` have stored
    verdicts that do not count. `as_weval`: verdicts count of the judges that Weval has today.
    """

    score: float | None
    bounds: Bounds
    settled: Bounds
    required: GroupScore | None
    paths: tuple[GroupScore, ...]
    best_path_id: str | None
    steps: tuple[Step, ...]
    weval: WevalScore
    notes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    against_ideal: str | None = None
    published: PublishedScore | None = None
    is_partial: bool = False
    others: tuple[OtherJudge, ...] = ()
    as_weval: bool = False

    def groups(self) -> tuple[GroupScore, ...]:
        """The required group, if there is one, then the paths."""
        return (*(() if self.required is None else (self.required,)), *self.paths)

    @property
    def assessments(self) -> tuple[Assessment, ...]:
        """The assessments of all points, in the order of the groups."""
        return tuple(point.assessment for group in self.groups() for point in group.points)

    @property
    def is_open(self) -> bool:
        """Whether verdicts are still to come, or points cannot be read: then there is no score yet."""
        return self.is_partial or any(each.open for each in self.assessments)

    @property
    def carried_over(self) -> int:
        """How many verdicts in the score are carried over: the text has changed since they were given."""
        return sum(bool(each.carried_over) for each in self.assessments)


class Shares(Record):
    """The shares of one prompt's score, 0–1: `required` of all required points, `paths` of the best path.

    Both blocks count as one (002, "The Algorithm"): `points` are the required points of `should` and of `should_not`,
    `alternatives` the paths of both. The two shares add up to 1, except in a prompt without points.
    """

    points: tuple[Point, ...]
    alternatives: tuple[Path, ...]
    required: float
    paths: float
    weight: float
    """The sum of the weights of `points`."""
    spans: frozenset[Span]
    """The spans of `points`."""

    def is_required(self, point: Point) -> bool:
        """Whether `point`, one of the prompt, is among `points`."""
        return point.span in self.spans

    def of(self, point: Point) -> float:
        """The share of one required point, by its weight."""
        return self.of_all((point,))

    def of_all(self, points: Sequence[Point]) -> float:
        """The share of some of the required points together."""
        total = self.weight
        return self.required * sum(point.multiplier for point in points) / total if total else 0.0


_newest: list[tuple[Prompt, Shares]] = []
"""The prompt that was asked about last: rules ask for the shares of the same prompt at each of its points."""


def shares_of(prompt: Prompt) -> Shares:
    """The shares of the required points and the paths of `prompt`."""
    for known, shares in _newest:
        if known is prompt:
            return shares
    shares = _shares(prompt)
    _newest[:] = [(prompt, shares)]
    return shares


def _shares(prompt: Prompt) -> Shares:
    points = tuple(point for rubric in prompt.rubrics for point in rubric.required)
    paths = tuple(path for rubric in prompt.rubrics for path in rubric.paths)
    return Shares(
        points,
        paths,
        combined(1.0 if points else None, 0.0 if paths else None) or 0.0,
        combined(0.0 if points else None, 1.0 if paths else None) or 0.0,
        sum(point.multiplier for point in points),
        frozenset([point.span for point in points]),
    )


def points_of_100(prompt: Prompt, point: Point) -> str | None:
    """What a required point is worth, in points of 100: `12.5`; None if the point is not required."""
    shares = shares_of(prompt)
    return number_text(shares.of(point)) if shares.is_required(point) else None


def percent(share: float) -> str:
    """A share of 0–1 as a percentage with at most one decimal: `50%`, `12.5%`."""
    return f"{number_text(share)}%"


def each_worth(points: Sequence[Point], shares: Shares) -> str:
    """The share of each of `points`, all of them required: `25% each`, or `10% to 30% each`."""
    worth = sorted(shares.of(point) for point in points)
    least, most = percent(worth[0]), percent(worth[-1])
    return f"{least} each" if least == most else f"{least} to {most} each"
