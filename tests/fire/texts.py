"""Hostile and near-valid texts through reading, all rules, and everything that shows or fixes what they report."""

from __future__ import annotations

import json
import math
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Self

from engine import completion
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.result_json import viewer_config
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, reading, weval_config
from engine.parsing.normalised_form import CannotHash, blueprint_id, content_hash
from engine.parsing.recognition import kind_of, recognise
from engine.rules import ALL, Checker
from engine.rules.causes import by_cause
from engine.rules.fixes import FixTrial, apply_fixes, apply_one, safe_fix, same_choice
from engine.rules.selection import RuleSelection, all_for_weval
from engine.rules.suppression import as_intended
from engine.store import PromptPlace
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import Span, TextEdit, apply_edits, edits_between, positions, visible
from studio.cli.check_files import CheckedFile, changes_of
from studio.cli.check_options import Layout
from studio.cli.check_result import pieces
from studio.session.analysis import Analysis
from studio.session.fixes import report_of
from studio.session.prompt_names import prompt_names
from studio.session.views.outline_view import outline_view
from studio.session.views.problems_view import problems_view
from tests.fire.attacks import Attack, Malformed, Outcome, attacked
from tests.fire.figures import Figures
from tests.fire.hostile_texts import HostileText, hostile_text

LIMIT = 1.0
"""Seconds of CPU that one reading and checking, or one fixing, may take, with V8."""
EVERY_RULE = RuleSelection(select=frozenset(rule.code for rule in ALL))
"""All rules, those that are off by default too."""
_SHORT = LIMIT / 5
"""A step that ends in so many seconds is not timed exactly."""
_NO_FILE = Path("text.yml")
_LAYOUTS = (Layout.TEXT, Layout.JSON, Layout.GITHUB, Layout.SARIF)


