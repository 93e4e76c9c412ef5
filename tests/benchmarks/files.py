"""The files that are measured: a usual one, a long one, and a dense one made from real prompts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.world import CORPUS

DENSE_LINES = 10_000


@dataclass(frozen=True, slots=True)
class File:
    """A blueprint to measure with."""

    label: str
    path: Path
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    def row(self) -> int:
        """A line in the middle of the file (from 0) that is short, so that its end is on the screen."""
        lines = self.lines
        middle = len(lines) // 2
        return next(row for row in range(middle, len(lines)) if re.fullmatch(r" *(- )?\w.{5,30}", lines[row]))

    def key_row(self) -> int:
        """The first line from the middle on (from 0) that holds a prompt's list of criteria."""
        lines = self.lines
        return next(row for row in range(len(lines) // 2, len(lines)) if re.fullmatch(r" +should:\s*", lines[row]))


def dense() -> str:
    """The prompts of `sydney/original.yml` repeated with fresh ids until there are 10,000 lines."""
    text = (CORPUS / "sydney" / "original.yml").read_text("utf-8")
    start = text.index("\n---\n") + 1
    header, prompts = text[:start], text[start:].rstrip("\n") + "\n"
    pieces = [header]
    lines = header.count("\n")
    for copy in range(1 + DENSE_LINES // prompts.count("\n")):
        fresh = re.sub(r"(?m)^(\s*-? *id: *['\"]?)", rf"\g<1>c{copy}-", prompts)
        for line in fresh.splitlines(keepends=True):
            if lines == DENSE_LINES:
                break
            pieces.append(line)
            lines += 1
    return "".join(pieces)


def files(folder: Path) -> list[File]:
    """The three files, as copies in `folder`, where they may be changed."""
    texts = {
        "1,002 lines": (CORPUS / "ai-spiral-safety.yml").read_text("utf-8"),
        "10,509 lines": (CORPUS / "table-format-sensitivity" / "combined-11fmts-r30-qpf5.yml").read_text("utf-8"),
        "10,000 dense lines": dense(),
    }
    made: list[File] = []
    for number, (label, text) in enumerate(texts.items()):
        path = folder / f"file-{number}.yml"
        path.write_text(text, "utf-8")
        made.append(File(label, path, text))
    return made
