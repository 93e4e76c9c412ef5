"""The state of one open file: frozen records, of which a session holds the newest; and the parts that act on it.

Nothing is stored in two places: what follows from the state is a property here, or a selector. States are compared by
identity.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import copy_context
from functools import wraps
from operator import is_
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.files.open_files import ChangedOnDisk, OpenedFile
    from engine.judging.panel import JudgesAs, OneJudge
    from engine.store import PastRun, PromptPlace
    from engine.text.spans import Span, TextEdit
    from studio.session.analysis import Analysis
    from studio.session.blind_grading import Sitting
    from studio.session.evaluator import Progress
    from studio.session.followed_criterion import FollowedCriterion
    from studio.session.repeats import Batch
    from studio.session.run import Run
    from studio.session.run_configuration import AnswerChoice
    from studio.session.runs import Runs
    from studio.session.session import Session
    from studio.session.views.case_view import CasesView
    from studio.session.what_if import Tried

EMPTY: Mapping[Any, Any] = MappingProxyType({})
Slot: TypeAlias = tuple[str, str]
"""Where a run stands: its prompt (`PromptPlace.prompt`), and the key of its candidate."""


class Snapshot(Record):
    """One state of the text, as the editor reports it, which owns it. Every edit, undo and redo has a `revision`."""

    revision: int
    text: str


class LoadedText(Record):
    """A text for the editor to show instead of its own. `number` identifies it.

    `file` is the file on disk that has this text; None if it is not saved. With `revision` it is for the text at that
    revision alone, which `edits` turn into it.
    """

    number: int
    text: str
    file: OpenedFile | None = None
    revision: int | None = None
    edits: Sequence[TextEdit] = ()


class FileState(Record, eq=False):
    """The open file. `opened` is what is on disk as far as is known, `loaded` the newest text for the editor.

    The editor took that at `loaded_revision`, None before it does. `told` is the other text on disk that the author
    knows of, `agreed` the one that may be replaced without asking. `given_up` is the revision whose changes the author
    gave up. `held_elsewhere` says that another studio has the file.
    """

    opened: OpenedFile
    loaded: LoadedText
    loaded_revision: int | None
    told: ChangedOnDisk | None = None
    agreed: ChangedOnDisk | None = None
    given_up: int | None = None
    held_elsewhere: str | None = None

    @property
    def read_only(self) -> str | None:
        """Why the text cannot be saved to the file; None if it can."""
        return self.held_elsewhere or self.opened.read_only


class Choice(Record, eq=False):
    """What is run. `answers` says where answers come from, None until the author chooses; `shown` counts candidates.

    `judges_as` says which judges grade points in words; None for the author alone.
    """

    answers: AnswerChoice | None = None
    judges_as: JudgesAs | OneJudge | None = None
    shown: int = 0


class Where(Record):
    """Where the keys are. `keys` are the actions that work there, by their ids, with their keys as printed.

    `in_criteria`: the criteria have the keys. `sees_answer`, `sees_answers`: the answer, or all answers, are seen.
    """

    keys: Mapping[str, str] = EMPTY
    in_criteria: bool = False
    sees_answer: bool = False
    sees_answers: bool = False


class LastRuns(Record, eq=False):
    """The newest scored run of each slot in earlier sessions, and the last one that gave no answer to score."""

    scored: Mapping[Slot, PastRun] = EMPTY
    failed: Mapping[Slot, PastRun] = EMPTY
    is_read: bool = False


class State(Record, eq=False):
    """All that a session knows of one open file.

    `collections` are the model collections that can be named. `runs` are the newest of each prompt and candidate, in
    the order in which these were first run; `opened` are earlier ones on show, by `PromptPlace.prompt`; `arriving` are
    the turns of answers that come in. `row` is the selected row of the result: a point by its place in
    `Prompt.points()`, or the evidence of another row. `progress` is that of the runs that go on, None for none.

    `written` are the author's own answers and `wanted` the scores (0–1) that they expected, both by
    `PromptPlace.prompt`; `times_loaded` counts how often answers were restored. `drafts` are edits of answers that are
    not accepted yet. `read` are the digests of the answers that were on the screen, by `PromptPlace.prompt`. `cases`
    says how the cases stand.

    `followed` are the criteria that were run by themselves, by their numbers, the newest last, of one of which
    `answer_selected` is the selected answer; the `marked` ones, at most two, are read beside each other. `repeated` are
    the repeats on show, `repeats` the last ones of each prompt, and of all (None). `tried` are changes that the author
    tries, `sitting` is the last one of blind grading.
    `found` is what was worked out beside: by name and key, what it is of, and what was found.
    """

    file: FileState
    text: Snapshot
    cases: CasesView
    cursor: int = 0
    where: Where = Where()
    analysis: Analysis | None = None
    collections: tuple[str, ...] = ()
    choice: Choice = Choice()
    runs: Mapping[Slot, Run] = EMPTY
    opened: Mapping[str, Run] = EMPTY
    arriving: Mapping[Slot, tuple[str, ...]] = EMPTY
    row: tuple[int | None, tuple[Span, ...]] = (None, ())
    progress: Progress | None = None
    written: Mapping[str, str] = EMPTY
    times_loaded: int = 0
    drafts: Mapping[str, str] = EMPTY
    wanted: Mapping[str, float] = EMPTY
    read: Mapping[str, frozenset[str]] = EMPTY
    last: LastRuns = LastRuns()
    followed: Mapping[int, FollowedCriterion] = EMPTY
    answer_selected: str = ""
    repeated: Batch | None = None
    repeats: Mapping[str | None, Batch] = EMPTY
    tried: Tried | None = None
    sitting: Sitting | None = None
    marked: tuple[str, ...] = ()
    found: Mapping[tuple[str, object], tuple[object, Any]] = EMPTY

    # --- The file and its text

    @property
    def path(self) -> Path:
        """The path of the file, which may not exist yet."""
        return self.file.opened.path

    @property
    def is_read_only(self) -> bool:
        """Whether the text cannot be saved to its file, and must not be changed."""
        return self.file.read_only is not None

    @property
    def is_edited(self) -> bool:
        """Whether the text is another than the one that was loaded or saved last."""
        return self.text.text != self.file.opened.text

    @property
    def unsaved(self) -> bool:
        """Whether the text is not on disk: it was changed here, or the file was by another program."""
        return self.is_edited or self.file.told is not None

    @property
    def is_current(self) -> bool:
        """Whether the analysis is of the newest text, with its diagnostics."""
        found = self.analysis
        return found is not None and found.diagnostics is not None and found.revision == self.text.revision

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is shown: the one under the cursor in the newest analysis; None in the header."""
        return None if self.analysis is None else self.analysis.prompt_at(self.cursor)

    @property
    def place(self) -> PromptPlace | None:
        """Where what belongs to the prompt that is shown is saved."""
        analysis, prompt = self.analysis, self.prompt
        return None if analysis is None or prompt is None else analysis.place(prompt)


