"""The changes of the header in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint_changes.change import Consequence, HeaderChange, HeaderPart
from engine.blueprint_changes.changed_text import (
    NO_EFFECT,
    NOT_COMPARABLE,
    cut_to,
    differing_lines,
    indented,
    value_text,
)
from engine.scoring.explanation_text import listed
from engine.text import in_quotes
from engine.yaml_nodes.nodes import Data

_LONGEST = 60
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
    line = cut_to(label, _LONGEST)
    return in_quotes(line) if part is HeaderPart.SYSTEM else line


def _is_short(value: Data) -> bool:
    return "\n" not in str(value) and len(value_text(value)) <= _LONGEST
