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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import LineIndex, Span, apply_edits, visible
from engine.yaml.nodes import to_data
from engine.yaml.tree_loader import load
from tests.engine.rule_reports import checker_of

SHORT_CASES = sorted((Path(__file__).parent / "rule_cases" / "short").glob("*.txt"))

_BLOCK = re.compile(r"^(?=##)", re.MULTILINE)
_REPORT = re.compile(r"^>.*\n", re.MULTILINE)
_CHARACTER = re.compile(r"‹U\+(\w+)›")
_TIME = re.compile(r"\d+ characters such as “[^”]*” took (?:more than )?\d+ ms")
"""What no two runs measure alike."""
_MOST_UNDERLINED = 60


def with_reports(content: str, say: Callable[[str, str], Iterable[str]]) -> str:
    """`content`, with what `say` says of the mark and the text of each case below it."""
    return "".join(f"{block}{''.join(_lines(block, say))}" for block in _blocks(content))


def texts_in(file: Path) -> Iterator[str]:
    """The texts of a file of cases."""
    yield from (case[1] for block in _blocks(file.read_text("utf-8")) if (case := _case(block)) is not None)


def assert_says(file: Path, say: Callable[[str, str], Iterable[str]], config: pytest.Config) -> None:
    """What stands in `file` is what `say` says; with `--snapshot-update` it is from now on."""
    written = file.read_text("utf-8")
    assert any(map(_case, _blocks(written))), "there is no case"
    now = with_reports(written, say)
    if config.getoption("update_snapshots"):
        file.write_text(now, "utf-8")
    else:
        assert now == written


def assert_lines_say(file: Path, say: Callable[[str], Iterable[str]], config: pytest.Config) -> None:
    """As `assert_says`, of a file each line of which is a case, but titles, and what is said of the line above."""
    written = file.read_text("utf-8")
    lines = _REPORT.sub("", written).splitlines(keepends=True)
    assert any(not line.startswith("#### ") for line in lines), "there is no case"
    now = "".join(f"{line}{''.join(_said_of_line(line, say))}" for line in lines)
    if config.getoption("update_snapshots"):
        file.write_text(now, "utf-8")
    else:
        assert now == written


def _said_of_line(line: str, say: Callable[[str], Iterable[str]]) -> Iterator[str]:
    for said in () if line.startswith("#### ") else say(text_of(line.rstrip("\n"))):
        yield "> {}\n".format(visible(said).replace("\n", "⏎"))


def _blocks(content: str) -> list[str]:
    return _BLOCK.split(_REPORT.sub("", content))


def _case(block: str) -> tuple[str, str] | None:
    """The mark and the text of a block; None for a title."""
    head, _, shown = block.partition("\n")
    mark = head.removeprefix("##").strip()
    return None if not head or mark.startswith("#") else (mark, text_of(shown))


def _lines(block: str, say: Callable[[str, str], Iterable[str]]) -> Iterator[str]:
    case = _case(block)
    for line in () if case is None else say(*case):
        yield "> {}\n".format(visible(line).replace("\n", "⏎"))


class Reports:
    """What the rule `slug` says of the texts of a file; `not_cured` are the fixes that do not mend theirs."""

    def __init__(self, slug: str, javascript: JavaScript) -> None:
        self.not_cured: list[str] = []
        self._slug = slug
        self._javascript = javascript
        self._checker = checker_of(slug)
        self._known: set[str] = set()

    def __call__(self, mark: str, text: str) -> Iterator[str]:
        parsed = parsed_case(mark, text)
        reports = self._checker.check(parsed, self._javascript)
        found = [one for one in reports if one.slug == self._slug]
        yield from (line for one in found for line in said_of(parsed.text, one, self._known))
        beside = {one.slug: None for one in reports if one.slug != self._slug and one.severity is not Severity.HINT}
        if beside:
            yield f"beside it: {', '.join(beside)}"
        fixes = [fix for each in found for fix in each.fixes]
        self.not_cured += [f"{mark}\n{text}{fix.title}" for fix in fixes if not self._cures(parsed, fix, len(found))]

    def _cures(self, parsed: Parsed, fix: Fix, before: int) -> bool:
        """Whether the rule reports less after `fix`, and YAML can be read as before."""
        after = parse(apply_edits(parsed.text, fix.edits), parsed.path)
        left = sum(each.slug == self._slug for each in self._checker.check(after, self._javascript))
        return (after.tree.error is None or parsed.tree.error is not None) and left < before


def parsed_case(mark: str, text: str) -> Parsed:
    if not mark.startswith("should"):
        return parse(text, Path(mark) if mark else None)
    points = re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE)
    asked = mark.removeprefix("should").removeprefix(":").strip() or "q"
    return parse(f"- id: p\n  prompt: {asked}\n  should:\n{points}")


def text_of(shown: str) -> str:
    """A text as it is, of which `shown` has the odd characters in their written form."""
    return _CHARACTER.sub(lambda found: chr(int(found[1], 16)), shown).replace("‹end›\n", "")


def data_of(text: str) -> Any:
    """The data that is written in YAML."""
    root = load(text).documents[0].root
    assert root is not None
    return to_data(root)


def said_of(text: str, one: Diagnostic, known: set[str]) -> Iterator[str]:
    """What is said of `text`, without the reason where it is `known`."""
    lines = LineIndex(text)
    flagged = ", flagged" if one.flagged else ""
    underlined = visible(one.span.of(text)).replace("\n", "⏎")
    underlined = underlined if len(underlined) <= _MOST_UNDERLINED else f"{underlined[:_MOST_UNDERLINED]}…"
    message = _TIME.sub("a text took its time", visible(one.message))
    yield f"{one.severity}{flagged} {place(lines, one.span)} “{underlined}”: {message}"
    if one.why not in known:
        known.add(one.why)
        yield f"  {visible(one.why)}"
    for related in one.related:
        yield f"  see {place(lines, related.span)}: {visible(related.message)}"
    for fix in one.fixes:
        yield f"  {'safe' if fix.safe else 'unsafe'}: {visible(fix.title)}"
        changed = difflib.unified_diff(text.splitlines(), apply_edits(text, fix.edits).splitlines(), n=0, lineterm="")
        yield from (f"  {visible(line)}" for line in list(changed)[2:] if not line.startswith("@@"))


def place(lines: LineIndex, span: Span) -> str:
    """Where `span` begins, as an author counts."""
    start = lines.position(span.start)
    return f"{start.line + 1}:{start.column + 1}"
