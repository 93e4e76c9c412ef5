"""The contract of the house: the engine stands without a terminal, and each floor uses only floors below it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine

ROOT = Path(engine.__file__).parent

FLOORS = {
    "record": 1, "text": 1, "diagnostics": 1, "places": 1, "atomic": 1,
    "yaml_nodes": 2, "blueprint": 2,
    "javascript": 3, "functions": 3,
    "parsing": 4, "identity": 4,
    "scoring": 5, "providers": 5,
    "conversation": 6, "judging": 6, "closest_sentence": 6, "services": 6, "tool_use": 6,
    "evaluation": 7, "store": 7, "planning": 7,
    "rules": 8, "workspace": 8, "completion": 8,
}  # fmt: skip

_BLOCKED = """
import importlib, pkgutil, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("textual", "studio"):
            raise ImportError(f"the engine must not import {name}")
sys.meta_path.insert(0, Refuse())
import engine
for module in pkgutil.walk_packages(engine.__path__, "engine."):
    if not module.name.endswith(("__main__", ".child")):
        importlib.import_module(module.name)
print("all imported")
"""


def test_every_engine_module_imports_with_textual_blocked() -> None:
    done = subprocess.run([sys.executable, "-c", _BLOCKED], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "all imported", done.stderr


def imports() -> Iterator[tuple[str, str, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("engine."):
                    yield str(path.relative_to(ROOT)), parts[0], name.split(".")[1]


@pytest.mark.parametrize(
    ("file", "room", "used"), [pytest.param(*each, id=f"{each[0]}-{each[2]}") for each in imports()]
)
def test_a_floor_uses_only_floors_below(file: str, room: str, used: str) -> None:
    assert room == "__init__" or room == used or FLOORS[used] <= FLOORS[room], f"{file} reaches up to engine.{used}"


def test_every_room_has_its_floor() -> None:
    rooms = {module.name for module in pkgutil.iter_modules(engine.__path__)}
    assert rooms <= set(FLOORS)
    assert importlib.import_module("engine").__doc__
