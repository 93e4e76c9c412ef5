"""Which run of each prompt is shown: the newest with the chosen candidate, unless the author opened an earlier one.

Answers that are there are scored again by the present rubric and the author's grades; nothing is sent for that. They
are edited, and what the author types is saved. Which answers were shown is recorded, and since when points have their
wording.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.blueprint.conversation import subject_text, turns_to_generate, with_turn_edited
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource, WrittenSource
from engine.files.user_settings import answer_drafts, save_answer_drafts, save_written_answers, written_answers
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace
from engine.text.record import replace, text_digest
from engine.text.spans import visible
from studio.session.analysis import Analysis
from studio.session.host import EditQuestion, Severity
from studio.session.run import Edited, Run, marked, messages_of
from studio.session.state import Part
from studio.session.views.answer_view import ShownTurn, TurnState
from studio.session.views.result_view import is_stale

if TYPE_CHECKING:
    from engine.text.spans import Span
    from studio.session.session import Session

_ARRIVE_SECONDS = 0.08
"""Text that arrives is shown at most this often."""
_HEADER_SECONDS = 0.3
"""A header must stay the same for this time before all prompts are scored with it."""
_SAVE_SECONDS = 0.5
"""The time between two saves while the author types."""
_SAVING = "typed answers"


class RunSelection(Part):
    """The runs of one file: the newest of each prompt and candidate, opened ones, and the author's own answers."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._grade_order = asyncio.Lock()

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
        return isinstance(self.runs.configuration.candidate.source, WrittenSource)

    def of(self, prompt: Prompt) -> Run | None:
        """The run that is shown when the cursor is in `prompt`."""
        if self.state.analysis is None:
            return None
        place = self.analysis.place(prompt)
        return self.state.opened.get(place.prompt) or self.newest(place, self.runs.configuration.candidate.key)

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
        arriving = {each: turns for each, turns in self.state.arriving.items() if each != slot}
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
        self.close_all({place.prompt})
        return True

    def close_all(self, prompts: Collection[str]) -> None:
        """Show the newest run of these prompts (`PromptPlace.prompt`)."""
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

    # --- Scoring again

    def follow_header(self, before: Analysis | None, analysis: Analysis) -> None:
        """Score all answers again if the panel or its view changed since an analysis."""
        if before is not None and _judged_by(before.header) != _judged_by(analysis.header):
            self.all_again(analysis.blueprint, _HEADER_SECONDS)

    def follow_rubric(self) -> None:
        """Score the answer that is shown by the present rubric."""
        prompt, run = self.state.prompt, self.run
        if prompt is not None and run is not None and is_stale(self.analysis, prompt, run):
            self.again(run, prompt, self.analysis)

    def all_again(self, blueprint: Blueprint, after: float = 0.0) -> None:
        """Score all answers with criteria again, after so many seconds."""
        self.effect("description", self._rescore_all(blueprint, after), exclusive=True)

    async def _rescore_all(self, blueprint: Blueprint, after: float) -> None:
        await asyncio.sleep(after)
        for run in self.all:
            has_criteria = any(point.text is not None for point in run.prompt.points())
            if has_criteria and not run.running and run.response is not None:
                now = await self.runs.evaluator.rescored(run, blueprint)
                if now is not run and any(each is run for each in self.all):  # nothing newer came meanwhile
                    self.replace(now)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade the point at `index` of `Prompt.points()` of the run that is shown, and score the run again.

        None removes the grade.
        """
        run, analysis = self.run, self.state.analysis
        if run is None or analysis is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        subject = run.response.subject
        async with self._grade_order:  # the grade of the last key counts
            if await self.session.save(lambda store: store.grade(run.place, subject, criterion, grade)):
                self.rescore_soon(run, analysis.blueprint)

    def again(self, run: Run, prompt: Prompt, analysis: Analysis) -> None:
        """Score a finished run by `prompt` as it is now, with the verdicts that have come since."""
        if run.running or run.response is None or messages_of(prompt) != messages_of(run.prompt):
            return
        written = prompt.span.of(analysis.parsed.text)
        now = replace(run, prompt=prompt, written=written, revision=analysis.revision)
        self.rescore_soon(now, analysis.blueprint)

    def rescore_soon(self, run: Run, blueprint: Blueprint) -> None:
        """Show `run` with its present score, as soon as that is known, instead of an older one of the same answer."""
        self.effect("\n".join(("rescoring", *run.slot)), self.rescore(run, blueprint), exclusive=True)

    async def rescore(self, run: Run, blueprint: Blueprint) -> None:
        """Show `run` with its present score."""
        now = await self.runs.evaluator.rescored(run, blueprint)
        if now is not run:
            self.replace(now)


def _judged_by(header: Header) -> tuple[object, ...]:
    """What judges see of a header, and who they are."""
    fields = header.fields.get("evaluationConfig")
    return (header.description or "").strip(), header.judges, header.use_experimental_scale, fields


class ShownRecord(Part):
    """The record of one session. Each answer is written once."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._marked: dict[tuple[PromptPlace, str, bool], None] = {}
        self._written = 0
        """How many of those that are marked are in the database; they keep their order."""

    async def begin(self) -> None:
        """Read what was shown before."""
        path = str(self.state.path.absolute())
        self.change(read=await self.session.stored(lambda store: store.read_of(path), self.state.read))

    def mark(self, place: PromptPlace, subjects: Iterable[str], *, read: bool = True) -> None:
        """Record in the background that these answers are shown now; all that are waiting at once.

        `read`: their text is on the screen, and not only a verdict on them.
        """
        self._marked |= dict.fromkeys((place, each, read) for each in subjects)
        if self._written < len(self._marked):
            self.effect("shown answers", self._write())

    async def _write(self) -> None:
        new = list(islice(self._marked, self._written, None))
        if not new:
            return
        self._written = len(self._marked)
        await self.session.stored(lambda store: store.mark_shown(new), None)
        read = [(place.prompt, subject) for place, subject, is_read in new if is_read]
        digests = await asyncio.to_thread(lambda: [(prompt, text_digest(subject)) for prompt, subject in read])
        found = dict(self.state.read)
        for prompt, digest in digests:
            found[prompt] = found.get(prompt, frozenset()) | {digest}
        if found != self.state.read:
            self.change(read=found)


