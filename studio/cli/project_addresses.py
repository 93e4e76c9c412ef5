"""Addresses of the project on the web. A test compares them with `[project.urls]` in `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from engine.rules.registry import rule_modules

SOURCE = "https://repository.example/blueprint-studio"
DOCUMENTATION = f"{SOURCE}/tree/main/docs"
_FILES = f"{SOURCE}/blob/main"


@cache
def page_addresses() -> Mapping[str, str]:
    """The address of the page of each rule, by slug: its heading in the docstring of its module."""
    return dict(page for name in rule_modules() for page in _pages_of(import_module(name)))


def _pages_of(module: ModuleType) -> Iterator[tuple[str, str]]:
    path = f"{module.__name__.replace('.', '/')}.py"
    lines = (module.__doc__ or "").split("\n")  # a docstring begins in the first line of its module
    for rule in getattr(module, "RULES", ()):
        yield rule.slug, f"{_FILES}/{path}#L{lines.index(f'# {rule.slug}') + 1}"
