"""What the rules say of the corpus, with the source that it is said of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker, Rule
from engine.rules.selection import EVERYTHING
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex
from tests.world import CORPUS, corpus_files

MOST_TEXT = 120
"""How much of an underlined text a verdict keeps, in code points."""


@dataclass(frozen=True, slots=True)
class Found:
    """One report: `file` is the path below the corpus' `blueprints`, `line` counts from 1."""

    file: str
    line: int
    diagnostic: Diagnostic
    parsed: Parsed

    @property
    def slug(self) -> str:
        """The rule that reports."""
        return self.diagnostic.slug

    @property
    def level(self) -> Severity:
        """How it is reported: one rule may have warnings and hints."""
        return self.diagnostic.severity

    @property
    def text(self) -> str:
        """What an editor would underline, as far as a verdict keeps it."""
        return self.diagnostic.span.of(self.parsed.text)[:MOST_TEXT]


def reports(rules: Iterable[Rule] = ALL, files: Iterable[Path] | None = None) -> list[Found]:
    """Every report on `files`, by default all of the corpus, in the order of files and places, those that are off by
    default included."""
    return _reports(tuple(rule.selected() for rule in rules), corpus_files() if files is None else files)


def default_reports() -> list[Found]:
    """The reports that `studio check` makes of the corpus without settings."""
    return _reports(EVERYTHING.rules(), corpus_files())


def _reports(rules: tuple[Rule, ...], files: Iterable[Path]) -> list[Found]:
    found: list[Found] = []
    with JavaScript() as javascript:
        for path in files:
            parsed = parse(path.read_text("utf-8"), path)
            said = Checker(rules).check(parsed, javascript)
            lines = LineIndex(parsed.text) if said else None
            name = path.relative_to(CORPUS).as_posix()
            for one in said:
                assert lines is not None
                found.append(Found(name, lines.position(one.span.start).line + 1, one, parsed))
    return found