class TextReader:
    """Puts texts through everything that reads them.

    Use it as a context manager: it has a V8 process.
    """

    def __init__(self) -> None:
        self._javascript = JavaScript()
        self._counted, self._counted_at = 0.0, -math.inf
        """The CPU seconds at the last count, and when that was."""

    def __enter__(self) -> Self:
        self._javascript.warm_up()
        return self

    def __exit__(self, *_: object) -> None:
        self._javascript.close()

    def objections(self, hostile: HostileText) -> Iterator[str]:
        """What does not hold of a text. Raises whatever the code raises."""
        took: list[float] = []
        with self._timed(took):
            parsed = parse(hostile.text, hostile.path)
            found = self._checked(parsed)
        yield from _too_long("reading and checking", took)
        with self._timed(took):
            wrong = list(self._read(parsed))
        yield from (*wrong, *_too_long("what others read", took))
        layouts = _LAYOUTS if hostile.has_fixes else _LAYOUTS[:1]
        yield from (*_misplaced(parsed, found), *self._shown(parsed, found, layouts))
        if hostile.has_fixes:
            self._prepared(parsed)
            yield from self._fixed(parsed)

    def _checked(self, parsed: Parsed) -> Sequence[Diagnostic]:
        """As the studio checks: without V8 first, then with it."""
        checker = Checker(EVERY_RULE.rules())
        checker.check(parsed)
        return checker.check(parsed, self._javascript)

    def _read(self, parsed: Parsed) -> Iterator[str]:
        """What `studio parse`, `--for weval`, a result file and the completion make of the text."""
        refusal = parsed.weval.error
        if refusal is not None and not 0 <= refusal.offset <= len(parsed.text):
            yield f"Weval's refusal is at {refusal.offset} of {len(parsed.text)}"
        config = weval_config(parsed)
        json.dumps([config, reading(parsed)], ensure_ascii=True)
        if parsed.path is not None:
            blueprint_id(parsed.path)
        if recognise(parsed.text, parsed.path) is not kind_of(parsed) and len(parsed.text) < 20_000:
            yield f"recognised as {recognise(parsed.text, parsed.path)} unread, {kind_of(parsed)} once read"
        completion.complete(parsed.text, len(parsed.text) // 2)

    def _prepared(self, parsed: Parsed) -> None:
        """What a run makes of the text before the first request, and what it stores."""
        header = parsed.blueprint.header
        for prompt in parsed.blueprint.prompts:
            PromptPlace.of(parsed.path, prompt)
            for variant in variants(header):
                tuple(conversation(prompt, header, variant).up_to_each_answer())
        config = weval_config(parsed)
        if config is not None:
            json.dumps(viewer_config(config))
            with suppress(CannotHash):
                content_hash(config, self._javascript)

    def _shown(self, parsed: Parsed, found: Sequence[Diagnostic], layouts: Sequence[Layout]) -> Iterator[str]:
        """The reports of the command line, and the studio's panes."""
        name = parsed.path or _NO_FILE
        for_weval = all_for_weval(parsed, found, EVERY_RULE)
        file = CheckedFile(name, parsed.text, for_weval)
        took: list[float] = []
        for layout in layouts:
            with self._timed(took):
                written = "".join(pieces(layout, [file]))
            yield from _too_long(f"the report as {layout}", took)
            if visible(written) != written:
                yield f"the report as {layout} holds raw control characters"
        places = tuple(positions(parsed.text, [each.span.start for each in found]))
        names = prompt_names(parsed.blueprint.prompts)
        analysis = Analysis(0, parsed, (), names, diagnostics=tuple(found), positions=places, causes=by_cause(found))
        outline_view(analysis, ())
        problems_view(analysis)

    def _fixed(self, parsed: Parsed) -> Iterator[str]:
        """Every fix and every suppression, each by itself as in the studio, then all safe ones as with `--fix`."""
        trial = FixTrial(parsed.text, parsed.path, self._javascript, selection=EVERY_RULE)
        for diagnostic in trial.diagnostics:
            fixes = (*diagnostic.fixes, *as_intended(trial.parsed.tree, diagnostic.span, diagnostic.slug))
            for fix in dict.fromkeys(fixes):
                yield from self._tried(trial, diagnostic, fix)
        took: list[float] = []
        with self._timed(took):
            fixed = apply_fixes(trial.copy(), safe_fix)
        yield from _too_long("applying all safe fixes", took)
        yield from wrong_edits(parsed.text, edits_between(parsed.text, fixed.text), "all safe fixes")
        if any(line != visible(line) for line in changes_of(parsed.path or _NO_FILE, fixed)):
            yield "the list of changes holds raw control characters"
        if apply_edits(parsed.text, edits_between(parsed.text, fixed.text)) != fixed.text:
            yield "the edits of all safe fixes do not make their text"

    def _tried(self, trial: FixTrial, diagnostic: Diagnostic, fix: Fix) -> Iterator[str]:
        took: list[float] = []
        with self._timed(took):
            _ = trial.outcome(diagnostic, fix).objection
        name = f"{diagnostic.slug}: {fix.title}"
        yield from _too_long(f"{name}: trying it", took)
        with self._timed(took):
            fixed = apply_one(trial.copy(), diagnostic, fix)
            report_of(fixed)
        yield from _too_long(f"{name}: applying it", took)
        if fixed.text != apply_edits(trial.text, fix.edits):
            yield f"{name}: its edits do not make its text"
        select = same_choice(fix, diagnostic, trial)
        for each in trial.diagnostics:
            select(each)

    @contextmanager
    def _timed(self, took: list[float]) -> Iterator[None]:
        """Add what a step takes to `took`: twice its time if that is short, as two processes can use no more.

        Reading the clocks of processes costs more than most steps, on a crowded machine.
        """
        began = time.perf_counter()
        if began - self._counted_at > _SHORT:
            self._count()
        before = self._counted
        yield
        passed = time.perf_counter() - began
        if passed > _SHORT:
            self._count()
        took.append(2 * passed if passed <= _SHORT else self._counted - before)

    def _count(self) -> None:
        self._counted, self._counted_at = self._cpu(), time.perf_counter()

    def _cpu(self) -> float:
        """Seconds of CPU that this process, its ended children and its V8 process have used.

        Without /proc a V8 process counts once it has ended.
        """
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + ended.ru_utime + ended.ru_stime + _cpu_of(self._javascript.pid)


def _too_long(step: str, took: Sequence[float]) -> Iterator[str]:
    if took[-1] > LIMIT:
        yield f"{step} took {took[-1]:.2f} s of CPU"


def _cpu_of(pid: int | None) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def _misplaced(parsed: Parsed, found: Sequence[Diagnostic]) -> Iterator[str]:
    """Reports and edits outside the text, edits that overlap or split a line break's two characters."""
    length = len(parsed.text)
    for diagnostic in found:
        spans = [diagnostic.span, *(related.span for related in diagnostic.related)]
        if any(not 0 <= span.start <= span.end <= length for span in spans):
            yield f"{diagnostic.slug} is reported outside the text: {spans} of {length}"
        if not diagnostic.message.strip():
            yield f"{diagnostic.slug} has no message"
        for fix in diagnostic.fixes:
            yield from wrong_edits(parsed.text, fix.edits, f"{diagnostic.slug}: {fix.title}")


def wrong_edits(text: str, edits: Sequence[TextEdit], name: str) -> Iterator[str]:
    """What is wrong with the places of edits that a fix called `name` makes in `text`."""
    last = Span(0, 0)
    for edit in sorted(edits, key=lambda edit: edit.span):
        if not 0 <= edit.span.start <= edit.span.end <= len(text):
            yield f"{name}: edit {edit.span} lies outside the text of {len(text)}"
        if edit.span.start < last.end:
            yield f"{name}: edits {last} and {edit.span} overlap"
        if any(text[at - 1 : at + 1] == "\r\n" for at in (edit.span.start, edit.span.end) if at):
            yield f"{name}: edit {edit.span} splits a line break"
        last = edit.span


ROUNDS = 100_000
_FIXED_ONE_IN = 10
"""Of so many texts, all fixes of one are tried and applied."""
_MOST_SECONDS = 30.0
"""Of processor time for a text with all its fixes, each step of which has a limit of its own."""


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` texts."""
    with TextReader() as reader:

        def read(made: HostileText) -> Outcome:
            if objections := list(reader.objections(made)):
                raise Malformed("; ".join(objections))
            return Outcome(made.kind)

        checked = Attack("a text", hostile_text, read)
        fixed = Attack("a text with its fixes", partial(hostile_text, has_fixes=True), read)
        order = [fixed, *[checked] * (_FIXED_ONE_IN - 1)]
        return attacked("texts", order, seed, rounds, seconds=_MOST_SECONDS)
