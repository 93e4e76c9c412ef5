"""The blueprints below folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class NoSuchPath:
    """A path that was named and is not there."""

    path: Path


def blueprints_at(paths: Iterable[Path]) -> Iterator[Path | NoSuchPath]:
    """Every file of `paths` as it is, and of every folder the blueprints in it, by name; each once.

    Hidden folders and `node_modules` are passed over, and links to folders are not followed.
    """
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            yield NoSuchPath(path)
            continue
        for file in _below(path) if path.is_dir() else (path,):
            real = file.resolve()
            if real not in seen:
                seen.add(real)
                yield file


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(files):
            file = Path(parent, name)
            suffix = file.suffix.lower()
            if suffix in (".yml", ".yaml") or (suffix == ".json" and _has_prompts(file)):
                yield file


def _has_prompts(file: Path) -> bool:
    """Whether a JSON file is a blueprint: one that cannot be read as JSON is none."""
    try:
        content = file.read_bytes()
        if b'"prompts"' not in content:
            return False
        data = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "prompts" in data
