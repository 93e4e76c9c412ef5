"""The header: 002's "Configuration Header Fields", and what Weval refuses in them."""

from __future__ import annotations

import re
from datetime import datetime

from engine.blueprint import Header, Judge, RenderAs
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    is_blank,
    is_null,
    is_truthy,
    number,
    string,
    truthy,
    type_name,
    value_of,
)
from engine.parsing.findings import Kind
from engine.parsing.keys import Part, names_read
from engine.parsing.normalised import REFERENCE_KEYS, definitions, header_config
from engine.parsing.notes import Notes
from engine.parsing.settings import Inherited, has_title
from engine.text import Span
from engine.yaml_nodes.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import json_text, property_name, to_data

_KNOWN = names_read(Part.HEADER)
_CUSTOM_MODEL_TEXTS = ("id", "url", "modelName", "inherit")
_VARIABLE = re.compile(r"\$\{\w+\}")


def read_header(node: MappingNode | None, notes: Notes) -> tuple[Header, Inherited]:
    """The header written in `node`, and what prompts inherit from it."""
    if node is None:
        return Header(Span(0, 0)), Inherited()
    found = fields(node)
    notes.add_unknown(found, _KNOWN)
    render_as = _check(found, notes)
    data = to_data(MappingNode(node.span, tuple(pair for name, pair in found.items() if name != "prompts"), node.flow))
    assert isinstance(data, dict)
    no_cache, nodes = is_truthy(data.get("noCache")), _definition_nodes(found)
    inherited = Inherited(data, definitions(data), render_as, no_cache, nodes, None in _permutations(data))
    resolved_fields = header_config(data)
    if inherited.defined:
        resolved_fields["point_defs"] = inherited.defined
    return _header(node.span, resolved_fields), inherited


def _header(span: Span, data: dict[str, Data]) -> Header:
    models = data.get("models")
    temperatures = data.get("temperatures")
    evaluation = _mapping(_mapping(data.get("evaluationConfig")).get("llm-coverage"))
    judges = evaluation.get("judges")
    return Header(
        span=span,
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
    )


def _permutations(data: dict[str, Data]) -> tuple[str | None, ...]:
    """The system prompts of a list of them."""
    for name in ("systems", "system"):
        value = data.get(name)
        if isinstance(value, list) and value:
            return tuple(item for item in value if item is None or isinstance(item, str))
    return ()


def _systems(data: dict[str, Data]) -> tuple[str | None, ...]:
    if several := _permutations(data):
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


def _definition_nodes(found: Fields) -> dict[str, Node]:
    """What `$ref` names: `point_defs`, or `defs` where that is absent or null."""
    node = value_of(first_truthy(found, "point_defs", "defs"))
    if isinstance(node, SequenceNode):
        return {str(index): item for index, item in enumerate(node.items)}
    return {name: pair.value for name, pair in fields(node).items()} if isinstance(node, MappingNode) else {}


def _check(found: Fields, notes: Notes) -> RenderAs:
    """Everything that Weval refuses in a header; returns the mode of rendering."""
    _check_author(found, notes)
    _check_references(found, notes)
    render_as = _render_as(found, notes)
    _check_models(found, notes)
    _check_tools(found, notes)
    _check_tool_use(found, notes)
    _check_services(found, notes)
    _check_variants(found, notes)
    return render_as


def _check_author(found: Fields, notes: Notes) -> None:
    pair = found.get("author")
    value = value_of(pair)
    if pair is None or string(value) is not None:
        return
    if isinstance(value, ScalarNode):
        refusal = "Invalid 'author' field: must be a string or an object with 'name'."
        notes.add(Kind.BAD_AUTHOR, pair.value, "", refusal=refusal)
    elif not isinstance(value, MappingNode) or is_blank(string(value.get("name")) or ""):
        notes.add(Kind.BAD_AUTHOR, pair.value, "name", refusal="Invalid 'author' object: missing 'name' string.")


def _check_references(found: Fields, notes: Notes) -> None:
    pair = first_truthy(found, *REFERENCE_KEYS)
    value = value_of(pair)
    if pair is None or value is None:
        return
    for item in value.items if isinstance(value, SequenceNode) else (pair.value,):
        node = resolved(item)
        if isinstance(node, MappingNode):
            if not has_title(node):
                refusal = "Invalid 'reference'/'citation' object: missing 'title' or 'name' string."
                notes.add(Kind.BAD_REFERENCE, item, "title", refusal=refusal)
        elif string(node) is None:
            refusal = (
                "Invalid 'reference'/'citation' field: must be a string, an object with 'title'/'name',"
                " or an array of these."
            )
            notes.add(Kind.BAD_REFERENCE, item, "", refusal=refusal)


