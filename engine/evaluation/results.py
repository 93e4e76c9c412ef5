"""Weval's result files, read back: each prompt and model as points and assessments that scoring can explain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.blueprint import ABSENT, Block, FunctionCall, Point, Prompt, Rubric
from engine.blueprint import Path as AlternativePath
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.placing import place
from engine.text import Span

_NOWHERE = Span(0, 0)
_FUNCTION = re.compile(r"Function: ([^\s(]+)\((.*)\)", re.DOTALL)
_PATH_NUMBER = re.compile(r"(?:not_)?path_([0-9]{1,9})", re.ASCII)


class UnusableResult(Exception):
    """A file that is no result of a run. The message says what is missing, for authors."""


class _Fields(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class _PointAssessment(_Fields):
    key_point_text: str = Field(alias="keyPointText")
    extent: float | None = Field(default=None, alias="coverageExtent", ge=0, le=1)
    multiplier: float | None = Field(default=None, gt=0)
    path_id: str | None = Field(default=None, alias="pathId")
    inverted: bool = Field(default=False, alias="isInverted")
    error: str | None = None
    reflection: str | None = None
    citation: object = None
    judge: str | None = Field(default=None, alias="judgeModelId")


class _CoverageResult(_Fields):
    average: float | None = Field(default=None, alias="avgCoverageExtent")
    assessments: list[_PointAssessment] = Field(default_factory=list[_PointAssessment], alias="pointAssessments")
    error: str | None = None


class _Scores(_Fields):
    by_prompt: dict[str, dict[str, _CoverageResult | None]] = Field(alias="llmCoverageScores")


class _ResultFile(_Fields):
    results: _Scores = Field(alias="evaluationResults")


@dataclass(frozen=True, slots=True)
class StoredResult:
    """One prompt × model of a result file. `stored` is the average that stands in it, `error` why there is none."""

    prompt: Prompt
    model: str
    assessments: tuple[Assessment, ...]
    stored: float | None
    error: str | None = None


def read_results(path: Path) -> tuple[StoredResult, ...]:
    """Every prompt × model of the result file at `path`, in its order. Raises `UnusableResult`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnusableResult(f"The file cannot be read: {error.strerror}.") from error
    try:
        file = _ResultFile.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnusableResult(f"This is no result file of Weval: {where or 'the file'}: {first['msg']}.") from error
    return tuple(
        _stored(prompt_id, model, result or _CoverageResult(error="The file holds no result here."))
        for prompt_id, models in file.results.by_prompt.items()
        for model, result in models.items()
    )


def _stored(prompt_id: str, model: str, result: _CoverageResult) -> StoredResult:
    should = _Block(Block.SHOULD, [each for each in result.assessments if not each.inverted])
    should_not = _Block(Block.SHOULD_NOT, [each for each in result.assessments if each.inverted])
    prompt = Prompt(0, _NOWHERE, prompt_id, _NOWHERE, True, should=should.rubric, should_not=should_not.rubric)
    read = (*should.in_order, *should_not.in_order)
    assessments = tuple(
        Assessment(
            placed,
            _extent(each),
            _judge(each),
            each.error,
            each.error or each.reflection or "",
            each.reflection,
        )
        for placed, each in zip(place(prompt), read, strict=True)
    )
    return StoredResult(prompt, model, assessments, result.average, result.error)


def _judge(read: _PointAssessment) -> AssessedBy | None:
    if _FUNCTION.fullmatch(read.key_point_text):
        return AssessedBy.FUNCTION
    if read.extent is None and read.error is None:
        return None
    return AssessedBy.HUMAN if read.judge == AssessedBy.HUMAN.value else AssessedBy.JUDGE


def _extent(read: _PointAssessment) -> float | None:
    """A check that failed to run counts 0 here; Weval gives it no extent."""
    failed_check = read.error is not None and _judge(read) is AssessedBy.FUNCTION
    return 0.0 if failed_check and read.extent is None else read.extent


class _Block:
    """The points of one block: `in_order` as `Rubric.points()` gives them, required ones first, then path by path."""

    def __init__(self, block: Block, read: Sequence[_PointAssessment]) -> None:
        required = [each for each in read if not (each.path_id or "").strip()]
        paths: dict[str, list[_PointAssessment]] = {}
        for each in read:
            if (each.path_id or "").strip():
                paths.setdefault(each.path_id or "", []).append(each)
        self.in_order = (*required, *(each for members in paths.values() for each in members))
        entries = (
            *map(_point, required),
            *(
                AlternativePath(_NOWHERE, number, tuple(map(_point, members)))
                for number, members in zip(_numbers(paths), paths.values(), strict=True)
            ),
        )
        self.rubric = Rubric(block, _NOWHERE, entries) if entries else None


def _numbers(path_ids: Iterable[str]) -> list[int]:
    """The number of each id, or one that none has where it is not of the documented form."""
    numbers: list[int] = []
    for path_id in path_ids:
        match = _PATH_NUMBER.fullmatch(path_id)
        number = int(match[1]) if match else 0
        numbers.append(number if match and number not in numbers else max(numbers, default=-1) + 1)
    return numbers


def _point(read: _PointAssessment) -> Point:
    match = _FUNCTION.fullmatch(read.key_point_text)
    return Point(
        _NOWHERE,
        _NOWHERE,
        text=read.key_point_text if match is None else None,
        function=None if match is None else _call(match[1], match[2]),
        multiplier=1.0 if read.multiplier is None else read.multiplier,
        citation=read.citation if isinstance(read.citation, str) else None,
    )


def _call(name: str, args: str) -> FunctionCall:
    if args == "undefined":
        return FunctionCall(name, ABSENT)
    try:
        return FunctionCall(name, json.loads(args))
    except json.JSONDecodeError:
        return FunctionCall(name, args)
