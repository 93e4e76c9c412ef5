"""A second run, laid under the grid: the runs before the newest ones, or the results in a file."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from engine.study.grid_view import GridSource, SecondRun
from studio.session.host import Choice, Choose
from studio.session.parts import Part
from studio.session.run_comparison import ComparedRun, as_then, side_of

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.results import ResultFile
    from engine.store import PromptPlace, Store
    from engine.study.scored_answer import Side
    from studio.session.analysis import Analysis

_MOST_PAST = 40
"""How many of the newest runs of a prompt are looked through for the one before the newest."""
_BEFORE, _FILE = "before", "file"


class SecondRuns(Part):
    """Asks which run to lay under the grid, and reads it. Nothing is sent."""

    async def ask(self, source: GridSource) -> SecondRun | None:
        """The run that the author chose; None if they cancelled, or it has nothing in common with the grid."""
        host = self.host
        choices = [
            Choice(_BEFORE, "The runs before these", "Of each prompt and model, the run before the newest one"),
            Choice(_FILE, "A result file …", "A result that Weval published, or that was exported"),
        ]
        match await host.ask(Choose("Lay a second run under the grid", "Cells then show the difference.", choices)):
            case "before":
                found = await self._before(source)
            case "file":
                found = await self._file(source)
            case _:
                return None
        if found is not None and not found.sides:
            host.notify("It has no result of these prompts and models.", seconds=4)
            return None
        if found is not None:
            self._mark_shown(found, source)
        return found

    def _mark_shown(self, second: SecondRun, source: GridSource) -> None:
        analysis = self.state.analysis
        assert analysis is not None
        rows = zip(source.grid.rows, analysis.blueprint.prompts, strict=False)
        places = {row.name: analysis.place(prompt) for row, prompt in rows}
        for (name, _), side in second.sides.items():
            self.runs.shown.mark(places[name], side.answer[-1:], read=False)

    async def _before(self, source: GridSource) -> SecondRun | None:
        analysis = self.state.analysis
        assert analysis is not None
        return await self.session.stored(partial(self._read_before, analysis, source), None)

    def _read_before(self, analysis: Analysis, source: GridSource, store: Store) -> SecondRun:
        """The run before the newest one of each cell, scored by its own rubric with its own verdicts. Blocks."""
        sides: dict[tuple[str, str], Side] = {}
        for row, prompt in zip(source.grid.rows, analysis.blueprint.prompts, strict=False):
            for key, side in self._sides(store, analysis, prompt, source.grid.columns).items():
                sides[row.name, key] = side
        return SecondRun("the runs before these", sides)

    def _sides(self, store: Store, analysis: Analysis, prompt: Prompt, columns: tuple[str, ...]) -> dict[str, Side]:
        place = analysis.place(prompt)
        seen: dict[str, list[int]] = {key: [] for key in columns}
        for past in store.past_runs(place, _MOST_PAST):
            if past.candidate.key in seen and past.answered and past.score is not None:
                seen[past.candidate.key].append(past.number)
        found = {
            key: self._side(store, analysis, prompt, place, numbers[1])
            for key, numbers in seen.items()
            if len(numbers) > 1
        }
        return {key: side for key, side in found.items() if side is not None}

    def _side(self, store: Store, analysis: Analysis, prompt: Prompt, place: PromptPlace, number: int) -> Side | None:
        from engine.evaluation.point_assessment import assess
        from engine.evaluation.verdicts import KnownVerdicts, panel_of
        from engine.judging.panel import Approach
        from engine.store.run_records import stored_rubric

        response, content = store.past_response(number), store.past_rubric(number)
        saved = stored_rubric(content) if content else None
        if response is None or saved is None:
            return None
        then, header = as_then(saved, prompt, analysis.header)
        given = store.past_judgements(number)
        judges = panel_of(given, header)
        grades = self.cache.grades(place, response.subject)
        javascript = self.resources.javascript()
        assessed = assess(
            then, response.subject, javascript, thread=response.thread, model=response.model or "", grades=grades
        )
        assessments = KnownVerdicts.on(then, header, response, judges, more=given).assessed(assessed)
        is_holistic = not judges.judges or any(each.approach is Approach.HOLISTIC for each in judges.judges)
        return side_of(ComparedRun("", then, header, response, assessments, is_holistic))

    async def _file(self, source: GridSource) -> SecondRun | None:
        from engine.evaluation.published import cached_result_file
        from studio.session.published_results import ask_for_file

        path = await ask_for_file(self.host, self.state.path)
        analysis = self.state.analysis
        if path is None or analysis is None:
            return None
        file = await asyncio.to_thread(cached_result_file, path)
        return await asyncio.to_thread(_read_file, file, analysis, source)


def _read_file(file: ResultFile, analysis: Analysis, source: GridSource) -> SecondRun:
    """The results of a file for the cells of the grid: of the same model, or of the only one on both sides."""
    from engine.evaluation.published import result_of
    from engine.study.two_runs import ResultVersion

    version = ResultVersion(file)
    columns = source.grid.columns
    models = {key: key for key in columns if key in file.models}
    if len(columns) == len(file.models) == 1:
        models = {columns[0]: file.models[0]}
    sides: dict[tuple[str, str], Side] = {}
    for key, model in models.items():
        results = [each for each in file.results if each.model == model]
        for row, prompt in zip(source.grid.rows, analysis.blueprint.prompts, strict=False):
            result = result_of(prompt, results)
            if result is not None and result.error is None and result.assessments:
                sides[row.name, key] = version.side(result)
    return SecondRun(file.path.name, sides)
