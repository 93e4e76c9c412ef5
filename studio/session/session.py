"""One open blueprint, and the owner of its state: commands, views and a stream of changes.

It imports no Textual: the terminal application is one user of it, the tests are another.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.files.open_files import OpenedFile
from engine.text.diagnostics import Diagnostic
from engine.text.spans import visible
from studio.session.analysis import Analysis
from studio.session.blueprint_file import BlueprintFile
from studio.session.changes import Change, ChangeStream
from studio.session.checking import CheckingThread
from studio.session.database_messages import DatabaseMessages
from studio.session.document import Document, Snapshot
from studio.session.file_watch import FileWatch
from studio.session.host import Host, Severity
from studio.session.resources import Resources
from studio.session.session_context import SessionContext
from studio.session.session_tasks import Tasks
from studio.session.views.latest import Latest, Same
from studio.session.views.outline_view import OutlineView, outline_view
from studio.session.views.problems_view import ProblemsView, problems_view
from studio.session.views.status_view import BannerView, FooterView, StatusView

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.files.user_settings import Settings
    from engine.study.good_answers import GoodAnswers
    from studio.session.fixes import Fixes, TextChange
    from studio.session.reference import ReferencePage
    from studio.session.run import Run
    from studio.session.runs import Runs

_LOADED_FIRST = ("engine.evaluation.prompt_evaluation", "engine.scoring", "studio.session.runs")
"""What `Runs` imports; loaded off the event loop, one by one."""

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
        self.changes = ChangeStream()
        self.tasks = Tasks(host.fail)
        self.document = Document(file.path, snapshot, self.changes)
        self.file = BlueprintFile(file, self.document, host, self.changes)
        self.runs: Runs | None = None
        """None until it is loaded."""
        self._context = SessionContext(
            self.document,
            host,
            resources,
            self.tasks,
            self.changes,
            DatabaseMessages(host),
            collections,
            before_run=self.file.write_journal,
        )
        self._host = host
        self._fixes: Fixes | None = None
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._ready = asyncio.Event()
        self._is_loading = False
        self._closed = False
        self._collection_names: tuple[str, ...] = ()
        self._checking = CheckingThread(
            publish=partial(self._on_loop, self._analysed),
            failed=partial(self._on_loop, self._checking_failed),
            javascript=resources.javascript,
            collections=collections,
        )
        self._watch = FileWatch(self.document, partial(self._on_loop, self.look_at_file), self._checking.check_again)
        self._outline = Latest[OutlineView]()
        self._problems = Latest[ProblemsView | None]()
        self._status = Latest[StatusView]()
        self._banner = Latest[BannerView]()
        self._footer = Latest[FooterView]()
        self.changes.subscribe(self._follow)

    # --- Opening and closing

    def begin(self) -> None:
        """Check the text, start the journal, and offer to recover unsaved text of an earlier session."""
        self._submit()
        self._checking.start()
        self.tasks.start("collections", self._read_collections())
        self.tasks.start("file", self._open())

    async def _open(self) -> None:
        self.tasks.start("recent files", self.file.remember())
        await self.file.clear_temporaries()
        await self.file.begin()
        self._watch.start()

    async def _read_collections(self) -> None:
        from engine.parsing.model_collections import Collections

        there = Collections(self.document.path, self._context.collections)
        self._collection_names = tuple(await asyncio.to_thread(there.names))
        self.changes.publish(Change.ANALYSIS)

    def close(self) -> None:
        """Stop all work for this file; `closed` waits for its end."""
        self._closed = True
        self._watch.stop()
        self.file.close()
        self._checking.close()
        self.changes.close()
        if self.runs is not None:
            self.runs.close()
        self.tasks.close()

    async def closed(self) -> None:
        """Wait after `close` until all work has ended and stopped runs are saved as such."""
        await self.tasks.settle()
        if self.runs is not None:
            await self.runs.save_written()
        await self.file.closed()

    async def write_unsaved(self) -> None:
        """Write the journal, and save the author's own answers, now."""
        await self.file.write_journal()
        if self.runs is not None:
            await self.runs.save_written()

    # --- The text

    def edit(self, snapshot: Snapshot) -> None:
        """Set the text."""
        if snapshot.revision != self.document.snapshot.revision:
            self.document.edit(snapshot)
            self.file.edited()
            self._submit()

    def move(self, cursor: int) -> None:
        """Set the offset of the cursor in the text."""
        self.document.move(cursor)

    def look_at_file(self) -> None:
        """Load the file if another program changed it, or ask about it."""
        if not self._closed:
            self.tasks.start("disk", self.file.look())

    def _submit(self) -> None:
        snapshot = self.document.snapshot
        self._checking.submit(snapshot.revision, snapshot.text, self.document.path, self.file.file.excess)

    def _check_with(self, good_answers: GoodAnswers) -> None:
        self._checking.good_answers = good_answers
        self._submit()

    def _on_loop(self, act: Callable[..., None], *args: object) -> None:
        """Call `act` on the event loop; for other threads."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *args)

    def _analysed(self, analysis: Analysis) -> None:
        if self._closed:
            return
        self.document.take(analysis)
        if analysis.excess is not None:
            self.file.refused(analysis.excess, analysis.revision)
        news, self._news = self._news, asyncio.Event()
        news.set()
        if analysis.diagnostics is not None:
            self._load_runs()

    def _checking_failed(self) -> None:
        if not self._closed:
            self._host.notify(_FAULT, Severity.ERROR, seconds=8)
            self._load_runs()

    # --- Runs

    def _load_runs(self) -> None:
        if not self._is_loading:
            self._is_loading = True
            self.tasks.start("loading", self._begin_runs())

    async def _begin_runs(self) -> None:
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.session.runs import Runs

        runs = Runs(self._context)
        runs.live_cases.check_with = self._check_with
        await runs.begin()
        self.runs = runs
        self._ready.set()
        self.changes.publish(Change.RUNS)

    async def ready(self) -> Runs:
        """The runs, as soon as they are loaded and the text is checked."""
        await self._ready.wait()
        await self.known()
        assert self.runs is not None
        return self.runs

    def with_runs(self, act: Callable[[Runs], Coroutine[Any, Any, None] | None]) -> None:
        """Call `act` with the runs as soon as they are loaded and the text is checked, in the order of calls."""
        if self.runs is not None and self.document.analysis is not None:
            work = act(self.runs)
            if work is not None:
                self.tasks.start("commands", work)
        else:
            self.tasks.start("commands", self._with_runs(act))

    async def _with_runs(self, act: Callable[[Runs], Coroutine[Any, Any, None] | None]) -> None:
        if (work := act(await self.ready())) is not None:
            await work

    # --- Problems

    async def known(self) -> Analysis:
        """An analysis with diagnostics, as soon as there is one; the text may be newer."""
        while True:
            analysis = self.document.analysis
            if analysis is not None and analysis.diagnostics is not None:
                return analysis
            await self._news.wait()

    async def checked(self) -> Analysis:
        """The analysis of the newest text, with its diagnostics, as soon as it is there."""
        while True:
            analysis = await self.known()
            if self.document.is_current:
                return analysis
            await self._news.wait()

    @property
    def fixes(self) -> Fixes:
        """The fixes of this file."""
        if self._fixes is None:
            from studio.session.fixes import Fixes

            self._fixes = Fixes(self._context, self._run_of, self._rescored)
        return self._fixes

    def _run_of(self, prompt: Prompt) -> Run | None:
        return None if self.runs is None else self.runs.selection.of(prompt)

    async def _rescored(self, run: Run, blueprint: Blueprint) -> Run | None:
        return None if self.runs is None else await self.runs.rescoring.rescored(run, blueprint)

    async def fix_at_cursor(self) -> TextChange | None:
        """Fix the problem at the cursor, or the nearest on its line: the change to make, None for none."""
        return await self._fix(lambda analysis: self.fixes.fix_at(analysis, self.document.cursor))

    async def fix_at(self, offset: int) -> TextChange | None:
        """The same at an offset of the newest text."""
        return await self._fix(lambda analysis: self.fixes.fix_at(analysis, offset))

    async def fix(self, diagnostic: Diagnostic, *, of_several: bool = False) -> TextChange | None:
        """Fix one of the problems that are shown; `of_several`: after asking whether all of its rule."""
        analysis = self.document.analysis
        if analysis is None or self._refuses_change():
            return None
        return await self.fixes.fix(analysis, diagnostic, of_several=of_several)

    async def fix_rule(self, diagnostic: Diagnostic) -> TextChange | None:
        """Fix all problems of the rule of one that is shown."""
        analysis = self.document.analysis
        if analysis is None or self._refuses_change():
            return None
        return await self.fixes.fix_rule(analysis, diagnostic)

    async def fix_rule_at_cursor(self) -> TextChange | None:
        """Fix all problems of the rule at the cursor, or of the nearest problem on its line."""
        return await self._fix(lambda analysis: self.fixes.fix_rule_at(analysis, self.document.cursor))

    async def page_at_cursor(self) -> ReferencePage | None:
        """The page of the problem at the cursor or the nearest on its line, else of the check there."""
        from studio.session.fixes import nearest
        from studio.session.reference import call_at, page_of_function, page_of_rule

        analysis, offset = await self.checked(), self.document.cursor
        problem = nearest(analysis, offset)
        call = None if problem is not None else call_at(analysis, offset)
        page = None if call is None else page_of_function(call)
        if problem is not None:
            return page_of_rule(problem)
        if page is None:
            text = "There is neither a problem nor a check on this line. F8 goes to the next problem."
            self._host.notify(text, seconds=3)
        return page

    def summary_at(self, offset: int) -> str | None:
        """A few lines on the check at an offset of the newest text."""
        from studio.session.reference import call_at, summary_of

        analysis = self.document.analysis
        if analysis is None or analysis.revision != self.document.snapshot.revision:
            return None
        call = call_at(analysis, offset)
        return None if call is None else summary_of(call)

    async def fix_all(self) -> TextChange | None:
        """Apply the safe fixes of all errors and warnings."""
        return await self._fix(self.fixes.fix_all)

    async def draft_points(self) -> TextChange | None:
        """Draft points from the ideal of the prompt under the cursor, and offer them."""
        from studio.session.point_drafting import DRAFTED_TEXT, DRAFTED_TITLE, PointDrafting

        if self._refuses_change():
            return None
        analysis = await self.checked()
        await self._ready.wait()
        assert self.runs is not None
        drafting = PointDrafting(self._context, self.runs.configuration)
        fix = await drafting.draft(analysis, analysis.prompt_at(self.document.cursor))
        if fix is None:
            return None
        change = await self.fixes.offer(DRAFTED_TITLE, DRAFTED_TEXT, fix, analysis.revision)
        if change is not None:
            await drafting.remember()
        return change

    async def _fix(self, fix: Callable[[Analysis], Coroutine[Any, Any, TextChange | None]]) -> TextChange | None:
        if self._refuses_change():
            return None
        return await fix(await self.checked())

    def refuse_change(self) -> None:
        """Tell the author that the text must not be changed; the banner says why."""
        self._host.notify("This file is open read-only.", seconds=3)

    def _refuses_change(self) -> bool:
        if self.file.is_read_only:
            self.refuse_change()
        return self.file.is_read_only

    # --- Settings

    def remember(self, change: Callable[[Settings], object]) -> None:
        """Change the author's settings."""
        self.tasks.start("settings", self._context.resources.settings.change(change))

    # --- Views

    def _follow(self, changed: frozenset[Change]) -> None:
        if self.runs is not None:
            self.runs.follow(changed)

    @property
    def collection_names(self) -> tuple[str, ...]:
        """The model collections that can be named in this file."""
        return self._collection_names

    def outline(self) -> OutlineView | None:
        """The prompts with their standings; None until the text is parsed."""
        analysis = self.document.analysis
        if analysis is None:
            return None
        standings = () if self.runs is None else self.runs.views.standings()
        cases = None if self.runs is None else self.runs.views.cases
        version = (analysis.number, Same(standings), Same(cases))
        return self._outline.of(version, lambda: outline_view(analysis, standings, cases))

    def problems(self) -> ProblemsView | None:
        """The problems of the file; None until it is checked."""
        analysis = self.document.analysis
        return None if analysis is None else self._problems.of((analysis.number,), lambda: problems_view(analysis))

    def status(self) -> StatusView:
        """The status line."""
        analysis, runs = self.document.analysis, self.runs
        known = analysis is not None and analysis.diagnostics is not None
        view = StatusView(
            self.document.path.name,
            unsaved=self.file.unsaved,
            tally=analysis.total if analysis is not None and known else None,
            answers=self._answers_label(),
            scores=() if runs is None or analysis is None else runs.views.scores(),
            progress="" if runs is None else str(runs.progress or ""),
            note="read-only" if self.file.is_read_only else "",
        )
        return self._status.same(view)

    def _answers_label(self) -> str:
        if self.runs is None:
            return "the ideal"
        header = None if self.document.analysis is None else self.document.analysis.header
        return self.runs.configuration.label(header) + self.runs.configuration.judges_label

    def banner(self) -> BannerView:
        """Why the file is read-only, and errors in the project's settings."""
        reason = self.file.file.read_only
        mistakes = () if self.document.analysis is None else self.document.analysis.mistakes
        return self._banner.same(BannerView(visible("\n".join((*([reason] if reason else []), *mistakes)))))

    def footer(self) -> FooterView:
        """The state that labels of keys depend on."""
        runs, analysis = self.runs, self.document.analysis
        if runs is None:
            return self._footer.same(FooterView(unsaved=self.file.unsaved))
        header = None if analysis is None else analysis.header
        view = FooterView(
            runs.configuration.label(header),
            is_running=runs.queue.is_running,
            of_header=analysis is not None and self.document.prompt is None,
            unsaved=self.file.unsaved,
            shorter_answers=runs.configuration.shorter_labels(header),
        )
        return self._footer.same(view)
