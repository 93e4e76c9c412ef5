"""The page `docs/precision.md`: how often a report on the corpus is worth acting on, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from engine.diagnostics import Severity
from tests.precision.reports import Found
from tests.precision.verdicts import Matched, Precision, precision

HEAD = """\
# Precision

How often a report is worth acting on. Written by `python -m tests.precision --write` on {day}, at commit {commit}.

The reports are those that `studio check` makes by default on the {files} blueprints that Weval publishes. A reader has
the report and the file, and answers: would I change it, and why? *Right*: yes. *Arguable*: the report is true, and an
author might leave the text as it is. *Wrong*: the report is not true. The share is that of *right* among all that were
read. The readers are of this project, and the rules were narrowed with these files at hand: [recall](recall.md) has
files that nobody looked at. Each verdict is stored with its reason in `tests/precision/verdicts`; a test fails when a
report that was right is no longer made. Rules that report nothing on these blueprints are not listed.

"""


def page(found: Sequence[Found], judged: Matched, files: int, day: date, commit: str) -> Iterator[str]:
    """The lines of the page: errors and warnings, then hints. `found` are all reports on `files` blueprints."""
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


def _row(name: str, level: str, here: Sequence[Found], judged: Matched) -> str:
    counts = _counts(here, judged)
    share = "" if counts.strict is None else f"{counts.strict:.0%}"
    files = len({one.file for one in here})
    numbers = (len(here), files, counts.judged, counts.right, counts.arguable, counts.wrong)
    return f"| {name} | {level} | {' | '.join(map(str, numbers))} | {share} |"


def _counts(here: Iterable[Found], judged: Matched) -> Precision:
    reports = {id(one) for one in here}
    return precision(verdict.verdict for report, verdict in judged.pairs if id(report) in reports)
