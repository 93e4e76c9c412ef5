"""Comparing the run that is shown with another run of its prompt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.evaluation.sources import StoredSource
from engine.text.record import replace
from engine.text.record import replace as with_fields
from studio.session.compared_run import ComparedPair, ComparedRun, as_compared, as_then
from studio.session.host import Choice, Choose
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.two_run_comparison import TwoRunComparison
from studio.session.views.ages import ago, now
from studio.session.views.history_view import marked_score_of

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.store import PastRun
    from studio.session.analysis import Analysis
    from studio.session.session import Session
    from studio.session.views.compare_view import CompareView

_MOST_PAST = 12
"""How many earlier runs are offered."""
_NO_RUN = "There is no result to compare yet: F5 runs the prompt."
_NO_OTHER = "There is nothing to compare it with yet: F5 runs the prompt again, F9 chooses another model."
_FILE = "file"
_NO_RUBRIC = (
    "The rubric of the old run was not saved with it: its answer is scored by the present one, so what the rubric "
    "changed is not known."
)


class RunComparison(Part):
    """Asks with which run to compare, and makes the comparison. Nothing is sent."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.two_runs = TwoRunComparison(session)

    async def ask(self) -> CompareView | None:
        """Compare the run that is shown with one that the author chooses; None if they cancelled, or there is none."""
        run, host = self._shown(), self.host
        if run is None:
            return None
        beside = [
            each
            for each in self.runs.selection.of_prompt(run.place)
            if each.started != run.started and each.response is not None and each.explanation is not None
        ]
        past = await self._past(run)
        moment = now()
        choices = [
            *(Choice(f"run {at}", each.label, str(each.headline or "")) for at, each in enumerate(beside)),
            *(
                Choice(f"past {at}", f"{each.candidate.label}, {ago(each.began, moment)}", marked_score_of(each))
                for at, each in enumerate(past)
            ),
        ]
        if not choices:
            host.notify(_NO_OTHER, seconds=4)
            return None
        choices.append(Choice(_FILE, "A result file …", "A result that Weval published, or that was exported"))
        text = f"The answer that is shown ({run.label}) is the new one."
        chosen = await host.ask(Choose("Compare with", text, choices))
        if chosen is None:
            return None
        if chosen == _FILE:
            return await self._with_file(run)
        kind, _, at = chosen.partition(" ")
        return await (self._with_run(run, beside[int(at)]) if kind == "run" else self.with_past(past[int(at)]))

    async def with_past(self, past: PastRun) -> CompareView | None:
        """Compare the run that is shown with an earlier one of its prompt."""
        run = self._shown()
        if run is None:
            return None
        if run.past is not None and run.past.number == past.number:
            self.host.notify("This run is the one that is shown: select another one.", seconds=4)
            return None
        old = await self._earlier(run, past)
        return None if old is None else await self._compared(old, run)

    def _shown(self) -> Run | None:
        run = self.runs.selection.run
        if run is None or run.response is None or run.explanation is None or run.running:
            self.host.notify(_NO_RUN, seconds=4)
            return None
        return run

    async def _past(self, run: Run) -> list[PastRun]:
        """The earlier runs with an answer, without the one that is shown."""
        found = await self.session.stored(lambda store: store.past_runs(run.place, 4 * _MOST_PAST), ())
        newest = next((each.number for each in found if each.candidate.key == run.candidate.key), None)
        shown = newest if run.past is None else run.past.number
        return [each for each in found if each.answered and each.number != shown][:_MOST_PAST]

    async def _with_run(self, run: Run, other: Run) -> CompareView | None:
        return await self._compared(self._as_compared(other), run)

    async def _earlier(self, run: Run, past: PastRun) -> ComparedRun | None:
        """An earlier run, scored by the rubric that it was run with, with its own verdicts."""
        from engine.store.run_records import stored_rubric

        analysis = self.state.analysis
        assert analysis is not None
        number = past.number
        read = await self.session.stored(
            lambda store: (store.past_response(number), store.past_judgements(number), store.past_rubric(number)), None
        )
        if read is None:
            return None
        response, verdicts, content = read
        if response is None:
            self.host.notify("There is no answer in this run.", seconds=4)
            return None
        saved = stored_rubric(content) if content else None
        prompt, header = (run.prompt, analysis.header) if saved is None else as_then(saved, run.prompt, analysis.header)
        made = replace(
            self.runs.new_run(analysis, run.prompt, past.candidate),
            prompt=prompt,
            response=response,
            judgements=dict(enumerate((each,) for each in verdicts)),
            past=past,
        )
        scored = await self._scored(made, analysis, header)
        if scored is None:
            return None
        label = f"{past.candidate.label}, {ago(past.began, now())}"
        compared = self._as_compared(scored, header)
        return replace(compared, label=label, notes=() if saved is not None else (_NO_RUBRIC,))

    async def _scored(self, run: Run, analysis: Analysis, header: Header) -> Run | None:
        from contextlib import aclosing

        from engine.evaluation.events import AllJudged, Scored
        from engine.evaluation.verdicts import panel_of

        blueprint = with_fields(analysis.blueprint, header=header)
        done: Run | None = None
        own = panel_of((each for given in run.judgements.values() for each in given), header)
        async with aclosing(self.runs.evaluator.rescore(run, blueprint, own)) as events:
            async for event in events:
                if isinstance(event, Scored | AllJudged):
                    done = run.after(event)
        return done

    async def _with_file(self, run: Run) -> CompareView | None:
        """Compare with the result of this prompt in a file that the author chooses."""
        from engine.evaluation.published import cached_result_file, result_of
        from engine.study.two_runs import ResultVersion
        from studio.session.published_results import ask_for_result

        source: StoredSource | None = await ask_for_result(self.host, self.state.path)
        if source is None:
            return None
        file = await asyncio.to_thread(cached_result_file, source.path)
        result = result_of(run.prompt, [each for each in file.results if each.model == source.model])
        if result is None or result.answer is None or result.error is not None:
            self.host.notify("The file has no scored answer to this prompt.", seconds=4)
            return None
        version = ResultVersion(file)
        label = f"{source.model}, {source.path.name}"
        old = ComparedRun(
            label, result.prompt, version.header, result.answer, tuple(result.assessments), version.is_holistic
        )
        return await self._compared(old, run)

    def _as_compared(self, run: Run, header: Header | None = None) -> ComparedRun:
        analysis = self.state.analysis
        assert analysis is not None
        return as_compared(run, header or analysis.header)

    async def _compared(self, old: ComparedRun, run: Run) -> CompareView:
        pair = ComparedPair(run.place, run.prompt.id, old, self._as_compared(run))
        self.runs.shown.mark(run.place, [old.response.subject, pair.new.response.subject])
        return await asyncio.to_thread(self.two_runs.view, pair)
