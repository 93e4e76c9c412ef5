"""What the right side shows of one prompt: result, response and conversation, each drawn only where it changed.

Drawing lays out the side, and the cursor moves with every key: no keystroke pays for what looks the same after it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Header, Prompt
from engine.conversation import Variant
from engine.evaluation.candidates import Candidate
from engine.evaluation.sources import ModelSource
from engine.providers.prices import OwnPrices
from engine.text import Span
from engine.tool_use import policy_of, tool_use
from studio.session.checking import Analysis
from studio.session.run import Run
from studio.tui.panes.conversation import ConversationPane
from studio.tui.panes.overview.view import Overview
from studio.tui.panes.response import ResponsePane
from studio.tui.panes.result import ResultPane
from studio.tui.panes.result_view import CandidateScore, ResultView
from studio.tui.panes.thread import ShownTurn, shown_turns
from studio.tui.screens.answer_facts import about_answer, judges_cost
from studio.tui.screens.recalling import notice_of
from studio.tui.screens.side import CONVERSATION, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.closest_sentence import Closest


Beside: TypeAlias = "Sequence[tuple[Candidate, Run | None]]"
"""All candidates, each with its newest run of a prompt."""


class Showing:
    """The three panes of `side`, filled for one prompt at a time."""

    def __init__(
        self, side: Side, result: ResultPane, response: ResponsePane, conversation_pane: ConversationPane
    ) -> None:
        self._side = side
        self._result = result
        self._response = response
        self._conversation = conversation_pane
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._talk_of: str | None = None
        self.own_prices = OwnPrices({})
        """What the author says that models cost."""
        self.is_writing = False
        """Whether the response pane is where the author writes an answer."""

    @property
    def written(self) -> str:
        """The answer in the response pane's own text field."""
        return self._response.written

    def show_header(self, overview: Overview) -> None:
        """The cursor stands in no prompt: the result is that of the whole blueprint."""
        teaching = "Put the cursor into a prompt: F5 runs it."
        self._once("result", (overview,), lambda: self._result.show_overview(overview))
        self._once("response", (), lambda: self._response.show_nothing(teaching))

    def show_prompt(
        self,
        analysis: Analysis,
        prompt: Prompt,
        run: Run | None,
        *,
        answers: str,
        written: str | None,
        beside: Beside = (),
        variant: Variant | None = None,
        closest: Closest | None = None,
        is_searching: bool = False,
    ) -> None:
        """Show `prompt` with a run of it. `written` is the answer to go on writing, where that is the source,
        `variant` the one that would be run, where there is no run yet.

        `beside` are all candidates, each with its newest run, where there are several. `closest` are the closest
        sentences in the answer of `run`; `is_searching` tells that they are being searched for.
        """
        if run is None:
            teaching = f"F5 runs this prompt with {answers}. F9 chooses other answers."
            self._once("result", (prompt.id, answers), lambda: self._result.show_nothing(prompt.id, teaching))
        else:
            stale = prompt.span.of(analysis.parsed.text).strip() != run.written.strip()
            fixable = _fixable(analysis, prompt)
            header = analysis.parsed.blueprint.header
            others = tuple(_score_of(candidate, other, run) for candidate, other in beside)
            self._once(
                "result",
                (run.number, stale, fixable, others, closest, is_searching, policy_of(run.prompt, header)),
                lambda: self._result.show(
                    replace(
                        _view(run, header, fixable, others, stale=stale),
                        judges_cost=judges_cost(run, header, self.own_prices),
                        closest=closest,
                        is_searching=is_searching,
                    )
                ),
            )
        self.is_writing = written is not None
        header = analysis.parsed.blueprint.header
        self._show_response(prompt, run, answers, written, header)
        if self._side.open == CONVERSATION:
            self._show_conversation(header, prompt, run, variant or Variant())

    def _show_response(
        self, prompt: Prompt, run: Run | None, answers: str, written: str | None, header: Header
    ) -> None:
        pane = self._response
        if written is not None:
            self._once("response", (prompt.id, "write"), lambda: pane.write(written))
        elif run is None:
            teaching = f"No answer yet. F5 runs this prompt with {answers}."
            self._once("response", (prompt.id, answers), lambda: pane.show_nothing(teaching))
        elif run.response is not None:
            response, about = run.response, about_answer(run, header, self.own_prices)
            what = (run.place, id(response), about, prompt.render_as)
            self._once("response", what, lambda: pane.show(response, about, prompt.render_as))
        elif run.running:
            self._once("response", (run.place, run.started), lambda: self._begin(run))
            pane.grow(_subject_so_far(run))
        else:
            self._once("response", (prompt.id, "nothing"), lambda: pane.show_nothing("Nothing was answered."))

    def _begin(self, run: Run) -> None:
        self._response.begin(doing(run), run.prompt.render_as)

    def _show_conversation(self, header: Header, prompt: Prompt, run: Run | None, variant: Variant) -> None:
        turns = shown_turns(prompt, header, variant) if run is None else _turns_of(run, header)
        if run is not None and run.running and run.response is None and self._talk_of == prompt.id:
            self._conversation.grow(turns)
            return
        is_other, self._talk_of = self._talk_of != prompt.id, prompt.id
        show = partial(self._conversation.show, turns, prompt.render_as, from_start=is_other)
        self._once("talk", (turns, prompt.render_as, run is None or run.number), show)

    def grow(self, run: Run, header: Header) -> None:
        """More of the answer has come in."""
        self._response.grow(_subject_so_far(run))
        if self._side.open == CONVERSATION:
            self._conversation.grow(_turns_of(run, header))

    @property
    def result_has_focus(self) -> bool:
        """Whether the author reads the result."""
        return self._result.has_focus_within

    @property
    def selected_point(self) -> int | None:
        """The place in `Prompt.points()` of the point that is selected in the result."""
        row = self._result.row
        return None if row is None else row.point

    @property
    def selected_evidence(self) -> tuple[Span, ...]:
        """The places in the answer that the selected row of the result rests on, where it is no point."""
        row = self._result.row
        return () if row is None else row.evidence

    def light_up(self, evidence: Sequence[Span], *, is_closest: bool = False) -> None:
        """Mark what a point rests on in the answer that is shown, or the sentence that is closest to it."""
        self._response.shown.set_class(is_closest, "-closest")
        self._response.light_up(evidence)

    def _once(self, pane: str, what: tuple[object, ...], draw: Callable[[], None]) -> None:
        if self._drawn.get(pane) != what:
            self._drawn[pane] = what
            draw()


