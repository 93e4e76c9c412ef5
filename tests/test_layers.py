"""The layers: no circle of imports, and the packages in one order in which each imports only earlier ones.

An import counts wherever it stands: at the top, in a function, below `TYPE_CHECKING`, or as `import_module("name")`.
Types alone may go round in the studio: its state names the types of its parts, which all name the session.

And what the packages import is what `pyproject.toml` declares, each with a lower and an upper bound.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.metadata import packages_distributions
from importlib.util import find_spec, resolve_name
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from engine.rules.registry import rule_modules, rules_of
from tests.many_cases import every

ROOT = Path(__file__).parents[1]

LAYERS = (
    "engine.text", "engine.files", "engine.yaml", "engine.blueprint", "engine.functions",
    "engine.parsing", "engine.scoring", "engine.models", "engine.judging",
    "engine.evaluation", "engine.store", "engine.asking", "engine.study", "engine.rules", "engine.evidence",
    "engine.report", "engine.completion", "engine",
    "studio.commands", "studio.faults", "studio.example", "studio.session", "studio.tui", "studio.cli",
    "studio.main", "studio.__main__", "studio.screenshots", "studio",
)  # fmt: skip
"""Every package, and every module that stands outside of them: each imports only those before it."""

Graph: TypeAlias = Mapping[str, Mapping[str, str]]
"""What each module, or package, imports, with the first place that does so as `module:line`."""

BLOCKED = """
import importlib, pkgutil, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("textual", "studio"):
            raise ImportError(f"the engine must not import {name}")
sys.meta_path.insert(0, Refuse())
import engine
for module in pkgutil.walk_packages(engine.__path__, "engine."):
    if not module.name.endswith(("__main__", "child")):
        importlib.import_module(module.name)
print("all imported")
"""


@cache
def importing(source: str) -> tuple[tuple[ast.AST, bool], ...]:
    """The nodes of a module that may import something, and whether each does so for types alone."""
    found: list[tuple[ast.AST, bool]] = []
    calls = "import_module" in source or "__import__" in source
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while waiting:
        node, for_types = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            found.append((node, for_types))
        is_block = for_types or _is_for_types(node)
        waiting += [
            (child, is_block) for child in ast.iter_child_nodes(node) if calls or not isinstance(child, ast.expr)
        ]
    return tuple(found)


def imported(source: str, package: str, *, types: bool = True) -> Iterator[tuple[str, int]]:
    """Every name that a module of `package` imports, and the line on which it does; `types`: for types too."""
    for node, for_types in importing(source):
        if for_types and not types:
            continue
        match node:
            case ast.Import(names=names):
                yield from ((each.name, node.lineno) for each in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = resolve_name("." * level + (module or ""), package)
                yield from ((f"{base}.{each.name}", node.lineno) for each in names)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(wanted))]):
                if name in ("import_module", "__import__"):
                    yield wanted, node.lineno
            case _:
                pass


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def import_graph(root: Path, *, types: bool = True) -> dict[str, dict[str, str]]:
    """The modules of `engine` and `studio` in the folder `root`, and what of these they import."""
    paths = [path for top in ("engine", "studio") for path in sorted((root / top).rglob("*.py"))]
    names = [".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    graph: dict[str, dict[str, str]] = {name: {} for name in names}
    for name, path in zip(names, paths, strict=True):
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        for wanted, line in imported(path.read_text("utf-8"), package, types=types):
            target = wanted if wanted in graph else wanted.rpartition(".")[0]
            if target in graph and target != name:
                graph[name].setdefault(target, f"{name}:{line}")
    return graph


@cache
def written() -> Graph:
    """The imports of this project as they are written."""
    return import_graph(ROOT)


@cache
def project() -> Graph:
    """The import graph of this project. Rules are found by being there, so their registry imports them all."""
    graph = written()
    return {
        **graph,
        "engine.rules.registry": {
            **graph["engine.rules.registry"],
            **dict.fromkeys(rule_modules(), "engine.rules.registry"),
        },
    }


def circle(graph: Graph) -> str:
    """One circle of `graph`, in words; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        around: list[str] = error.args[1][::-1]
        return "a circle: " + ", ".join(f"{one} imports {two} ({graph[one][two]})" for one, two in pairwise(around))
    return ""


_MOST_LINES = 600
"""A file of more is hard to hold in the head: two modules of one concept are one file below that."""


def within(graph: Graph, package: str) -> dict[str, dict[str, str]]:
    """What the parts of `package`, its packages and modules, import of each other."""
    depth = package.count(".") + 2
    parts: dict[str, dict[str, str]] = {}
    for name, uses in graph.items():
        if name.startswith(f"{package}."):
            part = ".".join(name.split(".")[:depth])
            inside = {other: place for other, place in uses.items() if other.startswith(f"{package}.")}
            used = {".".join(other.split(".")[:depth]): place for other, place in inside.items()}
            parts[part] = {**used, **parts.get(part, {})}
    return {part: {other: place for other, place in uses.items() if other != part} for part, uses in parts.items()}


def circles(graph: Graph, top: str) -> list[str]:
    """The circles among the modules of `top`, and among the parts of each of its packages."""
    modules = {name: uses for name, uses in graph.items() if name.split(".")[0] == top}
    packages = sorted({name.rpartition(".")[0] for name in modules} - {""})
    graphs = (modules, *(within(graph, package) for package in packages))
    return [found for each in graphs if (found := circle(each))]


def layer(module: str) -> int:
    """The place of a module's package in the order, from 0. Raises `ValueError` where it has none."""
    return LAYERS.index(".".join(module.split(".")[:2]))


