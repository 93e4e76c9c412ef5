"""The outside world that tests are held against: golden answers, the documents, the corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared"
GOLDEN = SHARED / "golden"
CORPUS = SHARED / "corpus" / "blueprints"

needs_shared = pytest.mark.skipif(not GOLDEN.is_dir(), reason="the goldens and the corpus are not beside the project")


def golden(name: str) -> list[dict[str, Any]]:
    """The rows of one golden file, [] where it is missing (mark the test with `needs_shared`)."""
    path = GOLDEN / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def corpus_files() -> list[Path]:
    """Every blueprint of the corpus, [] where it is missing."""
    return sorted(CORPUS.rglob("*.yml")) if CORPUS.is_dir() else []
