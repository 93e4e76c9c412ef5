"""What the packages import is what `pyproject.toml` declares, each with a lower and an upper bound."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.many_cases import every
from tests.test_layers import imported

ROOT = Path(__file__).parent.parent
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
