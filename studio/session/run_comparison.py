"""Comparing runs: the one that is shown with another of its prompt, and those of a grid with a run laid under them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from engine.text.record import replace
from studio.session.host import Choice, Choose, Severity
from studio.session.parts import Part
from studio.session.questions import ClosingQuestion
from studio.session.run_consent import CriterionConsent
from studio.session.views.figures import ago, now
from studio.session.views.history_view import marked_score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.blueprint import Header, Prompt
    from engine.evaluation.events import Response
    from engine.evaluation.results import ResultFile
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from engine.store import PastRun, PromptPlace, Store
    from engine.study.grid_view import GridSource, SecondRun
    from engine.study.scored_answer import Side
    from engine.study.two_runs import ComparedRun
    from studio.session.analysis import Analysis
    from studio.session.run import Run
    from studio.session.session import Session
    from studio.session.views.compare_view import CompareView


_MOST_PAST = 12
"""How many earlier runs are offered."""
_MOST_SEARCHED = 40
"""How many of the newest runs of a prompt are looked through for the one before the newest."""
_NO_RUN = "There is no result to compare yet: F5 runs the prompt."
_NO_OTHER = "There is nothing to compare it with yet: F5 runs the prompt again, F9 chooses another model."
_BEFORE, _FILE = "before", "file"
_A_FILE = Choice(_FILE, "A result file …", "A result that Weval published, or that was exported")
_NO_RUBRIC = (
    "The rubric of the old run was not saved with it: its answer is scored by the present one, so what the rubric "
    "changed is not known."
)


class RunComparison(Part):
    """Asks with which run to compare, and makes the comparison. Only `judge` sends anything.

    The judges are those chosen, else those of the blueprint as documented.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._consent = CriterionConsent(session.host, session.resources.settings, ClosingQuestion)

    # --- The run that is shown, and another one of its prompt

    async def ask(self) -> CompareView | None:
        """Compare the run that is shown with one that the author chooses; None if they cancelled, or there is none."""
        run = self._shown()
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
            self.host.notify(_NO_OTHER, seconds=4)
            return None
        text = f"The answer that is shown ({run.label}) is the new one."
        chosen = await self.host.ask(Choose("Compare with", text, [*choices, _A_FILE]))
        kind, _, at = (chosen or "").partition(" ")
        match kind:
            case "run":
                other = beside[int(at)]
                return await self._compared(self._run(other, self.analysis.header), other.label, run)
            case "past":
                return await self.with_past(past[int(at)])
            case "file":
                return await self._with_file(run)
            case _:
                return None

    async def with_past(self, past: PastRun) -> CompareView | None:
        """Compare the run that is shown with an earlier one of its prompt."""
        run = self._shown()
        if run is None:
            return None
        if run.past is not None and run.past.number == past.number:
            self.host.notify("This run is the one that is shown: select another one.", seconds=4)
            return None
        read = await self.session.stored(partial(_earlier, past.number), None)
        if read is None:
            return None
        response, verdicts, saved = read
        if response is None:
            self.host.notify("There is no answer in this run.", seconds=4)
            return None
        analysis = self.analysis
        prompt, header = _as_then(saved, run.prompt, analysis.header)
        made = replace(
            self.runs.new_run(analysis, run.prompt, past.candidate),
            prompt=prompt,
            response=response,
            judgements=dict(enumerate((each,) for each in verdicts)),
            past=past,
        )
        from engine.evaluation.verdicts import panel_of

        blueprint = replace(analysis.blueprint, header=header)
        scored = await self.runs.evaluator.rescored(made, blueprint, panel_of(verdicts, header))
        if scored.explanation is None:
            return None
        label = f"{past.candidate.label}, {ago(past.began, now())}"
        return await self._compared(self._run(scored, header), label, run, "" if saved is not None else _NO_RUBRIC)

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

    async def _with_file(self, run: Run) -> CompareView | None:
        """Compare with the result of this prompt in a file that the author chooses."""
        from engine.evaluation.published import cached_result_file, result_of
        from engine.study.scored_answer import side_of
        from engine.study.two_runs import ComparedRun, ResultVersion
        from studio.session.published_results import ask_for_result

        source = await ask_for_result(self.host, self.state.path)
        if source is None:
            return None
        file = await asyncio.to_thread(cached_result_file, source.path)
        result = result_of(run.prompt, [each for each in file.results if each.model == source.model])
        if result is None or result.answer is None or result.error is not None:
            self.host.notify("The file has no scored answer to this prompt.", seconds=4)
            return None
        version = ResultVersion(file)
        header, prompt, panel = version.header, result.prompt, self._panel(version.header)
        side = side_of(prompt, header, result.answer, result.assessments, is_holistic=version.is_holistic)
        old = ComparedRun(side, prompt, header, panel, result.answer)
        return await self._compared(old, f"{source.model}, {source.path.name}", run)

    def _run(self, run: Run, header: Header) -> ComparedRun:
        """A run that has a score, with the header that it was judged with."""
        from engine.study.two_runs import ComparedRun

        return ComparedRun(side_of_run(run, header), run.prompt, header, self._panel(header), run.response)

    def _panel(self, header: Header) -> Panel:
        return self.runs.configuration.counted_panel(header)

    async def _compared(self, old: ComparedRun, label: str, run: Run, note: str = "") -> CompareView:
        """The run that is shown compared with `old`, which `label` names."""
        from engine.study.two_runs import TwoRuns
        from studio.session.views.compare_view import CompareView

        new = self._run(run, self.analysis.header)
        runs = TwoRuns(old.side, new.side)
        self.runs.shown.mark(run.place, [old.side.answer[-1], new.side.answer[-1]])
        return await self._filled(CompareView(run.place, run.prompt.id, label, run.label, (old, new), runs, note))

    async def _filled(self, view: CompareView) -> CompareView:
        """`view` with the verdicts that are known. Nothing is sent."""
        from engine.study.two_runs import MissingVerdicts

        missing = MissingVerdicts(
            self.resources.javascript,
            partial(self.session.cache.judgements, None),
            partial(self.session.cache.grades, view.place),
            fills_own=True,
        )
        return replace(view, runs=await asyncio.to_thread(missing.fill, *view.both))

    async def judge(self, view: CompareView, judged: Callable[[int, int], None]) -> CompareView | None:
        """`view` with the missing verdicts that judges gave, once the author agrees to the plan; None if they do not.

        `judged` is called with how many questions are answered, of how many.
        """
        from engine.asking.planner import judge_answers, wanted_verdicts

        for run, answers in view.unjudged:
            if not run.panel.judges:
                why = f"There is no judge to ask: {'; '.join(run.panel.left_out)}."
                self.host.notify(why, Severity.WARNING)
                return None
            wanted = wanted_verdicts(run.header, answers, run.panel, self.session.cache.judgement)
            planned = await self._consent.approve(wanted)
            if planned is None:
                break
            total = sum(len(each.places) for each in answers)
            await self.session.cache.taken(judge_answers(answers, planned), lambda done, of=total: judged(done, of))
        return await self._filled(view)

    # --- The runs of a grid, and those laid under them

    async def second_run(self, source: GridSource) -> SecondRun | None:
        """The run that the author chose; None if they cancelled, or it has nothing in common with the grid."""
        from studio.session.published_results import ask_for_file

        choices = [
            Choice(_BEFORE, "The runs before these", "Of each prompt and model, the run before the newest one"),
            _A_FILE,
        ]
        match await self.host.ask(
            Choose("Lay a second run under the grid", "Cells then show the difference.", choices)
        ):
            case "before":
                found = await self.session.stored(partial(self._before, self.analysis, source), None)
            case "file":
                file = await ask_for_file(self.host, self.state.path)
                found = None if file is None else await asyncio.to_thread(_second_of, file, self.analysis, source)
            case _:
                return None
        if found is None:
            return None
        if not found.sides:
            self.host.notify("It has no result of these prompts and models.", seconds=4)
            return None
        places = {name: self.analysis.place(prompt) for name, prompt in _rows(source, self.analysis)}
        for (name, _), side in found.sides.items():
            self.runs.shown.mark(places[name], side.answer[-1:], read=False)
        return found

    def _before(self, analysis: Analysis, source: GridSource, store: Store) -> SecondRun:
        """The run before the newest one of each cell, scored by its own rubric with its own verdicts. Blocks."""
        from engine.study.grid_view import SecondRun

        sides: dict[tuple[str, str], Side] = {}
        for name, prompt in _rows(source, analysis):
            place, numbers = analysis.place(prompt), defaultdict[str, list[int]](list)
            for past in store.past_runs(place, _MOST_SEARCHED):
                if past.answered and past.score is not None:
                    numbers[past.candidate.key].append(past.number)
            for key in source.grid.columns:
                _, *before = numbers[key] or [0]
                side = self._side(store, analysis.header, prompt, place, before[0]) if before else None
                if side is not None:
                    sides[name, key] = side
        return SecondRun("the runs before these", sides)

    def _side(self, store: Store, present: Header, prompt: Prompt, place: PromptPlace, number: int) -> Side | None:
        from engine.evaluation.point_assessment import assess
        from engine.evaluation.verdicts import KnownVerdicts, panel_of
        from engine.study.scored_answer import side_of

        response, given, saved = _earlier(number, store)
        if response is None or saved is None:
            return None
        then, header = _as_then(saved, prompt, present)
        grades, javascript = self.session.cache.grades(place, response.subject), self.resources.javascript()
        assessed = assess(
            then, response.subject, javascript, thread=response.thread, model=response.model or "", grades=grades
        )
        known = KnownVerdicts.on(then, header, response, panel_of(given, header), more=given)
        return side_of(then, header, response, known.assessed(assessed), is_holistic=_is_holistic(given, header))


