"""One judge's judgement, as a record, as JSON and word for word; the consensus of several; how far judges agree.

The consensus is that of 000, step 4, "Consensus Score" (platform.md, A30, A31). Agreement is Krippendorff's alpha as
the platform computes it (platform.md, A32; 000, `judgeAgreement`): the textbook's alpha weights each item by its number
of judges; the platform compares all pairs within the items with all pairs of the pooled scores.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import StrEnum
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from engine.blueprint import Judge
from engine.judging.judge_prompt import JudgeContext, Question, changed_parts
from engine.judging.panel import PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Verdict
from engine.models.chat import ChatRequest, Usage
from engine.scoring.assessment import Bounds, ChangedPart, Grade, StoredJudgement
from engine.scoring.explanation import judge_name
from engine.scoring.sums import consensus_bounds, plain_mean, to_fixed
from engine.text import Record, field, replace, visible
from engine.text.spans import count as counted
from engine.yaml.nodes import utf16_order

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_NOTHING_COUNTED = Usage()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and its outcome.

    `reply` is the raw text as far as it arrived, untrusted. `model` is the server's name of the model, None where it
    gave none. `milliseconds` is the total time, including the wait before sending. Where the judge could not be reached
    at all, `request` is the request that was not sent.
    """

    request: ChatRequest
    reply: str
    reading: Reading
    model: str | None = None
    usage: Usage = _NOTHING_COUNTED
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge on one point: at least one attempt, the last of which counts.

    `recipient` is who received the texts, "" where nothing was sent. `reused`: the judgement was cached, and nothing
    was sent. `key` is the `engine.models.chat` of its first request, its key in the cache, "" where it is not
    known. `shown` is the context that the judge saw, None where that was not recorded. `round` counts from 0 where a
    judge is asked the same question several times. `stands_in`: it is the backup's, in the place of judges that failed.
    `given` is when, in ISO 8601, "" where that is not known.
    """

    judge: PanelJudge
    criterion: str
    attempts: tuple[Attempt, ...]
    recipient: str = ""
    reused: bool = False
    key: str = ""
    shown: JudgeContext | None = None
    round: int = 0
    stands_in: bool = False
    given: str = dataclass_field(default="", compare=False)

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[-1]

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, None where the judge has not judged."""
        return self.last.reading if isinstance(self.last.reading, Verdict) else None

    @property
    def failure(self) -> NoVerdict | None:
        """Why the judge has not judged, None where it has."""
        return self.last.reading if isinstance(self.last.reading, NoVerdict) else None

    @property
    def opens_point(self) -> bool:
        """Whether the point has no score until this judge has judged it: it is still to be asked, or chose no class."""
        return self.failure is not None and self.failure.reason.opens_point


def judgement_text(judgement: Judgement) -> str:
    """One judgement as JSON in ASCII, lone surrogates included."""
    return json.dumps(_shape().dump_python(judgement))


def judgement_of(text: str) -> Judgement | None:
    """The judgement that `judgement_text` wrote; None where another version wrote the text, or it is damaged."""
    try:
        return _shape().validate_python(json.loads(text))
    except (ValueError, RecursionError):
        return None


@cache
def _shape() -> TypeAdapter[Judgement]:
    from pydantic import TypeAdapter  # here, as it is slow to load, and only saved judgements need it

    return TypeAdapter(Judgement)


def word_for_word(judgement: Judgement) -> str:
    """Every request of a judgement and the raw reply to each. Control characters are made visible."""
    return visible("\n\n".join(_parts(judgement))) + "\n"


def named_classes(judgements: Iterable[Judgement]) -> str:
    """The classes between which judges did not choose, with the keys of the grades: `1 absent or 5 fully present?`."""
    failures = [each.failure for each in judgements if each.failure is not None]
    named = sorted({(each.extent, each.label) for failure in failures for each in failure.named})
    keys = {grade.extent: f"{number} " for number, grade in enumerate(Grade, 1)}
    return " or ".join(f"{keys.get(extent, '')}{label}" for extent, label in named) + "?" * bool(named)


