"""`${NAME}` in the texts of a blueprint: put in at run time, never by the parser (004, "Environment Variable
Substitution")."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.providers.chat import Failure, ProviderError
from engine.providers.secret import Secret
from engine.text import visible

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_SHORTEST_KEY = 8
"""Characters. What is shorter is no key, and taking it out of answers would mangle them."""


def variables_in(text: str) -> tuple[str, ...]:
    """The names of the variables that `text` wants, each once, in its order."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


@dataclass(slots=True)
class Environment:
    """Puts variables into texts, and remembers which it put: their values may be keys.

    `whose` names the definition in errors, such as `the model local:llama3`.
    """

    whose: str
    _used: dict[str, Secret] = field(default_factory=dict[str, Secret])

    def put_into(self, text: str, where: str) -> str:
        """`text` with every variable's value in its place. What a value holds is not looked at again.

        Raises `ProviderError` where a variable is not set, or empty; `where` names the place of `text`.
        """
        return _VARIABLE.sub(lambda found: self._value(found[1], where), text)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that were put in."""
        return tuple(self._used)

    def keys(self) -> Iterator[Secret]:
        """The values that may be keys, the longest first, to be taken out of what comes back."""
        found = [secret for secret in self._used.values() if len(secret.reveal()) >= _SHORTEST_KEY]
        yield from sorted(found, key=lambda secret: -len(secret.reveal()))

    def _value(self, name: str, where: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value:
            raise ProviderError(
                Failure.MISSING_KEY,
                f"{visible(self.whose)}: the variable {name} is not set",
                advice=f"Set {name} and start again. It stands in `{visible(where)}`.",
            )
        self._used[name] = Secret(value)
        return value
