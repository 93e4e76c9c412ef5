"""A blueprint in Weval's normalised form, as plain data: header keys, then `prompts` with messages and points.

This is the platform's reading of plain values, on the supposition that it does not refuse them (`engine.parsing` finds
where it does). It is built when it is asked for, and for the prompts without an id, whose id is a hash of it.
"""

from __future__ import annotations

import math
from datetime import datetime

from engine.blueprint import ABSENT, Absent, Path, Point, Rubric
from engine.parsing.fields import is_truthy
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import canonical_json, iso_date, javascript_number

HEADER_ALIASES = (("id", "configId"), ("title", "configTitle"), ("system", "systemPrompt"))
"""Header keys with their older names; the older one counts where the newer is absent or empty."""
REFERENCE_KEYS = ("reference", "citation", "references", "citations")
"""The header keys for what a blueprint is based on, the strongest first."""
IN_EVERY_OBJECT = "__proto__"
"""The one name under which JavaScript finds an object, with nothing to copy in it, where none is defined (A29)."""
POINT_KEYS = ("should", "points", "expect", "expects", "expectations")
"""The prompt keys for the `should` block, the strongest first."""


def header_config(header: dict[str, Data]) -> dict[str, Data]:
    """The header's own keys after aliases; `prompts` is not among them."""
    config = {name: value for name, value in header.items() if name not in ("prompts", "defs")}
    for name, alias in HEADER_ALIASES:
        value = _either(config, name, alias)
        config.pop(alias, None)
        if isinstance(value, Absent):
            config.pop(name, None)
        else:
            config[name] = value
    source = next((config[name] for name in REFERENCE_KEYS if is_truthy(config.get(name))), None)
    if source is not None:
        for name in ("reference", "citation", "citations"):
            config.pop(name, None)
        config["references"] = [_reference(item) for item in (source if isinstance(source, list) else [source])]
    return config


def _either(source: dict[str, Data], name: str, alias: str) -> Data | Absent:
    """JavaScript's `source.name || source.alias`."""
    value = source.get(name, ABSENT)
    return value if not isinstance(value, Absent) and is_truthy(value) else source.get(alias, ABSENT)


def _reference(item: Data) -> Data:
    if not isinstance(item, dict):
        return {"title": item}
    title = _either(item, "title", "name")
    reference: dict[str, Data] = {"title": None if isinstance(title, Absent) else title}
    if "url" in item:
        reference["url"] = item["url"]
    return reference


def definitions(header: dict[str, Data]) -> dict[str, Data]:
    """What `$ref` names, by name: `point_defs`, or `defs` where that is absent or null."""
    found = _either(header, "point_defs", "defs")
    if isinstance(found, list):
        return {str(index): item for index, item in enumerate(found)}
    return found if isinstance(found, dict) else {}


def prompt_config(
    prompt: Data, header: dict[str, Data], defined: dict[str, Data], rubrics: dict[str, Data] | None = None
) -> dict[str, Data]:
    """One prompt in the normalised form, its id left as written (null where none is).

    `header` is what it inherits `render_as` and `noCache` from, `defined` what its `$ref`s name. `rubrics` are the
    blocks as they are to stand, by their name in the result, where they were read already.
    """
    read = rubrics or {}
    source = prompt if isinstance(prompt, dict) else {}
    config: dict[str, Data] = {}
    messages = source.get("messages")
    text = _either(source, "prompt", "promptText")
    if is_truthy(messages):
        config["messages"] = [_message(item) for item in messages] if isinstance(messages, list) else []
    elif not isinstance(text, Absent) and is_truthy(text):
        config["messages"] = [{"role": "user", "content": text}]
    config["id"] = source.get("id")
    _copy(source, config, "description")
    _put(config, "idealResponse", _either(source, "ideal", "idealResponse"))
    _copy(source, config, "system")
    _put(config, "citation", _either(source, "citation", "reference"))
    _put(
        config,
        "weight",
        next((source[k] for k in ("weight", "importance", "multiplier") if source.get(k) is not None), ABSENT),
    )
    no_cache = source.get("noCache", header.get("noCache", ABSENT))
    if not isinstance(no_cache, Absent):
        config["noCache"] = is_truthy(no_cache)
    config["render_as"] = next((s["render_as"] for s in (source, header) if is_truthy(s.get("render_as"))), "markdown")
    for name in ("temperature", "requiredTools", "prohibitedTools", "maxCalls"):
        _copy(source, config, name)
    points = next((source[name] for name in POINT_KEYS if is_truthy(source.get(name))), None)
    if "points" in read:
        config["points"] = read["points"]
    elif points is not None:
        config["points"] = _points(points, defined)
    if "should_not" in read:
        config["should_not"] = read["should_not"]
    elif is_truthy(source.get("should_not")):
        config["should_not"] = _points(source["should_not"], defined)
    return config


