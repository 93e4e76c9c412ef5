"""The sentences and checks of a deletion test in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from engine.deletion_test.deletions import (
    ROUNDS,
    CheckTrial,
    CriterionTrial,
    DeletionTest,
    SentenceState,
    UntriedPoints,
)
from engine.functions.function_text import count
from engine.scoring.explanation_text import bounds_text, listed, point_label

_MOST_NAMED = 3
_MOST_NUMBERS = 6
ALL_TRIED = "unassessed: every point was tried without it, and none notices"


def summary_text(test: DeletionTest) -> str:
    """`4 of 12 sentences noticed by a check; 8 noticed by none, 6 criteria not tried`, in one line."""
    total = len(test.deletions)
    if not total:
        return "The ideal has no sentence to delete."
    by = "a point" if test.trials else "a check"
    has_any = bool(test.checks or test.trials)
    noticed = f"{test.count(SentenceState.NOTICED)} of {count(total, 'sentence')} noticed by {by}"
    parts = [noticed if has_any else "There is no local check"]
    if unassessed := test.count(SentenceState.UNASSESSED):
        parts.append(f"{unassessed} unassessed")
    if unnoticed := test.count(SentenceState.UNNOTICED):
        which = f"{unnoticed} noticed by none" if has_any else ""
        parts.append(", ".join(part for part in (which, untried_text(_untried_anywhere(test))) if part))
    return "; ".join(parts)


def _untried_anywhere(test: DeletionTest) -> UntriedPoints:
    """The points that were not tried without some sentence that no point notices."""
    unnoticed = [n for n in range(len(test.deletions)) if test.state(n) is SentenceState.UNNOTICED]
    criteria = max((test.untried(number).criteria for number in unnoticed), default=0)
    return UntriedPoints(criteria, len(test.services), sum(map(_is_untried, test.checks)))


def _is_untried(check: CheckTrial) -> bool:
    return not check.is_tried or bool(check.untried)


def sentence_text(test: DeletionTest, number: int) -> str:
    """Who notices the deletion of sentence `number` (from 0), or what is known if nobody does."""
    match test.state(number):
        case SentenceState.NOTICED:
            return "; ".join(_noticed_parts(test, number))
        case SentenceState.UNASSESSED:
            return ALL_TRIED
        case SentenceState.UNNOTICED:
            return f"no check notices it, {untried_text(test.untried(number))}"


def _noticed_parts(test: DeletionTest, number: int) -> Iterator[str]:
    if checks := test.noticing(number):
        yield f"noticed by {_named(checks)}"
    if criteria := test.depending(number):
        yield f"{_named(criteria)} {'depend' if len(criteria) > 1 else 'depends'} on this sentence"


def untried_text(untried: UntriedPoints) -> str:
    """`6 criteria and 1 check by a service not tried`."""
    criteria = f"{untried.criteria} {'criterion' if untried.criteria == 1 else 'criteria'}" if untried.criteria else ""
    services = f"{count(untried.services, 'check')} by a service" if untried.services else ""
    checks = f"{count(untried.checks, 'check')} that cannot run" if untried.checks else ""
    named = [each for each in (criteria, services, checks) if each]
    return f"{listed(named)} not tried" if named else ""


def check_text(test: DeletionTest, check: CheckTrial) -> str:
    """What one check notices, and what that says of it."""
    return "; ".join(_check_parts(test, check))


def _check_parts(test: DeletionTest, check: CheckTrial) -> Iterator[str]:
    if not check.is_tried:
        yield f"not tried: {check.problem}"
        return
    if check.noticed:
        yield f"notices {numbers_text(check.noticed, len(test.deletions))}"
    elif check.extent == 0:
        yield "the ideal fails it, so no deletion can lower it"
    elif check.passes_empty:
        yield "notices no sentence: an empty answer passes it too"
    else:
        yield "notices no sentence"
    if same := test.same_as(check):
        yield f"redundant on this ideal: {_named(same)} {'notice' if len(same) > 1 else 'notices'} exactly the same"
    if check.raised:
        yield f"is better met without {numbers_text(check.raised, len(test.deletions))}"
    if check.rewards_echo:
        yield "passes the prompt echoed back"
    if check.untried:
        yield f"could not run without {numbers_text(check.untried, len(test.deletions))}"


def criterion_text(test: DeletionTest, trial: CriterionTrial) -> str:
    """What one criterion depends on, with the verdicts that say so."""
    if trial.problem:
        return f"not tried: {trial.problem}"
    if len(trial.whole) < ROUNDS:
        return f"not decided: {len(trial.whole)} of {ROUNDS} verdicts on the whole ideal"
    return "; ".join(_without_text(trial, number, verdicts, test) for number, verdicts in trial.without)


def _without_text(trial: CriterionTrial, number: int, verdicts: Sequence[float], test: DeletionTest) -> str:
    sentence = numbers_text((number,), len(test.deletions))
    if len(verdicts) < ROUNDS:
        return f"not decided for {sentence}: {len(verdicts)} of {ROUNDS} verdicts without it"
    figures = f"({_range(verdicts)} without it, {_range(trial.whole)} with it)"
    if number in trial.depends_on:
        return f"depends on {sentence} {figures}"
    return f"no verdict that it depends on {sentence} {figures}"


def _range(verdicts: Sequence[float]) -> str:
    return bounds_text(min(verdicts), max(verdicts))


def numbers_text(numbers: Sequence[int], of: int) -> str:
    """Sentences by their numbers, which are printed from 1: `sentence 2`, `sentences 1, 3–5`, `all 4 sentences`."""
    if len(numbers) == of and of > 1:
        return f"all {of} sentences"
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    shown = [str(run[0] + 1) if len(run) == 1 else f"{run[0] + 1}–{run[-1] + 1}" for run in runs]
    if len(shown) > _MOST_NUMBERS:
        return f"{len(numbers)} of {of} sentences"
    return f"sentence{'s' * (len(numbers) > 1)} {', '.join(shown)}"


def _named(checks: Sequence[CheckTrial | CriterionTrial]) -> str:
    names = [point_label(check.placed.point) for check in checks[:_MOST_NAMED]]
    rest = len(checks) - _MOST_NAMED
    return listed([*names, f"{rest} more"] if rest > 0 else names)
