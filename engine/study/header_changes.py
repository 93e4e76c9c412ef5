"""What changed in the header: the settings in force, so that a default that is written out is no change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from engine.blueprint import Header
from engine.functions.call_description import as_json
from engine.judging.panel import Approach, Panel, panel
from engine.parsing import is_truthy
from engine.study.change import Consequence, HeaderChange, HeaderPart
from engine.yaml_nodes.nodes import Data

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
    return all(_has_holistic(panel(header)) for header in (old, new))


def _has_holistic(judges: Panel) -> bool:
    return any(judge.approach is Approach.HOLISTIC for judge in judges.judges)


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
