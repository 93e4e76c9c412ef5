"""The corpus as it is read and checked, once for all tests of a worker."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.parsing import Parsed, parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic
from tests.thoroughness import one_in
from tests.world import corpus_files


@cache
def read(path: Path) -> Parsed:
    """One file of the corpus."""
    return parse(path.read_text("utf-8"), path)


@cache
def checked(path: Path) -> tuple[Diagnostic, ...]:
    """What the rules that are on report of one file of the corpus, without V8."""
    return check(read(path))


def checked_corpus() -> list[tuple[Parsed, tuple[Diagnostic, ...]]]:
    """Some files of the corpus with their reports; all of them where all is tried."""
    return [(read(path), checked(path)) for path in one_in(6, corpus_files())]