def _view(
    run: Run, header: Header, fixable: tuple[Span, ...], beside: tuple[CandidateScore, ...], *, stale: bool
) -> ResultView:
    response = run.response
    return ResultView(
        run.prompt,
        answers_of(run),
        run.explanation,
        run.assessments,
        run.failed,
        doing(run) if run.running else None,
        stale=stale,
        fixable=fixable,
        judgements=run.judgements,
        waiting=run.waiting,
        agreement=run.agreement,
        beside=beside,
        notice=notice_of(run),
        tools=None if response is None else tool_use(run.prompt, header, response.subject, run.assessments),
        headline=run.headline,
    )


def _subject_so_far(run: Run) -> str:
    return "\n\n".join(filter(None, run.arrived or run.begun))


def _turns_of(run: Run, header: Header) -> tuple[ShownTurn, ...]:
    response = run.response
    return shown_turns(
        run.prompt,
        header,
        run.candidate.variant,
        thread=() if response is None else response.thread,
        complete=response is None or response.complete,
        begun=run.begun,
        arrived=run.arrived,
        running=run.running and response is None and isinstance(run.source, ModelSource),
    )


def answers_of(run: Run) -> str:
    """Where the answer of a run came from, as the screen calls it."""
    return run.label + (", kept from earlier" if run.recalled else "")


def _score_of(candidate: Candidate, run: Run | None, shown: Run) -> CandidateScore:
    headline = None if run is None else run.headline
    state = "not run" if run is None else run.state
    return CandidateScore(candidate.key, candidate.label, headline, state, shown=candidate.key == shown.candidate.key)


def _fixable(analysis: Analysis, prompt: Prompt) -> tuple[Span, ...]:
    """The places within `prompt` for which there is a fix."""
    found = analysis.diagnostics or ()
    first = bisect_left(found, prompt.span.start, key=lambda each: each.span.start)
    last = bisect_right(found, prompt.span.end, key=lambda each: each.span.start)
    return tuple([each.span for each in found[first:last] if each.fixes])


def doing(run: Run) -> str:
    """What is being done in a run, and the key that stops it."""
    if run.response is not None:
        if run.waiting:
            points = "1 point" if len(run.waiting) == 1 else f"{len(run.waiting)} points"
            return f"Judges have {points} to go … F5 stops it; what they said stays."
        return "Checking the points … F5 stops it."
    return f"Waiting for {run.candidate.label} … F5 stops it; what has arrived stays."
