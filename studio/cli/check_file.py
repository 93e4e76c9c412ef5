"""Reading, checking and fixing one blueprint for `studio check`. Prints nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files.open_files import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    OpenedFile,
    SharedByLinks,
    open_content,
    open_file,
    save,
)
from engine.parsing import Parsed, parse, refused
from engine.parsing.recognition import kind_of, lies_below_blueprints, may_be_blueprint, recognise
from engine.rules import Checker
from engine.rules.fixes import FixTrial, apply_fixes, safe_fix
from engine.rules.selection import FOR_WEVAL, RuleSelection, SettingsCache, all_for_weval
from engine.study.good_answers import GoodAnswers
from engine.text.diagnostics import Severity
from engine.text.record import Record, replace
from studio.cli.check_cases import CheckedCases, checked_cases
from studio.cli.check_changes import changes_of
from studio.cli.checked_file import CheckedFile
from studio.cli.problem_digest import problem_digest

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.text.diagnostics import Diagnostic


_NO_BLUEPRINT = "not-a-blueprint"
_NOT_FIXED = (
    "Not fixed: this is not a blueprint. A blueprint is a list of prompts, or a header with prompts; "
    "each asks (prompt, messages) and says what is expected (should, should_not, ideal)."
)


class Request(Record):
    """The options of the command, the same for all files.

    `select` and `ignore` hold codes of rules; `collections` is the folder of model collections, if one is named.
    `for_baseline`: with digests of the problems.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    for_weval: bool = False
    fix: bool = False
    only_diff: bool = False
    collections: Path | None = None
    for_baseline: bool = False


class Examined(Record):
    """The result for one file: its diagnostics (None if it could not be read, or is not a blueprint) and its diff.

    `cases` is its case file, if it has one, with the problems of that.
    `messages` are lines for stderr, `notes` those that --quiet leaves out, `changes` the applied fixes, by place.
    `skipped` is the suffix of a file that was found below a folder and is not a blueprint. `unusable`: something could
    not be done, so the exit code is 2. `fixed` is the content of standard input after the fixes.
    """

    checked: CheckedFile | None = None
    cases: CheckedFile | None = None
    diff: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    skipped: str | None = None
    unusable: bool = False
    fixed: bytes | None = None


