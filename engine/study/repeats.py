"""Repeated answers and verdicts: how far scores vary, and whether two models differ by more than that.

Variation between answers and between verdicts on the same answer are told apart as the components of variance of a
one-way layout (analysis of variance): the verdicts on one answer vary by judging alone; the means of answers vary by
generation, and by what is left of judging in a mean. Two models are compared by an exact permutation test, whose unit
is the answer, with its verdicts averaged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import comb, fsum, sqrt
from statistics import fmean, variance

from engine.blueprint import Header, Prompt
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.events import Failed, Scored
from engine.evaluation.result_json import Entry
from engine.judging.judge_prompt import count_text_points
from engine.judging.judgement import Consensus
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation import points_text
from engine.scoring.explanation_builder import explain
from engine.text.record import Record, replace
from engine.text.spans import count
from engine.yaml.nodes import javascript_number


class RepeatedAnswer(Record):
    """One answer: `score` by the mean of all its verdicts, and the score of each round of verdicts alone, all 0–1.

    `rounds` is empty where no verdict of a judge counts. A round that leaves a point open is left out.
    """

    score: float
    rounds: tuple[float, ...] = ()

    @property
    def center(self) -> float:
        """The mean of its rounds; its score where there are none."""
        return sum(self.rounds) / len(self.rounds) if self.rounds else self.score


def repeated_answer(prompt: Prompt, scored: Scored) -> RepeatedAnswer | None:
    """The scores of an answer; None where a point is not judged, or there is nothing to score."""
    explanation = scored.explanation
    if explanation.score is None or not all(each.assessed for each in scored.assessments):
        return None
    if not any(_is_judged(each) for each in scored.assessments):
        return RepeatedAnswer(explanation.score)
    numbers = sorted({each.round for point in scored.verdicts.values() for each in point.judgements})
    rounds = (_round_score(prompt, scored, number) for number in numbers)
    return RepeatedAnswer(explanation.score, tuple(score for score in rounds if score is not None))


def _round_score(prompt: Prompt, scored: Scored, number: int) -> float | None:
    """The score by the verdicts of one round; None where a point has none."""
    in_round: list[Assessment] = []
    for index, each in enumerate(scored.assessments):
        point = scored.verdicts.get(index) if _is_judged(each) else None
        if point is None:
            in_round.append(each)
        else:
            given = tuple(judgement for judgement in point.judgements if judgement.round == number)
            in_round.append(replace(each, extent=Consensus(given).counted_extent(each.placed.inverted)))
    return explain(prompt, in_round).score if all(each.assessed for each in in_round) else None


def _is_judged(assessment: Assessment) -> bool:
    return assessment.by is AssessedBy.JUDGE


# --- Variation


class Variation(Record):
    """The variation of the `scores` of several answers to one prompt; these and standard deviations are 0–1.

    `mean` is that of the scores, `between` the standard deviation between them, None with fewer than two.
    `judging` is that of a single round of verdicts on the same answer, None if no answer has two rounds. `generation`
    is what is left of `between` without judging; None with fewer than two answers, and where verdicts count that were
    given once, so that the two cannot be told apart. `judged` is whether verdicts count at all.
    """

    scores: tuple[float, ...]
    mean: float
    between: float | None
    generation: float | None
    judging: float | None
    judged: bool


def variation(answers: Sequence[RepeatedAnswer]) -> Variation:
    """The variation of at least one answer."""
    judged = any(each.rounds for each in answers)
    several = [each for each in answers if len(each.rounds) > 1]
    squares = fsum((score - each.center) ** 2 for each in several for score in each.rounds)
    judging = squares / sum(len(each.rounds) - 1 for each in several) if several else None
    scores = tuple([each.score for each in answers])
    generation = between = _variance(scores)
    if judged and judging is None:
        generation = None
    elif judging is not None and between is not None:
        in_means = judging * fsum(1 / len(each.rounds) for each in answers if each.rounds) / len(answers)
        generation = max(0.0, (_variance([each.center for each in answers]) or 0.0) - in_means)
    deviations = (None if each is None else sqrt(each) for each in (between, generation, judging))
    return Variation(scores, fmean(scores), *deviations, judged=judged)


def _variance(values: Sequence[float]) -> float | None:
    return variance(values) if len(values) > 1 else None


# --- Two models


LEAST_ANSWERS = 4
"""The permutation test needs so many answers a side. With three, the smallest p is 2 of 20; with four, 2 of 70."""
_NOISE = 1e-9


class Comparison(Record):
    """The key `one` less `other` on `prompt` (−1 to 1), None where a side has no answer.

    `p` is how often a difference at least as great would come about by chance, two-sided, over `ways` splits. Where
    nothing was tested, `reason` says why.
    """

    one: str
    other: str
    prompt: str
    difference: float | None
    p: float | None = None
    ways: int = 0
    reason: str = ""

    def __str__(self) -> str:
        """The scores of `one` compared with those of `other`, and how, or why nothing was tested."""
        if self.difference is None:
            return f"{self.prompt}: {self.one} and {self.other} are not compared: {self.reason}"
        difference = f"{self.prompt}: {_difference(self.difference, self.one, self.other)}"
        if self.p is None:
            return f"{difference}; no test: {self.reason}"
        return f"{difference}, {p_text(self.p)} (exact permutation test, {self.ways:,} splits)"


def compared(one: tuple[str, Sequence[float]], other: tuple[str, Sequence[float]], prompt: str) -> Comparison:
    """The comparison of two keys by the scores (0–1) of their answers to one prompt."""
    (name, scores), (other_name, others) = one, other
    difference = fmean(scores) - fmean(others) if scores and others else None
    found = Comparison(name, other_name, prompt, difference)
    if min(len(scores), len(others)) < LEAST_ANSWERS:
        there = f"there are {len(scores)} and {len(others)}"
        return replace(found, reason=f"the test needs {LEAST_ANSWERS} scored answers of each, and {there}")
    return replace(found, p=permutation_p(scores, others), ways=comb(len(scores) + len(others), len(scores)))


def permutation_p(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of all splits of the scores into sides of these sizes whose means differ at least as much."""
    pooled = (*one, *other)
    total, size, rest = fsum(pooled), len(one), len(other)

    def gap(chosen: Sequence[float]) -> float:
        in_one = sum(chosen)
        return abs(in_one / size - (total - in_one) / rest)

    observed = gap(one) - _NOISE
    return sum(gap(chosen) >= observed for chosen in combinations(pooled, size)) / comb(size + rest, size)


