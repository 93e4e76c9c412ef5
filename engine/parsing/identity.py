"""The identity of a blueprint: its id, and the platform's content hash.

`engine.parsing` makes the ids of prompts that have none (platform.md, A25).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from engine.functions.tasks import Outcome, ScriptTask, Value
from engine.functions.v8 import JavaScript
from engine.parsing.fields import text_of
from engine.yaml.nodes import Data, is_truthy, json_text, utf16_order

_ENDINGS = tuple(
    re.compile(pattern + r"\Z") for pattern in (r"\.civic\.ya?ml", r"\.weval\.ya?ml", r"\.ya?ml", r"\.json")
)
_PROMPT_KEYS = ("id", "promptText", "idealResponse", "system", "points", "weight")
_LAST_UNIT = 0xFFFF
_IN_ORDER = "ids.map((id, at) => at).sort((a, b) => ids[a].localeCompare(ids[b]))"


class CannotHash(ValueError):
    """The platform computes no content hash for the blueprint. The message tells authors why."""


def blueprint_id(path: Path) -> str:
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


def content_hash(config: Data, javascript: JavaScript) -> str:
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
    return hashlib.sha256(json_text(data).encode("utf-8")).hexdigest()[:16]


def _sorted(values: list[Data] | str) -> list[Data]:
    """`values` as JavaScript sorts them: as strings, by UTF-16 units. A string is sorted by character."""
    return sorted(values, key=_as_text)


def _as_text(value: Data) -> bytes:
    return utf16_order(text_of(value))


def _sorted_prompts(prompts: Sequence[dict[str, Data]], javascript: JavaScript) -> list[Data]:
    ids: list[Data] = []
    for index, prompt in enumerate(prompts):
        name = prompt.get("id")
        if not is_truthy(name):
            name = ""
        if index and not isinstance(name, str):
            raise CannotHash(f"The content hash needs ids that are text: {text_of(name)} is not.")
        ids.append(text_of(name))
    (outcome,) = javascript.run([ScriptTask(_IN_ORDER, (("ids", ids),))])
    return [{key: prompts[at][key] for key in _PROMPT_KEYS if key in prompts[at]} for at in _order(outcome)]


def _order(outcome: Outcome) -> list[int]:
    if not isinstance(outcome, Value) or not isinstance(outcome.value, list):
        raise CannotHash("The prompts could not be put in order: V8 did not answer.")
    return [at for at in outcome.value if isinstance(at, int)]
