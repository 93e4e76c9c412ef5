"""One open blueprint: the owner of its state. Commands change the state, selectors show it, follows act on changes.

It imports no Textual: the terminal application is one user of it, the tests are another.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from engine.text.record import replace
from engine.text.spans import visible
from studio.session.analysis import Analysis, CheckingThread
from studio.session.blueprint_file import BlueprintFile, FileWatch
from studio.session.host import Host, Severity, report
from studio.session.resources import Resources
from studio.session.state import Command, FileState, Follow, LoadedText, Snapshot, State, Tasks, Where, selector
from studio.session.views.case_view import CasesView
from studio.session.views.outline_view import FooterView, OutlineRow, StatusView, outline_view
from studio.session.views.problems_view import ProblemsView, problems_view

if TYPE_CHECKING:
    from engine.files.open_files import OpenedFile
    from engine.files.user_settings import Settings
    from engine.store import Store, StoreUnavailable
    from engine.study.case_reader import GoodAnswers
    from studio.session.evaluator import Cache
    from studio.session.fixes import Fixes
    from studio.session.reference import ReferencePage
    from studio.session.runs import Runs

_LOADED_FIRST = ("engine.evaluation.prompt_evaluation", "engine.scoring", "studio.session.runs")
"""What `Runs` imports; loaded off the event loop, one by one."""

Value = TypeVar("Value")
Other = TypeVar("Other")
_FAULT = "This text could not be checked: that is a fault of the studio. It is tried again as you type."


class Session:
    """One open file. Call everything on the event loop; blocking work runs in threads.

    The application calls `edit` with each snapshot of the text, `move` with each position of the cursor, and `begin`
    after its first frame. Commands that come before the text is analysed wait for that, and keep their order.
    """

    def __init__(
        self,
        file: OpenedFile,
        snapshot: Snapshot,
        host: Host,
        resources: Resources,
        *,
        collections: Path | None = None,
    ) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file."""

        loaded = LoadedText(0, file.text, file)
        self.state = State(FileState(file, loaded, snapshot.revision), snapshot, CasesView())
        self.session = self
        """Itself, as its selectors are methods like those of its parts."""
        self.host = host
        self.resources = resources
        self.collections_folder = collections
        self.seen: dict[object, tuple[Sequence[object], Any]] = {}
        """What selectors remember."""
        self.sought: dict[str, tuple[object, object]] = {}
        """What parts are working out, by the name of the effect."""
        self.tasks = Tasks(partial(report, host))
        self.runs: Runs | None = None
        """None until it is loaded."""
        self._told = self.state
        self._follows: list[Follow] = []
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._due = 0.0
        self._reported: set[str] = set()
        self._reporting = Lock()
        self._saving = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        self._ready = asyncio.Event()
        self._closed = False
        self.file = BlueprintFile(self)
        self._checking = CheckingThread(
            publish=partial(self.on_loop, self._analysed),
            failed=partial(self.on_loop, self._checking_failed),
            javascript=resources.javascript,
            collections=collections,
        )
        self._watch = FileWatch(
            lambda: self.state.path, partial(self.on_loop, self.look_at_file), self._checking.check_again
        )

    # --- The state

    def do(self, command: Command, *, within: float = 0.0) -> None:
        """Let `command` make the next state; who follows is told after this turn of the loop, or within `within` s."""
        now = command(self.state)
        if now is not self.state:
            self.state = now
            moved, self._moved = self._moved, asyncio.Event()
            moved.set()
            self._tell_soon(within)

    async def until(self, done: Callable[[State], bool]) -> None:
        """Wait for a state that is `done`."""
        while not done(self.state):
            await self._moved.wait()

    def subscribe(self, follow: Follow) -> Callable[[], None]:
        """Call `follow` with the state before and the one now, until the returned function is called."""
        self._follows.append(follow)
        return lambda: self._follows.remove(follow)

    def _tell_soon(self, within: float) -> None:
        due = self._loop.time() + within
        if self._closed or (self._timer is not None and self._due <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due = due
        self._timer = self._loop.call_later(within, self._tell) if within else self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        self._timer = None
        before, self._told = self._told, self.state
        now = self._told
        if now.file is not before.file:
            self.file.hand_over()
        for follow in tuple(self._follows):
            follow(before, now)

    # --- The database

    @cached_property
    def cache(self) -> Cache:
        """The database as runs read and write it."""
        from studio.session.evaluator import Cache

        return Cache(self.resources.store, self.report)

    async def stored(self, work: Callable[[Store], Value], otherwise: Other) -> Value | Other:
        """What `work` returns, in a thread; `otherwise` where the database cannot be used, which the author is told."""
        return await asyncio.to_thread(self.cache.tried, work, otherwise)

    async def save(self, work: Callable[[Store], object]) -> bool:
        """Have `work` write to the database, in order; whether it could. The next error is another one then."""

        def written(store: Store) -> bool:
            work(store)
            return True

        async with self._saving:
            is_saved = await self.stored(written, otherwise=False)
        if is_saved:
            with self._reporting:
                self._reported.clear()
        return is_saved

    def report(self, error: StoreUnavailable) -> None:
        """Tell the author of an error of the database, each cause once until something is saved. From any thread."""
        message = str(error)
        with self._reporting:
            if message in self._reported:
                return
            self._reported.add(message)
        self.on_loop(self.host.notify, message, Severity.WARNING)

    # --- Opening and closing

    def begin(self) -> None:
        """Check the text, start the journal, and offer to recover unsaved text of an earlier session."""
        self._submit()
        self._checking.start()
        self.tasks.start("collections", self._read_collections())
        self.tasks.start("file", self._open())
        self.tasks.start("loading", self._begin_runs())

    async def _open(self) -> None:
        self.tasks.start("recent files", self.file.remember())
        await self.file.begin()
        self._watch.start()

    async def _read_collections(self) -> None:
        from engine.parsing.model_collections import Collections

        there = Collections(self.state.path, self.collections_folder)
        names = tuple(await asyncio.to_thread(there.names))
        self.do(lambda state: replace(state, collections=names))

    def close(self) -> None:
        """Stop all work for this file; `closed` waits for its end."""
        self.file.hand_over()
        self._closed = True
        self._watch.stop()
        self.file.close()
        self._checking.close()
        self._follows.clear()
        if self._timer is not None:
            self._timer.cancel()
        self.tasks.close()

    async def closed(self) -> None:
        """Wait after `close` until all work has ended and stopped runs are saved as such."""
        await self.tasks.settle()
        if self.runs is not None:
            await self.runs.edits.save()
        await self.file.closed()

    async def write_unsaved(self) -> None:
        """Write the journal, and save the author's own answers, now."""
        await self.file.write_journal()
        if self.runs is not None:
            await self.runs.edits.save()

    # --- The text

    def edit(self, snapshot: Snapshot) -> None:
        """Set the text."""
        if snapshot.revision != self.state.text.revision:
            self.do(lambda state: replace(state, text=snapshot))
            self.file.hand_over()
            self._submit()

    def move(self, cursor: int) -> None:
        """Set the offset of the cursor in the text."""
        if cursor != self.state.cursor:
            self.do(lambda state: replace(state, cursor=cursor))

    def keys_at(self, where: Where) -> None:
        """Say where the keys are: what they do there, and what is seen."""
        if where != self.state.where:
            self.do(lambda state: replace(state, where=where))

    def look_at_file(self) -> None:
        """Load the file if another program changed it, or ask about it."""
        if not self._closed:
            self.tasks.start("disk", self.file.look())

    def _submit(self) -> None:
        state = self.state
        self._checking.submit(state.text.revision, state.text.text, state.path, state.file.opened.excess)

    def check_with(self, good_answers: GoodAnswers) -> None:
        """Check the text with other good answers as evidence."""
        self._checking.good_answers = good_answers
        self._submit()

    def on_loop(self, act: Callable[..., None], *args: object) -> None:
        """Call `act` on the event loop; for other threads."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *args)

    def _analysed(self, analysis: Analysis) -> None:
        if self._closed:
            return
        self.do(lambda state: replace(state, analysis=analysis))
        if analysis.excess is not None:
            self.file.refused(analysis.excess, analysis.revision)

    def _checking_failed(self) -> None:
        if not self._closed:
            self.host.notify(_FAULT, Severity.ERROR, seconds=8)

    # --- Runs

    async def _begin_runs(self) -> None:
        await self.known()
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.session.runs import Runs

        runs = Runs(self)
        await runs.restore()
        self.runs = runs
        runs.begin()
        self._follows.insert(0, runs.follow)
        self._ready.set()
        self._tell_soon(0.0)

    async def ready(self) -> Runs:
        """The runs, as soon as they are loaded and the text is checked."""
        await self._ready.wait()
        await self.known()
        assert self.runs is not None
        return self.runs

    def with_runs(self, act: Callable[[Runs], Coroutine[Any, Any, None] | None]) -> None:
        """Call `act` with the runs as soon as they are loaded and the text is checked, in the order of calls."""
        self.tasks.start("commands", self._with_runs(act))

    async def _with_runs(self, act: Callable[[Runs], Coroutine[Any, Any, None] | None]) -> None:
        if (work := act(await self.ready())) is not None:
            await work

    # --- Problems

    async def known(self) -> Analysis:
        """An analysis with diagnostics, as soon as there is one; the text may be newer."""
        await self.until(lambda state: state.analysis is not None and state.analysis.diagnostics is not None)
        assert self.state.analysis is not None
        return self.state.analysis

    async def checked(self) -> Analysis:
        """The analysis of the newest text, with its diagnostics, as soon as it is there."""
        await self.until(lambda state: state.is_current)
        return await self.known()

    @cached_property
    def fixes(self) -> Fixes:
        """The fixes of this file."""
        from studio.session.fixes import Fixes

        return Fixes(self)

    async def page_at_cursor(self) -> ReferencePage | None:
        """The page of the problem at the cursor or the nearest on its line, else of the check there."""
        from studio.session.fixes import nearest
        from studio.session.reference import page_of_check, page_of_rule

        analysis, offset = await self.checked(), self.state.cursor
        problem = nearest(analysis, offset)
        page = page_of_check(analysis, offset) if problem is None else page_of_rule(problem)
        if page is None:
            text = "There is neither a problem nor a check on this line. F8 goes to the next problem."
            self.host.notify(text, seconds=3)
        return page

    def summary_at(self, offset: int) -> str | None:
        """A few lines on the check at an offset of the newest text."""
        from studio.session.reference import summary_at

        analysis, revision = self.state.analysis, self.state.text.revision
        return None if analysis is None or analysis.revision != revision else summary_at(analysis, offset)

    def refuses_change(self) -> bool:
        """Whether the text must not be changed; the author is told, the banner says why."""
        if self.state.is_read_only:
            self.refuse_change()
        return self.state.is_read_only

    def refuse_change(self) -> None:
        """Tell the author that the text must not be changed."""
        self.host.notify("This file is open read-only.", seconds=3)

    # --- Settings

    def remember(self, change: Callable[[Settings], object]) -> None:
        """Change the author's settings."""
        self.tasks.start("settings", self.resources.settings.change(change))

    # --- Views

    @selector(
        lambda of: of.state.analysis,
        lambda of: of.state.analysis and of.runs and of.runs.overview.view(),
        lambda of: of.state.cases,
    )
    def outline(self) -> tuple[OutlineRow, ...]:
        """The file and its prompts with their standings; () until the text is parsed."""
        analysis, runs = self.state.analysis, self.runs
        if analysis is None or runs is None:
            return () if analysis is None else outline_view(analysis)
        return outline_view(analysis, runs.overview.view().prompts, self.state.cases)

    @selector(lambda of: of.state.analysis and of.state.analysis.number)
    def problems(self) -> ProblemsView | None:
        """The problems of the file; None until it is checked."""
        return None if self.state.analysis is None else problems_view(self.state.analysis)

    @selector()
    def status(self) -> StatusView:
        """The file and the prompt that is shown, at a glance."""
        state, analysis = self.state, self.state.analysis
        return StatusView(
            state.path.name,
            unsaved=state.unsaved,
            tally=None if analysis is None or analysis.diagnostics is None else analysis.total,
            where=self._where(),
            note="read-only" if state.is_read_only else "",
        )

    def _where(self) -> str:
        """`1 of 8 · 72.5`: the prompt that is shown, and its score; in the header, how many there are."""
        analysis, prompt = self.state.analysis, self.state.prompt
        if analysis is None:
            return ""
        count = len(analysis.blueprint.prompts)
        where = f"{count} prompt{'s' * (count != 1)}" if prompt is None else f"{prompt.index + 1} of {count}"
        headline = None if self.runs is None else self.runs.views.headline()
        return where if headline is None else f"{where} · {headline.short_figure}"

    @selector()
    def banner(self) -> str:
        """Why the file is read-only, and errors in the project's settings; "" if there are none."""
        reason = self.state.file.read_only
        mistakes = () if self.state.analysis is None else self.state.analysis.mistakes
        return visible("\n".join((*([reason] if reason else []), *mistakes)))

    @selector()
    def footer(self) -> FooterView:
        """The state that labels of keys depend on."""
        state, runs = self.state, self.runs
        if runs is None:
            return FooterView(unsaved=state.unsaved)
        return FooterView(
            runs.configuration.labels,
            is_running=runs.queue.is_running,
            of_header=state.analysis is not None and state.prompt is None,
            unsaved=state.unsaved,
            judges=runs.configuration.judges_label,
            is_blind=runs.blind.sitting is not None,
        )
