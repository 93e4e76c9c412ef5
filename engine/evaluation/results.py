"""Reading Weval's result files: each prompt and model as points and assessments that scoring can explain.

Files of any age are read: whatever is missing, null or in an unknown form is left out, and only a file without any
result is refused. All texts of a file are untrusted. A point needs only its text: missing or unusable fields have
Weval's defaults. Older names are read too: `point` and `text` for the criterion, `score` and `extent` for its extent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from engine.blueprint import ABSENT, Block, FunctionCall, Message, Point, Prompt, Role, Rubric
from engine.blueprint import Path as RubricPath
from engine.blueprint.conversation import Stop, ThreadTurn
from engine.evaluation.events import Response, read_stop
from engine.files.atomic import TooLong, read_regular
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, ChangedPart, PlacedPoint, StoredJudgement
from engine.scoring.explanation import inversion_text, whole
from engine.scoring.sums import consensus_bounds, place, to_fixed
from engine.text.record import Record, TooDeep, read_json, replace
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data

_TEXTS = ("keyPointText", "point", "text")
_EXTENTS = ("coverageExtent", "extent", "score")
_FUNCTION = re.compile(r"Function: ([^\s(]+)\((.*)\)", re.DOTALL)
_SOME_FAILED = re.compile(r"([0-9]{1,3}) of [0-9]{1,3} judges failed")
_PATH_NUMBER = re.compile(r"(?:not_)?path_([0-9]{1,9})", re.ASCII)


class StoredPoint(Record):
    """One entry of `pointAssessments`: its point, where that stands, and all that the file says of it."""

    point: Point
    inverted: bool
    path_id: str | None
    entry: Mapping[str, Data]

    @property
    def samples(self) -> int:
        """The number of answers that Weval averaged, 1 where the file has none."""
        return sample_count(self.entry)


def _read_point(written: Data, inverted_texts: frozenset[str]) -> StoredPoint | None:
    """One entry of `pointAssessments`, None where it names no criterion.

    `inverted_texts` are the criteria of `should_not`, for files that do not mark inverted points.
    """
    entry = {"point": written} if isinstance(written, str) else mapping(written)
    text = next((value for name in _TEXTS if isinstance(value := entry.get(name), str)), None)
    if text is None:
        return None
    check, multiplier, inverted = _FUNCTION.fullmatch(text), number(entry.get("multiplier")), entry.get("isInverted")
    point = Point(
        NOWHERE,
        NOWHERE,
        text if check is None else None,
        None if check is None else _call(check[1], check[2]),
        multiplier=multiplier if multiplier is not None and multiplier > 0 else 1.0,
        citation=string(entry.get("citation")),
    )
    is_inverted = inverted if isinstance(inverted, bool) else text in inverted_texts
    return StoredPoint(point, is_inverted, string(entry.get("pathId")), entry)


def _possible(
    entry: Mapping[str, Data],
    extent: float | None,
    judgements: Sequence[StoredJudgement],
    error: str | None,
    inverted: bool,
) -> Bounds | None:
    """The extents that missing verdicts leave: our `bounds`, or what Weval's error says of judges that failed."""
    match entry.get("bounds"):
        case [float() | int() as low, float() | int() as high] if (
            0 <= low <= (low if extent is None else extent) <= high <= 1
        ):
            return Bounds(float(low), float(high))
        case _:
            extents = [each.extent for each in judgements if each.extent is not None]
            failed = _SOME_FAILED.match(error or "")
            return consensus_bounds(extents, int(failed[1]), inverted) if failed and extents else None


def sample_count(entry: Mapping[str, Data]) -> int:
    """The number of answers that Weval averaged for an entry, at least 1."""
    return max(int(number(entry.get("sampleCount")) or 1), 1)


