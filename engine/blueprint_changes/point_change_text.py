"""The changes of points in words, with their shares of the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.blueprint import Block
from engine.blueprint_changes.change import PointChange, PointChangeKind, PointSide
from engine.blueprint_changes.changed_text import INDENT, one_line, shortened
from engine.scoring.explanation_text import listed, path_label, point_label, weight_text
from engine.scoring.shares import percent
from engine.text import in_quotes


def point_lines(changes: Sequence[PointChange]) -> Iterator[str]:
    """All changes, in order; points of which only the share changed come last, those with the same shares together."""
    for change in changes:
        if change.kinds != (PointChangeKind.SHARE,):
            yield from _point(change)
    yield from _shares(changes)


def _point(change: PointChange) -> Iterator[str]:
    one, other = change.before, change.after
    if one is None or other is None:
        yield _one_sided(change)
        return
    what = listed(_kind_text(kind, one, other) for kind in change.kinds) + _effect_of_place(change.kinds, one, other)
    label, new_label = shortened(_label(one), _label(other))
    yield f"{what}: {label}{_share_text(one, other)}"
    if _label(one) != _label(other):
        yield f"{INDENT}now {new_label}"
    elif one.point.text != other.point.text:
        yield f"{INDENT}only white space differs, but verdicts on the old wording no longer count"


def _one_sided(change: PointChange) -> str:
    side = change.after or change.before
    assert side is not None
    word, were = ("added to", "") if change.before is None else ("removed from", "it was ")
    place = side.block if side.path is None else f"{side.block}, {path_label(side.path)}"
    share = percent(side.share) + (" of the score" if side.path is None else " of the score while its path counts")
    label, _ = shortened(_label(side), None)
    return f"{word} {place}: {label} ({were}{share})"


def _label(side: PointSide) -> str:
    text = side.point.text
    return point_label(side.point) if text is None else in_quotes(one_line(text))


def _share_text(one: PointSide, other: PointSide) -> str:
    before, after = percent(one.share), percent(other.share)
    return f" ({before} of the score)" if before == after else f" ({before} → {after} of the score)"


def _kind_text(kind: PointChangeKind, one: PointSide, other: PointSide) -> str:
    match kind:
        case PointChangeKind.MOVED_BLOCK:
            return f"moved to {other.block}" + ("" if other.path is None else f", {path_label(other.path)}")
        case PointChangeKind.MOVED_PATH:
            return _path_text(one, other)
        case PointChangeKind.WEIGHT:
            return f"weight {weight_text(one.point.multiplier)} → {weight_text(other.point.multiplier)}"
        case PointChangeKind.CHECK:
            return "check changed"
        case PointChangeKind.CITATION:
            return "citation changed"
        case PointChangeKind.SHARE:
            return "share changed"
        case PointChangeKind.REPLACED | PointChangeKind.REWORDED | PointChangeKind.ADDED | PointChangeKind.REMOVED:
            return kind.value


def _path_text(one: PointSide, other: PointSide) -> str:
    if other.path is None:
        return "moved off its path"
    return f"moved onto {path_label(other.path)}" if one.path is None else f"moved to {path_label(other.path)}"


def _effect_of_place(kinds: Sequence[PointChangeKind], one: PointSide, other: PointSide) -> str:
    """What a point's new place does to the score, in brackets; "" if it stays in its place."""
    if PointChangeKind.MOVED_BLOCK in kinds:
        return f" (it counts inverted {'now' if other.block is Block.SHOULD_NOT else 'no longer'})"
    if PointChangeKind.MOVED_PATH not in kinds:
        return ""
    if other.path is None:
        return " (it is required now)"
    return " (it counts only while that is the best path)" if one.path is None else " (beside other points than before)"


def _shares(points: Sequence[PointChange]) -> Iterator[str]:
    """The points of which only the share changed, those with the same shares on one line."""
    counts = Counter(
        (percent(each.before.share), percent(each.after.share))
        for each in points
        if each.kinds == (PointChangeKind.SHARE,) and each.before is not None and each.after is not None
    )
    for (before, after), count in counts.items():
        each = " each" if count > 1 else ""
        yield f"share of {count_text(count, 'unchanged ')}: {before} → {after} of the score{each}"


def count_text(count: int, kind: str = "") -> str:
    """`1 point`, `no points`, `3 unchanged points`."""
    return f"1 {kind}point" if count == 1 else f"{count or 'no'} {kind}points"
