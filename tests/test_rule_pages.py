"""The pages in `docs/rules/`, to which the log in SARIF links, are those of the rules."""

from __future__ import annotations

from tests.rule_pages import PAGES, pages


def test_the_pages_in_the_documentation_are_those_of_the_rules() -> None:
    written = {path.name: path.read_text("utf-8") for path in PAGES.iterdir()}
    assert written == pages(), "run `python -m tests.rule_pages`"
