"""Comparing the run that is shown with another run of its prompt, and having judges give what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from engine.evaluation.sources import StoredSource
from engine.text.record import Record, replace
from engine.text.record import replace as with_fields
from studio.session.host import Choice, Choose, Severity
from studio.session.parts import Part
from studio.session.questions import ClosingQuestion
from studio.session.run import Run
from studio.session.run_consent import CriterionConsent
from studio.session.views.figures import ago, now
from studio.session.views.history_view import marked_score_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.asking.unjudged import UnjudgedAnswer
    from engine.blueprint import Header, Prompt
    from engine.evaluation.events import Response
    from engine.judging.panel import Panel
    from engine.scoring.assessment import Assessment
    from engine.store import PastRun, PromptPlace
    from engine.study.scored_answer import Side
    from engine.study.two_runs import Combination, TwoRuns
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


class TwoRunComparison(Part):
    """Makes the comparison of two runs. The judges are those chosen, else those of the blueprint as documented."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._consent = CriterionConsent(session.host, session.resources.settings, ClosingQuestion)

    def view(self, pair: ComparedPair) -> CompareView:
        """The comparison. Nothing is sent. Blocks while checks run and cached verdicts are looked up."""
        from engine.study.two_runs import TwoRuns, verdicts_text
        from studio.session.views.compare_view import CompareView

        found = TwoRuns(side_of(pair.old), side_of(pair.new)).completed(partial(self._assessed, pair), fills_own=True)
        notes = (*pair.old.notes, *filter(None, (verdicts_text(found),)))
        answers = pair.old.response.subject, pair.new.response.subject
        return CompareView(
            pair.title, pair.old.label, pair.new.label, found, answers, bool(_unjudged(pair, found)), notes, pair
        )

    async def judge(self, view: CompareView, judged: Callable[[int, int], None]) -> CompareView | None:
        """`view` with the missing verdicts that judges gave, once the author agrees to the plan; None if they do not.

        `judged` is called with how many questions are answered, of how many.
        """
        from engine.asking.unjudged import judge_answers, wanted_verdicts

        assert view.pair is not None
        for run, answers in _unjudged(view.pair, view.runs):
            panel = self._panel(run.header)
            if not panel.judges:
                why = f"There is no judge to ask: {'; '.join(panel.left_out)}."
                self.host.notify(why, Severity.WARNING)
                return None
            planned = await self._consent.approve(wanted_verdicts(run.header, answers, panel, self.cache.judgement))
            if planned is None:
                break
            total = sum(len(each.places) for each in answers)
            await self.cache.taken(judge_answers(answers, planned), lambda done, of=total: judged(done, of))
        return await asyncio.to_thread(self.view, view.pair)

    def _assessed(self, pair: ComparedPair, of: Combination, places: Collection[int]) -> Sequence[Assessment]:
        """The answer of one of the runs by the rubric of one of them, without a request. Blocks while checks run."""
        from engine.study.two_runs import assessed

        rubric = pair.new if of.has_new_rubric else pair.old
        response = (pair.new if of.has_new_answer else pair.old).response
        stored, javascript = partial(self.cache.judgements, None), self.resources.javascript()
        grades = self.cache.grades(pair.place, response.subject)
        panel = self._panel(rubric.header)
        return assessed(rubric.prompt, rubric.header, panel, response, places, javascript, stored, grades)

    def _panel(self, header: Header) -> Panel:
        return self.runs.configuration.counted_panel(header)


def _unjudged(pair: ComparedPair, runs: TwoRuns) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
    """What judges could be asked, with the run whose rubric it is by."""
    from engine.study.two_runs import unjudged_answers

    prompts, responses = (pair.old.prompt, pair.new.prompt), (pair.old.response, pair.new.response)
    both = zip((pair.old, pair.new), unjudged_answers([(runs, prompts, responses)]), strict=True)
    return [(run, answers) for run, answers in both if answers]


class ComparedRun(Record):
    """One run in a comparison: its name, its prompt and the header then, its answer and its assessments."""

    label: str
    prompt: Prompt
    header: Header
    response: Response
    assessments: tuple[Assessment, ...]
    is_holistic: bool
    notes: tuple[str, ...] = ()


class ComparedPair(Record):
    """Two runs to compare, of the prompt at `place`, which `title` names."""

    place: PromptPlace
    title: str
    old: ComparedRun
    new: ComparedRun


def as_compared(run: Run, header: Header) -> ComparedRun:
    """A run that has a score, with the header that it was judged with."""
    from engine.judging.panel import Approach, panel  # here, as only comparisons load it

    assert run.response is not None
    judges = {each.judge.approach for given in run.judgements.values() for each in given}
    judges = judges or {judge.approach for judge in panel(header).judges}
    is_holistic = not judges or Approach.HOLISTIC in judges
    return ComparedRun(run.label, run.prompt, header, run.response, run.assessments, is_holistic)


def side_of(of: ComparedRun) -> Side:
    """The run as a side of a comparison."""
    from engine.study.scored_answer import Side, shown_to_judges  # here, as only comparisons load it

    turns = tuple(turn.content for turn in of.response.thread if turn.generated)
    shown = shown_to_judges(of.assessments, of.header.description, of.prompt.messages, is_holistic=of.is_holistic)
    return Side((*turns, of.response.subject), of.assessments, shown)


def as_then(saved: tuple[Header, Prompt], prompt: Prompt, header: Header) -> tuple[Prompt, Header]:
    """The prompt and the header with what was saved of a run; all else is as it is now."""
    then, old = saved
    prompt_then = with_fields(
        prompt, messages=old.messages, should=old.should, should_not=old.should_not, ideal=old.ideal
    )
    return prompt_then, with_fields(
        header,
        description=then.description,
        judges=then.judges,
        use_experimental_scale=then.use_experimental_scale,
        fields={**header.fields, **then.fields},
    )
