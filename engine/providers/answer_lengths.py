"""How long an answer of a model can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.providers.chat import USUAL_MAX_TOKENS, Knob
from engine.providers.provider_registry import definition_of
from engine.yaml_nodes.nodes import Data

NO_LIMIT = 32_768
"""The upper bound in tokens for a model whose limit the blueprint removes: few models write more at once."""

_LENGTHS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", Knob.MAX_TOKENS.value)


def longest_answer(model: str, custom: Iterable[Data], usual: int = USUAL_MAX_TOKENS) -> int:
    """The upper bound in tokens of an answer of a model: as the blueprint defines it, else the requested `usual`."""
    definition = definition_of(model, custom)
    parameters = None if definition is None else definition.get("parameters")
    if definition is None or not isinstance(parameters, Mapping):
        return usual
    mapping = definition.get("parameterMapping")
    renamed = mapping.get(Knob.MAX_TOKENS.value) if isinstance(mapping, Mapping) else None
    written = [parameters[name] for name in (*_LENGTHS, renamed) if isinstance(name, str) and name in parameters]
    longest = max((_limit(value, usual) for value in written), default=usual)
    budget = parameters.get(Knob.THINKING_BUDGET.value)
    return longest + (budget if isinstance(budget, int) and budget > 0 else 0)


def _limit(value: Data, usual: int) -> int:
    if value is None:
        return NO_LIMIT
    return int(value) if isinstance(value, int | float) and 0 < value < NO_LIMIT * 100 else usual
