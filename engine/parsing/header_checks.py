"""Checks of the header's fields: 002, "Configuration Header Fields", and what Weval refuses in them."""

from __future__ import annotations

import re
from datetime import datetime

from engine.blueprint import RenderAs
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    is_blank,
    is_null,
    number,
    string,
    truthy,
    value_of,
)
from engine.parsing.findings import Kind
from engine.parsing.flags import check_flag
from engine.parsing.normalised_form import REFERENCE_KEYS
from engine.parsing.parser_notes import Notes
from engine.parsing.settings import has_title
from engine.yaml_nodes.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import TooLarge, to_data

_CUSTOM_MODEL_TEXTS = ("id", "url", "modelName", "inherit")
_FORMATS = ("chat", "completions")
_PROMPT_FORMATS = ("conversational", "raw")
_VARIABLE = re.compile(r"\$\{\w+\}")


def check_header(found: Fields, notes: Notes) -> RenderAs:
    """Note what is wrong in a header; returns its `render_as`."""
    _check_texts(found, notes)
    _check_author(found, notes)
    _check_references(found, notes)
    render_as = _render_as(found, notes)
    _check_models(found, notes)
    _check_tools(found, notes)
    _check_tool_use(found, notes)
    _check_services(found, notes)
    _check_tags(found, notes)
    _check_temperatures(found, notes)
    _check_systems(found, notes)
    _check_definitions(found, notes)
    _check_evaluation(found, notes)
    check_flag("noCache", found, notes)
    return render_as


def _check_texts(found: Fields, notes: Notes) -> None:
    """Check the title, for which Weval uses the id if it is empty, and the description."""
    for key, pair in (
        ("title", first_truthy(found, "title", "configTitle") or found.get("title")),
        ("description", found.get("description")),
    ):
        value = value_of(pair)
        written = string(value)
        if pair is None or is_null(value):
            continue
        if written is None:
            notes.add(Kind.WRONG_TYPE, pair.value, key, refused=truthy(pair), when_run=truthy(pair))
        elif key == "title" and written and is_blank(written):
            notes.add(Kind.WRONG_TYPE, pair.value, "blank title", refused=True, when_run=True)


def _check_author(found: Fields, notes: Notes) -> None:
    pair = found.get("author")
    value = value_of(pair)
    if pair is None or string(value) is not None:
        return
    if isinstance(value, ScalarNode):
        notes.add(Kind.BAD_AUTHOR, pair.value, "", refused=True)
    elif not isinstance(value, MappingNode) or is_blank(string(value_of(fields(value).get("name"))) or ""):
        notes.add(Kind.BAD_AUTHOR, pair.value, "name", refused=True)


def _check_references(found: Fields, notes: Notes) -> None:
    pair = first_truthy(found, *REFERENCE_KEYS) or found.get(REFERENCE_KEYS[-1])
    value = value_of(pair)
    if pair is None or value is None:
        return
    for item in value.items if isinstance(value, SequenceNode) else (pair.value,):
        node = resolved(item)
        if isinstance(node, MappingNode):
            if not has_title(node):
                notes.add(Kind.BAD_REFERENCE, item, "title", refused=True)
        elif string(node) is None:
            notes.add(Kind.BAD_REFERENCE, item, "", refused=True)


def _render_as(found: Fields, notes: Notes) -> RenderAs:
    pair = found.get("render_as")
    if pair is None or not truthy(pair):
        return RenderAs.MARKDOWN
    name = string(value_of(pair))
    if name in frozenset(RenderAs):
        return RenderAs(name)
    notes.add(Kind.BAD_RENDER_AS, pair.value, name or "", refused=True)
    return RenderAs.MARKDOWN


def _check_models(found: Fields, notes: Notes) -> None:
    pair = found.get("models")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    if not isinstance(value, SequenceNode):
        notes.add(Kind.MODEL_FORMAT, pair.value, "models", refused=True)
        return
    for item in value.items:
        node = resolved(item)
        if isinstance(node, MappingNode):
            _check_custom_model(item, fields(node), notes)
        elif string(node) is None:
            notes.add(Kind.MODEL_FORMAT, item, "", refused=True)


def _check_custom_model(item: Node, found: Fields, notes: Notes) -> None:
    for key in _CUSTOM_MODEL_TEXTS:
        if not string(value_of(found.get(key))):
            at = found[key].value if key in found else item
            notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, at, key, refused=True)
            return
    _check_address(found["url"], notes)
    for key, names, is_refused in (("format", _FORMATS, True), ("promptFormat", _PROMPT_FORMATS, False)):
        pair = found.get(key)
        if pair is not None and truthy(pair) and string(value_of(pair)) not in names:
            notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, pair.value, key, refused=is_refused)
    for key in ("headers", "parameters", "parameterMapping"):
        pair = found.get(key)
        if pair is not None and truthy(pair) and not _is_object(value_of(pair)):
            notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, pair.value, key, refused=key == "headers")


def _check_address(pair: Pair, notes: Notes) -> None:
    """Check the `url` of a custom model: Weval accepts any text, and fails when it sends the request."""
    from engine.parsing.urls import is_url  # few files have custom models, and the import is slow

    address = (string(value_of(pair)) or "").strip()
    if _VARIABLE.search(address) is None and not (is_url(address) and re.match(r"(?i)https?:", address)):
        notes.add(Kind.CUSTOM_MODEL_INCOMPLETE, pair.value, "address")


def _is_object(node: Node | None) -> bool:
    """Whether the value is an object and not a list in JavaScript: a mapping or a date."""
    return isinstance(node, MappingNode) or (isinstance(node, ScalarNode) and isinstance(node.value, datetime))


def _check_tools(found: Fields, notes: Notes) -> None:
    pair = found.get("tools")
    value = value_of(pair)
    if pair is None or is_null(value):
        return
    if not isinstance(value, SequenceNode):
        notes.add(Kind.BAD_TOOLS, pair.value, "tools", refused=truthy(pair))
        return
    for item in value.items:
        node = resolved(item)
        if not isinstance(node, MappingNode) or not string(value_of(fields(node).get("name"))):
            notes.add(Kind.BAD_TOOLS, item, "name", refused=True)


def _check_tool_use(found: Fields, notes: Notes) -> None:
    pair = found.get("toolUse")
    value = value_of(pair)
    if pair is None or is_null(value):
        return
    if not isinstance(value, MappingNode):
        is_refused = truthy(pair) and isinstance(value, ScalarNode) and not _is_object(value)
        notes.add(Kind.BAD_TOOL_USE, pair.value, "toolUse", refused=is_refused)
        return
    inner = fields(value)
    check_flag("enabled", inner, notes)
    for key, allowed in (("mode", "trace-only"), ("outputFormat", "json-line")):
        mode = inner.get(key)
        if mode is not None and truthy(mode) and string(value_of(mode)) != allowed:
            notes.add(Kind.BAD_TOOL_USE, mode.value, key, refused=True)
    steps = inner.get("maxSteps")
    maximum = number(value_of(steps))
    if steps is not None and (maximum is None or maximum < 1):
        notes.add(Kind.BAD_TOOL_USE, steps.value, "maxSteps", refused=True)


def _check_services(found: Fields, notes: Notes) -> None:
    pair = found.get("externalServices")
    if pair is None or not truthy(pair):
        return
    value = value_of(pair)
    if isinstance(value, MappingNode):
        services = [entry.value for entry in fields(value).values()]
    elif isinstance(value, SequenceNode):
        services = list(value.items)
    else:
        notes.add(Kind.BAD_SERVICE, pair.value, "", refused=string(value) is not None)
        return
    for node in services:
        _check_service(node, notes)


def _check_service(item: Node, notes: Notes) -> None:
    node = resolved(item)
    if is_null(node):
        notes.add(Kind.BAD_SERVICE, item, "service", refused=True)
        return
    found = fields(node) if isinstance(node, MappingNode) else {}
    check_flag("cache", found, notes)
    url = found.get("url")
    if url is None or not truthy(url):
        notes.add(
            Kind.BAD_SERVICE, item if url is None else url.value, "service" if url is None else "url", refused=True
        )
        return
    _check_service_address(url, notes)
    method = found.get("method")
    if method is not None and truthy(method) and string(value_of(method)) not in ("GET", "POST", "PUT"):
        notes.add(Kind.BAD_SERVICE, method.value, "method", refused=True)
    limit = found.get("timeout_ms")
    if limit is not None:
        milliseconds = number(value_of(limit))
        if milliseconds is None or milliseconds <= 0:
            notes.add(Kind.BAD_SERVICE, limit.value, "timeout_ms", refused=True)


