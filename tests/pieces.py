"""Short texts of which tests put random ones together, in `pieces.txt`: below each title one a line, however often.

`⏎` is a line break, `‹U+0020›` that character. Texts of many lines are files of `texts`.
"""

from __future__ import annotations

import re
from pathlib import Path

_TEXT = Path(__file__).with_suffix(".txt").read_text("utf-8")
_CHARACTER = re.compile(r"‹U\+(\w+)›")


def pieces(title: str) -> list[str]:
    """The texts below `#### TITLE`."""
    [below] = re.findall(rf"^#### {title}\n((?:(?!#### ).*\n)*)", _TEXT, re.MULTILINE)
    return [_text_of(line) for line in below.splitlines()]


def whole_text(name: str) -> str:
    """The file of `texts` of this name."""
    return (Path(__file__).with_name("texts") / name).read_text("utf-8")


def _text_of(line: str) -> str:
    return _CHARACTER.sub(lambda found: chr(int(found[1], 16)), line.replace("⏎", "\n"))
