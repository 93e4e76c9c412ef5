"""Deletion tests as text, and as JSON (docs/machine-readable.md, "studio deletions")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Prompt
from engine.deletion_test import CheckTrial, CriterionTrial, DeletionTest
from engine.deletion_test.deletion_text import check_text, criterion_text, sentence_text, summary_text
from engine.evaluation.export import dumps
from engine.functions import point_text
from engine.record import Record
from engine.scoring.explanation_text import point_label
from engine.scoring.placement import place
from engine.text import LineIndex, in_quotes
from engine.yaml_nodes.nodes import Data

VERSION = 1
_LONGEST_SENTENCE = 100


class TestedIdeal(Record):
    """The deletion test of one prompt."""

    prompt: Prompt
    test: DeletionTest


def as_text(results: Sequence[TestedIdeal], text: str) -> str:
    """A block for each prompt: its sentences with who notices, then its checks. `text` is the file."""
    lines = LineIndex(text)
    return "\n".join("".join(f"{line}\n" for line in _block(result, lines)) for result in results)


def _block(result: TestedIdeal, lines: LineIndex) -> Iterator[str]:
    test = result.test
    name = " ".join(result.prompt.id.split())
    yield f"{name} (line {lines.position(result.prompt.span.start).line + 1})"
    yield f"  {summary_text(test)}"
    for number, deletion in enumerate(test.deletions):
        yield f"  {number + 1:>3}  {in_quotes(_shortened(deletion.text))}"
        yield f"       {sentence_text(test, number)}"
    if test.checks:
        yield "  checks"
    for check in test.checks:
        line = lines.position(check.placed.point.span.start).line + 1
        yield f"    line {line}: {point_label(check.placed.point)}"
        yield f"       {check_text(test, check)}"
    if test.trials:
        yield "  criteria"
    for trial in test.trials:
        line = lines.position(trial.placed.point.span.start).line + 1
        yield f"    line {line}: {point_label(trial.placed.point)}"
        yield f"       {criterion_text(test, trial)}"


def _shortened(sentence: str) -> str:
    line = " ".join(sentence.split())
    return line if len(line) <= _LONGEST_SENTENCE else f"{line[: _LONGEST_SENTENCE - 2].rstrip()} …"


def as_json(results: Sequence[TestedIdeal], text: str) -> str:
    """A list with an object for each prompt."""
    lines = LineIndex(text)
    return dumps([_prompt(result, lines) for result in results])


def _prompt(result: TestedIdeal, lines: LineIndex) -> Data:
    test = result.test
    checks = {check.place: check for check in test.checks}
    trials = {trial.place: trial for trial in test.trials}
    return {
        "version": VERSION,
        "prompt": result.prompt.id,
        "line": lines.position(result.prompt.span.start).line + 1,
        "ideal": test.ideal,
        "sentences": [_sentence(test, number) for number in range(len(test.deletions))],
        "points": [
            {
                "text": point_text(placed.point),
                "block": placed.rubric.block.value,
                "pathId": placed.path_id,
                "line": lines.position(placed.point.span.start).line + 1,
                "kind": "service" if at in test.services else "check" if at in checks else "criterion",
                "trial": _trial(test, checks[at]) if at in checks else None,
                "judged": _criterion(trials[at]) if at in trials else None,
            }
            for at, placed in enumerate(place(result.prompt))
        ],
    }


def _sentence(test: DeletionTest, number: int) -> Data:
    deletion, untried = test.deletions[number], test.untried(number)
    return {
        "text": deletion.text,
        "start": deletion.span.start,
        "end": deletion.span.end,
        "state": test.state(number).value,
        "noticedBy": [check.place for check in test.noticing(number)],
        "dependedOnBy": [trial.place for trial in test.depending(number)],
        "notTried": {"criteria": untried.criteria, "services": untried.services, "checks": untried.checks},
    }


def _criterion(trial: CriterionTrial) -> Data:
    return {
        "notTried": trial.problem or None,
        "whole": list(trial.whole),
        "without": [
            {"sentence": number, "verdicts": list(verdicts), "depends": number in trial.depends_on}
            for number, verdicts in trial.without
        ],
    }


def _trial(test: DeletionTest, check: CheckTrial) -> Data:
    return {
        "extent": check.extent,
        "error": check.problem or None,
        "notices": list(check.noticed),
        "raisedBy": list(check.raised),
        "couldNotRun": list(check.untried),
        "redundantWith": [other.place for other in test.same_as(check)],
        "passesEcho": check.passes_echo,
        "passesEmpty": check.passes_empty,
        "rewardsEcho": check.rewards_echo,
    }
