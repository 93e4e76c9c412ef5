"""Random edits of the corpus, read by us and by js-yaml 4.1.0: both take or refuse them, and to the same data."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

import pytest

from tests.js_yaml import disagreements, needs_js_yaml
from tests.pieces import pieces
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

pytestmark = [needs_js_yaml, needs_corpus]

SEEDS = range(tried(2, 4))
EDITS_PER_SEED = tried(150, 600)
LONGEST = 6_000
"""Of a longer file, a stretch of this many characters is edited, so that thousands of edits take seconds."""

MARKS = pieces("signs for edits of YAML")
PIECES = pieces("pieces for edits of YAML")


def insert_mark(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(MARKS) + text[at:]


def insert_piece(text: str, chance: random.Random) -> str:
    at = chance.choice([match.start() for match in re.finditer(r"(?m)\b|^|$", text)] or [0])
    return text[:at] + chance.choice(PIECES) + text[at:]


def delete_some(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice([1, 1, 1, 2, 5, 40]) :]


def delete_mark(text: str, chance: random.Random) -> str:
    at = chance.choice([match.start() for match in re.finditer(r"[-:#'\"|>\[\]{},\n]", text)] or [0])
    return text[:at] + text[at + 1 :]


def indent_line(text: str, chance: random.Random) -> str:
    at = chance.choice([match.start() for match in re.finditer(r"(?m)^", text)])
    return text[:at] + chance.choice([" ", "  ", "\t", "    "]) + text[at:]


def outdent_line(text: str, chance: random.Random) -> str:
    at = chance.choice([match.start() for match in re.finditer(r"(?m)^ ", text)] or [0])
    return text[:at] + text[at + chance.choice([1, 2]) :]


def repeat_line(text: str, chance: random.Random) -> str:
    line = chance.choice([match.span() for match in re.finditer(r".*\n", text)] or [(0, 0)])
    return text[: line[1]] + text[slice(*line)] + text[line[1] :]


def move_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
    return "".join(lines)


def end_line_otherwise(text: str, chance: random.Random) -> str:
    at = chance.choice([match.start() for match in re.finditer(r"\n", text)] or [0])
    return text[:at] + chance.choice(["\r\n", "\r", " ", "\t\n", " \n", "\u2028"]) + text[at + 1 :]


def begin_value_otherwise(text: str, chance: random.Random) -> str:
    at = chance.choice([match.end() for match in re.finditer(r"[:-] (?=\S)", text)] or [0])
    return text[:at] + chance.choice(PIECES + MARKS) + text[at:]


def cut_off(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


EDITS: tuple[Callable[[str, random.Random], str], ...] = (
    insert_mark,
    insert_piece,
    delete_some,
    delete_mark,
    indent_line,
    outdent_line,
    repeat_line,
    move_line,
    end_line_otherwise,
    begin_value_otherwise,
    cut_off,
)


@cache
def originals() -> tuple[str, ...]:
    return tuple(path.read_bytes().decode("utf-8") for path in corpus_files())


def edited(chance: random.Random) -> str:
    text = chance.choice(originals())
    start = chance.randrange(max(len(text) - LONGEST, 0) + 1)
    text = text[text.rfind("\n- ", 0, start) + 1 :][:LONGEST]
    for _ in range(chance.choice([1, 1, 2, 3, 5])):
        text = chance.choice(EDITS)(text, chance)
    return text


@pytest.mark.parametrize("seed", SEEDS)
def test_edited_blueprints_are_read_or_refused_as_by_js_yaml(seed: int) -> None:
    chance = random.Random(seed)
    assert disagreements([edited(chance) for _ in range(EDITS_PER_SEED)]) == []
