"""Weval's normalised form of a blueprint, as plain data: header keys, then `prompts` with messages and points.

It follows the platform's reading of plain values and assumes that the platform does not refuse them (`engine.parsing`
finds refusals). It is built on request, and for prompts without an id, whose id is a hash of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from engine.blueprint import ABSENT, Path, Point, Rubric, normal_function_name
from engine.parsing.fields import text_of
from engine.text.record import text_digest
from engine.yaml.nodes import Bytes, Data, canonical_json, is_truthy, json_text, utf16_order

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner

HEADER_ALIASES = (("id", "configId"), ("title", "configTitle"), ("system", "systemPrompt"))
"""Header keys with their older names; the older one counts if the newer is absent or empty."""
REFERENCE_KEYS = ("reference", "citation", "references", "citations")
"""The header keys for references, in order of precedence."""
IN_EVERY_OBJECT = "__proto__"
"""The one undefined name under which JavaScript finds an object, with nothing in it to copy (A29)."""
WEIGHT_KEYS = ("weight", "importance", "multiplier")
"""The keys for the weight of a prompt, in order of precedence."""
POINT_WEIGHT_KEYS = ("weight", "multiplier")
"""The keys for the weight of a point, in order of precedence."""
POINT_KEYS = ("should", "points", "expect", "expects", "expectations")
"""The prompt keys for the `should` block, in order of precedence."""


def header_config(header: dict[str, Data]) -> dict[str, Data]:
    """The header with its aliases resolved, without `prompts`."""
    config = {name: value for name, value in header.items() if name != "prompts"}
    if is_truthy(config.get("defs")):
        del config["defs"]
    for name, alias in HEADER_ALIASES:
        if is_truthy(config.get(name)):
            config.pop(alias, None)
        elif alias in config:
            config[name] = config.pop(alias)
        else:
            config.pop(name, None)
    source = _first_truthy(config, REFERENCE_KEYS)
    if source is None and config.get(REFERENCE_KEYS[-1]) == "":
        source = ""  # the last of them counts as it is
    if source is not None:
        for name in ("reference", "citation", "citations"):
            config.pop(name, None)
        config["references"] = [_reference(item) for item in (source if isinstance(source, list) else [source])]
    return config


def _either(source: dict[str, Data], name: str, alias: str) -> str:
    """The name whose value `source.name || source.alias` has in JavaScript."""
    return name if name in source and is_truthy(source[name]) else alias


def _first_truthy(source: dict[str, Data], names: tuple[str, ...]) -> Data:
    """The value of the first of `names` whose value is true in JavaScript, or None."""
    for name in names:
        if name in source and is_truthy(source[name]):
            return source[name]
    return None


def _first_written(source: dict[str, Data], names: tuple[str, ...]) -> Data:
    """The value of the first of `names` that is not null, or None."""
    for name in names:
        if name in source and source[name] is not None:
            return source[name]
    return None


def _reference(item: Data) -> Data:
    if not isinstance(item, dict):
        return {"title": item}
    reference: dict[str, Data] = {"title": item.get(_either(item, "title", "name"))}
    if "url" in item:
        reference["url"] = item["url"]
    return reference


def prompt_config(
    prompt: Data, header: dict[str, Data], defined: dict[str, Data], rubrics: dict[str, Data] | None = None
) -> dict[str, Data]:
    """One prompt in the normalised form, with its id as written (null if none is).

    It inherits `render_as` and `noCache` from `header`; its `$ref`s refer to `defined`. `rubrics` are blocks that were
    read already, by their name in the result; they replace the prompt's own.
    """
    read = rubrics or {}
    source = prompt if isinstance(prompt, dict) else {}
    config: dict[str, Data] = {}
    if is_truthy(messages := source.get("messages")):
        listed = [_message(item) for item in messages] if isinstance(messages, list) else []
        config["messages"] = messages if isinstance(messages, Bytes) else listed
    elif is_truthy(text := source.get(_either(source, "prompt", "promptText"))):
        config["messages"] = [{"role": "user", "content": text}]
    config["id"] = source.get("id")
    for name, written in (
        ("description", "description"),
        ("idealResponse", _either(source, "ideal", "idealResponse")),
        ("system", "system"),
        ("citation", _either(source, "citation", "reference")),
    ):
        if written in source:
            config[name] = source[written]
    weight = _first_written(source, WEIGHT_KEYS)
    if weight is not None:
        config["weight"] = weight
    if "noCache" in source or "noCache" in header:
        config["noCache"] = is_truthy(source.get("noCache", header.get("noCache")))
    render_as = source.get("render_as")
    if not is_truthy(render_as):
        render_as = header.get("render_as")
    config["render_as"] = render_as if is_truthy(render_as) else "markdown"
    for name in ("temperature", "requiredTools", "prohibitedTools", "maxCalls"):
        if name in source:
            config[name] = source[name]
    if "points" in read:
        config["points"] = read["points"]
    elif (points := _first_truthy(source, POINT_KEYS)) is not None:
        config["points"] = _points(points, defined)
    if "should_not" in read:
        config["should_not"] = read["should_not"]
    elif is_truthy(unwanted := source.get("should_not")):
        config["should_not"] = _points(unwanted, defined)
    return config


def _message(item: Data) -> Data:
    if not isinstance(item, dict) or len(item) != 1 or is_truthy(item.get("role")) or is_truthy(item.get("content")):
        return item
    role, content = next(iter(item.items()))
    return {"role": "assistant" if role == "ai" else role, "content": content}


def _points(source: Data, defined: dict[str, Data]) -> list[Data]:
    entries: list[Data] = []
    for item in source if isinstance(source, list) else ():
        if isinstance(item, str):
            is_function = item[:1] == "$" and len(item) > 1
            entries.append({"fn": item[1:], "multiplier": 1} if is_function else _text(item))
        elif isinstance(item, dict):
            entries.append(_point(item, defined))
        elif isinstance(item, list):
            path = [inner for inner in item if inner is not None and inner != []]
            if path:
                entries.append([_point(inner, defined) if isinstance(inner, dict) else _text(inner) for inner in path])
        else:
            entries.append(_text(item))
    return entries


def _text(text: Data) -> dict[str, Data]:
    return {"text": text, "multiplier": 1}


def _point(item: dict[str, Data], defined: dict[str, Data]) -> Data:
    point: dict[str, Data] = {}
    for name, value in item.items():
        if name[:1] == "$":
            point["fn"] = normal_function_name(name[1:])
            point["fnArgs"] = value
            break
    else:
        text, fn = item.get(_either(item, "text", "point")), item.get("fn")
        if not is_truthy(text) and not is_truthy(fn):
            text, citation = next(iter(item.items()))
            return {"text": text, "citation": citation, "multiplier": 1}
        if is_truthy(text) or "point" in item:
            point["text"] = text
        if "fn" in item:
            point["fn"] = normal_function_name(fn) if isinstance(fn, str) else fn
        if (written := _either(item, "fnArgs", "arg")) in item:
            point["fnArgs"] = item[written]
    if point.get("fn") == "ref":
        name = _reference_name(point.get("fnArgs"))
        definition = defined.get(name, {} if name == IN_EVERY_OBJECT else None)
        if isinstance(definition, dict):
            return dict(definition)
        if isinstance(definition, list):
            return {str(index): value for index, value in enumerate(definition)}
        point = {"fn": "js", "fnArgs": definition}
    multiplier = _first_written(item, POINT_WEIGHT_KEYS)
    point["multiplier"] = 1 if multiplier is None else multiplier
    if "citation" in item:
        point["citation"] = item["citation"]
    return point


def _reference_name(args: Data) -> str:
    name = args.get("name") if isinstance(args, dict) else args
    return name if isinstance(name, str) else ""


def rubric_config(rubric: Rubric) -> list[Data]:
    """A block of our own reading, in the form of the normalised points."""
    return [
        [_our_point(point) for point in entry.points] if isinstance(entry, Path) else _our_point(entry)
        for entry in rubric.entries
    ]


def _our_point(point: Point) -> dict[str, Data]:
    config: dict[str, Data] = {}
    if point.function is None:
        config["text"] = point.text
    else:
        config["fn"] = point.function.name
        if point.function.args is not ABSENT:
            config["fnArgs"] = point.function.args
    config["multiplier"] = point.multiplier
    if point.citation is not None:
        config["citation"] = point.citation
    return config


def hash_id(config: dict[str, Data]) -> str:
    """The id of a prompt without one: a hash of its normalised form, the id left out."""
    rest = {name: value for name, value in config.items() if name != "id"}
    return f"hash-{text_digest(canonical_json(rest))[:12]}"


def json_value(value: Data) -> Data:
    """`value` with the types of JSON, as `JSON.stringify` writes it: NaN and infinities as null, `1.0` as 1."""
    return json.loads(json_text(value))


# The identity of a blueprint: its id, and the platform's content hash


_ENDINGS = tuple(
    re.compile(pattern + r"\Z") for pattern in (r"\.civic\.ya?ml", r"\.weval\.ya?ml", r"\.ya?ml", r"\.json")
)
_PROMPT_KEYS = ("id", "promptText", "idealResponse", "system", "points", "weight")
_LAST_UNIT = 0xFFFF
_IN_ORDER = "ids.map((id, at) => at).sort((a, b) => ids[a].localeCompare(ids[b]))"


class CannotHash(ValueError):
    """The platform computes no content hash for the blueprint. The message tells authors why."""


def blueprint_id(path: FilePath) -> str:
    """The id of the blueprint at `path`: its path below the folder `blueprints`, joined by `__` (002, "id").

    Outside such a folder the id is the file's own name. `.weval.yml` and `.civic.yml` are removed whole, as with
    `.yaml`; any other ending, such as `.YML`, is part of the name.
    """
    parts = path.parts
    folders = [at for at, part in enumerate(parts[:-1]) if part == "blueprints"]
    return "__".join(without_ending("/".join(parts[folders[-1] + 1 :] if folders else parts[-1:])).split("/"))


def without_ending(name: str) -> str:
    """`name` without the endings that Weval removes, in this order: `.civic.yml`, `.weval.yml`, `.yml`, `.json`."""
    for ending in _ENDINGS:
        name = ending.sub("", name)
    return name


def content_hash(config: Data, javascript: TaskRunner) -> str:
    """The 16 hex digits that identify one version of a blueprint on the platform (platform.md, A24).

    `config` is the normalised form (`weval_values`), with or without its model collections expanded. The hash covers
    the models, system prompts and temperatures, and of each prompt the id, ideal, system prompt, `should` and weight,
    but neither the wording of prompts nor `should_not`. Prompts are sorted by V8's `localeCompare`, hence `javascript`.

    Where a list of models, systems or temperatures is a single string, the platform treats it as a list of characters.

    Raises `CannotHash` if there is no list of models, or if an id that the platform compares is not a string.
    """
    assert isinstance(config, dict)
    models, prompts = config.get("models"), config.get("prompts")
    if not isinstance(models, (list, str)):
        raise CannotHash("The content hash needs a list of models.")
    assert isinstance(prompts, list)
    data: dict[str, Data] = {"models": _sorted(models)}
    if "system" in config:
        data["system"] = config["system"]
    systems = config.get("systems")
    if is_truthy(systems):
        if not isinstance(systems, (list, str)):
            raise CannotHash("The content hash needs a list of system prompts.")
        data["systems"] = _sorted(systems)
    data["prompts"] = _sorted_prompts([prompt for prompt in prompts if isinstance(prompt, dict)], javascript)
    temperatures = config.get("temperatures")
    if isinstance(temperatures, (list, str)) and temperatures:
        has_one = len(temperatures) == 1 and (isinstance(temperatures, list) or ord(temperatures) <= _LAST_UNIT)
        data["temperatureSettings"] = temperatures[0] if has_one else _sorted(temperatures)
    elif "temperature" in config:
        data["temperatureSettings"] = config["temperature"]
    return text_digest(json_text(data))[:16]


def _sorted(values: list[Data] | str) -> list[Data]:
    """`values` as JavaScript sorts them: as strings, by UTF-16 units. A string is sorted by character."""
    return sorted(values, key=lambda value: utf16_order(text_of(value)))


def _sorted_prompts(prompts: Sequence[dict[str, Data]], javascript: TaskRunner) -> list[Data]:
    ids: list[Data] = []
    for index, prompt in enumerate(prompts):
        name = prompt.get("id")
        if not is_truthy(name):
            name = ""
        if index and not isinstance(name, str):
            raise CannotHash(f"The content hash needs ids that are text: {text_of(name)} is not.")
        ids.append(text_of(name))
    from engine.functions.tasks import ScriptTask, Value  # few need a hash, and the import is slow

    (outcome,) = javascript.run([ScriptTask(_IN_ORDER, (("ids", ids),))])
    if not isinstance(outcome, Value) or not isinstance(outcome.value, list):
        raise CannotHash("The prompts could not be put in order: V8 did not answer.")
    order = [at for at in outcome.value if isinstance(at, int)]
    return [{key: prompts[at][key] for key in _PROMPT_KEYS if key in prompts[at]} for at in order]
