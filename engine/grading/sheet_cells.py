"""Cells of a CSV file that no spreadsheet program takes for a formula.

A program that opens the file evaluates cells that begin with `=`, `+`, `-` or `@`, some also after white space or in
the wide forms of these signs (OWASP, "CSV Injection"). Such a cell gets an apostrophe in front. Reading takes it off
again, so every text comes back as it was.
"""

from __future__ import annotations

import re

LONGEST_CELL = 32_000
"""Spreadsheet programs cut cells beyond 32,767 characters."""
_CUT = " … [cut here: the text is longer than a cell can be]"
_RISKY = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")


def neutral_cell(text: str) -> str:
    """`text` as a cell that is no formula, cut to what a cell can hold."""
    cut = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - len(_CUT)] + _CUT
    return f"'{cut}" if _RISKY.match(cut) else cut


def restored_cell(cell: str) -> str:
    """The text that `neutral_cell` was given, unless it was cut."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell
