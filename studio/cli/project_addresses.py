"""Addresses of the project on the web. A test compares them with `[project.urls]` in `pyproject.toml`."""

from __future__ import annotations

SOURCE = "https://repository.example/blueprint-studio"
DOCUMENTATION = f"{SOURCE}/tree/main/docs"
CASES = f"{SOURCE}/blob/main/docs/cases.md"


def page_address(slug: str) -> str:
    """The address of the page of a rule: a file in `docs/rules/`."""
    return f"{SOURCE}/blob/main/docs/rules/{slug}.md"