def _second_of(file: ResultFile, analysis: Analysis, source: GridSource) -> SecondRun:
    """The results of a file for the cells of the grid: of the same model, or of the only one on both sides."""
    from engine.evaluation.published import result_of
    from engine.study.grid_view import SecondRun
    from engine.study.two_runs import ResultVersion

    version = ResultVersion(file)
    columns = source.grid.columns
    models = {key: key for key in columns if key in file.models}
    if len(columns) == len(file.models) == 1:
        models = {columns[0]: file.models[0]}
    sides: dict[tuple[str, str], Side] = {}
    for key, model in models.items():
        results = [each for each in file.results if each.model == model]
        for name, prompt in _rows(source, analysis):
            result = result_of(prompt, results)
            if result is not None and result.error is None and result.assessments:
                sides[name, key] = version.side(result)
    return SecondRun(file.path.name, sides)


def _rows(source: GridSource, analysis: Analysis) -> Iterable[tuple[str, Prompt]]:
    """The prompts by the names of their rows; the text may have more by now."""
    return zip((row.name for row in source.grid.rows), analysis.blueprint.prompts, strict=False)


def side_of_run(run: Run, header: Header) -> Side:
    """A run that has a score as a side of a comparison; `header` is the one that it was judged with."""
    from engine.study.scored_answer import side_of  # here, as only comparisons load it

    assert run.response is not None
    is_holistic = _is_holistic((each for given in run.judgements.values() for each in given), header)
    return side_of(run.prompt, header, run.response, run.assessments, is_holistic=is_holistic)


