"""`pointAssessments` of a result file → a rubric and its assessments, ready for scoring.

A point needs only its text: missing or unusable fields have Weval's defaults. Older names are read too: `point` and
`text` for the criterion, `score` and `extent` for its extent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from engine.blueprint import ABSENT, Block, FunctionCall, Path, Point, Rubric
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, ChangedPart, PlacedPoint, StoredJudgement
from engine.scoring.explanation_text import inversion_text, whole
from engine.scoring.sums import consensus_bounds, to_fixed
from engine.text.json_text import read_json
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data

_TEXTS = ("keyPointText", "point", "text")
_EXTENTS = ("coverageExtent", "extent", "score")
_FUNCTION = re.compile(r"Function: ([^\s(]+)\((.*)\)", re.DOTALL)
_SOME_FAILED = re.compile(r"([0-9]{1,3}) of [0-9]{1,3} judges failed")
_PATH_NUMBER = re.compile(r"(?:not_)?path_([0-9]{1,9})", re.ASCII)


class StoredPoint(Record):
    """One entry of `pointAssessments`. `extent` is 0–1 after inversion, None where the file has no such number.

    `samples` is the number of answers that Weval averaged, 1 where the file has none. `carried` is what had
    changed since its judges saw it.
    """

    text: str
    extent: float | None = None
    multiplier: float = 1.0
    citation: str | None = None
    path_id: str | None = None
    inverted: bool = False
    error: str | None = None
    reflection: str | None = None
    judge: str | None = None
    judgements: tuple[StoredJudgement, ...] = ()
    samples: int = 1
    possible: Bounds | None = None
    failed_judges: tuple[str, ...] = ()
    carried: tuple[ChangedPart, ...] = ()

    @property
    def call(self) -> FunctionCall | None:
        """The check that the text describes, None for a text point."""
        match = _FUNCTION.fullmatch(self.text)
        return None if match is None else _call(match[1], match[2])


def read_point(entry: Data, inverted_texts: frozenset[str] = frozenset()) -> StoredPoint | None:
    """One entry of `pointAssessments`, None where it names no criterion.

    `inverted_texts` are the criteria of `should_not`, for files that do not mark inverted points.
    """
    if isinstance(entry, str):
        return StoredPoint(entry, inverted=entry in inverted_texts)
    if not isinstance(entry, dict):
        return None
    text = next((value for name in _TEXTS if isinstance(value := entry.get(name), str)), None)
    if text is None:
        return None
    written = next((entry[name] for name in _EXTENTS if entry.get(name) is not None), None)
    extent = fraction(written)
    error = string(entry.get("error"))
    if error is None and written is not None and extent is None:
        error = f"The file gives {json.dumps(written, default=str)} as its extent, which is not a number from 0 to 1."
    multiplier = number(entry.get("multiplier"))
    written_inverted, carried = entry.get("isInverted"), entry.get("carriedOver")
    inverted = written_inverted if isinstance(written_inverted, bool) else text in inverted_texts
    judgements = _judgements(entry.get("individualJudgements"))
    names = entry.get("failedJudges")
    return StoredPoint(
        text,
        extent,
        multiplier if multiplier is not None and multiplier > 0 else 1.0,
        string(entry.get("citation")),
        string(entry.get("pathId")),
        inverted,
        error,
        string(entry.get("reflection")),
        string(entry.get("judgeModelId")),
        judgements,
        sample_count(entry),
        _possible(entry, extent, judgements, error, inverted),
        tuple(name for each in names if (name := string(each))) if isinstance(names, list) else (),
        tuple(part for part in ChangedPart if part.value in carried) if isinstance(carried, list) else (),
    )


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


def rubrics_of(points: Sequence[StoredPoint]) -> tuple[Rubric | None, Rubric | None, tuple[StoredPoint, ...]]:
    """`should`, `should_not`, and the points in their order: in each block the required points, then those on paths."""
    should = _Ordered(Block.SHOULD, [each for each in points if not each.inverted])
    should_not = _Ordered(Block.SHOULD_NOT, [each for each in points if each.inverted])
    return should.rubric, should_not.rubric, (*should.points, *should_not.points)


class _Ordered:
    """The points of one block in the order of its rubric."""

    def __init__(self, block: Block, read: Sequence[StoredPoint]) -> None:
        required = [each for each in read if each.path_id is None]
        paths: dict[str, list[StoredPoint]] = {}
        for each in read:
            if each.path_id is not None:
                paths.setdefault(each.path_id, []).append(each)
        self.points = (*required, *(each for members in paths.values() for each in members))
        entries = (
            *map(_point, required),
            *(
                Path(NOWHERE, place, tuple(map(_point, members)))
                for place, members in zip(_numbers(paths), paths.values(), strict=True)
            ),
        )
        self.rubric = Rubric(block, NOWHERE, entries) if entries else None


def _numbers(path_ids: Iterable[str]) -> list[int]:
    """The number of each path id; the next free number for an id that has none or a number that is taken."""
    numbers: list[int] = []
    for path_id in path_ids:
        match = _PATH_NUMBER.fullmatch(path_id)
        place = int(match[1]) if match else 0
        numbers.append(place if match and place not in numbers else max(numbers, default=-1) + 1)
    return numbers


def _point(read: StoredPoint) -> Point:
    call = read.call
    return Point(
        NOWHERE, NOWHERE, read.text if call is None else None, call, multiplier=read.multiplier, citation=read.citation
    )


def _call(name: str, args: str) -> FunctionCall:
    if args == "undefined":
        return FunctionCall(name, ABSENT)
    try:
        return FunctionCall(name, read_json(args))
    except ValueError:
        return FunctionCall(name, args)


def stored_assessment(read: StoredPoint, placed: PlacedPoint) -> Assessment:
    """The assessment of a stored point at its place.

    A check with an error counts 0 here, while Weval leaves it out. A text point with an extent *and* an error was
    judged by only some of its judges: it counts here, as on Weval.
    """
    if read.carried and read.extent is None:
        read = replace(read, extent=_mean(read))
    is_check = placed.point.function is not None
    return Assessment(
        placed,
        0.0 if is_check and read.error is not None and read.extent is None else read.extent,
        _assessed_by(read, is_check),
        read.error,
        _detail(read, placed),
        "\n".join(f"{each.judge}: {each.reflection}" for each in read.judgements if each.reflection) or read.reflection,
        published=read.judgements,
        possible=read.possible,
        failed_judges=read.failed_judges,
        carried_over=read.carried,
    )


def _mean(read: StoredPoint) -> float | None:
    """What the judges' verdicts count, after inversion: a point is open in the file if they are from before an edit."""
    extents = [each.extent for each in read.judgements if each.extent is not None]
    if not extents:
        return None
    mean = float(to_fixed(sum(extents) / len(extents), 2))
    return 1 - mean if read.inverted else mean


def _assessed_by(read: StoredPoint, is_check: bool) -> AssessedBy | None:
    if is_check:
        return AssessedBy.FUNCTION
    if read.extent is None and read.error is None:
        return None
    return AssessedBy.HUMAN if read.judge == AssessedBy.HUMAN.value else AssessedBy.JUDGE


def _detail(read: StoredPoint, placed: PlacedPoint) -> str:
    """How the verdict came about, as far as the file says: `a: 75, b: 50, so it counts 38 here`."""
    if read.error is not None and read.extent is None:
        return read.error
    extents = [f"{each.judge}: {whole(each.extent)}" for each in read.judgements if each.extent is not None]
    if not extents:
        return read.error or read.reflection or ("" if read.extent is not None else "not judged")
    counts = "" if read.extent is None else inversion_text(placed, read.extent)
    average = f"; the mean over {read.samples} answers" if read.samples > 1 else ""
    return f"{', '.join(extents)}{counts}{average}" + (f" ({read.error})" if read.error else "")


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
