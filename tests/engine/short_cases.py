"""Short cases of rules, in `rule_cases/short/SLUG.txt`: texts, and below each, behind `>`, what its rule says of it.

A line `#### WORDS` says what the cases below it show. Each case begins with a line `##`, and its text ends at the next:

- `##`: a whole file; `## blueprints/capitals.yml`: the file of that name;
- `## should`: the points of a prompt that asks `q`; `## should: QUESTION`: of one that asks that.

`‹U+0020›` in a text is that character, `‹end›` the end of a text without a last line break. What the rule says is
written by `--snapshot-update`: the level, the place, what is underlined and the message; then the reason where it is
told for the first time in this file, what the report links to, and the fixes with the lines that each changes; last,
the other rules that warn of this text.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import Checker
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import LineIndex, Span, apply_edits, visible
from tests.engine.rule_reports import checker_of

SHORT_CASES = sorted((Path(__file__).parent / "rule_cases" / "short").glob("*.txt"))

BLOCK = re.compile(r"^(?=##)", re.MULTILINE)
REPORT = re.compile(r"^>.*\n", re.MULTILINE)
_CHARACTER = re.compile(r"‹U\+(\w+)›")
_TIME = re.compile(r"\d+ characters such as “[^”]*” took (?:more than )?\d+ ms")
"""What no two runs measure alike."""
_MOST_UNDERLINED = 60


def told(content: str, slug: str, javascript: JavaScript) -> tuple[str, list[str]]:
    """`content`, a file of cases, with what the rule `slug` says of each; and what is wrong with its fixes."""
    checker, known, wrong = checker_of(slug), set[str](), list[str]()
    blocks: list[str] = []
    for block in BLOCK.split(REPORT.sub("", content)):
        blocks.append(block)
        parsed = case_of(block)
        if parsed is not None:
            reports = checker.check(parsed, javascript)
            found = [one for one in reports if one.slug == slug]
            blocks += (f">{line}\n" for one in found for line in said_of(parsed.text, one, known))
            beside = {one.slug: None for one in reports if one.slug != slug and one.severity is not Severity.HINT}
            blocks += [f"> beside it: {', '.join(beside)}\n"] if beside else []
            wrong += (f"{block}{fix.title}" for fix in _not_cured(parsed, found, checker, javascript))
    return "".join(blocks), wrong


def case_of(block: str) -> Parsed | None:
    """The blueprint of a block, which begins with `##`; None for a title."""
    head, _, shown = block.partition("\n")
    mark = head.removeprefix("##").strip()
    if not head or mark.startswith("#"):
        return None
    text = text_of(shown)
    if mark.startswith("should"):
        points = re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE)
        return parse(
            f"- id: p\n  prompt: {mark.removeprefix('should').removeprefix(':').strip() or 'q'}\n  should:\n{points}"
        )
    return parse(text, Path(mark) if mark else None)


def text_of(shown: str) -> str:
    """A text as it is, of which `shown` has the odd characters in their written form."""
    return _CHARACTER.sub(lambda found: chr(int(found[1], 16)), shown).replace("‹end›\n", "")


def _not_cured(parsed: Parsed, found: list[Diagnostic], checker: Checker, javascript: JavaScript) -> Iterator[Fix]:
    """The fixes after which the rule reports no less, or YAML cannot be read."""
    for fix in [fix for each in found for fix in each.fixes]:
        after = parse(apply_edits(parsed.text, fix.edits), parsed.path)
        slugs = Counter(each.slug for each in checker.check(after, javascript))
        if (after.tree.error and not parsed.tree.error) or slugs[found[0].slug] >= len(found):
            yield fix


def said_of(text: str, one: Diagnostic, known: set[str]) -> Iterator[str]:
    """What is said of `text`, without the reason where it is `known`; each line begins with a blank."""
    lines = LineIndex(text)
    flagged = ", flagged" if one.flagged else ""
    underlined = visible(one.span.of(text)).replace("\n", "⏎")
    underlined = underlined if len(underlined) <= _MOST_UNDERLINED else f"{underlined[:_MOST_UNDERLINED]}…"
    message = _TIME.sub("a text took its time", visible(one.message))
    yield f" {one.severity}{flagged} {place(lines, one.span)} “{underlined}”: {message}"
    if one.why not in known:
        known.add(one.why)
        yield f"   {visible(one.why)}"
    for related in one.related:
        yield f"   see {place(lines, related.span)}: {visible(related.message)}"
    for fix in one.fixes:
        yield f"   {'safe' if fix.safe else 'unsafe'}: {visible(fix.title)}"
        changed = difflib.unified_diff(text.splitlines(), apply_edits(text, fix.edits).splitlines(), n=0, lineterm="")
        yield from (f"   {visible(line)}" for line in list(changed)[2:] if not line.startswith("@@"))


def place(lines: LineIndex, span: Span) -> str:
    """Where `span` begins, as an author counts."""
    start = lines.position(span.start)
    return f"{start.line + 1}:{start.column + 1}"
