"""Reading, checking and fixing blueprints for `studio check`, with their case files. Prints nothing."""

from __future__ import annotations

import difflib
import errno
import gc
import hashlib
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TypeAlias

from engine.files import open_files
from engine.files.open_files import OpenedFile
from engine.functions.v8 import JavaScript
from engine.models.secret import without_keys
from engine.parsing import Parsed, parse, refused
from engine.parsing.recognition import SUFFIXES, kind_of, lies_below_blueprints, may_be_blueprint, recognise
from engine.rules import Checker
from engine.rules.fixes import ChangedLines, FixedText, FixTrial, apply_fixes, safe_fix
from engine.rules.selection import FOR_WEVAL, RuleSelection, SettingsCache, all_for_weval, matches
from engine.study.case_reader import CaseProblemKind, GoodAnswers, problems_with, read_cases
from engine.study.file_places import case_file_path, text_or_problem
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import Record, replace, short_digest
from engine.text.spans import LineIndex, Span, apply_edits, count, visible
from engine.yaml.layout import line_end, line_start
from studio.cli.check_options import CheckOptions
from studio.cli.inputs import STANDARD_INPUT

_GLOB = frozenset("*?[")


class Candidate(Record):
    """A file to check. One that is not `named` was found below a folder, and may be something else than a blueprint.

    `content` is that of standard input, whose name is `path`; None for a file.
    """

    path: Path
    named: bool
    content: bytes | None = None


IsExcluded: TypeAlias = Callable[[Path, bool], bool]
"""Whether what is found at a path below a named folder is left out; the second argument: whether it is a folder."""


class Exclusions:
    """The patterns of --exclude, relative to the working directory, and those of all settings files.

    The file of the `baseline` is left out too.
    """

    def __init__(self, patterns: Sequence[str], baseline: Path | None = None) -> None:
        self._baseline = None if baseline is None else os.path.realpath(baseline)
        self._patterns = tuple(patterns)
        self._here = Path.cwd()
        self._settings = SettingsCache()

    def __call__(self, path: Path, is_folder: bool) -> bool:
        """Whether `path` itself is excluded. The folders above it are not considered."""
        if self._baseline is not None and not is_folder and os.path.realpath(path) == self._baseline:
            return True
        below = Path(os.path.relpath(path, self._here))
        is_above = below.name in ("", "..")  # the working directory or a folder above it
        if not is_above and any(matches(each, below.as_posix(), is_folder=is_folder) for each in self._patterns):
            return True
        return self._settings.around(path).excludes(path, is_folder=is_folder)


class Walk:
    """The files at the paths of a command, each once and in order, and the files of each folder among the paths.

    `missing` are the paths at which there is nothing. `visited` holds all folders that were looked into, `left_out`
    those among the paths in which something is excluded. `named_and_excluded` counts the paths that are excluded.
    """

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.missing: list[Path] = []
        self.folders: dict[Path, frozenset[Path]] = {}
        self.left_out: set[Path] = set()
        self.visited: list[Path] = []
        self.named_and_excluded = 0

    @property
    def messages(self) -> list[str]:
        """What to say of the missing paths. A shell passes on a pattern that matches no file."""
        what = "There is no such file or folder.", "This pattern matches no file."
        return [f"{path}: {what[not _GLOB.isdisjoint(str(path))]}" for path in self.missing]


def walk(
    paths: Iterable[Path], is_excluded: IsExcluded = lambda _path, _is_folder: False, *, force: bool = False
) -> Walk:
    """The files in `paths`, and the YAML and JSON files below each folder, sorted by name.

    Hidden folders, `node_modules` and what `is_excluded` says are skipped, and links to folders are not followed. No
    file is read. Paths that are named are never skipped, unless by `force`: then they and the folders above them too
    are held against `is_excluded`.
    """
    found = Walk()
    seen: set[str] = set()
    for path in paths:
        is_folder = _is_folder(path)
        if is_folder is None:
            found.missing.append(path)
        elif force and lies_in_excluded(path, is_folder=is_folder, is_excluded=is_excluded):
            found.named_and_excluded += 1
        else:
            files = {
                os.path.realpath(each): each for each in (_below(path, is_excluded, found) if is_folder else (path,))
            }
            if is_folder:
                found.folders[path] = frozenset(map(Path, files))
            found.candidates += [Candidate(each, not is_folder) for real, each in files.items() if real not in seen]
            seen.update(files)
    return found


