"""Where results and recordings are written: never where Weval would run them as blueprints.

Weval runs every `.yml`, `.yaml` and `.json` file below a folder `blueprints/` (platform.md, "Where a blueprint lives").
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.files.own_files import data_dir
from engine.parsing.recognition import FOLDER, lies_below_blueprints


def results_folder(blueprint: Path) -> Path:
    """The folder for results of the blueprint at `blueprint`: its own folder, or the one above `blueprints`.

    If that one is not writable, `results` in the user's data folder, which may not exist yet.
    """
    folder = blueprint.absolute().parent
    if FOLDER not in folder.parts:
        return folder
    above = Path(*folder.parts[: folder.parts.index(FOLDER)])
    return above if above != Path(above.anchor) and os.access(above, os.W_OK) else data_dir() / "results"


def place_warning(path: Path, blueprint: Path) -> str | None:
    """The warning for an author about to write a file that is not a blueprint to `path`, or None.

    If `path` is a folder, a `.json` file is written into it.
    """
    file = path / "result.json" if path.is_dir() else path
    if not lies_below_blueprints(file):
        return None
    return (
        f"{path} is below a folder {FOLDER}/, and Weval runs every .yml, .yaml and .json file there as a blueprint. "
        f"Use a folder outside it, such as {results_folder(blueprint)}."
    )
