"""The page `docs/precision.md`: how often a report on the corpus is worth acting on, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from engine.text.diagnostics import Severity
from tests.precision.reports import Found
from tests.precision.table import WORTH_ACTING_ON, counts_of, totals
from tests.precision.verdicts import Matched, Precision, precision

HEAD = """\
# Precision

How often a report is worth acting on. Written by `python -m tests.precision --write` on {day}, at commit {commit}.

The reports are those that `studio check` makes by default on the {files} blueprints that Weval publishes. A reader has
the report and the file, and answers: would I change it, and why? *Right*: yes. *Arguable*: the report is true, and an
author might leave the text as it is. *Wrong*: the report is not true. The share is that of *right* among all that were
read. The readers are of this project, and the rules were narrowed with these files at hand: [recall](recall.md) has
files that nobody looked at, and [below](#an-independent-reader) is what a reader says who did not know the rules. Each
verdict is stored with its reason in `tests/precision/verdicts`; a test fails when a
report that was right is no longer made. Rules that report nothing on these blueprints are not listed.

"""


READING = """\
## An independent reader

A reader who had neither written the rules nor seen their code, their pages or a verdict above was given {read} reports
on 2026-11-23: first the 335 of `python -m tests.precision --sample 330 --seed 14` (of each rule and level at most 21,
drawn by the seed), then all others. The reader had message, reason, fixes and the prompt, as an author does. The
question was the same; *wrong* includes what an author takes for noise. As read that day:

{then}

Rules are narrowed by what the reader said. Of these reports, {gone} are no longer made; the table counts the others.
The verdicts are in `tests/precision/independent`.

"""

THEN = """\
| | sample | all reports | bar |
|---|--:|--:|--:|
| errors and warnings | 238 of 253, 94% | 377 of 402, 94% | 95% |
| hints that are on | 44 of 82, 54% | 46 of 84, 55% | 70% |"""
"""What was found on the day of the reading, before the rules were narrowed by it."""

SECOND_READING = """\
A second reader judged a sample of the same reports. The verdicts are in `tests/precision/independent/second`."""


def page(
    found: Sequence[Found], judged: Matched, independent: Matched, second: Matched, files: int, day: date, commit: str
) -> Iterator[str]:
    """The lines of the page: errors and warnings, then hints, then the independent readings, the `second` a sample.

    `found` are all reports on `files` blueprints.
    """
    worse = [one for one in found if one.level is not Severity.HINT]
    hints = [one for one in found if one.level is Severity.HINT]
    yield from HEAD.format(day=day.isoformat(), commit=commit, files=files).splitlines()
    for title, here in (("Errors and warnings", worse), ("Hints", hints)):
        yield f"## {title}"
        yield ""
        yield "| rule | level | reports | files | read | right | arguable | wrong | share |"
        yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
        kinds = sorted({(one.level.rank, one.slug, one.level) for one in here})
        for _, slug, level in kinds:
            yield _row(f"`{slug}`", level, [one for one in here if (one.slug, one.level) == (slug, level)], judged)
        yield _row("**all**", "", here, judged)
        yield ""
    yield from _independent_reading(independent, second)


def _independent_reading(independent: Matched, second: Matched) -> Iterator[str]:
    gone = len(independent.gone)
    yield from READING.format(read=len(independent.pairs) + gone, then=THEN, gone=gone).splitlines()
    yield "| rule | level | read | right | arguable | wrong | share |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    shares = list(_independent_shares(independent))
    for name, level, counts, _ in shares:
        numbers = (counts.judged, counts.right, counts.arguable, counts.wrong)
        yield f"| {name} | {level} | {' | '.join(map(str, numbers))} | {counts.strict:.0%} |"
    yield ""
    yield from (f"- {line}" for line in totals(independent))
    below = [f"{name} ({level})" for name, level, counts, bar in shares if (counts.strict or 0) < bar]
    yield f"- below the bar: {', '.join(below) or 'none'}"
    yield ""
    yield SECOND_READING
    yield ""
    yield from (f"- {line}" for line in totals(second, "second reader"))
    yield ""


def _independent_shares(independent: Matched) -> Iterator[tuple[str, Severity, Precision, float]]:
    """Name, level, counts and bar of each rule and level that was read, worst level first."""
    kinds = sorted({(one.level.rank, one.slug, one.level) for one, _ in independent.pairs})
    for _, slug, level in kinds:
        yield f"`{slug}`", level, counts_of(independent, slug, level), WORTH_ACTING_ON[level is Severity.HINT]


def _row(name: str, level: str, here: Sequence[Found], judged: Matched) -> str:
    counts = _counts(here, judged)
    share = "" if counts.strict is None else f"{counts.strict:.0%}"
    files = len({one.file for one in here})
    numbers = (len(here), files, counts.judged, counts.right, counts.arguable, counts.wrong)
    return f"| {name} | {level} | {' | '.join(map(str, numbers))} | {share} |"


def _counts(here: Iterable[Found], judged: Matched) -> Precision:
    reports = {id(one) for one in here}
    return precision(verdict.verdict for report, verdict in judged.pairs if id(report) in reports)
