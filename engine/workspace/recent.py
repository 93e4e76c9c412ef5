"""The recently opened files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from engine.atomic import write_atomically
from engine.places import state_dir

_MAX_FILES = 12


def recent_files() -> list[Path]:
    """Up to twelve recently opened files that still exist, newest first."""
    try:
        names = json.loads(_list_path().read_bytes())
    except (OSError, json.JSONDecodeError, UnicodeDecodeError):
        return []
    if not isinstance(names, list):
        return []
    return [path for name in cast("list[object]", names) if isinstance(name, str) and (path := Path(name)).is_file()]


def remember_file(path: Path) -> None:
    """Put `path` at the head of the recent files. Raises `OSError`."""
    path = path.absolute()
    others = [other for other in recent_files() if other != path]
    names = [str(each) for each in (path, *others)][:_MAX_FILES]
    _list_path().parent.mkdir(parents=True, exist_ok=True)
    write_atomically(_list_path(), json.dumps(names).encode(), mode=0o600)


def _list_path() -> Path:
    return state_dir() / "recent.json"
