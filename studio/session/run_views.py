"""What panes are given of the runs of a file. Every view is the same object until it differs."""

from __future__ import annotations

from functools import partial

from engine.providers.prices import OwnPrices
from engine.store import rubric_digest
from engine.tool_use import policy_of
from studio.session.analysis import Analysis
from studio.session.answer_choice import label_of
from studio.session.closest_search import ClosestSearch
from studio.session.document import Document
from studio.session.overview import BlueprintOverview
from studio.session.prompt_history import PromptHistory
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration
from studio.session.run_queue import RunQueue
from studio.session.run_selection import RunSelection
from studio.session.views.conversation_view import ConversationView, conversation_view
from studio.session.views.history_view import HistoryView, NoHistory
from studio.session.views.latest import Latest, Same
from studio.session.views.overview_view import Overview, PromptStanding
from studio.session.views.response_view import Evidence, NoResponse, ResponseView, WrittenResponse, response_view
from studio.session.views.result_view import NoResult, ResultView, fixable_places, is_stale, result_view
from studio.session.views.totals import total_texts

NO_PROMPTS = "This file has no prompt to run."
NO_PROMPT = "Put the cursor into a prompt: F5 runs it."
_NO_RUN_YET = "No run of this prompt yet. F5 runs it; each run stays here with its answer and its score."


class RunViews:
    """The views of the runs of one file. Call them once the text is analysed."""

    def __init__(
        self,
        document: Document,
        configuration: RunConfiguration,
        selection: RunSelection,
        queue: RunQueue,
        history: PromptHistory,
        closest: ClosestSearch,
        overview: BlueprintOverview,
    ) -> None:
        self._document = document
        self._configuration = configuration
        self._selection = selection
        self._queue = queue
        self._runs_of_prompt = history
        self._closest = closest
        self._blueprint = overview
        self.own_prices = OwnPrices({})
        """The prices in the author's settings."""
        self._scores = Latest[tuple[str, ...]]()
        self._result = Latest[NoResult | ResultView]()
        self._response = Latest[ResponseView]()
        self._conversation = Latest[ConversationView]()
        self._history = Latest[NoHistory | HistoryView]()

    def standings(self) -> tuple[PromptStanding, ...]:
        """The results of all prompts with the candidate that is shown; () if nothing was run."""
        return self.overview().prompts if self._selection.has_runs else ()

    def overview(self) -> Overview:
        """The blueprint as a whole."""
        analysis = self._analysis
        candidate = self._configuration.candidate(analysis.header)
        return self._blueprint.of(analysis, candidate.key, candidate.label, is_running=self._queue.is_running)

    def scores(self) -> tuple[str, ...]:
        """The score of the file in words, the longest form first; () if nothing was scored."""
        if not self._selection.has_runs:
            return ()
        overview = self.overview()
        total = overview.total
        return self._scores.of(
            (Same(overview),), lambda: total_texts(total.headline, len(total.scored), overview.prompt_count)
        )

    def result(self) -> Overview | NoResult | ResultView:
        """The result of the prompt under the cursor; in the header, of the blueprint as a whole."""
        analysis, prompt, run = self._analysis, self._selection.prompt, self._selection.run
        if prompt is None:
            return self.overview()
        chosen = self._configuration.candidates(analysis.header)
        if run is None:
            teaching = f"F5 runs this prompt with {label_of(chosen)}. F9 chooses other answers."
            return self._result.same(NoResult(prompt.id, teaching))
        place = analysis.place(prompt)
        beside = [(each, self._selection.newest(place, each.key)) for each in chosen] if len(chosen) > 1 else []
        closest, is_searching = self._closest.of(run), self._closest.is_searching(run)
        version = (
            run.number,
            is_stale(analysis, prompt, run),
            fixable_places(analysis, prompt),
            tuple((each.key, other and other.number) for each, other in beside),
            Same(closest),
            is_searching,
            policy_of(run.prompt, analysis.header),
        )
        make = partial(result_view, analysis, prompt, run, beside, closest, self.own_prices, is_searching=is_searching)
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

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from; in the header, the one last analysed."""
        if self._selection.prompt is None:
            return None if self._document.analysis is None else self._document.analysis.revision
        run = self._selection.run
        return None if run is None else run.revision

    def _evidence(self, run: Run | None) -> Evidence:
        """The places in the answer of `run` that the selected row of its result is based on."""
        if run is None or run.response is None:
            return Evidence()
        point, spans = self._selection.row
        if point is not None and point < len(run.assessments):
            spans = run.assessments[point].evidence
        if spans or point is None:
            return Evidence(tuple(spans))
        closest = self._closest.span(run, point)
        return Evidence(closest, bool(closest))

    @property
    def _analysis(self) -> Analysis:
        assert self._document.analysis is not None
        return self._document.analysis
