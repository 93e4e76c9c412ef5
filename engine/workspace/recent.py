"""The recently opened files."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import cast

from engine.answers_in_time import answers_in_time
from engine.own_files import Damaged, OwnFile, parse_json
from engine.places import state_dir
from engine.workspace.exclusive_lock import exclusively

_MAX_FILES = 12
_SECONDS_TO_ANSWER = 1.0
"""How long all files together may take: one may be on a network mount whose server is gone."""


def recent_files() -> list[Path]:
    """Up to twelve recently opened files that still exist, newest first. A damaged list is set aside. Blocks.

    A file whose place does not answer is left out.
    """
    paths = _listed()
    answers = answers_in_time([partial(_is_file, path) for path in paths], _SECONDS_TO_ANSWER)
    return [path for path, is_file in zip(paths, answers, strict=True) if is_file]


def _listed() -> list[Path]:
    return [Path(name) for name in _file().load() or ()]


def remember_file(path: Path) -> None:
    """Put `path` at the head of the recent files. Raises `OSError`."""
    path = path.absolute()
    with exclusively("recent files"):  # of several studios, each adds its own
        others = [other for other in _listed() if other != path]  # no look at them: their places may not answer
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
    except (OSError, ValueError):  # a folder without permission, a name that is too long, or one with NUL
        return False