def number(value: Data) -> float | None:
    """`value` where it is a finite number below 1e15, None for all else, booleans too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e15 else None  # false for NaN


def fraction(value: Data) -> float | None:
    """`value` where it is a number from 0 to 1, None for all else."""
    read = number(value)
    return read if read is not None and 0 <= read <= 1 else None


def string(value: Data) -> str | None:
    """`value` where it is a string that is not blank, None for all else."""
    return value if isinstance(value, str) and value.strip() else None


def _judgements(value: Data) -> tuple[StoredJudgement, ...]:
    entries = value if isinstance(value, list) else []
    return tuple(
        StoredJudgement(
            string(each.get("judgeModelId")) or "a judge",
            fraction(each.get("coverageExtent")),
            string(each.get("reflection")) or "",
        )
        for each in entries
        if isinstance(each, dict)
    )


def _rubric(block: Block, points: Sequence[StoredPoint]) -> Rubric | None:
    """The rubric of one block: the required points, then those on paths."""
    paths: dict[str, list[Point]] = {}
    for each in points:
        if each.path_id is not None:
            paths.setdefault(each.path_id, []).append(each.point)
    members = zip(_numbers(paths), paths.values(), strict=True)
    on_paths = (RubricPath(NOWHERE, number, tuple(path)) for number, path in members)
    entries = (*(each.point for each in points if each.path_id is None), *on_paths)
    return Rubric(block, NOWHERE, entries) if entries else None


def _numbers(path_ids: Iterable[str]) -> list[int]:
    """The number of each path id; the next free number for an id that has none or a number that is taken."""
    numbers: list[int] = []
    for path_id in path_ids:
        match = _PATH_NUMBER.fullmatch(path_id)
        place = int(match[1]) if match else 0
        numbers.append(place if match and place not in numbers else max(numbers, default=-1) + 1)
    return numbers


def _call(name: str, args: str) -> FunctionCall:
    if args == "undefined":
        return FunctionCall(name, ABSENT)
    try:
        return FunctionCall(name, read_json(args))
    except ValueError:
        return FunctionCall(name, args)


def _stored_assessment(read: StoredPoint, placed: PlacedPoint) -> Assessment:
    """The assessment of a stored point at its place. Its extent in the file is after inversion.

    A check with an error counts 0 here, while Weval leaves it out. A text point with an extent *and* an error was
    judged by only some of its judges: it counts here, as on Weval. What had changed since its judges saw it leaves a
    point open in the file: here the verdicts count.
    """
    entry = read.entry
    written = next((entry[name] for name in _EXTENTS if entry.get(name) is not None), None)
    extent, error = fraction(written), string(entry.get("error"))
    if error is None and written is not None and extent is None:
        error = f"The file gives {json.dumps(written, default=str)} as its extent, which is not a number from 0 to 1."
    judgements, carried = _judgements(entry.get("individualJudgements")), entry.get("carriedOver")
    parts = tuple(part for part in ChangedPart if part.value in carried) if isinstance(carried, list) else ()
    possible = _possible(entry, extent, judgements, error, read.inverted)
    if parts and extent is None:
        extent = _mean(judgements, read.inverted)
    is_check, names = placed.point.function is not None, entry.get("failedJudges")
    by = AssessedBy.HUMAN if entry.get("judgeModelId") == AssessedBy.HUMAN.value else AssessedBy.JUDGE
    is_assessed = extent is not None or error is not None
    assessment = Assessment(
        placed,
        0.0 if is_check and error is not None and extent is None else extent,
        AssessedBy.FUNCTION if is_check else by if is_assessed else None,
        error,
        "",
        "\n".join(f"{each.judge}: {each.reflection}" for each in judgements if each.reflection)
        or string(entry.get("reflection")),
        published=judgements,
        possible=possible,
        failed_judges=tuple(name for each in names if (name := string(each))) if isinstance(names, list) else (),
        carried_over=parts,
    )
    return replace(assessment, detail=stored_detail(read, assessment))


def _mean(judgements: Sequence[StoredJudgement], inverted: bool) -> float | None:
    """What the judges' verdicts count, after inversion."""
    extents = [each.extent for each in judgements if each.extent is not None]
    if not extents:
        return None
    mean = float(to_fixed(sum(extents) / len(extents), 2))
    return 1 - mean if inverted else mean


