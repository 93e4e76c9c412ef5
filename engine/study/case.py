"""Cases: an answer to a prompt, what a person says of it, the score that it should have, and whether it passes.

The whole interval of possible scores decides, so an unjudged point leaves a case undecided. A point fails an answer as
`docs/cases.md` says ("What a point is good for"). Test answers are listed apart, as a refusal is often the right
answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from engine.blueprint import ABSENT, Block, Blueprint, Header, Point, Prompt
from engine.blueprint.conversation import conversation, subject_text
from engine.evaluation.events import Response, Scored
from engine.evaluation.headline import headline
from engine.evaluation.sources import ControlKind, ControlSource, control_answer
from engine.functions import point_text
from engine.scoring.assessment import Assessment, Criterion, Grade
from engine.scoring.explanation import Bounds, judge_name, listed, point_label, range_text
from engine.scoring.sums import PointExtent, Sums, place
from engine.text.record import Record, replace, short_data_digest
from engine.text.spans import NOWHERE, Span, in_quotes, one_line, pictures_in
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

    `prompt` is the name of the prompt (`prompt_names`). `turns` are the texts of the generated turns, at
    least one. `fails` is the point that the answer should fail: it is bad in this way. `quote` is the passage of the
    answer that shows why. `model` wrote the answer, None if that is not known; `is_edited`: a person changed it since.
    `test`: the test answer that it is by a person's word; `control_kind` recognises others.
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


def response_of(case: Case, prompt: Prompt, header: Header) -> Response:
    """The answer of a case, in the conversation of its prompt."""
    thread = conversation(prompt, header).answered(case.turns)
    return Response(subject_text(thread), thread)


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


# --- Which answers a point fails


FAILING = 0.5
"""A point fails an answer if its extent after inversion is below this."""
_NOISE = 1e-9
"""What the rounding of binary fractions can take from a mean of extents."""


def is_failed(extent: float) -> bool:
    """Whether an answer is failed by a point with this extent (0–1, after inversion)."""
    return extent < FAILING - _NOISE


def judges_differ(extents: Iterable[float | None]) -> bool:
    """Whether verdicts (0–1, after inversion; None for none) stand on both sides of one half."""
    return len({is_failed(each) for each in extents if each is not None}) > 1


def known_extent(assessment: Assessment) -> float | None:
    """The extent after inversion of a grade, a check or a consensus.

    None if nobody judged the point, if its verdict is carried over, if missing verdicts decide whether it fails, or if
    its check could not run: the 0 that this counts in the score says nothing of the answer.
    """
    possible = assessment.possible
    if assessment.broken or assessment.carried_over:
        return None
    if possible is not None and is_failed(possible.low) is not is_failed(possible.high):
        return None
    return assessment.extent


def fails(assessments: Sequence[Assessment]) -> bool | None:
    """Whether a unit fails an answer; None if that depends on what is not known.

    A unit is one required point, or all alternative paths together: their best path counts, by its weighted mean.
    """
    paths: dict[str | None, list[PointExtent]] = {}
    for each in assessments:
        weight = 1.0 if each.placed.path_id is None else each.point.multiplier
        paths.setdefault(each.placed.path_id, []).append(PointExtent(known_extent(each), weight))
    bounds = [Sums.of(path).bounds for path in paths.values()]
    if is_failed(max(each.high for each in bounds)):
        return True
    return None if is_failed(max(each.low for each in bounds)) else False


def any_of(values: Iterable[bool | None]) -> bool | None:
    """Whether any is true: True if one is, None if that depends on unknown ones."""
    seen = set(values)
    return True if True in seen else None if None in seen else False


# --- Test answers


def control_kind(case: Case, prompt: Prompt | None) -> ControlKind | None:
    """The test answer that the answer of a case is: by a person's word, by its text, or by its `model`.

    An answer is empty if nothing of it is drawn. Else spaces around it, capitals and the form of apostrophes are
    ignored. A `model` such as `control:refusal` counts unless the answer is edited. The ideal is no test answer,
    whatever it says. Without a `prompt`, texts that are made from it are not recognised.
    """
    if not case.number:
        return None
    if case.test is not None:
        return case.test
    if all(is_empty(turn) for turn in case.turns):
        return ControlKind.EMPTY
    for kind in ControlKind:
        is_named = case.model == ControlSource(kind).key and not case.is_edited
        if is_named or (prompt is not None and _is_text_of(case, kind, prompt)):
            return kind
    return None


def is_empty(text: str) -> bool:
    """Whether nothing of `text` is drawn: it has white space and hidden characters alone."""
    hidden = {at for at, _ in pictures_in(text)}
    return all(character.isspace() or at in hidden for at, character in enumerate(text))


def _is_text_of(case: Case, kind: ControlKind, prompt: Prompt) -> bool:
    text = _plain(control_answer(kind, prompt))
    if kind is ControlKind.STUFFING and "\n" not in text:
        return False  # the text of a single check can be a short answer
    return bool(text) and all(_plain(turn) == text for turn in case.turns)


def _plain(text: str) -> str:
    return text.strip().replace("’", "'").casefold()


# --- Outcomes


_ROUNDING = 1e-9
"""What the rounding of binary fractions can add to a score on the scale of 0–100."""


class CaseState(StrEnum):
    """The state of a case. `LABELLED` has a label alone: it counts in pairs."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    ORPHANED = "orphaned"
    LABELLED = "labelled"


