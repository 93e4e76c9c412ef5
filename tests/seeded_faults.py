"""Whether the tests notice faults: `python -m tests.seeded_faults [NUMBER…]`, exit code 0 where all are caught.

`seeded_faults.toml` lists them, one a line. Each is sown in a copy of the project, never in place, and only the tests
that it names are run there. They have to pass before any fault is sown, and to fail with it.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
CODE = ("engine", "studio")
_SECONDS = 600
_FAILED = 1
_NOT_COPIED = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")
"""pytest's exit code where it ran the tests and some failed; any other says that they could not be run."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of the list. `was` stands once within the symbol `within`; `by` names a test, in one file or several."""

    number: int
    breaks: str
    within: str
    was: str
    now: str
    by: str


class Outcome(StrEnum):
    """What became of a fault."""

    CAUGHT = "caught"
    NOT_CAUGHT = "NOT CAUGHT"
    NOT_RUN = "THE TESTS CANNOT BE RUN"
    NOT_FOUND = "FRAGMENT NOT FOUND"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fragment begins: its file below the root, and the offset in it."""

    path: Path
    offset: int


def faults() -> tuple[Fault, ...]:
    """The list, numbered from 1."""
    rows = tomllib.loads(LIST.read_text("utf-8"))["faults"]
    return tuple(
        Fault(number, row["breaks"], row["within"], row["was"], row["now"], row["by"])
        for number, row in enumerate(rows, 1)
    )


class Sources:
    """The code below a root. Only files with the words of a fault are parsed."""

    def __init__(self, root: Path = ROOT) -> None:
        paths = [path for name in CODE for path in sorted((root / name).rglob("*.py"))]
        self._texts = {path.relative_to(root): path.read_text("utf-8") for path in paths}

    def places(self, fault: Fault) -> list[Place]:
        """Everywhere that the fragment of `fault` stands within its symbol."""
        found: list[Place] = []
        words = (fault.was, *fault.within.split("."))
        for path in (path for path, text in self._texts.items() if all(word in text for word in words)):
            for name, start, end in _symbols(self._texts[path]):
                at = self._texts[path].find(fault.was, start, end) if name == fault.within else -1
                while at >= 0:
                    found.append(Place(path, at))
                    at = self._texts[path].find(fault.was, at + 1, end)
        return found

    def with_fault(self, fault: Fault, place: Place) -> str:
        """The text of the file at `place` with the fault in it."""
        text = self._texts[place.path]
        return text[: place.offset] + fault.now + text[place.offset + len(fault.was) :]

    def text(self, path: Path) -> str:
        """A file as it is."""
        return self._texts[path]


@cache
def _symbols(text: str) -> tuple[tuple[str, int, int], ...]:
    """Each symbol that is defined in `text`, and the offsets of its lines."""
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n"), len(text)]
    return tuple(
        (name, starts[node.lineno - 1], starts[node.end_lineno or node.lineno])
        for name, node in _definitions(ast.parse(text))
    )


def _definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Functions, classes and assigned names, each with its dotted name within its module."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield prefix + name, node
                yield from _definitions(node, f"{prefix}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name, node
            case _:
                pass


def named_tests(name: str, root: Path = ROOT) -> list[str]:
    """The node ids of all tests of this name."""
    definition = f"def {name}("
    return [f"{path.relative_to(root).as_posix()}::{name}" for path, text in _tests(root) if definition in text]


@cache
def _tests(root: Path) -> tuple[tuple[Path, str], ...]:
    return tuple((path, path.read_text("utf-8")) for path in sorted((root / "tests").rglob("test_*.py")))


class Copy:
    """A copy of the project in which faults are sown. The shared data is found beside it as beside the project."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        shared = ROOT.parent / "shared"
        if shared.exists():
            (folder / "shared").symlink_to(shared.resolve())

    def run(
        self,
        tests: Iterable[str],
        seconds: float = _SECONDS,
        processor: int | None = None,
        *,
        thoroughly: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run `tests` in the copy until one fails, or until they took `processor` seconds of computing.

        Raises `TimeoutExpired` after `seconds`.
        """
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("TEST_THOROUGHLY", None)
        if thoroughly:
            environment["TEST_THOROUGHLY"] = "1"
        environment.pop("PYTEST_ADDOPTS", None)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        limited = ["sh", "-c", f'ulimit -t {processor or "unlimited"}; exec "$@"', "sh", *command]
        return subprocess.run(
            limited, cwd=self.root, env=environment, capture_output=True, text=True, check=False, timeout=seconds
        )

    def sow(self, fault: Fault, sources: Sources) -> Outcome:
        """Run the tests of `fault` with it in the copy, and take it out again."""
        match sources.places(fault):
            case [place]:
                path = self.root / place.path
            case _:
                return Outcome.NOT_FOUND
        path.write_text(sources.with_fault(fault, place), "utf-8")
        try:
            code = self.run(named_tests(fault.by)).returncode
        finally:
            path.write_text(sources.text(place.path), "utf-8")
        return Outcome.CAUGHT if code == _FAILED else Outcome.NOT_CAUGHT if code == 0 else Outcome.NOT_RUN


def sow_all(chosen: Sequence[Fault]) -> Mapping[Fault, Outcome]:
    """What becomes of each fault, printed as it comes. Raises `SystemExit` where the tests fail without any."""
    sources = Sources()
    outcomes: dict[Fault, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        sound = copy.run(dict.fromkeys(test for fault in chosen for test in named_tests(fault.by)))
        if sound.returncode != 0:
            raise SystemExit(f"{sound.stdout}\nThe tests fail without any fault: mend that first.")
        for fault in chosen:
            outcomes[fault] = copy.sow(fault, sources)
            print(f"{fault.number:3} {outcomes[fault]}: {fault.breaks}", flush=True)
    return outcomes


def main(arguments: Sequence[str]) -> int:
    """Sow all faults, or those of the numbers given; 0 where each is caught."""
    wanted = {int(argument) for argument in arguments}
    outcomes = sow_all([fault for fault in faults() if not wanted or fault.number in wanted])
    caught = sum(outcome is Outcome.CAUGHT for outcome in outcomes.values())
    print(f"{caught} of {len(outcomes)} faults are caught")
    return 0 if caught == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