# --- In words, from 0 to 100


_LEAST_P = 0.001


class Generated(Record):
    """How the answers were generated: at `temperature`, None if unknown; or by a model that `ignores` it."""

    temperature: float | None
    ignores: bool = False


def variation_lines(found: Variation, generated: Generated, tells_apart: str) -> tuple[str, ...]:
    """The mean with all scores, then the variation of generation and of judging, apart.

    `tells_apart` says what to do where the two cannot be told apart.
    """
    listed = ", ".join(map(points_text, found.scores))
    return (
        f"{points_text(found.mean)} over {count(len(found.scores), 'answer')}: {listed}",
        f"  generation  {_generation(found, generated, tells_apart)}",
        f"  judging     {_judging(found)}",
    )


def _generation(found: Variation, generated: Generated, tells_apart: str) -> str:
    if found.between is None:
        return "unknown: it takes two scored answers"
    if found.generation is None:
        return f"together with judging ±{points_text(found.between)}; {tells_apart}"
    if generated.ignores:
        how = "a temperature of the model's own"
    elif generated.temperature is None:
        how = "an unknown temperature"
    else:
        varies = ": the model's server varies" if generated.temperature == 0 and found.generation else ""
        how = f"temperature {javascript_number(generated.temperature)}{varies}"
    return f"±{points_text(found.generation)} between answers, at {how}"


def _judging(found: Variation) -> str:
    if not found.judged:
        return "none: no verdict of a judge counts"
    if found.judging is None:
        return "unknown: each answer was judged once"
    servers = ": the judges' servers vary" if found.judging else ""
    return f"±{points_text(found.judging)} between verdicts on the same answer, at temperature 0{servers}"


P_MEANS = "p says how often chance alone makes a difference at least this large: 0.05 is 1 time in 20."


def _difference(difference: float, one: str, other: str) -> str:
    """`a scores 3.2 higher than b`, `a scores 1.1 lower than b`, `a and b score the same`."""
    figure = points_text(abs(difference))
    if figure == "0.0":
        return f"{one} and {other} score the same"
    return f"{one} scores {figure} {'higher' if difference > 0 else 'lower'} than {other}"


def p_text(p: float) -> str:
    """`p = 0.029`, `p < 0.001`."""
    return f"p < {_LEAST_P}" if p < _LEAST_P else f"p = {p:.2g}"


# --- The report on a run whose prompts are repeated


class RepeatGroup(Record):
    """All answers to one prompt under one key. `answers` are those with a closed score; `open` others have none."""

    prompt: Prompt
    prompt_key: str
    key: str
    entries: tuple[Entry, ...]
    answers: tuple[RepeatedAnswer, ...]
    generated: Generated

    @property
    def open(self) -> int:
        """The number of answers that failed, or that have an open point."""
        return len(self.entries) - len(self.answers)

    @property
    def variation(self) -> Variation | None:
        """How far the scores vary; None without a scored answer."""
        return variation(self.answers) if self.answers else None

    @property
    def title(self) -> str:
        """`france · openai:gpt-4o-mini`, on one line."""
        return " ".join(f"{self.prompt_key} · {self.key}".split())


