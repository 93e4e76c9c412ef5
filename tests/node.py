"""Node 20 itself, whose JavaScript Weval runs on: short programs that say what a row should give."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).with_name("reference")
MAJOR = "v20."


def missing() -> str | None:
    """Why Node 20 cannot be asked here; None where it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    return None if version.startswith(MAJOR) else f"Node is {version.strip()}, and other versions answer otherwise"


def answers(program: str, rows: Sequence[dict[str, Any]]) -> list[Any]:
    """What the program of that name in `reference` answers to each row, all in one process."""
    done = subprocess.run(
        ["node", str(REFERENCE / program)],
        input=json.dumps(rows).encode("ascii"),
        capture_output=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


WHY_MISSING = missing()
needs_node = pytest.mark.skipif(WHY_MISSING is not None, reason=WHY_MISSING or "")
