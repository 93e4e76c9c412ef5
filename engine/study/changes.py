"""Two versions of a blueprint → what changed in meaning between them, and what that does to results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from engine.blueprint import Block, Blueprint, Header, Point, Prompt, unique_keys
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.pairing import content, match_points, match_prompts, messages_of, moved_pairs, path_numbers
from engine.judging.panel import Approach, panel
from engine.parsing.model_collections import DEFAULT
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation import shares_of
from engine.scoring.sums import place
from engine.text.record import Record, replace
from engine.yaml.nodes import Data, is_truthy, json_text


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

    `MOVED_BLOCK`: from `should` to `should_not` or back. `MOVED_PATH`: onto a path, off a path, or from one path to
    another. `SHARE`: nothing of it changed but how much of the score it makes.
    """

    MOVED_BLOCK = "moved-block"
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
_ANSWERING = frozenset({PromptField.MESSAGES, PromptField.SYSTEM, PromptField.TEMPERATURE})
"""The fields that change what models are asked."""


def changes_between(old: Blueprint, new: Blueprint) -> BlueprintChanges:
    """What changed in meaning from `old` to `new`. Formatting, comments and the order of keys change nothing.

    Turned round, the changes are the same with their sides exchanged.
    """
    pairing = match_prompts(old.prompts, new.prompts)
    before, after = named_prompts(old), named_prompts(new)
    moved = moved_pairs(pairing)
    versions = old.header, new.header
    is_holistic = both_holistic(*versions)
    owners = {messages_of(each.prompt): each.name for each in before if each.prompt.messages}
    found: list[PromptChange] = []
    for at, named in enumerate(after):
        partner = pairing.old_of(at)
        if partner is None:
            found.append(only_in_one(named, is_new=True))
            continue
        fields = tuple(_fields(before[partner], named, versions))
        points, reordered = _points(before[partner].prompt, named.prompt)
        is_asked_else = any(each.field is PromptField.MESSAGES for each in fields)
        taken_from = owners.get(messages_of(named.prompt)) if is_asked_else else None
        is_moved = (partner, at) in moved
        if fields or points or is_moved or reordered:
            change = PromptChange(before[partner], named, fields, points, is_moved, reordered, taken_from)
            found.append(replace(change, consequences=tuple(_consequences(change, is_holistic=is_holistic))))
    found += [only_in_one(before[at], is_new=False) for at in pairing.old_left]
    pairs = tuple((old.prompts[one].index, new.prompts[other].index) for one, other in pairing.pairs)
    header = (_header_change(part, *versions) for part in HeaderPart)
    return BlueprintChanges(tuple(each for each in header if each is not None), tuple(found), pairs)


def named_prompts(blueprint: Blueprint) -> list[NamedPrompt]:
    """The prompts with their names and shares, in order."""
    names = unique_keys(blueprint.prompts)
    weight = sum(prompt.weight for prompt in blueprint.prompts)
    return [NamedPrompt(each, names[each.index], each.weight / weight) for each in blueprint.prompts]


def only_in_one(named: NamedPrompt, *, is_new: bool) -> PromptChange:
    """The change for a prompt that is in one of the versions only."""
    sides = _sides(named.prompt)
    if is_new:
        added = tuple(PointChange((PointChangeKind.ADDED,), None, side) for side in sides)
        return PromptChange(None, named, points=added)
    removed = tuple(PointChange((PointChangeKind.REMOVED,), side, None) for side in sides)
    return PromptChange(named, None, points=removed, consequences=(Consequence.HISTORY,))


def _consequences(change: PromptChange, *, is_holistic: bool) -> Iterator[Consequence]:
    assert change.before is not None
    assert change.after is not None
    fields = {each.field for each in change.fields}
    if PromptField.ID in fields:
        yield Consequence.HISTORY
    if fields & _ANSWERING:
        yield Consequence.ANSWERS
    if any(set(each.kinds) - {PointChangeKind.CITATION} for each in change.points):
        yield Consequence.SCORES
    criteria, new_criteria = (
        [point.text for point in side.prompt.points() if point.text is not None]
        for side in (change.before, change.after)
    )
    if is_holistic and criteria != new_criteria and not set(criteria).isdisjoint(new_criteria):
        yield Consequence.VERDICTS  # judges of a criterion that stays see others, or the same in another order


