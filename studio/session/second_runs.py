"""A second result, to be laid under the run that is shown, or under those of all prompts and models."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from engine.asking.planner import judge_answers, wanted_verdicts
from engine.blueprint import unique_keys
from engine.evaluation.verdicts import panel_of
from engine.judging.panel import Approach, panel
from engine.store.run_records import stored_rubric
from engine.study.matrix_view import Cell, SecondRun
from engine.study.two_runs import ComparedRun, MissingVerdicts, TwoRuns, unjudged_answers
from engine.text.record import replace
from studio.session.host import Choice, Choose, ClosingQuestion, NotDone, Severity, answer_to
from studio.session.result_files import ask_for_file, ask_for_result
from studio.session.run_consent import CriterionConsent
from studio.session.state import Part
from studio.session.views.figures import ago, now
from studio.session.views.history_view import marked_score_of

if TYPE_CHECKING:
    from engine.blueprint import Header, Prompt
    from engine.evaluation.events import Response
    from engine.evaluation.results import ResultFile
    from engine.judging.judgement import Judgement
    from engine.store import PastRun, PromptPlace, Store
    from engine.study.matrix import Matrix
    from studio.session.run import Run
    from studio.session.session import Session

_Saved: TypeAlias = "tuple[Response, Sequence[Judgement], tuple[Header, Prompt] | None]"
"""An earlier run: its answer, its verdicts, and its rubric, if that was saved."""

_News: TypeAlias = "tuple[Matrix, Mapping[Cell, Run]]"
"""What another result is laid under: a matrix, and the runs of its cells that have a score."""

_Olds: TypeAlias = "tuple[str, Sequence[ComparedRun | None], str]"
"""The name of a second result, what it has for each of the runs, in their order, and what to know of it."""

_Offer: TypeAlias = "tuple[str, str, _News, Callable[[], Awaitable[_Olds]]]"
"""What to compare with: its label, what it is, what it is laid under, and what loads it."""

_MOST_PAST = 12
"""How many earlier runs are offered."""
_MOST_SEARCHED = 40
"""How many of the newest runs of a prompt are looked through for the one before the newest."""
_NO_OTHER = "There is nothing to compare it with yet: F5 runs the prompt again, F9 chooses another model."
_BEFORE = "The runs before these", "Of each prompt and model, the run before the newest one"
_A_FILE = "A result file …", "A result that Weval published, or that was exported"
_NO_RUBRIC = (
    "The rubric of the old run was not saved with it: its answer is scored by the present one, so what the rubric "
    "changed is not known."
)


class SecondRuns(Part):
    """Asks which result to lay under another, and compares the two. Only `judge` sends anything.

    The judges are those chosen, else those of the blueprint as documented.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._consent = CriterionConsent(session.host, session.resources.settings, ClosingQuestion)

    # --- Which one

    async def ask(self) -> SecondRun:
        """One for the run that is shown. Raises `NotDone` if there is none."""
        run = self._shown()
        others = await self._others(run)
        if not others:
            raise NotDone(_NO_OTHER)
        return await self._asked(f"The answer that is shown ({run.label}) is the new one.", others, self._alone(run))

    async def ask_under(self, matrix: Matrix, cell: Cell | None) -> SecondRun:
        """One for a whole matrix, or for this cell of it. Raises `NotDone`."""
        news = matrix, self._scored_runs(matrix)
        others = await self._others(news[1][cell]) if cell is not None and cell in news[1] else ()
        before = (*_BEFORE, news, partial(self._before, news[1]))
        return await self._asked("Cells then show the difference.", [before, *others], news)

    async def _asked(self, text: str, others: Sequence[_Offer], news: _News) -> SecondRun:
        """What the author chooses of `others`, or a file under `news`."""
        offered = [*others, (*_A_FILE, news, partial(self._of_file, *news))]
        choices = [Choice(str(at), label, detail) for at, (label, detail, *_) in enumerate(offered)]
        *_, under, load = offered[int(await answer_to(self.host, Choose("Compare with", text, choices)))]
        return await self._under(*under, *await load())

    async def _others(self, run: Run) -> list[_Offer]:
        """The other answers to the prompt of this session, then the earlier runs with an answer."""
        beside = [
            each
            for each in self.runs.selection.of_prompt(run.place)
            if each.started != run.started and _is_scored(each)
        ]
        found = await self.session.stored(lambda store: store.past_runs(run.place, 4 * _MOST_PAST), ())
        newest = next((each.number for each in found if each.candidate.key == run.candidate.key), None)
        shown = newest if run.past is None else run.past.number
        past = [each for each in found if each.answered and each.number != shown][:_MOST_PAST]
        news = self._alone(run)
        return [
            *((each.label, str(each.headline or ""), news, partial(self._of_run, each)) for each in beside),
            *((_past_label(each), marked_score_of(each), news, partial(self._of_past, run, each)) for each in past),
        ]

    def _shown(self) -> Run:
        run = self.runs.selection.run
        if run is None or not _is_scored(run):
            raise NotDone("There is no result to compare yet: F5 runs the prompt.")
        return run

    def _alone(self, run: Run) -> _News:
        """The matrix of one run, and its cell."""
        matrix = self.runs.matrix.of_run(run)
        return matrix, {(matrix.rows[0].name, run.candidate.key): run}

    def _scored_runs(self, matrix: Matrix) -> Mapping[Cell, Run]:
        """The runs of the cells that have a score."""
        places, found = self._places, self.state.runs
        cells = [(row.name, key) for row in matrix.rows if row.name in places for key in matrix.columns]
        runs = ((cell, found.get((places[cell[0]].prompt, cell[1]))) for cell in cells)
        return {cell: run for cell, run in runs if run is not None and _is_scored(run)}

    @property
    def _places(self) -> Mapping[str, PromptPlace]:
        """The places of all prompts, by their names in a matrix."""
        prompts = self.analysis.blueprint.prompts
        return {name: self.analysis.place(prompts[index]) for index, name in unique_keys(prompts).items()}

    # --- Each of them

    async def with_past(self, past: PastRun) -> SecondRun:
        """An earlier run of the prompt for the run that is shown. Raises `NotDone`."""
        run = self._shown()
        if run.past is not None and run.past.number == past.number:
            raise NotDone("This run is the one that is shown: select another one.")
        return await self._under(*self._alone(run), *await self._of_past(run, past))

    async def _of_past(self, run: Run, past: PastRun) -> _Olds:
        saved = await self.session.stored(partial(_earlier, past.number), ())
        if not saved:
            raise NotDone("There is no answer in this run." if saved is None else "")
        return _past_label(past), [await self._scored(run.prompt, past, saved)], "" if saved[-1] else _NO_RUBRIC

    async def _of_run(self, other: Run) -> _Olds:
        return other.label, [self._compared(other, self.analysis.header)], ""

    async def _before(self, news: Mapping[Cell, Run]) -> _Olds:
        """The run before the newest one of each cell, scored by its own rubric with its own verdicts."""
        found = await self.session.stored(partial(_all_before, list(news.values())), None)
        if found is None:
            raise NotDone
        both = zip(news.values(), found, strict=True)
        olds = [None if before is None else await self._scored(run.prompt, *before) for run, before in both]
        return "the runs before these", olds, ""

    async def _of_file(self, matrix: Matrix, news: Mapping[Cell, Run]) -> _Olds:
        """The results of a file: of the same models, or under one column of the model that the author chooses."""
        from engine.evaluation.published import cached_result_file

        if len(matrix.columns) > 1:
            file, model = await ask_for_file(self.host, self.state.path), None
        else:
            chosen = await ask_for_result(self.host, self.state.path)
            file, model = await asyncio.to_thread(cached_result_file, chosen.path), chosen.model
        label = file.path.name if model is None else f"{model}, {file.path.name}"
        return label, await asyncio.to_thread(self._published, file, model, news), ""

    def _published(self, file: ResultFile, model: str | None, news: Mapping[Cell, Run]) -> list[ComparedRun | None]:
        """For each run the scored result of its prompt, of its own model or of this one. Blocks."""
        from engine.evaluation.published import result_of
        from engine.study.result_files import ResultVersion

        version = ResultVersion(file)
        counted = self.runs.evaluator.counted_panel(version.header)
        results = [
            result_of(run.prompt, [each for each in file.results if each.model == (model or key)])
            for (_, key), run in news.items()
        ]
        return [
            replace(version.run(each), panel=counted) if each and each.error is None and each.assessments else None
            for each in results
        ]

    async def _under(
        self, matrix: Matrix, news: Mapping[Cell, Run], label: str, olds: Sequence[ComparedRun | None], note: str
    ) -> SecondRun:
        """What is known of each run and the old one, in the same order, compared. Raises `NotDone` without any."""
        header, places = self.analysis.header, self._places
        pairs = {
            cell: (old, self._compared(run, header))
            for (cell, run), old in zip(news.items(), olds, strict=True)
            if old is not None
        }
        if not pairs:
            raise NotDone("It has no result of these prompts and models.")
        for cell, (old, new) in pairs.items():
            answers = [old.answer[-1], new.answer[-1]]
            self.runs.shown.mark(news[cell].place, answers, read=len(news) == 1)

        def compared() -> Mapping[Cell, TwoRuns]:
            return {cell: self._filled(places[cell[0]], *pair) for cell, pair in pairs.items()}

        return SecondRun(label, matrix.only({key for _, key in pairs}), await asyncio.to_thread(compared), note)

    # --- Comparing

    async def _scored(self, prompt: Prompt, past: PastRun, saved: _Saved) -> ComparedRun | None:
        """An earlier run, scored by its own rubric with its own verdicts; None if it cannot be."""
        response, given, rubric = saved
        analysis = self.analysis
        then, header = _as_then(rubric, prompt, analysis.header)
        run = replace(
            self.runs.new_run(analysis, prompt, past.candidate),
            prompt=then,
            response=response,
            judgements=dict(enumerate((each,) for each in given)),
            past=past,
        )
        blueprint = replace(analysis.blueprint, header=header)
        scored = await self.runs.evaluator.rescored(run, blueprint, panel_of(given, header))
        return None if scored.explanation is None else self._compared(scored, header)

    def _compared(self, run: Run, header: Header) -> ComparedRun:
        """A run that has a score, with the header that it was judged with."""
        response, counted = run.response, self.runs.evaluator.counted_panel(header)
        assert response is not None
        given = {each.judge.approach for judgements in run.judgements.values() for each in judgements}
        approaches = given or {judge.approach for judge in panel(header).judges}
        is_holistic = not approaches or Approach.HOLISTIC in approaches
        answer = (*(turn.content for turn in response.thread if turn.generated), response.subject)
        return ComparedRun(answer, run.assessments, run.prompt, header, counted, response, is_holistic)

    def _filled(self, place: PromptPlace, old: ComparedRun, new: ComparedRun) -> TwoRuns:
        """The two with the verdicts that are known. Blocks; nothing is sent."""
        missing = MissingVerdicts(
            self.resources.javascript,
            partial(self.session.cache.judgements, None),
            partial(self.session.cache.grades, place),
            fills_own=True,
        )
        return missing.fill(old, new)

    async def judge(self, second: SecondRun, cell: Cell, judged: Callable[[int, int], None]) -> SecondRun:
        """`second` with the missing verdicts of a cell that judges gave, once the author agrees to the plan. Raises
        `NotDone` if there is no judge.

        `judged` is called with how many questions are answered, of how many.
        """
        compared = second.cells[cell]
        for run, answers in unjudged_answers([compared]):
            if not run.panel.judges:
                why = f"There is no judge to ask: {'; '.join(run.panel.left_out)}."
                raise NotDone(why, Severity.WARNING, seconds=5)
            wanted = wanted_verdicts(run.header, answers, run.panel, self.session.cache.judgement)
            planned = await self._consent.approve(wanted)
            if planned is None:
                break
            total = sum(len(each.places) for each in answers)
            await self.session.cache.taken(judge_answers(answers, planned), lambda done, of=total: judged(done, of))
        filled = await asyncio.to_thread(self._filled, self._places[cell[0]], compared.old, compared.new)
        return replace(second, cells={**second.cells, cell: filled})


