"""Which run of each prompt is shown: the newest with the chosen candidate, unless the author opened an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.evaluation.sources import WrittenSource
from engine.text.record import replace
from studio.session.parts import Part
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from engine.text.spans import Span

_ARRIVE_SECONDS = 0.08
"""Text that arrives is shown at most this often."""


class RunSelection(Part):
    """The runs of one file: the newest of each prompt and candidate, opened ones, and the author's own answers."""

    # --- What is shown

    @property
    def run(self) -> Run | None:
        """The run that is shown."""
        return None if self.state.prompt is None else self.of(self.state.prompt)

    @property
    def is_writing(self) -> bool:
        """Whether the author writes the answer to the prompt that is shown."""
        place = self.state.place
        if place is None or place.prompt in self.state.opened:
            return False
        return isinstance(self.runs.configuration.candidate(self.analysis.header).source, WrittenSource)

    def of(self, prompt: Prompt) -> Run | None:
        """The run that is shown when the cursor is in `prompt`."""
        if self.state.analysis is None:
            return None
        place = self.analysis.place(prompt)
        candidate = self.runs.configuration.candidate(self.analysis.header)
        return self.state.opened.get(place.prompt) or self.newest(place, candidate.key)

    # --- All runs

    @property
    def all(self) -> tuple[Run, ...]:
        """The newest runs, and those that the author opened."""
        return (*self.state.runs.values(), *self.state.opened.values())

    def newest(self, place: PromptPlace, key: str) -> Run | None:
        """The newest run of a prompt with one candidate, by its key."""
        return self.state.runs.get((place.prompt, key))

    def of_prompt(self, place: PromptPlace) -> tuple[Run, ...]:
        """The newest run of a prompt with each candidate, in the order in which these were first run."""
        return tuple(run for (prompt, _), run in self.state.runs.items() if prompt == place.prompt)

    # --- Changing it

    def put(self, run: Run, *, within: float = 0.0) -> None:
        """Make `run` the newest of its prompt and candidate; the change is told within so many seconds."""
        slot = run.slot
        last = self.state.runs.get(slot)
        if last is not None:  # a run that is stopped leaves the score of the one before on the screen
            before = last.before if last.started == run.started else last.headline or last.before
            run = run if run.before is before else replace(run, before=before)
        arriving = self.state.arriving
        if slot in arriving:
            arriving = {each: turns for each, turns in arriving.items() if each != slot}
        self.change(within=within, runs={**self.state.runs, slot: run}, arriving=arriving)

    def arrive(self, run: Run) -> None:
        """Show as much of the answer of `run` as has arrived."""
        self.change(within=_ARRIVE_SECONDS, arriving={**self.state.arriving, run.slot: run.arrived})

    def replace(self, run: Run) -> None:
        """Replace an existing run by another state of it, without running."""
        opened = self.state.opened.get(run.place.prompt)
        if opened is not None and opened.started == run.started:
            self.open(run)
        else:
            self.put(run)

    def open(self, run: Run) -> None:
        """Show `run`, until its prompt is run again or other answers are chosen."""
        self.change(opened={**self.state.opened, run.place.prompt: run})

    def close(self) -> bool:
        """Show the newest run of the prompt again; whether an earlier one was open."""
        place = self.state.place
        if place is None or place.prompt not in self.state.opened:
            return False
        self._close({place.prompt})
        return True

    def close_all(self) -> None:
        """Show the newest run of every prompt."""
        self._close(set(self.state.opened))

    def begin(self, runs: Sequence[Run]) -> None:
        """Show these runs, which are about to start, instead of opened ones."""
        self._close({run.place.prompt for run in runs})

    def _close(self, prompts: set[str]) -> None:
        self.change(opened={prompt: run for prompt, run in self.state.opened.items() if prompt not in prompts})

    def select_row(self, point: int | None, evidence: tuple[Span, ...]) -> None:
        """Select a row of the result, as `State.row`."""
        self.change(row=(point, evidence))

    # --- Answers of the author's own

    def written(self, place: PromptPlace) -> str:
        """The author's own answer to a prompt; "" if there is none."""
        return self.state.written.get(place.prompt, "")

    def write(self, text: str) -> None:
        """Set the author's own answer to the prompt that is shown."""
        place = self.state.place
        if place is not None and text != self.written(place):
            self.change(written={**self.state.written, place.prompt: text})

    def restore_written(self, answers: Mapping[str, str]) -> None:
        """Set the author's own answers of an earlier session, by the keys of prompts, unless there is one already."""
        if new := {prompt: text for prompt, text in answers.items() if prompt not in self.state.written}:
            self.change(written={**self.state.written, **new}, times_loaded=self.state.times_loaded + 1)