def stored_detail(read: StoredPoint, assessment: Assessment) -> str:
    """How a verdict came about, as far as the file says: `a: 75, b: 50, so it counts 38 here`."""
    error, extent = assessment.error, assessment.extent
    extents = [f"{each.judge}: {whole(each.extent)}" for each in assessment.published if each.extent is not None]
    if error is not None and (extent is None or assessment.broken):
        return error
    if not extents:
        return error or string(read.entry.get("reflection")) or ("" if extent is not None else "not judged")
    counts = "" if extent is None else inversion_text(assessment.placed, extent)
    average = f"; the mean over {read.samples} answers" if read.samples > 1 else ""
    return f"{', '.join(extents)}{counts}{average}" + (f" ({error})" if error else "")


def criteria_texts(points: Data) -> frozenset[str]:
    """The criteria of a normalised `should_not`, including those on paths."""
    texts: set[str] = set()
    waiting = list(points) if isinstance(points, list) else []
    while waiting:
        match waiting.pop():
            case str(text):
                texts.add(text)
            case {"text": str(text)}:
                texts.add(text)
            case [*inner]:
                waiting += inner
            case _:
                pass
    return frozenset(texts)


def mapping(value: Data) -> Mapping[str, Data]:
    """`value` where it is a mapping, an empty one for all else."""
    return value if isinstance(value, dict) else {}


_MAX_BYTES = 512 * 1024 * 1024
_DEEPEST = 200
"""Levels, as many as `from_json` reads."""
_RESULTS = re.compile(rb'"evaluationResults"\s*:')


class UnusableResult(Exception):
    """A file that is not the result of a run. The message says what is missing, for authors."""


