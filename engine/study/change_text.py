"""Changes between versions in words: of the header, of prompts and of points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from engine.blueprint import Block
from engine.functions.point_function import as_json
from engine.scoring.explanation_text import listed, path_label, point_label, weight_text
from engine.scoring.shares import percent
from engine.study.changes import (
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
from engine.text.line_differences import changed_lines
from engine.text.spans import difference, in_quotes, one_line
from engine.yaml.nodes import Data

NOT_COMPARABLE = "models are asked something else, so answers before and after cannot be compared"
NO_EFFECT = "no score depends on it"
INDENT = "  "
"""The beginning of a line that belongs to the line before."""

_LONGEST = 110
_BEFORE = 30
"""How many characters of what two lines share are shown before the first that differs."""
_MOST_LINES = 12


def differing_lines(before: str, after: str) -> list[str]:
    """`- ` and the old line, `+ ` and the new one, for each changed line: at most twelve, shortened to the change.

    Empty lines are left out.
    """
    lines = list(_lines(before.splitlines(), after.splitlines()))
    left = len(lines) - _MOST_LINES
    return lines if left <= 0 else [*lines[:_MOST_LINES], f"… and {left} more changed line{'s' if left > 1 else ''}"]


def _lines(old: list[str], new: list[str]) -> Iterator[str]:
    for low, high, new_low, new_high in changed_lines(old, new):
        pairs = list(zip_longest(old[low:high], new[new_low:new_high]))
        shown = [(None, None) if one is None and other is None else shortened(one, other) for one, other in pairs]
        yield from (f"- {one}" for one, _ in shown if one is not None and one.strip())
        yield from (f"+ {other}" for _, other in shown if other is not None and other.strip())


def shortened(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Two versions of one line on which at most some words before the change are shown, 110 characters at most."""
    if before is None or after is None:
        return _cut(before, 0), _cut(after, 0)
    start = 0 if before == after else max(difference(before, after, 0).span.start - _BEFORE, 0)
    longest = max(len(before), len(after))
    start = 0 if longest <= _LONGEST else start
    return _cut(before, start), _cut(after, start)


def _cut(line: str | None, start: int) -> str | None:
    if line is None:
        return None
    rest = line[start:]
    head = "… " if start else ""
    return f"{head}{rest}" if len(rest) <= _LONGEST else f"{head}{rest[:_LONGEST].rstrip()} …"


