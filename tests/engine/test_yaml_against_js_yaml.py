"""Random edits of the corpus, and small texts made from YAML's own grammar, its dark corners too, read by us and by
js-yaml 4.1.0: both take or refuse them, and to the same data.

Known to differ: a date whose own day or month carries it past the year 9999, which Python cannot hold, stays a text;
a text nested more than a hundred levels deep is refused; and a key `__proto__` that `<<` brings in stays a key, where
js-yaml sets the object's prototype instead, so that JSON shows nothing of it. None of these is made here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

import pytest

from tests.js_yaml import disagreements, needs_js_yaml, without_recovery
from tests.pieces import pieces
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

pytestmark = needs_js_yaml

SEEDS = range(tried(1, 4))
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


@needs_corpus
@pytest.mark.parametrize("seed", SEEDS)
def test_edited_blueprints_are_read_or_refused_as_by_js_yaml(seed: int) -> None:
    chance = random.Random(seed)
    assert disagreements([edited(chance) for _ in range(EDITS_PER_SEED)]) == []


# Texts of the grammar


TEXTS_PER_SEED = tried(400, 1200)

TAGS = pieces("tags of YAML")
WORDS = pieces("words of YAML")
IN_QUOTES = pieces("pieces of quoted texts")
KEYS = pieces("keys of YAML")
HEADERS = pieces("heads of block texts")
LINES = pieces("lines of block texts")
BREAKS = pieces("breaks between entries")
BEGINNINGS = pieces("beginnings of documents")


class Writer:
    """Writes one random text after another."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def one_of(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def seldom(self, text: str, *, of: int = 12) -> str:
        return text if self.chance.randrange(of) == 0 else ""

    def times(self, most: int) -> range:
        return range(self.chance.randrange(most + 1))

    def properties(self) -> str:
        return self.seldom(f"{self.chance.choice(TAGS)} ") + self.seldom(self.one_of("&a ", "&b "))

    def word(self) -> str:
        return self.chance.choice([self.chance.choice(WORDS), "a", "b c", "0", "null"])

    def quoted(self) -> str:
        quote = self.one_of("'", '"')
        return quote + "".join(self.chance.choice(IN_QUOTES) for _ in self.times(4)) + quote

    def block(self, indent: int) -> str:
        base = max(indent + self.chance.choice([0, 1, 1, 2, 2, 3]), 0)
        lines = [" " * base + self.chance.choice(LINES) for _ in self.times(4)]
        return "\n".join([self.chance.choice(HEADERS), *lines])

    def flow(self, depth: int) -> str:
        if depth == 0 or self.chance.random() < 0.5:
            return self.properties() + self.chance.choice([self.word(), self.quoted(), self.one_of("x", "x", "*a")])
        blank = self.one_of("", " ", " ", "\n ", " # c\n ", "\t")
        if self.chance.random() < 0.5:
            entries = [self.seldom("? ") + self.flow(depth - 1) for _ in self.times(3)]
            return self.properties() + "[" + blank + f",{blank}".join(entries) + self.seldom(",") + "]"
        pairs = [self.flow(0) + self.one_of(": ", ": ", ":", " : ", "") + self.flow(depth - 1) for _ in self.times(3)]
        return self.properties() + "{" + f",{blank}".join(pairs) + blank + "}"

    def leaf(self, indent: int) -> str:
        plain = self.word() + self.seldom("\n" + " " * max(indent + 1, 0) + self.word())
        return self.chance.choice(
            [plain, plain, self.quoted(), self.block(indent), self.flow(3), self.one_of("x", "*a")]
        )

    def value(self, indent: int, depth: int) -> str:
        before = " " + self.properties()
        if depth == 0 or self.chance.random() < 0.5:
            return before + self.leaf(indent) + self.chance.choice(BREAKS)
        inner = indent + self.chance.choice([2, 2, 2, 1, 4])
        if self.chance.random() < 0.6:
            return before + self.chance.choice(BREAKS) + self.mapping(inner, depth - 1)
        return (
            before + self.chance.choice(BREAKS) + self.sequence(max(inner - self.chance.choice([0, 2]), 0), depth - 1)
        )

    def margin(self, indent: int) -> str:
        return " " * max(indent + self.chance.choice([*[0] * 30, -1, 1]), 0) + self.seldom("\t", of=60)

    def mapping(self, indent: int, depth: int) -> str:
        pairs: list[str] = []
        for _ in self.times(3):
            key = self.properties() + self.chance.choice([self.chance.choice(KEYS), *"defghijkl"])
            if self.seldom("?"):
                value = self.seldom(f"{' ' * indent}:{self.value(indent, 0)}", of=2)
                pairs.append(f"{self.margin(indent)}?{self.value(indent, min(depth, 1))}{value}")
            else:
                pairs.append(f"{self.margin(indent)}{key}{self.one_of(':', ':', ':', ' :')}{self.value(indent, depth)}")
        return "".join(pairs)

    def sequence(self, indent: int, depth: int) -> str:
        items = [f"{self.margin(indent)}-{self.value(indent, depth)}" for _ in self.times(2)]
        return "".join([*items, f"{self.margin(indent)}- {self.mapping(indent + 2, depth).lstrip(' ')}"])

    def text(self) -> str:
        documents = [
            self.seldom(self.chance.choice(BEGINNINGS), of=5)
            + self.chance.choice(
                [self.mapping(0, 3), self.mapping(0, 2), self.sequence(0, 3), self.value(-1, 2).lstrip()]
            )
            for _ in range(self.chance.choice([1, 1, 1, 2, 3]))
        ]
        return self.one_of("---\n", "---\n", "...\n", "--- # c\n").join(documents)


def texts(seed: int) -> list[str]:
    writer = Writer(seed)
    return [writer.text() for _ in range(TEXTS_PER_SEED)]


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_of_the_grammar_are_read_or_refused_as_by_js_yaml(seed: int) -> None:
    assert disagreements(texts(seed), without_recovery) == []


def test_finding_all_errors_of_a_text_changes_neither_its_values_nor_its_first_error() -> None:
    assert disagreements(texts(0)[::6]) == []
