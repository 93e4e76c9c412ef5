"""Characters, fragments and values that readers of YAML, regexes and terminals stumble over.

They stand in `hostile_scalars.json`: a text, or a list of texts, each followed by how often it is repeated.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_TEXTS: dict[str, list[Any]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def _texts(name: str) -> tuple[str, ...]:
    return tuple(each if isinstance(each, str) else _repeated(each) for each in _TEXTS[name])


def _repeated(parts: list[str | int]) -> str:
    return "".join(str(text) * int(times) for text, times in zip(parts[::2], parts[1::2], strict=True))


LINE_BREAKS = _texts("line breaks")
CHARACTERS = (*map(chr, range(0x20)), *_texts("characters"), *"-:?,[]{}#&*!|>'\"%@`$~=<\\/()^+.0_ ")
FRAGMENTS = _texts("fragments")
PLAIN = _texts("plain")
QUOTED = _texts("quoted")
STRUCTURED = _texts("structured")
PATTERNS = _texts("patterns")
SLOW_PATTERNS = _texts("slow patterns")
SCRIPTS = _texts("scripts")
SLOW_SCRIPTS = _texts("slow scripts")
PIECES = _texts("pieces")
"""Text that readers stumble over, in the middle of anything."""
ODD = _texts("odd texts")
"""Texts that editors stumble over."""
TYPED = _texts("typed")
"""What is typed beside letters and signs."""
OF_EVERY_TYPE = tuple(_TEXTS["values"])
