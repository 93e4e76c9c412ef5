"""One criterion while an author words it: followed through edits of the text, with the verdicts under two wordings.

It is judged on chosen answers: the ideal, those of cases, the database and files; those of one text are one. Verdicts
can be compared only where they were asked for alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from engine.blueprint import Header, Point, Prompt, Rubric
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.sources import ControlKind
from engine.functions import point_text
from engine.judging.judge_prompt import Question, context_of, first_request, questions
from engine.judging.judge_runner import place_of
from engine.judging.panel import Approach, Panel, PanelJudge, Scale
from engine.parsing import Parsed, parse
from engine.scoring.assessment import PlacedPoint
from engine.scoring.sums import place
from engine.store.grades import UNKNOWN_FORM, JudgeForm, WordingVerdict, WrittenWording
from engine.study.case import Case, control_kind, ideal_case, is_failed, response_of
from engine.text.record import Record, replace, short_data_digest, short_digest, text_digest
from engine.text.spans import (
    LineIndex,
    Position,
    Span,
    TextEdit,
    apply_edits,
    carry_span,
    changed_lines,
    difference,
)
from engine.yaml.layout import column
from engine.yaml.nodes import Data

_OF_EITHER = ("usual", "model", "is_edited", "is_ideal", "refusal")


class KnownAnswer(Record):
    """One answer. Answers with the same text are one: `labels` names all that they are, `case` is the first case.

    `key` is the digest of `subject`, the text that is judged. `usual`: a criterion is judged on it unless the author
    decides otherwise. `test`: its case is a test answer, which is listed, and no part of what a criterion is good for.
    `refusal` is set if the model's provider says that it refused.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    thread: tuple[ThreadTurn, ...]
    case: Case | None = None
    usual: bool = False
    model: str | None = None
    test: ControlKind | None = None
    is_edited: bool = False
    is_ideal: bool = False
    refusal: ControlKind | None = None

    @property
    def label(self) -> str:
        """Its name on the screen."""
        return ", ".join(self.labels)

    @property
    def is_bad(self) -> bool | None:
        """Whether its case says that it is bad; None if there is none, or it does not say."""
        return None if self.case is None else self.case.is_bad

    @property
    def turns(self) -> tuple[str, ...]:
        """The texts of its generated turns, as a case has them."""
        return turns_of(self.thread, self.subject) if self.case is None else self.case.turns


def known_answer(label: str, response: Response, **more: Any) -> KnownAnswer:
    """An answer of this name; `more` are its other fields."""
    subject, refusal = response.subject, refusal_of(response.thread)
    return KnownAnswer(text_digest(subject), (label,), subject, response.thread, refusal=refusal, **more)


def ideal_answer(prompt: Prompt, header: Header) -> Iterator[KnownAnswer]:
    """The ideal; none if the prompt has none."""
    if prompt.ideal is not None and prompt.ideal.strip():
        response = response_of(ideal_case("", prompt.ideal), prompt, header)
        yield known_answer("the ideal", response, usual=True, is_ideal=True)


def case_answer(label: str, case: Case, prompt: Prompt, header: Header, **more: Any) -> KnownAnswer:
    """The answer of a case of `prompt`."""
    test = control_kind(case, prompt)
    return known_answer(label, response_of(case, prompt, header), case=case, test=test, model=case.model, **more)


