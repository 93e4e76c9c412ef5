"""What changed in the header: the settings in force, so that a default that is written out is no change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.blueprint import Header
from engine.functions.call_description import as_json
from engine.judging.panel import Approach, Panel, panel
from engine.parsing import is_truthy
from engine.study.change import Consequence, HeaderChange, HeaderPart
from engine.yaml_nodes.nodes import Data

_DEFAULT_MODELS: tuple[Data, ...] = ("CORE",)
"""What Weval runs where no models are written."""
_NO_SYSTEM = "no system prompt"
_PLAIN = (
    HeaderPart.TOOL_USE,
    HeaderPart.TITLE,
    HeaderPart.DESCRIPTION,
    HeaderPart.AUTHOR,
    HeaderPart.CONTEXT,
    HeaderPart.CONCURRENCY,
    HeaderPart.EMBEDDING_MODEL,
)
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
    found = sorted(_changes(old, new), key=lambda change: list(HeaderPart).index(change.part))
    return tuple(found)


def both_holistic(old: Header, new: Header) -> bool:
    """Whether both versions have a judge that sees the description and all criteria."""
    return all(_has_holistic(panel(header)) for header in (old, new))


def _has_holistic(judges: Panel) -> bool:
    return any(judge.approach is Approach.HOLISTIC for judge in judges.judges)


def _changes(old: Header, new: Header) -> Iterator[HeaderChange]:
    yield from _systems(old, new)
    yield from _temperatures(old, new)
    models, new_models = old.models or _DEFAULT_MODELS, new.models or _DEFAULT_MODELS
    yield from _lists(HeaderPart.MODELS, models, new_models, lambda model: _name(model, "id"))
    tools, new_tools = _items(old, HeaderPart.TOOLS), _items(new, HeaderPart.TOOLS)
    yield from _lists(HeaderPart.TOOLS, tools, new_tools, lambda tool: _name(tool, "name"))
    judges, new_judges = panel(old).judges, panel(new).judges
    yield from _lists(
        HeaderPart.JUDGES,
        [f"{judge.model} ({judge.approach.value})" for judge in judges],
        [f"{judge.model} ({judge.approach.value})" for judge in new_judges],
        str,
    )
    yield from _values(HeaderPart.SCALE, old.use_experimental_scale, new.use_experimental_scale)
    yield from _lists(HeaderPart.SERVICES, _services(old), _services(new), lambda service: _name(service, "name"))
    yield from _lists(HeaderPart.TAGS, _items(old, HeaderPart.TAGS), _items(new, HeaderPart.TAGS), as_json_text)
    references, new_references = _items(old, HeaderPart.REFERENCES), _items(new, HeaderPart.REFERENCES)
    yield from _lists(HeaderPart.REFERENCES, references, new_references, lambda each: _name(each, "title"))
    render_as, new_render_as = (each.fields.get("render_as") or "markdown" for each in (old, new))
    yield from _values(HeaderPart.RENDER_AS, render_as, new_render_as)
    yield from _values(HeaderPart.NO_CACHE, is_truthy(old.fields.get("noCache")), is_truthy(new.fields.get("noCache")))
    for part in _PLAIN:
        due = _plain_consequences(old, new, part)
        yield from _values(part, old.fields.get(part.value), new.fields.get(part.value), due)


def _plain_consequences(old: Header, new: Header, part: HeaderPart) -> tuple[Consequence, ...]:
    if part is HeaderPart.DESCRIPTION:
        return (Consequence.VERDICTS,) if both_holistic(old, new) else ()
    return _CONSEQUENCES.get(part, ())


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


def _lists(
    part: HeaderPart, before: Sequence[Data], after: Sequence[Data], label: Callable[[Data], str]
) -> Iterator[HeaderChange]:
    """The change of a list whose order has no meaning: items by their labels."""
    one, other = _by_label(before, label), _by_label(after, label)
    added = tuple(each for each in other if each not in one)
    removed = tuple(each for each in one if each not in other)
    changed = tuple(each for each in one if each in other and one[each] != other[each])
    if added or removed or changed:
        consequences = _CONSEQUENCES.get(part, ())
        yield HeaderChange(part, added=added, removed=removed, changed=changed, consequences=consequences)


def _by_label(items: Sequence[Data], label: Callable[[Data], str]) -> dict[str, list[str]]:
    """What items hold, by their labels, which several may share."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(label(item), []).append(as_json(item))
    return {name: sorted(held) for name, held in found.items()}


def as_json_text(item: Data) -> str:
    """A text as it is, anything else as JSON."""
    return item if isinstance(item, str) else as_json(item)


def _name(item: Data, key: str) -> str:
    """The name of an item that is a text or a mapping. Of a mapping, nothing else is shown: it may hold secrets."""
    if isinstance(item, Mapping):
        name = item.get(key)
        return name if isinstance(name, str) else f"one without {key}"
    return as_json_text(item)


def _items(header: Header, part: HeaderPart) -> Sequence[Data]:
    value = header.fields.get(part.value)
    return value if isinstance(value, list) else [] if value is None else [value]


def _services(header: Header) -> list[Data]:
    services = header.fields.get(HeaderPart.SERVICES.value)
    return [{"name": name, "held": held} for name, held in services.items()] if isinstance(services, dict) else []