# --- Fields


def _fields(before: NamedPrompt, after: NamedPrompt, versions: tuple[Header, Header]) -> Iterator[FieldChange]:
    """The fields with other values in force, the most consequential first; not those that the headers alone change."""
    old, new = before.prompt, after.prompt
    one, other = (header.fields for header in versions)
    from_header = {
        PromptField.SYSTEM: old.system == new.system,
        PromptField.TEMPERATURE: old.temperature == new.temperature,
        PromptField.RENDER_AS: (one.get("render_as"), other.get("render_as"))
        == (old.render_as.value, new.render_as.value),
        PromptField.NO_CACHE: bool(one.get("noCache")) != bool(other.get("noCache")),
    }
    values, new_values = (_in_force(each, header) for each, header in zip((old, new), versions, strict=True))
    for field in PromptField:
        pair = values[field], new_values[field]
        if pair[0] != pair[1] and json_text(pair[0]) != json_text(pair[1]) and not from_header.get(field):
            yield FieldChange(field, *pair)


def _in_force(prompt: Prompt, header: Header) -> dict[PromptField, Data]:
    """The values of all fields; a list where the variants of the blueprint have different ones."""
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


def _sides(prompt: Prompt) -> Iterator[PointSide]:
    """Each point, in the order of `Prompt.points()`, with its share of the score."""
    shares, numbers = shares_of(prompt), path_numbers(prompt)
    for each in place(prompt):
        if each.path_id is None:
            yield PointSide(each, None, shares.of(each.point))
        else:
            number = numbers[each.path_id]
            weight = sum(point.multiplier for point in shares.alternatives[number - 1].points)
            yield PointSide(each, number, shares.paths * each.point.multiplier / weight)


def _points(old: Prompt, new: Prompt) -> tuple[tuple[PointChange, ...], bool]:
    """The changes of points, the most consequential first; and whether others are in another order."""
    sides, new_sides = [*_sides(old)], [*_sides(new)]
    pairing, groups, new_groups = match_points([each.placed for each in sides], [each.placed for each in new_sides])
    changes: list[PointChange] = []
    is_reordered = False
    last: dict[Block, int] = {}
    for one, other in pairing.pairs:
        is_in_group = groups[one] == new_groups[other]
        kinds = tuple(_kinds(sides[one], new_sides[other], is_in_group=is_in_group))
        if kinds:
            changes.append(PointChange(kinds, sides[one], new_sides[other]))
        if is_in_group:
            block = sides[one].block
            is_reordered = is_reordered or other < last.get(block, -1)
            last[block] = other
    changes += [PointChange((PointChangeKind.REMOVED,), sides[at], None) for at in pairing.old_left]
    changes += [PointChange((PointChangeKind.ADDED,), None, new_sides[at]) for at in pairing.new_left]
    changes.sort(key=lambda each: (list(PointChangeKind).index(each.kinds[0]), -each.share))
    return tuple(changes), is_reordered


def _kinds(one: PointSide, other: PointSide, *, is_in_group: bool) -> Iterator[PointChangeKind]:
    """How a point changed, the most consequential first."""
    is_moved_block = one.block is not other.block
    happened = {
        PointChangeKind.MOVED_BLOCK: is_moved_block,
        PointChangeKind.MOVED_PATH: not is_moved_block and not is_in_group,
        PointChangeKind.WEIGHT: one.point.multiplier != other.point.multiplier,
        PointChangeKind.CITATION: one.point.citation != other.point.citation,
    }
    found = {kind for kind, is_so in happened.items() if is_so}
    if content(one.point) != content(other.point):
        found.add(PointChangeKind.REWORDED if one.point.function is None else PointChangeKind.CHECK)
    if not found - {PointChangeKind.CITATION} and abs(one.share - other.share) >= _ROUNDING:
        found.add(PointChangeKind.SHARE)
    yield from (kind for kind in PointChangeKind if kind in found)


# --- The header: the settings in force, so that a default that is written out is no change


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
_ASKED = (HeaderPart.SYSTEM, HeaderPart.TEMPERATURE, HeaderPart.TOOLS, HeaderPart.TOOL_USE)
_SCORING = (HeaderPart.JUDGES, HeaderPart.SCALE, HeaderPart.SERVICES)
_CONSEQUENCES = {**dict.fromkeys(_ASKED, Consequence.ANSWERS), **dict.fromkeys(_SCORING, Consequence.SCORES)}