def reaching_up(graph: Graph, top: str) -> list[str]:
    """The imports of `top` from its own or a lower package to a higher one, in words."""
    return [
        f"{name} reaches up to {other} ({place})"
        for name, uses in graph.items()
        for other, place in uses.items()
        if name.split(".")[0] == top and layer(other) > layer(name)
    ]


def test_the_engine_imports_with_textual_blocked() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "all imported", done.stderr


@pytest.mark.parametrize("top", ["engine", "studio"])
def test_no_imports_run_in_a_circle(top: str) -> None:
    graph = project() if top == "engine" else import_graph(ROOT, types=False)
    assert circles(graph, top) == []


@pytest.mark.parametrize("top", ["engine", "studio"])
def test_each_package_imports_only_earlier_ones(top: str) -> None:
    assert reaching_up(project(), top) == []


@pytest.mark.parametrize("top", ["engine", "studio"])
def test_every_package_has_its_place(top: str) -> None:
    names = {".".join(name.split(".")[:2]) for name in project()}
    assert {name for name in names if name.split(".")[0] == top} == {
        name for name in LAYERS if name.split(".")[0] == top
    }


@pytest.mark.parametrize(
    "back",
    [
        "from engine.rules.checker import check",
        "from ..rules import checker",
        "def f():\n    import engine.rules.checker",
        "if TYPE_CHECKING:\n    from engine.rules.checker import Checker",
        'importlib.import_module("engine.rules.checker")',
    ],
)
def test_a_circle_is_seen_however_it_is_closed(back: str, tmp_path: Path) -> None:
    for name, source in {
        "rules/checker": "\nimport engine.text.lines",
        "text/lines": back,
        "rules/__init__": "",
    }.items():
        file = tmp_path / "engine" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, "utf-8")
    [modules, packages] = circles(import_graph(tmp_path), "engine")
    assert "engine.rules.checker imports engine.text.lines (engine.rules.checker:2)" in modules
    assert "engine.rules imports engine.text (engine.rules.checker:2)" in packages


def test_no_two_modules_of_the_engine_share_a_name() -> None:
    names = Counter(path.stem for path in (ROOT / "engine").rglob("*.py") if path.stem != "__init__")
    assert [name for name, count in names.items() if count > 1] == []


def test_a_small_module_of_the_engine_that_one_neighbour_imports_says_why_it_stands_apart() -> None:
    users: dict[str, list[str]] = {}
    for name, uses in written().items():
        for other in uses:
            users.setdefault(other, []).append(name)
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / "engine").rglob("*.py")}
    texts = {name: path.read_text("utf-8") for name, path in paths.items()}
    beside = {name: users[name][0] for name in texts if len(users.get(name, ())) == 1 and users[name][0] in texts}
    assert [
        name
        for name, user in beside.items()
        if name.rpartition(".")[0] == user.rpartition(".")[0]
        and (texts[name] + texts[user]).count("\n") <= _MOST_LINES
        and "Apart from" not in (ast.get_docstring(ast.parse(texts[name])) or "")
    ] == []


def test_nothing_imports_a_rule() -> None:
    uses = {other: place for each in written().values() for other, place in each.items()}
    assert {name: uses[name] for name in rule_modules() if name in uses and list(rules_of(import_module(name)))} == {}


TRYING = {
    "engine.rules.patterns.line_bound_pattern": "edits a pattern, which is no text of the file, to see what it finds",
    "engine.rules.structure.key_rules": "asks Weval which of several names it takes, by the one trial",
}
"""The rules that try edits, and why."""


def test_no_rule_tries_its_own_fix() -> None:
    trials = ("engine.yaml.trial.", "engine.text.spans.apply_edits", "engine.rules.fixes.")
    modules = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8") for name in rule_modules()}
    uses = {name: [each for each, _ in imported(text, name.rpartition(".")[0])] for name, text in modules.items()}
    assert {name for name, found in uses.items() if any(each.startswith(trials) for each in found)} == set(TRYING)


def test_an_import_of_a_later_package_is_named_with_its_line() -> None:
    graph = {
        "engine.text.lines": {"engine.rules.checker": "engine.text.lines:3"},
        "engine.rules.checker": {},
    }
    assert reaching_up(graph, "engine") == [
        "engine.text.lines reaches up to engine.rules.checker (engine.text.lines:3)"
    ]


# --- What is imported is declared


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REQUIREMENTS = [Requirement(each) for each in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["local"]]
DECLARED = {canonicalize_name(each.name) for each in REQUIREMENTS}


def declared_modules() -> set[str]:
    """The modules of all that is declared and installed here."""
    providers = packages_distributions().items()
    return {module for module, names in providers if DECLARED & {canonicalize_name(name) for name in names}}


def test_what_is_imported_is_declared() -> None:
    sources = (path.read_text("utf-8") for top in ("engine", "studio") for path in (ROOT / top).rglob("*.py"))
    named = {name.split(".")[0] for source in sources for name, _ in imported(source, "engine")}
    foreign = named - {"engine", "studio", *sys.stdlib_module_names}
    if missing := {name for name in foreign if find_spec(name) is None}:
        pytest.skip(f"not installed here: {', '.join(sorted(missing))}")
    assert foreign - declared_modules() == set()


@every("requirement", REQUIREMENTS, ids=str)
def test_a_dependency_is_bounded_on_both_sides(requirement: Requirement) -> None:
    operators = {each.operator for each in requirement.specifier}
    assert operators == {"=="} or (">=" in operators and "<" in operators)


def test_no_dependency_brings_what_only_an_extra_needs() -> None:
    assert all(not each.extras for each in REQUIREMENTS)
