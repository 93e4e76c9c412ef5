"""`settings.json` as plain JSON, for what must not load the settings model."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from engine.own_files import Damaged, OwnFile, parse_json
from engine.places import config_dir


def settings_path() -> Path:
    """The path of the user's settings. The file may not exist yet."""
    return config_dir() / "settings.json"


def read_settings_json() -> dict[str, object]:
    """The settings as written, or {}; a file without a JSON object is set aside. Blocks."""
    return OwnFile(settings_path(), parse_settings).load() or {}


def parse_settings(content: bytes) -> dict[str, object]:
    """The JSON object in `content`. Raises `Damaged`, `RecursionError`."""
    data = parse_json(content)
    if not isinstance(data, dict):
        raise Damaged("it holds no JSON object")
    return cast("dict[str, object]", data)