class RepeatReport(Record):
    """The groups of a run, in the order of the runs, and what was compared."""

    answers: int
    verdicts: int
    groups: tuple[RepeatGroup, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def firsts(self) -> tuple[Entry, ...]:
        """The first scored answer of each group, else its first failure: what a result file has room for."""
        return tuple(
            next((each for each in group.entries if isinstance(each.outcome, Scored)), group.entries[0])
            for group in self.groups
        )


def unjudged_note(prompts: Collection[Prompt], *, has_judges: bool) -> str:
    """What a plan says where scores stay open, so that nothing can be said of them; "" where all can be closed."""
    left = 0 if has_judges else sum(count_text_points(prompt) > 0 for prompt in prompts)
    if not left:
        return ""
    what = "The prompt has" if len(prompts) == 1 else f"{left} of {len(prompts)} prompts have"
    return f"{what} criteria in words, and no judge is chosen: such scores stay open, and cannot be compared."


def repeats_note(answers: int, verdicts: int) -> str:
    """What a plan says of its repeats."""
    answered = f"Each prompt is answered {answers} times" if answers > 1 else ""
    judged = f"each answer is judged {verdicts} times by each judge" if verdicts > 1 else ""
    text = ", and ".join(filter(None, (answered, judged)))
    return f"{text[0].upper()}{text[1:]}, past every cache."


def repeat_report(entries: Sequence[Entry], header: Header, *, answers: int, verdicts: int) -> RepeatReport:
    """The report on the entries of a run.

    `answers` and `verdicts` are how often each prompt was answered and each answer judged.
    """
    by_group: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        by_group.setdefault((entry.prompt_key, entry.key), []).append(entry)
    groups = tuple(_group(of_group, header) for of_group in by_group.values())
    return RepeatReport(answers, verdicts, groups, tuple(_comparisons(groups)))


def _group(entries: Sequence[Entry], header: Header) -> RepeatGroup:
    first = entries[0]
    scored = [(entry, entry.outcome) for entry in entries if isinstance(entry.outcome, Scored)]
    found = (repeated_answer(entry.prompt, outcome) for entry, outcome in scored)
    ignores = any(outcome.response.ignores_temperature for _, outcome in scored)
    return RepeatGroup(
        first.prompt,
        first.prompt_key,
        first.key,
        tuple(entries),
        tuple(each for each in found if each is not None),
        Generated(_temperature(first, header), ignores),
    )


def _temperature(entry: Entry, header: Header) -> float | None:
    """The temperature at which a model was asked; None for an answer that no model gave."""
    if not isinstance(entry.outcome, Failed) and entry.outcome.response.model is None:
        return None
    variant = next((each for each in variants(header) if each.suffix == entry.suffix), None)
    return conversation(entry.prompt, header, variant).temperature


def _comparisons(groups: Sequence[RepeatGroup]) -> Iterator[Comparison]:
    """The first key less each other one, where there is a single prompt."""
    if len({group.prompt_key for group in groups}) == 1:
        first, *others = ((group.key, [answer.score for answer in group.answers]) for group in groups)
        yield from (compared(first, other, groups[0].prompt_key) for other in others)


def report_lines(
    report: RepeatReport, tells_apart: str, to_compare: str, *, compared_first: bool = False
) -> Iterator[str]:
    """The variation of each group, the comparisons, and what neither of them says. Not yet safe to print.

    `tells_apart` says how to tell generation and judging apart, `to_compare` how to compare models.
    """
    if not report.groups:
        yield "Stopped before an answer arrived."
        return
    groups = [line for group in report.groups for line in _group_lines(group, tells_apart)]
    compared, limits = [str(each) for each in report.comparisons], list(_limits(report, to_compare))
    parts = (compared, limits, groups) if compared_first and compared else (groups, compared, limits)
    yield from "\n\n".join("\n".join(part) for part in parts if part).split("\n")


def _limits(report: RepeatReport, to_compare: str) -> Iterator[str]:
    """What the variation and the comparisons do not say."""
    if report.comparisons:
        if any(each.p is not None for each in report.comparisons):
            yield P_MEANS
        if any(each.difference is not None for each in report.comparisons):
            yield "This is about one prompt: it does not say which model is better on others."
    elif len({group.key for group in report.groups}) > 1:
        yield to_compare
    else:
        yield "This is how far scores vary here. It does not say whether another model would score higher."
    if report.verdicts > 1:
        yield "Elsewhere the last verdict of each judge counts for these answers, and not the mean."
    if any(0 < len(group.answers) < LEAST_ANSWERS for group in report.groups):
        yield f"Below {LEAST_ANSWERS} answers, the variation itself is a rough figure."


def _group_lines(group: RepeatGroup, tells_apart: str) -> Iterator[str]:
    """The variation of a group. `tells_apart` says how to tell generation and judging apart. Not yet safe to print."""
    found = group.variation
    if found is None:
        yield f"{group.title}: no answer with all criteria judged"
    else:
        first, *others = variation_lines(found, group.generated, tells_apart)
        yield f"{group.title}: {first}"
        yield from others
    if found is not None and group.open:
        yield f"  {count(group.open, 'answer')} left out: failed, or a criterion is open"
    failures = (each.outcome for each in group.entries if isinstance(each.outcome, Failed))
    reasons = Counter(" ".join(filter(None, (each.title, each.detail))) for each in failures)
    for reason, times in reasons.items():
        yield f"  not scored{f', {times} times' if times > 1 else ''}: {reason}"
