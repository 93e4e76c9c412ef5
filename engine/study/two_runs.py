"""Two runs of a prompt: each answer by the old and by the new rubric, without a request; and both in words.

A question is an answer and a criterion, with all else that the judge saw. A run has its own verdicts; on a question
that it leaves open, a verdict of the other run on the very question counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from engine.asking.planner import UnjudgedAnswer
from engine.blueprint import Header, Prompt
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline, points_headline
from engine.evaluation.pairing import content, match_points
from engine.evaluation.point_assessment import Grades, assess
from engine.evaluation.verdicts import KnownVerdicts, StoredJudgements
from engine.judging.panel import Panel
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import points_text, signed_text, weight_text
from engine.scoring.sums import PointExtent, groups_of
from engine.study.criterion_counts import placed_label
from engine.study.matrix import NOTHING, PointName, less, point_costs, point_names
from engine.text.record import Record, data_digest, replace
from engine.text.spans import count

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner

Question: TypeAlias = tuple[Hashable, ...]
"""What one verdict is about."""


class ComparedRun(Record, eq=False, dict=True):
    """One run of a prompt: its answer, and the assessments by its rubric, one for each point.

    `answer` is the text of all turns that were judged, `response` all that is known of it, None for nothing else.
    `prompt`, `header` and `panel` are those that it was judged with. `is_holistic`: a judge saw all criteria at once.
    """

    answer: tuple[str, ...]
    assessments: Sequence[Assessment]
    prompt: Prompt
    header: Header
    panel: Panel
    response: Response | None = None
    is_holistic: bool = False

    @cached_property
    def _shown(self) -> Hashable:
        """What judges saw beside the answer and one criterion: the messages; if they are holistic, all criteria (in any
        order) and the description too."""
        asked = tuple((each.role.value, each.content) for each in self.prompt.messages)
        if not self.is_holistic:
            return data_digest(asked)
        criteria = sorted(each.point.text for each in self.assessments if each.point.text is not None)
        return data_digest([criteria, (self.header.description or "").strip(), asked])

    def asked(self, answer: tuple[str, ...]) -> tuple[Question, ...]:
        """The question of each point about an answer."""
        return tuple([(answer, *each) for each in self._abouts])

    @cached_property
    def _abouts(self) -> tuple[Question, ...]:
        points = ((each.point, each.placed.rubric.block) for each in self.assessments)
        return tuple((block, content(point), None if point.function else self._shown) for point, block in points)

    @cached_property
    def given(self) -> Mapping[Question, Assessment]:
        """The points of its own answer that have an extent. Grades of people are on the wording alone."""
        found: dict[Question, Assessment] = {}
        for question, assessment in zip(self.asked(self.answer), self.assessments, strict=True):
            if assessment.assessed:
                found.setdefault(question, assessment)
                if assessment.by is AssessedBy.HUMAN:
                    found[_graded(question)] = assessment
        return found

    def on(self, question: Question) -> Assessment | None:
        """What it says of a question: a person's grade, else a verdict; None if it says nothing."""
        return self.given.get(_graded(question)) or self.given.get(question)

    @cached_property
    def rubric(self) -> Hashable:
        """All that its score depends on beside the answer."""
        return tuple(
            (*about, each.point.multiplier, each.placed.path_id)
            for about, each in zip(self._abouts, self.assessments, strict=True)
        )


def _graded(question: Question) -> Question:
    return (*question[:3], "graded")


def headline_of(assessments: Sequence[Assessment]) -> Headline:
    """The score of an answer by all its points."""
    groups = groups_of(tuple(map(PointExtent.of, assessments)))
    return points_headline(assessments, groups.bounds, groups.score)


class Combination(StrEnum):
    """One of the two answers by one of the two rubrics, by its name in JSON."""

    OLD = "oldAnswerOldRubric"
    NEW_ON_OLD = "newAnswerOldRubric"
    OLD_ON_NEW = "oldAnswerNewRubric"
    NEW = "newAnswerNewRubric"

    @property
    def has_new_rubric(self) -> bool:
        """Whether the rubric is the new one."""
        return self in (Combination.OLD_ON_NEW, Combination.NEW)


