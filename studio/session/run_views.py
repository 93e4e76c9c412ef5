"""What panes are given of the runs of a file. Every view is the same object until it differs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.evaluation.sources import Candidate, IdealSource, ModelSource, StoredSource
from engine.evaluation.tool_use import Finding
from engine.evidence.prompt_evidence import CheckEvidence, prompt_evidence
from engine.judging.judge_prompt import circularity
from engine.store import rubric_digest
from engine.study.criterion_counts import MetBy, met_by
from engine.study.matrix_view import MatrixOptions, MatrixView, SecondRun
from engine.study.wordings import point_among, points_in
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.host import EnterText, Unusable, ask_until
from studio.session.reference import rule_place
from studio.session.run import Run
from studio.session.state import EMPTY, Part, remembered, selector
from studio.session.views import figures
from studio.session.views.answer_view import (
    AnswerView,
    OwnAnswer,
    answer_view,
    known_answer_view,
    unanswered,
    with_evidence,
)
from studio.session.views.case_view import PromptCases
from studio.session.views.criterion_view import CriterionView
from studio.session.views.figures import ago
from studio.session.views.overview_view import FileCriterion, FileResult
from studio.session.views.result_view import Evidence, ResultView, TextScores, blank_view, result_view

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall, Prompt
    from engine.evaluation.events import Response
    from engine.evaluation.headline import Headline


BESIDE = 2
"""How many answers are read beside each other."""
NO_PROMPT = "Put the cursor into a prompt: F5 runs it."


def _model_of(run: Run) -> str | None:
    """The model that wrote the answer of a run; None for other sources, and for an edited answer."""
    source = run.answered
    return source.model if isinstance(source, ModelSource | StoredSource) else None


def _met_by_others(run: Run, beside: Iterable[Run]) -> tuple[MetBy, ...]:
    """How many other models meet each point of `run`, one answer of each, the last one in `beside`.

    () where no other answer is scored.
    """
    others = [each for each in beside if _is_other(each, run)]
    models = {model: each.assessments for each in others if (model := _model_of(each)) is not None}
    models.pop(_model_of(run) or "", None)
    ideal = next((each.assessments for each in others if isinstance(each.answered, IdealSource)), None)
    return met_by(tuple(models.values()), ideal, len(run.assessments)) if models or ideal else ()


def _is_other(each: Run, run: Run) -> bool:
    """Whether `each` has an answer that is scored by the rubric of `run`, and is another one."""
    same = len(each.assessments) == len(run.assessments) and rubric_digest(each.prompt) == rubric_digest(run.prompt)
    return same and each.candidate.key != run.candidate.key and bool(each.assessments) and not each.running


def _criterion_span(prompts: Sequence[Prompt], place: int) -> Span | None:
    """Where a criterion of the first of `prompts` is written."""
    points = prompts[0].points() if prompts else ()
    return points[place].subject_span if place < len(points) else None


class RunViews(Part):
    """The views of the runs of one file. Call them once the text is analysed."""

    @property
    def _run(self) -> Run | None:
        return self.runs.selection.run

    def headline(self) -> Headline | None:
        """The score of the prompt that is shown; in the header, of the file."""
        if self.state.prompt is None:
            return self.runs.overview.view().total.headline
        return None if self._run is None else self._run.headline

    def result(self) -> FileResult | ResultView:
        """The criteria of the prompt under the cursor; in the header, the dearest of all prompts."""
        prompt, run = self.state.prompt, self._run
        if prompt is None:
            return self.runs.overview.result()
        return self._not_run(prompt) if run is None else self._result(prompt, run)

    def criterion_at_cursor(self) -> int | None:
        """The criterion at the cursor, by its place in `Prompt.points()`; None where there is none."""
        prompt, analysis = self.state.prompt, self.analysis
        points = () if prompt is None else points_in(prompt)
        found = point_among(points, analysis.parsed.text, self.state.cursor)
        return None if found is None else found.index

    @selector(lambda of: of.result())
    def scores(self) -> TextScores:
        """The scores of the run that is shown, at the ends of its criteria."""
        shown = self.result()
        if isinstance(shown, FileResult) or self._run is None:
            return TextScores(0)
        found = (
            (each.point.subject_span.end - 1, each.extent) for each in shown.assessments if each.extent is not None
        )
        return TextScores(self._run.revision, tuple(found))

    def place_of(self, to: int | Span | FileCriterion | Finding | None) -> tuple[int, int] | None:
        """Where in which revision of the text stands what a row of the criteria is about; None where it is gone."""
        analysis, prompt = self.analysis, self.state.prompt if self._run is None else self._run.prompt
        span, revision = None, self.revision_shown()
        match to:
            case Span():
                span = to
            case int() if prompt is not None:
                span = _criterion_span((prompt,), to)
            case FileCriterion():
                revision = analysis.revision
                span = _criterion_span(analysis.blueprint.prompts[to.number - 1 :], to.place)
            case Finding() if self.state.prompt is not None:
                revision = analysis.revision
                span = rule_place(analysis, self.state.prompt, to)
            case _:
                pass
        return None if span is None else (span.start, revision)

    def _not_run(self, prompt: Prompt) -> ResultView:
        teaching = f"F5 runs this prompt with {self.runs.configuration.labels[0]}. F9 chooses other answers."
        last = self.runs.history.score(self.analysis, prompt, self.runs.configuration.candidate.key)
        if last is not None:
            other = "" if last.is_comparable else ", by another rubric"
            when = f"The last run, {ago(last.began, figures.now())}"
            teaching = f"{when}, {last.headline.said('scored')}{other}. {teaching}"
        blank = remembered(self.session, blank_view, (prompt,), lambda: blank_view(prompt))
        view = replace(blank, teaching=teaching, is_unread=prompt.is_cut_off, cases=self._cases)
        return remembered(self.session, RunViews._not_run, (), lambda: view)

    def _result(self, prompt: Prompt, run: Run) -> ResultView:
        runs = self.runs
        parts = (
            self.analysis,
            prompt,
            run,
            self._beside(),
            runs.own_prices,
            self._newest,
            runs.expected.wanted,
            self._cases,
            runs.evidence.of(run),
            self._met(),
            self._circular(),
            None if self.state.tried is None else self.state.tried.changes,
            runs.next_step.judge_price(),
        )
        return remembered(self.session, RunViews._result, parts, lambda: result_view(*parts))

    @property
    def _newest(self) -> int:
        """The number of the newest run of the prompt that is shown; 0 without one."""
        place = self.state.place
        return 0 if place is None else max((run.started for run in self.runs.selection.of_prompt(place)), default=0)

    @property
    def _cases(self) -> PromptCases | None:
        return None if self.state.prompt is None else self.state.cases.prompts.get(self.state.prompt.index)

    @selector(lambda of: of.state.runs, lambda of: of.state.place, lambda of: of.runs.configuration.candidates)
    def _beside(self) -> tuple[tuple[Candidate, Run | None], ...]:
        """The candidates with their runs of the prompt that is shown, if there are several."""
        place, chosen = self.state.place, self.runs.configuration.candidates
        if place is None or len(chosen) < 2:
            return ()
        return tuple((each, self.runs.selection.newest(place, each.key)) for each in chosen)

    @selector(
        lambda of: of.state.analysis,
        lambda of: of.state.prompt,
        lambda of: of._growing,
        lambda of: of._run and of.runs.evidence.of(of._run),
        lambda of: of.state.row,
        lambda of: of.state.choice,
        lambda of: of.state.opened,
        lambda of: of.state.written,
        lambda of: of.state.times_loaded,
    )
    def answer(self) -> AnswerView:
        """The answer to the prompt under the cursor."""
        prompt, place, run, runs = self.state.prompt, self.state.place, self._growing, self.runs
        if prompt is None or place is None:
            return AnswerView("", (NO_PROMPT,))
        header = self.analysis.header
        if run is None:
            view = unanswered(prompt, runs.configuration.candidate.variant, header, runs.configuration.labels[0])
        else:
            view = answer_view(run, prompt.render_as, header, runs.own_prices)
        own = None
        if runs.selection.is_writing:
            own = OwnAnswer(place.prompt, runs.selection.written(place), self.state.times_loaded)
        lit = self._evidence(run)
        return replace(
            view,
            turns=with_evidence(view.turns, lit.spans),
            row=self.state.row,
            is_closest=lit.is_closest,
            can_step=len(runs.configuration.candidates) > 1,
            again=f"{view.again}{', judges extra' * bool(view.again and self.state.choice.judges_as)}",
            own=own,
        )

    @selector(lambda of: of.runs.criterion.view(), lambda of: of.state.prompt)
    def answers_of_criterion(self) -> tuple[AnswerView, ...]:
        """Of all answers, the selected one, or the two that are marked; () without one."""
        view, prompt = self.runs.criterion.view(), self.state.prompt
        if not isinstance(view, CriterionView) or view.selected is None or prompt is None:
            return ()
        read = view.marked if len(view.marked) == BESIDE else (view.selected,)
        return tuple(known_answer_view(each, prompt, self.analysis.header, view) for each in read)

    @property
    def _growing(self) -> Run | None:
        """The run that is shown, with as much of its answer as has arrived."""
        run = self._run
        arrived = None if run is None else self.state.arriving.get(run.slot)
        return run if run is None or arrived is None else replace(run, arrived=arrived)

    def matrix(self, options: MatrixOptions, second: SecondRun | None = None) -> MatrixView:
        """All prompts and models, looked at with these options; `second` is laid under them, or under some of them."""
        shown = self.runs.matrix.of_all() if second is None else second.matrix
        parts = shown, options, second
        return remembered(self.session, RunViews.matrix, parts, lambda: MatrixView(*parts))

    def revision_shown(self) -> int:
        """The revision of the text that the shown run was made from; without one, the one last analysed."""
        return self.analysis.revision if self._run is None else self._run.revision

    @selector(lambda of: of._run, lambda of: of.state.runs, lambda of: of.state.found)
    def _met(self) -> tuple[MetBy, ...]:
        """How many other models meet each point of the run, by their newest runs with this rubric, stored ones too."""
        if (run := self._run) is None:
            return ()
        return _met_by_others(run, (*self.runs.stored_models.of(run.prompt), *self.runs.selection.of_prompt(run.place)))

    @selector(lambda of: of._run, lambda of: of.resources.settings.values.drafted)
    def _circular(self) -> str:
        """What the score of the ideal says, if points were drafted from it."""
        drafted = frozenset(self.resources.settings.values.drafted)
        return "" if self._run is None else circularity(self._run.prompt, drafted)

    def _evidence(self, run: Run | None) -> Evidence:
        """The places in the answer of `run`, which is shown, that the selected row of its result is based on."""
        shown, (point, spans) = self.result(), self.state.row
        if run is None or run.response is None or not isinstance(shown, ResultView):
            return Evidence()
        return Evidence(tuple(spans)) if point is None or point >= len(run.assessments) else shown.lit(point)


_Request: TypeAlias = "tuple[tuple[FunctionCall | None, ...], str]"
"""The checks of the points, and the answer."""


class EvidenceSearch(Part):
    """Collects evidence for one answer at a time. Patterns run in V8's process."""

    def request(self, run: Run) -> None:
        """Collect the evidence in the answer of `run`, which is shown and was checked."""
        request, response = _request_for(run), run.response
        if request is not None and response is not None:
            self.find("evidence", run.slot, request, lambda: asyncio.to_thread(self.collected, run.prompt, response))

    def of(self, run: Run) -> Mapping[int, CheckEvidence]:
        """The evidence by the places of checks in `Prompt.points()`; empty until it is collected."""
        request = _request_for(run)
        found = None if request is None else self.beside("evidence", run.slot, request)
        return EMPTY if found is None else found

    def collected(self, prompt: Prompt, response: Response) -> Mapping[int, CheckEvidence]:
        """The evidence in an answer to `prompt`. Blocks."""
        return prompt_evidence(prompt, response, self.resources.javascript()).found


