"""What changed in the header between two versions of a blueprint, and a change of a value in words.

The settings in force are compared, so that a default that is written out is no change.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import zip_longest

from engine.blueprint import Header
from engine.judging.panel import Approach, panel
from engine.parsing.model_collections import DEFAULT
from engine.scoring.explanation import listed
from engine.text.record import Record
from engine.text.spans import changed_lines, common_prefix, in_quotes, one_line
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


class HeaderChange(Record):
    """One setting before and after, by its key, and the change in words.

    A list has the labels of what was `added`, `removed` and `changed` in it; what custom models and services hold is
    not shown, as it may be secret. A single value has `before` and `after`. `reordered`: system
    prompts that stay have another place.
    """

    part: str
    before: Data = None
    after: Data = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    reordered: bool = False
    consequences: tuple[Consequence, ...] = ()
    text: tuple[str, ...] = ()


# --- Two values in words


NOT_COMPARABLE = "models are asked something else, so answers before and after cannot be compared"
NO_EFFECT = "no score depends on it"
INDENT = "  "
"""The beginning of a line that belongs to the line before."""

LONGEST_NAME = 62
_LONGEST = 110
_LONGEST_VALUE = 60
_BEFORE = 30
"""How many characters of what two lines share are shown before the first that differs."""
_MOST_LINES = 12


def value_lines(name: str, before: Data, after: Data, effect: str) -> Iterator[str]:
    """A changed value: on one line if it is short, else with the lines of a text that differ below it."""
    texts = before, after
    if isinstance(before, str) and isinstance(after, str) and one_line(before) == one_line(after):
        name = f"white space of {name}"
    if all("\n" not in str(each) and len(_value_text(each)) <= _LONGEST_VALUE for each in texts):
        yield f"{name}: {_value_text(before)} → {_value_text(after)} ({effect})"
        return
    yield f"{name} {'added' if before is None else 'removed' if after is None else 'changed'}: {effect}"
    lines = list(_differing(*("" if each is None else str(each) for each in texts)))
    yield from (f"{INDENT}{line}" for line in lines[:_MOST_LINES])
    if left := len(lines[_MOST_LINES:]):
        yield f"{INDENT}… and {left} more changed line{'s' if left > 1 else ''}"


def _value_text(value: Data) -> str:
    """A value on one line: a text in quotes, a list with commas, `none` for null."""
    match value:
        case None | []:
            return "none"
        case str():
            return in_quotes(value)
        case [*items]:
            return listed([str(item) for item in items])
        case _:
            return json_text(value)


def _differing(before: str, after: str) -> Iterator[str]:
    """`- ` and the old line, `+ ` and the new one, for each changed line that is not empty."""
    old, new = before.splitlines(), after.splitlines()
    for low, high, new_low, new_high in changed_lines(old, new):
        pairs = list(zip_longest(old[low:high], new[new_low:new_high], fillvalue=""))
        yield from (f"- {shortened(one, other)}" for one, other in pairs if one.strip())
        yield from (f"+ {shortened(other, one)}" for one, other in pairs if other.strip())


def shortened(line: str, other: str = "") -> str:
    """At most 110 characters of `line`; if it or its `other` version is longer, from some words before the change."""
    is_long = max(len(line), len(other)) > _LONGEST and line != other
    start = max(common_prefix(line, other) - _BEFORE, 0) if is_long else 0
    rest, head = line[start:], "… " if start else ""
    return f"{head}{rest}" if len(rest) <= _LONGEST else f"{head}{rest[:_LONGEST].rstrip()} …"


# --- The settings


class _Setting(Record):
    """What a change of a setting does to results, and the words for a change that does nothing to them.

    `item` is of a list whose order has no meaning: the key that names its mappings, "" where it has texts.
    """

    consequence: Consequence | None = None
    no_effect: str = NO_EFFECT
    name: str = ""
    item: str | None = None


_NO_SYSTEM = "no system prompt"
_OWN = "each {} has results of its own"
_SETTINGS = {
    "system": _Setting(Consequence.ANSWERS, _OWN.format("system prompt"), "system prompt"),
    "temperature": _Setting(Consequence.ANSWERS),
    "temperatures": _Setting(Consequence.ANSWERS, _OWN.format("temperature")),
    "tools": _Setting(Consequence.ANSWERS, item="name"),
    "toolUse": _Setting(Consequence.ANSWERS),
    "models": _Setting(None, _OWN.format("model"), item="id"),
    "judges": _Setting(Consequence.SCORES, item=""),
    "useExperimentalScale": _Setting(Consequence.SCORES, name="scale of ten grades (useExperimentalScale)"),
    "description": _Setting(Consequence.VERDICTS),
    "externalServices": _Setting(Consequence.SCORES, item="name"),
    "title": _Setting(),
    "author": _Setting(),
    "tags": _Setting(item=""),
    "references": _Setting(item="title"),
    "render_as": _Setting(),
    "noCache": _Setting(),
    "context": _Setting(no_effect="it is kept and not sent"),
    "concurrency": _Setting(),
    "embeddingModel": _Setting(),
}
"""The settings of the header that can change, by their keys; the most consequential first."""
_EFFECTS = {
    Consequence.ANSWERS: NOT_COMPARABLE,
    Consequence.SCORES: "the same answers can score differently",
    Consequence.VERDICTS: "holistic judges are shown it, so earlier verdicts would be carried over",
}


def header_changes(old: Header, new: Header) -> tuple[HeaderChange, ...]:
    """The changes of the header, the most consequential first."""
    values, new_values = _in_force(old), _in_force(new)
    found: list[HeaderChange] = []
    for part, setting in _SETTINGS.items():
        if part == "description" and not both_holistic(old, new):
            setting = _Setting()
        if part != ("temperature" if old.temperatures or new.temperatures else "temperatures"):
            found += _changes(part, setting, values.get(part), new_values.get(part))
    return tuple(found)


def both_holistic(old: Header, new: Header) -> bool:
    """Whether both versions have a judge that sees the description and all criteria."""
    return all(any(judge.approach is Approach.HOLISTIC for judge in panel(each).judges) for each in (old, new))


def _in_force(header: Header) -> dict[str, Data]:
    """The values of the settings."""
    written, services = header.fields, header.fields.get("externalServices")
    held = services if isinstance(services, dict) else {}
    systems: list[Data] = [_NO_SYSTEM if each is None else each for each in header.systems]
    return {
        **written,
        "system": systems if len(systems) > 1 else header.systems[0] if systems else None,
        "temperature": header.temperature or 0,
        "temperatures": [*header.temperatures] or header.temperature or 0,
        "useExperimentalScale": header.use_experimental_scale,
        "render_as": written.get("render_as") or "markdown",
        "noCache": is_truthy(written.get("noCache")),
        "models": [*(header.models or DEFAULT)],
        "judges": [f"{judge.model} ({judge.approach.value})" for judge in panel(header).judges],
        "externalServices": [{"name": name, "held": each} for name, each in held.items()],
    }


def _changes(part: str, setting: _Setting, before: Data, after: Data) -> Iterator[HeaderChange]:
    """The change of one setting; none where the same is in force."""
    due, is_several = setting.consequence, isinstance(before, list) or isinstance(after, list)
    if part in ("system", "temperatures") and is_several:
        one, other = _listed(before), _listed(after)
        due = None if any(each in other for each in one) else due
        before, after = (one, other) if part == "system" else (before, after)
    consequences, effect = ((), setting.no_effect) if due is None else ((due,), _EFFECTS[due])
    if setting.item is not None or (part == "system" and is_several):
        yield from _list_changes(part, setting, before, after, effect, consequences)
    elif json_text(before) != json_text(after):
        text = tuple(value_lines(setting.name or part, before, after, effect))
        yield HeaderChange(part, before, after, consequences=consequences, text=text)


def _listed(value: Data) -> list[Data]:
    return value if isinstance(value, list) else [_NO_SYSTEM if value is None else value]


def _list_changes(
    part: str, setting: _Setting, before: Data, after: Data, effect: str, consequences: tuple[Consequence, ...]
) -> Iterator[HeaderChange]:
    one, other = (_labels(each, setting.item or "") for each in (before, after))
    added = tuple(each for each in other if each not in one)
    removed = tuple(each for each in one if each not in other)
    changed = tuple(each for each, held in one.items() if other.get(each, held) != held)
    is_system, places = part == "system", list(other)
    reordered = is_system and any(each in other and places.index(each) != at for at, each in enumerate(one))
    parts = [
        f"{word} {listed(in_quotes(each) if is_system else each for each in shown)}"
        for word, found in (("added", added), ("removed", removed), ("changed", changed))
        if (shown := [one_line(each, LONGEST_NAME) for each in found])
    ]
    if reordered:
        parts.append("others have another place, so `[sp_idx:N]` in results names other ones than before")
    if parts:
        text = (f"{setting.name or part}: {'; '.join(parts)} ({effect})",)
        yield HeaderChange(part, None, None, added, removed, changed, reordered, consequences, text)


def _labels(items: Data, key: str) -> dict[str, list[str]]:
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
