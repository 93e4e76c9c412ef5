"""Where results and recordings are written: never where Weval would take them for blueprints.

Below a folder `blueprints/` every `.yml`, `.yaml` and `.json` file is run (platform.md, "Where a blueprint lives").
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.parsing.recognition import FOLDER, lies_below_blueprints
from engine.places import data_dir


def results_folder(blueprint: Path) -> Path:
    """The folder for what is made of the blueprint at `blueprint`: where it lies, or above the folder `blueprints`.

    The user's data folder, with `results` below it, where nothing can be written above. It may not exist yet.
    """
    folder = blueprint.absolute().parent
    if FOLDER not in folder.parts:
        return folder
    above = Path(*folder.parts[: folder.parts.index(FOLDER)])
    return above if above != Path(above.anchor) and os.access(above, os.W_OK) else data_dir() / "results"


def place_warning(path: Path, blueprint: Path) -> str | None:
    """What an author should know before something that is no blueprint is written to `path`; None where nothing.

    `path` may be a folder: then a `.json` file is written into it.
    """
    file = path / "result.json" if path.is_dir() else path
    if not lies_below_blueprints(file):
        return None
    return (
        f"{path} lies below a folder {FOLDER}/, and Weval runs every .yml, .yaml and .json file there as a blueprint. "
        f"A folder outside is {results_folder(blueprint)}."
    )
