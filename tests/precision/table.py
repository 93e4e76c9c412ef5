"""The table of rules against the corpus, and what has to be read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.rules import ALL
from engine.text.diagnostics import Severity
from engine.text.spans import visible
from tests.precision.reports import Found
from tests.precision.verdicts import Matched, Precision, precision

BAR = 0.9
"""The least share of warnings that an author would act on."""

READ_WHOLE = 60
"""Of a rule with at most so many reports every one is read."""

WORTH_ACTING_ON = {False: 0.95, True: 0.7}
"""The least share that an independent reader would act on: of errors and warnings, and of hints (True)."""

HEADER = (
    f"{'rule':<30} {'level':<7} {'reports':>7} {'files':>5} {'judged':>6} "
    f"{'right':>5} {'arg.':>4} {'wrong':>5} {'clear':>6} {'strict':>6} | {'judged':>6} {'right':>5} {'strict':>6}"
)


def table(found: Sequence[Found], judged: Matched, independent: Matched, second: Matched) -> Iterator[str]:
    """One line a rule and level, in the order of codes, with the independent verdicts behind the bar.

    The totals of these and of a second reader, and the rules without any report by name, are at the end.
    """
    yield HEADER
    levels = sorted({(one.diagnostic.code, one.slug, one.level.rank) for one in found})
    for _, slug, rank in levels:
        level = list(Severity)[rank]
        here = [one for one in found if one.slug == slug and one.level is level]
        counts = counts_of(judged, slug, level)
        apart = counts_of(independent, slug, level)
        below = level is not Severity.HINT and counts.strict is not None and counts.strict < BAR
        yield (
            f"{slug:<30} {level:<7} {len(here):>7} {len({one.file for one in here}):>5} {counts.judged:>6} "
            f"{counts.right:>5} {counts.arguable:>4} {counts.wrong:>5} {_share(counts.lenient)} {_share(counts.strict)}"
            f" | {apart.judged:>6} {apart.right:>5} {_share(apart.strict)}"
            f"{'  BELOW THE BAR' if below else ''}"
        )
    yield from totals(independent)
    yield from totals(second, "second reader")
    silent = sorted({rule.slug for rule in ALL} - {one.slug for one in found})
    yield f"no report: {', '.join(silent)}"


def totals(independent: Matched, reader: str = "independent reader") -> Iterator[str]:
    """What the reader would act on: errors and warnings together, and hints, each against its bar."""
    for hints, bar in WORTH_ACTING_ON.items():
        counts = precision(one.verdict for report, one in independent.pairs if (report.level is Severity.HINT) is hints)
        name = "hints that are on" if hints else "errors and warnings"
        yield (
            f"{reader}, {name}: {counts.right} of {counts.judged} right, {counts.arguable} arguable, "
            f"{counts.wrong} wrong: {_share(counts.strict).strip()} (the bar is {bar:.0%})"
        )


def counts_of(judged: Matched, slug: str, level: Severity) -> Precision:
    """The verdicts on the reports of one rule at one level."""
    return precision(one.verdict for report, one in judged.pairs if report.slug == slug and report.level is level)


def _share(share: float | None) -> str:
    return " " * 6 if share is None else f"{share:>6.0%}"


def stale(found: Sequence[Found], judged: Matched) -> Iterator[str]:
    """Verdicts whose report is no longer made, and reports without one of rules that are read whole."""
    yield f"{len(judged.gone)} verdicts without a report"
    yield from _gone(judged)
    having = {one.rule for one in judged.gone} | {one.rule for _, one in judged.pairs}
    counts = {slug: sum(one.slug == slug for one in found) for slug in having}
    missing = [one for one in judged.unjudged if one.slug in having and counts[one.slug] <= READ_WHOLE]
    yield f"{len(missing)} reports without a verdict, of rules that are read whole"
    yield from (f"  {one.slug}  {one.file}:{one.line}  {one.level}: {_line(one.text)}" for one in missing)
    unread = sorted({one.slug for one in judged.unjudged} - having)
    yield f"rules with reports and no verdict at all: {', '.join(unread) or 'none'}"


def stale_independent(independent: Matched) -> Iterator[str]:
    """Independent verdicts whose report is no longer made without settings."""
    yield f"{len(independent.gone)} independent verdicts without a report"
    yield from _gone(independent)


def _gone(judged: Matched) -> Iterator[str]:
    return (f"  {one.rule}  {one.file}:{one.line}  {one.verdict}: {_line(one.text)}" for one in judged.gone)


def _line(text: str) -> str:
    return visible(" ".join(text.split()))[:90]
