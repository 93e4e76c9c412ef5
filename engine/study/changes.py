"""Two versions of a blueprint → what changed in meaning between them, and what that does to results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from engine.blueprint import Block, Blueprint, Header, Point, Prompt
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.sources import unique_keys
from engine.functions.point_function import as_json
from engine.judging.panel import Approach, panel
from engine.parsing import is_truthy
from engine.scoring.assessment import PlacedPoint
from engine.scoring.shares import shares_of
from engine.scoring.sums import place
from engine.study.pairing import (
    ALIKE,
    Group,
    content,
    likeness,
    match_points,
    match_prompts,
    messages_of,
    moved_pairs,
    path_numbers,
    trigrams,
)
from engine.text.record import Record, replace
from engine.yaml.nodes import Data


class Consequence(StrEnum):
    """What a change does to results that exist.

    `HISTORY`: Weval keeps results by the id of the prompt, and it is another one. `ANSWERS`: models are asked something
    else, so answers before and after cannot be compared. `SCORES`: the same answer can score differently. `VERDICTS`:
    holistic judges are shown something else, so earlier verdicts on criteria that stay would be carried over.
    """

    HISTORY = "history-ends"
    ANSWERS = "answers-not-comparable"
    SCORES = "scores-change"
    VERDICTS = "verdicts-carried-over"


class PromptField(StrEnum):
    """The fields of a prompt that can change, by their keys; the most consequential first."""

    ID = "id"
    MESSAGES = "messages"
    SYSTEM = "system"
    TEMPERATURE = "temperature"
    WEIGHT = "weight"
    IDEAL = "ideal"
    REQUIRED_TOOLS = "requiredTools"
    PROHIBITED_TOOLS = "prohibitedTools"
    MAX_CALLS = "maxCalls"
    DESCRIPTION = "description"
    CITATION = "citation"
    RENDER_AS = "render_as"
    NO_CACHE = "noCache"


class FieldChange(Record):
    """One field of a prompt before and after, as JSON values: messages as a list of `{role, content}`."""

    field: PromptField
    before: Data
    after: Data


class PointChangeKind(StrEnum):
    """How a point changed; the most consequential first.

    `REPLACED`: another point stands at its place, without a likeness. `MOVED_BLOCK`: from `should` to `should_not` or
    back. `MOVED_PATH`: onto a path, off a path, or from one path to another. `SHARE`: nothing of it changed but how
    much of the score it makes.
    """

    MOVED_BLOCK = "moved-block"
    REPLACED = "replaced"
    ADDED = "added"
    REMOVED = "removed"
    CHECK = "check-changed"
    REWORDED = "reworded"
    MOVED_PATH = "moved-path"
    WEIGHT = "weight"
    CITATION = "citation"
    SHARE = "share"


class PointSide(Record):
    """A point in one of the versions. `path` is its number among all paths of the prompt, from 1; None if required.

    `share` is how much of the prompt's score it makes, 0–1; of a point on a path, while that path is the best one.
    """

    placed: PlacedPoint
    path: int | None
    share: float

    @property
    def point(self) -> Point:
        """The point."""
        return self.placed.point

    @property
    def block(self) -> Block:
        """The block that it is in."""
        return self.placed.rubric.block


class PointChange(Record):
    """A point before and after: `before` is None for a new point, `after` for one that is gone."""

    kinds: tuple[PointChangeKind, ...]
    before: PointSide | None
    after: PointSide | None

    @property
    def share(self) -> float:
        """The greater share of both sides, 0–1."""
        return max(side.share for side in (self.before, self.after) if side is not None)


class PromptState(StrEnum):
    """Whether a prompt is in one of the versions only, or in both."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class NamedPrompt(Record):
    """A prompt of one version. `name` is its id, with `#2` and so on where an earlier prompt has the same one.

    `share` is how much of the blueprint's score it makes, 0–1, by its weight.
    """

    prompt: Prompt
    name: str
    share: float


