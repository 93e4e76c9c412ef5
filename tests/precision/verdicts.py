"""Verdicts on single reports, one JSON object a line, and which report each belongs to.

They are in `verdicts/SLUG.jsonl`, those of the independent reader in `independent/SLUG.jsonl`, and those of a second
one, on a sample of the same reports, in `independent/second/SLUG.jsonl`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.precision.reports import Found

FOLDER = Path(__file__).parent / "verdicts"

INDEPENDENT = Path(__file__).parent / "independent"
"""Verdicts of a reader who had the report and the file, and neither the rule nor the other verdicts."""

SECOND = INDEPENDENT / "second"
"""Those of another such reader on 150 reports, drawn when all had been read once."""


class Verdict(StrEnum):
    """Whether the author would change the thing when shown it."""

    RIGHT = "right"
    ARGUABLE = "arguable"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Judged:
    """One report as it was read: `text` is its underlined text, `reason` what speaks for the verdict."""

    rule: str
    file: str
    line: int
    text: str
    message: str
    verdict: Verdict
    reason: str


def stored(folder: Path = FOLDER) -> list[Judged]:
    """Every verdict. Raises `ValueError` with file and line where one does not have the form of `Judged`."""
    return [
        _judged(row, f"{path.name}, line {number}")
        for path in sorted(folder.glob("*.jsonl"))
        for number, row in enumerate(path.read_text("utf-8").splitlines(), 1)
        if row.strip()
    ]


def _judged(row: str, place: str) -> Judged:
    try:
        fields = json.loads(row)
        return Judged(**{**fields, "verdict": Verdict(fields["verdict"])})
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{place}: {error}") from error


@dataclass(frozen=True, slots=True)
class Matched:
    """Verdicts beside the reports that they were made of; `gone` are those whose report is no longer made."""

    pairs: tuple[tuple[Found, Judged], ...]
    gone: tuple[Judged, ...]
    unjudged: tuple[Found, ...]


def matched(found: Sequence[Found], judged: Iterable[Judged]) -> Matched:
    """Each verdict with the report of its rule on its line, by the underlined text where a line holds several."""
    waiting: dict[tuple[str, str, int], list[Found]] = defaultdict(list)
    for report in found:
        waiting[report.slug, report.file, report.line].append(report)
    pairs: list[tuple[Found, Judged]] = []
    gone: list[Judged] = []
    for one in judged:
        here = waiting[one.rule, one.file, one.line]
        same = next((report for report in here if report.text == one.text), None)
        report = same or (here[0] if len(here) == 1 else None)
        if report is None:
            gone.append(one)
        else:
            here.remove(report)
            pairs.append((report, one))
    left = {id(report) for reports in waiting.values() for report in reports}
    return Matched(tuple(pairs), tuple(gone), tuple(report for report in found if id(report) in left))


@dataclass(frozen=True, slots=True)
class Precision:
    """How many of the judged reports are what."""

    right: int
    arguable: int
    wrong: int

    @property
    def judged(self) -> int:
        """How many verdicts there are."""
        return self.right + self.arguable + self.wrong

    @property
    def strict(self) -> float | None:
        """Right among all judged, from 0 to 1; None where none is judged."""
        return self.right / self.judged if self.judged else None

    @property
    def lenient(self) -> float | None:
        """Right among those that are right or wrong, from 0 to 1; None where there is none."""
        clear = self.right + self.wrong
        return self.right / clear if clear else None


def precision(verdicts: Iterable[Verdict]) -> Precision:
    """The counts of these verdicts."""
    counts = Counter(verdicts)
    return Precision(counts[Verdict.RIGHT], counts[Verdict.ARGUABLE], counts[Verdict.WRONG])