def _copy(source: dict[str, Data], config: dict[str, Data], name: str) -> None:
    if name in source:
        config[name] = source[name]


def _put(config: dict[str, Data], name: str, value: Data | Absent) -> None:
    if not isinstance(value, Absent):
        config[name] = value


def _message(item: Data) -> Data:
    if not isinstance(item, dict) or len(item) != 1 or is_truthy(item.get("role")) or is_truthy(item.get("content")):
        return item
    role, content = next(iter(item.items()))
    return {"role": "assistant" if role == "ai" else role, "content": content}


def _points(source: Data, defined: dict[str, Data]) -> list[Data]:
    entries: list[Data] = []
    for item in source if isinstance(source, list) else ():
        if isinstance(item, list):
            kept = [inner for inner in item if inner is not None and inner != []]
            if kept:
                entries.append([_point(inner, defined) if isinstance(inner, dict) else _text(inner) for inner in kept])
        elif isinstance(item, dict):
            entries.append(_point(item, defined))
        elif isinstance(item, str) and len(item) > 1 and item[0] == "$":
            entries.append({"fn": item[1:], "multiplier": 1})
        else:
            entries.append(_text(item))
    return entries


def _text(text: Data) -> dict[str, Data]:
    return {"text": text, "multiplier": 1}


def _point(item: dict[str, Data], defined: dict[str, Data]) -> Data:
    point: dict[str, Data] = {}
    key = next((name for name in item if name.startswith("$")), None)
    if key is None and not any(is_truthy(item.get(name)) for name in ("text", "point", "fn")):
        text, citation = next(iter(item.items()))
        return {"text": text, "citation": citation, "multiplier": 1}
    if key is not None:
        point["fn"] = normal_function_name(key[1:])
        point["fnArgs"] = item[key]
    else:
        text = _either(item, "text", "point")
        if not isinstance(text, Absent) and is_truthy(text):
            point["text"] = text
        if isinstance(item.get("fn"), str) and item["fn"]:
            point["fn"] = normal_function_name(str(item["fn"]))
        _put(point, "fnArgs", _either(item, "fnArgs", "arg"))
    multiplier = next((item[name] for name in ("weight", "multiplier") if item.get(name) is not None), 1)
    if point.get("fn") == "ref":
        name = _reference_name(point.get("fnArgs"))
        definition = defined.get(name, {} if name == IN_EVERY_OBJECT else None)
        if isinstance(definition, dict):
            return dict(definition)
        if isinstance(definition, list):
            return {str(index): value for index, value in enumerate(definition)}
        point = {"fn": "js", "fnArgs": definition}
    point["multiplier"] = multiplier
    _copy(item, point, "citation")
    return point


def _reference_name(args: Data) -> str:
    name = args.get("name") if isinstance(args, dict) else args
    return name if isinstance(name, str) else ""


def normal_function_name(name: str) -> str:
    """`name` with the `s` that Weval adds to a leading `contain` or `match`."""
    for stem, full in (("contain", "contains"), ("match", "matches")):
        if name.startswith(stem) and not name.startswith(full):
            return full + name[len(stem) :]
    return name


def rubric_config(rubric: Rubric) -> list[Data]:
    """A block as we read it, in the form of the normalised points."""
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
        _put(config, "fnArgs", point.function.args)
    config["multiplier"] = point.multiplier
    if point.citation is not None:
        config["citation"] = point.citation
    return config


def hash_id(config: dict[str, Data]) -> str:
    """The id of a prompt that has none: a hash of its normalised form without the id."""
    import hashlib  # slow to load, and most prompts have an id

    rest = {name: value for name, value in config.items() if name != "id"}
    text = canonical_json(rest).encode("utf-8", "surrogatepass")
    return f"hash-{hashlib.sha256(text).hexdigest()[:12]}"


def json_value(value: Data) -> Data:
    """`value` as JavaScript's `JSON.stringify` would write it: no NaN, no infinity, no dates, `1.0` as 1."""
    match value:
        case dict():
            return {name: item if type(item) is str else json_value(item) for name, item in value.items()}
        case list():
            return [item if type(item) is str else json_value(item) for item in value]
        case str() | None | bool():
            return value
        case datetime():
            return iso_date(value)
        case _:
            return _json_number(value)


def _json_number(value: float) -> int | float | None:
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    written = javascript_number(value)
    return int(written) if written.lstrip("-").isdigit() else None if written.endswith("Infinity") else float(written)