def _parts(judgement: Judgement) -> Iterator[str]:
    judge = judgement.judge
    sent = f"sent to {judgement.recipient}" if judgement.recipient else "nothing was sent"
    cached = ", cached" if judgement.reused else ""
    yield f"{judge.id}: {judge.model}, {judge.approach}; {sent}{cached}\nCriterion: {judgement.criterion}"
    for number, attempt in enumerate(judgement.attempts, 1):
        yield _request_line(attempt, number, len(judgement.attempts))
        for turn in attempt.request.turns:
            yield f"[{turn.role}]\n{turn.content}"
        yield f"=== {_reply_line(attempt)}\n{attempt.reply or '(nothing)'}"
        yield f"=== Read as: {_read(attempt.reading)}"


def _request_line(attempt: Attempt, number: int, of: int) -> str:
    which = "Request" if of == 1 else f"Request {number} of {of}"
    request = attempt.request
    temperature = "the server's" if request.temperature is None else f"{request.temperature:g}"
    return f"=== {which} to {request.model}, temperature {temperature}, at most {request.max_tokens} tokens"


def _reply_line(attempt: Attempt) -> str:
    by = f" of {attempt.model}" if attempt.model else ""
    return f"Reply{by} after {attempt.milliseconds} ms{_tokens(attempt.usage)}"


def _tokens(usage: Usage) -> str:
    counted = [(usage.input_tokens, "read"), (usage.output_tokens, "written")]
    return "".join(f", {count} tokens {what}" for count, what in counted if count is not None)


def _read(reading: Reading) -> str:
    weval = "" if reading.on_weval is None else f"\n=== Weval reads: {reading.on_weval}"
    match reading:
        case Verdict():
            return f"{reading.label} ({reading.extent:g}){weval}"
        case NoVerdict():
            return " ".join(filter(None, (f"no verdict, as it {reading.message}.", reading.advice))) + weval


RELIABLE = 0.8
TENTATIVE = 0.667
NEAR_ZERO = 0.1
LITTLE_VARIANCE = 0.02
"""Below this variance of the scores, an alpha within `NEAR_ZERO` of 0 is unstable."""

UNKNOWN = "unknown"


class Interpretation(StrEnum):
    """How far an alpha can be relied on."""

    RELIABLE = "reliable"
    TENTATIVE = "tentative"
    UNRELIABLE = "unreliable"
    UNSTABLE = "unstable"


class JudgeShare(Record, rename="camel"):
    """The number of compared points that a judge has judged."""

    judge_id: str
    model: str
    approach: str
    assessments: int = field(name="assessmentCount")


class Agreement(Record):
    """How far judges agree, as `judgeAgreement` of result JSON (000, part 3).

    `alpha` has three decimals: 1 is perfect agreement, 0 chance, and below 0 worse. `judges` are ordered by their
    number of points, largest first.
    """

    alpha: float = field(name="krippendorffsAlpha")
    items: int = field(name="numItems")
    judges_per_item: int = field(name="numJudges")
    comparisons: int = field(name="numComparisons")
    interpretation: Interpretation
    fingerprint: str = field(name="judgeSetFingerprint")
    judges: tuple[JudgeShare, ...] = field(name="judgesUsed")


def agreement(points: Iterable[Sequence[StoredJudgement]], judges: Sequence[Judge]) -> Agreement | None:
    """How far the judges of `points` agree; None where no point has two judgements to compare.

    `points` holds the judgements of each point, their extents before inversion. `judges` are the judges of the run,
    with their models and approaches.
    `judges_per_item` is the number of judges of the first compared point, as on the platform.
    """
    known = (
        [(each.judge, each.extent) for each in point if each.extent is not None and not math.isnan(each.extent)]
        for point in points
    )
    items = [point for point in known if len(point) >= 2]
    if not items:
        return None
    alpha, comparisons = _alpha([[extent for _, extent in item] for item in items])
    names = [judge.partition("(")[0] for item in items for judge, _ in item]
    return Agreement(
        float(to_fixed(alpha, 3)),
        len(items),
        len(items[0]),
        comparisons,
        _interpretation(alpha, [extent for item in items for _, extent in item]),
        _fingerprint(names),
        tuple(_shares(names, judges)),
    )


