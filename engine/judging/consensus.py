"""Individual judgements → what they amount to for one point (000, step 4, "Consensus Score"; platform.md, A30, A31)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.judging.agreement import Agreement, agreement
from engine.judging.judgement import Judgement
from engine.judging.panel import Panel, PanelJudge
from engine.judging.verdict import Reading, Verdict
from engine.scoring.aggregation import to_fixed


@dataclass(frozen=True)
class Consensus:
    """All judgements of one point, the backup's included, in the order of the panel.

    Judges that have not judged are left out of the mean, and listed in `failed`.
    """

    judgements: tuple[Judgement, ...]

    @cached_property
    def verdicts(self) -> tuple[tuple[Judgement, Verdict], ...]:
        """Those who judged, each with its verdict."""
        return tuple((each, each.verdict) for each in self.judgements if each.verdict is not None)

    @property
    def failed(self) -> tuple[Judgement, ...]:
        """Those who were asked and have not judged."""
        return tuple(each for each in self.judgements if each.verdict is None)

    @cached_property
    def mean(self) -> float | None:
        """The unrounded mean of the extents, 0–1 before inversion; None where nobody judged."""
        total = 0.0
        for _, verdict in self.verdicts:
            total += verdict.extent
        return total / len(self.verdicts) if self.verdicts else None

    @property
    def extent(self) -> float | None:
        """The mean to two decimals as JavaScript rounds, before inversion (0.125 → 0.13); None where nobody judged."""
        return None if self.mean is None else float(to_fixed(self.mean, 2))

    def counted(self, inverted: bool) -> float | None:
        """The extent as it enters the score: rounded first, then inverted in `should_not`."""
        if self.extent is None:
            return None
        return 1 - self.extent if inverted else self.extent

    @property
    def summary(self) -> str:
        """Each verdict, in an author's words: `a: fully present, b: absent; mean 0.5; c declined to judge`."""
        return self.summary_with("")

    def summary_with(self, counts: str) -> str:
        """The same with what the verdicts count, such as `, so it counts 50 here`, put behind their mean."""
        listed = ", ".join(f"{self._name(each)}: {verdict.label}{_there(verdict)}" for each, verdict in self.verdicts)
        mean = f"; mean {self.extent:g}" if len(self.verdicts) > 1 else ""
        return "; ".join([*([f"{listed}{mean}{counts}"] if listed else []), *self._failures()])

    @property
    def error(self) -> str | None:
        """Why the point could not be judged, where nobody judged it."""
        if self.verdicts:
            return None
        return "; ".join(self._failures()) or "there is no judge to ask"

    @property
    def reflection(self) -> str | None:
        """The judge's reflection, or each judge's under its name; None where none gave any. Untrusted text."""
        listed = [(self._name(each), verdict.reflection) for each, verdict in self.verdicts if verdict.reflection]
        if len(self.verdicts) == 1 and listed:
            return listed[0][1]
        return "\n".join(f"{name}: {text}" for name, text in listed) or None

    def _name(self, judgement: Judgement) -> str:
        """The judge's id, with its model where another judge has the same id."""
        judge = judgement.judge
        same = sum(each.judge.id == judge.id for each in self.judgements)
        return judge.id if same == 1 else f"{judge.id} ({judge.model})"

    def _failures(self) -> Iterable[str]:
        failures = [(each, each.failure) for each in self.failed if each.failure is not None]
        return [f"{self._name(each)} {failure.message}{_there(failure)}" for each, failure in failures]


def _there(reading: Reading) -> str:
    """What Weval makes of the same reply, where that is something else."""
    return f" (Weval reads {reading.on_weval})" if reading.on_weval is not None else ""


def panel_agreement(points: Iterable[Consensus], panel: Panel) -> Agreement | None:
    """How far the judges of one answer agree over its points (000, `judgeAgreement`); None with nothing to compare."""
    return _agreement(points, (*panel.judges, *([panel.backup] if panel.backup is not None else [])))


def agreement_of(points: Collection[Consensus]) -> Agreement | None:
    """The same of verdicts from before, whoever gave them."""
    return _agreement(points, tuple(dict.fromkeys(each.judge for point in points for each in point.judgements)))


def _agreement(points: Iterable[Consensus], asked: Iterable[PanelJudge]) -> Agreement | None:
    compared = [[each.compared for each in point.judgements] for point in points]
    return agreement(compared, [judge.written for judge in asked])