def _request_for(run: Run) -> _Request | None:
    if run.response is None or run.explanation is None or run.failed is not None:
        return None
    checks = tuple(point.function for point in run.prompt.points())
    return (checks, run.response.subject) if any(checks) else None


_SCORE = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*%?\s*")
_WHICH_SCORE = EnterText(
    "What score did you expect?",
    "From 0 to 100. The result then lists the fewest criteria that an answer has to meet for it.",
    placeholder="such as 85",
)


class ExpectedScores(Part):
    """Asks for the score that a prompt's result should have, and remembers it while the file is open."""

    @property
    def wanted(self) -> float | None:
        """The score (0–1) that was expected of the prompt that is shown; None if the author named none."""
        place = self.state.place
        return None if place is None else self.state.wanted.get(place.prompt)

    async def ask_or_clear(self) -> None:
        """Ask what score the author expected of the result that is shown; if they named one, forget it."""
        run, place = self.runs.selection.run, self.state.place
        if run is None or place is None or run.explanation is None:
            self.host.notify("There is no score yet: F5 runs this prompt.", seconds=3)
            return
        if place.prompt in self.state.wanted:
            self.change(wanted={prompt: score for prompt, score in self.state.wanted.items() if prompt != place.prompt})
        else:
            wanted = await ask_until(self.host, _WHICH_SCORE, _score)
            self.change(wanted={**self.state.wanted, place.prompt: wanted})


async def _score(written: str) -> float:
    """The score (0–1) that the author wrote from 0 to 100."""
    found = _SCORE.fullmatch(written)
    score = None if found is None else float(found[1].replace(",", "."))
    if score is None or score > 100:
        raise Unusable("Write a number from 0 to 100, such as 85.")
    return score / 100