class Examiner:
    """Examines files one after the other; `javascript` and the projects' settings are shared by all."""

    def __init__(self, request: Request, javascript: JavaScript) -> None:
        self._request = request
        self._javascript = javascript
        self._settings = SettingsCache()

    def examine(self, path: Path, *, named: bool = True, content: bytes | None = None) -> Examined:
        """The file at `path`, reported under that name. One that is not `named` may not be a blueprint.

        With `content`, that is examined in its place, and no file is read or written.
        """
        try:
            opened = open_file(path) if content is None else open_content(path, content)
        except CannotOpen as error:
            if error.excess is not None and not named:
                return Examined(skipped=path.suffix.lower())
            if error.excess is not None:
                return self._refused(path, refused("", path, error.excess))
            return Examined(messages=(f"{path}: {error.title} {error.advice}".rstrip(),), unusable=True)
        parsed = None if not named and self._is_something_else(opened) else parse(opened.text, opened.path)
        if not named and (parsed is None or not kind_of(parsed).is_checked):
            return self._skipped(path, opened)
        assert parsed is not None
        if parsed.tree.is_refused:
            return self._refused(path, parsed)
        settings = self._settings.of(path)
        messages = [str(problem) for problem in settings.problems]
        if not _is_whole(opened):
            messages.append(f"{path}: {opened.read_only}")
        selection = settings.selection.with_options(self._request.select, self._request.ignore)
        try:
            done, now = self._done(path, opened, parsed, selection, write=content is None)
        except (CannotSave, ChangedOnDisk, SharedByLinks) as error:
            messages.append(f"{path}: {error.title} {error.advice}".rstrip())
            return Examined(messages=tuple(messages), unusable=True)
        cases = checked_cases(path, now) if selection.select is None else CheckedCases()
        if cases.message:
            messages.append(cases.message)
        messages_now = (*messages, *done.messages)
        return replace(done, cases=cases.file, messages=messages_now, unusable=bool(messages))

    def _refused(self, path: Path, parsed: Parsed) -> Examined:
        """A file that is too large to be read: its one diagnostic, whatever rules are chosen."""
        found = parsed.tree.diagnostics
        digests = [problem_digest(parsed, each) for each in found] if self._request.for_baseline else ()
        return Examined(CheckedFile(path, parsed.text, found, digests), unusable=True)

    def _is_something_else(self, opened: OpenedFile) -> bool:
        """Whether a file that was found is certainly not a blueprint. Does not parse YAML."""
        if opened.is_json:
            return not recognise(opened.text, opened.path).is_checked
        return not may_be_blueprint(opened.text)

    def _skipped(self, path: Path, opened: OpenedFile) -> Examined:
        """A file that is not a blueprint; with --for weval it is an error below `blueprints/`."""
        if not self._request.for_weval or not lies_below_blueprints(path):
            return Examined(skipped=path.suffix.lower())
        selection = self._settings.of(path).selection.with_options(self._request.select, self._request.ignore)
        checker = Checker(selection.rules(), self._request.collections)
        parsed = parse(opened.text, opened.path)
        found = selection.reported(checker.check(parsed, None))
        errors = tuple(one for one in found if one.severity is Severity.ERROR)
        shown = tuple(one for one in found if one.slug == _NO_BLUEPRINT) or errors
        return Examined(self._checked(opened, path, parsed, shown, selection), skipped=path.suffix.lower())

    def _done(
        self, path: Path, opened: OpenedFile, parsed: Parsed, selection: RuleSelection, *, write: bool
    ) -> tuple[Examined, Parsed]:
        """Check the file, and fix it if requested; the result, and the text that it is of.

        Raises `CannotSave`, `ChangedOnDisk`, `SharedByLinks`.
        """
        wants_fixes = self._request.fix or self._request.only_diff
        if wants_fixes and kind_of(parsed).may_be_fixed:
            return self._fixed(path, opened, selection, write=write)
        checker = Checker(selection.rules(), self._request.collections, GoodAnswers(path))
        found = selection.reported(checker.check(parsed, self._javascript))
        checked = self._checked(opened, path, parsed, found, selection)
        if not wants_fixes:
            return Examined(checked), parsed
        return Examined(checked, messages=(f"{path}: {_NOT_FIXED}",)), parsed

    def _fixed(
        self, path: Path, opened: OpenedFile, selection: RuleSelection, *, write: bool
    ) -> tuple[Examined, Parsed]:
        """Fix the file, or with --diff show the changes only. `write` it, or else only return its content."""
        request = self._request
        trial = FixTrial(
            opened.text,
            opened.path,
            self._javascript,
            selection=selection,
            collections=request.collections,
            weval=request.for_weval,
            good_answers=GoodAnswers(path),
        )
        before, found = trial.parsed, trial.diagnostics
        outcome = apply_fixes(trial, safe_fix)
        if request.only_diff:
            checked = self._checked(opened, path, before, found, selection)
            if not any(one.fixes for one in found):
                return Examined(checked), before
            from studio.cli.check_diff import diff_of  # brings what runs checks, which only a diff needs

            diff = tuple(diff_of(path, opened.text, outcome, trial, self._javascript))
            return Examined(checked, diff=diff), before
        checked = self._checked(opened, path, outcome.parsed, outcome.remaining, selection)
        changes = tuple(changes_of(path, outcome))
        if outcome.text == opened.text:
            return Examined(checked, changes=changes), outcome.parsed
        fixed = None
        if write or opened.read_only is not None:  # then it raises
            save(opened, outcome.text)
        else:
            fixed = opened.encoded(outcome.text)
        fixes = "1 fix" if outcome.applied == 1 else f"{outcome.applied} fixes"
        done = Examined(checked, notes=(f"{path}: {fixes} applied",), changes=changes, fixed=fixed)
        return done, outcome.parsed

    def _checked(
        self, opened: OpenedFile, path: Path, parsed: Parsed, found: tuple[Diagnostic, ...], selection: RuleSelection
    ) -> CheckedFile:
        if self._request.for_weval:
            found = all_for_weval(parsed, found, selection, has_mark=opened.bom)
        text = parsed.text if found else ""
        if not self._request.for_baseline:
            return CheckedFile(path, text, found)
        digests = [problem_digest(parsed, each) for each in found]
        return CheckedFile(path, text, found, digests, self._ran(parsed, found, selection))

    def _ran(self, parsed: Parsed, found: tuple[Diagnostic, ...], selection: RuleSelection) -> frozenset[str]:
        """The slugs of the rules that saw the whole file: after a YAML error only those that reported something."""
        reported = frozenset(each.slug for each in found)
        if parsed.tree.error is not None:
            return reported
        weval = FOR_WEVAL if self._request.for_weval else frozenset[str]()
        return reported | weval | {rule.slug for rule in selection.rules()}


def _is_whole(opened: OpenedFile) -> bool:
    """Whether the text holds all bytes of the file; it does not if they are not UTF-8."""
    return hashlib.sha256(opened.encoded(opened.text)).hexdigest() == opened.digest
