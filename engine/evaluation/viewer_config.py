"""A result's `config` and `modelSystemPrompts` as Weval's viewer reads them (platform.md, "A result file that Weval's
viewer reads")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.blueprint import Header, Prompt
from engine.conversation import Variant, conversation, variants
from engine.yaml_nodes.nodes import Data

_DEFAULT_MODELS: tuple[Data, ...] = ("CORE",)
_NO_MODEL = ("ideal", "response", "fixtures")
_CONTROLS = "control:"


class Keyed(Protocol):
    """One result: its prompt, its key, and the part of the key that the variant added."""

    @property
    def prompt(self) -> Prompt: ...
    @property
    def key(self) -> str: ...
    @property
    def suffix(self) -> str: ...


def viewer_config(config: Data, models: Sequence[Data] | None = None) -> dict[str, Data]:
    """The normalised `config` in the form that Weval's loader gives it, as in Weval's own results.

    A list in `system` moves to `systems`, unless that is written too; `systemPrompt` becomes `system`. `models` is
    always a list: the argument where given, else as written, else Weval's default collection.
    """
    found = dict(config) if isinstance(config, dict) else {}
    one = found.pop("systemPrompt", None)
    if one is not None:
        found.setdefault("system", one)
    system = found.get("system")
    if isinstance(system, list):
        del found["system"]
        if not found.get("systems"):
            found["systems"] = system
    written = found.get("models")
    found["models"] = list(models) if models else written if isinstance(written, list) else list(_DEFAULT_MODELS)
    return found


def system_prompts(entries: Sequence[Keyed], header: Header) -> dict[str, Data]:
    """The system prompt of each key, None where there is none or no model was requested.

    With several `systems`, a key has that of its variant. Otherwise it has the one that all its prompts share, or the
    header's where prompts have their own.
    """
    by_suffix = {each.suffix: each for each in variants(header)}
    in_force: dict[str, set[str | None]] = {}
    for entry in entries:
        variant = by_suffix.get(entry.suffix, Variant())
        has_model = entry.key not in _NO_MODEL and not entry.key.startswith(_CONTROLS)
        system = conversation(entry.prompt, header, variant).system if has_model else None
        in_force.setdefault(entry.key, set()).add(_of_variant(variant, header) if _has_own(variant) else system)
    usual = header.systems[0] if len(header.systems) == 1 else None
    return {key: next(iter(found)) if len(found) == 1 else usual for key, found in in_force.items()}


def _has_own(variant: Variant) -> bool:
    return variant.system is None or isinstance(variant.system, str)


def _of_variant(variant: Variant, header: Header) -> str | None:
    return variant.system if isinstance(variant.system, str) else None
