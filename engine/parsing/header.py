"""Reads the header: 002, "Configuration Header Fields"."""

from __future__ import annotations

from collections.abc import Mapping

from engine.blueprint import Header, Judge, RenderAs
from engine.parsing.demands import Demands
from engine.parsing.fields import Fields, fields, first_truthy, is_truthy, value_of
from engine.parsing.header_demands import demand_first
from engine.parsing.keys import Part, names_read
from engine.parsing.normalised_form import header_config
from engine.text.record import Record, field
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode
from engine.yaml.values import to_data, utf16_units

_KNOWN = names_read(Part.HEADER)


class Inherited(Record):
    """What prompts inherit from the header: its plain data, and the nodes that `$ref` refers to (None if unknown)."""

    header: dict[str, Data] = field(default_factory=dict[str, Data])
    defined: dict[str, Data] = field(default_factory=dict[str, Data])
    render_as: RenderAs = RenderAs.MARKDOWN
    no_cache: bool = False
    definitions: Mapping[str, Node] | None = field(default_factory=dict[str, Node])
    no_own_system: bool = False
    """Whether the header lists system prompts: Weval then refuses a prompt with a system prompt of its own (A23)."""


def read_header(node: MappingNode | None, demand: Demands) -> tuple[Header, Inherited]:
    """The header in `node`, and what prompts inherit from it; empty ones if there is no `node`.

    Makes the demands on it that Weval makes before those on the prompts.
    """
    if node is None:
        return Header(NOWHERE), Inherited()
    found = fields(node)
    data = to_data(MappingNode(node.span, tuple(pair for name, pair in found.items() if name != "prompts"), node.flow))
    assert isinstance(data, dict)
    demand.note_unknown(found, _KNOWN)
    render_as = demand_first(found, demand)
    resolved_fields = header_config(data)
    has_several = bool(_listed_systems(resolved_fields))
    nodes, no_cache = definition_nodes(found), is_truthy(data.get("noCache"))
    inherited = Inherited(data, defined_in(nodes), render_as, no_cache, nodes, has_several)
    if inherited.defined:
        resolved_fields["point_defs"] = inherited.defined
    return _header(node, resolved_fields), inherited


def _header(node: MappingNode, data: dict[str, Data]) -> Header:
    models = data.get("models")
    temperatures = data.get("temperatures")
    evaluation = _mapping(_mapping(data.get("evaluationConfig")).get("llm-coverage"))
    judges = evaluation.get("judges")
    return Header(
        span=node.span,
        title=_text(data.get("title")),
        description=_text(data.get("description")),
        models=tuple(models) if isinstance(models, list) else (),
        systems=_systems(data),
        temperature=_number(data.get("temperature")),
        temperatures=tuple(t for item in temperatures if (t := _number(item)) is not None)
        if isinstance(temperatures, list)
        else (),
        judges=tuple(judge for item in judges if (judge := _judge(_mapping(item))) is not None)
        if isinstance(judges, list)
        else (),
        use_experimental_scale=evaluation.get("useExperimentalScale") is True,
        fields=data,
        node=node,
    )


def _listed_systems(data: dict[str, Data]) -> tuple[str | None, ...]:
    """The system prompts, if the header lists several; else empty."""
    for name in ("systems", "system"):
        value = data.get(name)
        if isinstance(value, list) and value:
            return tuple(item for item in value if item is None or isinstance(item, str))
    return ()


def _systems(data: dict[str, Data]) -> tuple[str | None, ...]:
    if several := _listed_systems(data):
        return several
    value = data.get("system")
    return (value,) if isinstance(value, str) and value else ()


def _judge(data: dict[str, Data]) -> Judge | None:
    model, approach, name = data.get("model"), data.get("approach"), data.get("id")
    if not isinstance(model, str):
        return None
    return Judge(model, approach if isinstance(approach, str) else "", name if isinstance(name, str) else None)


def _text(value: Data) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Data) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _mapping(value: Data) -> dict[str, Data]:
    return value if isinstance(value, dict) else {}


def definition_nodes(found: Fields) -> dict[str, Node]:
    """The nodes that `$ref` refers to, by name: `point_defs`, or `defs` if that is absent or null."""
    node = value_of(first_truthy(found, "point_defs", "defs"))
    if isinstance(node, SequenceNode):
        return {str(index): item for index, item in enumerate(node.items)}
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        units = (ScalarNode(node.span, unit, unit, node.style) for unit in utf16_units(node.value))
        return {str(index): unit for index, unit in enumerate(units)}
    return {name: pair.value for name, pair in fields(node).items()} if isinstance(node, MappingNode) else {}


def defined_in(nodes: Mapping[str, Node]) -> dict[str, Data]:
    """The definitions as plain data."""
    return {name: to_data(node) for name, node in nodes.items()}
