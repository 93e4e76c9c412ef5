"""What a blueprint is known by: its id, and the platform's content hash.

The ids of prompts without one (platform.md, A25) are `engine.parsing`'s, since a prompt is not read without them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from engine.javascript import JavaScript
from engine.javascript.tasks import Outcome, ScriptTask, Value
from engine.parsing.fields import is_truthy
from engine.parsing.weval.javascript_values import text_of
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import json_text, utf16_order

_ENDINGS = tuple(
    re.compile(pattern + r"\Z") for pattern in (r"\.civic\.ya?ml", r"\.weval\.ya?ml", r"\.ya?ml", r"\.json")
)
_PROMPT_KEYS = ("id", "promptText", "idealResponse", "system", "points", "weight")
_LAST_UNIT = 0xFFFF
_IN_ORDER = "ids.map((id, at) => at).sort((a, b) => ids[a].localeCompare(ids[b]))"


class CannotHash(ValueError):
    """A blueprint for which the platform computes no content hash. The message says why, for authors."""


def blueprint_id(path: Path) -> str:
    """The id of the blueprint at `path`: what follows its folder `blueprints`, folders joined by `__` (002, "id").

    A file in no such folder is named by itself. `.weval.yml` and `.civic.yml` are one ending, as with `.yaml`; an
    ending in other letters (`.YML`), or one that is none of these, belongs to the name.
    """
    parts = path.parts
    folders = [at for at, part in enumerate(parts[:-1]) if part == "blueprints"]
    return "__".join(without_ending("/".join(parts[folders[-1] + 1 :] if folders else parts[-1:])).split("/"))


def without_ending(name: str) -> str:
    """`name` without the endings that Weval takes off, in this order: `.civic.yml`, `.weval.yml`, `.yml`, `.json`."""
    for ending in _ENDINGS:
        name = ending.sub("", name)
    return name


def content_hash(config: Data, javascript: JavaScript) -> str:
    """The 16 hex digits by which the platform tells one version of a blueprint from the next (platform.md, A24).

    `config` is the normalised form, its collections of models expanded or not. It covers models, system prompts,
    temperatures, and of each prompt the id, ideal, system prompt, `should` and weight; the wording of prompts and
    `should_not` it does not. Prompts are sorted as V8 compares texts for people, hence `javascript`.

    A single text in place of a list of models, systems or temperatures is one of its characters to the platform.

    Raises `CannotHash` where there is no list of models, or an id that the platform cannot compare is no text.
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
    """As JavaScript sorts plain values, of a text its characters: by their texts, unit by unit."""
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
            raise CannotHash(f"The content hash needs ids that are texts; {text_of(name)} is none.")
        ids.append(text_of(name))
    (outcome,) = javascript.run([ScriptTask(_IN_ORDER, (("ids", ids),))])
    return [{key: prompts[at][key] for key in _PROMPT_KEYS if key in prompts[at]} for at in _order(outcome)]


def _order(outcome: Outcome) -> list[int]:
    if not isinstance(outcome, Value) or not isinstance(outcome.value, list):
        raise CannotHash("The prompts could not be put in order: V8 did not answer.")
    return [at for at in outcome.value if isinstance(at, int)]
