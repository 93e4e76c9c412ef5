"""Parts of corpus files in which slips are made: a header with some of its prompts, and the lines of one prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from engine.parsing import parse, weval_config
from engine.yaml.nodes import Data
from tests.world import corpus_files

PLAIN = re.compile(r"[A-Z][\w ,.()/%’-]{8,}[\w.)]")
"""A text that needs no quotes, and of which nothing has a meaning to YAML."""
_ITEM = re.compile(r"^( *)- id: ?(\S+)$")
_POINT = re.compile(r"^( +)- (?:\"([^\"\\]*)\"|'([^']*)'|([^'\"\[{$].*))$")
_FIELD = re.compile(r"^( *(?:- )?)(prompt|ideal|description|title): (?:\"([^\"\\]*)\"|'([^']*)'|([^'\"|>\[{].*))$")
_KEY = re.compile(r"^( *)(should|should_not|points):$")
_BLOCK = re.compile(r"^( *)(prompt|ideal|description): ?[|>]-?$")
_MOST_LINES = 160


@dataclass(frozen=True, slots=True)
class Text:
    """A line with a text: its index, what precedes the text, and the text without quotes."""

    line: int
    before: str
    text: str

    @property
    def margin(self) -> str:
        """The white space before the line."""
        return self.before[: len(self.before) - len(self.before.lstrip())]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: the line of their key, and those from `first` up to `end`."""

    key: int
    first: int
    end: int
    margin: int
    """The column of the lines."""
    above: int
    """The column of the key."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A header with up to three prompts of a file, of which the lines `start` to `end` are the one with the slips."""

    path: Path
    lines: tuple[str, ...]
    start: int
    end: int

    @property
    def text(self) -> str:
        """The text of the excerpt."""
        return "\n".join(self.lines) + "\n"

    @property
    def column(self) -> int:
        """The column of the prompt's dash."""
        return len(self.lines[self.start]) - len(self.lines[self.start].lstrip())

    def separators(self) -> list[int]:
        """The lines of dashes that part the header from the prompts."""
        return [index for index, line in enumerate(self.lines) if line == "---" and index]

    def below(self, line: int, column: int) -> int:
        """Where the lines of the prompt end that stand at this column or deeper, from `line` on."""
        while line < self.end and (not self.lines[line].strip() or self.lines[line].startswith(" " * column)):
            line += 1
        return line

    def points(self) -> list[Text]:
        """The plain points of the prompt that are texts on one line."""
        found: list[Text] = []
        for block in self.lists():
            for index in range(block.first, block.end):
                match = _POINT.match(self.lines[index])
                if match is not None and len(match[1]) == block.margin:
                    text = match[2] or match[3] or match[4] or ""
                    following = self.lines[index + 1] if index + 1 < self.end else ""
                    deeper = len(following) - len(following.lstrip()) > block.margin
                    if PLAIN.fullmatch(text) and not (following.strip() and deeper):
                        found.append(Text(index, f"{match[1]}- ", text))
        return found

    def fields(self, *names: str) -> list[Text]:
        """The plain texts on one line under keys of the prompt, or of the header for its keys."""
        found: list[Text] = []
        for index, line in enumerate(self.lines):
            match = _FIELD.match(line)
            if match is None or match[2] not in names:
                continue
            if not (self.start <= index < self.end or (match[2] == "title" and index < self.start)):
                continue
            text = match[3] or match[4] or match[5] or ""
            following = self.lines[index + 1] if index + 1 < len(self.lines) else ""
            continued = following.strip() and len(following) - len(following.lstrip()) > len(match[1])
            if PLAIN.fullmatch(text.rstrip("?!")) and not continued:
                found.append(Text(index, f"{match[1]}{match[2]}: ", text))
        return found

    def lists(self) -> list[Block]:
        """The lists of points of the prompt, each item on one line or deeper ones."""
        found: list[Block] = []
        for index in range(self.start, self.end):
            key = _KEY.match(self.lines[index])
            if key is not None and index + 1 < self.end and self.lines[index + 1].lstrip().startswith("- "):
                margin = len(self.lines[index + 1]) - len(self.lines[index + 1].lstrip())
                end = index + 1
                while end < self.end and (
                    self.lines[end].startswith(" " * margin + "- ") or _column(self.lines[end]) > margin
                ):
                    end += 1
                if margin > len(key[1]):
                    found.append(Block(index, index + 1, end, margin, len(key[1])))
        return found

    def blocks(self) -> list[Block]:
        """The block texts of the prompt with two lines or more."""
        found: list[Block] = []
        for index in range(self.start, self.end):
            key = _BLOCK.match(self.lines[index])
            if key is None:
                continue
            end = self.below(index + 1, len(key[1]) + 1)
            while end > index + 1 and not self.lines[end - 1].strip():
                end -= 1
            margins = [_column(line) for line in self.lines[index + 1 : end] if line.strip()]
            if len(margins) > 1 and margins[0] == min(margins):
                found.append(Block(index, index + 1, end, margins[0], len(key[1])))
        return found


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def form(text: str) -> Data | None:
    """What Weval makes of `text`; None if it refuses it."""
    return weval_config(parse(text))


@cache
def sources() -> tuple[tuple[Path, tuple[str, ...], tuple[int, ...]], ...]:
    """The corpus files that can be cut into excerpts: path, lines, and the lines of their prompts' dashes."""
    found: list[tuple[Path, tuple[str, ...], tuple[int, ...]]] = []
    for path in corpus_files():
        text = path.read_text("utf-8")
        lines = tuple(line.rstrip() for line in text.splitlines())
        items = [index for index, line in enumerate(lines) if _ITEM.match(line)]
        columns = {_column(lines[index]) for index in items}
        if len(items) > 2 and len(columns) == 1 and "\t" not in text and len(text) < 100_000:
            found.append((path, lines, tuple(items)))
    return tuple(found)


def excerpt(rng: Random) -> Excerpt | None:
    """A seeded excerpt; None if the place chosen has too many lines or Weval refuses it."""
    path, lines, items = rng.choice(sources())
    at = rng.randrange(len(items))
    first, last = max(at - 1, 0), min(at + 1, len(items) - 1)
    end = items[last + 1] if last + 1 < len(items) else len(lines)
    head = lines[: items[0]]
    body = lines[items[first] : end]
    if len(head) + len(body) > _MOST_LINES:
        return None
    start = len(head) + items[at] - items[first]
    stop = len(head) + (items[at + 1] - items[first] if at < last else len(body))
    made = Excerpt(path, (*head, *body), start, stop)
    return made if _is_sound(made.text) else None


@cache
def _is_sound(text: str) -> bool:
    return form(text) is not None
