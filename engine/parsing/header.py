"""The header: 002, "Configuration Header Fields", with what is demanded of it (platform.md, A23-A38)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from engine.blueprint import Header, Judge, RenderAs
from engine.parsing.demands import Demands, Kind, Loose, demand_flag, demand_source, read_render_as
from engine.parsing.fields import (
    Fields,
    Thrown,
    fields,
    fields_of,
    first_truthy,
    is_between,
    is_list,
    is_map,
    is_mapping,
    is_null,
    is_number,
    is_object,
    is_text,
    is_written_text,
    items_of,
    member,
    number,
    string,
    truthy,
    value_of,
    written_text,
)
from engine.parsing.normalised_form import REFERENCE_KEYS, header_config
from engine.text import NOWHERE, Record, field
from engine.yaml.keys import Part, names_read
from engine.yaml.nodes import (
    Data,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    is_truthy,
    json_text,
    resolved,
    to_data,
    utf16_units,
)

_MODEL_TEXTS = ("id", "url", "modelName", "inherit")
_VARIABLE = re.compile(r"\$\{\w+\}")


def demand_first(found: Fields, demand: Demands) -> RenderAs:
    """The demands on a header that Weval makes before those on the prompts; returns its `render_as`."""
    _author(found, demand)
    _references(found, demand)
    refusal = f"Invalid global 'render_as' value. Must be one of: {', '.join(RenderAs)}."
    render_as = read_render_as(found, demand, refusal)
    _models(found, demand)
    _tools(found, demand)
    _tool_use(found, demand)
    _title(found, demand)
    _unread_types(found, demand)
    return render_as or RenderAs.MARKDOWN


def demand_rest(found: Fields, demand: Demands) -> None:
    """The demands on a header that Weval makes after those on the prompts: on services, and before a run."""
    _services(found, demand)
    _before_a_run(found, demand)
    _demand_systems(found, demand)


def _author(found: Fields, demand: Demands) -> None:
    refusal = "Invalid 'author' field: must be a string or an object with 'name'."
    author = demand.field(found, "author", lambda value: is_text(value) or is_object(value), refusal, Kind.BAD_AUTHOR)
    if author is not None and not is_text(author):
        refusal = "Invalid 'author' object: missing 'name' string."
        demand(is_written_text(member(author, "name")), found["author"].value, refusal, Kind.BAD_AUTHOR, "name")


def _references(found: Fields, demand: Demands) -> None:
    pair = first_truthy(found, *REFERENCE_KEYS) or found.get(REFERENCE_KEYS[-1])
    if pair is None:
        return
    no_source = (
        "Invalid 'reference'/'citation' field: must be a string, an object with 'title'/'name', or an array of these."
    )
    no_title = "Invalid 'reference'/'citation' object: missing 'title' or 'name' string."
    value = value_of(pair)
    for item in items_of(value) if is_list(value) else (pair.value,):
        demand_source(item, demand, no_source, no_source if is_list(resolved(item)) else no_title)


# Models


def _models(found: Fields, demand: Demands) -> None:
    refusal = "The 'models' field must be an array of strings or custom model objects."
    models = demand.field(found, "models", is_list, refusal, Kind.MODEL_FORMAT, loose=Loose.FALSE)
    for item in items_of(models):
        model = resolved(item)
        refusal = "Invalid model definition: must be a string or an object."
        if not is_text(model) and demand(is_map(model), item, refusal, Kind.MODEL_FORMAT):
            _custom_model(item, fields_of(model), demand)


def _custom_model(item: Node, found: Fields, demand: Demands) -> None:
    kind, name = Kind.CUSTOM_MODEL_INCOMPLETE, string(value_of(found.get("id")))

    def invalid(said: str) -> Callable[[], str]:
        shown = f": {said} Found: {json_text(to_data(item))}" if not name else f" for '{name}': {said}"
        return lambda: f"Invalid custom model definition{shown}"

    for key in _MODEL_TEXTS:
        at = found[key].value if key in found else item
        refusal = invalid(f"'{key}' is required and must be a string.")
        if not demand(string(value_of(found.get(key))), at, refusal, kind, key):
            return
    demand.field(found, "url", _is_address, None, kind, "address")
    form = string(value_of(found.get("format")))
    refusal = "'format', if provided, must be a string."
    refusal = refusal if form is None else f"'format' must be either 'chat' or 'completions'. Found: '{form}'"
    demand.field(found, "format", _one_of("chat", "completions"), invalid(refusal), kind, loose=Loose.FALSE)
    demand.field(found, "promptFormat", _one_of("conversational", "raw"), None, kind, loose=Loose.FALSE)
    refusal = invalid("'headers', if provided, must be an object.")
    for key, theirs in (("headers", refusal), ("parameters", None), ("parameterMapping", None)):
        demand.field(found, key, is_map, theirs, kind, loose=Loose.FALSE)


def _one_of(*names: str) -> Callable[[Node], bool]:
    return lambda value: string(value) in names


def _is_address(value: Node) -> bool:
    """Whether a custom model has this `url`: Weval accepts any text, and fails when it sends the request."""
    from engine.parsing.urls import is_url  # few files have custom models, and the import is slow

    address = (string(value) or "").strip()
    return _VARIABLE.search(address) is not None or (is_url(address) and bool(re.match(r"(?i)https?:", address)))


# Tools and services


def _tools(found: Fields, demand: Demands) -> None:
    refusal = "The 'tools' field must be an array of tool definitions."
    tools = demand.field(found, "tools", is_list, refusal, Kind.BAD_TOOLS, loose=Loose.NULL)
    for index, item in enumerate(items_of(tools)):
        refusal = f"Invalid tool definition at index {index}: each tool must have a 'name' string."
        demand(string(member(resolved(item), "name")), item, refusal, Kind.BAD_TOOLS, "name")


def _tool_use(found: Fields, demand: Demands) -> None:
    kind = Kind.BAD_TOOL_USE
    is_refused, refusal = not is_object(value_of(found.get("toolUse"))), "The 'toolUse' field must be an object."
    used = demand.field(found, "toolUse", is_mapping, refusal, kind, loose=Loose.NULL, refused=is_refused)
    inner = fields_of(used)
    demand_flag("enabled", inner, demand)
    for key, only in (("mode", "trace-only"), ("outputFormat", "json-line")):
        refusal = f"The 'toolUse.{key}' field, if provided, must be '{only}'."
        demand.field(inner, key, _one_of(only), refusal, kind, loose=Loose.FALSE)
    refusal = "The 'toolUse.maxSteps' field, if provided, must be a positive number."
    demand.field(inner, "maxSteps", lambda value: is_between(value, 1, math.inf), refusal, kind)


def _services(found: Fields, demand: Demands) -> None:
    """The demands on services. Weval takes each letter of a text for a service, and none from a number."""
    services, refusal = value_of(found.get("externalServices")), "External service '0' must have a 'url' field"
    if isinstance(services, ScalarNode):
        is_refused = is_text(services)
        demand.field(
            found, "externalServices", is_mapping, refusal, Kind.BAD_SERVICE, "", loose=Loose.FALSE, refused=is_refused
        )
    else:
        listed = ((str(index), item) for index, item in enumerate(items_of(services)))
        named = ((name, pair.value) for name, pair in fields_of(services).items())
        for name, item in (*listed, *named):
            _service(f"External service '{name}'", item, demand)


def _service(who: str, item: Node, demand: Demands) -> None:
    kind, null = Kind.BAD_SERVICE, "Cannot read properties of null (reading 'url')"
    if not demand(not is_null(item), item, null, kind, "service"):
        return
    found = fields_of(resolved(item))
    demand_flag("cache", found, demand)
    url = found.get("url")
    at, detail = (item, "service") if url is None else (url.value, "url")
    if not demand(truthy(url), at, lambda: f"{who} must have a 'url' field", kind, detail) or url is None:
        return
    _service_address(who, url, demand)
    demand.field(found, "method", _one_of("GET", "POST", "PUT"), lambda: (
        f"{who} has invalid method: {written_text(found.get('method'))}. Must be GET, POST, or PUT"
    ), kind, loose=Loose.FALSE)  # fmt: skip
    demand.field(found, "timeout_ms", lambda value: is_number(value) and not (number(value) or 0) <= 0, lambda: (
        f"{who} has invalid timeout_ms: {written_text(found.get('timeout_ms'))}. Must be a positive number"
    ), kind)  # fmt: skip


def _service_address(who: str, url: Pair, demand: Demands) -> None:
    """Check the `url` of a service. Weval converts it to a string first, so a list of one address passes there."""
    from engine.parsing.urls import is_url

    def is_accepted() -> bool:
        try:
            return is_url(written_text(url))
        except Thrown:
            return False

    written, accepted = string(value_of(url)), is_accepted()
    works = written is not None and _VARIABLE.search(written) is not None
    demand(accepted and written is not None, url.value, lambda: (
        f"{who} has invalid URL: {written_text(url)}"
    ), Kind.BAD_SERVICE, "url", refused=not accepted, flagged=works)  # fmt: skip


# What Weval refuses before it runs (platform.md, A23)


def _title(found: Fields, demand: Demands) -> None:
    """Check the title, for which Weval uses the id if it is empty."""
    key = "configTitle" if not truthy(found.get("title")) and truthy(found.get("configTitle")) else "title"
    detail = "blank title" if is_text(value_of(found.get(key))) else "title"
    refusal = "Failed to determine a valid 'title' for the blueprint from file content or 'id'."
    demand.field(
        found,
        key,
        lambda value: string(value) == "" or is_written_text(value),
        refusal,
        Kind.WRONG_TYPE,
        detail,
        loose=Loose.NULL,
        when_run=True,
    )


def _before_a_run(found: Fields, demand: Demands) -> None:
    refusal = "configJson.description.substring is not a function"
    demand.field(found, "description", is_text, refusal, Kind.WRONG_TYPE, loose=Loose.NULL, when_run=True)
    refusal, kind = "Config file has invalid 'temperature'", Kind.BAD_TEMPERATURE
    demand.field(found, "temperature", is_number, refusal, kind, when_run=True)
    refusal = "Config file has invalid 'temperatures'"
    listed = demand.field(found, "temperatures", is_list, refusal, kind, when_run=True)
    demand.items(listed, is_number, refusal, kind, "")
    if any(is_number(resolved(item)) for item in items_of(listed)) and is_number(value_of(found.get("temperature"))):
        demand.note(Kind.TEMPERATURE_SHADOWED, found["temperature"].key, "temperatures")
    refusal = "Config file has an invalid 'tags' field (must be an array of strings if provided)."
    listed = demand.field(found, "tags", is_list, refusal, Kind.WRONG_TYPE, when_run=True)
    demand.items(listed, is_text, refusal, Kind.NON_STRING_SCALAR, "tags")


def _demand_systems(found: Fields, demand: Demands) -> None:
    system, systems = first_truthy(found, "system", "systemPrompt"), found.get("systems")
    listed, one = value_of(systems), value_of(system)
    if is_list(one) and not items_of(listed) and not string(listed):
        systems, listed = system, one
    elif system is not None and not is_text(one) and not is_list(one):
        demand.note(Kind.BAD_SYSTEM, system.value, "sent")
    if systems is None:
        return
    refusal = "Config file has invalid 'systems' (must be an array of strings or nulls)."
    demand(is_list(listed), systems.value, refusal, Kind.BAD_SYSTEM, "systems", when_run=True)
    demand.items(listed, lambda item: is_null(item) or is_text(item), refusal, Kind.BAD_SYSTEM, "system")
    refusal = "Config file validation error: The 'systems' array can contain at most one 'null' entry."
    for item in [item for item in items_of(listed) if is_null(item)][1:]:
        demand(False, item, refusal, Kind.BAD_SYSTEM, "second null", thrown=systems.value, when_run=True)


# What Weval accepts whatever its type, and then ignores


def _unread_types(found: Fields, demand: Demands) -> None:
    def mapping_under(key: str, found: Fields) -> Fields:
        return fields_of(demand.field(found, key, is_mapping, None, Kind.WRONG_TYPE, loose=Loose.NULL))

    for key in ("point_defs", "defs"):
        mapping_under(key, found)
    coverage = mapping_under("llm-coverage", mapping_under("evaluationConfig", found))
    demand_flag("useExperimentalScale", coverage, demand)
    demand_flag("noCache", found, demand)


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