def _render_as(found: Fields, notes: Notes) -> RenderAs:
    pair = found.get("render_as")
    if pair is None or not truthy(pair):
        return RenderAs.MARKDOWN
    name = string(value_of(pair))
    if name in frozenset(RenderAs):
        return RenderAs(name)
    refusal = "Invalid global 'render_as' value. Must be one of: markdown, html, plaintext."
    notes.add(Kind.BAD_RENDER_AS, pair.value, name or "", refusal=refusal)
    return RenderAs.MARKDOWN


def _check_models(found: Fields, notes: Notes) -> None:
    pair = found.get("models")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    if not isinstance(value, SequenceNode):
        refusal = "The 'models' field must be an array of strings or custom model objects."
        notes.add(Kind.MODEL_FORMAT, pair.value, "models", refusal=refusal)
        return
    for item in value.items:
        node = resolved(item)
        if isinstance(node, MappingNode | SequenceNode):
            _check_custom_model(item, fields(node) if isinstance(node, MappingNode) else {}, notes)
        elif string(node) is None:
            refusal = "Invalid model definition: must be a string or an object."
            notes.add(Kind.MODEL_FORMAT, item, "", refusal=refusal)


def _check_custom_model(item: Node, found: Fields, notes: Notes) -> None:
    name = string(value_of(found.get("id"))) or ""
    whose = f" for '{name}'" if name else ""
    for key in _CUSTOM_MODEL_TEXTS:
        if not string(value_of(found.get(key))):
            found_here = "" if whose else f" Found: {json_text(to_data(item))}"
            refusal = f"Invalid custom model definition{whose}: '{key}' is required and must be a string.{found_here}"
            at = found[key].value if key in found else item
            notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, at, key, refusal=refusal)
            return
    for key in ("format", "promptFormat", "headers", "parameters", "parameterMapping"):
        pair = found.get(key)
        if pair is None or not truthy(pair):
            continue
        is_text = key.casefold().endswith("format")
        right = string(value_of(pair)) is not None if is_text else _is_object(value_of(pair))
        if not right:
            refusal = (
                f"Invalid custom model definition{whose}: '{key}', if provided, must be"
                f" {'a string' if is_text else 'an object'}."
            )
            notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, pair.value, key, refusal=refusal)


def _is_object(node: Node | None) -> bool:
    """Whether JavaScript takes the value for an object and no list, as it does a date."""
    return isinstance(node, MappingNode) or (isinstance(node, ScalarNode) and isinstance(node.value, datetime))


def _check_tools(found: Fields, notes: Notes) -> None:
    pair = found.get("tools")
    if pair is None:
        return
    value = value_of(pair)
    if not isinstance(value, SequenceNode):
        refusal = "The 'tools' field must be an array of tool definitions."
        notes.add(Kind.BAD_TOOLS, pair.value, "tools", refusal=refusal)
        return
    for index, item in enumerate(value.items):
        node = resolved(item)
        if not isinstance(node, MappingNode) or not string(node.get("name")):
            refusal = f"Invalid tool definition at index {index}: each tool must have a 'name' string."
            notes.add(Kind.BAD_TOOLS, item, "name", refusal=refusal)


def _check_tool_use(found: Fields, notes: Notes) -> None:
    pair = found.get("toolUse")
    value = value_of(pair)
    if pair is None:
        return
    if isinstance(value, ScalarNode) and not _is_object(value):
        notes.add(Kind.BAD_TOOL_USE, pair.value, "toolUse", refusal="The 'toolUse' field must be an object.")
        return
    if not isinstance(value, MappingNode):
        notes.add(Kind.BAD_TOOL_USE, pair.value, "toolUse")
        return
    inner = fields(value)
    for key, allowed in (("mode", "trace-only"), ("outputFormat", "json-line")):
        mode = inner.get(key)
        if mode is not None and truthy(mode) and string(value_of(mode)) != allowed:
            refusal = f"The 'toolUse.{key}' field, if provided, must be '{allowed}'."
            notes.add(Kind.BAD_TOOL_USE, mode.value, key, refusal=refusal)
    steps = inner.get("maxSteps")
    most = number(value_of(steps))
    if steps is not None and (most is None or most < 1):
        refusal = "The 'toolUse.maxSteps' field, if provided, must be a positive number."
        notes.add(Kind.BAD_TOOL_USE, steps.value, "maxSteps", refusal=refusal)