class PromptChange(Record):
    """One prompt before and after: `before` is None for a new one, `after` for one that is gone.

    `moved`: it stands elsewhere among the prompts that are in both versions. `points_reordered`: points that stay in
    their group are in another order. `taken_from` is the name of the prompt whose messages it has now.
    """

    before: NamedPrompt | None
    after: NamedPrompt | None
    fields: tuple[FieldChange, ...] = ()
    points: tuple[PointChange, ...] = ()
    moved: bool = False
    points_reordered: bool = False
    taken_from: str | None = None
    consequences: tuple[Consequence, ...] = ()

    @property
    def state(self) -> PromptState:
        """Whether it is new, gone, or in both versions."""
        if self.before is None:
            return PromptState.ADDED
        return PromptState.REMOVED if self.after is None else PromptState.CHANGED

    @property
    def is_cut_off(self) -> bool:
        """Whether a YAML error hides a part of it in one of the versions."""
        return any(side is not None and side.prompt.is_cut_off for side in (self.before, self.after))

    def field(self, field: PromptField) -> FieldChange | None:
        """The change of one field."""
        return next((each for each in self.fields if each.field is field), None)


class HeaderPart(StrEnum):
    """The settings of the header that can change; the most consequential first."""

    SYSTEM = "system"
    TEMPERATURE = "temperature"
    TEMPERATURES = "temperatures"
    TOOLS = "tools"
    TOOL_USE = "toolUse"
    MODELS = "models"
    JUDGES = "judges"
    SCALE = "useExperimentalScale"
    DESCRIPTION = "description"
    SERVICES = "externalServices"
    TITLE = "title"
    AUTHOR = "author"
    TAGS = "tags"
    REFERENCES = "references"
    RENDER_AS = "render_as"
    NO_CACHE = "noCache"
    CONTEXT = "context"
    CONCURRENCY = "concurrency"
    EMBEDDING_MODEL = "embeddingModel"


class HeaderChange(Record):
    """One setting before and after.

    A list has the labels of what was `added`, `removed` and `changed` in it; what custom models and services hold is
    not shown, as it may be secret. A single value has `before` and `after`. `reordered`: system
    prompts that stay have another place.
    """

    part: HeaderPart
    before: Data = None
    after: Data = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    reordered: bool = False
    consequences: tuple[Consequence, ...] = ()


