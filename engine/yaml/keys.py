"""The keys of a blueprint, one row each: for reading, for suggestions when misspelt, and for completion.

From 002: "Configuration Header Fields", "Evaluation Configuration", "Model Configuration", "Prompt Fields", "Message
Formats", "Point Definition Formats", "Tool-Use"; from 000: "External Services".
"""

from __future__ import annotations

import re
import tomllib
from enum import Enum
from pathlib import Path

from msgspec import convert

from engine.text.record import Record


class Part(Enum):
    """The kinds of mappings in a blueprint. In a `FREE` mapping the keys are the author's own."""

    HEADER = "header"
    PROMPT = "prompt"
    MESSAGE = "message"
    POINT = "point"
    REFERENCE = "reference"
    AUTHOR = "author"
    MODEL = "model"
    TOOL = "tool"
    TOOL_USE = "tool use"
    SERVICE = "service"
    EVALUATION = "evaluation"
    COVERAGE = "coverage"
    JUDGE = "judge"
    FREE = "free"


class Shape(Enum):
    """The type of a key's value, in an author's words."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "true or false"
    LIST = "list"
    MAPPING = "mapping"
    ANY = "any value"


class Names(Enum):
    """The names of which a value, or each of its items, is one."""

    FUNCTIONS = "functions"
    DEFINITIONS = "definitions"
    MODELS = "models"
    TOOLS = "tools"
    SERVICES = "services"


class Key(Record):
    """One key. `aliases` are its other names; `old` are names that are still read but no longer suggested.

    `values` are all its values, if they are few; `names` says which names it accepts. `part` is the kind of mapping
    that it holds: its value, each item of its list, or, with `named`, each value under a name of the author's.
    `written` is False for keys that are read but should no longer be written.
    """

    name: str
    summary: str
    shape: Shape = Shape.TEXT
    aliases: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    names: Names | None = None
    part: Part | None = None
    named: bool = False
    written: bool = True

    @property
    def read_as(self) -> tuple[str, ...]:
        """All names under which it is read."""
        return (self.name, *self.aliases, *self.old)


KEYS: dict[Part, tuple[Key, ...]] = convert(
    tomllib.loads(Path(__file__).with_name("keys.toml").read_text("utf-8")), dict[Part, tuple[Key, ...]]
)
"""All keys, in the order in which completion offers them."""


def names_read(part: Part) -> frozenset[str]:
    """All names under which keys are read in `part`."""
    return frozenset(name for key in KEYS[part] for name in key.read_as)


def suggested_names(part: Part) -> tuple[str, ...]:
    """The names to suggest for a misspelt key of `part`."""
    return tuple(name for key in KEYS[part] if key.written for name in (key.name, *key.aliases))


_BY_NAME = {part: {name: key for key in keys for name in key.read_as} for part, keys in KEYS.items()}


def find_key(part: Part, name: str) -> Key | None:
    """The key that is read as `name` in `part`, or None."""
    return _BY_NAME[part].get(name)


def is_named(name: str) -> bool:
    """Whether some part of a blueprint has a key of this name, in whatever capitals."""
    return any(name.casefold() in names for names in _BY_NAME.values())


_LIKE_TEXT = frozenset(("text", "texts", "txt", "point", "criterion"))


def is_like_text(name: str) -> bool:
    """Whether a key that Weval takes for a criterion was meant for `text`: in capitals, with signs that nobody sees."""
    return re.sub(r"\W", "", name).casefold() in _LIKE_TEXT
