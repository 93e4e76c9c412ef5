"""Whether a case passes: its whole interval of possible scores decides, so an unjudged point leaves it undecided.

A point fails an answer as `docs/cases.md` says ("What a point is good for"). Test answers are listed apart, as a
refusal is often the right answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from engine.blueprint import Prompt
from engine.evaluation.events import Scored
from engine.evaluation.headline import headline
from engine.evaluation.sources import ControlKind, ControlSource, control_answer
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds
from engine.scoring.explanation_text import judge_name, listed
from engine.scoring.sums import PointExtent, Sums
from engine.study.case import Case, NamedPoint, ScoreRange, has_ideal, points_named
from engine.text.hidden_characters import pictures_in
from engine.text.record import Record
from engine.text.spans import in_quotes, one_line

FAILING = 0.5
"""A point fails an answer if its extent after inversion is below this."""
_NOISE = 1e-9
"""What the rounding of binary fractions can take from a mean of extents."""


def is_failed(extent: float) -> bool:
    """Whether an answer is failed by a point with this extent (0–1, after inversion)."""
    return extent < FAILING - _NOISE


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


class CaseOutcome(Record):
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
    by_prompt: dict[str, list[Case]] = {}
    for each in outcomes:
        if each.case.number:
            by_prompt.setdefault(each.case.prompt, []).append(each.case)
    return [
        each
        for each in outcomes
        if each.case.number or not has_ideal(by_prompt.get(each.case.prompt, ()), each.case.turns[0])
    ]


def range_state(wanted: ScoreRange, bounds: Bounds) -> CaseState:
    """Whether all scores that are possible lie in the range (passed), none does (failed), or some do (undecided)."""
    low, high = bounds.low * 100, bounds.high * 100
    if low >= wanted.low - _ROUNDING and high <= wanted.high + _ROUNDING:
        return CaseState.PASSED
    if high < wanted.low - _ROUNDING or low > wanted.high + _ROUNDING:
        return CaseState.FAILED
    return CaseState.UNDECIDED


def _by_score(wanted: ScoreRange, scored: Scored) -> tuple[CaseState, str]:
    shown = _figure(scored)
    if not scored.assessments:
        return CaseState.UNDECIDED, "the prompt has no points"
    match range_state(wanted, scored.explanation.bounds):
        case CaseState.PASSED:
            return CaseState.PASSED, f"scores {shown}, within {wanted}"
        case CaseState.FAILED:
            return CaseState.FAILED, f"scores {shown}, not {wanted}"
        case state:
            until = " until all points are judged" if scored.explanation.is_open else ""
            return state, f"scores {shown}{until}, and {wanted} is wanted"


def _figure(scored: Scored) -> str:
    return headline(scored.explanation, scored.response).in_sentence


def _by_point(name: NamedPoint, prompt: Prompt, scored: Scored) -> tuple[CaseState, str]:
    places = points_named(prompt, name)
    quoted = in_quotes(one_line(name.text))
    if len(places) != 1:
        return CaseState.UNDECIDED, f"{'several points are' if places else 'no point is'} {quoted}"
    assessment = scored.assessments[places[0]]
    extent = known_extent(assessment)
    if extent is None:
        judges = assessment.failed_judges
        unjudged = f"is not judged by {listed(map(judge_name, judges))}" if judges else "is not judged"
        return CaseState.UNDECIDED, f"{quoted} {'cannot be checked' if assessment.broken else unjudged}"
    if is_failed(extent):
        return CaseState.PASSED, f"fails {quoted} as it should"
    return CaseState.FAILED, f"does not fail {quoted}, which it should"
