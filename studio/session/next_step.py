"""What would help most now, from the state: its facts, what its key costs, and the best impostor of the ideal."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.asking.run_plan import Part as Role
from engine.asking.run_plan import about_text
from engine.evaluation.sources import Candidate, IdealSource
from engine.evaluation.verdicts import points_to_judge
from engine.judging.panel import Panel
from engine.scoring.assessment import AssessedBy
from engine.scoring.explanation import points_text, whole_text
from engine.study.case import is_failed, judges_differ, prompt_names
from engine.study.case_scoring import BesideIdeal, beside_ideal
from engine.text.record import replace
from engine.text.spans import count, positions
from studio.session.evaluator import Launch, duration
from studio.session.followed_criterion import cases_of_prompt
from studio.session.run import Run
from studio.session.run_configuration import labels_of
from studio.session.state import Part, selector
from studio.session.views.criterion_view import CriterionRow, CriterionView
from studio.session.views.next_view import Asks, Facts, NextView, WordingFacts, next_view, situation
from studio.session.views.result_view import fixable, is_stale

if TYPE_CHECKING:
    from engine.asking.planner import Wanted
    from engine.blueprint import Prompt
    from engine.text.spans import Span
    from studio.session.analysis import Analysis

_IMPOSTOR, _PRICE = "impostor", "price of "
_REST_SECONDS = 0.3
"""How long what is asked for must rest before its price is worked out."""
_JUDGES = (Role.JUDGE, Role.BACKUP)
_LEAST_COST = 0.01
"""What a criterion costs, or a fix adds, is told from this on (0–1)."""


class NextStep(Part):
    """Tells the next step, and works out beside what that costs."""

    @selector(lambda of: of._facts(), lambda of: of._price())
    def view(self) -> NextView:
        """What would help most now."""
        row, facts, price = situation(self._facts()), self._facts(), self._price()
        return next_view(facts if row.asks is None or not price else replace(facts, prices={row.asks: price}))

    def follow(self) -> None:
        """Work out what the next step costs, and, once the ideal is scored, which impostor comes nearest to it."""
        criterion = Asks.CRITERION if self.state.where.sees_answers else None
        for asks in filter(None, {situation(self._facts()).asks, self._judging, criterion}):
            self.find(_PRICE + asks, asks, self._of(asks), partial(self._find_price, asks), rest=_REST_SECONDS)
        analysis, prompt, run = self.state.analysis, self.state.prompt, self._ideal_run
        if analysis is not None and prompt is not None and run is not None and run.explanation is not None:
            self.find(_IMPOSTOR, run.slot, self._of_ideal(run), partial(self._find_impostor, analysis, prompt))

    # --- Facts

    @selector(lambda of: of.state)
    def _facts(self) -> Facts:
        state, analysis = self.state, self.state.analysis
        now = Facts(state.where, self._going(), is_new=state.file.opened.digest is None, unsaved=state.unsaved)
        if analysis is None:
            return replace(now, number=None)
        prompts, runs = analysis.blueprint.prompts, self._newest(analysis)
        source, were_run = self.runs.configuration.candidate.source, {each.place for each in runs}
        answered = [analysis.place(each) for each in prompts if self.runs.has_answer(analysis, each, source)]
        now = replace(
            now,
            unread=self._unread(),
            problems=len(analysis.diagnostics or ()),
            prompts=len(prompts),
            number=None,
            asks_nothing=bool(prompts) and not any(map(_asks, prompts)),
            has_judges=self._panel(analysis) is not None,
            answered=len(answered),
            left=sum(place not in were_run for place in answered),
            errors=analysis.total.errors,
            open=sum(map(_open, runs)) if state.prompt is None else 0,
            dearest_of_all=self._dearest_of_all() if state.prompt is None else "",
            wording=self._wording() if state.where.sees_answers else WordingFacts(),
            is_trying=state.tried is not None,
        )
        return now if state.prompt is None else self._of_prompt(now, analysis, state.prompt)

    @selector(lambda of: of.analysis.parsed)
    def _unread(self) -> int:
        """The line, from 1, from which on the file cannot be read; 0 if it can."""
        parsed = self.analysis.parsed
        error = parsed.tree.error
        return 0 if error is None else next(positions(parsed.text, [error.offset])).line + 1

    def _going(self) -> str:
        """`3 of 8 · 12 s left`, `the judges have 3 criteria to go · 12 s`; "" if nothing runs."""
        progress, run = self.state.progress, self.runs.selection.run
        if progress is None:
            return ""
        if progress.total > 1:
            return str(progress)
        what = "1 prompt" if run is None or not run.running else _doing(run)
        return f"{what} · {duration(progress.seconds)}"

    def _newest(self, analysis: Analysis) -> Sequence[Run]:
        """The newest run of each prompt with the candidate that is shown, where there is one."""
        key = self.runs.configuration.candidate.key
        found = (self.state.runs.get((analysis.place(each).prompt, key)) for each in analysis.blueprint.prompts)
        return [run for run in found if run is not None]

    def _dearest_of_all(self) -> str:
        return _told(max((each.cost for each in self.runs.overview.result().criteria), default=0.0))

    def _panel(self, analysis: Analysis) -> Panel | None:
        """The judges chosen, None for none."""
        found = self.runs.configuration.judges(analysis.header)
        return found if found is not None and found.judges else None

    def _wording(self) -> WordingFacts:
        current, view = self.runs.criterion.current, self.runs.criterion.view()
        if current is None or not isinstance(view, CriterionView) or not view.name:
            return WordingFacts()
        report = current.report
        going = "checking …" if report is None else f"{report.done} of {report.total} verdicts"
        failing = [row for row in view.rows if _fails(row, view)]
        return WordingFacts(
            going if view.is_running else "",
            len(view.rows),
            sum(row.mean is not None for row in view.rows),
            view.is_check,
            any(row.answer.is_ideal for row in failing),
            any(row.answer.is_ideal and row.is_graded for row in failing),
            sum(row.label == "good" and not row.answer.is_ideal for row in failing),
            sum(not row.is_done for row in view.rows) if view.is_blind else None,
        )

    def _of_prompt(self, now: Facts, analysis: Analysis, prompt: Prompt) -> Facts:
        candidates = self.runs.configuration.candidates
        cases = self.state.cases.prompts.get(prompt.index)
        may_run = any(self.runs.has_answer(analysis, prompt, each.source) for each in candidates)
        of_ideal = isinstance(candidates[0].source, IdealSource)
        lacks = "no ideal" if of_ideal else "no answer of yours"
        now = replace(
            now,
            number=prompt.index + 1,
            errors=analysis.tallies[prompt.index + 1].errors if analysis.tallies else 0,
            asks_nothing=not _asks(prompt),
            criteria=len(prompt.points()),
            answers="its ideal" if candidates == (Candidate(IdealSource()),) else labels_of(candidates)[0],
            lacks="" if may_run else lacks,
            labelled=0 if cases is None else cases.good + cases.bad,
        )
        if not now.criteria or (now.lacks and of_ideal):
            now = self._with_fixes(now, analysis, prompt)
        run = self.runs.selection.run
        return replace(now, is_run=False) if run is None else self._of_run(now, analysis, prompt, run)

    def _with_fixes(self, now: Facts, analysis: Analysis, prompt: Prompt) -> Facts:
        """What may be why a prompt has no criteria or no ideal, such as a key that is misspelt."""
        lines, fixes = analysis.parsed.lines, [each for each in fixable(analysis, prompt) if each.severity.rank < 2]
        here = lines.position(self.state.cursor).line
        return replace(
            now, fixes=len(fixes), has_fix_here=any(lines.position(each.span.start).line == here for each in fixes)
        )

    def _of_run(self, now: Facts, analysis: Analysis, prompt: Prompt, run: Run) -> Facts:
        if run.failed is not None and run.explanation is None:
            return replace(now, is_stopped=run.failed.stopped, failed=run.failed.title.rstrip("."))
        ideal = self._ideal_run
        beside: BesideIdeal | None = None
        if ideal is not None and not is_stale(analysis, prompt, ideal):
            beside = self.beside(_IMPOSTOR, ideal.slot, self._of_ideal(ideal))
        differ, at = max(_differences(run), default=(0.0, None))
        return replace(
            now,
            open=_open(run),
            ideal_is_open=self.runs.unjudged_ideal(run) is not None,
            dearest=_told(max(_costs(run), default=0.0)),
            differ=whole_text(differ) if differ else "",
            differ_at=at,
            selected=self.state.row[0],
            gain=_told(_gain(analysis, prompt, run)),
            impostor="" if beside is None else beside.figures,
        )

    # --- Prices

    def _price(self) -> str:
        """What the next step costs, in words; "" before that is known."""
        asks = situation(self._facts()).asks
        return "" if asks is None else self._price_of(asks)

    def _price_of(self, asks: Asks) -> str:
        return self.beside(_PRICE + asks, asks, self._of(asks)) or ""

    def judge_price(self) -> str | None:
        """What the key that judges costs, "" before that is known; None where there is nothing to judge, or nobody."""
        return None if self._judging is None else self._price_of(self._judging)

    @property
    def _judging(self) -> Asks | None:
        """What the key that judges asks about: what is open of the answer shown, else of the ideal."""
        analysis, run = self.state.analysis, self.runs.selection.run
        if analysis is None or run is None or run.running or run.response is None or self._panel(analysis) is None:
            return None
        if points_to_judge(run.assessments):
            return Asks.JUDGE
        return None if self.runs.unjudged_ideal(run) is None else Asks.IDEAL

    def price_of_criterion(self) -> str:
        """What it costs to run the criterion whose answers are seen: `about $0.004`, `free`; "" before it is known."""
        current, analysis = self.runs.criterion.current, self.state.analysis
        if current is None or analysis is None or current.is_by_service:
            return ""
        is_free = current.written.is_check or self._panel(analysis) is None
        return "free" if is_free else self._price_of(Asks.CRITERION).rpartition(", ")[2]

    def _of(self, asks: Asks) -> Hashable:
        """What a price depends on."""
        analysis, choice, run = self.state.analysis, self.state.choice, self.runs.selection.run
        current = self.runs.criterion.current if asks is Asks.CRITERION else None
        wording = None if current is None else (current.written.name, *(each.key for each in current.answers.chosen))
        prompt = None if self.state.prompt is None else self.state.prompt.index
        number = None if run is None else run.number
        return analysis and analysis.number, choice.answers, choice.judges_as, prompt, number, wording

    async def _find_price(self, asks: Asks) -> str | None:
        wanted = self._wanted(asks)
        if wanted is None:
            return None
        plan = (await wanted.plan(None, keyless=True)).plan
        is_paid = plan.requests.most > 0 and (plan.dollars is None or plan.dollars.most > 0)
        is_of_judges = asks in (Asks.RUN, Asks.ALL) and all(each.part in _JUDGES for each in plan.shares)
        return f"free; its judges {about_text(plan)}" if is_paid and is_of_judges else about_text(plan)

    def _wanted(self, asks: Asks) -> Wanted | None:
        """What the key of the next step would ask for."""
        analysis, prompt = self.state.analysis, self.state.prompt
        if analysis is None:
            return None
        judges = self._panel(analysis)
        if asks is Asks.CRITERION:
            current = self.runs.criterion.current
            return current and self.runs.criterion.wanted(current, current.answers.chosen)
        runs = tuple(self._runs_of(asks, prompt))
        launch = Launch(analysis.blueprint, runs, judges)
        return self.runs.evaluator.wanted(launch) if runs else None

    def _runs_of(self, asks: Asks, prompt: Prompt | None) -> Iterator[Run]:
        run = self.runs.selection.run
        match asks:
            case Asks.ALL:
                yield from self.runs.runs_of(None)
            case Asks.JUDGE if run is not None and run.response is not None:
                yield run
            case Asks.IDEAL if run is not None and (ideal := self.runs.unjudged_ideal(run)) is not None:
                yield ideal
            case Asks.RUN if prompt is not None:
                yield from self.runs.runs_of(prompt)
            case _:
                pass

    # --- The impostor

    @property
    def _ideal_run(self) -> Run | None:
        """The newest run of the prompt that is shown with its ideal, once it has ended."""
        place = self.state.place
        run = None if place is None else self.runs.selection.newest(place, IdealSource().key)
        return None if run is None or run.running else run

    def _of_ideal(self, run: Run) -> Hashable:
        """What the best impostor depends on: the runs of the prompt too, whose verdicts and grades may be its own."""
        judges = self.runs.evaluator.counted_panel(self.analysis.header)
        return judges, tuple(each.number for each in self.runs.selection.of_prompt(run.place))

    async def _find_impostor(self, analysis: Analysis, prompt: Prompt) -> BesideIdeal | None:
        check = self.runs.cases.check(analysis.blueprint)
        name, path = prompt_names(analysis.blueprint)[prompt.index], self.state.path
        return await asyncio.to_thread(lambda: beside_ideal(check, name, cases_of_prompt(path, name)))


def _doing(run: Run) -> str:
    """What a run is doing."""
    if run.response is None:
        return f"{run.candidate.label} answers"
    if not run.waiting:
        return "the checks run"
    return f"the judges have {count(len(run.waiting), 'criterion', 'criteria')} to go"


def _fails(row: CriterionRow, view: CriterionView) -> bool:
    """Whether an answer fails the criterion: by the author's grade of this wording, else by the mean of the judges."""
    if row.grade is not None and row.is_graded:
        extent = row.grade.grade.extent
        return is_failed(1 - extent if view.is_inverted else extent)
    return row.fails


