"""The outside world that tests are held against: golden answers, the documents, the corpus.

Golden rows that the project holds are in `tests/golden`; the others, and the documents, are in a folder `shared` beside
the project. The corpus is there too, or where `STUDIO_CORPUS` says. Tests of what is missing are left out, and the last
line of a run says so.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest

HELD = Path(__file__).with_name("golden")
SHARED = Path(__file__).parents[2] / "shared"
GOLDEN = SHARED / "golden"
CORPUS_VARIABLE = "STUDIO_CORPUS"
CORPUS_ROOT = Path(os.environ.get(CORPUS_VARIABLE) or SHARED / "corpus").absolute()
"""The folder with `blueprints` and `models`."""
CORPUS = CORPUS_ROOT / "blueprints"

NO_SHARED = "no other golden rows and documents in ../shared"
NO_CORPUS = f"no corpus: set {CORPUS_VARIABLE} to the folder of its `blueprints` and `models`"

needs_shared = pytest.mark.skipif(not GOLDEN.is_dir(), reason=NO_SHARED)
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)


def golden(name: str) -> list[dict[str, Any]]:
    """The rows of one golden file: those that the project holds, else those in `shared`.

    [] where they are missing: mark a test of rows that are not held with `needs_shared`.
    """
    return rows_in(held) if (held := HELD / f"{name}.jsonl.gz").is_file() else rows_in(GOLDEN / f"{name}.jsonl")


def rows_in(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, compressed where its name says so; [] where it is missing."""
    return [json.loads(line) for line in _text(path).splitlines()]


@cache
def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")


def corpus_files() -> list[Path]:
    """Every blueprint of the corpus, [] where it is missing."""
    return list(_corpus_files())


@cache
def _corpus_files() -> tuple[Path, ...]:
    return tuple(sorted(CORPUS.rglob("*.yml"))) if CORPUS.is_dir() else ()


@contextmanager
def own_home() -> Iterator[Path]:
    """Within, settings, database and journals are in a folder of their own, which is removed."""
    with TemporaryDirectory() as name, patch.dict(os.environ, {"BLUEPRINT_STUDIO_HOME": name}):
        yield Path(name)
