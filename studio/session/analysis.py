"""The analysis of one revision of the text, and the thread that makes it: never on the event loop.

Of the texts that arrive while another one is checked, only the newest is checked next. A first pass without JavaScript
reports what it can (V8's findings on unchanged prompts stay); a second pass, with JavaScript, follows if no newer text
waits.
"""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, field, replace
from engine.text.spans import Position, positions
from engine.text.text_limits import Excess
from studio.session.prompt_names import PromptNames, prompt_names

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed
    from engine.rules.causes import Cause
    from engine.rules.selection import ProjectSettings
    from engine.store import PromptPlace
    from engine.study.case_reader import GoodAnswers
    from engine.yaml.nodes import Data

_NUMBERS = itertools.count()
_OUTLINE_SECONDS = 0.1
"""The time for painting the first outline before loading the rules competes with it."""


class Tally(Record):
    """The number of problems of each severity."""

    errors: int = 0
    warnings: int = 0
    hints: int = 0


class Analysis(Record):
    """One revision of the text: parsed, then checked.

    `models` are those of the header and its collections. `starts` are the offsets of the prompts' first lines, and
    `names` what lists call them.
    `diagnostics` are in the order of the text (None before the text is checked), `positions` are their starts, `causes`
    their causes, and `places` the keys under which the data of each prompt is saved, by its `index` (None before, too).
    `notes` say what begins on a line, by its number from 0. `tallies` has one entry for the header, then one for each
    prompt. `complete`: the rules that need JavaScript have run. `mistakes` are messages on errors in the project's
    settings. `number` changes with every field but `complete`.
    """

    revision: int
    parsed: Parsed
    starts: tuple[int, ...]
    names: PromptNames
    places: Mapping[int, PromptPlace] | None = None
    diagnostics: tuple[Diagnostic, ...] | None = None
    positions: tuple[Position, ...] = ()
    causes: tuple[Cause, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()
    tallies: tuple[Tally, ...] = ()
    complete: bool = False
    models: tuple[Data, ...] = ()
    mistakes: tuple[str, ...] = ()
    number: int = field(default_factory=_NUMBERS.__next__)

    def prompt_number(self, offset: int) -> int:
        """The number of the prompt at `offset`, from 1; 0 in the header. A prompt includes its whole first line."""
        return bisect_right(self.starts, offset)

    def prompt_at(self, offset: int) -> Prompt | None:
        """The prompt at `offset`; None in the header."""
        number = self.prompt_number(offset)
        return self.parsed.blueprint.prompts[number - 1] if number else None

    @property
    def excess(self) -> Excess | None:
        """How the text is too large to be read; None if it was read."""
        tree = self.parsed.tree
        return Excess(tree.error.reason, tree.error.offset) if tree.is_refused and tree.error is not None else None

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint in the text."""
        return self.parsed.blueprint

    @property
    def header(self) -> Header:
        """The header of the blueprint."""
        return self.parsed.blueprint.header

    def place(self, prompt: Prompt) -> PromptPlace:
        """The key under which the data of `prompt`, one of this blueprint, is saved."""
        if self.places is not None:
            return self.places[prompt.index]
        from engine.store import PromptPlace  # only where a text was never checked

        return PromptPlace.of(self.parsed.path, prompt)

    @property
    def total(self) -> Tally:
        """All problems of the file."""
        return Tally(
            sum(tally.errors for tally in self.tallies),
            sum(tally.warnings for tally in self.tallies),
            sum(tally.hints for tally in self.tallies),
        )


class _Job(Record):
    revision: int
    text: str
    path: Path
    excess: Excess | None


class CheckingThread:
    """One worker thread for one file. `publish` is called on that thread, with each `Analysis` in order of revision.

    If a text crashes the worker, `failed` is called on its thread, and a new worker checks the next text.
    """

    def __init__(
        self,
        publish: Callable[[Analysis], object],
        failed: Callable[[], object],
        javascript: Callable[[], JavaScript],
        collections: Path | None = None,
    ) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file."""
        self._publish = publish
        self._failed = failed
        self._javascript = javascript
        self._collections = collections
        self._wake = threading.Condition()
        self._pending: _Job | None = None
        self._last: _Job | None = None
        self._are_settings_read = False
        self._closed = False
        self._broke_down = False
        self.good_answers: GoodAnswers | None = None
        """The good answers that are evidence for problems, from the next text on; None for the ideals alone."""

    def start(self) -> None:
        """Start the thread; texts submitted before wait until then."""
        threading.Thread(target=self._run, name="checking", daemon=True).start()

    def submit(self, revision: int, text: str, path: Path, excess: Excess | None = None) -> None:
        """Check `text`, instead of any text that still waits. With `excess` it is refused without being read."""
        with self._wake:
            self._pending = self._last = _Job(revision, text, path, excess)
            self._wake.notify()
            must_restart, self._broke_down = self._broke_down and not self._closed, False
        if must_restart:
            self.start()

    def check_again(self) -> None:
        """Check the newest text again: the settings of its project or its cases changed."""
        with self._wake:
            self._are_settings_read = False
            self._pending = self._pending or self._last
            self._wake.notify()

    def close(self) -> None:
        """Stop after the present check."""
        with self._wake:
            self._closed = True
            self._pending = self._last = None
            self._wake.notify()

    def _run(self) -> None:
        is_finished = False
        try:
            self._work()
            is_finished = True
        finally:
            if not is_finished and not self._closed:
                with self._wake:
                    self._broke_down = True
                self._failed()

    def _work(self) -> None:
        job = self._next()
        if job is None:
            return
        analysis = self._read(job)
        self._publish(analysis)
        with self._wake:
            self._wake.wait_for(lambda: self._closed, _OUTLINE_SECONDS)

        from engine.functions.v8 import Closed as JavaScriptClosed
        from engine.rules import Checker
        from engine.rules.selection import SettingsCache

        self._are_settings_read = True
        project = SettingsCache().of(job.path)
        checker = Checker(project.selection.rules(), self._collections)
        while job is not None:
            checker.good_answers = self.good_answers
            at_once = _checked(analysis, checker.check(analysis.parsed), project, complete=False)
            self._publish(at_once)
            newer = self._take()
            if newer is None:
                try:
                    diagnostics = checker.check(analysis.parsed, self._javascript())
                except JavaScriptClosed:
                    if not self._closed:
                        raise
                    return
                if self._closed:
                    return
                thorough = _checked(analysis, diagnostics, project, complete=True)
                is_new = thorough.diagnostics != at_once.diagnostics
                self._publish(thorough if is_new else replace(at_once, complete=True))
                newer = self._next()
            before, job = job, newer
            if job is not None:
                analysis = self._read(job)
                if not self._are_settings_read or job.path != before.path:
                    self._are_settings_read = True
                    project = SettingsCache().of(job.path)
                    checker = Checker(project.selection.rules(), self._collections)

    def _read(self, job: _Job) -> Analysis:
        """Parse the text, and add the models of its collections; a collection that cannot be read is left out."""
        from engine.parsing import parse, refused
        from engine.parsing.model_collections import Collections, expand

        parsed = parse(job.text, job.path) if job.excess is None else refused(job.text, job.path, job.excess)
        models = expand(parsed.blueprint.header.models, Collections(job.path, self._collections).members).models
        offsets = [prompt.span.start for prompt in parsed.blueprint.prompts]
        places = positions(parsed.text, offsets)
        starts = tuple([offset - place.column for offset, place in zip(offsets, places, strict=True)])
        return Analysis(job.revision, parsed, starts, prompt_names(parsed.blueprint.prompts), models=models)

    def _take(self) -> _Job | None:
        with self._wake:
            job, self._pending = self._pending, None
            return job

    def _next(self) -> _Job | None:
        """The next text; None once closed. Blocks."""
        with self._wake:
            self._wake.wait_for(lambda: self._closed or self._pending is not None)
        return self._take()


def _checked(
    analysis: Analysis, diagnostics: tuple[Diagnostic, ...], project: ProjectSettings, *, complete: bool
) -> Analysis:
    reported = project.selection.reported(diagnostics)
    ordered = tuple(sorted(reported, key=lambda each: (each.span.start, each.severity.rank)))
    counts = [[0, 0, 0] for _ in range(len(analysis.starts) + 1)]
    for diagnostic in ordered:
        counts[analysis.prompt_number(diagnostic.span.start)][diagnostic.severity.rank] += 1
    starts = tuple(positions(analysis.parsed.text, [each.span.start for each in ordered]))
    tallies = tuple(Tally(*count) for count in counts)
    mistakes = tuple(f"{one.file.name}, line {one.line}: {one.message}" for one in project.problems)
    from engine.rules.causes import by_cause  # here, behind the first outline, with the rules
    from engine.rules.source.path_lists import block_notes
    from engine.store import PromptPlace  # as it brings the database

    prompts = analysis.blueprint.prompts
    return replace(
        analysis,
        places={prompt.index: PromptPlace.of(analysis.parsed.path, prompt) for prompt in prompts},
        diagnostics=ordered,
        positions=starts,
        causes=by_cause(ordered),
        notes=tuple(block_notes(analysis.parsed)),
        tallies=tallies,
        complete=complete,
        mistakes=mistakes,
        number=next(_NUMBERS),
    )