# --- What the parts of a session are made of: tasks, commands, follows, and selectors that remember by identity

Command: TypeAlias = Callable[[State], State]
"""What the author, or something that came, makes of the state."""
Follow: TypeAlias = Callable[[State, State], object]
"""Is told the state before and the one now, once a turn of the loop."""
Value = TypeVar("Value")
Of = TypeVar("Of")


class Tasks:
    """The tasks of one session. `failed` is called with every exception of a task."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._context = copy_context()
        self._groups: dict[str, set[asyncio.Task[object]]] = {}

    def start(self, group: str, work: Coroutine[Any, Any, object], *, exclusive: bool = False) -> asyncio.Task[object]:
        """Start `work` as a task; if `exclusive`, cancel the other tasks of its group first."""
        if exclusive:
            self.cancel(group)
        task = asyncio.get_running_loop().create_task(work, name=group, context=self._context.copy())
        self._groups.setdefault(group, set()).add(task)
        task.add_done_callback(self._ended)
        return task

    def cancel(self, group: str) -> None:
        """Cancel the tasks of `group`."""
        for task in self._groups.get(group, ()):
            task.cancel()

    def close(self) -> None:
        """Cancel all tasks; `settle` waits for their end."""
        for group in tuple(self._groups):
            self.cancel(group)

    @property
    def busy(self) -> frozenset[str]:
        """The groups with unfinished tasks."""
        return frozenset(name for name, tasks in self._groups.items() if any(not task.done() for task in tasks))

    async def settle(self) -> None:
        """Wait until all tasks have ended."""
        while tasks := [task for group in self._groups.values() for task in group if not task.done()]:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._groups.get(task.get_name(), set()).discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)


def remembered(
    session: Session, name: object, parts: Sequence[object], make: Callable[[], Value], *, is_view: bool = True
) -> Value:
    """What `make` returns; the value before if all `parts` are the same objects. Without parts it is made at each call.

    A view that equals the one before is the one before, so that a pane that gets it has nothing to draw.
    """
    before = session.seen.get(name)
    if parts and before is not None and all(map(is_, before[0], parts)):
        return before[1]
    value = make()
    if is_view and before is not None and before[1] == value:
        value = before[1]
    session.seen[name] = parts, value
    return value


def selector(*parts: Callable[[Any], object]) -> Callable[[Callable[[Of], Value]], Callable[[Of], Value]]:
    """A method of a session, or of a part of it, that shows the state and is remembered by its `parts`."""

    def of(make: Callable[[Of], Value]) -> Callable[[Of], Value]:
        @wraps(make)
        def see(self: Any) -> Value:
            return remembered(self.session, see, [part(self) for part in parts], lambda: make(self))

        return see

    return of


class Part:
    """Commands and views of one part of a session. What it knows stands in the state."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.host = session.host
        """Asks and tells the author."""
        self.resources = session.resources
        """What all sessions of the program share."""
        self.effect = session.tasks.start

    @property
    def state(self) -> State:
        """The newest state."""
        return self.session.state

    @property
    def analysis(self) -> Analysis:
        """The newest analysis, which is there."""
        assert self.state.analysis is not None
        return self.state.analysis

    @property
    def runs(self) -> Runs:
        """The runs, which are loaded."""
        assert self.session.runs is not None
        return self.session.runs

    def change(self, *, within: float = 0.0, **fields: object) -> None:
        """Set fields of the state; the change is told within so many seconds."""
        self.session.do(lambda state: replace(state, **fields), within=within)

    # --- What is worked out beside

    def find(
        self, name: str, key: object, of: object, work: Callable[[], Awaitable[object]], *, rest: float = 0.0
    ) -> None:
        """Work out by `work`, once `of` rests, what is found of it under `key`, unless that is known or under way.

        Of one name, the newest alone is worked out. None is not kept.
        """
        wanted = (key, of)
        if self.session.sought.get(name) == wanted or self.beside(name, key, of) is not None:
            return
        self.session.sought[name] = wanted
        self.effect(name, self._find(name, key, of, work, rest), exclusive=True)

    async def _find(
        self, name: str, key: object, of: object, work: Callable[[], Awaitable[object]], rest: float
    ) -> None:
        try:
            await asyncio.sleep(rest)
            value = await work()
        finally:
            if self.session.sought.get(name) == (key, of):
                del self.session.sought[name]
        if value is not None:
            self.change(found={**self.state.found, (name, key): (of, value)})

    def beside(self, name: str, key: object, of: object) -> Any:
        """What was found of `of` under `key`; None before."""
        found = self.state.found.get((name, key))
        return found[1] if found is not None and found[0] == of else None
