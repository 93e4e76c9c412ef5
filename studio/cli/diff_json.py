"""The comparison of two versions as JSON (docs/machine-readable.md, "studio diff")."""

from __future__ import annotations

from engine.evaluation.result_json import bounds_json, dumps
from engine.functions import point_text
from engine.study.case_outcome import CaseOutcome
from engine.study.change_text import header_lines, prompt_lines
from engine.study.changes import (
    FieldChange,
    HeaderChange,
    NamedPrompt,
    PointChange,
    PointSide,
    PromptChange,
)
from engine.study.criterion_counts import PairState, Ranking
from engine.study.known_scores import CaseChanges, ScoreChange
from engine.text.spans import LineIndex
from engine.yaml.nodes import Data
from studio.cli.diff_results import Comparison, Version

VERSION = 1


def as_json(comparison: Comparison) -> str:
    """One object with both versions, the changes, and the scores that move."""
    return dumps(_Json(comparison).whole())


class _Json:
    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._old = LineIndex(comparison.old.parsed.text)
        self._new = LineIndex(comparison.new.parsed.text)

    def whole(self) -> dict[str, Data]:
        comparison = self._comparison
        return {
            "version": VERSION,
            "old": _version(comparison.old),
            "new": _version(comparison.new),
            "changed": not comparison.changes.is_empty,
            "score": _totals(comparison),
            "header": [_header(each) for each in comparison.changes.header],
            "prompts": [self._prompt(each) for each in comparison.prompts],
            "cases": self._cases(),
        }

    def _prompt(self, change: PromptChange) -> dict[str, Data]:
        index = None if change.after is None else change.after.prompt.index
        return {
            "state": change.state.value,
            "before": _named(change.before, self._old),
            "after": _named(change.after, self._new),
            "moved": change.moved,
            "fields": [_field(each) for each in change.fields],
            "points": [self._point(each) for each in change.points],
            "pointsReordered": change.points_reordered,
            "messagesTakenFrom": change.taken_from,
            "consequences": [each.value for each in change.consequences],
            "ideal": next((_score(each) for each in self._comparison.ideals if each.new_index == index), None)
            if index is not None
            else None,
            "storedAnswers": [
                {"answer": each.label, **_score(each)}
                for each in self._comparison.stored
                if index is not None and each.new_index == index
            ],
            "text": list(prompt_lines(change)),
        }

    def _point(self, change: PointChange) -> dict[str, Data]:
        return {
            "kinds": [each.value for each in change.kinds],
            "before": _side(change.before, self._old),
            "after": _side(change.after, self._new),
        }

    def _cases(self) -> dict[str, Data] | None:
        cases, file = self._comparison.cases, self._comparison.case_file
        if cases is None or file is None:
            return None
        return {
            "file": str(file),
            "total": cases.total,
            "changed": [_case(each) for each in cases.changes],
            "pairs": _pairs(cases),
        }


def _version(version: Version) -> dict[str, Data]:
    return {
        "file": version.name,
        "readable": version.is_whole,
        "contentHash": version.content_hash,
        "blueprintId": version.blueprint_id,
    }


def _header(change: HeaderChange) -> dict[str, Data]:
    return {
        "part": change.part.value,
        "before": change.before,
        "after": change.after,
        "added": list(change.added),
        "removed": list(change.removed),
        "changed": list(change.changed),
        "reordered": change.reordered,
        "consequences": [each.value for each in change.consequences],
        "text": list(header_lines([change])),
    }


def _named(named: NamedPrompt | None, lines: LineIndex) -> dict[str, Data] | None:
    if named is None:
        return None
    prompt = named.prompt
    line = lines.position(prompt.span.start).line + 1
    return {"id": named.name, "idWritten": prompt.id_written, "index": prompt.index, "line": line, "share": named.share}


def _field(change: FieldChange) -> dict[str, Data]:
    return {"field": change.field.value, "before": change.before, "after": change.after}


def _side(side: PointSide | None, lines: LineIndex) -> dict[str, Data] | None:
    if side is None:
        return None
    return {
        "text": point_text(side.point),
        "block": side.block.value,
        "path": side.path,
        "weight": side.point.multiplier,
        "citation": side.point.citation,
        "share": side.share,
        "line": lines.position(side.point.span.start).line + 1,
    }


def _totals(comparison: Comparison) -> Data:
    before, after = (None if each is None else bounds_json(each.bounds) for each in comparison.totals)
    return {"before": before, "after": after} if before or after else None


def _score(change: ScoreChange) -> dict[str, Data]:
    carried = change.after.carried_over
    return {"before": _bounds(change.before), "after": _bounds(change.after), "carriedOver": carried}


def _bounds(outcome: CaseOutcome) -> Data:
    return None if outcome.bounds is None else bounds_json(outcome.bounds)


def _case(change: ScoreChange) -> dict[str, Data]:
    return {
        "number": change.after.case.number,
        "prompt": change.after.case.prompt,
        "before": {"state": change.before.state.value, "why": change.before.why, "bounds": _bounds(change.before)},
        "after": {"state": change.after.state.value, "why": change.after.why, "bounds": _bounds(change.after)},
    }


def _pairs(cases: CaseChanges) -> dict[str, Data]:
    return {"before": _ranking(cases.before), "after": _ranking(cases.after)}


def _ranking(ranking: Ranking) -> dict[str, Data]:
    return {state.value: ranking.count(state) for state in PairState}