class BlueprintChanges(Record):
    """All changes in meaning. `prompts` are those that changed, in the order of the new version, and removed ones last.

    `pairs` are all prompts that are in both versions, changed or not, by their indices.
    """

    header: tuple[HeaderChange, ...]
    prompts: tuple[PromptChange, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed in meaning."""
        return not self.header and not self.prompts

    @property
    def rescored(self) -> Collection[tuple[int, int]]:
        """The `pairs` whose answers can score differently: those that changed; all if the header changes verdicts."""
        due = {consequence for each in self.header for consequence in each.consequences}
        if due & {Consequence.SCORES, Consequence.VERDICTS}:
            return self.pairs
        sides = [(each.before, each.after) for each in self.prompts]
        return [(one.prompt.index, other.prompt.index) for one, other in sides if one is not None and other is not None]


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
    fields = tuple(_fields(before, after, versions))
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
    """The fields with other values in force, the most consequential first; not those that the headers alone change."""
    old, new = before.prompt, after.prompt
    header, new_header = versions.old.fields, versions.new.fields
    render_as = old.render_as.value, new.render_as.value
    from_header = {
        PromptField.SYSTEM: old.system == new.system,
        PromptField.TEMPERATURE: old.temperature == new.temperature,
        PromptField.RENDER_AS: (header.get("render_as"), new_header.get("render_as")) == render_as,
        PromptField.NO_CACHE: bool(header.get("noCache")) != bool(new_header.get("noCache")),
    }
    values = _in_force(new, versions.new)
    for field, one in _in_force(old, versions.old).items():
        other = values[field]
        if one != other and as_json(one) != as_json(other) and not from_header.get(field):
            yield FieldChange(field, one, other)


def _in_force(prompt: Prompt, header: Header) -> dict[PromptField, Data]:
    """The values of all fields in their order; a list where the variants of the blueprint have different ones."""
    asked = [conversation(prompt, header, variant) for variant in variants(header)]
    return {
        PromptField.ID: prompt.id,
        PromptField.MESSAGES: [{"role": role, "content": text} for role, text in messages_of(prompt)],
        PromptField.SYSTEM: _one_or_all(each.system for each in asked),
        PromptField.TEMPERATURE: _one_or_all(each.temperature for each in asked),
        PromptField.WEIGHT: prompt.weight,
        PromptField.IDEAL: prompt.ideal,
        PromptField.REQUIRED_TOOLS: [*sorted(prompt.required_tools)],
        PromptField.PROHIBITED_TOOLS: [*sorted(prompt.prohibited_tools)],
        PromptField.MAX_CALLS: prompt.max_calls,
        PromptField.DESCRIPTION: prompt.description,
        PromptField.CITATION: prompt.citation,
        PromptField.RENDER_AS: prompt.render_as.value,
        PromptField.NO_CACHE: prompt.no_cache,
    }


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
    pairs = tuple((old.prompts[one].index, new.prompts[other].index) for one, other in pairing.pairs)
    return BlueprintChanges(compare_headers(old.header, new.header), tuple(found), pairs)


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


# --- The header: the settings in force, so that a default that is written out is no change


_DEFAULT_MODELS: tuple[Data, ...] = ("CORE",)
"""What Weval runs where no models are written."""
_NO_SYSTEM = "no system prompt"
_LISTS = {
    HeaderPart.TOOLS: "name",
    HeaderPart.MODELS: "id",
    HeaderPart.JUDGES: "",
    HeaderPart.SERVICES: "name",
    HeaderPart.TAGS: "",
    HeaderPart.REFERENCES: "title",
}
"""The lists whose order has no meaning, and the key that names an item where it is a mapping."""
_CONSEQUENCES = {
    HeaderPart.SYSTEM: (Consequence.ANSWERS,),
    HeaderPart.TEMPERATURE: (Consequence.ANSWERS,),
    HeaderPart.TOOLS: (Consequence.ANSWERS,),
    HeaderPart.TOOL_USE: (Consequence.ANSWERS,),
    HeaderPart.JUDGES: (Consequence.SCORES,),
    HeaderPart.SCALE: (Consequence.SCORES,),
    HeaderPart.SERVICES: (Consequence.SCORES,),
}


def compare_headers(old: Header, new: Header) -> tuple[HeaderChange, ...]:
    """The settings that changed, the most consequential first."""
    return tuple(change for part in HeaderPart for change in _changes(part, old, new))


def both_holistic(old: Header, new: Header) -> bool:
    """Whether both versions have a judge that sees the description and all criteria."""
    return all(any(judge.approach is Approach.HOLISTIC for judge in panel(each).judges) for each in (old, new))


def _changes(part: HeaderPart, old: Header, new: Header) -> Iterator[HeaderChange]:
    match part:
        case HeaderPart.SYSTEM:
            yield from _systems(old, new)
        case HeaderPart.TEMPERATURE:
            yield from _temperatures(old, new)
        case HeaderPart.TEMPERATURES:
            pass  # with the single one
        case HeaderPart.DESCRIPTION:
            due = (Consequence.VERDICTS,) if both_holistic(old, new) else ()
            yield from _values(part, _value(old, part), _value(new, part), due)
        case _ if part in _LISTS:
            yield from _lists(part, _items(old, part), _items(new, part))
        case _:
            yield from _values(part, _value(old, part), _value(new, part))


def _value(header: Header, part: HeaderPart) -> Data:
    """The value in force."""
    written = header.fields.get(part.value)
    match part:
        case HeaderPart.SCALE:
            return header.use_experimental_scale
        case HeaderPart.RENDER_AS:
            return written or "markdown"
        case HeaderPart.NO_CACHE:
            return is_truthy(written)
        case _:
            return written


def _items(header: Header, part: HeaderPart) -> Sequence[Data]:
    """The items of a list in force."""
    written = header.fields.get(part.value)
    match part:
        case HeaderPart.MODELS:
            return header.models or _DEFAULT_MODELS
        case HeaderPart.JUDGES:
            return [f"{judge.model} ({judge.approach.value})" for judge in panel(header).judges]
        case HeaderPart.SERVICES:
            services = written if isinstance(written, dict) else {}
            return [{"name": name, "held": held} for name, held in services.items()]
        case _:
            return written if isinstance(written, list) else [] if written is None else [written]


def _values(
    part: HeaderPart, before: Data, after: Data, consequences: tuple[Consequence, ...] | None = None
) -> Iterator[HeaderChange]:
    if as_json(before) != as_json(after):
        due = _CONSEQUENCES.get(part, ()) if consequences is None else consequences
        yield HeaderChange(part, before, after, consequences=due)


def _temperatures(old: Header, new: Header) -> Iterator[HeaderChange]:
    """The change of the temperatures in force: `temperatures` overrule a single one, which is 0 if none is written."""
    before, after = (list(header.temperatures) or [header.temperature or 0] for header in (old, new))
    if not old.temperatures and not new.temperatures:
        yield from _values(HeaderPart.TEMPERATURE, before[0], after[0])
        return
    due = () if set(before) & set(after) else (Consequence.ANSWERS,)
    one: Data = [*before] if old.temperatures else before[0]
    other: Data = [*after] if new.temperatures else after[0]
    yield from _values(HeaderPart.TEMPERATURES, one, other, due)


def _systems(old: Header, new: Header) -> Iterator[HeaderChange]:
    """The change of the system prompts in force, whose order counts: results name them by their places."""
    before, after = old.systems or (None,), new.systems or (None,)
    if before == after:
        return
    if len(before) == len(after) == 1:
        yield from _values(HeaderPart.SYSTEM, before[0], after[0])
        return
    added, removed = Counter(after) - Counter(before), Counter(before) - Counter(after)
    stays = [each for each in before if each in after]
    yield HeaderChange(
        HeaderPart.SYSTEM,
        added=tuple(_NO_SYSTEM if each is None else each for each in added.elements()),
        removed=tuple(_NO_SYSTEM if each is None else each for each in removed.elements()),
        reordered=any(before.index(each) != after.index(each) for each in stays),
        consequences=() if stays else (Consequence.ANSWERS,),
    )


def _lists(part: HeaderPart, before: Sequence[Data], after: Sequence[Data]) -> Iterator[HeaderChange]:
    one, other = _by_label(before, _LISTS[part]), _by_label(after, _LISTS[part])
    added = tuple(each for each in other if each not in one)
    removed = tuple(each for each in one if each not in other)
    changed = tuple(each for each in one if each in other and one[each] != other[each])
    if added or removed or changed:
        consequences = _CONSEQUENCES.get(part, ())
        yield HeaderChange(part, added=added, removed=removed, changed=changed, consequences=consequences)


def _by_label(items: Sequence[Data], key: str) -> dict[str, list[str]]:
    """What items hold, by their labels, which several may share."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(_label(item, key), []).append(as_json(item))
    return {name: sorted(held) for name, held in found.items()}


def _label(item: Data, key: str) -> str:
    """A text as it is, a mapping by its name: nothing else of it is shown, as it may hold secrets."""
    if isinstance(item, Mapping) and key:
        name = item.get(key)
        return name if isinstance(name, str) else f"one without {key}"
    return item if isinstance(item, str) else as_json(item)
