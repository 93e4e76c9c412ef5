"""Where the program keeps what is its own: data, state and settings of this user.

`BLUEPRINT_STUDIO_HOME` puts all of it below one folder, which is how tests and portable installations keep apart.
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
    """What was made here and is worth keeping: responses, grades, model weights. The folder may not exist yet."""
    home = _home()
    return home / "data" if home else platformdirs.user_data_path(_APP, appauthor=False)


def state_dir() -> Path:
    """What helps to carry on: recovery journals, recent files. The folder may not exist yet."""
    home = _home()
    return home / "state" if home else platformdirs.user_state_path(_APP, appauthor=False)


def config_dir() -> Path:
    """The author's settings. The folder may not exist yet."""
    home = _home()
    return home / "config" if home else platformdirs.user_config_path(_APP, appauthor=False)