_OWN = Combination.OLD, Combination.NEW
_MIXED = Combination.NEW_ON_OLD, Combination.OLD_ON_NEW


class TwoRuns(Record, eq=False, dict=True):
    """Two runs of one prompt. `found` are assessments of an answer by the rubric that it was not run with."""

    old: ComparedRun
    new: ComparedRun
    found: Mapping[Combination, Sequence[Assessment]] = {}

    @property
    def same_answer(self) -> bool:
        """Whether both runs have the same answer."""
        return self.old.answer == self.new.answer

    @property
    def same_rubric(self) -> bool:
        """Whether both runs were scored by the same rubric, in what judges see of it too."""
        return self.old.rubric == self.new.rubric

    @cached_property
    def judged_twice(self) -> int:
        """How many questions both runs have another verdict on."""
        both = ((each, self.new.given.get(question)) for question, each in self.old.given.items())
        return sum(new is not None and abs((old.extent or 0) - (new.extent or 0)) > 1e-9 for old, new in both)

    @property
    def other(self) -> tuple[str, ...]:
        """What is another one: `answer`, `rubric`, `verdict` on the same question."""
        is_other = {"answer": not self.same_answer, "rubric": not self.same_rubric, "verdict": self.judged_twice > 0}
        return tuple(name for name, each in is_other.items() if each)

    def answering(self, of: Combination) -> ComparedRun:
        """The run whose answer it is."""
        return self.new if of in (Combination.NEW_ON_OLD, Combination.NEW) else self.old

    def judging(self, of: Combination) -> ComparedRun:
        """The run whose rubric it is."""
        return self.new if of.has_new_rubric else self.old

    def _questions(self, of: Combination) -> tuple[Question, ...]:
        return self.judging(of).asked(self.answering(of).answer)

    @cached_property
    def assessments(self) -> Mapping[Combination, tuple[Assessment, ...]]:
        """Each answer by each rubric, one assessment for each point."""
        return {of: tuple(self._assessed(of)) for of in Combination}

    def _assessed(self, of: Combination) -> Iterable[Assessment]:
        rubric, other = (self.new, self.old) if of.has_new_rubric else (self.old, self.new)
        is_own = of in _OWN
        found = rubric.assessments if is_own else self.found.get(of)
        for place, question in enumerate(self._questions(of)):
            placed = rubric.assessments[place].placed
            here = Assessment(placed) if found is None else found[place]
            known = None if is_own and here.assessed else rubric.on(question) or other.on(question)
            yield here if known is None else replace(known, placed=placed)

    @cached_property
    def scores(self) -> Mapping[Combination, Headline]:
        """The score of each answer by each rubric."""
        return {of: headline_of(each) for of, each in self.assessments.items()}

    @cached_property
    def difference(self) -> Bounds:
        """The new score less the old one; 0 where nothing is another, whatever is open."""
        before, after = ([each.extent for each in self.assessments[of]] for of in _OWN)
        if not self.other and before == after:
            return NOTHING
        return less(self.scores[Combination.NEW].bounds, self.scores[Combination.OLD].bounds)

    @cached_property
    def changes(self) -> Mapping[PointName, CriterionChange]:
        """The changes of the criteria by their names in the new rubric; of those that are gone, by other names."""
        old, new = (self.assessments[of] for of in _OWN)
        changes = criterion_changes(old, new)
        gone = point_names(each.old.placed for each in changes if each.old is not None and each.new is None)
        names = (*point_names(each.placed for each in new), *(("gone", *name) for name in gone))
        return dict(zip(names, changes, strict=True))

    @cached_property
    def edits(self) -> tuple[WordEdit, ...]:
        """The difference of the answers by words."""
        return word_difference(self.old.answer[-1], self.new.answer[-1])

    def unassessed(self, of: Combination) -> frozenset[int]:
        """The places of the points that nobody has assessed."""
        return frozenset(place for place, each in enumerate(self.assessments[of]) if not each.assessed)

    @cached_property
    def missing(self) -> Mapping[Combination, frozenset[int]]:
        """The places of the points that nobody has assessed; each question once."""
        places: dict[Combination, frozenset[int]] = {}
        seen: set[Question] = set()
        for of in Combination:
            questions = self._questions(of)
            places[of] = frozenset(place for place in self.unassessed(of) if questions[place] not in seen)
            seen.update(questions[place] for place in places[of])
        return places


