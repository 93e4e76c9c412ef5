"""The folders of the program's own files: the user's data, state and settings.

The environment variable `BLUEPRINT_STUDIO_HOME` puts all of them below one folder, for tests and portable
installations.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_APP = "blueprint-studio"


def _home() -> Path | None:
    home = os.environ.get("BLUEPRINT_STUDIO_HOME")
    return Path(home) if home else None


def data_dir() -> Path:
    """The folder of durable data: responses, grades, model weights. It may not exist yet."""
    home = _home()
    return home / "data" if home else platformdirs.user_data_path(_APP, appauthor=False)


def state_dir() -> Path:
    """The folder of session state: recovery journals, recent files. It may not exist yet."""
    home = _home()
    return home / "state" if home else platformdirs.user_state_path(_APP, appauthor=False)


def config_dir() -> Path:
    """The folder of the author's settings. It may not exist yet."""
    home = _home()
    return home / "config" if home else platformdirs.user_config_path(_APP, appauthor=False)
