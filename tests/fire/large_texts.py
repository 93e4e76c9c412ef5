"""Large texts of many shapes, each with its size as a parameter.

The shapes stand in `large_texts.json`: a text is a list of parts, of which one in brackets stands there once for each
entry, with `%d` as its number. Most need several characters, values or lines for each entry, so one number serves for
all: at the limits of `engine.text.text_limits` and far beyond.
`python -m tests.fire.large_texts SHAPE ENTRIES|most FILE` writes one and prints how many entries it has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

Shape: TypeAlias = Callable[[int], str]

BEYOND = 1_000_000
"""Entries beyond the limits; of text about 10 MB."""
_SHRINK = 1.3
"""The next smaller size of a text that is to be as large as the limits allow."""
_DEEPEST = 2500


def _made(parts: list[str | list[str]], entries: int) -> str:
    return "".join(part if isinstance(part, str) else _repeated(part[0], entries) for part in parts)


def _repeated(template: str, entries: int) -> str:
    return "".join(template.replace("%d", str(number)) for number in range(entries))


def _deep_keys(entries: int) -> str:
    return "".join(" " * depth + "a:\n" for depth in range(min(entries, _DEEPEST)))


_READ = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
JSON_SHAPES: dict[str, Shape] = {name: partial(_made, parts) for name, parts in _READ.pop("JSON").items()}
"""The shapes that are read as JSON."""
SHAPES: dict[str, Shape] = {
    **{name: partial(_made, parts) for shapes in _READ.values() for name, parts in shapes.items()},
    "runs of blanks": partial(_made, ["- id: a\n  prompt: Say it\n  x: ", [f"a:{' ' * 900}"], "\n"]),
    "deep keys": _deep_keys,
}
"""The shapes that are read as YAML."""


def within_limits(name: str) -> int:
    """About the most entries with which a text of the shape `name` is not refused for its size."""
    from engine.yaml.tree_loader import load

    shape = {**SHAPES, **JSON_SHAPES}[name]
    entries = BEYOND
    while load(shape(entries), is_json=name in JSON_SHAPES).is_refused:
        entries = int(entries / _SHRINK)
    return entries


if __name__ == "__main__":
    _, wanted, number, path = sys.argv
    count = within_limits(wanted) if number == "most" else int(number)
    Path(path).write_bytes({**SHAPES, **JSON_SHAPES}[wanted](count).encode())
    print(count)