def _alpha(items: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Alpha, unrounded, and the number of pairs compared within items."""
    within = [(a - b) ** 2 for item in items for a, b in combinations(item, 2)]
    pooled = [score for item in items for score in item]
    across = [(a - b) ** 2 for a, b in combinations(pooled, 2)]
    observed, expected = plain_mean(within) or 0.0, plain_mean(across)
    return 1 - observed / expected if expected else 1.0, len(within)


def _interpretation(alpha: float, scores: Sequence[float]) -> Interpretation:
    if alpha >= RELIABLE:
        return Interpretation.RELIABLE
    if alpha >= TENTATIVE:
        return Interpretation.TENTATIVE
    mean = plain_mean(scores) or 0.0
    variance = plain_mean([(score - mean) ** 2 for score in scores]) or 0.0
    if abs(alpha) < NEAR_ZERO and variance < LITTLE_VARIANCE:
        return Interpretation.UNSTABLE
    return Interpretation.UNRELIABLE


def _fingerprint(names: Iterable[str]) -> str:
    """12 hex digits that identify a set of judges."""
    joined = ",".join(sorted(set(names), key=utf16_order))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:12]


def _shares(names: Sequence[str], judges: Sequence[Judge]) -> Iterable[JudgeShare]:
    for name, count in Counter(names).most_common():
        judge = next((judge for judge in judges if judge.id == name or name in judge.model), None)
        model, approach = (UNKNOWN, UNKNOWN) if judge is None else (judge.model, judge.approach)
        yield JudgeShare(name, model, approach, count)


class Consensus(Record, dict=True):
    """All judgements of one point, the backup's included, in the order of the panel.

    Judgements without a verdict are left out of the mean: those of judges asked in vain are `failed`. While a judge is
    still to be asked, the point is open.
    """

    judgements: tuple[Judgement, ...]

    @cached_property
    def verdicts(self) -> tuple[tuple[Judgement, Verdict], ...]:
        """The judgements with a verdict, each with its verdict."""
        return tuple((each, each.verdict) for each in self.judgements if each.verdict is not None)

    @property
    def failed(self) -> tuple[Judgement, ...]:
        """The judgements of judges that were asked in vain."""
        return tuple(each for each in self.judgements if each.verdict is None and not each.opens_point)

    @cached_property
    def missing(self) -> tuple[Judgement, ...]:
        """The judgements whose verdicts the mean lacks.

        Made up for is one whose judge has another, and every one of a round in which the backup judged.
        """
        judged = {(each.judge, each.round) for each, _ in self.verdicts}
        made_up = {each.round for each, _ in self.verdicts if each.stands_in}
        return tuple(
            each
            for each in self.judgements
            if each.verdict is None
            and not each.stands_in
            and each.round not in made_up
            and (each.judge, each.round) not in judged
        )

    @property
    def is_open(self) -> bool:
        """Whether a judge is still to be asked, named several classes and chose none, or there is none to ask."""
        return not self.judgements or any(each.opens_point for each in self.judgements)

    @cached_property
    def mean(self) -> float | None:
        """The unrounded mean of the extents, 0–1 before inversion; None without a verdict."""
        return plain_mean([verdict.extent for _, verdict in self.verdicts])

    @property
    def is_undecided(self) -> bool:
        """Whether a judge named several classes and chose none: the point is open, whatever others say."""
        return any(each.failure is not None and each.failure.named for each in self.judgements)

    @property
    def extent(self) -> float | None:
        """The mean to two decimals as JavaScript rounds, before inversion (0.125 → 0.13); None while it is open."""
        return self.counted_extent(inverted=False)

    def counted_extent(self, inverted: bool) -> float | None:
        """The extent as it enters the score: rounded first, then inverted in `should_not`."""
        return None if self.is_open else _counted(self.mean, inverted)

    def extent_on_weval(self, inverted: bool) -> float | None:
        """`counted_extent` by Weval's readings of the replies, None where it reads no verdict."""
        there = (each.last.reading.on_weval or each.verdict for each in self.judgements)
        return _counted(plain_mean([each.extent for each in there if each and each.extent is not None]), inverted)

    def counted_bounds(self, inverted: bool) -> Bounds | None:
        """`counted_extent` with the missing verdicts at 0 and at 1, the lower first; None where none is missing."""
        extents = [verdict.extent for _, verdict in self.verdicts]
        return consensus_bounds(extents, len(self.missing), inverted)

    @property
    def summary(self) -> str:
        """The judgements in an author's words: `a: fully present, b: absent; mean 0.5; c declined to judge`."""
        return self.summary_with("")

    def summary_with(self, counts: str) -> str:
        """`summary` with `counts`, such as `, so it counts 50 here`, after the mean."""
        verdicts = ", ".join(
            f"{self.name_of(each)}: {verdict.label}{_weval_note(verdict)}" for each, verdict in self.verdicts
        )
        mean = f"; mean {self.extent:g}" if len(self.verdicts) > 1 and self.extent is not None else ""
        return "; ".join([*([f"{verdicts}{mean}{counts}"] if verdicts else []), *self._failures()])

    @property
    def error(self) -> str | None:
        """Why verdicts are missing that judges were asked for; None where none is, or the point is open."""
        if not self.judgements:
            return "there is no judge to ask"
        return "; ".join(self._failures()) if self.missing and not self.is_open else None

    @property
    def reflection(self) -> str | None:
        """The judge's reflection, or each judge's after its name; None where no judge gave one. Untrusted text.

        Of a judge that named several classes it is the reply.
        """
        given = [each for each in self.judgements if each.verdict or (each.failure and each.failure.named)]
        words = [(each, each.verdict.reflection if each.verdict else each.last.reply) for each in given]
        reflections = [(self.name_of(each), text) for each, text in words if text]
        if len(self.verdicts) == 1 and len(reflections) == 1 and not self.is_undecided:
            return reflections[0][1]
        return "\n".join(f"{name}: {text}" for name, text in reflections) or None

    def name_of(self, judgement: Judgement) -> str:
        """The judge's name, or its id and model where another judge has the same name."""
        judge, name = judgement.judge, judge_name(judgement.judge.label)
        same = {each.judge for each in self.judgements if judge_name(each.judge.label) == name}
        return name if len(same) == 1 else f"{judge.id} ({judge.model})"

    def _failures(self) -> list[str]:
        failures = [(each, each.failure) for each in self.judgements if each.failure is not None]
        return [f"{self.name_of(each)} {failure.message}{_weval_note(failure)}" for each, failure in failures]


def _counted(mean: float | None, inverted: bool) -> float | None:
    extent = None if mean is None else float(to_fixed(mean, 2))
    return 1 - extent if inverted and extent is not None else extent


def _weval_note(reading: Reading) -> str:
    """What Weval reads in the same reply; "" where that is the same."""
    return f" (Weval reads {reading.on_weval})" if reading.on_weval is not None else ""


def changed_since(consensus: Consensus, question: Question) -> tuple[ChangedPart, ...]:
    """What has changed of what the judges saw, compared with `question`, which is asked today.

    Those with a verdict count, or all where none has one.
    """
    changed = {
        part
        for each in [each for each, _ in consensus.verdicts] or consensus.judgements
        for part in changed_parts(each.shown, each.attempts[0].request, each.judge.approach, question)
    }
    return tuple(part for part in ChangedPart if part in changed)


def judged_today(points: Mapping[int, Consensus], today: Mapping[int, Question]) -> list[Consensus]:
    """The points whose verdicts are not carried over, by place in `Prompt.points()`; `today` is what is asked now."""
    return [points[index] for index in sorted(points) if not changed_since(points[index], today[index])]


def agreement_of(points: Collection[Consensus]) -> Agreement | None:
    """How far the judges of one answer agree over its points (000, `judgeAgreement`); None with nothing to compare."""
    judges = dict.fromkeys(each.judge.written for point in points for each in point.judgements)
    return agreement([_compared(point) for point in points], tuple(judges))


def _compared(point: Consensus) -> list[StoredJudgement]:
    """Each judge with its extent; one that was asked in several rounds with the mean of its verdicts."""
    by_judge: dict[tuple[str, int], list[float]] = {}
    is_repeated = any(each.round for each in point.judgements)
    for place, each in enumerate(point.judgements):
        verdicts = by_judge.setdefault((each.judge.label, 0 if is_repeated else place), [])
        verdicts += () if each.verdict is None else (each.verdict.extent,)
    return [StoredJudgement(label, plain_mean(extents)) for (label, _), extents in by_judge.items()]


class JudgeRecord(Record):
    """One judge over all points of an answer.

    `points` is the number of points it was asked about, `judged` the number of its verdicts, `reused` the cached ones
    among these. `failures` has the reasons for missing verdicts, each with its number of points, in order.
    """

    judge: PanelJudge
    points: int
    judged: int
    reused: int
    failures: tuple[tuple[NoVerdict, int], ...]

    @property
    def summary(self) -> str:
        """`3 of 4 judged (2 cached)`."""
        cached = f" ({self.reused} cached)" if self.reused else ""
        return f"{self.judged} of {self.points} judged{cached}"


def judge_records(points: Iterable[Sequence[Judgement]]) -> tuple[JudgeRecord, ...]:
    """One record for each judge, in the order of their first judgement. `points` holds the judgements of each point."""
    by_judge: dict[PanelJudge, list[Judgement]] = {}
    for judgements in points:
        for judgement in judgements:
            by_judge.setdefault(judgement.judge, []).append(judgement)
    return tuple(_record(judge, judgements) for judge, judgements in by_judge.items())


def _record(judge: PanelJudge, judgements: Sequence[Judgement]) -> JudgeRecord:
    failures = Counter(replace(each.failure, on_weval=None) for each in judgements if each.failure is not None)
    return JudgeRecord(
        judge,
        len(judgements),
        sum(each.verdict is not None for each in judgements),
        sum(each.reused for each in judgements),
        tuple(failures.items()),
    )


def failure_text(failure: NoVerdict, count: int) -> str:
    """`2 points: declined to judge. Choose another judge for this text.`, on one line."""
    return f"{counted(count, 'criterion', 'criteria')}: {' '.join(f'{failure.message}. {failure.advice}'.split())}"


def agreement_text(agreement: Agreement | None) -> str:
    """`0.82 over 3 points (Krippendorff's alpha), reliable`, or why the agreement is unknown."""
    if agreement is None:
        return "unknown, as no criterion has two verdicts"
    over = counted(agreement.items, "criterion", "criteria")
    return f"{agreement.alpha:g} over {over} (Krippendorff's alpha), {agreement.interpretation}"


def agreement_advice(interpretation: Interpretation) -> str:
    """What the agreement means for the score, and what to do."""
    match interpretation:
        case Interpretation.RELIABLE:
            return "The judges read the criteria alike: their mean can be relied on."
        case Interpretation.TENTATIVE:
            return "The judges mostly agree: take the score as tentative, and look where they differ."
        case Interpretation.UNRELIABLE:
            return "The judges read the criteria differently: look where they differ, the wording may allow both."
        case Interpretation.UNSTABLE:
            return "Nearly all verdicts are the same, so that the figure says little about how far the judges agree."