@dataclass(frozen=True, eq=False)
class StoredResult:
    """One prompt × model of a result file. Its points are read when they are first needed: a file has thousands.

    `bare_prompt` is the prompt without its rubric. `stored` is the score in the file (0–1), None in a file of ours
    while a point is open; `error` is why there is none.
    `counted` is the number of points by the file, `samples` the number of answers that Weval averaged. `response` is
    the answer, None where the file has none; `history` is the conversation with it. `ours`: Blueprint Studio wrote the
    file; only such a file has `stop`, why the answer ended. `entries` are the raw `pointAssessments`, `inverted` the
    criteria of `should_not`. `for_people`: verdicts from before an edit count.
    """

    bare_prompt: Prompt
    model: str
    stored: float | None
    error: str | None = None
    counted: int | None = None
    samples: int = 1
    response: str | None = None
    history: tuple[tuple[Role, str], ...] = ()
    ours: bool = False
    stop: Stop | None = None
    entries: Sequence[Data] = field(default=(), repr=False)
    inverted: frozenset[str] = field(default=frozenset(), repr=False)
    for_people: bool = True

    @cached_property
    def _stored(self) -> Mapping[int, StoredPoint]:
        """The points of the file, by the identity of their points."""
        read = (_read_point(each, self.inverted) for each in self.entries)
        return {id(each.point): each for each in read if each is not None}

    @cached_property
    def answer(self) -> Response | None:
        """The answer with its conversation as far as the file has it, None where it has no text of the answer."""
        if self.response is None:
            return None
        written = [
            ThreadTurn(each.role, each.content, generated=False)
            for each in self.bare_prompt.messages
            if each.content is not None and each.role is not Role.ASSISTANT
        ]
        system = [ThreadTurn(role, content, generated=False) for role, content in self.history if role is Role.SYSTEM]
        turn = ThreadTurn(Role.ASSISTANT, self.response, generated=True, stop=self.stop)
        return Response(self.response, (*system, *written, turn), self.model)

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt with the rubric that its points describe."""
        should = [each for each in self._stored.values() if not each.inverted]
        should_not = [each for each in self._stored.values() if each.inverted]
        rubrics = _rubric(Block.SHOULD, should), _rubric(Block.SHOULD_NOT, should_not)
        return replace(self.bare_prompt, should=rubrics[0], should_not=rubrics[1])

    @cached_property
    def points(self) -> tuple[StoredPoint, ...]:
        """The points of the file, in the order of `prompt.points()`."""
        return tuple(self._stored[id(point)] for point in self.prompt.points())

    @cached_property
    def assessments(self) -> tuple[Assessment, ...]:
        """The verdicts, in the order of `prompt.points()`."""
        found = map(_stored_assessment, self.points, place(self.prompt))
        return tuple(each if self.for_people else each.for_machines for each in found)


class ResultFile(Record, dict=True):
    """A whole result file. `config` is the normalised form of the blueprint that was run, None where it is missing."""

    path: Path
    results: tuple[StoredResult, ...]
    config_id: str | None = None
    title: str | None = None
    blueprint_name: str | None = None
    timestamp: str | None = None
    config: Data = None

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The keys of the results, in the order of the file."""
        return tuple(dict.fromkeys(result.model for result in self.results))

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts that have results, in the order of the file, without their rubrics."""
        return tuple({result.bare_prompt.id: result.bare_prompt for result in self.results}.values())


def read_result_file(path: Path, *, for_people: bool = True) -> ResultFile:
    """The result file at `path`. Raises `UnusableResult`. `for_people`: verdicts from before an edit count."""
    try:
        content = read_regular(path, _MAX_BYTES)
    except OSError as error:
        raise UnusableResult(f"The file cannot be read: {error.strerror}.") from error
    file = read_result(content, path)
    if for_people:
        return file
    return replace(file, results=tuple(replace(each, for_people=False) for each in file.results))


def _json(content: bytes) -> Data:
    """The JSON in `content`. A lone surrogate, as JavaScript's error messages quote it, stays one."""
    from pydantic_core import from_json  # faster than the standard library, but refuses lone surrogates

    try:
        return from_json(content, allow_inf_nan=True)
    except ValueError:
        pass
    try:
        return read_json(content, _DEEPEST)
    except ValueError as error:
        raise UnusableResult(f"This is not a result file of Weval: {_broken(content, error)}.") from error


def _broken(content: bytes, error: ValueError) -> str:
    """Why `content` is not JSON, in an author's words."""
    if not content.strip():
        return "it is empty"
    if isinstance(error, TooDeep):
        return "it is nested too deeply"
    if b"\0" in content:
        return "it is not text"
    if isinstance(error, json.JSONDecodeError):
        ends = error.pos >= len(error.doc.rstrip())
        return "it breaks off at its end" if ends else f"it is not JSON, or damaged in line {error.lineno}"
    return "it is not text" if isinstance(error, UnicodeDecodeError) else "it is not JSON"


def read_result(content: bytes, path: Path) -> ResultFile:
    """The result file whose bytes are `content`. Raises `UnusableResult`."""
    top = mapping(_json(content.removeprefix(b"\xef\xbb\xbf")))
    if "evaluationResults" not in top:
        raise UnusableResult("This is not a result file of Weval: it has no `evaluationResults`.")
    results = tuple(_Reader(top).results())
    if not results:
        raise UnusableResult("This file has no score of any prompt (`evaluationResults.llmCoverageScores`).")
    config = top.get("config")
    return ResultFile(
        path,
        results,
        string(top.get("configId")) or string(mapping(config).get("id")),
        string(top.get("configTitle")) or string(mapping(config).get("title")),
        string(top.get("sourceBlueprintFileName")),
        string(top.get("timestamp")),
        config,
    )


