"""What an author does with the turns of an answer: edit one, have one generated again, go to where one is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.conversation import subject_text, turns_to_generate, with_turn_edited
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource
from studio.session.run import Edited, Run, marked
from studio.tui.panes.thread import ShownTurn, TurnState
from studio.tui.screens.side import CONVERSATION

if TYPE_CHECKING:
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.trying import Trying


class Turns:
    """Acts on the run that is shown."""

    def __init__(self, screen: BlueprintScreen, trying: Trying) -> None:
        self._screen = screen
        self._trying = trying

    def go_to(self, turn: ShownTurn) -> None:
        """Go to where `turn` is written."""
        run, analysis = self._trying.shown_run, self._screen.analysis
        revision = run.revision if run is not None else None if analysis is None else analysis.revision
        if turn.span is None or revision is None:
            self._tell("This turn has no place of its own in the blueprint.")
        else:
            self._screen.go_to(turn.span.start, revision)

    # --- Editing

    def edit(self, turn: ShownTurn) -> None:
        """Edit the words of a generated turn."""
        if turn.generated is None:
            self._tell("This turn is written in the blueprint: Enter goes there. e edits what was generated.")
        elif turn.place is None or turn.state is TurnState.GENERATING:
            self._tell("There is nothing to edit yet.")
        elif (run := self._run_at_rest()) is not None:
            self._screen.run_worker(self._edit(run, turn.place), group="editing", exclusive=True)

    def edit_response(self) -> None:
        """Edit the answer: its one generated turn, or one to be selected in the conversation."""
        run = self._run_at_rest()
        if run is None or run.response is None:
            return
        places = [place for place, turn in enumerate(run.response.thread) if turn.generated]
        if not places:
            self._tell("This answer is written in the blueprint: change it there.")
        elif len(places) == 1:
            self._screen.run_worker(self._edit(run, places[0]), group="editing", exclusive=True)
        else:
            self._tell(f"This answer has {len(places)} turns: select one here, and press e.")
            self._screen.show_tab(CONVERSATION)
            self._screen.runs_changed()
            if self._screen.side.conversation is not None:
                self._screen.side.conversation.select_generated(len(places) - 1)

    async def _edit(self, run: Run, place: int) -> None:
        from studio.tui.dialogs.edit_answer import EditAnswer

        assert run.response is not None
        title = f"Edit the answer: {run.label}"
        text = await self._screen.app.push_screen_wait(EditAnswer(title, run.response.thread[place].content))
        analysis = self._screen.analysis
        if text is None or analysis is None:
            return
        edited = with_edit(run, place, text)
        if edited.edited is None:
            self._trying.put(edited)
        else:
            await self._trying.rejudging.judge_again(edited, analysis.parsed.blueprint)
            await self._trying.keep(edited)

    def original(self) -> None:
        """Let what was first answered stand again."""
        run, analysis = self._run_at_rest(), self._screen.analysis
        if run is None or analysis is None:
            return
        if run.edited is None:
            self._tell("This answer is as it came: there is no edit to take back.")
            return
        self._trying.put(run.edited.before)
        self._trying.follow(analysis)

    # --- Generating again

    def generate_again(self, turn: ShownTurn) -> None:
        """Ask the model anew for `turn` and those after it."""
        run, analysis = self._run_at_rest(), self._screen.analysis
        if run is None or analysis is None:
            return
        prompt = self._trying.shown_prompt
        if turn.generated is None:
            self._tell("This turn is written in the blueprint. g generates again what a model said.")
        elif not isinstance(run.source, ModelSource):
            self._tell("No model said this: F9 chooses one.")
        elif prompt is None or _asked(prompt) != _asked(run.prompt):
            self._tell("The conversation is another by now: F5 runs it from its beginning.")
        elif run.response is None or (begun := said_before(run.response, turn.generated)) is None:
            self._tell("The turns before this one are still to be generated: begin with the first of them.")
        else:
            ended = [each.stop for each in run.response.thread if each.generated][: len(begun)]
            again = replace(run, begun_stops=tuple(ended))
            self._trying.running.go_on(analysis, prompt, again, begun, _edits_in(run, len(begun)))

    def _run_at_rest(self) -> Run | None:
        run = self._trying.shown_run
        if run is None or run.response is None:
            self._tell("There is no answer yet: F5 runs this prompt.")
        elif run.running or self._trying.under_way.running:
            self._tell("An answer is on its way: F5 stops it.")
        else:
            return run
        return None

    def _tell(self, said: str) -> None:
        self._screen.notify(said, timeout=5, markup=False)


def with_edit(run: Run, place: int, text: str) -> Run:
    """`run` with the turn at `place` of its thread changed to `text` by the author.

    It is not judged yet. Where all turns are what was first answered, it is the run as it was before any change.
    """
    assert run.response is not None
    before = run if run.edited is None else run.edited.before
    thread = with_turn_edited(run.response.thread, place, text)
    first = [] if before.response is None else [turn.content for turn in before.response.thread if turn.generated]
    now = [turn.content for turn in thread if turn.generated]
    changed = {number for number, said in enumerate(now) if number >= len(first) or said != first[number]}
    if not changed:
        return before
    whole = run.response.complete or len(now) >= turns_to_generate(run.prompt)
    response = marked(Response(subject_text(thread), thread, complete=whole), changed)
    return replace(
        run,
        response=response,
        failed=None,
        judgements={},
        agreement=None,
        waiting=frozenset(),
        edited=Edited(frozenset(changed), before),
    )


def said_before(response: Response, number: int) -> tuple[str, ...] | None:
    """The generated turns before generated turn `number`; None where one of them is not there."""
    said = tuple(turn.content for turn in response.thread if turn.generated)[:number]
    return said if len(said) == number else None


def _edits_in(run: Run, turns: int) -> Edited | None:
    """What of the author's changes stands in the first `turns` generated turns."""
    if run.edited is None:
        return None
    still = frozenset(number for number in run.edited.turns if number < turns)
    return replace(run.edited, turns=still) if still else None


def _asked(prompt: Prompt) -> Sequence[tuple[str, str | None]]:
    return [(message.role, message.content) for message in prompt.messages]