def _is_holistic(given: Iterable[Judgement], header: Header) -> bool:
    """Whether a judge that gave these verdicts saw all criteria at once; without verdicts, one of the blueprint's."""
    from engine.judging.panel import Approach, panel

    approaches = {each.judge.approach for each in given} or {judge.approach for judge in panel(header).judges}
    return not approaches or Approach.HOLISTIC in approaches


def _earlier(number: int, store: Store) -> tuple[Response | None, Sequence[Judgement], tuple[Header, Prompt] | None]:
    """What was saved of a run: its answer, its verdicts and its rubric. Blocks. Raises `StoreUnavailable`."""
    from engine.store.run_records import stored_rubric

    content = store.past_rubric(number)
    return store.past_response(number), store.past_judgements(number), stored_rubric(content) if content else None


def _as_then(saved: tuple[Header, Prompt] | None, prompt: Prompt, header: Header) -> tuple[Prompt, Header]:
    """The prompt and the header with what was saved of a run; all else is as it is now."""
    if saved is None:
        return prompt, header
    then, old = saved
    prompt_then = replace(prompt, messages=old.messages, should=old.should, should_not=old.should_not, ideal=old.ideal)
    return prompt_then, replace(
        header,
        description=then.description,
        judges=then.judges,
        use_experimental_scale=then.use_experimental_scale,
        fields={**header.fields, **then.fields},
    )
