"""What each rule says, word for word: of the bad example on its page, and of its cases in `rule_cases/SLUG.yml`.

A file of cases is one blueprint, or several: then a line `#### NAME` stands before each, with the name that its file
has (`#### plain.yml`, `#### models/CORE.json`). What other rules say of the cases stands at the end of each snapshot,
by place and slug. A new rule needs nothing here but its cases and `--snapshot-update`. Short texts have what is said of
them below each: see `short_cases`.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker, Rule
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import LineIndex, Span, apply_edits, visible
from tests.engine.short_cases import SHORT_CASES, Reports, assert_says
from tests.many_cases import every


def full_text(text: str, diagnostics: Iterable[Diagnostic]) -> str:
    """What is said of `text`, one paragraph each."""
    lines = LineIndex(text)
    return "\n".join("\n".join(_diagnostic(text, lines, each)) + "\n" for each in diagnostics) or "nothing is told\n"


def _diagnostic(text: str, lines: LineIndex, diagnostic: Diagnostic) -> Iterator[str]:
    flagged = ", flagged" if diagnostic.flagged else ""
    yield f"{_place(lines, diagnostic.span)} {diagnostic.slug} ({diagnostic.severity}{flagged})"
    yield from _source(text, lines, diagnostic.span)
    yield f"  {visible(diagnostic.message)}"
    yield f"  {visible(diagnostic.why)}"
    for related in diagnostic.related:
        yield f"  see {_place(lines, related.span)}: {visible(related.message)}"
    for fix in diagnostic.fixes:
        yield from _fix(text, fix)


def _place(lines: LineIndex, span: Span) -> str:
    start, end = lines.position(span.start), lines.position(span.end)
    last = f"{end.column + 1}" if end.line == start.line else f"{end.line + 1}:{end.column + 1}"
    return f"{start.line + 1}:{start.column + 1}-{last}"


def _source(text: str, lines: LineIndex, span: Span) -> Iterator[str]:
    place = lines.position(span.start)
    line = lines.line_span(place.line)
    yield f"  | {visible(line.of(text)).rstrip()}"
    yield f"  | {' ' * place.column}{'^' * max(1, min(span.end, line.end) - span.start)}"


def _fix(text: str, fix: Fix) -> Iterator[str]:
    yield f"  {'safe' if fix.safe else 'unsafe'}: {visible(fix.title)}"
    changed = difflib.unified_diff(text.splitlines(), apply_edits(text, fix.edits).splitlines(), n=0, lineterm="")
    yield from (f"    {visible(line)}" for line in list(changed)[2:] if not line.startswith("@@"))


def briefly(text: str, diagnostics: Iterable[Diagnostic]) -> str:
    """What else is said of `text`: place and slug, one line each."""
    lines = LineIndex(text)
    return "".join(f"beside it: {_place(lines, each.span)} {each.slug}\n" for each in diagnostics)


CASES = sorted(Path(__file__).with_name("rule_cases").glob("*.*"))
NAMED = re.compile(r"^#### (\S+)\n", re.MULTILINE)
TIME = re.compile(r"\d+ characters such as “[^”]*” took (?:more than )?\d+ ms")
"""What no two runs measure alike."""


class TextSnapshot(SingleFileSnapshotExtension):
    """One text file for each rule."""

    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


@pytest.fixture
def rule_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextSnapshot)


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)


def blueprints(cases: Path) -> list[Parsed]:
    """The blueprints that a file of cases holds."""
    before, *rest = NAMED.split(cases.read_text("utf-8"))
    if not rest:
        return [parse(before, Path("blueprints", cases.name))]
    return [parse(text, Path("blueprints", name)) for name, text in zip(rest[::2], rest[1::2], strict=True)]


def rules_for(rule: Rule) -> Checker:
    """The usual rules, and `rule` with what is off by default."""
    return Checker(each.selected() if each is rule else each for each in ALL if each is rule or not each.off)


def reported(parsed: Parsed, rule: Rule, checker: Checker, javascript: JavaScript) -> str:
    found = checker.check(parsed, javascript)
    own = full_text(parsed.text, [each for each in found if each.slug == rule.slug])
    others = briefly(parsed.text, [each for each in found if each.slug != rule.slug])
    return TIME.sub("a text took its time", own + others)


def reported_for_cases(cases: Path, rule: Rule, javascript: JavaScript) -> Iterator[str]:
    checker = rules_for(rule)
    for parsed in blueprints(cases):
        assert parsed.path is not None
        yield f"#### {parsed.path.relative_to('blueprints').as_posix()}\n{reported(parsed, rule, checker, javascript)}"


def rule_of(cases: Path) -> Rule:
    return next(rule for rule in ALL if rule.slug == cases.stem)


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.slug)
def test_what_a_rule_says_of_the_bad_example_on_its_page(
    rule: Rule, javascript: JavaScript, rule_snapshot: SnapshotAssertion
) -> None:
    found = re.search(r"^Bad:\n\n((?:    .*\n|\n)+)", rule.page, re.MULTILINE)
    assert found is not None
    text = textwrap.dedent(found[1]).strip() + "\n"
    named = re.match(r"# (blueprints/\S+)\n", text)
    parsed = parse(text, Path(named[1]) if named else None)
    assert reported(parsed, rule, rules_for(rule), javascript) == rule_snapshot


@pytest.mark.parametrize("cases", CASES, ids=lambda path: path.name)
def test_what_a_rule_says_of_its_cases(cases: Path, javascript: JavaScript, rule_snapshot: SnapshotAssertion) -> None:
    assert "\n".join(reported_for_cases(cases, rule_of(cases), javascript)) == rule_snapshot


@pytest.mark.parametrize("cases", SHORT_CASES, ids=lambda path: path.stem)
def test_what_a_rule_says_of_its_short_cases(cases: Path, javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    reports = Reports(cases.stem, javascript)
    assert_says(cases, reports, pytestconfig)
    assert reports.not_cured == []


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_each_rule_has_cases(rule: Rule) -> None:
    assert rule.slug in {cases.stem for cases in CASES}
