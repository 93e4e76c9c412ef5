"""The recently opened files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from engine.own_files import Damaged, OwnFile, parse_json
from engine.places import state_dir
from engine.workspace.exclusive_lock import exclusively

_MAX_FILES = 12


def recent_files() -> list[Path]:
    """Up to twelve recently opened files that still exist, newest first. A damaged list is set aside."""
    return [path for name in _file().load() or () if _is_file(path := Path(name))]


def remember_file(path: Path) -> None:
    """Put `path` at the head of the recent files. Raises `OSError`."""
    path = path.absolute()
    with exclusively("recent files"):  # of several studios, each adds its own
        others = [other for other in recent_files() if other != path]
        names = [str(each) for each in (path, *others)][:_MAX_FILES]
        _file().write(json.dumps(names).encode())


def _file() -> OwnFile[list[str]]:
    return OwnFile(state_dir() / "recent.json", _parse)


def _parse(content: bytes) -> list[str]:
    names = parse_json(content)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in cast("list[object]", names)):
        raise Damaged("it holds no list of paths")
    return cast("list[str]", names)[:_MAX_FILES]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder without permission, or a name that is too long
        return False
