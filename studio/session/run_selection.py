"""Which run of which prompt is shown: the newest with the candidate chosen, unless the author opened an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.evaluation.sources import WrittenSource
from studio.session.changes import Change, ChangeStream
from studio.session.document import Document
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace


class RunSelection:
    """The runs of one file: the newest of each prompt and candidate, those that were opened, and answers written."""

    def __init__(self, document: Document, configuration: RunConfiguration, changes: ChangeStream) -> None:
        self._document = document
        self._configuration = configuration
        self._changes = changes
        self._newest: dict[tuple[str, str], Run] = {}
        self._opened: dict[str, Run] = {}
        self._written: dict[str, str] = {}
        self.version = 0
        """Another one whenever a run is another."""
        self.times_loaded = 0
        """How often an answer of the author's own was put there for them."""

    # --- What is shown

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is shown: the one under the cursor; None where that is in the header."""
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
        """Whether the response is where the author writes an answer to the prompt that is shown."""
        analysis, place = self._document.analysis, self.place
        if analysis is None or place is None or place.prompt in self._opened:
            return False
        return isinstance(self._configuration.candidate(analysis.header).source, WrittenSource)

    def of(self, prompt: Prompt) -> Run | None:
        """The run of `prompt` that is shown where the cursor is in it."""
        analysis = self._document.analysis
        if analysis is None:
            return None
        place = analysis.place(prompt)
        return self._opened.get(place.prompt) or self.newest(place, self._configuration.candidate(analysis.header).key)

    # --- All runs

    @property
    def any(self) -> bool:
        """Whether any prompt was run."""
        return bool(self._newest)

    @property
    def all(self) -> tuple[Run, ...]:
        """The newest runs, and those that the author opened."""
        return (*self._newest.values(), *self._opened.values())

    def newest(self, place: PromptPlace, key: str) -> Run | None:
        """The newest run of a prompt with one candidate, by its key."""
        return self._newest.get((place.prompt, key))

    def of_prompt(self, place: PromptPlace) -> tuple[Run, ...]:
        """The newest run of a prompt with each candidate, in the order in which these were first run."""
        return tuple(run for (prompt, _), run in self._newest.items() if prompt == place.prompt)

    # --- Changing it

    def put(self, run: Run, *, within: float = 0.0, change: Change = Change.RUNS) -> None:
        """Let `run` be the newest of its prompt and candidate; tell of it within so many seconds."""
        self._newest[run.place.prompt, run.candidate.key] = run
        self.version += 1
        self._changes.publish(change, within=within)

    def replace(self, run: Run) -> None:
        """A run that is there has changed, without running."""
        opened = self._opened.get(run.place.prompt)
        if opened is not None and opened.started == run.started:
            self.open(run)
        else:
            self.put(run)

    def open(self, run: Run) -> None:
        """Show `run` of its prompt, until that is run again or other answers are chosen."""
        self._opened[run.place.prompt] = run
        self.version += 1
        self._changes.publish(Change.RUNS)

    def close(self) -> bool:
        """Go back from a run that was opened of the prompt that is shown to the newest; whether there was one."""
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

    def begin(self, runs: Sequence[Run]) -> None:
        """These are about to begin: they are shown."""
        for run in runs:
            self._opened.pop(run.place.prompt, None)

    # --- Answers of the author's own

    def written(self, place: PromptPlace) -> str:
        """The author's own answer to a prompt, "" where there is none."""
        return self._written.get(place.prompt, "")

    def write(self, place: PromptPlace, text: str) -> None:
        """The author's own answer to a prompt is `text`."""
        self._written[place.prompt] = text

    def write_once(self, place: PromptPlace, text: str) -> None:
        """The same, of an earlier session, unless they wrote one already."""
        if place.prompt not in self._written:
            self._written[place.prompt] = text
            self.times_loaded += 1
