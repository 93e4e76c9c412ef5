"""Editing the turns of an answer, undoing the edits, and generating turns again. What the author types is saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint.conversation import subject_text, turns_to_generate, with_turn_edited
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource
from engine.files.user_settings import answer_drafts, save_answer_drafts, save_written_answers, written_answers
from engine.text.record import replace
from engine.text.spans import visible
from studio.session.host import Severity
from studio.session.parts import Part
from studio.session.questions import EditQuestion
from studio.session.restored_answers import is_restorable
from studio.session.run import Edited, Run, marked, messages_of
from studio.session.views.answer_view import ShownTurn, TurnState

if TYPE_CHECKING:
    from studio.session.analysis import Analysis
    from studio.session.session import Session

_SECONDS = 0.5
"""The time between two saves while the author types."""
_SAVING = "typed answers"


class SavedTexts(Part):
    """Saves the author's own answers, and the drafts of edits, within a second of a change, in threads."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._saved: dict[str, tuple[Path, Mapping[str, str]]] = {}
        self._failed: set[str] = set()
        self._order = asyncio.Lock()

    async def restore(self) -> Mapping[str, str]:
        """Take up the drafts of an earlier session, and tell the author of them; the author's own answers."""
        path = self.state.path
        written, drafts = await asyncio.to_thread(lambda: (written_answers(path), answer_drafts(path)))
        self._saved = {"written": (path, written), "drafts": (path, drafts)}
        self.change(drafts={**drafts, **self.state.drafts})
        if drafts:
            name = visible(path.name)
            text = f"The studio ended while you edited an answer in {name}. Edit it again (e) to see what you typed."
            self.host.notify(text, seconds=15)
        return written

    def save_soon(self) -> None:
        """Save what was typed since, unless that is about to happen."""
        if _SAVING not in self.session.tasks.busy:
            self.effect(_SAVING, self._save_until_saved())

    async def _save_until_saved(self) -> None:
        while await self.save():
            await asyncio.sleep(_SECONDS)

    async def save(self) -> bool:
        """Save what was typed since, now; whether there was anything, and it could be saved."""
        async with self._order:
            saved = await self._save("written", save_written_answers, "Your own answers cannot be saved")
            return await self._save("drafts", save_answer_drafts, "The answer that you edit cannot be saved") or saved

    async def _save(self, field: str, write: Callable[[Path, Mapping[str, str]], None], failure: str) -> bool:
        now = self.state.path, getattr(self.state, field)
        if self._saved.get(field) == now:
            return False
        try:
            await asyncio.to_thread(write, *now)
        except OSError as error:
            if field not in self._failed:
                self.host.notify(f"{failure}: {error.strerror or error}.", Severity.WARNING)
            self._failed.add(field)
            return False
        self._saved[field] = now
        self._failed.discard(field)
        return True


class AnswerEdits(Part):
    """Acts on the run that is shown."""

    # --- Editing

    async def edit(self, turn: ShownTurn) -> None:
        """Edit the text of a generated turn."""
        if turn.generated is None:
            self.host.notify("This turn is written in the blueprint: Enter goes there. e edits what was generated.")
        elif turn.place is None or turn.state is TurnState.GENERATING:
            self.host.notify("There is nothing to edit yet.")
        elif (run := self._run_at_rest()) is not None:
            await self._edit(run, turn.place)

    async def _edit(self, run: Run, place: int) -> None:
        assert run.response is not None
        before, key = run.response.thread[place].content, "\n".join((*run.slot, str(place)))

        def typed(text: str) -> None:
            self.change(drafts={**self.state.drafts, key: "" if text == before else text})

        title = f"Edit the answer: {run.label}"
        text = await self.host.ask(EditQuestion(title, before, self.state.drafts.get(key) or None, typed))
        analysis = self.state.analysis
        if text is not None and analysis is not None:
            await self._accept(run, place, text, analysis)
        typed(before)

    async def _accept(self, run: Run, place: int, text: str, analysis: Analysis) -> None:
        """Show the run with the edited answer, scored again, and save it."""
        edited = with_edit(run, place, text)
        if edited.edited is None:
            self.runs.selection.replace(edited)
            return
        await self.runs.selection.rescore(edited, analysis.blueprint)
        if is_restorable(edited.answered) and edited.response is not None:
            await asyncio.to_thread(self.session.cache.save_response, edited.place, edited.key, edited.response)

    def undo(self) -> None:
        """Undo all edits of the answer."""
        run, analysis = self._run_at_rest(), self.state.analysis
        if run is None or analysis is None:
            return
        if run.edited is None:
            self.host.notify("This answer is not edited: there is nothing to undo.")
            return
        self.runs.selection.replace(run.edited.before)
        self.runs.selection.follow_rubric(analysis)

    # --- Generating again

    async def regenerate(self, turn: ShownTurn) -> None:
        """Have the model generate `turn` and those after it again."""
        run, prompt = self._run_at_rest(), self.state.prompt
        if run is None:
            return
        if turn.generated is None:
            self.host.notify("This turn is written in the blueprint. R regenerates turns of a model.")
        elif not isinstance(run.source, ModelSource):
            self.host.notify("This is not a model's text: F9 chooses a model.")
        elif prompt is None or messages_of(prompt) != messages_of(run.prompt):
            self.host.notify("The conversation has changed since: F5 runs it from its beginning.")
        elif run.response is None or (prefilled := turns_before(run.response, turn.generated)) is None:
            self.host.notify("The turns before this one are not generated yet: start with the first of them.")
        else:
            ended = [each.stop for each in run.response.thread if each.generated][: len(prefilled)]
            await self.runs.continue_run(
                prompt, replace(run, prefilled_stops=tuple(ended)), prefilled, _edits_in(run, len(prefilled))
            )

    def _run_at_rest(self) -> Run | None:
        run = self.runs.selection.run
        if run is None or run.response is None:
            self.host.notify("There is no answer yet: F5 runs this prompt.")
        elif run.running or self.runs.queue.is_running:
            self.host.notify("A run is in progress: F5 stops it.")
        else:
            return run
        return None


def with_edit(run: Run, place: int, text: str) -> Run:
    """`run` with the turn at `place` of its thread changed to `text` by the author.

    It is not judged yet. If all turns are as they were first generated, this is the run before any edit.
    """
    assert run.response is not None
    before = run if run.edited is None else run.edited.before
    thread = with_turn_edited(run.response.thread, place, text)
    first = [] if before.response is None else [turn.content for turn in before.response.thread if turn.generated]
    now = [turn.content for turn in thread if turn.generated]
    changed = {number for number, content in enumerate(now) if number >= len(first) or content != first[number]}
    if not changed:
        return before
    whole = run.response.complete or len(now) >= turns_to_generate(run.prompt)
    response = marked(Response(subject_text(thread), thread, complete=whole), changed)
    return replace(
        run,
        response=response,
        failed=None,
        judgements={},
        judged=False,
        agreement=None,
        waiting=frozenset[int](),
        edited=Edited(frozenset(changed), before),
    )


def turns_before(response: Response, number: int) -> tuple[str, ...] | None:
    """The generated turns before the one with this number; None if one of them is missing."""
    turns = tuple(turn.content for turn in response.thread if turn.generated)[:number]
    return turns if len(turns) == number else None


def _edits_in(run: Run, turns: int) -> Edited | None:
    """The author's edits of the first `turns` generated turns; None if there are none."""
    if run.edited is None:
        return None
    still = frozenset(number for number in run.edited.turns if number < turns)
    return replace(run.edited, turns=still) if still else None