def _open(run: Run) -> int:
    """How many criteria in words are without a verdict on the present text."""
    return 0 if run.running or run.explanation is None else len(points_to_judge(run.assessments))


def _costs(run: Run) -> Iterator[float]:
    explanation = run.explanation
    if explanation is not None and not explanation.is_partial:
        yield from (point.cost for group in explanation.groups() for point in group.points if point.cost is not None)


def _differences(run: Run) -> Iterator[tuple[float, int]]:
    """How far judges lie apart who differ, on each criterion by its place that they decide."""
    for place, judgements in run.judgements.items():
        if place < len(run.assessments) and (assessment := run.assessments[place]).by is AssessedBy.JUDGE:
            given = (each.verdict.extent for each in judgements if each.verdict is not None)
            extents = [1 - each if assessment.placed.inverted else each for each in given]
            if judges_differ(extents):
                yield max(extents) - min(extents), place


def _gain(analysis: Analysis, prompt: Prompt, run: Run) -> float:
    """What the best advice adds that has a fix in the text."""
    if run.explanation is None or not run.explanation.advice or is_stale(analysis, prompt, run):
        return 0.0
    fixes = [each.span for each in fixable(analysis, prompt)]
    spans = ((each.gain, each.span) for each in run.explanation.advice if each.span is not None)
    return max((gain for gain, span in spans if any(_touch(span, fix) for fix in fixes)), default=0.0)


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _asks(prompt: Prompt) -> bool:
    return any(message.content for message in prompt.messages)


def _told(score: float) -> str:
    return points_text(score) if score >= _LEAST_COST else ""
