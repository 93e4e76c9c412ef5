"""Repeated answers and verdicts of a run: their variation and comparisons, as data and as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from engine.blueprint import Header, Prompt
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.events import Failed, Scored
from engine.evaluation.result_json import Entry
from engine.study.repeats import (
    LEAST_ANSWERS,
    P_MEANS,
    Comparison,
    Generated,
    RepeatedAnswer,
    Variation,
    compared,
    comparison_text,
    repeated_answer,
    variation,
    variation_lines,
)
from engine.text.record import Record
from studio.session.run import Run


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


class ComparedKeys(Record):
    """The comparison of two keys on `prompt`."""

    one: str
    other: str
    prompt: str
    comparison: Comparison


class RepeatReport(Record):
    """The groups of a run, in the order of the runs, and what was compared."""

    answers: int
    verdicts: int
    groups: tuple[RepeatGroup, ...]
    comparisons: tuple[ComparedKeys, ...]

    @property
    def firsts(self) -> tuple[Entry, ...]:
        """The first scored answer of each group, else its first failure: what a result file has room for."""
        return tuple(
            next((each for each in group.entries if isinstance(each.outcome, Scored)), group.entries[0])
            for group in self.groups
        )


def repeated_runs(runs: Sequence[Run], times: int) -> list[Run]:
    """Each run so many times, past the cache of answers."""
    return [_again(run) for run in runs for _ in range(times)] if times > 1 else list(runs)


def unjudged_note(prompts: Collection[Prompt], *, has_judges: bool) -> str:
    """What a plan says where scores stay open, so that nothing can be said of them; "" where all can be closed."""
    from engine.judging.judge_prompt import count_text_points

    left = 0 if has_judges else sum(count_text_points(prompt) > 0 for prompt in prompts)
    if not left:
        return ""
    what = "The prompt has" if len(prompts) == 1 else f"{left} of {len(prompts)} prompts have"
    return f"{what} points in words, and no judge is chosen: such scores stay open, and cannot be compared."


def repeats_note(answers: int, verdicts: int) -> str:
    """What a plan says of its repeats."""
    answered = f"Each prompt is answered {answers} times" if answers > 1 else ""
    judged = f"each answer is judged {verdicts} times by each judge" if verdicts > 1 else ""
    text = ", and ".join(filter(None, (answered, judged)))
    return f"{text[0].upper()}{text[1:]}, past every cache."


def _again(run: Run) -> Run:
    """The same run, to be started on its own."""
    return Run(run.place, run.prompt, run.written, run.revision, run.candidate, fresh=True)


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
    found = (repeated_answer(entry.prompt, outcome, entry.judged) for entry, outcome in scored)
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


def _comparisons(groups: Sequence[RepeatGroup]) -> Iterator[ComparedKeys]:
    """The first key less each other one, where there is a single prompt."""
    if len({group.prompt_key for group in groups}) == 1:
        first, *others = groups
        for other in others:
            yield ComparedKeys(first.key, other.key, first.prompt_key, compared(_scores(first), _scores(other)))


def _scores(group: RepeatGroup) -> tuple[float, ...]:
    return tuple(answer.score for answer in group.answers)


def report_lines(
    report: RepeatReport, tells_apart: str, to_compare: str, *, compared_first: bool = False
) -> Iterator[str]:
    """The variation of each group, the comparisons, and what neither of them says. Not yet safe to print.

    `tells_apart` says how to tell generation and judging apart, `to_compare` how to compare models.
    """
    if not report.groups:
        yield "Stopped before an answer arrived."
        return
    groups = [line for group in report.groups for line in group_lines(group, tells_apart)]
    compared, limits = list(compared_lines(report)), list(_limits(report, to_compare))
    parts = (compared, limits, groups) if compared_first and compared else (groups, compared, limits)
    yield from "\n\n".join("\n".join(part) for part in parts if part).split("\n")


def _limits(report: RepeatReport, to_compare: str) -> Iterator[str]:
    """What the variation and the comparisons do not say."""
    if report.comparisons:
        found = [each.comparison for each in report.comparisons]
        if any(each.p is not None for each in found):
            yield P_MEANS
        if any(each.difference is not None for each in found):
            yield "This is about one prompt: it does not say which model is better on others."
    elif len({group.key for group in report.groups}) > 1:
        yield to_compare
    else:
        yield "This is how far scores vary here. It does not say whether another model would score higher."
    if report.verdicts > 1:
        yield "Elsewhere the last verdict of each judge counts for these answers, and not the mean."
    if any(0 < len(group.answers) < LEAST_ANSWERS for group in report.groups):
        yield f"Below {LEAST_ANSWERS} answers, the variation itself is a rough figure."


def group_lines(group: RepeatGroup, tells_apart: str) -> Iterator[str]:
    """The variation of a group. `tells_apart` says how to tell generation and judging apart. Not yet safe to print."""
    found = group.variation
    if found is None:
        yield f"{group.title}: no answer with all points judged"
    else:
        first, *others = variation_lines(
            found, [answer.score for answer in group.answers], group.generated, tells_apart
        )
        yield f"{group.title}: {first}"
        yield from others
    if found is not None and group.open:
        yield f"  {'1 answer' if group.open == 1 else f'{group.open} answers'} left out: failed, or with an open point"
    failures = (each.outcome for each in group.entries if isinstance(each.outcome, Failed))
    reasons = Counter(" ".join(filter(None, (each.title, each.detail))) for each in failures)
    for reason, count in reasons.items():
        yield f"  not scored{f', {count} times' if count > 1 else ''}: {reason}"


def compared_lines(report: RepeatReport) -> Iterator[str]:
    """The comparisons. Not yet safe to print."""
    for each in report.comparisons:
        yield comparison_text(each.comparison, each.one, each.other, each.prompt)