def _past_label(past: PastRun) -> str:
    return f"{past.candidate.label}, {ago(past.began, now())}"


def _is_scored(run: Run) -> bool:
    return run.response is not None and run.explanation is not None and not run.running


def _earlier(number: int, store: Store) -> _Saved | None:
    """What was saved of a run; None without an answer. Blocks. Raises `StoreUnavailable`."""
    response, content = store.past_response(number), store.past_rubric(number)
    if response is None:
        return None
    return response, store.past_judgements(number), stored_rubric(content) if content else None


def _all_before(runs: Sequence[Run], store: Store) -> list[tuple[PastRun, _Saved] | None]:
    """Of each run, the scored one of the same prompt and candidate before the newest, if its rubric was saved.

    Blocks. Raises `StoreUnavailable`.
    """
    past = {place: store.past_runs(place, _MOST_SEARCHED) for place in dict.fromkeys(run.place for run in runs)}
    found: list[tuple[PastRun, _Saved] | None] = []
    for run in runs:
        of_key = (each for each in past[run.place] if each.candidate.key == run.candidate.key)
        scored = (each for each in of_key if each.answered and each.score is not None)
        before = next(islice(scored, 1, None), None)
        saved = None if before is None else _earlier(before.number, store)
        found.append(None if before is None or saved is None or saved[-1] is None else (before, saved))
    return found


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
