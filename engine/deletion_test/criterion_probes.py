"""What judges are asked in a deletion test: each criterion that the ideal meets, without each sentence they quoted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.blueprint import Header, Prompt
from engine.conversation import conversation
from engine.deletion_test.deletions import CriterionTrial, DeletionTest
from engine.evidence.quotes import quotes_found
from engine.judging.consensus import Consensus
from engine.judging.judge_prompt import Question, questions
from engine.record import Record, replace
from engine.scoring.placement import place

_MEETS = 0.5


class Probe(Record):
    """One question to the judges: a criterion on the ideal without a sentence; `sentence` is None for all of it."""

    place: int
    sentence: int | None
    question: Question


def probes(
    prompt: Prompt, header: Header, test: DeletionTest, verdicts: Mapping[int, Consensus]
) -> tuple[tuple[Probe, ...], DeletionTest]:
    """The questions to ask, and `test` with the criteria that cannot be tried, and why.

    `verdicts` are those on the whole ideal by the present rubric, by place in `Prompt.points()`: their reflections say
    what the judges quoted.
    """
    made: list[Probe] = []
    left: list[CriterionTrial] = []
    placed = place(prompt)
    for at in test.criteria:
        consensus = verdicts.get(at)
        extent = None if consensus is None else consensus.counted_extent(placed[at].inverted)
        quoted = () if consensus is None else tuple(_quoted(test, consensus))
        problem = _problem(extent, quoted)
        if problem:
            left.append(CriterionTrial(at, placed[at], problem=problem))
        else:
            made += (Probe(at, number, _question(prompt, header, test, at, number)) for number in (None, *quoted))
    return tuple(made), replace(test, trials=tuple(left))


def _problem(extent: float | None, quoted: tuple[int, ...]) -> str:
    if extent is None:
        return "judges have no verdict on the ideal by the present rubric"
    if extent < _MEETS:
        return "the ideal does not meet it"
    return "" if quoted else "its judges quote no sentence of the ideal"


def _quoted(test: DeletionTest, consensus: Consensus) -> Iterator[int]:
    """The sentences that the reflections quote from."""
    spans = quotes_found((verdict.reflection for _, verdict in consensus.verdicts), test.ideal)
    for number, deletion in enumerate(test.deletions):
        if any(span.start < deletion.span.end and deletion.span.start < span.end for span in spans):
            yield number


def _question(prompt: Prompt, header: Header, test: DeletionTest, at: int, number: int | None) -> Question:
    text = test.ideal if number is None else test.deletions[number].without
    thread = conversation(prompt, header).answered((text,))
    return questions(prompt, thread, header.description)[at]


def criterion_trials(
    test: DeletionTest, prompt: Prompt, asked: Iterable[Probe], replies: Mapping[Probe, Consensus]
) -> DeletionTest:
    """`test` with the trials of the criteria that were `asked` about. `replies` are those that arrived."""
    placed = place(prompt)
    trials: dict[int, CriterionTrial] = {}
    for probe in asked:
        consensus = replies.get(probe)
        verdicts = () if consensus is None else tuple(_by_round(consensus, inverted=placed[probe.place].inverted))
        trial = trials.get(probe.place, CriterionTrial(probe.place, placed[probe.place]))
        if probe.sentence is None:
            trials[probe.place] = CriterionTrial(trial.place, trial.placed, verdicts, trial.without)
        else:
            without = (*trial.without, (probe.sentence, verdicts))
            trials[probe.place] = CriterionTrial(trial.place, trial.placed, trial.whole, without)
    both = sorted((*test.trials, *trials.values()), key=lambda trial: trial.place)
    return replace(test, trials=tuple(both))


def _by_round(consensus: Consensus, *, inverted: bool) -> Iterator[float]:
    """The mean verdict of each round that has one, 0–1 after inversion."""
    rounds: dict[int, list[float]] = {}
    for judgement, verdict in consensus.verdicts:
        rounds.setdefault(judgement.round, []).append(verdict.extent)
    for extents in rounds.values():
        mean = sum(extents) / len(extents)
        yield 1 - mean if inverted else mean
