"""What is demanded of a header: 002, "Configuration Header Fields", and what Weval refuses (platform.md, A23-A38)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.blueprint import RenderAs
from engine.parsing.demands import Demands, demand_flag, demand_source, read_render_as
from engine.parsing.fields import (
    Fields,
    Thrown,
    fields,
    first_truthy,
    is_between,
    is_map,
    is_null,
    is_object,
    is_written_text,
    member,
    number,
    string,
    truthy,
    value_of,
    written_text,
)
from engine.parsing.findings import Kind
from engine.parsing.normalised_form import REFERENCE_KEYS
from engine.yaml_nodes.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import json_text, to_data

_MODEL_TEXTS = ("id", "url", "modelName", "inherit")
_FORMATS = ("chat", "completions")
_PROMPT_FORMATS = ("conversational", "raw")
_METHODS = ("GET", "POST", "PUT")
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
    _description(found, demand)
    _temperatures(found, demand)
    _tags(found, demand)
    _systems(found, demand)


def _author(found: Fields, demand: Demands) -> None:
    pair = found.get("author")
    value = value_of(pair)
    if pair is None or string(value) is not None:
        return
    refusal = "Invalid 'author' field: must be a string or an object with 'name'."
    if demand(is_object(value), pair.value, refusal, Kind.BAD_AUTHOR):
        refusal = "Invalid 'author' object: missing 'name' string."
        demand(is_written_text(member(value, "name")), pair.value, refusal, Kind.BAD_AUTHOR, "name")


def _references(found: Fields, demand: Demands) -> None:
    pair = first_truthy(found, *REFERENCE_KEYS) or found.get(REFERENCE_KEYS[-1])
    value = value_of(pair)
    if pair is None or value is None:
        return
    no_source = (
        "Invalid 'reference'/'citation' field: must be a string, an object with 'title'/'name', or an array of these."
    )
    no_title = "Invalid 'reference'/'citation' object: missing 'title' or 'name' string."
    for item in value.items if isinstance(value, SequenceNode) else (pair.value,):
        is_list = isinstance(resolved(item), SequenceNode)
        demand_source(item, demand, no_source, no_source if is_list else no_title)


# Models


def _models(found: Fields, demand: Demands) -> None:
    pair = found.get("models")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    refusal = "The 'models' field must be an array of strings or custom model objects."
    demand(isinstance(value, SequenceNode), pair.value, refusal, Kind.MODEL_FORMAT, "models")
    for item in value.items if isinstance(value, SequenceNode) else ():
        node = resolved(item)
        refusal = "Invalid model definition: must be a string or an object."
        if string(node) is None and demand(is_map(node), item, refusal, Kind.MODEL_FORMAT):
            _custom_model(item, fields(node) if isinstance(node, MappingNode) else {}, demand)


def _custom_model(item: Node, found: Fields, demand: Demands) -> None:
    who = "Invalid custom model definition"
    for key in _MODEL_TEXTS:
        written = string(value_of(found.get(key)))
        at = found[key].value if key in found else item
        refusal = f"{who}: '{key}' is required and must be a string."
        shown = f"{refusal} Found: {json_text(to_data(item))}" if key == "id" and not written else refusal
        if not demand(written, at, shown, Kind.CUSTOM_MODEL_INCOMPLETE, key):
            return
        if key == "id":
            who = f"{who} for '{written}'"
    _address(found["url"], demand)
    form = string(value_of(found.get("format")))
    refusal = f"{who}: 'format' must be either 'chat' or 'completions'. Found: '{form}'"
    refusal = f"{who}: 'format', if provided, must be a string." if form is None else refusal
    _one_of("format", _FORMATS, found, demand, refusal)
    _one_of("promptFormat", _PROMPT_FORMATS, found, demand, None)
    for key in ("headers", "parameters", "parameterMapping"):
        pair = found.get(key)
        if pair is not None and truthy(pair):
            refusal, is_refused = f"{who}: '{key}', if provided, must be an object.", key == "headers"
            is_met = is_map(value_of(pair))
            demand(is_met, pair.value, refusal, Kind.CUSTOM_MODEL_INCOMPLETE, key, refused=is_refused)


def _one_of(key: str, names: tuple[str, ...], found: Fields, demand: Demands, theirs: str | None) -> None:
    """Demand one of `names`, or something false; Weval refuses other values unless `theirs` is None."""
    pair = found.get(key)
    if pair is not None and truthy(pair):
        is_met = string(value_of(pair)) in names
        refusal, is_refused = theirs or "", theirs is not None
        demand(is_met, pair.value, refusal, Kind.CUSTOM_MODEL_INCOMPLETE, key, refused=is_refused)


def _address(pair: Pair, demand: Demands) -> None:
    """Check the `url` of a custom model: Weval accepts any text, and fails when it sends the request."""
    from engine.parsing.urls import is_url  # few files have custom models, and the import is slow

    address = (string(value_of(pair)) or "").strip()
    if _VARIABLE.search(address) is None and not (is_url(address) and re.match(r"(?i)https?:", address)):
        demand.note(Kind.CUSTOM_MODEL_INCOMPLETE, pair.value, "address")


# Tools and services


def _tools(found: Fields, demand: Demands) -> None:
    pair = found.get("tools")
    value = value_of(pair)
    if pair is None or is_null(value):
        return
    is_list, refusal = isinstance(value, SequenceNode), "The 'tools' field must be an array of tool definitions."
    demand(is_list, pair.value, refusal, Kind.BAD_TOOLS, "tools", refused=truthy(pair))
    for index, item in enumerate(value.items if isinstance(value, SequenceNode) else ()):
        refusal = f"Invalid tool definition at index {index}: each tool must have a 'name' string."
        demand(string(member(resolved(item), "name")), item, refusal, Kind.BAD_TOOLS, "name")


def _tool_use(found: Fields, demand: Demands) -> None:
    pair = found.get("toolUse")
    value = value_of(pair)
    if pair is None or is_null(value):
        return
    is_refused, refusal = truthy(pair) and not is_object(value), "The 'toolUse' field must be an object."
    demand(isinstance(value, MappingNode), pair.value, refusal, Kind.BAD_TOOL_USE, "toolUse", refused=is_refused)
    inner = fields(value) if isinstance(value, MappingNode) else {}
    demand_flag("enabled", inner, demand)
    for key, only in (("mode", "trace-only"), ("outputFormat", "json-line")):
        chosen = inner.get(key)
        if chosen is not None and truthy(chosen):
            refusal = f"The 'toolUse.{key}' field, if provided, must be '{only}'."
            demand(string(value_of(chosen)) == only, chosen.value, refusal, Kind.BAD_TOOL_USE, key)
    steps = inner.get("maxSteps")
    if steps is not None:
        refusal = "The 'toolUse.maxSteps' field, if provided, must be a positive number."
        is_sound = is_between(value_of(steps), 1, float("inf"))
        demand(is_sound, steps.value, refusal, Kind.BAD_TOOL_USE, "maxSteps")


def _services(found: Fields, demand: Demands) -> None:
    pair = found.get("externalServices")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    if isinstance(value, ScalarNode):
        refusal, is_text = "External service '0' must have a 'url' field", string(value) is not None
        demand(False, pair.value, refusal, Kind.BAD_SERVICE, refused=is_text)
    for name, item in _members(value):
        _service(f"External service '{name}'", item, demand)


def _members(value: Node | None) -> Iterator[tuple[str, Node]]:
    if isinstance(value, MappingNode):
        yield from ((name, pair.value) for name, pair in fields(value).items())
    elif isinstance(value, SequenceNode):
        yield from ((str(index), item) for index, item in enumerate(value.items))


def _service(who: str, item: Node, demand: Demands) -> None:
    node = resolved(item)
    null = "Cannot read properties of null (reading 'url')"
    if not demand(not is_null(node), item, null, Kind.BAD_SERVICE, "service"):
        return
    found = fields(node) if isinstance(node, MappingNode) else {}
    demand_flag("cache", found, demand)
    url = found.get("url")
    at, detail = (item, "service") if url is None else (url.value, "url")
    if not demand(truthy(url), at, f"{who} must have a 'url' field", Kind.BAD_SERVICE, detail) or url is None:
        return
    _service_address(who, url, demand)
    method, limit = found.get("method"), found.get("timeout_ms")
    if method is not None and truthy(method):
        demand(string(value_of(method)) in _METHODS, method.value, lambda: (
            f"{who} has invalid method: {written_text(method)}. Must be GET, POST, or PUT"
        ), Kind.BAD_SERVICE, "method")  # fmt: skip
    if limit is not None:
        milliseconds = number(value_of(limit))
        demand(milliseconds is not None and not milliseconds <= 0, limit.value, lambda: (
            f"{who} has invalid timeout_ms: {written_text(limit)}. Must be a positive number"
        ), Kind.BAD_SERVICE, "timeout_ms")  # fmt: skip


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
    pair = first_truthy(found, "title", "configTitle") or found.get("title")
    if pair is None or is_null(pair.value):
        return
    written = string(value_of(pair))
    refusal = "Failed to determine a valid 'title' for the blueprint from file content or 'id'."
    is_sound, detail = written == "" or is_written_text(value_of(pair)), "title" if written is None else "blank title"
    demand(is_sound, pair.value, refusal, Kind.WRONG_TYPE, detail, refused=truthy(pair), when_run=True)


def _description(found: Fields, demand: Demands) -> None:
    pair = found.get("description")
    if pair is not None and not is_null(pair.value):
        is_text, refusal = string(value_of(pair)) is not None, "configJson.description.substring is not a function"
        demand(is_text, pair.value, refusal, Kind.WRONG_TYPE, "description", refused=truthy(pair), when_run=True)


def _temperatures(found: Fields, demand: Demands) -> None:
    pair = found.get("temperature")
    if pair is not None:
        is_number, refusal = number(value_of(pair)) is not None, "Config file has invalid 'temperature'"
        demand(is_number, pair.value, refusal, Kind.BAD_TEMPERATURE, "temperature", when_run=True)
    pair = found.get("temperatures")
    if pair is None:
        return
    value, refusal = value_of(pair), "Config file has invalid 'temperatures'"
    is_list = isinstance(value, SequenceNode)
    demand(is_list, pair.value, refusal, Kind.BAD_TEMPERATURE, "temperatures", when_run=True)
    for item in value.items if isinstance(value, SequenceNode) else ():
        is_number = number(resolved(item)) is not None
        demand(is_number, item, refusal, Kind.BAD_TEMPERATURE, "temperatures", thrown=pair.value, when_run=True)


def _tags(found: Fields, demand: Demands) -> None:
    pair = found.get("tags")
    if pair is None:
        return
    value, refusal = (
        value_of(pair),
        "Config file has an invalid 'tags' field (must be an array of strings if provided).",
    )
    demand(isinstance(value, SequenceNode), pair.value, refusal, Kind.WRONG_TYPE, "tags", when_run=True)
    for item in value.items if isinstance(value, SequenceNode) else ():
        is_text = string(resolved(item)) is not None
        demand(is_text, item, refusal, Kind.NON_STRING_SCALAR, "tags", thrown=pair.value, when_run=True)


def _systems(found: Fields, demand: Demands) -> None:
    system, systems = first_truthy(found, "system", "systemPrompt"), found.get("systems")
    listed, one = value_of(systems), value_of(system)
    counts = (isinstance(listed, SequenceNode) and listed.items) or string(listed)
    if isinstance(one, SequenceNode) and not counts:
        systems, listed = system, one
    elif system is not None and string(one) is None and not isinstance(one, SequenceNode):
        demand.note(Kind.BAD_SYSTEM, system.value, "sent")
    if systems is None:
        return
    refusal = "Config file has invalid 'systems' (must be an array of strings or nulls)."
    is_list = isinstance(listed, SequenceNode)
    demand(is_list, systems.value, refusal, Kind.BAD_SYSTEM, "systems", when_run=True)
    items = listed.items if isinstance(listed, SequenceNode) else ()
    for item in items:
        is_one = is_null(item) or string(resolved(item)) is not None
        demand(is_one, item, refusal, Kind.BAD_SYSTEM, "system", thrown=systems.value, when_run=True)
    refusal = "Config file validation error: The 'systems' array can contain at most one 'null' entry."
    for item in [item for item in items if is_null(item)][1:]:
        demand(False, item, refusal, Kind.BAD_SYSTEM, "second null", thrown=systems.value, when_run=True)


# What Weval accepts whatever its type, and then ignores


def _unread_types(found: Fields, demand: Demands) -> None:
    for key in ("point_defs", "defs"):
        _mapping_under(key, found, demand)
    evaluation = _mapping_under("evaluationConfig", found, demand)
    demand_flag("useExperimentalScale", _mapping_under("llm-coverage", evaluation, demand), demand)
    demand_flag("noCache", found, demand)


def _mapping_under(key: str, found: Fields, demand: Demands) -> Fields:
    """The fields of the mapping under `key`; notes any other value except null."""
    pair = found.get(key)
    value = value_of(pair)
    if isinstance(value, MappingNode):
        return fields(value)
    if pair is not None and not is_null(value):
        demand.note(Kind.WRONG_TYPE, pair.value, key)
    return {}
