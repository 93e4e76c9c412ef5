"""How pieces of a rubric look on the clipboards of other programs, and the slips of who copied them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from tests.pieces import pieces

Lines: TypeAlias = list[str]
_SIGNS = pieces("signs of pasted rows")


def as_rows(rng: Random, items: Sequence[Lines]) -> tuple[str, str, Lines]:
    """How the items look on the clipboard: the sign of their rows, what they are called, their lines."""
    if rng.random() < 0.25:
        shift = rng.choice(("", "  ", "    ", "      ", "   "))
        rows = [shift + line for item in items for line in item]
        if rng.random() < 0.4:
            return "- ", "YAML, first line without margin", [rows[0].lstrip(), *rows[1:]]
        return "- ", f"YAML at {len(shift)}", rows
    sign, rows = rng.choice(_SIGNS), list[str]()
    shift = rng.choice(("", "", "", "  ", "    "))
    wraps = rng.random() < 0.15
    for number, item in enumerate(items):
        own = re.sub(r"^\d", str(number + 1), re.sub(r"^a(?=\))", "abcdefghij"[number], sign))
        body = [item[0][2:], *item[1:]]
        if not re.match(r"(?:text:|\$)", body[0]):
            text = _plain(" ".join(line.strip() for line in body))
            half = text.rfind(" ", 0, 40)
            body = [text]
            if wraps and half > 5 and not re.search(r"[:#>|*`@\[\"]", text):
                body = [text[:half], rng.choice(("  ", "", " " * len(own))) + text[half + 1 :]]
        deeper = " " * (len(own) - 2 if own[:1] == "-" and "[" not in own else 0)
        rows += [f"{shift}{own}{body[0]}", *(shift + deeper + line for line in body[1:])]
    return sign, f"rows with {sign!r}{', wrapped' if wraps else ''}", rows


def _plain(written: str) -> str:
    if written.startswith('"'):
        return str(json.loads(written))
    return written[1:-1].replace("''", "'") if written.startswith("'") else written


def slip_of_rows(rng: Random, rows: Lines, sign: str) -> tuple[str, Lines, str]:
    """One slip of the clipboard: its name, the lines, and a heading above them."""
    at = rng.randrange(len(rows))
    line = rows[at]
    begins = line.startswith(sign.strip()) or line.lstrip().startswith("- ")
    match rng.randrange(16):
        case 0:
            heading = rng.choice(("Criteria:", "A good answer:", "The answer should"))
            return "heading above", [heading, *rows], heading
        case 1 if len(rows) > 1 and at and begins:
            return "one row without sign", [*rows[:at], line.replace(sign, "", 1), *rows[at + 1 :]], ""
        case 2 if begins:
            return "no-break space behind the sign", [*rows[:at], line.replace(" ", "\xa0", 1), *rows[at + 1 :]], ""
        case 3:
            return (
                "blank lines between",
                [each for row in rows for each in ([row] if row[:1] == " " else ["", row])],
                "",
            )
        case 4 if begins and line[:1] != " ":
            return "one row further in", [*rows[:at], "  " + line, *rows[at + 1 :]], ""
        case 5 if begins and sign == "- ":
            return "no space behind the dash", [*rows[:at], line.replace("- ", "-", 1), *rows[at + 1 :]], ""
        case 6 if begins:
            return "another sign", [*rows[:at], line.replace(sign, "* ", 1), *rows[at + 1 :]], ""
        case 7:
            return "blanks behind", [row + "  " for row in rows], ""
        case 8:
            return "tab before", ["\t" + row for row in rows], ""
        case 9:
            return "in a fence", ["```yaml", *rows, "```"], ""
        case 10:
            return "zero-width space", [*rows[:at], "\u200b" + line, *rows[at + 1 :]], ""
        case _:
            return "no slip", rows, ""


def copied(rng: Random, rows: Sequence[str], slip: str) -> str:
    text = "\n".join(rows) + rng.choice(("", "\n", "\n", "\n\n", "\n \n"))
    if rng.random() < 0.1:
        text = "\n" + text
    return text.replace("\n", "\r\n") if rng.random() < 0.15 else text


def as_keys(rng: Random, rows: Lines, margin: str) -> tuple[str, Lines]:
    own = [line[len(margin) :] for line in rows]
    match rng.randrange(6):
        case 0:
            return "as in the file", rows
        case 1 | 2:
            return "at the left", own
        case 3:
            return "first line without margin", [rows[0].lstrip(), *rows[1:]]
        case 4:
            shift = " " * rng.choice((1, 2, 3, 4, 6))
            return f"at {len(shift)}", [shift + line if line else line for line in own]
        case _:
            return "first line at the left of others", [own[0], *("    " + line if line else line for line in own[1:])]


def slip_of_keys(rng: Random, rows: Lines) -> tuple[str, Lines]:
    at = rng.randrange(len(rows))
    match rng.randrange(12):
        case 0:
            return "in a fence", ["```yaml", *rows, "```"]
        case 1:
            return "tabs for the margin", [
                re.sub(r"^ +", lambda found: "\t" * (len(found[0]) // 2), row) for row in rows
            ]
        case 2:
            return "no-break spaces for the margin", [
                re.sub(r"^ +", lambda found: "\xa0" * len(found[0]), row) for row in rows
            ]
        case 3:
            return "one row further in", [*rows[:at], " " + rows[at], *rows[at + 1 :]]
        case 4:
            return "blanks behind", [row + "  " for row in rows]
        case 5:
            return "a bullet for a dash", [*rows[:at], rows[at].replace("- ", "• ", 1), *rows[at + 1 :]]
        case 6:
            return "prose above", ["Here is the rubric:", *rows]
        case _:
            return "no slip", rows
