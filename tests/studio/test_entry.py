"""The way into the program: opening is quick, everything else is the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STUDIO = Path(sys.executable).parent / "studio"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--help"], 0, "Write, check, try and understand"),
        (["--version"], 0, "studio, version"),
        (["rules", "no-rubric"], 0, "# no-rubric"),
        (["--no-such-option"], 2, "No such option"),
        (["a.yml", "--example"], 2, "not both"),
    ],
)
def test_what_opens_no_file_goes_through_the_command_line(arguments: list[str], code: int, said: str) -> None:
    done = subprocess.run([STUDIO, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True)


def test_the_first_frame_loads_neither_the_command_line_nor_what_comes_behind() -> None:
    script = (
        "import sys; import studio.entry, studio.opening, studio.app, studio.screens.blueprint;"
        "print([name for name in ('click', 'pydantic', 'httpx', 'ruamel', 'mini_racer') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
