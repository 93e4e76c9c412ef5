"""Blind grading: the names of answers and what judges say of them stay hidden until the author has graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.scoring.explanation import listed
from engine.store import HUMAN
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId
from engine.study import judged_pairs
from engine.study.case import is_failed
from engine.study.judged_pairs import JudgedSample, is_passed
from engine.study.wordings import points_in
from engine.text.record import Record, replace, text_digest
from engine.text.spans import count, in_quotes, one_line
from studio.session.state import EMPTY, Part
from studio.session.views.criterion_view import CriterionRow, CriterionView, SelectedAnswer

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade
    from engine.store import Store
    from engine.study.wordings import FoundPoint, KnownAnswer
    from studio.session.followed_criterion import FollowedCriterion

_LONGEST = 70


class GradedBlind(Record):
    """The grade of an answer with this label, None where it was skipped. `passes`: the judges do; None if unjudged."""

    label: str
    grade: Grade | None
    passes: bool | None


class Sitting(Record, eq=False):
    """One sitting. `fresh` are the judged pairs that were not decided before it; `seed` is what it shuffles by.

    `given` is what was graded and skipped in it. `is_over`: names and verdicts are shown again.
    """

    found: JudgedSample
    fresh: frozenset[PairId]
    seed: int
    given: Mapping[PairId, GradedBlind] = EMPTY
    is_over: bool = False

    def agreement(self, means: Mapping[PairId, float | None]) -> str:
        """How far the judges agree with the author, in sentences. `means` are verdicts that came since."""
        graded = {
            pair: each if (mean := means.get(pair)) is None else replace(each, passes=not is_failed(mean))
            for pair, each in self.given.items()
            if each.grade is not None
        }
        judged = sum(each.passes is not None for each in graded.values())
        if not graded:
            return ""
        if not judged:
            return f"You graded {count(len(graded), 'answer')} blind, on which there is no verdict to compare with yet."
        is_one = len({pair.criterion for pair in graded}) == 1
        differing: dict[bool, list[str]] = {True: [], False: []}
        for pair, each in graded.items():
            assert each.grade is not None
            mine = is_passed(each.grade.extent, inverted=pair.criterion.block.inverted)
            if each.passes is not None and mine is not each.passes:
                criterion = "" if is_one else f" on {in_quotes(one_line(pair.criterion.text, longest=_LONGEST))}"
                differing[each.passes].append(f"{each.label}{criterion}")
        agreed, rate = judged - sum(map(len, differing.values())), self.found.rate()
        sentences = (
            f"Graded blind: the judges agree with you on {agreed} of {count(judged, 'answer')}.",
            f"They pass what you fail: {listed(differing[True])}." if differing[True] else "",
            f"They fail what you pass: {listed(differing[False])}." if differing[False] else "",
            f"{judged_pairs.rate_lines(rate)[0]} This is of the random sample of the file." if rate.graded else "",
        )
        return " ".join(filter(None, sentences))


class BlindGrading(Part):
    """Sittings of blind grading. Its commands act at once; what was graded is saved behind them."""

    @property
    def sitting(self) -> Sitting | None:
        """The sitting that goes on."""
        sitting = self.state.sitting
        return None if sitting is None or sitting.is_over else sitting

    async def begin(self) -> None:
        """Hide names and verdicts. Where there is no sample of judged pairs, one is drawn."""
        blueprint = self.analysis.blueprint
        found = await self.session.stored(lambda store: self._found(store, blueprint), None)
        if found is not None:
            fresh = frozenset(found.judged) - found.of().keys()
            self.change(sitting=Sitting(found, fresh, judged_pairs.new_seed()), marked=())
            await self.runs.criterion.read()
            view = self.runs.criterion.view()
            if view is not None and view.rows:
                self.runs.criterion.select(view.rows[0].key)  # what was selected has a name

    def _found(self, store: Store, blueprint: Blueprint) -> JudgedSample:
        found = judged_pairs.load_sample(store, blueprint, self.state.path)
        is_usable = any(pair in found.judged for pair in found.pairs)
        return found if is_usable or not found.judged else judged_pairs.draw_sample(store, found)

    def end(self) -> bool:
        """Show names and verdicts again; whether they were hidden."""
        sitting = self.sitting
        if sitting is not None:
            self.change(sitting=replace(sitting, is_over=True))
        return sitting is not None

    def judged(self, current: FollowedCriterion) -> Mapping[str, bool]:
        """The answers, by digest, that judges judged by a criterion, as chosen to be graded; {} without a sitting."""
        pairs = () if self.sitting is None else self.sitting.found.judged
        place, criterion = current.place.prompt, current.criterion
        return {pair.subject: True for pair in pairs if (pair.prompt, pair.criterion) == (place, criterion)}

    def note(self, current: FollowedCriterion, key: str, grade: Grade | None) -> None:
        """Note a grade in the sitting that goes on. An answer without one is skipped, and counts as that."""
        sitting = self.sitting
        answer = current.answer(key)
        if sitting is None or answer is None:
            return
        pair, found = _pair(current, key), sitting.found
        graded = GradedBlind(answer.label, grade, self._passes(sitting, pair))
        if pair in sitting.fresh:
            grades = {pair: BlindGrade(grade)}
            found = replace(found, grades={**found.grades, HUMAN: {**found.of(), **grades}})
            save = self.session.save(lambda store: store.save_blind_grades(found.key, HUMAN, grades))
            self.effect("blind grades", save)
        self.change(sitting=replace(sitting, found=found, given={**sitting.given, pair: graded}))

    def _passes(self, sitting: Sitting, pair: PairId) -> bool | None:
        """Whether the judges pass an answer: by the present verdicts, else by those of the run that had it."""
        view = self.runs.criterion.revealed()
        rows = () if view is None else view.rows
        mean = next((row.mean for row in rows if row.key == pair.subject), None)
        judged = sitting.found.judged.get(pair)
        return not is_failed(mean) if mean is not None else None if judged is None else judged.is_passed

    def skip(self, key: str) -> None:
        """Skip an answer to the selected criterion that has no grade."""
        current, sitting = self.runs.criterion.current, self.sitting
        if current is not None and sitting is not None and _pair(current, key) not in sitting.given:
            self.note(current, key, None)

    def next(self) -> tuple[FoundPoint, PairId] | None:
        """The next pair of the file to grade, and where its criterion stands; None where none is left."""
        sitting = self.sitting
        if sitting is None:
            return None
        analysis, found = self.analysis, sitting.found
        decided = {*found.of(), *sitting.given}
        prompts = {analysis.place(each).prompt: each for each in analysis.blueprint.prompts}
        for queued in judged_pairs.grading_queue(found.pairs, found.judged, decided):
            pair = queued.id
            for point in points_in(prompts[pair.prompt]) if pair.prompt in prompts else ():
                if (point.placed.rubric.block, point.point.text) == (pair.criterion.block, pair.criterion.text):
                    return point, pair
        return None


def _pair(current: FollowedCriterion, key: str) -> PairId:
    return PairId(current.place.prompt, key, current.criterion)


# --- What is shown


def in_sitting(sitting: Sitting, view: CriterionView, current: FollowedCriterion) -> CriterionView:
    """`view` with neither names nor verdicts, shuffled; once the sitting is over, with the agreement."""
    if sitting.is_over:
        return replace(view, agreement=sitting.agreement({_pair(current, row.key): row.mean for row in view.rows}))
    order = sorted(view.rows, key=lambda row: text_digest(f"{sitting.seed} {row.key}"))
    names = {row.key: f"answer {number}" for number, row in enumerate(order, 1)}
    done = {pair.subject for pair in sitting.given if pair == _pair(current, pair.subject)}
    rows = tuple(
        CriterionRow(_nameless(row.answer, names), "", row.grade, (), row.inverted, row.key in done) for row in order
    )
    graded, decided = sum(row.is_done for row in rows), sitting.found.of()
    sampled = [pair for pair in sitting.found.pairs if pair in sitting.found.judged]
    sample = f" · {sum(pair in decided for pair in sampled)} of {len(sampled)} of the file's sample"
    return replace(
        view,
        wording="blind: names and verdicts are hidden",
        state=f"{graded} of {len(rows)} graded here{sample if sampled else ''}",
        rows=rows,
        selected=None if view.selected is None else _hidden_answer(view.selected.answer, names),
        marked=tuple(_hidden_answer(each.answer, names) for each in view.marked),
        foot=(),
        has_judges=False,
        has_earlier=False,
        is_blind=True,
    )


def _hidden_answer(answer: KnownAnswer, names: Mapping[str, str]) -> SelectedAnswer:
    return SelectedAnswer(_nameless(answer, names), (), "", (), is_closest=False, judgements=(), needs_care=False)


def _nameless(answer: KnownAnswer, names: Mapping[str, str]) -> KnownAnswer:
    return replace(answer, labels=(names[answer.key],), case=None, test=None, model=None, is_ideal=False)