def standard_input_walk(content: bytes, name: Path | None, is_excluded: IsExcluded, *, force: bool) -> Walk:
    """`content` as the only file, under `name`; none if that is excluded by `force`."""
    found = Walk()
    if name is not None and force and lies_in_excluded(name, is_folder=False, is_excluded=is_excluded):
        found.named_and_excluded = 1
    else:
        found.candidates.append(Candidate(name or STANDARD_INPUT, named=True, content=content))
    return found


def lies_in_excluded(path: Path, *, is_folder: bool, is_excluded: IsExcluded) -> bool:
    """Whether `path`, or a folder above it, is excluded."""
    whole = Path(os.path.normpath(path.absolute()))
    return is_excluded(whole, is_folder) or any(is_excluded(parent, True) for parent in whole.parents)


def _is_folder(path: Path) -> bool | None:
    """Whether a path is a folder; None if there is nothing. What cannot be looked at is reported when it is opened."""
    try:
        path.stat()
        return path.is_dir()
    except OSError as error:
        return None if error.errno in (errno.ENOENT, errno.ENOTDIR) else False
    except ValueError:  # a NUL in it
        return None


def _below(folder: Path, is_excluded: IsExcluded, found: Walk) -> Iterator[Path]:
    """The YAML and JSON files below `folder`."""

    def is_kept(path: Path, *, is_folder: bool) -> bool:
        if is_excluded(path, is_folder):
            found.left_out.add(folder)
            return False
        return True

    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        found.visited.append(here)
        there = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        folders[:] = [name for name in there if is_kept(here / name, is_folder=True)]
        for file in (here / name for name in sorted(files)):
            if file.suffix.lower() in SUFFIXES and is_kept(file, is_folder=False):
                yield file


# --- Reading, checking and fixing one


_STOPS = (".", "?", "!")
_NO_BLUEPRINT = "not-a-blueprint"
_NOT_FIXED = (
    "Not fixed: this is not a blueprint. A blueprint is a list of prompts, or a header with prompts; "
    "each asks (prompt, messages) and says what is expected (should, should_not, ideal)."
)
_CASE_SLUGS = frozenset(kind.value for kind in CaseProblemKind)


