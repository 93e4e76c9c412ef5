"""The text of scores, weights, points and paths. Every screen, command and report takes its figures from here.

There is one function for each kind of figure. Each figure is rounded by itself: equal points have equal figures, and
figures may add up to a tenth more or less than the printed total.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from engine.blueprint import ABSENT, Point
from engine.scoring.assessment import ChangedPart, OtherJudge, PlacedPoint
from engine.scoring.sums import to_fixed
from engine.text.spans import in_quotes, one_line

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
