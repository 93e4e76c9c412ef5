"""Two versions of a blueprint → what changed in meaning between them, what that does to results, and both in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from engine.blueprint import Block, Blueprint, Header, Point, Prompt, unique_keys
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.pairing import content, match_points, match_prompts, messages_of, moved_pairs, path_numbers
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation import listed, path_label, percent, point_label, shares_of, weight_text
from engine.scoring.sums import place
from engine.study.header_changes import (
    INDENT,
    LONGEST_NAME,
    NO_EFFECT,
    NOT_COMPARABLE,
    Consequence,
    HeaderChange,
    both_holistic,
    header_changes,
    shortened,
    value_lines,
)
from engine.text.record import Record, replace
from engine.text.spans import in_quotes, one_line
from engine.yaml.nodes import Data, json_text


class FieldChange(Record):
    """One field of a prompt before and after, as JSON values, and in words; messages as a list of `{role, content}`."""

    field: str
    before: Data
    after: Data
    text: tuple[str, ...]


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

    @property
    def label(self) -> str:
        """A criterion on one line, in quotes; a check."""
        text = self.point.text
        return point_label(self.point) if text is None else in_quotes(one_line(text))


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
        is_asked_else = any(each.field == "messages" for each in fields)
        taken_from = owners.get(messages_of(named.prompt)) if is_asked_else else None
        is_moved = (partner, at) in moved
        if fields or points or is_moved or reordered:
            change = PromptChange(before[partner], named, fields, points, is_moved, reordered, taken_from)
            due = _consequences(change, before[partner].prompt, named.prompt, is_holistic=is_holistic)
            found.append(replace(change, consequences=tuple(due)))
    found += [only_in_one(before[at], is_new=False) for at in pairing.old_left]
    pairs = tuple((old.prompts[one].index, new.prompts[other].index) for one, other in pairing.pairs)
    return BlueprintChanges(header_changes(*versions), tuple(found), pairs)


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


def _consequences(change: PromptChange, old: Prompt, new: Prompt, *, is_holistic: bool) -> Iterator[Consequence]:
    fields = {each.field for each in change.fields}
    if "id" in fields:
        yield Consequence.HISTORY
    if fields & {"messages", "system", "temperature"}:
        yield Consequence.ANSWERS
    if any(set(each.kinds) - {PointChangeKind.CITATION} for each in change.points):
        yield Consequence.SCORES
    criteria, now = ([point.text for point in each.points() if point.text is not None] for each in (old, new))
    if is_holistic and criteria != now and not set(criteria).isdisjoint(now):
        yield Consequence.VERDICTS  # judges of a criterion that stays see others, or the same in another order


# --- Fields


_BESIDE = "the result shows whether it is met; no score depends on it"
_NOT_SHOWN = "neither models nor judges are shown it"
_EFFECTS = {
    **dict.fromkeys(("messages", "system", "temperature"), NOT_COMPARABLE),
    **dict.fromkeys(("ideal", "description", "citation"), _NOT_SHOWN),
    **dict.fromkeys(("requiredTools", "prohibitedTools", "maxCalls"), _BESIDE),
}
_FIRST = ("id", "messages", "system", "temperature", "weight")
"""The fields that are told before the points."""


def _fields(before: NamedPrompt, after: NamedPrompt, versions: tuple[Header, Header]) -> Iterator[FieldChange]:
    """The fields with other values in force, the most consequential first; not those that the headers alone change."""
    old, new = before.prompt, after.prompt
    one, other = (header.fields for header in versions)
    from_header = {
        "system": old.system == new.system,
        "temperature": old.temperature == new.temperature,
        "render_as": (one.get("render_as"), other.get("render_as")) == (old.render_as.value, new.render_as.value),
        "noCache": bool(one.get("noCache")) != bool(other.get("noCache")),
    }
    values, new_values = (_in_force(each, header) for each, header in zip((old, new), versions, strict=True))
    for field, value in values.items():
        now = new_values[field]
        if value != now and json_text(value) != json_text(now) and not from_header.get(field):
            yield FieldChange(field, value, now, tuple(_field_lines(field, value, now, before, after)))


def _in_force(prompt: Prompt, header: Header) -> dict[str, Data]:
    """The values of all fields, by their keys; a list where the variants of the blueprint have different ones."""
    asked = [conversation(prompt, header, variant) for variant in variants(header)]
    return {
        "id": prompt.id,
        "messages": [{"role": role, "content": text} for role, text in messages_of(prompt)],
        "system": _one_or_all(each.system for each in asked),
        "temperature": _one_or_all(each.temperature for each in asked),
        "weight": prompt.weight,
        "ideal": prompt.ideal,
        "requiredTools": [*sorted(prompt.required_tools)],
        "prohibitedTools": [*sorted(prompt.prohibited_tools)],
        "maxCalls": prompt.max_calls,
        "description": prompt.description,
        "citation": prompt.citation,
        "render_as": prompt.render_as.value,
        "noCache": prompt.no_cache,
    }


def _one_or_all(values: Iterable[Data]) -> Data:
    distinct: list[Data] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return distinct[0] if len(distinct) == 1 else distinct


def _field_lines(field: str, before: Data, after: Data, old: NamedPrompt, new: NamedPrompt) -> Iterator[str]:
    match field:
        case "id":
            names = (
                f"`{one_line(each.id)}`{'' if each.id_written else ' (made by Weval of question and rubric)'}"
                for each in (old.prompt, new.prompt)
            )
            kept = "" if new.prompt.id_written else "; an `id:` keeps them"
            ends = f"Weval keeps results by id, so those of `{one_line(old.prompt.id)}` are not continued"
            yield f"id {' → '.join(names)}: {ends}{kept}"
        case "weight":
            weights = " → ".join(weight_text(each.prompt.weight) for each in (old, new))
            yield f"weight of the prompt {weights}: {_shares_text(old, new)} of the blueprint's score"
        case "messages":
            was, now = (_messages_text(messages_of(each.prompt)) for each in (old, new))
            yield from value_lines("messages", was, now, NOT_COMPARABLE)
        case _:
            name = "system prompt" if field == "system" else field
            yield from value_lines(name, before, after, _EFFECTS.get(field, NO_EFFECT))


def _messages_text(messages: Sequence[tuple[str, str | None]]) -> str:
    texts = ((role, "(the model answers)" if text is None else text) for role, text in messages)
    return "\n".join(f"{role}: {text}" if len(messages) > 1 or role != "user" else text for role, text in texts)


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
    is_moved_block, is_other = one.block is not other.block, content(one.point) != content(other.point)
    happened = {
        PointChangeKind.MOVED_BLOCK: is_moved_block,
        PointChangeKind.CHECK: is_other and one.point.function is not None,
        PointChangeKind.REWORDED: is_other and one.point.function is None,
        PointChangeKind.MOVED_PATH: not is_moved_block and not is_in_group,
        PointChangeKind.WEIGHT: one.point.multiplier != other.point.multiplier,
    }
    yield from (kind for kind, is_so in happened.items() if is_so)
    if one.point.citation != other.point.citation:
        yield PointChangeKind.CITATION
    if not any(happened.values()) and abs(one.share - other.share) >= _ROUNDING:
        yield PointChangeKind.SHARE


# --- Points in words


def _point_lines(changes: Sequence[PointChange]) -> Iterator[str]:
    """All changes, in order; points of which only the share changed come last, those with the same shares together."""
    shares: Counter[str] = Counter()
    for change in changes:
        one, other = change.before, change.after
        if one is None or other is None:
            yield _one_sided(change)
        elif change.kinds == (PointChangeKind.SHARE,):
            shares[_shares_text(one, other)] += 1
        else:
            yield from _point(change.kinds, one, other)
    for share, count in shares.items():
        yield f"share of {count_text(count, 'unchanged ')}: {share} of the score{' each' if count > 1 else ''}"


def _one_sided(change: PointChange) -> str:
    side = change.after or change.before
    assert side is not None
    word, were = ("added to", "") if change.before is None else ("removed from", "it was ")
    place = side.block if side.path is None else f"{side.block}, {path_label(side.path)}"
    share = f"{percent(side.share)} of the score{'' if side.path is None else ' while its path counts'}"
    return f"{word} {place}: {shortened(side.label)} ({were}{share})"


def _point(kinds: Sequence[PointChangeKind], one: PointSide, other: PointSide) -> Iterator[str]:
    moved, effect = _moved(one, other)
    said = {
        PointChangeKind.MOVED_BLOCK: moved,
        PointChangeKind.MOVED_PATH: moved,
        PointChangeKind.WEIGHT: f"weight {weight_text(one.point.multiplier)} → {weight_text(other.point.multiplier)}",
        PointChangeKind.CITATION: "citation changed",
        PointChangeKind.SHARE: "share changed",
    }
    what = listed(said.get(kind, kind.replace("-", " ")) for kind in kinds)
    where = f" ({effect})" if moved in what else ""
    yield f"{what}{where}: {shortened(one.label, other.label)} ({_shares_text(one, other)} of the score)"
    if one.label != other.label:
        yield f"{INDENT}now {shortened(other.label, one.label)}"
    elif one.point.text != other.point.text:
        yield f"{INDENT}only white space differs, but verdicts on the old wording no longer count"


def _shares_text(one: PointSide | NamedPrompt, other: PointSide | NamedPrompt) -> str:
    """`50%`, `25% → 50%`."""
    return " → ".join(dict.fromkeys((percent(one.share), percent(other.share))))


def _moved(one: PointSide, other: PointSide) -> tuple[str, str]:
    """Where a point moved to, and what its new place does to the score."""
    path = "" if other.path is None else path_label(other.path)
    if one.block is not other.block:
        inverted = f"it counts inverted {'now' if other.block is Block.SHOULD_NOT else 'no longer'}"
        return f"moved to {other.block}{path and f', {path}'}", inverted
    if not path:
        return "moved off its path", "it is required now"
    if one.path is None:
        return f"moved onto {path}", "it counts only while that is the best path"
    return f"moved to {path}", "beside other criteria than before"


def count_text(count: int, kind: str = "") -> str:
    """`1 point`, `no points`, `3 unchanged points`."""
    return f"1 {kind}point" if count == 1 else f"{count or 'no'} {kind}points"


# --- Prompts in words


def prompt_name(named: NamedPrompt) -> str:
    """The written id of a prompt; else the beginning of its first message, in quotes."""
    prompt = named.prompt
    if prompt.id_written:
        return one_line(named.name)
    text = next((one_line(message.content) for message in prompt.messages if message.content), "")
    return in_quotes(one_line(text, LONGEST_NAME)) if text else named.name


def prompt_lines(change: PromptChange) -> Iterator[str]:
    """All changes of a prompt, the most consequential first; what belongs to a line before is indented."""
    before, after, points = change.before, change.after, count_text(len(change.points))
    if before is None:
        assert after is not None
        yield f"a new prompt with {points}: {percent(after.share)} of the blueprint's score"
    elif after is None:
        yield f"removed, with {points}: it was {percent(before.share)} of the blueprint's score"
        if before.prompt.id_written:
            yield f"the results of `{one_line(before.name)}` on Weval are not continued"
    else:
        yield from (line for each in change.fields if each.field in _FIRST for line in each.text)
        if change.taken_from is not None:
            owner = f"its messages were those of `{one_line(change.taken_from)}`"
            yield f"{owner}: under this id, Weval's results go on with that question"
        yield from _point_lines(change.points)
        yield from (line for each in change.fields if each.field not in _FIRST for line in each.text)
        if change.points_reordered:
            yield f"criteria are in another order: {NO_EFFECT}"
        if Consequence.VERDICTS in change.consequences:
            yield "verdicts on criteria that stay would be carried over: holistic judges see all criteria"
        if change.moved:
            yield f"moved: it stands elsewhere among the prompts; {NO_EFFECT}"
        if before.prompt.is_cut_off or after.prompt.is_cut_off:
            yield "a YAML error hides a part of it, so there may be other changes"
