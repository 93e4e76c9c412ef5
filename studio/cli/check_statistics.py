"""The table of `studio check --statistics`: how often each rule was reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from engine.rules.fixes import safe_fix
from studio.cli.check_text import COLOURS, Style
from studio.cli.checked_file import CheckedFile


def as_table(files: Sequence[CheckedFile], stream: TextIO | None = None) -> list[str]:
    """A row for each rule and level: its problems, the files that have them, and the problems that --fix removes.

    The worst level first, the most frequent rule first in each; no row and no head if there are no problems. Colours
    as `stream` can show them.
    """
    style = Style(stream)
    found = [(number, each) for number, file in enumerate(files) for each in file.diagnostics]
    counts = Counter((each.severity, each.slug) for _, each in found)
    concerned = Counter(key for key, _ in {((each.severity, each.slug), number) for number, each in found})
    fixable = Counter((each.severity, each.slug) for _, each in found if safe_fix(each) is not None)
    if not counts:
        return []
    lines = [style(f"{'problems':>8} {'files':>5} {'fixable':>7}  level    rule", dim=True)]
    for key in sorted(counts, key=lambda key: (key[0].rank, -counts[key], key[1])):
        severity, slug = key
        level = style(f"{severity.value:<7}", COLOURS[severity])
        lines.append(f"{counts[key]:>8} {concerned[key]:>5} {fixable[key]:>7}  {level}  {slug}")
    return lines