def cut_to(text: str, longest: int) -> str:
    """`text` on one line of at most so many characters, with ` …` where it is longer."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[:longest].rstrip()} …"


def indented(lines: Sequence[str]) -> list[str]:
    """`lines` as parts of the line before."""
    return [f"{INDENT}{line}" for line in lines]


def value_text(value: Data) -> str:
    """A value on one line: a text in quotes, a list with commas, `none` for null."""
    match value:
        case None:
            return "none"
        case str():
            return in_quotes(value)
        case [*items]:
            return listed([str(item) for item in items]) if items else "none"
        case _:
            return as_json(value)


# --- The header


_LONGEST_VALUE = 60
_CARRIED_OVER = "holistic judges are shown it, so earlier verdicts would be carried over"
_AS_IT_SCORES = "the same answers can score differently"

_EFFECTS = {
    HeaderPart.SYSTEM: "each system prompt has results of its own",
    HeaderPart.TEMPERATURES: "each temperature has results of its own",
    HeaderPart.MODELS: "each model has results of its own",
    HeaderPart.JUDGES: _AS_IT_SCORES,
    HeaderPart.SCALE: _AS_IT_SCORES,
    HeaderPart.SERVICES: _AS_IT_SCORES,
    HeaderPart.CONTEXT: "it is kept and not sent",
}
_NAMES = {HeaderPart.SYSTEM: "system prompt", HeaderPart.SCALE: "scale of ten grades (useExperimentalScale)"}


def header_lines(changes: Sequence[HeaderChange]) -> list[str]:
    """All changes of the header, the most consequential first; what belongs to a line before is indented."""
    return [line for change in changes for line in _header_change(change)]


def _header_change(change: HeaderChange) -> Iterator[str]:
    effect = _effect(change)
    name = _NAMES.get(change.part, change.part.value)
    parts = [
        f"{word} {listed(_quoted(change.part, each) for each in labels)}"
        for word, labels in (("added", change.added), ("removed", change.removed), ("changed", change.changed))
        if labels
    ]
    if change.reordered:
        parts.append("others have another place, so `[sp_idx:N]` in results names other ones than before")
    if parts:
        yield f"{name}: {'; '.join(parts)} ({effect})"
    elif _is_short(change.before) and _is_short(change.after):
        yield f"{name}: {value_text(change.before)} → {value_text(change.after)} ({effect})"
    else:
        yield f"{name} {_state(change)}: {effect}"
        if isinstance(change.before, str) and isinstance(change.after, str):
            yield from indented(differing_lines(change.before, change.after))


def _effect(change: HeaderChange) -> str:
    if Consequence.VERDICTS in change.consequences:
        return _CARRIED_OVER
    if Consequence.ANSWERS in change.consequences:
        return f"other tools are offered: {NOT_COMPARABLE}" if change.part is HeaderPart.TOOLS else NOT_COMPARABLE
    return _EFFECTS.get(change.part, NO_EFFECT)


def _state(change: HeaderChange) -> str:
    return "added" if change.before is None else "removed" if change.after is None else "changed"


def _quoted(part: HeaderPart, label: str) -> str:
    line = cut_to(label, _LONGEST_VALUE)
    return in_quotes(line) if part is HeaderPart.SYSTEM else line


def _is_short(value: Data) -> bool:
    return "\n" not in str(value) and len(value_text(value)) <= _LONGEST_VALUE


# --- Points


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


# --- Prompts


_LONGEST_NAME = 60
_BESIDE = "the result shows whether it is met; no score depends on it"


def prompt_name(named: NamedPrompt) -> str:
    """The written id of a prompt; else the beginning of its first message, in quotes."""
    prompt = named.prompt
    if prompt.id_written:
        return one_line(named.name)
    text = next((one_line(message.content) for message in prompt.messages if message.content), "")
    return in_quotes(cut_to(text, _LONGEST_NAME)) if text else named.name


def prompt_lines(change: PromptChange) -> list[str]:
    """All changes of a prompt, the most consequential first; what belongs to a line before is indented."""
    match change.state:
        case PromptState.ADDED:
            return list(_added(change))
        case PromptState.REMOVED:
            return list(_removed(change))
        case PromptState.CHANGED:
            return list(_changed(change))


# --- A prompt that is new or gone


def _added(change: PromptChange) -> Iterator[str]:
    assert change.after is not None
    yield f"a new prompt with {count_text(len(change.points))}: {percent(change.after.share)} of the blueprint's score"


def _removed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    points, share = count_text(len(change.points)), percent(change.before.share)
    yield f"removed, with {points}: it was {share} of the blueprint's score"
    if change.before.prompt.id_written:
        yield f"the results of `{one_line(change.before.name)}` on Weval are not continued"


# --- A prompt in both versions


def _changed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    assert change.after is not None
    for field in change.fields:
        if field.field in _FIELDS_BEFORE_POINTS:
            yield from _field(field, change)
    yield from point_lines(change.points)
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
            yield f"messages changed{' ' if kind else ''}{kind}: {NOT_COMPARABLE}"
            yield from indented(differing_lines(one, other))
            if prompt.taken_from is not None:
                owner = one_line(prompt.taken_from)
                yield f"{INDENT}they were those of `{owner}`: under this id, Weval's results go on with that question"
        case PromptField.SYSTEM:
            yield f"system prompt changed: {NOT_COMPARABLE}"
            yield from indented(differing_lines(_system_text(before), _system_text(after)))
        case PromptField.WEIGHT:
            one, other = weight_text(prompt.before.prompt.weight), weight_text(prompt.after.prompt.weight)
            share, new_share = percent(prompt.before.share), percent(prompt.after.share)
            yield f"weight of the prompt {one} → {other}: {share} → {new_share} of the blueprint's score"
        case PromptField.IDEAL:
            yield _text_change("ideal", before, after, "neither models nor judges are shown it")
            if before is not None and after is not None:
                yield from indented(differing_lines(str(before), str(after)))
        case PromptField.DESCRIPTION | PromptField.CITATION:
            yield _text_change(change.field.value, before, after, "neither models nor judges are shown it")
        case PromptField.RENDER_AS:
            yield f"render_as {before} → {after}: {NO_EFFECT}"
        case (
            PromptField.TEMPERATURE
            | PromptField.NO_CACHE
            | PromptField.REQUIRED_TOOLS
            | PromptField.PROHIBITED_TOOLS
            | PromptField.MAX_CALLS
        ) as field:
            effects = {PromptField.TEMPERATURE: NOT_COMPARABLE, PromptField.NO_CACHE: NO_EFFECT}
            yield f"{field.value} {value_text(before)} → {value_text(after)}: {effects.get(field, _BESIDE)}"


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
        f"no id is written: Weval makes one of question and rubric, `{old}` → `{new}`, so results are not continued; "
        "an `id:` keeps them"
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


def _system_text(value: Data) -> str:
    """The system prompt in force, or all of them."""
    systems = value if isinstance(value, list) else [value]
    return "\n".join("(no system prompt)" if each is None else str(each) for each in systems)
