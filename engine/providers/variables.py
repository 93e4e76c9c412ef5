"""`${NAME}` in the texts of a blueprint: filled in at run time, never by the parser (004, "Environment Variable
Substitution")."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from engine.patterns import lazy
from engine.providers.chat import Failure, ProviderError
from engine.providers.secret import Secret
from engine.text import visible
from engine.yaml_nodes.nodes import Data

VARIABLE = lazy(r"\$\{([A-Za-z_]\w*)\}")
_MAY_HOLD_KEYS = ("headers", "url", "parameters")
_KEY = lazy(r"(?!https?://)(?=.*[^a-z -]).{8,}", re.S)
"""A value that may be a key. Shorter values and plain words are not; masking them would garble answers."""
_ADDRESS = lazy("https?://")
_ADDRESS_PLACES = ("url", "port")
_SHORTEST_MASKED = 4


def variables_in(data: Data) -> tuple[str, ...]:
    """The names of the variables in the texts of a definition, in order and without duplicates."""
    match data:
        case str():
            found = VARIABLE.findall(data)
        case list():
            found = [name for item in data for name in variables_in(item)]
        case dict():
            found = [name for item in data.values() for name in variables_in(item)]
        case _:
            found = []
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class Environment:
    """Fills variables into texts, and remembers them, as their values may be keys.

    `whose` names the definition in errors, such as `the model local:llama3`. With `keyless`, for texts that are never
    sent, an unset variable is replaced by its name, except in addresses.
    """

    whose: str
    keyless: bool = False
    _used: dict[str, Secret | None] = field(default_factory=dict[str, "Secret | None"])
    _seen: set[str] = field(default_factory=set[str], repr=False)

    def put_into(self, text: str, where: str) -> str:
        """`text` with all variables replaced by their values. Variables within values are not replaced.

        Raises `ProviderError` if a variable is unset or empty; `where` names the place of `text`, such as
        `headers.Authorization`.
        """
        return VARIABLE.sub(lambda found: self._value(found[1], where), text)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that were filled in."""
        return tuple(self._used)

    def keys(self) -> tuple[Secret, ...]:
        """The values that may be keys, the longest first, to mask in what comes back."""
        found = [secret for secret in self._used.values() if secret is not None]
        return tuple(sorted(found, key=lambda secret: -len(secret.reveal())))

    def masked(self) -> tuple[Secret, ...]:
        """The values that messages must not show, the longest first, with those too short or plain to mask in
        answers."""
        return tuple(Secret(value) for value in sorted(self._seen, key=lambda value: -len(value)))

    def _value(self, name: str, where: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value and self.keyless and where not in _ADDRESS_PLACES:
            return name
        if not value:
            raise ProviderError(
                Failure.MISSING_KEY,
                f"{visible(self.whose)}: the variable {name} is not set",
                advice=f"Set {name} and start again. It stands in `{visible(where)}`.",
            )
        is_key = where.startswith(_MAY_HOLD_KEYS) and _KEY.fullmatch(value) is not None
        self._used[name] = Secret(value) if is_key else self._used.get(name)
        if where.startswith(_MAY_HOLD_KEYS) and len(value) >= _SHORTEST_MASKED and not _ADDRESS.match(value):
            self._seen.add(value)
        return value