def is_result(path: Path) -> bool:
    """Whether the file at `path` is a result rather than a blueprint: JSON with a key `evaluationResults`. Blocks."""
    if path.suffix.lower() != ".json":
        return False
    try:
        return _RESULTS.search(read_regular(path, _MAX_BYTES)) is not None
    except TooLong:
        return True  # no blueprint is that long
    except OSError:
        return False


class _Reader:
    """The tables of one file."""

    def __init__(self, top: Mapping[str, Data]) -> None:
        self._scores = mapping(mapping(top.get("evaluationResults")).get("llmCoverageScores"))
        self._errors = mapping(top.get("errors"))
        self._answers = mapping(top.get("allFinalAssistantResponses")) or mapping(top.get("allResponses"))
        self._histories = mapping(top.get("fullConversationHistories"))
        self._contexts = mapping(top.get("promptContexts")) or mapping(top.get("promptTexts"))
        prompts = mapping(top.get("config")).get("prompts")
        self._prompts = {
            name: each
            for each in (prompts if isinstance(prompts, list) else [])
            if isinstance(each, dict) and isinstance(name := each.get("id"), str)
        }

    def results(self) -> Iterator[StoredResult]:
        for index, prompt_id in enumerate(dict.fromkeys((*self._scores, *self._errors))):
            scores, errors = mapping(self._scores.get(prompt_id)), mapping(self._errors.get(prompt_id))
            prompt = self._prompt(index, prompt_id)
            inverted = criteria_texts(mapping(self._prompts.get(prompt_id)).get("should_not"))
            for model in dict.fromkeys((*scores, *errors)):
                result, error = mapping(scores.get(model)), string(errors.get(model))
                yield self._result(prompt, inverted, model, result, error)

    def _result(
        self, prompt: Prompt, inverted: frozenset[str], model: str, result: Mapping[str, Data], error: str | None
    ) -> StoredResult:
        entries = result.get("pointAssessments")
        entries = entries if isinstance(entries, list) else []
        weval = mapping(result.get("explanation")).get("weval")
        is_open = isinstance(weval, dict) and weval.get("stored") is None
        stored = None if is_open else fraction(result.get("avgCoverageExtent"))
        error = string(result.get("error")) or error
        if error is None and stored is None and not entries:
            error = "The file has no result here."
        counted, answer = number(result.get("keyPointsCount")), mapping(self._answers.get(prompt.id)).get(model)
        return StoredResult(
            prompt,
            model,
            stored,
            error if stored is None else None,
            None if counted is None else int(counted),
            sample_count(result),
            answer if isinstance(answer, str) else None,
            tuple(_turns(mapping(self._histories.get(prompt.id)).get(model))),
            "explanation" in result,
            read_stop(result.get("stopReason")),
            entries,
            inverted,
        )

    def _prompt(self, index: int, prompt_id: str) -> Prompt:
        """The prompt without its rubric."""
        written = mapping(self._prompts.get(prompt_id))
        turns = tuple(_turns(self._contexts.get(prompt_id))) or tuple(_turns(written.get("messages")))
        text = string(written.get("promptText")) or string(written.get("prompt"))
        turns = turns or (((Role.USER, text),) if text else ())
        weight = number(written.get("weight"))
        return Prompt(
            index,
            NOWHERE,
            prompt_id,
            NOWHERE,
            True,
            tuple(Message(NOWHERE, role, content) for role, content in turns if role is not Role.SYSTEM),
            ideal=string(written.get("idealResponse")) or string(written.get("ideal")),
            weight=weight if weight is not None and weight > 0 else 1.0,
        )


def _turns(context: Data) -> Sequence[tuple[Role, str]]:
    """A conversation in any form that result files have: messages, or the text of one user message."""
    if isinstance(context, str):
        return ((Role.USER, context),) if context else ()
    messages = context if isinstance(context, list) else []
    return [
        (Role(role), content)
        for each in messages
        if isinstance(each, dict)
        and (role := each.get("role")) in list(Role)
        and isinstance(role, str)
        and isinstance(content := each.get("content"), str)
    ]
