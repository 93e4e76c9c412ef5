"""What panes are given of the runs of a file. Every view is the same object until it differs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from engine.evaluation.sources import IdealSource, ModelSource, StoredSource
from engine.evaluation.tool_use import policy_of
from engine.models.prices import OwnPrices
from engine.store import rubric_digest
from engine.study.criterion_counts import MetBy, met_by
from engine.study.good_answers import circularity
from studio.session.analysis import Analysis
from studio.session.answer_choice import label_of
from studio.session.document import Document
from studio.session.evidence_search import EvidenceSearch
from studio.session.expected_scores import ExpectedScores
from studio.session.last_runs import LastRuns
from studio.session.live_cases import LiveCases
from studio.session.model_grid import ModelGrid
from studio.session.overview import BlueprintOverview
from studio.session.prompt_history import PromptHistory
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration
from studio.session.run_queue import RunQueue
from studio.session.run_selection import RunSelection
from studio.session.stored_models import StoredModels
from studio.session.views import ages
from studio.session.views.ages import ago
from studio.session.views.case_view import CasesView
from studio.session.views.conversation_view import ConversationView, conversation_view
from studio.session.views.grid_view import GridOptions, GridView, SecondRun
from studio.session.views.history_view import HistoryView, NoHistory
from studio.session.views.latest import Latest, Same
from studio.session.views.overview_view import Overview, PromptStanding
from studio.session.views.response_view import Evidence, NoResponse, ResponseView, WrittenResponse, response_view
from studio.session.views.result_view import (
    NoResult,
    ResultView,
    closest_to_point,
    fixable_places,
    is_stale,
    quoted_by_judges,
    result_view,
)
from studio.session.views.totals import age_text, total_texts

NO_PROMPTS = "This file has no prompt to run."
NO_PROMPT = "Put the cursor into a prompt: F5 runs it."
_NO_RUN_YET = "No run of this prompt yet. F5 runs it; each run stays here with its answer and its score."


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


class RunViews:
    """The views of the runs of one file. Call them once the text is analysed."""

    def __init__(
        self,
        document: Document,
        configuration: RunConfiguration,
        selection: RunSelection,
        queue: RunQueue,
        history: PromptHistory,
        overview: BlueprintOverview,
        expected: ExpectedScores,
        grid: ModelGrid,
        evidence: EvidenceSearch,
        last: LastRuns,
        cases: LiveCases,
        stored_models: StoredModels,
    ) -> None:
        self._document = document
        self._configuration = configuration
        self._selection = selection
        self._queue = queue
        self._runs_of_prompt = history
        self._blueprint = overview
        self._expected = expected
        self._models = grid
        self._checks = evidence
        self._last = last
        self._cases = cases
        self._stored_models = stored_models
        self._met: tuple[object, tuple[MetBy, ...]] = (None, ())
        self._drafted: tuple[object, str] = (None, "")
        self.own_prices = OwnPrices({})
        """The prices in the author's settings."""
        self._scores = Latest[tuple[str, ...]]()
        self._result = Latest[NoResult | ResultView]()
        self._response = Latest[ResponseView]()
        self._conversation = Latest[ConversationView]()
        self._history = Latest[NoHistory | HistoryView]()
        self._grid = Latest[GridView]()

    def standings(self) -> tuple[PromptStanding, ...]:
        """The results of all prompts with the candidate that is shown; () if nothing was run."""
        return self.overview().prompts if self._has_scores else ()

    @property
    def cases(self) -> CasesView:
        """How the cases of the blueprint stand."""
        return self._cases.view

    @property
    def _has_scores(self) -> bool:
        return self._selection.has_runs or self._last.is_known

    def overview(self) -> Overview:
        """The blueprint as a whole."""
        analysis = self._analysis
        candidate = self._configuration.candidate(analysis.header)
        is_running = self._queue.is_running
        return self._blueprint.of(analysis, candidate.key, candidate.label, self.cases.text, is_running=is_running)

    def scores(self) -> tuple[str, ...]:
        """The score of the file in words, the longest form first; () if nothing was scored."""
        if not self._has_scores:
            return ()
        overview = self.overview()
        total, age = overview.total, age_text(overview.ages, ages.now())
        return self._scores.of(
            (Same(overview), age), lambda: total_texts(total.headline, total.scored, overview.prompt_count, age)
        )

    def result(self) -> Overview | NoResult | ResultView:
        """The result of the prompt under the cursor; in the header, of the blueprint as a whole."""
        analysis, prompt, run = self._analysis, self._selection.prompt, self._selection.run
        if prompt is None:
            return self.overview()
        chosen = self._configuration.candidates(analysis.header)
        if run is None:
            teaching = f"F5 runs this prompt with {label_of(chosen)}. F9 chooses other answers."
            last = self._last.score(analysis, prompt, self._configuration.candidate(analysis.header).key)
            if last is not None:
                other = "" if last.is_comparable else ", by another rubric"
                when = f"The last run, {ago(last.began, ages.now())}"
                teaching = f"{when}, {last.headline.said('scored')}{other}. {teaching}"
            return self._result.same(NoResult(prompt.id, teaching))
        place = analysis.place(prompt)
        beside = [(each, self._selection.newest(place, each.key)) for each in chosen] if len(chosen) > 1 else []
        version = (
            run.number,
            is_stale(analysis, prompt, run),
            fixable_places(analysis, prompt),
            tuple((each.key, other and other.number) for each, other in beside),
            policy_of(run.prompt, analysis.header),
            self._expected.wanted,
            self.cases.prompts.get(prompt.index),
            Same(self._checks.of(run)),
            met := self._met_by(run),
            circular := self._circular(run),
        )
        make = partial(
            result_view,
            analysis,
            prompt,
            run,
            beside,
            self.own_prices,
            wanted=self._expected.wanted,
            cases=self.cases.prompts.get(prompt.index),
            evidence=self._checks.of(run),
            met=met,
            circular=circular,
        )
        return self._result.of(version, make)

    def response(self) -> ResponseView:
        """The answer to the prompt under the cursor."""
        analysis, prompt, place = self._analysis, self._selection.prompt, self._selection.place
        if prompt is None or place is None:
            return self._response.same(NoResponse(NO_PROMPT))
        if self._selection.is_writing:
            written = self._selection.written(place)
            return self._response.same(WrittenResponse(place, written, self._selection.times_loaded))
        answers = label_of(self._configuration.candidates(analysis.header))
        run = self._selection.run
        view = response_view(prompt, run, answers, self._evidence(run), analysis.header, self.own_prices)
        return self._response.same(view)

    def conversation(self) -> ConversationView | None:
        """The conversation of the prompt under the cursor; None in the header."""
        analysis, prompt = self._analysis, self._selection.prompt
        if prompt is None:
            return None
        variant = self._configuration.candidate(analysis.header).variant
        return self._conversation.same(conversation_view(prompt, self._selection.run, variant, analysis.header))

    def history(self) -> NoHistory | HistoryView:
        """The earlier runs of the prompt under the cursor."""
        prompt, found, run = self._selection.prompt, self._runs_of_prompt.found, self._selection.run
        if prompt is None:
            return self._history.same(NoHistory("Header", NO_PROMPT))
        if found is None or not found.runs:
            return self._history.same(NoHistory(prompt.id, _NO_RUN_YET))
        rubric = rubric_digest(prompt)
        opened = None if run is None or run.past is None else run.past.number
        version = (prompt.id, Same(found), rubric, opened)
        return self._history.of(version, lambda: HistoryView(prompt.id, found, rubric, opened))

    def grid(self, options: GridOptions, second: SecondRun | None = None) -> GridView:
        """The grid of all prompts and models, looked at with these options; `second` is a run that is laid under it."""
        source = self._models.source()
        return self._grid.of((Same(source), options, Same(second)), lambda: GridView(source, options, second))

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from; in the header, the one last analysed."""
        if self._selection.prompt is None:
            return None if self._document.analysis is None else self._document.analysis.revision
        run = self._selection.run
        return None if run is None else run.revision

    def _met_by(self, run: Run) -> tuple[MetBy, ...]:
        """How many other models meet each point of `run`, by their newest runs with this rubric, stored ones too."""
        beside = (*self._stored_models.of(run.prompt), *self._selection.of_prompt(run.place))
        numbers = run.number, tuple(each.number for each in beside)
        if self._met[0] != numbers:
            self._met = numbers, _met_by_others(run, beside)
        return self._met[1]

    def _circular(self, run: Run) -> str:
        """What the score of the ideal says, if points were drafted from it."""
        settings = self._configuration.settings
        if settings is None or not settings.drafted:
            return ""
        if self._drafted[0] != (made_of := (run.number, len(settings.drafted))):
            self._drafted = made_of, circularity(run.prompt, frozenset(settings.drafted))
        return self._drafted[1]

    def _evidence(self, run: Run | None) -> Evidence:
        """The places in the answer of `run` that the selected row of its result is based on."""
        if run is None or run.response is None:
            return Evidence()
        point, spans = self._selection.row
        if point is None or point >= len(run.assessments):
            return Evidence(tuple(spans))
        checked = self._checks.of(run).get(point)
        found = () if checked is None else checked.spans
        found = found or run.assessments[point].evidence
        found = found or quoted_by_judges(run.judgements.get(point, ()), run.response.subject)
        if found:
            return Evidence(found)
        near = () if checked is None else tuple(miss.span for miss in checked.misses)
        near = near or closest_to_point(run.prompt, point, run.response.subject)
        return Evidence(near, bool(near))

    @property
    def _analysis(self) -> Analysis:
        assert self._document.analysis is not None
        return self._document.analysis