def _check_service_address(url: Pair, notes: Notes) -> None:
    """Check the `url` of a service. Weval converts it to a string first, so a list of one address passes there."""
    from engine.parsing.urls import is_url
    from engine.parsing.weval.javascript_values import Refused, text_of

    written = string(value_of(url))
    try:
        is_accepted = is_url(text_of(to_data(url.value)))
    except (Refused, TooLarge):
        is_accepted = False
    if not is_accepted or written is None:
        works = written is not None and _VARIABLE.search(written) is not None
        notes.add(Kind.BAD_SERVICE, url.value, "url", refused=not is_accepted, flagged=works)


# What Weval checks before it runs (platform.md, A23)


def _check_tags(found: Fields, notes: Notes) -> None:
    pair = found.get("tags")
    value = value_of(pair)
    if pair is not None and not isinstance(value, SequenceNode):
        notes.add(Kind.WRONG_TYPE, pair.value, "tags", refused=True, when_run=True)
    for item in value.items if isinstance(value, SequenceNode) else ():
        if string(resolved(item)) is None:
            notes.add(Kind.NON_STRING_SCALAR, item, "tags", refused=True, when_run=True)


def _check_temperatures(found: Fields, notes: Notes) -> None:
    pair = found.get("temperature")
    if pair is not None and number(value_of(pair)) is None:
        notes.add(Kind.BAD_TEMPERATURE, pair.value, "temperature", refused=True, when_run=True)
    pair = found.get("temperatures")
    value = value_of(pair)
    if pair is not None and not isinstance(value, SequenceNode):
        notes.add(Kind.BAD_TEMPERATURE, pair.value, "temperatures", refused=True, when_run=True)
    for item in value.items if isinstance(value, SequenceNode) else ():
        if number(resolved(item)) is None:
            notes.add(Kind.BAD_TEMPERATURE, item, "temperatures", refused=True, when_run=True)


def _check_systems(found: Fields, notes: Notes) -> None:
    system, systems = first_truthy(found, "system", "systemPrompt"), found.get("systems")
    listed, one = value_of(systems), value_of(system)
    counts = (isinstance(listed, SequenceNode) and listed.items) or string(listed)
    if isinstance(one, SequenceNode) and not counts:
        systems, listed = system, one
    elif system is not None and one is not None and string(one) is None and not isinstance(one, SequenceNode):
        notes.add(Kind.BAD_SYSTEM, system.value, "sent")
    if systems is None:
        return
    if not isinstance(listed, SequenceNode):
        notes.add(Kind.BAD_SYSTEM, systems.value, "systems", refused=True, when_run=True)
        return
    nulls = 0
    for item in listed.items:
        nulls += is_null(item)
        if string(resolved(item)) is None and not (is_null(item) and nulls == 1):
            detail = "second null" if is_null(item) else "system"
            notes.add(Kind.BAD_SYSTEM, item, detail, refused=True, when_run=True)


# What Weval accepts whatever its type, and then ignores


def _check_definitions(found: Fields, notes: Notes) -> None:
    for key in ("point_defs", "defs"):
        _check_mapping(key, found, notes)


def _check_evaluation(found: Fields, notes: Notes) -> None:
    evaluation = _check_mapping("evaluationConfig", found, notes)
    coverage = None if evaluation is None else _check_mapping("llm-coverage", fields(evaluation), notes)
    if coverage is not None:
        check_flag("useExperimentalScale", fields(coverage), notes)


def _check_mapping(key: str, found: Fields, notes: Notes) -> MappingNode | None:
    """The mapping under `key`; notes any other value except null."""
    pair = found.get(key)
    value = value_of(pair)
    if isinstance(value, MappingNode):
        return value
    if pair is not None and not is_null(value):
        notes.add(Kind.WRONG_TYPE, pair.value, key)
    return None
