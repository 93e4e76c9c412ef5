"""The page: what was checked, the table of kinds, and the examples."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice, takewhile

from engine.rules.registry import rule_named
from engine.text.diagnostics import Severity
from engine.text.spans import visible
from tests.corpus_report.choice import Example
from tests.corpus_report.demonstrations import Answer
from tests.corpus_report.effects import Effect
from tests.precision.reports import Found

MOST_LINES = 4
"""How many removed, added and unchanged lines of a change are shown."""

_WIDTH = 110
_NEAR = 40
"""How many lines from a change on are compared, to find the lines that belong to it."""


def page(found: Sequence[Found], files: int, examples: Sequence[Example], day: date) -> Iterator[str]:
    """The lines of the page. `found` are all reports on `files` blueprints, hints included."""
    worse = [one for one in found if one.level is not Severity.HINT]
    with_any = len({one.file for one in worse})
    errors = sum(one.level is Severity.ERROR for one in worse)
    yield "# Corpus report"
    yield ""
    yield f"Written by `python -m tests.corpus_report` on {day.isoformat()}."
    yield ""
    yield from _wrapped(
        f"The {files} blueprints that Weval publishes, checked with the default settings: {errors:,} errors and "
        f"{len(worse) - errors:,} warnings in {with_any} files; {files - with_any} files have none. Hints are not "
        "counted. The files are careful work; each of these slips is easy to make and hard to see. A report often "
        "stands for several places: a slip that is repeated through a file is reported once. "
        "[Checking](checking.md) explains the levels, `studio rules SLUG` prints the page of a rule."
    )
    yield ""
    yield "## By kind"
    yield ""
    yield "| rule | level | reports | files | what it finds |"
    yield "|---|---|--:|--:|---|"
    yield from _kinds(worse)
    yield ""
    yield "## What it does to scores"
    yield ""
    yield from _wrapped(
        "Each example is one answer, scored on the rubric as it is and as it was meant; the engine computes both "
        "scores. For a slip that breaks a check, the answer is the prompt's own `ideal`: the checks run on it, "
        "criteria in words count as met, and the first fix is applied in memory. For the other kinds, the sentence "
        "below the example says which answer it is. Of each rule the prompt with the largest change is shown, and of "
        f"the rules the {len(examples)} with the largest changes, those that concern more prompts first. Rules that "
        "change no score in this way do not appear."
    )
    for number, example in enumerate(examples, 1):
        yield ""
        yield from _example(number, example)


def _kinds(found: Sequence[Found]) -> Iterator[str]:
    kinds = {(one.slug, one.level) for one in found}
    counts = {kind: [one for one in found if (one.slug, one.level) == kind] for kind in kinds}
    for slug, level in sorted(kinds, key=lambda kind: (kind[1].rank, -len(counts[kind]), kind[0])):
        here = counts[slug, level]
        files = len({one.file for one in here})
        rule = rule_named(slug)
        text = "" if rule is None else rule.summary.replace("|", "\\|")
        yield f"| `{slug}` | {level} | {len(here):,} | {files} | {text} |"


def _example(number: int, example: Example) -> Iterator[str]:
    effect = example.effect
    first = effect.reports[0]
    before, after = _hundredths(effect.before), _hundredths(effect.after)
    shown_by = effect.shown_by
    yield f"### {number}. `{effect.slug}`: {before}{' to ' if shown_by.is_open else ' → '}{after}"
    yield ""
    places = "" if len(effect.reports) == 1 else f" and {len(effect.reports) - 1} more in this prompt"
    yield from _wrapped(f"`{first.file}`, line {first.line}{places}: {_inline(first.diagnostic.message)}.")
    yield ""
    yield "```diff"
    yield from _reported_lines(first) if effect.fixed is None else _change(first.parsed.text, effect.fixed)
    yield "```"
    yield ""
    prompts = "1 prompt" if example.prompts == 1 else f"{example.prompts} prompts"
    if shown_by.is_open:
        scores = f"{shown_by.answer} scores anything from {before} to {after} of 100. {shown_by.otherwise}."
    else:
        scores = f"{shown_by.answer} scores {before} of 100 as the file is, and {after} {shown_by.otherwise}."
    yield from _wrapped(f"{scores} {_in_words(effect)}The rule changes a score in {prompts}.")


def _hundredths(score: float) -> str:
    """A score of 0–1 as the studio shows it, 0–100 with one decimal where it is not whole."""
    return f"{score * 100:.1f}".removesuffix(".0")


def _in_words(effect: Effect) -> str:
    if effect.shown_by.kind is not Answer.IDEAL:
        return ""
    match effect.in_words:
        case 0:
            return "Only checks decide this prompt. "
        case 1:
            return "1 criterion in words counts as met. "
        case number:
            return f"{number} criteria in words count as met. "


def _reported_lines(report: Found) -> Iterator[str]:
    """The lines that the report underlines."""
    lines = report.parsed.text.splitlines()
    span = report.diagnostic.span
    count = report.diagnostic.span.of(report.parsed.text).count("\n") + 1 if span.end > span.start else 1
    shown = lines[report.line - 1 : report.line - 1 + count]
    yield from (f"  {_cut(line)}" for line in shown[:MOST_LINES])
    if len(shown) > MOST_LINES:
        yield f"  … and {len(shown) - MOST_LINES} more lines"


def _inline(text: str) -> str:
    """A message within a sentence of Markdown: one line, no full stop, nothing that Markdown reads as a mark-up."""
    line = visible(" ".join(text.split())).rstrip(".")
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", line)


def _change(before: str, after: str) -> Iterator[str]:
    """The first place that the fix changes with a line around it, at most `MOST_LINES` of each kind of line."""
    old, new = before.splitlines(), after.splitlines()
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    first = max(0, start - 1)
    hunk = difflib.unified_diff(old[first : first + _NEAR], new[first : first + _NEAR], lineterm="", n=1)
    shown: dict[str, int] = {}
    for line in islice(takewhile(lambda line: not line.startswith("@@"), islice(hunk, 3, None)), _NEAR):
        shown[line[0]] = shown.get(line[0], 0) + 1
        if shown[line[0]] <= MOST_LINES and line.strip():
            yield f"{line[0]} {_cut(line[1:])}"


def _cut(line: str) -> str:
    shown = visible(line).replace("```", "'''")
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= 120:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line
