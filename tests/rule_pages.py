"""Writes the docstrings of the rules as pages to `docs/rules/`: `python -m tests.rule_pages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.rules import ALL
from engine.rules.registry import FAMILIES, RETIRED
from engine.rules.rule import level_line, reference_page

PAGES = Path(__file__).parents[1] / "docs" / "rules"


def pages() -> Mapping[str, str]:
    """The text of each file in `docs/rules/`, by name: a page for each rule, and the list of all."""
    written = {f"{rule.slug}.md": f"{reference_page(rule)}\n{level_line(rule)}\n" for rule in ALL}
    return {"README.md": "\n".join(_overview()) + "\n", **written}


def _overview() -> Iterator[str]:
    yield "# Rules"
    yield ""
    yield "What `studio check` and the editor report. `studio rules` prints this list, `studio rules SLUG` a page."
    for family in FAMILIES:
        yield from ("", f"## {FAMILIES[family]}", "")
        yield from (
            f"- [{rule.slug}]({rule.slug}.md) ({rule.code}): {rule.summary}" for rule in ALL if rule.family == family
        )
    yield from ("", "## Retired", "", "These rules report nothing. Where one is named, nothing is wrong.", "")
    yield from ("| rule | code | since | in its place |", "| --- | --- | --- | --- |")
    yield from (f"| {each.slug} | {each.code} | {each.since} | {each.why or '–'} |" for each in RETIRED)


def main() -> None:
    """Write all pages, and remove those of rules that are gone."""
    PAGES.mkdir(exist_ok=True)
    now = pages()
    for gone in {path.name for path in PAGES.glob("*.md")} - now.keys():
        (PAGES / gone).unlink()
    for name, text in now.items():
        (PAGES / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