class MissingVerdicts(Record):
    """Where assessments come from that neither run has: from checks, and from verdicts and grades that are stored.

    `fills_own`: what the runs lack themselves is filled too. `grades` finds those of an answer.
    """

    javascript: Callable[[], TaskRunner]
    stored: StoredJudgements | None = None
    grades: Callable[[str], Grades] | None = None
    fills_own: bool = False

    def fill(self, old: ComparedRun, new: ComparedRun) -> TwoRuns:
        """The two runs with what is found. Blocks while checks run."""
        runs = TwoRuns(old, new)
        if self.fills_own:
            runs = TwoRuns(self._completed(runs, Combination.OLD), self._completed(runs, Combination.NEW))
        found = ((of, self._found(runs, of)) for of in _MIXED)
        return replace(runs, found={of: each for of, each in found if each is not None})

    def _completed(self, runs: TwoRuns, of: Combination) -> ComparedRun:
        """A run with what is found on criteria without a verdict."""
        run, found = runs.judging(of), self._found(runs, of)
        if found is None:
            return run
        both = zip(run.assessments, found, strict=True)
        return replace(
            run,
            assessments=[
                other if own.point.text is not None and not own.assessed and not other.carried_over else own
                for own, other in both
            ],
        )

    def _found(self, runs: TwoRuns, of: Combination) -> tuple[Assessment, ...] | None:
        """An answer by a rubric, one assessment for each point, with verdicts on those that nobody has assessed.

        Checks by a service stay open. None where nothing is to be found, or nothing is known of the answer.
        """
        run, response, wanted = runs.judging(of), runs.answering(of).response, runs.unassessed(of)
        if response is None or not wanted:
            return None
        prompt, subject, model = run.prompt, response.subject, response.model or ""
        grades = None if self.grades is None else self.grades(subject)
        checked = assess(prompt, subject, self.javascript(), thread=response.thread, model=model, grades=grades)
        if self.stored is None or all(prompt.points()[place].text is None for place in wanted):
            return checked
        judged = KnownVerdicts.on(prompt, run.header, response, run.panel, self.stored).assessed(checked)
        return tuple(judged[place] if place in wanted else each for place, each in enumerate(checked))


def unjudged_answers(compared: Iterable[TwoRuns]) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
    """What judges could be asked of runs: the answers by old rubrics, and by new ones, each with a run judged so."""
    found: dict[bool, tuple[ComparedRun, list[UnjudgedAnswer]]] = {}
    for runs in compared:
        for of, places in runs.missing.items():
            run, response = runs.judging(of), runs.answering(of).response
            criteria = frozenset(place for place in places if run.assessments[place].point.text is not None)
            if criteria and response is not None:
                answer = UnjudgedAnswer(run.prompt, response.subject, response.thread, criteria)
                found.setdefault(of.has_new_rubric, (run, []))[1].append(answer)
    return [found[is_new] for is_new in sorted(found)]


# --- Two rubrics side by side


class CriterionChange(Record):
    """One criterion in the old and in the new run; None where a rubric lacks it.

    `part` is its cost for the old answer less its cost for the new one. The parts of all criteria add up to the
    difference of the scores.
    """

    old: Assessment | None
    new: Assessment | None
    part: Bounds


