"""Cases: an answer to a prompt, what a person says of it, and the score that it should have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from engine.blueprint import ABSENT, Block, Blueprint, Header, Point, Prompt
from engine.evaluation.sources import ControlKind
from engine.functions import point_text
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation_text import point_label, range_text
from engine.scoring.sums import place
from engine.text.record import Record, replace, short_data_digest
from engine.text.spans import NOWHERE, Span, one_line
from engine.yaml.nodes import canonical_json


class Label(StrEnum):
    """What a person says of an answer."""

    GOOD = "good"
    BAD = "bad"


class ScoreRange(Record):
    """The scores that an answer should have: 0–100, both ends included, compared without rounding."""

    low: float
    high: float

    def __str__(self) -> str:
        return range_text(f"{self.low:g}", f"{self.high:g}")


class NamedPoint(Record):
    """A point of a rubric, by its text; a check by its text in results, `Function: contains("x")`, or in the rubric.

    `block` is None where the name holds for both blocks.
    """

    text: str
    block: Block | None = None


class CaseGrade(Record):
    """A person's grade of one criterion for the answer, before inversion, and who gave it."""

    point: NamedPoint
    grade: Grade
    by: str | None
    span: Span


class VerdictDigests(Record):
    """What a recorded verdict is about: 16 hex digits each of the answer, the criterion, its context, and the judge."""

    answer: str
    criterion: str
    context: str
    judge: str


class CaseVerdict(Record):
    """A recorded verdict: `extent` is 0–1 before inversion. `judge` is its id, `model` as `provider:model`.

    It has no `extent` where the judge gave no verdict, for the reason in `failed`. `reply` is the judge's where Weval
    or a person may read more in it. `given` is when, in ISO 8601, "" where that is not known.
    """

    criterion: str
    judge: str
    model: str
    approach: str
    extent: float | None
    reflection: str
    digests: VerdictDigests
    span: Span
    failed: str = ""
    reply: str = ""
    given: str = ""


class Case(Record):
    """One labelled answer. `number` counts the cases of a file from 1, `span` is its place in the file.

    `prompt` is the name of the prompt (`engine.study.case`). `turns` are the texts of the generated turns, at
    least one. `fails` is the point that the answer should fail: it is bad in this way. `quote` is the passage of the
    answer that shows why. `model` wrote the answer, None if that is not known; `is_edited`: a person changed it since.
    `test`: the test answer that it is by a person's word; `engine.study.case_outcome` recognises others.
    """

    number: int
    span: Span
    prompt: str
    prompt_span: Span
    turns: tuple[str, ...]
    label: Label | None = None
    score: ScoreRange | None = None
    fails: NamedPoint | None = None
    reason: str | None = None
    quote: str | None = None
    by: str | None = None
    model: str | None = None
    is_edited: bool = False
    test: ControlKind | None = None
    grades: tuple[CaseGrade, ...] = ()
    verdicts: tuple[CaseVerdict, ...] = ()

    def signed(self, by: str | None) -> Case:
        """The case as said by this person, None for no name; grades under other names stay."""
        grades = tuple(replace(each, by=each.by or by) for each in self.grades)
        return replace(self, by=self.by or by, grades=grades)

    @property
    def name(self) -> str:
        """`case 3`, or `the ideal`, which counts as a good answer and stands in no file."""
        return f"case {self.number}" if self.number else "the ideal"

    @property
    def is_misquoted(self) -> bool:
        """Whether its answer does not have its quote, white space aside."""
        return self.quote is not None and one_line(self.quote) not in one_line(" ".join(self.turns))

    @property
    def is_tested(self) -> bool:
        """Whether it passes or fails by itself. A label alone counts in pairs of a good and a bad answer."""
        return self.score is not None or self.fails is not None

    @property
    def is_bad(self) -> bool | None:
        """Whether its answer is bad, by its label or by the point that it fails; None if it says neither."""
        if self.fails is not None:
            return True
        return None if self.label is None else self.label is Label.BAD


def ideal_case(prompt: str, ideal: str) -> Case:
    """The ideal of a prompt as a case: a good answer."""
    return Case(0, NOWHERE, prompt, NOWHERE, (ideal,), Label.GOOD)


def has_ideal(cases: Iterable[Case], ideal: str) -> bool:
    """Whether one of the cases of a prompt has its ideal as a good answer, white space at the ends aside."""
    wanted = (ideal.strip(),)
    return any(case.is_bad is False and tuple(turn.strip() for turn in case.turns) == wanted for case in cases)


class CaseFile(Record):
    """The cases that can be read, in the order of the file, and the verdicts on ideals by the name of their prompt."""

    text: str
    cases: tuple[Case, ...]
    ideals: Mapping[str, tuple[CaseVerdict, ...]] = {}


# --- The names of prompts, which stay the same while an author works on the rubric


DERIVED = "prompt-"
"""The beginning of names of prompts without a written id."""


def prompt_names(blueprint: Blueprint) -> Mapping[int, str]:
    """The name of each prompt, by its index: its written id, else a digest of its messages, system prompt and tools.

    An id that Weval derives (`hash-…`) would change with each edit of the rubric. A later prompt with the same name
    has `#2` and so on after it, unless that is the name of another prompt.
    """
    bare = {
        prompt.index: prompt.id if prompt.id_written else derived_name(prompt, blueprint.header)
        for prompt in blueprint.prompts
    }
    taken = set(bare.values())
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for index, name in bare.items():
        seen[name] += 1
        while seen[name] > 1 and f"{name}#{seen[name]}" in taken:
            seen[name] += 1
        names[index] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return names


def derived_name(prompt: Prompt, header: Header) -> str:
    """`prompt-` and 16 hex digits of what the prompt asks: its messages, system prompt and tools."""
    system = list(header.systems) if prompt.system is ABSENT else prompt.system
    tools = canonical_json({"tools": header.fields.get("tools"), "toolUse": header.fields.get("toolUse")})
    messages = [[message.role.value, message.content] for message in prompt.messages]
    own = [list(prompt.required_tools), list(prompt.prohibited_tools), prompt.max_calls]
    return DERIVED + short_data_digest([messages, system, tools, own])


# --- The points that cases name, by their texts in results, checks as in the rubric too


def points_named(prompt: Prompt, name: NamedPoint) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points with this name."""
    return tuple(
        index
        for index, placed in enumerate(place(prompt))
        if name.text in _names(placed.point) and name.block in (None, placed.rubric.block)
    )


def criteria_of(prompt: Prompt) -> tuple[Criterion, ...]:
    """The criteria in words, each with its block."""
    return tuple(
        Criterion(placed.rubric.block, placed.point.text) for placed in place(prompt) if placed.point.text is not None
    )


def _names(point: Point) -> tuple[str, ...]:
    """A criterion; a check as in results, `Function: contains("x")`, and as in the rubric, `$contains: x`."""
    if point.function is None:
        return (point_text(point),)
    return point_text(point), point_label(point)
