"""A report as JSON (docs/machine-readable.md, "studio report")."""

from __future__ import annotations

from engine.evaluation.coverage_result import bounds_json
from engine.evaluation.headline import Headline
from engine.record import as_json
from engine.report.report import AnswerReport, PointResult, PromptReport, Report
from engine.scoring.explanation_text import tenths
from engine.yaml_nodes.nodes import Data

VERSION = 1


def report_json(report: Report) -> dict[str, Data]:
    """The report, ready for `engine.evaluation.export.dumps`."""
    return {
        "version": VERSION,
        "title": report.title,
        "description": report.description,
        "source": report.source,
        "made": report.made.isoformat(),
        "notes": list(report.notes),
        "prompts": [_prompt(prompt) for prompt in report.prompts],
        "totals": [
            {"key": each.key, "score": _score(each.headline), "scored": each.scored, "failed": each.failed}
            for each in report.totals
        ],
        "judges": [as_json(each) for each in report.judges],
        "graders": [as_json(each) for each in report.graders],
        "spent": [as_json(each) for each in report.spent],
        "cases": None
        if report.cases is None
        else {
            "counts": dict(report.cases.counts),
            "ranking": report.cases.ranking,
            "cases": [{**as_json(case), "test": case.test or None} for case in report.cases.cases],
        },
    }


def _prompt(prompt: PromptReport) -> Data:
    return {
        "prompt": prompt.name,
        "description": prompt.description,
        "weight": prompt.weight,
        "system": prompt.system,
        "asked": [{"role": turn.role.value, "content": turn.text} for turn in prompt.asked],
        "points": [
            {
                "number": point.number,
                "text": point.text,
                "block": point.block.value,
                "path": point.path or None,
                "weight": point.weight,
                "isCheck": point.is_check,
                "citation": point.citation,
            }
            for point in prompt.points
        ],
        "answers": [_answer(answer) for answer in prompt.answers],
    }


def _answer(answer: AnswerReport) -> Data:
    return {
        "key": answer.key,
        "text": answer.text,
        "score": _score(answer.headline),
        "failure": answer.failure or None,
        "points": [_point(point) for point in answer.points],
        "steps": list(answer.steps),
        "notes": list(answer.notes),
    }


def _point(result: PointResult) -> Data:
    return {
        "number": result.point.number,
        "extent": result.extent,
        "cost": None if result.cost is None else tenths(result.cost) / 10,
        "gain": None if result.gain is None else tenths(result.gain) / 10,
        "detail": result.detail,
        "evidence": [[span.start, span.end] for span in result.evidence],
        "carriedOver": result.carried_over or None,
        "verdicts": [as_json(each) for each in result.verdicts],
    }


def _score(headline: Headline | None) -> Data:
    return None if headline is None else {"bounds": bounds_json(headline.bounds), "text": str(headline)}
