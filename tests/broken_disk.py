"""Folders that cannot be written: what the system says to root too, who may write anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_CALLS = ("mkdir", "rename", "replace", "unlink", "link", "symlink", "chmod")


def refuse_writing(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """Let every change below `folder` fail with the error `number` of the system; reading works."""

    def is_within(path: object) -> bool:
        return isinstance(path, str | bytes | os.PathLike) and Path(os.fsdecode(path)).is_relative_to(folder)

    def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if any(map(is_within, given)):
                raise OSError(number, os.strerror(number), os.fsdecode(given[0]))
            return real(*given, **named)

        return call

    def opening(path: Any, flags: int, *given: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and is_within(path):
            raise OSError(number, os.strerror(number), os.fsdecode(path))
        return real_open(path, flags, *given, **named)

    real_open = os.open
    for name in _CALLS:
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    monkeypatch.setattr(os, "open", opening)
