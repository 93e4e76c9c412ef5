"""What a blueprint is known by: its id, the digest of its normalised form, and the platform's content hash.

The ids of prompts without one (platform.md, A25) are `engine.parsing`'s, since a prompt is not read without them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.javascript import JavaScript
from engine.javascript.tasks import Outcome, ScriptTask, Value
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import canonical_json, json_text, property_text, utf16_order

_PROMPT_KEYS = ("id", "promptText", "idealResponse", "system", "points", "weight")
_IN_ORDER = "ids.map((id, at) => at).sort((a, b) => ids[a].localeCompare(ids[b]))"


class CannotHash(ValueError):
    """A blueprint for which the platform computes no content hash. The message says why, for authors."""


def blueprint_id(path: Path) -> str:
    """The id of the blueprint at `path`: what follows its folder `blueprints`, folders joined by `__` (002, "id").

    A file in no such folder is named by itself.
    """
    parts = path.with_suffix("").parts
    folders = [at for at, part in enumerate(parts[:-1]) if part == "blueprints"]
    return "__".join(parts[folders[-1] + 1 :] if folders else parts[-1:])


def canonical_digest(config: Data) -> str:
    """The SHA-256, in hex, of the normalised form `config` as `golden/README.md` writes it: keys sorted, no spaces."""
    return hashlib.sha256(canonical_json(config, stand_ins=True).encode("utf-8", "surrogatepass")).hexdigest()


def content_hash(config: Data, javascript: JavaScript) -> str:
    """The 16 hex digits by which the platform tells one version of a blueprint from the next (platform.md, A24).

    `config` is the normalised form, its collections of models expanded or not. It covers models, system prompts,
    temperatures, and of each prompt the id, ideal, system prompt, `should` and weight; the wording of prompts and
    `should_not` it does not. Prompts are sorted as V8 compares texts for people, hence `javascript`.

    Raises `CannotHash` where there is no list of models or an id is no text.
    """
    assert isinstance(config, dict)
    models, prompts = config.get("models"), config.get("prompts")
    if not isinstance(models, list):
        raise CannotHash("The content hash needs a list of models.")
    assert isinstance(prompts, list)
    data: dict[str, Data] = {"models": sorted(models, key=_as_text)}
    if "system" in config:
        data["system"] = config["system"]
    systems = config.get("systems")
    if isinstance(systems, list):
        data["systems"] = sorted(systems, key=_as_text)
    data["prompts"] = _sorted_prompts([prompt for prompt in prompts if isinstance(prompt, dict)], javascript)
    temperatures = config.get("temperatures")
    if isinstance(temperatures, list) and temperatures:
        data["temperatureSettings"] = temperatures[0] if len(temperatures) == 1 else sorted(temperatures, key=_as_text)
    elif "temperature" in config:
        data["temperatureSettings"] = config["temperature"]
    return hashlib.sha256(json_text(data).encode("utf-8")).hexdigest()[:16]


def _as_text(value: Data) -> bytes:
    """How JavaScript sorts plain values: by their texts, unit by unit."""
    return utf16_order(property_text(value))


def _sorted_prompts(prompts: Sequence[dict[str, Data]], javascript: JavaScript) -> list[Data]:
    ids: list[Data] = []
    for prompt in prompts:
        name = prompt.get("id") or ""
        if not isinstance(name, str):
            raise CannotHash(f"The content hash needs ids that are texts; {property_text(name)} is none.")
        ids.append(name)
    (outcome,) = javascript.run([ScriptTask(_IN_ORDER, (("ids", ids),))])
    return [{key: prompts[at][key] for key in _PROMPT_KEYS if key in prompts[at]} for at in _order(outcome)]


def _order(outcome: Outcome) -> list[int]:
    if not isinstance(outcome, Value) or not isinstance(outcome.value, list):
        raise CannotHash("The prompts could not be put in order: V8 did not answer.")
    return [at for at in outcome.value if isinstance(at, int)]