def both_holistic(old: Header, new: Header) -> bool:
    """Whether both versions have a judge that sees the description and all criteria."""
    return all(any(judge.approach is Approach.HOLISTIC for judge in panel(each).judges) for each in (old, new))


def _header_change(part: HeaderPart, old: Header, new: Header) -> HeaderChange | None:
    """The change of one setting; None where the same is in force."""
    before, after = _setting(part, old), _setting(part, new)
    due = _CONSEQUENCES.get(part)
    match part:
        case HeaderPart.SYSTEM if len(old.systems) > 1 or len(new.systems) > 1:
            return _systems(old.systems or (None,), new.systems or (None,))
        case HeaderPart.TEMPERATURE | HeaderPart.TEMPERATURES:
            are_several = bool(old.temperatures or new.temperatures)
            if are_several is not (part is HeaderPart.TEMPERATURES):
                return None
            one, other = (set(each.temperatures or [each.temperature or 0]) for each in (old, new))
            due = None if one & other else Consequence.ANSWERS
        case HeaderPart.DESCRIPTION:
            due = Consequence.VERDICTS if both_holistic(old, new) else None
        case _ if part in _LISTS:
            return _list_change(part, before, after)
        case _:
            pass
    if json_text(before) == json_text(after):
        return None
    return HeaderChange(part, before, after, consequences=() if due is None else (due,))


def _setting(part: HeaderPart, header: Header) -> Data:
    """What is in force: a value, or the items of a list."""
    written = header.fields.get(part.value)
    match part:
        case HeaderPart.SYSTEM:
            return header.systems[0] if header.systems else None
        case HeaderPart.TEMPERATURE | HeaderPart.TEMPERATURES:
            return [*header.temperatures] or header.temperature or 0
        case HeaderPart.SCALE:
            return header.use_experimental_scale
        case HeaderPart.RENDER_AS:
            return written or "markdown"
        case HeaderPart.NO_CACHE:
            return is_truthy(written)
        case HeaderPart.MODELS:
            return [*(header.models or DEFAULT)]
        case HeaderPart.JUDGES:
            return [f"{judge.model} ({judge.approach.value})" for judge in panel(header).judges]
        case HeaderPart.SERVICES:
            services = written if isinstance(written, dict) else {}
            return [{"name": name, "held": held} for name, held in services.items()]
        case _:
            return written


def _systems(before: Sequence[str | None], after: Sequence[str | None]) -> HeaderChange | None:
    """The change of the system prompts in force, whose order counts: results name them by their places."""
    if before == after:
        return None
    added, removed = Counter(after) - Counter(before), Counter(before) - Counter(after)
    stays = [each for each in before if each in after]
    return HeaderChange(
        HeaderPart.SYSTEM,
        added=tuple(_NO_SYSTEM if each is None else each for each in added.elements()),
        removed=tuple(_NO_SYSTEM if each is None else each for each in removed.elements()),
        reordered=any(before.index(each) != after.index(each) for each in stays),
        consequences=() if stays else (Consequence.ANSWERS,),
    )


def _list_change(part: HeaderPart, before: Data, after: Data) -> HeaderChange | None:
    one, other = (_by_label(each, _LISTS[part]) for each in (before, after))
    added = tuple(each for each in other if each not in one)
    removed = tuple(each for each in one if each not in other)
    changed = tuple(each for each in one if each in other and one[each] != other[each])
    if not (added or removed or changed):
        return None
    due = (_CONSEQUENCES[part],) if part in _CONSEQUENCES else ()
    return HeaderChange(part, added=added, removed=removed, changed=changed, consequences=due)


def _by_label(items: Data, key: str) -> dict[str, list[str]]:
    """What items hold, by their labels, which several may share.

    A label is a text as it is, or the name of a mapping: nothing else of it is shown, as it may hold secrets.
    """
    found: dict[str, list[str]] = {}
    for item in items if isinstance(items, list) else [] if items is None else [items]:
        label = item if isinstance(item, str) else json_text(item)
        if isinstance(item, dict) and key:
            name = item.get(key)
            label = name if isinstance(name, str) else f"one without {key}"
        found.setdefault(label, []).append(json_text(item))
    return {name: sorted(held) for name, held in found.items()}
