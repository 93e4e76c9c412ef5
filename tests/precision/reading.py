"""Reports for a reader who has what an author gets, and no verdicts: the report, and the file around it."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex, visible
from tests.precision.reports import Found

LONG = 40
"""A prompt of at most so many lines is shown whole; of a longer one, `AROUND` lines on each side of the report."""

AROUND = 12


def reading_sample(found: Sequence[Found], size: int, seed: int) -> list[Found]:
    """At least `size` of the reports in their order, or all: the same number of each rule and level, drawn by `seed`.

    A rule with fewer reports at a level is there with all of them.
    """
    groups: dict[tuple[str, Severity], list[Found]] = defaultdict(list)
    for one in found:
        groups[one.slug, one.level].append(one)
    most = 0
    while sum(min(most, len(group)) for group in groups.values()) < min(size, len(found)):
        most += 1
    draw = random.Random(seed)
    chosen = {id(one) for key in sorted(groups) for one in draw.sample(groups[key], min(most, len(groups[key])))}
    return [one for one in found if id(one) in chosen]


def author_view(number: int, report: Found) -> Iterator[str]:
    """The report as an author gets it, under a number, with the prompt that it is about."""
    one = report.diagnostic
    yield f"=== {number}. {report.file}:{report.line}  {report.slug}  {report.level}"
    yield f"    «{visible(report.text)}»"
    yield f"    {visible(one.message)}"
    yield f"    why: {visible(one.why)}"
    for fix in one.fixes:
        yield f"    fix: {visible(fix.title)}"
    lines = LineIndex(report.parsed.text)
    for line in _shown(report, lines):
        mark = ">" if line == report.line - 1 else " "
        yield f"  {mark} {line + 1:>5} {visible(lines.line(line))}"
    yield ""


def _shown(report: Found, lines: LineIndex) -> range:
    prompt = report.parsed.blueprint.prompt_at(report.diagnostic.span.start)
    if prompt is not None:
        first = lines.position(prompt.span.start).line
        last = lines.position(prompt.span.end).line + 1
        if last - first <= LONG:
            return range(first, min(last, lines.line_count))
    return range(max(0, report.line - 1 - AROUND), min(lines.line_count, report.line + AROUND))
