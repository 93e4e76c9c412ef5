"""Blueprints and cases of tests that are longer than a few lines: the files in `texts`."""

from __future__ import annotations

from pathlib import Path


def text_file(name: str) -> str:
    """The text of a file in `texts`."""
    return (Path(__file__).parent / "texts" / name).read_text("utf-8")