class CaseOutcome(Record, dict=True):
    """The state of a case, and why in one line. `scored` is its answer by the present rubric, None without a prompt.

    `test` is the test answer that it is: such a case is listed, and no part of counts over answers.
    """

    case: Case
    state: CaseState
    why: str
    scored: Scored | None = None
    test: ControlKind | None = None

    @property
    def bounds(self) -> Bounds | None:
        """The lowest and the highest score that is possible; None without a prompt, or without points."""
        if self.scored is None or not self.scored.assessments:
            return None
        return self.scored.explanation.bounds

    @cached_property
    def points(self) -> tuple[PointExtent, ...]:
        """The points of its score, in the order of `Prompt.points()`."""
        return () if self.scored is None else tuple(map(PointExtent.of, self.scored.assessments))

    @property
    def carried_over(self) -> int:
        """How many verdicts on its answer are from before an edit."""
        return 0 if self.scored is None else self.scored.explanation.carried_over

    @property
    def score(self) -> str:
        """The score in words: `20–100, 1 of 4 points judged`; "" without one."""
        return "" if self.scored is None else str(headline(self.scored.explanation, self.scored.response))

    @property
    def figure(self) -> str:
        """The score in a sentence: `20–100 (1 verdict before this edit)`; `nothing` without a prompt or its points."""
        return "nothing" if self.scored is None or self.bounds is None else _figure(self.scored)

    @property
    def summary(self) -> str:
        """Why it passes or not; the score of a case that has a label alone."""
        if self.state is not CaseState.LABELLED or self.scored is None:
            return self.why
        return headline(self.scored.explanation, self.scored.response).said("scores")


def orphaned(case: Case) -> CaseOutcome:
    """The outcome of a case whose prompt does not exist."""
    return CaseOutcome(case, CaseState.ORPHANED, f"there is no prompt {case.prompt}", None, control_kind(case, None))


def outcome_of(case: Case, prompt: Prompt, scored: Scored) -> CaseOutcome:
    """The outcome of `case`, whose answer is `scored` by the rubric of `prompt`.

    It passes if every score that is still possible lies in its range, and the point that it should fail is failed; it
    fails if every possible score lies outside, or that point is met.
    """
    test = control_kind(case, prompt)
    parts: list[tuple[CaseState, str]] = []
    if case.score is not None:
        parts.append(_by_score(case.score, scored))
    if case.fails is not None:
        parts.append(_by_point(case.fails, prompt, scored))
    if not parts:
        return CaseOutcome(case, CaseState.LABELLED, "has a label alone", scored, test)
    state = worst(state for state, _ in parts)
    return CaseOutcome(case, state, "; ".join(why for each, why in parts if each is state), scored, test)


def worst(states: Iterable[CaseState]) -> CaseState:
    """The state of a case of which parts are in these states, at least one."""
    return max(states, key=(CaseState.PASSED, CaseState.UNDECIDED, CaseState.FAILED).index)


def without_repeated_ideals(outcomes: Sequence[CaseOutcome]) -> list[CaseOutcome]:
    """`outcomes` without the ideals that a case has as a good answer: an ideal is one good answer."""
    cases = [each.case for each in outcomes if each.case.number]

    def is_repeated(ideal: Case) -> bool:
        return has_ideal((each for each in cases if each.prompt == ideal.prompt), ideal.turns[0])

    return [each for each in outcomes if each.case.number or not is_repeated(each.case)]


def range_state(wanted: ScoreRange, bounds: Bounds) -> CaseState:
    """Whether all scores that are possible lie in the range (passed), none does (failed), or some do (undecided)."""
    low, high = bounds.low * 100, bounds.high * 100
    if low >= wanted.low - _ROUNDING and high <= wanted.high + _ROUNDING:
        return CaseState.PASSED
    if high < wanted.low - _ROUNDING or low > wanted.high + _ROUNDING:
        return CaseState.FAILED
    return CaseState.UNDECIDED


def _by_score(wanted: ScoreRange, scored: Scored) -> tuple[CaseState, str]:
    if not scored.assessments:
        return CaseState.UNDECIDED, "the prompt has no criteria"
    shown, state = f"scores {_figure(scored)}", range_state(wanted, scored.explanation.bounds)
    until = " until all criteria are judged" if scored.explanation.is_open else ""
    said = {CaseState.PASSED: f"{shown}, within {wanted}", CaseState.FAILED: f"{shown}, not {wanted}"}
    return state, said.get(state, f"{shown}{until}, and {wanted} is wanted")


def _figure(scored: Scored) -> str:
    return headline(scored.explanation, scored.response).in_sentence


def _by_point(name: NamedPoint, prompt: Prompt, scored: Scored) -> tuple[CaseState, str]:
    places = points_named(prompt, name)
    quoted = in_quotes(one_line(name.text))
    if len(places) != 1:
        return CaseState.UNDECIDED, f"{'several criteria are' if places else 'no criterion is'} {quoted}"
    assessment = scored.assessments[places[0]]
    extent = known_extent(assessment)
    if extent is None:
        judges = assessment.failed_judges
        unjudged = f"is not judged by {listed(map(judge_name, judges))}" if judges else "is not judged"
        return CaseState.UNDECIDED, f"{quoted} {'cannot be checked' if assessment.broken else unjudged}"
    if is_failed(extent):
        return CaseState.PASSED, f"fails {quoted} as it should"
    return CaseState.FAILED, f"does not fail {quoted}, which it should"
