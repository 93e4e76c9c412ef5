"""The changes of one prompt and of the header in words: what changed, and what it does to results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.blueprint import Block
from engine.blueprint_changes.change import (
    Consequence,
    FieldChange,
    HeaderChange,
    HeaderPart,
    NamedPrompt,
    PointChange,
    PointChangeKind,
    PointSide,
    PromptChange,
    PromptField,
    PromptState,
)
from engine.blueprint_changes.changed_text import differing_lines, one_line, shortened
from engine.functions.call_description import as_json
from engine.rules.shares import percent
from engine.scoring.explanation_text import listed, path_label, point_label, weight_text
from engine.yaml_nodes.nodes import Data

_LONGEST = 110
_LONGEST_NAME = 60
_INDENT = "  "
_NOT_COMPARABLE = "models are asked something else, so answers before and after cannot be compared"
_CARRIED_OVER = "holistic judges are shown it, so earlier verdicts would be carried over"
_AS_IT_SCORES = "the same answers can score differently"
_NO_EFFECT = "no score depends on it"
_BESIDE = "the result shows whether it was kept; no score depends on it"


def prompt_name(named: NamedPrompt) -> str:
    """The written id of a prompt; else the beginning of its first message, in quotes."""
    prompt = named.prompt
    if prompt.id_written:
        return one_line(named.name)
    text = next((one_line(message.content) for message in prompt.messages if message.content), "")
    return f"“{text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME].rstrip() + ' …'}”" if text else named.name


def prompt_lines(change: PromptChange) -> list[str]:
    """All changes of a prompt, the most consequential first; what belongs to a line before is indented."""
    match change.state:
        case PromptState.ADDED:
            return list(_added(change))
        case PromptState.REMOVED:
            return list(_removed(change))
        case PromptState.CHANGED:
            return list(_changed(change))


def header_lines(changes: Sequence[HeaderChange]) -> list[str]:
    """All changes of the header, the most consequential first."""
    return [line for change in changes for line in _header_change(change)]


# --- A prompt that is new or gone


def _added(change: PromptChange) -> Iterator[str]:
    assert change.after is not None
    yield f"a new prompt with {_points(len(change.points))}: {percent(change.after.share)} of the blueprint's score"


def _removed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    yield f"removed, with {_points(len(change.points))}: it was {percent(change.before.share)} of the blueprint's score"
    if change.before.prompt.id_written:
        yield f"the results of `{one_line(change.before.name)}` on Weval are not continued"


# --- A prompt in both versions


def _changed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    assert change.after is not None
    for field in change.fields:
        if field.field in _FIELDS_BEFORE_POINTS:
            yield from _field(field, change)
    shown = [each for each in change.points if each.kinds != (PointChangeKind.SHARE,)]
    for point in shown:
        yield from _point(point)
    yield from _shares(change.points)
    for field in change.fields:
        if field.field not in _FIELDS_BEFORE_POINTS:
            yield from _field(field, change)
    if change.points_reordered:
        yield "points are in another order: no score depends on it"
    if Consequence.VERDICTS in change.consequences:
        yield "verdicts on criteria that stay would be carried over: holistic judges see all criteria"
    if change.moved:
        yield "moved: it stands elsewhere among the prompts; no score depends on it"
    if change.is_cut_off:
        yield "a YAML error hides a part of it, so there may be other changes"


_FIELDS_BEFORE_POINTS = frozenset(
    [PromptField.ID, PromptField.MESSAGES, PromptField.SYSTEM, PromptField.TEMPERATURE, PromptField.WEIGHT]
)


def _field(change: FieldChange, prompt: PromptChange) -> Iterator[str]:
    assert prompt.before is not None
    assert prompt.after is not None
    before, after = change.before, change.after
    match change.field:
        case PromptField.ID:
            yield _id_text(prompt.before, prompt.after)
        case PromptField.MESSAGES:
            one, other = _message_texts(before), _message_texts(after)
            kind = "only in white space" if one_line(one) == one_line(other) else ""
            yield f"messages changed{' ' if kind else ''}{kind}: {_NOT_COMPARABLE}"
            yield from _indented(differing_lines(one, other))
            if prompt.taken_from is not None:
                owner = one_line(prompt.taken_from)
                yield f"{_INDENT}they were those of `{owner}`: under this id, Weval's results go on with that question"
        case PromptField.SYSTEM:
            yield f"system prompt changed: {_NOT_COMPARABLE}"
            yield from _indented(differing_lines(_system_text(before), _system_text(after)))
        case PromptField.TEMPERATURE:
            yield f"temperature {_value(before)} → {_value(after)}: {_NOT_COMPARABLE}"
        case PromptField.WEIGHT:
            one, other = weight_text(prompt.before.prompt.weight), weight_text(prompt.after.prompt.weight)
            share, new_share = percent(prompt.before.share), percent(prompt.after.share)
            yield f"weight of the prompt {one} → {other}: {share} → {new_share} of the blueprint's score"
        case PromptField.IDEAL:
            yield _text_change("ideal", before, after, "neither models nor judges are shown it")
            if before is not None and after is not None:
                yield from _indented(differing_lines(str(before), str(after)))
        case PromptField.DESCRIPTION | PromptField.CITATION:
            yield _text_change(change.field.value, before, after, "neither models nor judges are shown it")
        case PromptField.RENDER_AS:
            yield f"render_as {before} → {after}: {_NO_EFFECT}"
        case PromptField.NO_CACHE:
            yield f"noCache {_value(before)} → {_value(after)}: {_NO_EFFECT}"
        case PromptField.REQUIRED_TOOLS | PromptField.PROHIBITED_TOOLS | PromptField.MAX_CALLS:
            yield f"{change.field.value} {_value(before)} → {_value(after)}: {_BESIDE}"


def _id_text(before: NamedPrompt, after: NamedPrompt) -> str:
    is_written, is_still = before.prompt.id_written, after.prompt.id_written
    old, new = one_line(before.prompt.id), one_line(after.prompt.id)
    if is_written and is_still:
        return f"id `{old}` → `{new}`: Weval keeps results by id, so those of `{old}` are not continued"
    if is_still:
        return f"id `{new}` is new: Weval named the prompt `{old}`, and those results are not continued"
    if is_written:
        return f"id `{old}` is gone: Weval keeps results by id, so those of `{old}` are not continued"
    return (
        f"no id is written: Weval's `{old}` depends on the rubric and is now `{new}`, "
        "so results are not continued; an `id:` keeps them"
    )


def _message_texts(messages: Data) -> str:
    assert isinstance(messages, list)
    several = len(messages) > 1
    return "\n".join(_message_text(each, with_role=several) for each in messages)


def _message_text(message: Data, *, with_role: bool) -> str:
    assert isinstance(message, dict)
    role, content = message["role"], message["content"]
    text = "(the model answers)" if content is None else str(content)
    return f"{role}: {text}" if with_role or role != "user" else text


def _text_change(name: str, before: Data, after: Data, effect: str) -> str:
    state = "added" if before is None else "removed" if after is None else "changed"
    return f"{name} {state}: {effect}"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"{_INDENT}{line}" for line in lines]


# --- Points


def _point(change: PointChange) -> Iterator[str]:
    one, other = change.before, change.after
    if one is None or other is None:
        yield _one_sided(change)
        return
    what = listed(_kind_text(kind, one, other) for kind in change.kinds)
    label, new_label = shortened(_label(one), _label(other))
    yield f"{what}: {label}{_share_text(one, other)}"
    if _label(one) != _label(other):
        yield f"{_INDENT}now {new_label}"
    elif one.point.text != other.point.text:
        yield f"{_INDENT}only white space differs, but verdicts on the old wording no longer count"


def _one_sided(change: PointChange) -> str:
    side = change.after or change.before
    assert side is not None
    word, were = ("added", "") if change.before is None else ("removed", "it was ")
    place = f"in {side.block}" if side.path is None else f"in {side.block}, on {path_label(side.path)}"
    share = percent(side.share) + (" of the score" if side.path is None else " of the score while its path counts")
    label, _ = shortened(_label(side), None)
    return f"{word} {place}: {label} ({were}{share})"


def _label(side: PointSide) -> str:
    text = side.point.text
    return point_label(side.point, len(str(side.point))) if text is None else f"“{one_line(text)}”"


def _share_text(one: PointSide, other: PointSide) -> str:
    before, after = percent(one.share), percent(other.share)
    return f" ({before} of the score)" if before == after else f" ({before} → {after} of the score)"


def _kind_text(kind: PointChangeKind, one: PointSide, other: PointSide) -> str:
    match kind:
        case PointChangeKind.MOVED_BLOCK if other.block is Block.SHOULD_NOT:
            return "moved to should_not, where it counts inverted"
        case PointChangeKind.MOVED_BLOCK:
            return "moved to should, where it no longer counts inverted"
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
        return "required now, and not on a path"
    if one.path is None:
        return f"moved onto {path_label(other.path)}: it counts only while that is the best path"
    return f"moved to {path_label(other.path)}, beside other points"


def _shares(points: Sequence[PointChange]) -> Iterator[str]:
    """The points of which only the share changed, those with the same shares on one line."""
    counts = Counter(
        (percent(each.before.share), percent(each.after.share))
        for each in points
        if each.kinds == (PointChangeKind.SHARE,) and each.before is not None and each.after is not None
    )
    for (before, after), count in counts.items():
        yield f"share of {_points(count, 'unchanged ')}: {before} → {after} of the score{' each' if count > 1 else ''}"


def _points(count: int, kind: str = "") -> str:
    return f"1 {kind}point" if count == 1 else f"{count or 'no'} {kind}points"


# --- The header

_EFFECTS = {
    HeaderPart.TOOLS: f"other tools are offered: {_NOT_COMPARABLE}",
    HeaderPart.TOOL_USE: _NOT_COMPARABLE,
    HeaderPart.SYSTEM: _NOT_COMPARABLE,
    HeaderPart.TEMPERATURE: _NOT_COMPARABLE,
    HeaderPart.TEMPERATURES: "each temperature has results of its own",
    HeaderPart.MODELS: "each model has results of its own",
    HeaderPart.JUDGES: _AS_IT_SCORES,
    HeaderPart.SCALE: _AS_IT_SCORES,
    HeaderPart.SERVICES: _AS_IT_SCORES,
    HeaderPart.CONTEXT: "it is kept and not sent",
}
_NAMES = {HeaderPart.SYSTEM: "system prompt", HeaderPart.SCALE: "scale of ten grades (useExperimentalScale)"}


def _header_change(change: HeaderChange) -> Iterator[str]:
    effect = _EFFECTS.get(change.part, _NO_EFFECT)
    if change.part is HeaderPart.DESCRIPTION:
        effect = _CARRIED_OVER if change.consequences else _NO_EFFECT
    name = _NAMES.get(change.part, change.part.value)
    if change.reordered:
        yield f"{name}s in another order: results of `[sp_idx:N]` belong to other ones than before"
        return
    parts = [
        f"{word} {listed(_quoted(change.part, each) for each in labels)}"
        for word, labels in (("added", change.added), ("removed", change.removed), ("changed", change.changed))
        if labels
    ]
    if parts:
        yield f"{name}: {'; '.join(parts)} ({effect})"
    elif _is_short(change.before) and _is_short(change.after):
        yield f"{name}: {_value(change.before)} → {_value(change.after)} ({effect})"
    else:
        yield f"{name} {_state(change)}: {effect}"
        if isinstance(change.before, str) and isinstance(change.after, str):
            yield from _indented(differing_lines(change.before, change.after))


def _state(change: HeaderChange) -> str:
    return "added" if change.before is None else "removed" if change.after is None else "changed"


def _quoted(part: HeaderPart, label: str) -> str:
    line = one_line(label)
    line = line if len(line) <= _LONGEST_NAME else f"{line[:_LONGEST_NAME].rstrip()} …"
    return f"“{line}”" if part is HeaderPart.SYSTEM else line


def _is_short(value: Data) -> bool:
    return "\n" not in str(value) and len(_value(value)) <= _LONGEST_NAME


def _value(value: Data) -> str:
    match value:
        case None:
            return "none"
        case str():
            return f"“{value}”"
        case [*items]:
            return listed([str(item) for item in items]) if items else "none"
        case _:
            return as_json(value)


def _system_text(value: Data) -> str:
    """The system prompt in force, or all of them."""
    systems = value if isinstance(value, list) else [value]
    return "\n".join("(no system prompt)" if each is None else str(each) for each in systems)
