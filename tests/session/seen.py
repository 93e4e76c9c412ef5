"""What a session knows and has been told, in the words that tests use: of a face without a terminal, and of the app."""

from __future__ import annotations

from engine.evaluation.sources import AnswerSource, Candidate
from engine.judging.panel import JudgesAs, OneJudge
from studio.session.analysis import Analysis
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.session.runs import Runs
from studio.session.session import Session
from studio.session.views import figures
from studio.session.views.answer_view import ShownTurn
from studio.session.views.figures import age_text, from_prompts
from studio.session.views.result_view import ResultView


class Seen:
    """The session of one open file. A subclass says which."""

    def _seen(self) -> Session:
        raise NotImplementedError

    # --- The file

    @property
    def unsaved(self) -> bool:
        """Whether the text is another than the one on disk."""
        return self._seen().state.unsaved

    @property
    def analysis(self) -> Analysis:
        """What is known of the text, which was analysed."""
        known = self._seen().state.analysis
        assert known is not None
        return known

    @property
    def slugs(self) -> list[str]:
        """The rules of the problems, in the order of the text."""
        problems = self._seen().problems()
        return [] if problems is None else [each.diagnostic.slug for each in problems.problems]

    @property
    def total(self) -> str:
        """The score of the file, from how many prompts, and how old it is: `20, from 3 of 3 prompts`."""
        overview = self.runs.overview.view()
        assert overview.total.headline is not None
        said = (overview.total.headline.whole, from_prompts(overview.total.scored, overview.prompt_count))
        return ", ".join(filter(None, (*said, age_text(overview.ages, figures.now()))))

    # --- Answers and judges

    @property
    def runs(self) -> Runs:
        """The runs, which are loaded."""
        loaded = self._seen().runs
        assert loaded is not None
        return loaded

    @property
    def answers(self) -> AnswerChoice | None:
        """Where answers come from; None until the author chooses."""
        return self.runs.state.choice.answers

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.runs.configuration.candidates

    async def choose(self, *sources: AnswerSource, at: tuple[str, ...] = ()) -> None:
        """Answers come from `sources`, of models in the variants `at`, such as `[temp:0.7]`."""
        await self.runs.configuration.choose(AnswerChoice(sources, at))

    def judged(self, by: JudgesAs | OneJudge | None = JudgesAs.DOCUMENTED) -> None:
        """Points in words are judged by this panel; None for the author alone."""
        self.runs.configuration.set(judges_as=by)

    @property
    def judges(self) -> JudgesAs | OneJudge | None:
        return self.runs.state.choice.judges_as

    # --- Runs

    @property
    def shown(self) -> Run | None:
        """The run that is shown."""
        return self.runs.selection.run

    @property
    def run(self) -> Run:
        """The run that is shown, which is there."""
        assert self.shown is not None
        return self.shown

    def run_of(self, number: int) -> Run:
        """The newest run of a prompt, from 0, which is there."""
        run = self.runs.selection.of(self.analysis.parsed.blueprint.prompts[number])
        assert run is not None
        return run

    @property
    def extents(self) -> list[float | None]:
        """How far each point of the run that is shown is met."""
        return [each.extent for each in self.run.assessments]

    @property
    def score(self) -> float | None:
        """The score of the run that is shown, which is explained."""
        assert self.run.explanation is not None
        return self.run.explanation.score

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the score that is shown."""
        assert self.run.explanation is not None
        return self.run.explanation.bounds.low, self.run.explanation.bounds.high

    @property
    def said(self) -> str:
        """The answer of the run that is shown."""
        assert self.run.response is not None
        return self.run.response.subject

    @property
    def figures(self) -> dict[str, str]:
        """The whole figures of the prompts that have a score, by their ids."""
        standings = self.runs.overview.view().prompts
        return {each.id: each.headline.whole_figure for each in standings if each.headline is not None}

    @property
    def result(self) -> ResultView:
        """The result that is shown, which is there."""
        view = self.runs.views.result()
        assert isinstance(view, ResultView)
        return view

    @property
    def turns(self) -> tuple[ShownTurn, ...]:
        """The turns of the conversation that is shown, written and generated."""
        return self.runs.views.answer().turns

    @property
    def states(self) -> list[tuple[str, str]]:
        """What is known of each turn: its words, and how it came about."""
        return [(turn.text, (turn.origin or turn.state).value) for turn in self.turns]

    @property
    def ends(self) -> list[str]:
        """How each generated turn ended, in words; "" where it is whole."""
        return [turn.ended for turn in self.turns if turn.generated is not None]
