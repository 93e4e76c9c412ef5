"""Which point of the old rubric is which of the new one.

Points are paired step by step, each step among those that are left: the same content in the same group (required, or on
paths that belong together), in the same block, in the other block; then the most similar ones, first in the same block
and then in the other; then, in each group, those that stand between the same neighbours.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from engine.blueprint import ABSENT, Absent, Block, FunctionCall, Path, Point, Prompt
from engine.blueprint_changes.pairing import Pairing
from engine.blueprint_changes.text_likeness import Trigrams, trigrams
from engine.functions.call_description import as_json
from engine.scoring.assessment import PlacedPoint

ALIKE = 0.5
"""How alike two texts must be, 0–1, to be taken for one that was reworded."""

Group = tuple[Block, int | None]
"""The required points of a block, or one path: its number among the pairs of paths, negative without a partner."""


def content(point: Point) -> Hashable:
    """What a point asks for: the criterion as a judge sees it, or the check and its argument."""
    return point.text if point.function is None else _call(point.function)


def _call(call: FunctionCall) -> tuple[str, str | Absent]:
    return call.name, ABSENT if isinstance(call.args, Absent) else as_json(call.args)


def words(point: Point) -> Hashable:
    """The content, without regard to white space in a criterion."""
    return " ".join((point.text or "").split()) if point.function is None else _call(point.function)


def match_points(old: Sequence[PlacedPoint], new: Sequence[PlacedPoint]) -> tuple[Pairing, list[Group], list[Group]]:
    """The pairs of points, by their places in `old` and `new`, and the group of each."""
    pairing = Pairing(len(old), len(new))
    groups, new_groups = _groups(old, new)
    keys = [words(placed.point) for placed in old]
    new_keys = [words(placed.point) for placed in new]
    blocks = [placed.rubric.block for placed in old]
    new_blocks = [placed.rubric.block for placed in new]
    pairing.pair_equal(_joined(groups, keys), _joined(new_groups, new_keys))
    pairing.pair_equal(_joined(blocks, keys), _joined(new_blocks, new_keys))
    pairing.pair_equal(keys, new_keys)
    texts = _texts(old, pairing.old_left)
    new_texts = _texts(new, pairing.new_left)
    for by_function in (False, True):
        for block, new_block in ((Block.SHOULD, Block.SHOULD), (Block.SHOULD_NOT, Block.SHOULD_NOT),
                                 (Block.SHOULD, Block.SHOULD_NOT), (Block.SHOULD_NOT, Block.SHOULD)):  # fmt: skip
            pairing.pair_alike(
                _only(texts, old, block, by_function=by_function),
                _only(new_texts, new, new_block, by_function=by_function),
                ALIKE,
            )
    pairing.pair_by_place(groups, new_groups)
    return pairing, groups, new_groups


def _joined(groups: Sequence[Hashable], keys: Sequence[Hashable]) -> list[Hashable]:
    return list(zip(groups, keys, strict=True))


def _texts(points: Sequence[PlacedPoint], places: Sequence[int]) -> dict[int, Trigrams]:
    return {place: trigrams(_compared_text(points[place].point)) for place in places}


def _compared_text(point: Point) -> str:
    """The criterion, or the check: its name counts beside its argument."""
    if point.function is None:
        return point.text or ""
    args = point.function.args
    return f"{point.function.name} {'' if isinstance(args, Absent) else as_json(args)}"


def _only(
    texts: dict[int, Trigrams], points: Sequence[PlacedPoint], block: Block, *, by_function: bool
) -> list[Trigrams | None]:
    return [
        texts.get(place)
        if placed.rubric.block is block and (placed.point.function is not None) is by_function
        else None
        for place, placed in enumerate(points)
    ]


# --- Paths


def _groups(old: Sequence[PlacedPoint], new: Sequence[PlacedPoint]) -> tuple[list[Group], list[Group]]:
    """The group of each point. The paths of each block are paired first: by what they hold, then by likeness."""
    numbers: dict[tuple[Block, str], int] = {}
    new_numbers: dict[tuple[Block, str], int] = {}
    count = 0
    for block in Block:
        paths, new_paths = _paths(old, block), _paths(new, block)
        pairing = _matched_paths(list(paths.values()), list(new_paths.values()))
        names, new_names = list(paths), list(new_paths)
        for place, new_place in pairing.pairs:
            numbers[block, names[place]] = new_numbers[block, new_names[new_place]] = count
            count += 1
        numbers |= {(block, names[place]): -1 - place for place in pairing.old_left}
        new_numbers |= {(block, new_names[place]): -1 - len(names) - place for place in pairing.new_left}
    return _grouped(old, numbers), _grouped(new, new_numbers)


def _grouped(points: Sequence[PlacedPoint], numbers: dict[tuple[Block, str], int]) -> list[Group]:
    return [
        (placed.rubric.block, None if placed.path_id is None else numbers[placed.rubric.block, placed.path_id])
        for placed in points
    ]


def _paths(points: Sequence[PlacedPoint], block: Block) -> dict[str, list[Point]]:
    paths: dict[str, list[Point]] = {}
    for placed in points:
        if placed.rubric.block is block and placed.path_id is not None:
            paths.setdefault(placed.path_id, []).append(placed.point)
    return paths


def _matched_paths(old: Sequence[Sequence[Point]], new: Sequence[Sequence[Point]]) -> Pairing:
    pairing = Pairing(len(old), len(new))
    pairing.pair_equal([tuple(map(words, path)) for path in old], [tuple(map(words, path)) for path in new])
    pairing.pair_alike([_held(path) for path in old], [_held(path) for path in new], 2 / 3)
    pairing.pair_alike([_text_of(path) for path in old], [_text_of(path) for path in new], ALIKE)
    pairing.pair_by_place([None] * len(old), [None] * len(new))
    return pairing


def _held(path: Sequence[Point]) -> frozenset[str]:
    return frozenset(repr(words(point)) for point in path)


def _text_of(path: Sequence[Point]) -> Trigrams:
    return trigrams("\n".join(map(_compared_text, path)))


def path_numbers(prompt: Prompt) -> dict[str, int]:
    """The number of each path among the paths of both blocks, from 1, by its id."""
    ids = [rubric.path_id(entry) for rubric in prompt.rubrics for entry in rubric.entries if isinstance(entry, Path)]
    return {path_id: number for number, path_id in enumerate(ids, 1)}
