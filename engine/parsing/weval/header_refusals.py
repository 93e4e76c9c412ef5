"""The refusals of Weval's parser in a header, in its order (platform.md, A26, A35, A38)."""

from __future__ import annotations

from engine.blueprint import ABSENT, RenderAs
from engine.parsing.normalised_form import REFERENCE_KEYS
from engine.parsing.weval.javascript_values import (
    Place,
    Value,
    demand,
    entries,
    first_true,
    is_between,
    is_number,
    is_object,
    is_true,
    is_written_text,
    member,
    text_of,
)
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import json_text

_RENDER_AS = ", ".join(RenderAs)
_MODEL_TEXTS = ("id", "url", "modelName", "inherit")
_FORMATS = ("chat", "completions")
_METHODS = ("GET", "POST", "PUT")


def is_one_of(value: Value, names: tuple[str, ...]) -> bool:
    """Whether `value` is false in JavaScript, or one of `names`."""
    return not is_true(value) or (isinstance(value, str) and value in names)


def check_header(header: dict[str, Data], place: Place) -> None:
    """Check everything except the services. Raises `Refused`."""
    _check_author(member(header, "author"), (*place, "author"))
    _check_references(header, place)
    render_as = member(header, "render_as")
    refusal = f"Invalid global 'render_as' value. Must be one of: {_RENDER_AS}."
    demand(is_one_of(render_as, tuple(RenderAs)), (*place, "render_as"), lambda: refusal)
    _check_models(member(header, "models"), (*place, "models"))
    _check_tools(member(header, "tools"), (*place, "tools"))
    _check_tool_use(member(header, "toolUse"), (*place, "toolUse"))


def _check_author(author: Value, place: Place) -> None:
    if author is ABSENT or isinstance(author, str):
        return
    demand(is_object(author), place, lambda: "Invalid 'author' field: must be a string or an object with 'name'.")
    missing = "Invalid 'author' object: missing 'name' string."
    demand(is_written_text(member(author, "name")), place, lambda: missing)


def _check_references(header: dict[str, Data], place: Place) -> None:
    source = first_true(header, *REFERENCE_KEYS)
    if source is ABSENT:
        return
    key = next((name for name in REFERENCE_KEYS if is_true(member(header, name))), REFERENCE_KEYS[-1])
    for index, item in enumerate(source if isinstance(source, list) else [source]):
        if isinstance(item, str):
            continue
        at = (*place, key, index) if isinstance(source, list) else (*place, key)
        demand(is_object(item) and not isinstance(item, list), at, lambda: (
            "Invalid 'reference'/'citation' field: must be a string, an object with 'title'/'name',"
            " or an array of these."
        ))  # fmt: skip
        missing = "Invalid 'reference'/'citation' object: missing 'title' or 'name' string."
        demand(is_written_text(first_true(item, "title", "name")), at, lambda missing=missing: missing)


def _check_models(models: Value, place: Place) -> None:
    if not is_true(models):
        return
    no_list = "The 'models' field must be an array of strings or custom model objects."
    demand(isinstance(models, list), place, lambda: no_list)
    assert isinstance(models, list)
    for index, model in enumerate(models):
        if not isinstance(model, str):
            _check_model(model, (*place, index))


def _check_model(model: Data, place: Place) -> None:
    usable = is_object(model) and not isinstance(model, list)
    demand(usable, place, lambda: "Invalid model definition: must be a string or an object.")
    who = "Invalid custom model definition"
    for key in _MODEL_TEXTS:
        value = member(model, key)
        required = f"{who}: '{key}' is required and must be a string."
        shown = f" Found: {json_text(model)}" if key == "id" else ""
        demand(isinstance(value, str) and value, (*place, key), lambda text=required + shown: text)
        if key == "id":
            who = f"{who} for '{value}'"
    form, headers = member(model, "format"), member(model, "headers")
    at = (*place, "format")
    demand(not is_true(form) or isinstance(form, str), at, lambda: f"{who}: 'format', if provided, must be a string.")
    refusal = f"{who}: 'format' must be either 'chat' or 'completions'. Found: '{form}'"
    demand(is_one_of(form, _FORMATS), at, lambda: refusal)
    is_mapping = is_object(headers) and not isinstance(headers, list)
    refusal = f"{who}: 'headers', if provided, must be an object."
    demand(not is_true(headers) or is_mapping, (*place, "headers"), lambda: refusal)


def _check_tools(tools: Value, place: Place) -> None:
    if not is_true(tools):
        return
    demand(isinstance(tools, list), place, lambda: "The 'tools' field must be an array of tool definitions.")
    assert isinstance(tools, list)
    for index, tool in enumerate(tools):
        name = member(tool, "name")
        refusal = f"Invalid tool definition at index {index}: each tool must have a 'name' string."
        demand(isinstance(name, str) and name, (*place, index), lambda refusal=refusal: refusal)


def _check_tool_use(tool_use: Value, place: Place) -> None:
    if not is_true(tool_use):
        return
    demand(is_object(tool_use), place, lambda: "The 'toolUse' field must be an object.")
    for key, only in (("mode", "trace-only"), ("outputFormat", "json-line")):
        refusal = f"The 'toolUse.{key}' field, if provided, must be '{only}'."
        demand(is_one_of(member(tool_use, key), (only,)), (*place, key), lambda refusal=refusal: refusal)
    steps = member(tool_use, "maxSteps")
    refusal = "The 'toolUse.maxSteps' field, if provided, must be a positive number."
    sound = steps is ABSENT or is_between(steps, 1, float("inf"))
    demand(sound, (*place, "maxSteps"), lambda: refusal)


def check_services(header: dict[str, Data], place: Place) -> None:
    """Check `externalServices`, as Weval does after all prompts. Raises `Refused`."""
    services = member(header, "externalServices")
    if is_true(services):
        for name, service in entries(services):
            key = int(name) if isinstance(services, list) else name
            _check_service(name, service, (*place, "externalServices", key))


def _check_service(name: str, service: Data, place: Place) -> None:
    demand(service is not None, place, lambda: "Cannot read properties of null (reading 'url')")
    who = f"External service '{name}'"
    url, at = member(service, "url"), (*place, "url")
    demand(is_true(url), at if url is not ABSENT else place, lambda: f"{who} must have a 'url' field")
    from engine.parsing.urls import is_url  # few files have services, and the import is slow

    address = text_of(url, at)
    demand(is_url(address), at, lambda: f"{who} has invalid URL: {address}")
    method, at = member(service, "method"), (*place, "method")
    refusal = "Must be GET, POST, or PUT"
    demand(is_one_of(method, _METHODS), at, lambda: f"{who} has invalid method: {text_of(method, at)}. {refusal}")
    limit, at_limit = member(service, "timeout_ms"), (*place, "timeout_ms")
    sound = limit is ABSENT or (is_number(limit) and not (isinstance(limit, (int, float)) and limit <= 0))
    demand(sound, at_limit, lambda: (
        f"{who} has invalid timeout_ms: {text_of(limit, at_limit)}. Must be a positive number"
    ))  # fmt: skip
