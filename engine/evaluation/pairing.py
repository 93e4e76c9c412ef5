"""Which prompt, and which point, of the old version is which of the new one.

What is equal is paired, by one key after the other, then what is alike; every step treats both versions alike, so the
pairs are the same, turned round, when they change places.

Points are paired step by step, each step among those that are left: the same content in the same group (required, or on
paths that belong together), in the same block, in the other block; then the most similar ones, first in the same block
and then in the other.

Prompts: the same written id (and, where several prompts share one, the same messages first); the same id that Weval
makes of the whole prompt; the same messages, system prompt and rubric; the same messages; then those whose messages and
points are most alike, if they are more like each other than like any other prompt of their versions. So one prompt that
takes the place of another is told from a prompt that was changed, in files with a template too.

How alike two texts are is told by the groups of three characters that they share: in every language, and in linear
time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import product

from engine.blueprint import ABSENT, Absent, Block, FunctionCall, Path, Point, Prompt
from engine.functions import point_text
from engine.scoring import sums
from engine.scoring.assessment import PlacedPoint
from engine.text.spans import ascending, one_line
from engine.yaml.nodes import json_text

_SIZE = 3
_MOST_CHARACTERS = 8000
"""Longer texts are compared by their beginnings."""

Trigrams = frozenset[str]


def trigrams(text: str) -> Trigrams:
    """The groups of three characters of `text`, without regard to case and amount of white space."""
    line = f" {one_line(text[:_MOST_CHARACTERS].casefold())} "
    return frozenset(line[at : at + _SIZE] for at in range(max(len(line) - _SIZE + 1, 1)))


def likeness(one: Trigrams, other: Trigrams, least: float = 0.0) -> float:
    """The Dice coefficient, 0–1: twice the shared groups by the sum of both; the same in both directions.

    0 where their sizes alone keep it from being `least`.
    """
    size = len(one) + len(other)
    return 2 * len(one & other) / size if 2 * min(len(one), len(other)) >= least * size else 0.0


def closest_pairs(
    old: Sequence[tuple[int, Trigrams]], new: Sequence[tuple[int, Trigrams]], least: float
) -> list[tuple[int, int]]:
    """Pairs of an old and a new number whose texts are alike by at least `least`, each number in one pair at most.

    The best pairs come first; of pairs that are equally alike, those whose numbers are closer. So the pairs are the
    same, turned round, when old and new change places.
    """
    found: list[tuple[float, int, int, int, int]] = []
    for number, one in old:
        for new_number, other in new:
            value = likeness(one, other, least)
            if value >= least:
                found.append((-value, abs(number - new_number), number + new_number, number, new_number))
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    new_taken: set[int] = set()
    for *_, number, new_number in sorted(found):
        if number not in taken and new_number not in new_taken:
            pairs.append((number, new_number))
            taken.add(number)
            new_taken.add(new_number)
    return pairs


# --- Pairs


class Pairing:
    """Pairs of places in an old list of the length `size` and a new one of the length `new_size`."""

    def __init__(self, size: int, new_size: int) -> None:
        self.size = size
        self.new_size = new_size
        self._new_of: dict[int, int] = {}
        self._old_of: dict[int, int] = {}

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add `pairs`, of which no place is paired yet."""
        for old, new in pairs:
            self._new_of[old] = new
            self._old_of[new] = old

    def old_of(self, new: int) -> int | None:
        """The old place of a new one."""
        return self._old_of.get(new)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs, by their old places."""
        return sorted(self._new_of.items())

    @property
    def old_left(self) -> list[int]:
        """The old places that are in no pair."""
        return [place for place in range(self.size) if place not in self._new_of]

    @property
    def new_left(self) -> list[int]:
        """The new places that are in no pair."""
        return [place for place in range(self.new_size) if place not in self._old_of]

    def pair_equal(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        """Pair the places that are left and have the same key, in order. A key of None is equal to nothing."""
        waiting: dict[Hashable, list[int]] = {}
        for place in reversed(self.new_left):
            waiting.setdefault(new[place], []).append(place)
        for place in self.old_left:
            places = waiting.get(old[place]) if old[place] is not None else None
            if places:
                self.add([(place, places.pop())])

    def pair_alike(self, old: Sequence[Trigrams], new: Sequence[Trigrams], least: float) -> None:
        """Pair the places that are left and whose texts are alike."""
        left, new_left = ([(at, old[at]) for at in self.old_left], [(at, new[at]) for at in self.new_left])
        self.add(closest_pairs(left, new_left, least))


# --- Points


ALIKE = 0.5
"""How alike two texts, or two prompts, must be, 0–1, to be taken for one that was changed."""

Group = tuple[Block, int | None]
"""The required points of a block, or one path: its number among the pairs of paths, negative without a partner."""


def content(point: Point) -> Hashable:
    """What a point asks for: the criterion as a judge sees it, or the check and its argument."""
    return point.text if point.function is None else _call(point.function)


def _call(call: FunctionCall) -> tuple[str, str | Absent]:
    return call.name, ABSENT if isinstance(call.args, Absent) else json_text(call.args)


def words(point: Point) -> Hashable:
    """The content, without regard to white space in a criterion."""
    return one_line(point.text or "") if point.function is None else _call(point.function)


def match_points(old: Sequence[PlacedPoint], new: Sequence[PlacedPoint]) -> tuple[Pairing, list[Group], list[Group]]:
    """The pairs of points, by their places in `old` and `new`, and the group of each."""
    pairing = Pairing(len(old), len(new))
    groups, new_groups = _groups(old, new)
    keys, new_keys = ([words(placed.point) for placed in points] for points in (old, new))
    blocks, new_blocks = ([placed.rubric.block for placed in points] for points in (old, new))
    pairing.pair_equal([*zip(groups, keys, strict=True)], [*zip(new_groups, new_keys, strict=True)])
    pairing.pair_equal([*zip(blocks, keys, strict=True)], [*zip(new_blocks, new_keys, strict=True)])
    pairing.pair_equal(keys, new_keys)
    for blocks in (Block, (None,)):
        for block, is_check in product(blocks, (False, True)):
            one, other = _texts(old, pairing.old_left, block, is_check), _texts(new, pairing.new_left, block, is_check)
            pairing.add(closest_pairs(one, other, ALIKE))
    return pairing, groups, new_groups


def _texts(
    points: Sequence[PlacedPoint], places: Sequence[int], block: Block | None, is_check: bool
) -> list[tuple[int, Trigrams]]:
    """The texts of the points of one kind at `places`, in one block or (None) in both."""
    return [
        (at, trigrams(_compared_text(points[at].point)))
        for at in places
        if block in (None, points[at].rubric.block) and (points[at].point.function is not None) is is_check
    ]


def _compared_text(point: Point) -> str:
    """The criterion, or the check: its name counts beside its argument."""
    if point.function is None:
        return point.text or ""
    args = point.function.args
    return f"{point.function.name} {'' if isinstance(args, Absent) else json_text(args)}"


# --- Paths


def _groups(old: Sequence[PlacedPoint], new: Sequence[PlacedPoint]) -> tuple[list[Group], list[Group]]:
    """The group of each point. The paths of each block are paired first: by what they hold, then by likeness."""
    numbers: dict[str | None, int | None] = {None: None}
    new_numbers = dict(numbers)
    for block in Block:
        paths, new_paths = _paths(old, block), _paths(new, block)
        pairing = _matched_paths([*paths.values()], [*new_paths.values()])
        paired = {one for one, _ in pairing.pairs}
        for at, name in enumerate(paths):
            numbers[name] = at if at in paired else -1 - at
        for at, name in enumerate(new_paths):
            partner = pairing.old_of(at)
            new_numbers[name] = -1 - len(paths) - at if partner is None else partner
    return (
        [(placed.rubric.block, numbers[placed.path_id]) for placed in old],
        [(placed.rubric.block, new_numbers[placed.path_id]) for placed in new],
    )


def _paths(points: Sequence[PlacedPoint], block: Block) -> dict[str, list[Point]]:
    paths: dict[str, list[Point]] = {}
    for placed in points:
        if placed.rubric.block is block and placed.path_id is not None:
            paths.setdefault(placed.path_id, []).append(placed.point)
    return paths


def _matched_paths(old: Sequence[Sequence[Point]], new: Sequence[Sequence[Point]]) -> Pairing:
    pairing = Pairing(len(old), len(new))
    held, new_held = ([[*map(words, path)] for path in paths] for paths in (old, new))
    pairing.pair_equal([*map(tuple, held)], [*map(tuple, new_held)])
    sets, new_sets = ([frozenset(map(repr, path)) for path in both] for both in (held, new_held))
    pairing.pair_alike(sets, new_sets, 2 / 3)
    texts, new_texts = ([trigrams("\n".join(map(_compared_text, path))) for path in paths] for paths in (old, new))
    pairing.pair_alike(texts, new_texts, ALIKE)
    if len(pairing.old_left) == len(pairing.new_left):
        pairing.add(zip(pairing.old_left, pairing.new_left, strict=True))
    return pairing


def path_numbers(prompt: Prompt) -> dict[str, int]:
    """The number of each path among the paths of both blocks, from 1, by its id."""
    ids = [rubric.path_id(entry) for rubric in prompt.rubrics for entry in rubric.entries if isinstance(entry, Path)]
    return {path_id: number for number, path_id in enumerate(ids, 1)}


# --- Prompts


def match_prompts(old: Sequence[Prompt], new: Sequence[Prompt]) -> Pairing:
    """The pairs of prompts, by their places in `old` and `new`."""
    pairing = Pairing(len(old), len(new))
    for key in _KEYS:
        pairing.pair_equal(list(map(key, old)), list(map(key, new)))
    pairing.add(_alike(old, new, pairing))
    return pairing


def _alike(old: Sequence[Prompt], new: Sequence[Prompt], pairing: Pairing) -> list[tuple[int, int]]:
    left, new_left = pairing.old_left, pairing.new_left
    if not left or not new_left:
        return []
    texts, new_texts = ([trigrams(_prompt_text(each)) for each in prompts] for prompts in (old, new))
    found = closest_pairs([(at, texts[at]) for at in left], [(at, new_texts[at]) for at in new_left], ALIKE)
    return [
        (one, other)
        for one, other in found
        if likeness(texts[one], new_texts[other]) > max(_closest(one, texts), _closest(other, new_texts))
    ]


def _closest(at: int, texts: Sequence[Trigrams]) -> float:
    """The likeness of a prompt to the most similar other prompt of its version."""
    return max((likeness(texts[at], each) for place, each in enumerate(texts) if place != at), default=0.0)


def moved_pairs(pairing: Pairing) -> frozenset[tuple[int, int]]:
    """The fewest pairs that stand elsewhere among all pairs: all others are in the same order in both versions."""
    return frozenset(pairing.pairs) - frozenset(ascending(pairing.pairs))


def messages_of(prompt: Prompt) -> tuple[tuple[str, str | None], ...]:
    """What the prompt asks: the role and the content of each message."""
    return tuple((message.role.value, message.content) for message in prompt.messages)


def rubric_of(prompt: Prompt) -> Hashable:
    """The content, weight, citation and place of each point."""
    return tuple(
        (placed.rubric.block, placed.path_id, content(placed.point), placed.point.multiplier, placed.point.citation)
        for placed in sums.place(prompt)
    )


def _whole(prompt: Prompt) -> Hashable:
    system = ("absent",) if isinstance(prompt.system, Absent) else prompt.system
    return (messages_of(prompt), system, rubric_of(prompt)) if prompt.messages else None


_KEYS: tuple[Callable[[Prompt], Hashable], ...] = (
    lambda prompt: (prompt.id, messages_of(prompt)) if prompt.id_written else None,
    lambda prompt: prompt.id if prompt.id_written else None,
    lambda prompt: None if prompt.id_written else prompt.id,
    _whole,
    lambda prompt: messages_of(prompt) or None,
)
"""What two prompts are paired by, in turn; None is equal to nothing."""


def _prompt_text(prompt: Prompt) -> str:
    return "\n".join([*(message.content or "" for message in prompt.messages), *map(point_text, prompt.points())])
