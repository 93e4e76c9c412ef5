"""The blueprint as a whole: the standing of each prompt, and the matrix of its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import unique_keys
from engine.parsing.model_collections import DEFAULT, Collections, NoCollection, UnusableCollection, is_collection
from engine.scoring.assessment import StoredJudgement
from engine.scoring.explanation import listed, points_text
from engine.study.matrix import NOT_RUN, AnswerState, Matrix, PromptRow, ScoredAnswer, Verdicts
from engine.text.record import replace
from engine.text.spans import positions
from studio.session.prompt_names import own_words, prompt_names
from studio.session.run import Run
from studio.session.state import Part, remembered, selector
from studio.session.views.overview_view import (
    FileCriterion,
    FileResult,
    LastScore,
    ModelGroup,
    Overview,
    PromptStanding,
    model_name,
)
from studio.session.views.result_view import judge_words

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.yaml.nodes import Data
    from studio.session.analysis import Analysis


_GROUPS = "header collections"


class BlueprintOverview(Part):
    """Makes the overview of the blueprint, and reads its collections off the event loop."""

    @selector(
        lambda of: of.state.analysis,
        lambda of: of.state.runs,
        lambda of: of.state.last,
        lambda of: of.state.choice,
        lambda of: of.state.cases,
        lambda of: of.state.found,
        lambda of: of.runs.queue.is_running,
    )
    def view(self) -> Overview:
        """The overview of the runs with the candidate that is shown."""
        analysis = self.analysis
        header, prompts = analysis.header, enumerate(analysis.blueprint.prompts, 1)
        candidate = self.runs.configuration.candidate
        return Overview(
            self.beside(_GROUPS, None, header.models) or (),
            tuple([self._standing(analysis, number, prompt, candidate.key) for number, prompt in prompts]),
            candidate.label,
            is_running=self.runs.queue.is_running,
            names_models=bool(header.models),
            unread=_unread_lines(analysis),
            cases=self.state.cases.text,
        )

    @selector(lambda of: of.view())
    def result(self) -> FileResult:
        """The overview, with the criteria of all prompts that cost something, and then those that are open."""
        overview, analysis = self.view(), self.analysis
        criteria = [each for standing in overview.prompts for each in self._costly_or_open(overview, standing)]
        is_unread = not overview.prompts and analysis.parsed.tree.error is not None
        return FileResult(overview, tuple(sorted(criteria, key=lambda each: -each.cost)), is_unread=is_unread)

    def _costly_or_open(self, overview: Overview, standing: PromptStanding) -> Iterator[FileCriterion]:
        prompt = self.analysis.blueprint.prompts[standing.number - 1]
        run = self.runs.selection.newest(self.analysis.place(prompt), self.runs.configuration.candidate.key)
        weights = overview.total.weights
        if run is None or run.explanation is None or not standing.is_counted or not weights > 0:
            return
        places = {id(each): place for place, each in enumerate(run.assessments)}
        for point in (point for group in run.explanation.groups() for point in group.points):
            cost = (point.cost or 0.0) * standing.weight / weights
            if points_text(cost) != "0.0" or point.assessment.extent is None:
                place, asked = places[id(point.assessment)], own_words(prompt) or prompt.id
                words = judge_words(point.assessment, run.judgements.get(place, ()))
                yield FileCriterion(standing.number, asked, place, point.assessment, cost, words)

    def follow(self, analysis: Analysis) -> None:
        """Read the collections of the header if its models changed."""
        models = analysis.header.models
        self.find(_GROUPS, None, models, partial(self._group, models))

    def _standing(self, analysis: Analysis, number: int, prompt: Prompt, key: str) -> PromptStanding:
        """The standing of the prompt of this number, from 1, by its newest run, else by the last one before."""
        run = self.runs.selection.newest(analysis.place(prompt), key)
        last = self.runs.history.score(analysis, prompt, key) if run is None else _last_score(run)
        headline, state = None if run is None else run.headline, "not run"
        if last is not None:
            headline = last.headline if last.is_comparable else None
            state = f"≠{last.headline.marked_whole_figure}"
        elif run is not None:
            state = "runs …" if run.running else run.state
            headline = run.before if run.is_stopped else headline
        failed = run is not None and run.failed is not None and not run.failed.stopped
        return PromptStanding(number, prompt.id, prompt.weight, prompt.span, headline, state, failed, last)

    async def _group(self, models: tuple[Data, ...]) -> tuple[ModelGroup, ...]:
        collections = Collections(self.state.path, self.session.collections_folder)
        return await asyncio.to_thread(grouped, models or DEFAULT, collections)


def _last_score(run: Run) -> LastScore | None:
    """What the answer of the last run scores now; None for a run of this session."""
    if run.last is None or run.headline is None:
        return None
    return LastScore(run.headline, run.last.began, is_comparable=True)


def _unread_lines(analysis: Analysis) -> tuple[int, ...]:
    """The lines, from 1, of the parts of the file that cannot be read."""
    places = positions(analysis.parsed.text, analysis.parsed.broken.unread)
    return tuple(place.line + 1 for place in places)


def grouped(models: Sequence[Data], collections: Collections) -> tuple[ModelGroup, ...]:
    """`models`, each collection with the models that it lists. What several that are missing need is said once."""
    groups: list[ModelGroup] = []
    missing: dict[str, str] = {}
    for model in models:
        name = model_name(model)
        if not (isinstance(model, str) and is_collection(model)):
            groups.append(ModelGroup((name,)))
            continue
        try:
            groups.append(ModelGroup(tuple(collections.members(name)), name))
        except NoCollection as error:
            groups.append(ModelGroup((), name))
            missing[name] = str(error)
        except UnusableCollection as error:
            groups.append(ModelGroup((), name, str(error)))
    if missing:
        (first, problem), *others = missing.items()
        same = f" The same is true of {listed(name for name, _ in others)}." if others else ""
        at = groups.index(ModelGroup((), first))
        groups[at] = replace(groups[at], problem=f"{problem}{same}")
    return tuple(groups)


class ModelMatrix(Part):
    """Makes the matrix of the newest runs, again whenever one of them changes."""

    @selector(
        lambda of: of.analysis.number,
        lambda of: of.state.runs,
        lambda of: of.state.last,
        lambda of: of.runs.configuration.candidates,
    )
    def of_all(self) -> Matrix:
        """The matrix of all runs, with the names of its columns on the screen."""
        labels = {each.key: each.label for each in self.runs.configuration.candidates}
        for run in self.state.runs.values():
            labels.setdefault(run.candidate.key, run.label)
        return self._named(self._matrix(tuple(labels)), tuple(labels.values()))

    def of_run(self, run: Run) -> Matrix:
        """The matrix of one run alone."""
        prompts = self.analysis.blueprint.prompts
        name = unique_keys(prompts)[run.prompt.index]
        row = PromptRow(name, run.prompt.index + 1, run.prompt.weight, (answer_of(run),))
        return self._named(Matrix((run.candidate.key,), (row,)), (run.label,))

    def _named(self, matrix: Matrix, labels: tuple[str, ...]) -> Matrix:
        names = prompt_names(self.analysis.blueprint.prompts)
        title = self.state.path.name
        return replace(matrix, title=title, labels=labels, asked=names.names, phrase=names.phrase)

    def _matrix(self, keys: tuple[str, ...]) -> Matrix:
        prompts = self.analysis.blueprint.prompts
        by_name = {name: prompts[index] for index, name in unique_keys(prompts).items()}

        def cell(name: str, key: str) -> ScoredAnswer:
            return self._answer(self.analysis.place(by_name[name]).prompt, key)

        return Matrix.of([(name, prompt.weight) for name, prompt in by_name.items()], keys, cell)

    def _answer(self, prompt: str, key: str) -> ScoredAnswer:
        """The answer of a run; the same object while the run is the same, with what was computed of it."""
        run = self.state.runs.get((prompt, key))
        if run is None:
            return self._answer_before(prompt, key)
        if run.response is not None:
            self.runs.shown.mark(run.place, [run.response.subject], read=False)
        return remembered(self.session, (ModelMatrix, *run.slot), (run,), partial(answer_of, run), is_view=False)

    def _answer_before(self, prompt: str, key: str) -> ScoredAnswer:
        """That of an earlier session, whose answers are runs here once they were scored."""
        failed = self.state.last.failed.get((prompt, key))
        if failed is None:
            return NOT_RUN
        return ScoredAnswer(AnswerState.WITHHELD if failed.withheld else AnswerState.FAILED)


def answer_of(run: Run) -> ScoredAnswer:
    """The answer of a run, as far as it has come."""
    if run.failed is not None and run.explanation is None:
        state = AnswerState.WITHHELD if run.failed.withheld else AnswerState.FAILED
        return ScoredAnswer(AnswerState.NOT_RUN if run.failed.stopped else state)
    explanation = run.explanation
    if explanation is None:
        return ScoredAnswer(AnswerState.RUNNING if run.running else AnswerState.NOT_RUN)
    has_points = bool(run.assessments) or explanation.is_partial
    return ScoredAnswer(
        AnswerState.SCORED,
        lambda: run.assessments,
        lambda: _verdicts(run),
        run.response is not None and run.response.cut != "",
        known=explanation.bounds if has_points else None,
        is_partial=explanation.is_partial,
    )


def _verdicts(run: Run) -> Verdicts:
    """The verdicts of single judges: of the run, else those of the result file that its answer is from."""
    found: list[tuple[StoredJudgement, ...]] = []
    for index, assessment in enumerate(run.assessments):
        judgements = run.judgements.get(index, ())
        found.append(
            tuple(
                StoredJudgement(each.judge.label, None if each.verdict is None else each.verdict.extent, "")
                for each in judgements
            )
            or assessment.published
        )
    return found