class AnswerEdits(Part):
    """Acts on the run that is shown. The author's own answers, and drafts of edits, are saved within a second."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._saved: dict[str, tuple[Path, Mapping[str, str]]] = {}
        self._failed: set[str] = set()
        self._order = asyncio.Lock()

    async def restore(self) -> Mapping[str, str]:
        """Take up the drafts of an earlier session, and tell the author of them; the author's own answers."""
        path = self.state.path
        written, drafts = await asyncio.to_thread(lambda: (written_answers(path), answer_drafts(path)))
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
            await asyncio.sleep(_SAVE_SECONDS)

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
        if text is not None:
            await self._accept(with_edit(run, place, text))
        typed(before)

    async def _accept(self, edited: Run) -> None:
        """Show the run with the edited answer, scored again, and save it."""
        place, key, answer = edited.place, edited.key, edited.response
        if edited.edited is None or answer is None:
            self.runs.selection.replace(edited)
            return
        await self.runs.selection.rescore(edited, self.analysis.blueprint)
        await self.session.stored(lambda store: store.save_response(place, key, answer), None)

    def undo(self) -> None:
        """Undo all edits of the answer."""
        run = self._run_at_rest()
        if run is not None and run.edited is None:
            self.host.notify("This answer is not edited: there is nothing to undo.")
        elif run is not None and run.edited is not None:
            self.runs.selection.replace(run.edited.before)
            self.runs.selection.follow_rubric()

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
            stops = tuple(each.stop for each in run.response.thread if each.generated)[: len(prefilled)]
            new, edited = self.runs.new_run(self.analysis, prompt, run.candidate), _edits_in(run, len(prefilled))
            again = replace(new, prefilled=prefilled, prefilled_stops=stops, edited=edited, fresh=True)
            await self.runs.launch(self.analysis, [again])

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