def criterion_changes(old: Sequence[Assessment], new: Sequence[Assessment]) -> tuple[CriterionChange, ...]:
    """The criteria of the new rubric in order, then those that only the old one has."""
    pairing, _, _ = match_points([each.placed for each in old], [each.placed for each in new])
    one, other = (point_costs([PointExtent.of(each) for each in side]) for side in (old, new))
    found: list[CriterionChange] = []
    for index, assessment in enumerate(new):
        before = pairing.old_of(index)
        was, cost = (None, NOTHING) if before is None else (old[before], one[before])
        found.append(CriterionChange(was, assessment, less(cost, other[index])))
    found += [CriterionChange(old[index], None, less(one[index], NOTHING)) for index in pairing.old_left]
    return tuple(found)


# --- In words: the answers, the two runs, and their criteria


_MANY_WORDS = 4000
"""In answers of more words together, frequent words are no places where the two are taken to agree: that would take
time that grows with the square of their number."""
_WORDS = re.compile(r"\w+(?:['’.\-]\w+)*|\s+|[^\w\s]")


class Edit(StrEnum):
    """What happened to a piece of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class WordEdit(Record):
    """A piece of the old answer, of the new one, or of both."""

    edit: Edit
    text: str


def word_difference(old: str, new: str) -> tuple[WordEdit, ...]:
    """The pieces of both answers in order. Those of the old, and of the new answer, give its text back exactly.

    A blank alone between two changes is part of both, so that changes read as one.
    """
    one, other = _WORDS.findall(old), _WORDS.findall(new)
    codes = SequenceMatcher(None, one, other, autojunk=len(one) + len(other) > _MANY_WORDS).get_opcodes()

    def is_same(at: int) -> bool:
        tag, start, end, _, _ = codes[at]
        text = "".join(one[start:end])
        is_between = 0 < at < len(codes) - 1 and text.isspace() and "\n" not in text
        return tag == "equal" and not is_between

    found: list[WordEdit] = []
    for same, run in groupby(range(len(codes)), is_same):
        places = list(run)
        first, last = codes[places[0]], codes[places[-1]]
        removed, added = "".join(one[first[1] : last[2]]), "".join(other[first[3] : last[4]])
        pieces = [(Edit.SAME, removed)] if same else [(Edit.REMOVED, removed), (Edit.ADDED, added)]
        found += [WordEdit(edit, text) for edit, text in pieces if text]
    return tuple(found)


# --- Two runs and their criteria


def part_text(*parts: Bounds) -> str:
    """The sum of parts of a difference of scores (−1 to 1): `+4.2`, or `−10…+30` while points are open."""
    one, other = signed_text(sum(each.low for each in parts)), signed_text(sum(each.high for each in parts))
    return one if one == other else f"{one.removesuffix('.0')}…{other.removesuffix('.0')}"


LINES = {
    Combination.OLD: "old result",
    Combination.NEW: "new result",
    Combination.OLD_ON_NEW: "old answer on the new rubric",
    Combination.NEW_ON_OLD: "new answer on the old rubric",
}
"""The name of the score of each answer by each rubric, in the order in which they are shown."""


def two_runs_rows(runs: TwoRuns) -> list[tuple[str, str, str]]:
    """The four scores with the difference of the results below these: a name, a figure, and what is another one."""
    scores = [(name, runs.scores[of].figure, "") for of, name in LINES.items()]
    return [*scores[:2], ("difference", part_text(runs.difference), other_text(runs)), *scores[2:]]


def figures_text(runs: TwoRuns) -> str:
    """The scores: `50.0 → 66.7`."""
    return " → ".join(runs.scores[of].figure for of in _OWN)


def crossed_text(runs: TwoRuns) -> str:
    """What each answer scores on the other rubric; "" where answer or rubric is the same."""
    if runs.same_answer or runs.same_rubric:
        return ""
    return " · ".join(f"{LINES[of]} {runs.scores[of].figure}" for of in reversed(_MIXED))


def verdicts_text(runs: TwoRuns) -> str:
    """What is to know of the verdicts of both runs: `1 verdict before this edit, gpt-4o-mini failed on 1 point`."""
    both = (headline_of(each.assessments).verdicts_text for each in (runs.old, runs.new))
    return "; ".join(dict.fromkeys(filter(None, both)))


def other_text(runs: TwoRuns) -> str:
    """What is another one where the score moved: `answer, rubric`; "" if it did not."""
    return ", ".join(runs.other) if runs.difference.low or runs.difference.high else ""


def other_word(runs: TwoRuns) -> str:
    """The same in a word: `answer`, `rubric`, `both` of these, `verdict`, or `several`."""
    return _one_word(runs.other) if other_text(runs) else ""


def _one_word(names: Sequence[str]) -> str:
    if tuple(names) == ("answer", "rubric"):
        return "both"
    return "several" if len(names) > 1 else "".join(names)


def missing_text(number: int, advice: str) -> str:
    """`1 verdict is missing: that is why there are ranges.`, with `advice`; "" if none is."""
    are = "is" if number == 1 else "are"
    return f"{count(number, 'verdict')} {are} missing: that is why there are ranges.{advice}" if number else ""


def extent_of(assessment: Assessment | None) -> str:
    """The extent of a criterion after inversion: `75.0`; `–` where the rubric lacks it, `open` while it is."""
    if assessment is None:
        return "–"
    return points_text(assessment.extent) if assessment.assessed else "failed" if assessment.failed else "open"


def change_text(change: CriterionChange) -> str:
    """What else changed: `new`, `gone`, `reworded, weight 2, was 1`."""
    if change.old is None:
        return "new"
    if change.new is None:
        return "gone"
    old, new = change.old.point, change.new.point
    parts = ["reworded"] if (old.text, old.function) != (new.text, new.function) else []
    before, now = old.multiplier, new.multiplier
    if before != now:
        parts.append(f"weight {weight_text(now)}, was {weight_text(before)}")
    if change.old.placed.inverted is not change.new.placed.inverted:
        parts.append("now in should_not" if change.new.placed.inverted else "now in should")
    if (change.old.placed.path_id is None) is not (change.new.placed.path_id is None):
        parts.append("now required" if change.new.placed.path_id is None else "now on a path")
    return ", ".join(parts)


def cause_word(change: CriterionChange, runs: TwoRuns) -> str:
    """What made a criterion of two runs count otherwise, in a word; "" if it counts as before.

    What became of it: `new`, `gone`, `reworded`, `weight`, `moved`; else what is another one, as in `other_word`.
    """
    word = change_text(change).partition(" ")[0].rstrip(",")
    if word:
        return "moved" if word == "now" else word
    if not runs.same_answer and extent_of(change.old) != extent_of(change.new):
        return "answer"
    return _one_word(runs.other) if part_text(change.part) != "0.0" else ""


def criterion_rows(runs: TwoRuns) -> Iterator[tuple[str, str, str, str]]:
    """The criteria of both rubrics: old and new extent, part in the difference, text; their sum as the last row."""
    changes = runs.changes.values()
    for change in changes:
        assessment = change.new or change.old
        assert assessment is not None
        label, changed = placed_label(assessment.placed), change_text(change)
        label = f"{label}  ({changed})" if changed else label
        yield extent_of(change.old), extent_of(change.new), part_text(change.part), label
    if changes:
        yield "", "", part_text(*(each.part for each in changes)), "all criteria"


def words_summary(edits: Sequence[WordEdit]) -> str:
    """`3 words removed, 5 added`; `the same answer`."""
    if not any(each.edit is not Edit.SAME for each in edits):
        return "the same answer"
    removed, added = (
        sum(len(each.text.split()) for each in edits if each.edit is edit) for edit in (Edit.REMOVED, Edit.ADDED)
    )
    return f"{count(removed, 'word')} removed, {added} added"


def marked_words(edits: Sequence[WordEdit]) -> str:
    """The difference in one text: `within [-14-]{+30+} days`."""
    marks = {Edit.SAME: "{}", Edit.REMOVED: "[-{}-]", Edit.ADDED: "{{+{}+}}"}
    return "".join(marks[each.edit].format(each.text) for each in edits)
