"""Two versions of a blueprint → what changed in meaning between them, and what that does to results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.blueprint import Block, Blueprint, Header, Prompt
from engine.conversation import conversation, variants
from engine.evaluation.prompt_keys import unique_keys
from engine.functions.call_description import as_json
from engine.record import Record, replace
from engine.scoring.placement import place
from engine.scoring.shares import shares_of
from engine.study.change import (
    BlueprintChanges,
    Consequence,
    FieldChange,
    NamedPrompt,
    PointChange,
    PointChangeKind,
    PointSide,
    PromptChange,
    PromptField,
)
from engine.study.header_changes import both_holistic, compare_headers
from engine.study.pairing import (
    ALIKE,
    Group,
    Pairing,
    content,
    likeness,
    match_points,
    match_prompts,
    messages_of,
    moved_pairs,
    path_numbers,
    trigrams,
)
from engine.yaml_nodes.nodes import Data

_ROUNDING = 0.0005
"""A share of 0–1 that changes by less prints as the same number."""
_ANSWERING = {PromptField.MESSAGES, PromptField.SYSTEM, PromptField.TEMPERATURE}
"""The fields that change what models are asked."""


class Versions(Record):
    """What prompts of both versions are compared beside: the headers, and whether judges of both see all criteria."""

    old: Header
    new: Header
    is_holistic: bool


def compare_prompts(before: NamedPrompt, after: NamedPrompt, versions: Versions) -> PromptChange:
    """The change of one prompt; it is empty where nothing changed in meaning."""
    old, new = before.prompt, after.prompt
    fields = tuple(sorted(_fields(before, after, versions), key=lambda each: list(PromptField).index(each.field)))
    points, reordered = _points(old, new)
    change = PromptChange(before, after, fields, points, points_reordered=reordered)
    return replace(change, consequences=tuple(_consequences(change, versions)))


def only_in_one(named: NamedPrompt, *, is_new: bool) -> PromptChange:
    """The change for a prompt that is in one of the versions only."""
    sides = _sides(named.prompt)
    if is_new:
        added = tuple(PointChange((PointChangeKind.ADDED,), None, side) for side in sides)
        return PromptChange(None, named, points=added)
    removed = tuple(PointChange((PointChangeKind.REMOVED,), side, None) for side in sides)
    return PromptChange(named, None, points=removed, consequences=(Consequence.HISTORY,))


def is_empty(change: PromptChange) -> bool:
    """Whether nothing changed."""
    return not (change.fields or change.points or change.moved or change.points_reordered)


# --- Fields


def _fields(before: NamedPrompt, after: NamedPrompt, versions: Versions) -> Iterator[FieldChange]:
    old, new = before.prompt, after.prompt
    header, new_header = versions.old, versions.new
    if old.id != new.id:
        yield FieldChange(PromptField.ID, old.id, new.id)
    if messages_of(old) != messages_of(new):
        yield FieldChange(PromptField.MESSAGES, _messages_json(old), _messages_json(new))
    if old.system != new.system and (one := _systems(old, header)) != (other := _systems(new, new_header)):
        yield FieldChange(PromptField.SYSTEM, one, other)
    if old.temperature != new.temperature and (cool := _temperatures(old, header)) != (
        warm := _temperatures(new, new_header)
    ):
        yield FieldChange(PromptField.TEMPERATURE, cool, warm)
    inherited = (header.fields.get("render_as"), new_header.fields.get("render_as"))
    if old.render_as is not new.render_as and inherited != (old.render_as.value, new.render_as.value):
        yield FieldChange(PromptField.RENDER_AS, old.render_as.value, new.render_as.value)
    if old.no_cache != new.no_cache and bool(header.fields.get("noCache")) == bool(new_header.fields.get("noCache")):
        yield FieldChange(PromptField.NO_CACHE, old.no_cache, new.no_cache)
    plain: tuple[tuple[PromptField, Data, Data], ...] = (
        (PromptField.WEIGHT, old.weight, new.weight),
        (PromptField.IDEAL, old.ideal, new.ideal),
        (PromptField.DESCRIPTION, old.description, new.description),
        (PromptField.CITATION, old.citation, new.citation),
        (PromptField.REQUIRED_TOOLS, [*sorted(old.required_tools)], [*sorted(new.required_tools)]),
        (PromptField.PROHIBITED_TOOLS, [*sorted(old.prohibited_tools)], [*sorted(new.prohibited_tools)]),
        (PromptField.MAX_CALLS, old.max_calls, new.max_calls),
    )
    for field, one, other in plain:
        if one != other and as_json(one) != as_json(other):
            yield FieldChange(field, one, other)


def _messages_json(prompt: Prompt) -> list[Data]:
    return [{"role": role, "content": text} for role, text in messages_of(prompt)]


def _systems(prompt: Prompt, header: Header) -> Data:
    """The system prompt in force; a list where the variants of the blueprint have different ones."""
    return _one_or_all([conversation(prompt, header, variant).system for variant in variants(header)])


def _temperatures(prompt: Prompt, header: Header) -> Data:
    return _one_or_all([conversation(prompt, header, variant).temperature for variant in variants(header)])


def _one_or_all(values: Iterable[Data]) -> Data:
    distinct: list[Data] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return distinct[0] if len(distinct) == 1 else distinct


# --- Points


def _sides(prompt: Prompt) -> tuple[PointSide, ...]:
    """Each point, in the order of `Prompt.points()`, with its share of the score."""
    shares, numbers = shares_of(prompt), path_numbers(prompt)
    placed = place(prompt)
    weights: dict[str, float] = {}
    for each in placed:
        if each.path_id is not None:
            weights[each.path_id] = weights.get(each.path_id, 0.0) + each.point.multiplier
    return tuple(
        PointSide(each, None, shares.required * each.point.multiplier / shares.weight)
        if each.path_id is None
        else PointSide(each, numbers[each.path_id], shares.paths * each.point.multiplier / weights[each.path_id])
        for each in placed
    )


def _points(old: Prompt, new: Prompt) -> tuple[tuple[PointChange, ...], bool]:
    """The changes of points, the most consequential first; and whether others are in another order."""
    sides, new_sides = _sides(old), _sides(new)
    pairing, groups, new_groups = match_points([each.placed for each in sides], [each.placed for each in new_sides])
    changes: list[PointChange] = []
    for place_before, place_after in pairing.pairs:
        one, other = sides[place_before], new_sides[place_after]
        kinds = tuple(_kinds(one, other, groups[place_before], new_groups[place_after]))
        if kinds:
            changes.append(PointChange(kinds, one, other))
    changes += [PointChange((PointChangeKind.REMOVED,), sides[at], None) for at in pairing.old_left]
    changes += [PointChange((PointChangeKind.ADDED,), None, new_sides[at]) for at in pairing.new_left]
    changes.sort(key=lambda each: (list(PointChangeKind).index(each.kinds[0]), -each.share))
    return tuple(changes), _reordered(pairing.pairs, groups, new_groups)


def _kinds(one: PointSide, other: PointSide, group: Group, new_group: Group) -> Iterator[PointChangeKind]:
    """How a point changed, the most consequential first."""
    found: set[PointChangeKind] = set()
    if one.block is not other.block:
        found.add(PointChangeKind.MOVED_BLOCK)
    elif group != new_group:
        found.add(PointChangeKind.MOVED_PATH)
    elif abs(one.share - other.share) >= _ROUNDING:
        found.add(PointChangeKind.SHARE)
    if content(one.point) != content(other.point):
        found.add(_content_change(one, other))
    if one.point.multiplier != other.point.multiplier:
        found.add(PointChangeKind.WEIGHT)
    if one.point.citation != other.point.citation:
        found.add(PointChangeKind.CITATION)
    if found - {PointChangeKind.CITATION, PointChangeKind.SHARE}:
        found.discard(PointChangeKind.SHARE)
    yield from (kind for kind in PointChangeKind if kind in found)


def _content_change(one: PointSide, other: PointSide) -> PointChangeKind:
    first, second = one.point, other.point
    if first.text is not None and second.text is not None:
        alike = likeness(trigrams(first.text), trigrams(second.text)) >= ALIKE
        return PointChangeKind.REWORDED if alike else PointChangeKind.REPLACED
    return PointChangeKind.CHECK if first.function and second.function else PointChangeKind.REPLACED


def _reordered(pairs: Sequence[tuple[int, int]], groups: Sequence[Group], new_groups: Sequence[Group]) -> bool:
    """Whether any two points of a block that stay in their group have changed places."""
    last: dict[Block, int] = {}
    for one, other in pairs:
        block, _ = groups[one]
        if groups[one] != new_groups[other]:
            continue
        if other < last.get(block, -1):
            return True
        last[block] = other
    return False


# --- Consequences


def _consequences(change: PromptChange, versions: Versions) -> Iterator[Consequence]:
    assert change.before is not None
    assert change.after is not None
    if change.field(PromptField.ID) is not None:
        yield Consequence.HISTORY
    if any(each.field in _ANSWERING for each in change.fields):
        yield Consequence.ANSWERS
    if any(set(each.kinds) - {PointChangeKind.CITATION} for each in change.points):
        yield Consequence.SCORES
    if versions.is_holistic and _shows_other_criteria(change.before.prompt, change.after.prompt):
        yield Consequence.VERDICTS


def _shows_other_criteria(old: Prompt, new: Prompt) -> bool:
    """Whether a judge of a criterion that stays would see other criteria, or the same in another order."""
    criteria, new_criteria = _criteria(old), _criteria(new)
    return criteria != new_criteria and not set(criteria).isdisjoint(new_criteria)


def _criteria(prompt: Prompt) -> list[str]:
    return [point.text for point in prompt.points() if point.text is not None]


# --- The whole blueprint


def changes_between(old: Blueprint, new: Blueprint) -> BlueprintChanges:
    """What changed in meaning from `old` to `new`. Formatting, comments and the order of keys change nothing.

    Turned round, the changes are the same with their sides exchanged.
    """
    pairing = match_prompts(old.prompts, new.prompts)
    before, after = named_prompts(old), named_prompts(new)
    moved = moved_pairs(pairing, old.prompts, new.prompts)
    versions = Versions(old.header, new.header, both_holistic(old.header, new.header))
    messages = _names_by_messages(old, before)
    found: list[PromptChange] = []
    for at in range(pairing.new_size):
        partner = pairing.old_of(at)
        if partner is None:
            found.append(only_in_one(after[at], is_new=True))
            continue
        change = compare_prompts(before[partner], after[at], versions)
        change = replace(change, moved=(partner, at) in moved, taken_from=_taken_from(change, messages))
        if not is_empty(change):
            found.append(change)
    found += [only_in_one(before[at], is_new=False) for at in pairing.old_left]
    return BlueprintChanges(compare_headers(old.header, new.header), tuple(found), _indices(pairing, old, new))


def named_prompts(blueprint: Blueprint) -> list[NamedPrompt]:
    """The prompts with their names and shares, in order."""
    names = unique_keys(blueprint.prompts)
    weight = sum(prompt.weight for prompt in blueprint.prompts)
    return [NamedPrompt(each, names[each.index], each.weight / weight) for each in blueprint.prompts]


def _names_by_messages(blueprint: Blueprint, named: list[NamedPrompt]) -> Mapping[object, str]:
    return {messages_of(each): name.name for each, name in zip(blueprint.prompts, named, strict=True) if each.messages}


def _taken_from(change: PromptChange, names: Mapping[object, str]) -> str | None:
    """The old prompt whose messages a prompt with changed messages has now."""
    if change.after is None or change.field(PromptField.MESSAGES) is None:
        return None
    return names.get(messages_of(change.after.prompt))


def _indices(pairing: Pairing, old: Blueprint, new: Blueprint) -> tuple[tuple[int, int], ...]:
    return tuple((old.prompts[one].index, new.prompts[other].index) for one, other in pairing.pairs)
