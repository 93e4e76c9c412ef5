"""Matching a published result with today's blueprint: which point is which, and what has changed since.

A prompt is found by its id, else by its user messages: generated ids change with every edit of the rubric. A point is
found by its text, or by its function and argument.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from engine import functions
from engine.blueprint import Blueprint, FunctionCall, Point, Prompt, Role
from engine.evaluation.prompt_keys import unique_keys
from engine.evaluation.results import StoredResult
from engine.record import Record
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation_text import weight_text
from engine.scoring.placement import place


class Match(Record):
    """One point then and now, by its places in `points()` of the stored prompt and of today's.

    `then` is None for a new point, `now` for one that is no longer in the blueprint. `changes` lists what else has
    changed: `weight 2 now, 1 then`.
    """

    then: int | None
    now: int | None
    changes: tuple[str, ...] = ()


class Matching(Record):
    """Every point of a stored result and of today's prompt, in today's order; removed points come last.

    `reordered`: the points that were there then are in another order among themselves.
    """

    prompt: Prompt
    matches: tuple[Match, ...]
    reordered: bool = False

    @property
    def gone(self) -> tuple[int, ...]:
        """The places of the stored points that are no longer in the blueprint."""
        return tuple(each.then for each in self.matches if each.now is None and each.then is not None)

    @property
    def new(self) -> tuple[int, ...]:
        """The places of today's new points."""
        return tuple(each.now for each in self.matches if each.then is None and each.now is not None)


def prompt_today(result: StoredResult, blueprint: Blueprint) -> Prompt | None:
    """The prompt of `blueprint` to which `result` belongs, None where it no longer exists."""
    keys = unique_keys(blueprint.prompts)
    for prompt in blueprint.prompts:
        if keys[prompt.index] == result.bare_prompt.id:
            return prompt
    messages = _user_messages(result.bare_prompt)
    same = [prompt for prompt in blueprint.prompts if messages and _user_messages(prompt) == messages]
    return same[0] if len(same) == 1 else None


def result_of(prompt: Prompt, results: Sequence[StoredResult]) -> StoredResult | None:
    """The result of `prompt` among `results`, all of one model; None where there is none."""
    for result in results:
        if result.bare_prompt.id == prompt.id:
            return result
    messages = _user_messages(prompt)
    same = [result for result in results if messages and _user_messages(result.bare_prompt) == messages]
    return same[0] if len(same) == 1 else None


def asks_the_same(one: Prompt, other: Prompt) -> bool:
    """Whether two prompts have the same user messages, white space aside, and any at all."""
    return _user_messages(one) == _user_messages(other) != ()


def _user_messages(prompt: Prompt) -> tuple[str, ...]:
    """The user messages of a prompt, with white space normalised."""
    return tuple(_words(each.content) for each in prompt.messages if each.role is Role.USER and each.content)


def matched(result: StoredResult, prompt: Prompt) -> Matching:
    """Match the points of `result` with those of `prompt`: first the exact matches, then looser ones."""
    then, now = place(result.prompt), place(prompt)
    found: dict[int, int] = {}
    for key in (_same_place, _same_block, _same_words):
        _pair(found, then, now, key)
    before = {here: there for there, here in found.items()}
    matches = [
        Match(before.get(here), here, _changes(then[before[here]], point, then, now) if here in before else ())
        for here, point in enumerate(now)
    ]
    matches += [Match(there, None) for there in range(len(then)) if there not in found]
    return Matching(prompt, tuple(matches), _reordered(found, then))


def _pair(
    found: dict[int, int],
    then: Sequence[PlacedPoint],
    now: Sequence[PlacedPoint],
    key: Callable[[PlacedPoint], Hashable],
) -> None:
    """Pair the points that are not paired yet and have the same `key`, in order."""
    taken = set(found.values())
    waiting: dict[Hashable, list[int]] = {}
    for here, point in enumerate(now):
        if here not in taken:
            waiting.setdefault(key(point), []).append(here)
    for there, point in enumerate(then):
        places = waiting.get(key(point)) if there not in found else None
        if places:
            found[there] = places.pop(0)


def _same_place(placed: PlacedPoint) -> Hashable:
    return placed.rubric.block, _path(placed), placed.point.multiplier, _criterion(placed.point)


def _same_block(placed: PlacedPoint) -> Hashable:
    return placed.rubric.block, _criterion(placed.point)


def _same_words(placed: PlacedPoint) -> Hashable:
    return _criterion(placed.point)


def _criterion(point: Point) -> str:
    """The text of a point with white space normalised, or its function (by its main name) and argument."""
    if point.function is None:
        return _words(point.text or "")
    known = functions.find(point.function.name)
    name = point.function.name if known is None else known.names[0]
    return functions.describe(FunctionCall(name, point.function.args))


def _words(text: str) -> str:
    return " ".join(text.split())


def _path(placed: PlacedPoint) -> str | None:
    """Weval's id of the path, without the prefix of `should_not`."""
    return None if placed.path_id is None else placed.path_id.removeprefix("not_")


def _changes(
    was: PlacedPoint, is_now: PlacedPoint, then: Sequence[PlacedPoint], now: Sequence[PlacedPoint]
) -> tuple[str, ...]:
    """The changes in how a point counts. The number of its path is none: it moves with every earlier entry."""
    changes: list[str] = []
    if was.rubric.block is not is_now.rubric.block:
        changes.append(f"in {is_now.rubric.block} now, in {was.rubric.block} then")
    if (was.path_id is None) != (is_now.path_id is None):
        changes.append(f"{_where(is_now)} now, {_where(was)} then")
    elif _beside(was, then) != _beside(is_now, now) and was.path_id is not None:
        changes.append("its path holds other points now")
    if abs(was.point.multiplier - is_now.point.multiplier) > 1e-9:
        changes.append(f"weight {weight_text(is_now.point.multiplier)} now, {weight_text(was.point.multiplier)} then")
    return tuple(changes)


def _where(placed: PlacedPoint) -> str:
    return "required" if placed.path_id is None else "on a path"


def _beside(placed: PlacedPoint, points: Sequence[PlacedPoint]) -> frozenset[str]:
    """The criteria of the path that a point is on."""
    return frozenset(
        _criterion(each.point)
        for each in points
        if each.rubric.block is placed.rubric.block and each.path_id == placed.path_id
    )


def _reordered(found: dict[int, int], then: Sequence[PlacedPoint]) -> bool:
    """Whether any two points that are still there have changed places.

    Weval puts checks before text points (platform.md, A33), so only points of one kind and group are compared.
    """
    last: dict[Hashable, int] = {}
    for there in sorted(found):
        point = then[there]
        group = (point.rubric.block, point.path_id, point.point.function is None)
        if found[there] < last.get(group, -1):
            return True
        last[group] = found[there]
    return False
