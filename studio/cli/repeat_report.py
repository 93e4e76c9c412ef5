"""Repeated answers and verdicts of a run, as text and as JSON."""

from __future__ import annotations

from engine.evaluation.events import Scored
from engine.yaml.nodes import Data
from studio.session.repeat_report import ComparedKeys, RepeatGroup, RepeatReport, report_lines

_TELLS_APART = "--judge-repeat tells the two apart"
_TO_COMPARE = "Models are compared on one prompt: --prompt ID, with --repeat 4 or more."


def as_text(report: RepeatReport) -> str:
    """The variation of each group and the comparisons. Not yet safe to print."""
    return "\n".join(report_lines(report, _TELLS_APART, _TO_COMPARE)) + "\n"


def as_json(report: RepeatReport) -> Data:
    """`repeats` of a result file; see `docs/machine-readable.md`."""
    return {
        "version": 1,
        "answers": report.answers,
        "verdicts": report.verdicts,
        "groups": [_group_json(group) for group in report.groups],
        "comparisons": [_comparison_json(each) for each in report.comparisons],
    }


def _group_json(group: RepeatGroup) -> Data:
    found = group.variation
    return {
        "prompt": group.prompt_key,
        "key": group.key,
        "temperature": group.generated.temperature,
        "ignoresTemperature": group.generated.ignores,
        "scores": [answer.score for answer in group.answers],
        "rounds": [list(answer.rounds) for answer in group.answers],
        "leftOut": group.open,
        "mean": None if found is None else found.mean,
        "between": None if found is None else found.between,
        "generation": None if found is None else found.generation,
        "judging": None if found is None else found.judging,
        "responses": [entry.outcome.response.subject for entry in group.entries if isinstance(entry.outcome, Scored)],
    }


def _comparison_json(each: ComparedKeys) -> Data:
    found = each.comparison
    return {
        "question": "one-prompt",
        "one": each.one,
        "other": each.other,
        "prompt": each.prompt,
        "prompts": 1,
        "leftOut": 0,
        "difference": found.difference,
        "interval": None,
        "p": found.p,
        "ways": found.ways,
        "exact": True,
        "reason": found.reason or None,
    }