def merged(answers: Iterable[KnownAnswer]) -> tuple[KnownAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each."""
    found: dict[str, KnownAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(found.values())


def _joined(first: KnownAnswer, other: KnownAnswer) -> KnownAnswer:
    """Two answers of the same text."""
    of_case = other if first.case is None else first
    return replace(
        first,
        labels=tuple(dict.fromkeys((*first.labels, *other.labels))),
        case=of_case.case,
        test=of_case.test,
        **{name: getattr(first, name) or getattr(other, name) for name in _OF_EITHER},
    )


def refusal_of(thread: Iterable[ThreadTurn]) -> ControlKind | None:
    """A refusal, if the model's provider says of each turn that it is one; None for all else, whatever the words."""
    stops = [turn.stop for turn in thread if turn.generated]
    is_refusal = bool(stops) and all(stop is not None and stop.reason is StopReason.REFUSAL for stop in stops)
    return ControlKind.REFUSAL if is_refusal else None


def turns_of(thread: Iterable[ThreadTurn], subject: str) -> tuple[str, ...]:
    """The texts of the generated turns, as a case has them."""
    return tuple(turn.content for turn in thread if turn.generated) or (subject,)


# --- The criterion


class FoundPoint(Record):
    """A point of a blueprint: its prompt, its index in `Prompt.points()`, and its place in the rubric."""

    prompt: Prompt
    index: int
    placed: PlacedPoint

    @property
    def point(self) -> Point:
        """The point."""
        return self.placed.point

    @property
    def alone(self) -> Prompt:
        """Its prompt without any other point, so that only it is checked."""
        rubric = Rubric(self.placed.rubric.block, self.placed.rubric.span, (self.point,))
        is_inverted = self.placed.inverted
        return replace(self.prompt, should=None if is_inverted else rubric, should_not=rubric if is_inverted else None)

    def question(self, answer: KnownAnswer, header: Header) -> Question:
        """What judges are asked about an answer. Holistic ones see all criteria, as in a full run."""
        return questions(self.prompt, answer.thread, header.description)[self.index]


def points_in(*prompts: Prompt) -> tuple[FoundPoint, ...]:
    """The points of prompts, prompt by prompt."""
    return tuple(FoundPoint(each, index, placed) for each in prompts for index, placed in enumerate(place(each)))


def point_among(points: Iterable[FoundPoint], text: str, offset: int) -> FoundPoint | None:
    """The point at `offset` of `text`: of these the one whose lines it is on, the innermost where several are."""
    return min(
        (each for each in points if _on_lines(each.point.span, text, offset)),
        key=lambda each: each.point.span.end - each.point.span.start,
        default=None,
    )


def _on_lines(span: Span, text: str, offset: int) -> bool:
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", max(span.start, span.end - 1))
    return start <= offset <= (len(text) if end < 0 else end)


def carried(span: Span, before: str, after: str) -> Span | None:
    """Where the range `span` of the text `before` is in `after`.

    A change within the range, or at its ends, belongs to it. None if it was removed, or replaced together with text
    around it.
    """
    whole = difference(before, after, 0)
    if not _cuts(whole.span, span):
        return carry_span(span, [whole])
    old, new = LineIndex(before), LineIndex(after)
    lines, new_lines = ([each.line(row) for row in range(each.line_count)] for each in (old, new))
    edits: list[TextEdit] = []
    # Where several places changed at once, the lines that the texts have in common tell them apart.
    for low, high, new_low, new_high in changed_lines(lines, new_lines):
        starts = [old.offset(Position(row, 0)) for row in range(low, high + 1)]
        if high - low == new_high - new_low:
            pairs = zip(lines[low:high], new_lines[new_low:new_high], starts[:-1], strict=True)
            edits += [difference(*each) for each in pairs]
            continue
        changed = Span(starts[0], starts[-1])
        if _cuts(changed, span):
            return None
        written = Span(*(new.offset(Position(row, 0)) for row in (new_low, new_high)))
        edits.append(TextEdit(changed, written.of(after)))
    return carry_span(span, edits)


def _cuts(changed: Span, span: Span) -> bool:
    """Whether a change takes a part of `span`, or all of it, together with text around it."""
    is_beside = changed.end <= span.start or span.end <= changed.start
    return not is_beside and not (span.start <= changed.start and changed.end <= span.end)


def found_point(points: Sequence[FoundPoint], span: Span | None, is_same: Sequence[bool]) -> FoundPoint | None:
    """The point that stands at `span`; `is_same` says of each point whether its wording is the one last seen.

    Of several points there, it is the one with the same wording, then the one with the most in common. A point that is
    gone from there is found elsewhere only by the same wording, if just one point has it.
    """
    same = [point for point, is_it in zip(points, is_same, strict=True) if is_it]
    if span is not None:
        there = [each for each in points if each.point.span.start <= span.end and span.start <= each.point.span.end]
        if there:
            return max(there, key=lambda each: (each in same, _overlap(each.point.span, span), -each.point.span.start))
    return same[0] if len(same) == 1 else None


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


# --- Back to an earlier wording


def written_wording(text: str, point: Point) -> WrittenWording:
    """The wording of `point` as it stands in `text`."""
    source, subject = point.span.of(text), point.subject_span.of(text)
    return WrittenWording(
        point_text(point), source, subject, column(text, point.span.start), point.function is not None
    )


def edit_back(parsed: Parsed, found: FoundPoint, wording: WrittenWording) -> TextEdit | None:
    """The edit that gives the point its earlier `wording`; None if no way of writing it there is read as that wording.

    Only the criterion is replaced: a weight and a citation stay. Another kind of point (a check instead of a criterion)
    replaces the point as a whole.
    """
    for edit in _edits(parsed.text, found.point, wording):
        after = parse(apply_edits(parsed.text, [edit]), path=parsed.path).blueprint.prompts
        if len(after) != len(parsed.blueprint.prompts):
            continue
        points, before = after[found.prompt.index].points(), found.prompt.points()
        if len(points) == len(before) and point_text(points[found.index]) == wording.name:
            return edit
    return None


def _edits(text: str, point: Point, wording: WrittenWording) -> Iterator[TextEdit]:
    by = column(text, point.span.start) - wording.indent
    if not wording.is_check and point.function is None:
        yield TextEdit(point.subject_span, _indented(wording.subject, by))
        yield TextEdit(point.subject_span, json.dumps(wording.name, ensure_ascii=False))
    yield TextEdit(point.span, _indented(wording.source, by))


def _indented(source: str, by: int) -> str:
    """`source` with its lines but the first indented `by` columns further, or less where negative."""
    if by < 0:
        return re.sub(rf"\n {{1,{-by}}}", "\n", source)
    return re.sub(r"\n(?=.*\S)", "\n" + " " * by, source)


# --- How judges are asked


def form_of(judge: PanelJudge, scale: Scale, custom: Iterable[Data] = ()) -> JudgeForm:
    """How `judge` is asked by `scale`; `custom` are the blueprint's own models.

    The digest is of the model and where it is, the approach, the scale, and all that a judge prompt says in this
    version whatever the question.
    """
    asked = _words(judge.approach, scale)
    return JudgeForm(scale.name, short_data_digest([judge.model, place_of(judge, custom), asked]))


@cache
def _words(approach: Approach, scale: Scale) -> tuple[object, ...]:
    request = first_request(Question("", (), (), "-"), approach, scale, "")
    return (request.temperature, request.max_tokens, *(turn.content for turn in request.turns))


def forms_today(panel: Panel, header: Header) -> Mapping[str, JudgeForm]:
    """How the judges of a panel are asked, by label."""
    return {judge.label: form_of(judge, panel.scale, header.models) for judge in panel.every_judge}


def verdict_of(verdicts: Sequence[WordingVerdict], judge: str, form: JudgeForm | None) -> WordingVerdict | None:
    """The verdict of a judge that was asked for in this form, else its newest; None if it has none."""
    given = [each for each in verdicts if each.judge == judge]
    return next((each for each in given if each.form == form), given[-1] if given else None)


# --- Verdicts under two wordings


class Flip(StrEnum):
    """How an answer crossed from failed to met, or back, between two wordings."""

    UP = "up"
    DOWN = "down"


class JudgedTwice(Record):
    """The verdicts of one judge on an answer, now and before, and how it is asked today; None where that is not known.

    `contexts` are the digests of what it would be shown today (`context_of_wording`).
    """

    now: WordingVerdict | None
    before: WordingVerdict | None
    form: JudgeForm | None
    contexts: Collection[str] | None

    @property
    def is_carried(self) -> bool:
        """Whether it saw something else for its verdict now than it would be shown today."""
        if self.now is None or self.contexts is None:
            return False
        return self.now.context != "" and self.now.context not in self.contexts

    @property
    def is_outdated(self) -> bool:
        """Whether it would be asked otherwise today, as far as that is known."""
        return self.now is not None and self.form is not None and self.now.form not in (UNKNOWN_FORM, self.form)

    @property
    def is_unlike(self) -> bool:
        """Whether its two verdicts cannot be compared: it was asked otherwise, or nobody knows how."""
        if self.now is None or self.before is None or self.now.judge == "":
            return False
        return UNKNOWN_FORM in (self.now.form, self.before.form) or self.now.form != self.before.form

    @property
    def is_compared(self) -> bool:
        """Whether its two verdicts are there and can be compared."""
        return None not in (self.now, self.before) and not self.is_unlike and not self.is_carried


def flip_of(judged: Iterable[JudgedTwice], *, inverted: bool) -> Flip | None:
    """How the mean of the verdicts that can be compared crossed from failed to met, after inversion, or back."""
    pairs = [(each.before, each.now) for each in judged if each.is_compared]
    sides = [[each.extent for each in side if each is not None] for side in zip(*pairs, strict=True)]
    fails = [is_failed(1 - mean if inverted else mean) for mean in (sum(side) / len(side) for side in sides)]
    if len(set(fails)) < 2:
        return None
    return Flip.DOWN if fails[1] else Flip.UP


def context_of_wording(approach: Approach, question: Question) -> str:
    """A digest of what a judge sees beside the criterion itself, so that it can be compared across wordings."""
    others = list(question.criteria)
    if question.criterion in others:
        others.remove(question.criterion)
    shown = context_of(approach, replace(question, criterion="", criteria=tuple(others)))
    return short_digest("\n".join((approach, shown.transcript, shown.criteria or "", shown.description or "")))


def contexts_today(answers: Iterable[KnownAnswer], found: FoundPoint, header: Header) -> Mapping[str, frozenset[str]]:
    """The digests of what judges of any approach would be shown today, by answer; {} for a check."""
    if found.point.function is not None:
        return {}
    asked = {each.key: found.question(each, header) for each in answers}
    return {
        key: frozenset(context_of_wording(approach, question) for approach in Approach)
        for key, question in asked.items()
    }


def judges_in(*verdicts: Mapping[str, Sequence[WordingVerdict]]) -> tuple[str, ...]:
    """The judges of these verdicts, by first appearance."""
    return tuple(dict.fromkeys(each.judge for one in verdicts for given in one.values() for each in given))


def judged_twice(
    key: str,
    judges: Sequence[str],
    now: Mapping[str, Sequence[WordingVerdict]],
    before: Mapping[str, Sequence[WordingVerdict]],
    contexts: Mapping[str, Collection[str]] | None,
    forms: Mapping[str, JudgeForm],
) -> tuple[JudgedTwice, ...]:
    """The verdicts of each judge on the answer with this digest, of those by digest.

    `contexts` are the digests of what judges would be shown today, by answer (`context_of_wording`); a verdict with
    another one is carried over, and flips nothing. One without a digest, of a check, is not, and none is where
    `contexts` is None: the point is not in the text. `forms` are how judges
    are asked today, by label: a verdict in this form comes first, and one before in the form of the one now.
    """

    def judged(judge: str) -> JudgedTwice:
        form = forms.get(judge)
        present = verdict_of(now.get(key, ()), judge, form)
        alike = form if present is None or present.form == UNKNOWN_FORM else present.form
        shown = None if contexts is None else contexts.get(key, ())
        return JudgedTwice(present, verdict_of(before.get(key, ()), judge, alike), form, shown)

    return tuple(map(judged, judges))
