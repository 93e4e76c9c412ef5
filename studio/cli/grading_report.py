"""How far judges agree with people, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.result_json import dumps
from engine.scoring.explanation_text import points_text
from engine.store import HUMAN
from engine.study.judged_pairs import Disagreement, rate_lines
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.study.judged_pairs import JudgedPair
    from studio.session.blind_grading import JudgedSample

_NOTHING_GRADED = "Nobody has graded yet: grade in the studio (b in the result), or write a sheet with --sheet."


def as_text(found: JudgedSample, file: Path, *, reveal: bool) -> str:
    """The sample, and the rate and the disagreements of each person; those that `reveal` a verdict only with it."""
    sample = found.sample
    judged = _count(len(found.judged), "judged pair")
    if sample is None:
        return f"{file}: {judged}, no sample yet\n\n{_NOTHING_GRADED}\n"
    lines = [f"{file}: a sample of {len(sample.pairs)} of {_count(sample.judged, 'judged pair')}, seed {sample.seed}"]
    if not found.grades:
        lines += ["", _NOTHING_GRADED]
    for person in found.grades:
        rate = found.rate(person)
        lines += ["", "you" if person == HUMAN else person]
        lines += (f"  {line}" for line in rate_lines(rate, who="" if person == HUMAN else person))
        shown = _shown(found, person, reveal=reveal)
        lines += (line for each in shown for line in _disagreement(each))
        if hidden := len(rate.disagreements) - len(shown):
            pairs = "a pair that you have" if hidden == 1 else f"{hidden} pairs that you have"
            lines.append(f"    The verdicts on {pairs} not graded are hidden; --reveal shows them.")
    return "\n".join(lines) + "\n"


def shown_disagreements(found: JudgedSample, *, reveal: bool) -> list[Disagreement]:
    """The disagreements whose verdicts the report shows; those that `reveal` a verdict only with it."""
    if found.sample is None:
        return []
    return [each for person in found.grades for each in _shown(found, person, reveal=reveal)]


def _shown(found: JudgedSample, person: str, *, reveal: bool) -> tuple[Disagreement, ...]:
    return tuple(found.rate(person).disagreements) if reveal else found.revealed(person)


def _disagreement(each: Disagreement) -> Iterator[str]:
    kind = "false pass" if each.is_false_pass else "false failure"
    grade = "" if each.given.grade is None else each.given.grade.label
    negated = "not: " if each.pair.inverted else ""
    criterion = " ".join(each.pair.criterion.text.split())
    yield f"    {kind}: {each.pair.id.prompt}: {negated}{criterion}"
    note = f". {' '.join(each.given.note.split())}" if each.given.note else ""
    yield f"      graded {grade}, judged {points_text(each.pair.extent)}{note}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def as_json(found: JudgedSample, file: Path, *, reveal: bool) -> str:
    """One object; see `docs/machine-readable.md`. `reveal` as for `as_text`."""
    sample = found.sample
    result: dict[str, Data] = {
        "version": 1,
        "file": str(file),
        "judgedPairs": len(found.judged),
        "sample": None
        if sample is None
        else {
            "size": len(sample.pairs),
            "drawnFrom": sample.judged,
            "seed": sample.seed,
            "created": sample.created.isoformat(),
        },
        "graders": [_grader(person, found, reveal=reveal) for person in found.grades] if sample is not None else [],
    }
    return dumps(result) + "\n"


def _grader(person: str, found: JudgedSample, *, reveal: bool) -> Data:
    rate = found.rate(person)
    shown = _shown(found, person, reveal=reveal)
    return {
        "name": person,
        "graded": rate.graded,
        "skipped": rate.skipped,
        "waiting": rate.waiting,
        "gone": rate.gone,
        "answers": rate.answers,
        "agree": rate.agree,
        "alwaysMet": rate.always_met,
        "interval": None,
        "falsePasses": rate.false_passes,
        "falseFailures": rate.false_failures,
        "disagreements": [_json(each.pair, each) for each in shown],
    }


def _json(pair: JudgedPair, each: Disagreement) -> Data:
    return {
        "kind": "false-pass" if each.is_false_pass else "false-failure",
        "prompt": pair.id.prompt,
        "block": pair.criterion.block.value,
        "criterion": pair.criterion.text,
        "answer": pair.source,
        "extent": pair.extent,
        "grade": None if each.given.grade is None else each.given.grade.value,
        "note": each.given.note,
    }