class CheckedFile(Record, eq=False, dict=True):
    """A file under the name that it was given by, its text, and its diagnostics.

    For a baseline it has the digest of each diagnostic, and the slugs of the rules that `ran`.
    """

    name: Path
    text: str
    diagnostics: tuple[Diagnostic, ...]
    digests: tuple[str, ...] = ()
    ran: frozenset[str] = frozenset()

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    def place(self, span: Span) -> Place:
        """The lines and columns of `span`."""
        start, end = self.lines.position(span.start), self.lines.position(span.end)
        return Place(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


class Place(Record):
    """Lines and columns from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def below_here(name: Path) -> Path:
    """`name` relative to the working directory, if it lies below it."""
    return name.relative_to(Path.cwd()) if name.is_absolute() and name.is_relative_to(Path.cwd()) else name


def sentences(diagnostic: Diagnostic) -> str:
    """The message and the reason as one text."""
    stop = "" if diagnostic.message.endswith(_STOPS) else "."
    return f"{diagnostic.message}{stop} {diagnostic.why}".strip()


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

    def __init__(self, options: CheckOptions, javascript: JavaScript) -> None:
        self._options = options
        self._javascript = javascript
        self._settings = SettingsCache()

    def examine(self, path: Path, *, named: bool = True, content: bytes | None = None) -> Examined:
        """The file at `path`, reported under that name. One that is not `named` may not be a blueprint.

        With `content`, that is examined in its place, and no file is read or written.
        """
        try:
            opened = open_files.open_file(path) if content is None else open_files.open_content(path, content)
        except open_files.CannotOpen as error:
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
        selection = settings.selection.with_options(self._options.select, self._options.ignore)
        try:
            done, now = self._done(path, opened, parsed, selection, write=content is None)
        except (open_files.CannotSave, open_files.ChangedOnDisk, open_files.SharedByLinks) as error:
            messages.append(f"{path}: {error.title} {error.advice}".rstrip())
            return Examined(messages=tuple(messages), unusable=True)
        cases, problem = (None, "") if selection.select is not None else _cases_of(path, now)
        messages += filter(None, [problem])
        return replace(done, cases=cases, messages=(*messages, *done.messages), unusable=bool(messages))

    def _refused(self, path: Path, parsed: Parsed) -> Examined:
        """A file that is too large to be read: its one diagnostic, whatever rules are chosen."""
        found = parsed.tree.diagnostics
        return Examined(CheckedFile(path, parsed.text, found, self._digests(parsed, found)), unusable=True)

    def _is_something_else(self, opened: OpenedFile) -> bool:
        """Whether a file that was found is certainly not a blueprint. Does not parse YAML."""
        if opened.is_json:
            return not recognise(opened.text, opened.path).is_checked
        return not may_be_blueprint(opened.text)

    def _skipped(self, path: Path, opened: OpenedFile) -> Examined:
        """A file that is not a blueprint; with --for weval it is an error below `blueprints/`."""
        if not self._options.for_weval or not lies_below_blueprints(path):
            return Examined(skipped=path.suffix.lower())
        selection = self._settings.of(path).selection.with_options(self._options.select, self._options.ignore)
        checker = Checker(selection.rules(), self._options.collections)
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
        wants_fixes = self._options.fix or self._options.only_diff
        if wants_fixes and kind_of(parsed).may_be_fixed:
            return self._fixed(path, opened, selection, write=write)
        checker = Checker(selection.rules(), self._options.collections, GoodAnswers(path))
        found = selection.reported(checker.check(parsed, self._javascript))
        messages = (f"{path}: {_NOT_FIXED}",) if wants_fixes else ()
        return Examined(self._checked(opened, path, parsed, found, selection), messages=messages), parsed

    def _fixed(
        self, path: Path, opened: OpenedFile, selection: RuleSelection, *, write: bool
    ) -> tuple[Examined, Parsed]:
        """Fix the file, or with --diff show the changes only. `write` it, or else only return its content."""
        trial = FixTrial(
            opened.text,
            opened.path,
            self._javascript,
            selection=selection,
            collections=self._options.collections,
            weval=self._options.for_weval,
            good_answers=GoodAnswers(path),
        )
        before, found = trial.parsed, trial.diagnostics
        outcome = apply_fixes(trial, safe_fix)
        if self._options.only_diff:
            has_fixes = any(one.fixes for one in found)
            diff = tuple(diff_of(path, opened.text, outcome, trial, self._javascript)) if has_fixes else ()
            return Examined(self._checked(opened, path, before, found, selection), diff=diff), before
        checked = self._checked(opened, path, outcome.parsed, outcome.remaining, selection)
        done = Examined(checked, changes=tuple(changes_of(path, outcome)))
        if outcome.text == opened.text:
            return done, outcome.parsed
        fixed = None
        if write or opened.read_only is not None:  # then it raises
            open_files.save(opened, outcome.text)
        else:
            fixed = opened.encoded(outcome.text)
        fixes = count(outcome.applied, "fix", "fixes")
        return replace(done, notes=(f"{path}: {fixes} applied",), fixed=fixed), outcome.parsed

    def _checked(
        self, opened: OpenedFile, path: Path, parsed: Parsed, found: tuple[Diagnostic, ...], selection: RuleSelection
    ) -> CheckedFile:
        if self._options.for_weval:
            found = all_for_weval(parsed, found, selection, has_mark=opened.bom)
        digests = self._digests(parsed, found)
        ran = self._ran(parsed, found, selection) if self._options.baseline is not None else frozenset[str]()
        return CheckedFile(path, parsed.text if found else "", found, digests, ran)

    def _digests(self, parsed: Parsed, found: tuple[Diagnostic, ...]) -> tuple[str, ...]:
        """What a baseline knows the problems by, if there is one."""
        return tuple(problem_digest(parsed, each) for each in found) if self._options.baseline is not None else ()

    def _ran(self, parsed: Parsed, found: tuple[Diagnostic, ...], selection: RuleSelection) -> frozenset[str]:
        """The slugs of the rules that saw the whole file: after a YAML error only those that reported something."""
        reported = frozenset(each.slug for each in found)
        if parsed.tree.error is not None:
            return reported
        weval = FOR_WEVAL if self._options.for_weval else frozenset[str]()
        return reported | weval | {rule.slug for rule in selection.rules()}


def _is_whole(opened: OpenedFile) -> bool:
    """Whether the text holds all bytes of the file; it does not if they are not UTF-8."""
    return hashlib.sha256(opened.encoded(opened.text)).hexdigest() == opened.digest


# --- Its case file


def _cases_of(blueprint: Path, parsed: Parsed) -> tuple[CheckedFile | None, str]:
    """The case file of `blueprint` with the problems in it, by itself and beside what is `parsed`, None without one;
    and why it could not be read, or "". Blocks.
    """
    path = case_file_path(blueprint)
    if path is None:
        return None, ""
    text, problem = text_or_problem(path)
    if problem:
        return None, f"{path}: It {problem}"
    file, problems = read_cases(text)
    # A YAML error hides prompts and points, which are not gone.
    beside = () if parsed.tree.error is not None else problems_with(file, parsed.blueprint)
    found = tuple(sorted([*problems, *beside], key=lambda each: each.span))
    lines = LineIndex(text)
    digests = (short_digest(lines.line(lines.position(each.span.start).line).strip()) for each in found)
    return CheckedFile(path, text, found, tuple(digests), _CASE_SLUGS), ""


# --- What a baseline knows a problem by


_LONGEST = 200
"""Characters of the underlined text that count. It may be a whole block."""
_LONGEST_LINE = 400
_BESIDE = 40
"""Characters on either side that count in a longer line: JSON may stand in a single one."""


def problem_digest(parsed: Parsed, diagnostic: Diagnostic) -> str:
    """The digest of a problem in `parsed`, 16 hexadecimal digits.

    It covers the first line of the underlined text, the line around it, and the id of its prompt. Blanks count as one.
    So it stays when text is inserted or indented elsewhere, and differs for the same slip in another prompt.
    """
    text, start, end = parsed.text, diagnostic.span.start, diagnostic.span.end
    first, last = line_start(text, start), line_end(text, start)
    if last - first > _LONGEST_LINE:
        first, last = max(first, start - _BESIDE), min(last, end + _BESIDE)
    prompt = next((each.id for each in parsed.blueprint.prompts if each.span.start <= start <= each.span.end), "")
    underlined = text[start : min(end, last, start + _LONGEST)]
    parts = (prompt, text[first:last], underlined)
    content = "\0".join(" ".join(part.split()) for part in parts)
    return short_digest(content)


# --- What fixes change: place by place, or as a patch


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_MOST_LINES = 8
"""How many lines of one place are shown before and after its fix."""


def changes_of(name: Path, outcome: FixedText) -> Iterator[str]:
    """For each changed place, in the order of the text: `file:line slug: title`, then the lines before and after.

    Line numbers are those of the text after all fixes. One line for each fix that was left out follows.
    """
    index = LineIndex(outcome.text)
    rows = [(place, applied) for applied in outcome.changes for place in applied.lines]
    for place, applied in sorted(rows, key=lambda row: row[0].offset):
        line = index.position(place.offset).line + 1
        yield _shown(f"{name}:{line} {applied.diagnostic.slug}: {applied.fix.title}")
        yield from _before_and_after(place)
    for left in outcome.left:
        line = index.position(left.diagnostic.span.start).line + 1
        yield _shown(f"{name}:{line} {left.diagnostic.slug}: not applied, “{left.fix.title}” {left.objection}")


def _before_and_after(place: ChangedLines) -> Iterator[str]:
    for sign, lines in (("-", place.before), ("+", place.after)):
        yield from (f"  {sign} {_shown(line)}".rstrip() for line in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"  {sign} … {len(lines) - _MOST_LINES} more"


def _shown(text: str) -> str:
    return visible(without_keys(" ".join(text.split("\n"))))


def diff_of(name: Path, text: str, outcome: FixedText, trial: FixTrial, javascript: JavaScript) -> Iterator[str]:
    """The lines of the diff, without line ends.

    First comes a patch from `text` to the text that --fix makes. The other fixes follow, each with its place in the
    fixed text (the text of `trial`), its title, why --fix does not apply it, its effect on the score of the ideal if
    only checks decide that, and its diff. Their lines begin with `#`, so that no tool takes them for a patch.
    """
    yield from _unified(name, text, outcome.text)
    lines = LineIndex(outcome.text)
    for diagnostic in outcome.remaining:
        for fix in diagnostic.fixes:
            place = lines.position(diagnostic.span.start)
            where = f"{name}:{place.line + 1}:{place.column + 1}"
            head = f"# {where} {diagnostic.slug}: {fix.title} {_remarks(diagnostic, fix, trial, javascript)}"
            yield visible(" ".join(head.split("\n")))
            patch = list(_unified(name, outcome.text, apply_edits(outcome.text, fix.edits)))
            yield from (f"# {line}" for line in patch[2:])


def _remarks(diagnostic: Diagnostic, fix: Fix, trial: FixTrial, javascript: JavaScript) -> str:
    """Why --fix does not apply `fix`, and its effect on the score of the ideal."""
    objection = trial.outcome(diagnostic, fix).objection
    kind = "safe, of a hint" if diagnostic.severity is Severity.HINT else "safe"
    effect = _effect_on_ideal(trial.parsed, diagnostic, fix, javascript)
    return f"({kind if fix.safe else 'unsafe'}{effect}){', ' if objection else ''}{objection}"


def _effect_on_ideal(parsed: Parsed, diagnostic: Diagnostic, fix: Fix, javascript: JavaScript) -> str:
    from engine.evaluation.headline import effect_of  # brings what runs checks, which only a patch needs

    at = diagnostic.span.start
    prompt = next((each for each in parsed.blueprint.prompts if each.span.start <= at <= each.span.end), None)
    if prompt is None or not prompt.ideal:
        return ""
    effect = effect_of(parsed, prompt.index, fix.edits, prompt.ideal, javascript)
    is_known = effect is not None and not (effect.before.is_open or effect.after.is_open)
    return f"; the ideal: {effect}" if is_known else ""


def _unified(name: Path, before: str, after: str) -> Iterator[str]:
    ours, theirs = _LINE.findall(without_keys(before)), _LINE.findall(without_keys(after))
    for line in difflib.unified_diff(ours, theirs, visible(str(name)), visible(str(name)), lineterm=""):
        bare = line.rstrip("\r\n")
        yield visible(bare)
        if line == bare and line[:1] in "+- " and not line.startswith(("--- ", "+++ ")):
            yield "\\ No newline at end of file"


# --- Many files, in at most four processes

# More processes pay off from `_MANY_FILES` files on. Where processes are forked, they start with all modules loaded
# (10 ms); elsewhere they load everything again (a third of a second). Fastest of five runs on two busy cores, in one
# and in two processes: 16 files 0.91 and 0.99 s, 24 files 1.48 and 1.52, 32 files 1.82 and 1.42, 196 files 7.3 and 5.3.


_FORKS = sys.platform == "linux"
_MANY_FILES = 24 if _FORKS else 400
_MOST_PROCESSES = 4
_AT_ONCE = 4
"""How many files a process gets at a time: few, so that none waits for a long file at the end."""
_COLLECT_AFTER = (50_000, 10, 1000)
"""Thresholds for `gc`: a parsed text is a large tree without cycles, so frequent collections only take time."""

_examiner: Examiner | None = None
"""The examiner of a worker process."""


def examined(files: Sequence[Candidate], options: CheckOptions) -> Iterator[Examined]:
    """The results for all `files`, in their order."""
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    if not pays_off(len(files)):
        with JavaScript() as javascript:
            javascript.warm_up()
            examiner = Examiner(options, javascript)
            yield from (examiner.examine(one.path, named=one.named, content=one.content) for one in files)
        return
    context = multiprocessing.get_context("fork" if _FORKS else "spawn")
    with context.Pool(_processes(), _initialise, (options,)) as pool:
        yield from pool.imap(_examine, files, _AT_ONCE)
        pool.close()
        pool.join()


def pays_off(count: int) -> bool:
    """Whether `count` files are checked faster in several processes."""
    return count >= _MANY_FILES and _processes() > 1


def _initialise(options: CheckOptions) -> None:
    """Initialises a worker process. Ctrl+C ends the first process, and that ends this one."""
    global _examiner
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*_COLLECT_AFTER)
    javascript = JavaScript()
    Finalize(None, javascript.close, exitpriority=1)
    javascript.warm_up()
    _examiner = Examiner(options, javascript)


def _examine(candidate: Candidate) -> Examined:
    if _examiner is None:
        raise RuntimeError("the worker process is not initialised")
    return _examiner.examine(candidate.path, named=candidate.named, content=candidate.content)


def _processes() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST_PROCESSES)
