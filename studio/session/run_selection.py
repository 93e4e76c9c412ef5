"""Which run of each prompt is shown: the newest with the chosen candidate, unless the author opened an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.evaluation.sources import WrittenSource
from engine.text.record import replace
from studio.session.changes import Change, ChangeStream
from studio.session.document import Document
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from engine.text.spans import Span


class RunSelection:
    """The runs of one file: the newest of each prompt and candidate, opened ones, and the author's own answers."""

    def __init__(self, document: Document, configuration: RunConfiguration, changes: ChangeStream) -> None:
        self._document = document
        self._configuration = configuration
        self._changes = changes
        self._newest: dict[tuple[str, str], Run] = {}
        self._opened: dict[str, Run] = {}
        self._written: dict[str, str] = {}
        self.row: tuple[int | None, tuple[Span, ...]] = (None, ())
        """The selected row of the result: a point by its place in `Prompt.points()`, or the evidence of another row."""
        self.version = 0
        """Increases with every change of a run."""
        self.times_loaded = 0
        """How often an answer of the author's own was restored."""

    # --- What is shown

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is shown: the one under the cursor; None in the header."""
        return self._document.prompt

    @property
    def place(self) -> PromptPlace | None:
        """Where what belongs to the prompt that is shown is saved."""
        analysis, prompt = self._document.analysis, self.prompt
        return None if analysis is None or prompt is None else analysis.place(prompt)

    @property
    def run(self) -> Run | None:
        """The run that is shown."""
        return None if self.prompt is None else self.of(self.prompt)

    @property
    def is_writing(self) -> bool:
        """Whether the response pane takes the author's own answer to the prompt that is shown."""
        analysis, place = self._document.analysis, self.place
        if analysis is None or place is None or place.prompt in self._opened:
            return False
        return isinstance(self._configuration.candidate(analysis.header).source, WrittenSource)

    def of(self, prompt: Prompt) -> Run | None:
        """The run that is shown when the cursor is in `prompt`."""
        analysis = self._document.analysis
        if analysis is None:
            return None
        place = analysis.place(prompt)
        return self._opened.get(place.prompt) or self.newest(place, self._configuration.candidate(analysis.header).key)

    # --- All runs

    @property
    def has_runs(self) -> bool:
        """Whether any prompt was run."""
        return bool(self._newest)

    @property
    def all(self) -> tuple[Run, ...]:
        """The newest runs, and those that the author opened."""
        return (*self._newest.values(), *self._opened.values())

    @property
    def newest_runs(self) -> tuple[Run, ...]:
        """The newest run of each prompt and candidate, in the order in which these were first run."""
        return tuple(self._newest.values())

    def newest(self, place: PromptPlace, key: str) -> Run | None:
        """The newest run of a prompt with one candidate, by its key."""
        return self.newest_at(place.prompt, key)

    def newest_at(self, prompt: str, key: str) -> Run | None:
        """As `newest`, by `PromptPlace.prompt`."""
        return self._newest.get((prompt, key))

    def of_prompt(self, place: PromptPlace) -> tuple[Run, ...]:
        """The newest run of a prompt with each candidate, in the order in which these were first run."""
        return tuple(run for (prompt, _), run in self._newest.items() if prompt == place.prompt)

    # --- Changing it

    def put(self, run: Run, *, within: float = 0.0, change: Change = Change.RUNS) -> None:
        """Make `run` the newest of its prompt and candidate; publish the change within so many seconds."""
        key = (run.place.prompt, run.candidate.key)
        last = self._newest.get(key)
        if last is not None:  # a run that is stopped leaves the score of the one before on the screen
            before = last.before if last.started == run.started else last.headline or last.before
            run = run if run.before is before else replace(run, before=before)
        self._newest[key] = run
        self.version += 1
        self._changes.publish(change, within=within)

    def replace(self, run: Run) -> None:
        """Replace an existing run by another state of it, without running."""
        opened = self._opened.get(run.place.prompt)
        if opened is not None and opened.started == run.started:
            self.open(run)
        else:
            self.put(run)

    def open(self, run: Run) -> None:
        """Show `run`, until its prompt is run again or other answers are chosen."""
        self._opened[run.place.prompt] = run
        self.version += 1
        self._changes.publish(Change.RUNS)

    def close(self) -> bool:
        """Show the newest run of the prompt again; whether an earlier one was open."""
        place = self.place
        if place is None or self._opened.pop(place.prompt, None) is None:
            return False
        self.version += 1
        self._changes.publish(Change.RUNS)
        return True

    def close_all(self) -> None:
        """Show the newest run of every prompt."""
        self._opened.clear()
        self.version += 1
        self._changes.publish(Change.RUNS)

    def select_row(self, point: int | None, evidence: tuple[Span, ...]) -> None:
        """Select a row of the result, as `row`."""
        self.row = point, evidence
        self._changes.publish(Change.RUNS)

    def begin(self, runs: Sequence[Run]) -> None:
        """Show these runs, which are about to start, instead of opened ones."""
        for run in runs:
            self._opened.pop(run.place.prompt, None)

    # --- Answers of the author's own

    def written(self, place: PromptPlace) -> str:
        """The author's own answer to a prompt; "" if there is none."""
        return self._written.get(place.prompt, "")

    @property
    def all_written(self) -> dict[str, str]:
        """The author's own answers by the keys of their prompts (`PromptPlace.prompt`)."""
        return dict(self._written)

    def write(self, place: PromptPlace, text: str) -> None:
        """Set the author's own answer to a prompt."""
        self._written[place.prompt] = text

    def restore_written(self, answers: Mapping[str, str]) -> None:
        """Set the author's own answers of an earlier session, by the keys of prompts, unless there is one already."""
        if new := {prompt: text for prompt, text in answers.items() if prompt not in self._written}:
            self._written |= new
            self.times_loaded += 1