def _check_services(found: Fields, notes: Notes) -> None:
    pair = found.get("externalServices")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    if isinstance(value, MappingNode):
        services = {name: entry.value for name, entry in fields(value).items()}
    elif isinstance(value, SequenceNode):
        services = {str(index): item for index, item in enumerate(value.items)}
    else:
        refusal = "External service '0' must have a 'url' field" if string(value) is not None else None
        notes.add(Kind.BAD_SERVICE, pair.value, "", refusal=refusal)
        return
    for name, node in services.items():
        _check_service(name, node, notes)


def _check_service(name: str, item: Node, notes: Notes) -> None:
    node = resolved(item)
    if is_null(node):
        notes.add(Kind.BAD_SERVICE, item, name, refusal="Cannot read properties of null (reading 'url')")
        return
    found = fields(node) if isinstance(node, MappingNode) else {}
    who = f"External service '{name}'"
    url = found.get("url")
    if url is None or not truthy(url):
        at = item if url is None else url.value
        part = "service" if url is None else "url"
        notes.add(Kind.BAD_SERVICE, at, part, refusal=f"{who} must have a 'url' field")
        return
    from engine.parsing.urls import is_url  # few files name a service, and it is not quick to import

    address = string(value_of(url)) or ""
    if not is_url(address):
        works = _VARIABLE.search(address) is not None
        notes.add(Kind.BAD_SERVICE, url.value, "url", refusal=f"{who} has invalid URL: {address}", flagged=works)
    method = found.get("method")
    if method is not None and truthy(method) and string(value_of(method)) not in ("GET", "POST", "PUT"):
        refusal = f"{who} has invalid method: {property_name(method.value)}. Must be GET, POST, or PUT"
        notes.add(Kind.BAD_SERVICE, method.value, "method", refusal=refusal)
    limit = found.get("timeout_ms")
    if limit is not None:
        milliseconds = number(value_of(limit))
        if milliseconds is None or milliseconds <= 0:
            refusal = f"{who} has invalid timeout_ms: {property_name(limit.value)}. Must be a positive number"
            notes.add(Kind.BAD_SERVICE, limit.value, "timeout_ms", refusal=refusal)


def _check_variants(found: Fields, notes: Notes) -> None:
    """System prompts, tags and temperatures, which Weval checks before it runs (platform.md, A23)."""
    for name in ("systems", "system"):
        value = value_of(found.get(name))
        if isinstance(value, SequenceNode):
            nulls = 0
            for item in value.items:
                nulls += is_null(resolved(item))
                if is_null(resolved(item)) and nulls == 1:
                    continue
                if string(resolved(item)) is None:
                    refusal = f"'{name}' may hold strings and at most one null"
                    detail = "second null" if is_null(resolved(item)) else name
                    notes.add(Kind.BAD_SYSTEM, item, detail, refusal=refusal, when_run=True)
        elif value is not None and not is_null(value) and string(value) is None:
            notes.add(Kind.BAD_SYSTEM, value, name, refusal=f"'{name}' must be a string or a list", when_run=True)
    tags = value_of(found.get("tags"))
    for item in tags.items if isinstance(tags, SequenceNode) else ():
        if string(resolved(item)) is None:
            notes.add(Kind.NON_STRING_SCALAR, item, "tags", refusal="'tags' must hold strings", when_run=True)
    pair = found.get("temperature")
    if pair is not None and not is_null(pair.value) and number(value_of(pair)) is None:
        refusal = f"'temperature' must be a number. Found {type_name(value_of(pair))}"
        notes.add(Kind.BAD_TEMPERATURE, pair.value, "temperature", refusal=refusal, when_run=True)
    listed = value_of(found.get("temperatures"))
    if isinstance(listed, SequenceNode):
        for item in listed.items:
            if number(resolved(item)) is None:
                refusal = "'temperatures' must hold numbers"
                notes.add(Kind.BAD_TEMPERATURE, item, "temperatures", refusal=refusal, when_run=True)
    elif listed is not None and not is_null(listed):
        refusal = "'temperatures' must be a list of numbers"
        notes.add(Kind.BAD_TEMPERATURE, listed, "temperatures", refusal=refusal, when_run=True)
