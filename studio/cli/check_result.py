"""One check of all files of a command: what was found, its output, and the exit code that it comes to."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO, TypeAlias

import click
from msgspec import Meta, ValidationError, convert
from msgspec.structs import asdict, astuple

from engine.files.atomic import read_regular
from engine.study.case_reader import CaseProblemKind
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import Record, read_json, replace
from engine.text.spans import Span, count, visible
from engine.text.text_limits import FILE_BYTES
from engine.yaml.nodes import Data
from studio.cli.check_files import (
    Candidate,
    CheckedFile,
    Examined,
    Exclusions,
    Walk,
    below_here,
    examined,
    sentences,
    standard_input_walk,
    walk,
)
from studio.cli.check_options import CheckOptions, Layout
from studio.cli.check_text import WHOLE, Summary, as_table, as_text, painted_diff
from studio.cli.frame import Unusable, tell, write
from studio.cli.inputs import read_standard_input

if TYPE_CHECKING:
    from engine.rules.rule import Rule

VERSION = 1
"""The version of the format. A reader refuses later ones."""
_MAX_BYTES = 64 << 20
_FORM = "it needs a version and a list of problems, each with its file, slug, digest and count"


class Known(Record, order=True):
    """What a known problem is found by."""

    file: str
    slug: str
    digest: str


class _Row(Known):
    """How many such problems there are."""

    count: Annotated[int, Meta(gt=0)]


class _Version(Record):
    """What every baseline has."""

    version: int


class _Problems(Record):
    """What a baseline of this version has."""

    problems: tuple[_Row, ...]


Baseline: TypeAlias = Mapping[Known, int]
"""How often each known problem occurs, at least once."""


class Compared(Record):
    """Checked files with their new problems only, how many are known, and the known ones that no longer occur."""

    files: tuple[CheckedFile, ...]
    known: int
    gone: Baseline


class BaselineFile:
    """The baseline at `path`, as it was when the command began."""

    def __init__(self, path: Path, *, may_be_missing: bool) -> None:
        """Raises `Unusable` for a file that cannot be read, is not a baseline, or is missing unless it may be."""
        self._path = path
        self._folder = os.path.realpath(path.absolute().parent)
        self._known = _read(path, may_be_missing=may_be_missing)

    def compare(self, files: Sequence[CheckedFile]) -> Compared:
        """What of `files` is new, and what of the baseline is gone: of several alike the first are the known ones."""
        left, new = Counter(dict(self._known)), list[CheckedFile]()
        for file in files:
            found: list[Diagnostic] = []
            for known, each in self._keyed(file):
                left[known] -= 1
                if left[known] < 0:
                    found.append(each)
            new.append(replace(file, diagnostics=tuple(found), digests=()))
        could_occur = self._occurrence(files)
        gone = {known: left[known] for known in sorted(self._known) if left[known] > 0 and could_occur(known)}
        known = sum(len(one.diagnostics) - len(other.diagnostics) for one, other in zip(files, new, strict=True))
        return Compared(tuple(new), known, gone)

    def write(self, files: Sequence[CheckedFile]) -> int:
        """Write the problems of `files` as known, and return how many problems the baseline has.

        Problems of files that were not checked, and of rules that did not run, stay. Raises `Unusable`.
        """
        could_occur = self._occurrence(files)
        kept = {known: count for known, count in self._known.items() if not could_occur(known)}
        self._known = Counter(kept) + Counter(known for file in files for known, _ in self._keyed(file))
        write(self._path, written(self._known))
        return sum(self._known.values())

    def _keyed(self, file: CheckedFile) -> Iterator[tuple[Known, Diagnostic]]:
        name = self._name(file.name)
        for each, digest in zip(file.diagnostics, file.digests, strict=True):
            yield Known(name, each.slug, digest), each

    def _occurrence(self, files: Sequence[CheckedFile]) -> Callable[[Known], bool]:
        """Whether the check of `files` would have found a problem: its rule ran on its file, or the file is gone."""
        ran = {self._name(file.name): file.ran for file in files}

        def could_occur(known: Known) -> bool:
            if known.file in ran:
                return known.slug in ran[known.file]
            return not os.path.lexists(Path(self._folder, known.file))

        return could_occur

    def _name(self, path: Path) -> str:
        """`path` relative to the folder of the baseline, with `/`; whole if it is on another drive."""
        whole = Path(os.path.realpath(path.absolute().parent), path.name)
        try:
            return Path(os.path.relpath(whole, self._folder)).as_posix()
        except ValueError:
            return whole.as_posix()


def _read(path: Path, *, may_be_missing: bool) -> Baseline:
    try:
        return read_baseline(read_regular(path, _MAX_BYTES).decode("utf-8"))
    except FileNotFoundError as error:
        if may_be_missing:
            return {}
        raise Unusable(f"{path}: There is no such baseline. --write-baseline writes it.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not a baseline of studio check: it is not UTF-8.") from error
    except ValueError as error:
        why = f"{error}. Name another file, or remove it."
        raise Unusable(f"{path} is not a baseline of studio check: {why}") from error


def read_baseline(text: str) -> Baseline:
    """The baseline in `text`. Raises `ValueError`, whose message says why it is none."""
    try:
        data: object = read_json(text)
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from error
    try:
        version = convert(data, _Version).version
        rows = convert(data, _Problems).problems if version == VERSION else ()
    except ValidationError as error:
        raise ValueError(f"{_FORM} ({error})") from error
    if version != VERSION:
        raise ValueError(f"it has version {version}, and this studio reads version {VERSION}")
    counts: Counter[Known] = Counter()
    for row in rows:
        counts[Known(row.file, row.slug, row.digest)] += row.count
    return counts


def written(baseline: Baseline) -> str:
    """The text of `baseline`: sorted, one problem on each line."""
    rows = [
        json.dumps({"file": known.file, "slug": known.slug, "digest": known.digest, "count": count})
        for known, count in sorted(baseline.items())
    ]
    listed = ",\n".join(f"    {row}" for row in rows)
    problems = f"[\n{listed}\n  ]" if rows else "[]"
    return f'{{\n  "version": {VERSION},\n  "problems": {problems}\n}}\n'


# --- One check


_GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
_IN_A_PIECE = 500
"""Diagnostics that are written at a time."""
_MANY = 20
"""Progress is shown on a terminal from this many files on."""


class CheckResult(Record):
    """The result for all files. `messages` and `notes` are lines for stderr, the latter left out by --quiet.

    `skipped` says how many files are not blueprints, or is empty. `unusable`: something could not be done. `only_new`:
    what a baseline knows is left out of `checked`.
    """

    examined: tuple[Examined, ...]
    checked: tuple[CheckedFile, ...]
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str = ""
    unusable: bool = False
    only_new: bool = False


Examine: TypeAlias = Callable[[Sequence[Candidate], CheckOptions], Iterator[Examined]]
"""Examines files, and gives the results in their order."""


def check(options: CheckOptions) -> int:
    """Check the files, print what was found, and return the exit code. Raises `Unusable`."""
    baseline = read_baseline_of(options)
    is_excluded = Exclusions(options.exclude, options.baseline)
    content = b""
    if options.reads_standard_input:
        content = read_standard_input()
        walked = standard_input_walk(content, options.stdin_filename, is_excluded, force=options.force_exclude)
    else:
        walked = walk(options.paths, is_excluded, force=options.force_exclude)
    result = check_files(walked, options, baseline)
    if options.fix and options.reads_standard_input:
        _write_standard_output(content, next((one.fixed for one in result.examined), None))
    print_result(result, options)
    return _exit_code(result, options)


def read_baseline_of(options: CheckOptions) -> BaselineFile | None:
    """The baseline, which may be missing if it is to be written; None without one. Raises `Unusable`."""
    path = options.baseline
    return None if path is None else BaselineFile(path, may_be_missing=options.write_baseline)


def _write_standard_output(read: bytes, fixed: bytes | None) -> None:
    """Write `fixed` to standard output, or else all of standard input, of which `read` is read, as it is."""
    out = sys.stdout.buffer
    out.write(read if fixed is None else fixed)
    if fixed is None and len(read) > FILE_BYTES:
        shutil.copyfileobj(sys.stdin.buffer, out)
    out.flush()


def check_files(
    walked: Walk, options: CheckOptions, baseline: BaselineFile | None, examine: Examine = examined
) -> CheckResult:
    """Check, and fix if requested, all files of `walked`, without the problems that are in `baseline`; with
    --write-baseline, all are written first. Raises `Unusable`.
    """
    found = tuple(_counted(examine(walked.candidates, options), 0 if options.quiet else len(walked.candidates)))
    empty = _folders_without_blueprints(walked, found)
    result = CheckResult(
        examined=found,
        checked=tuple(file for one in found for file in (one.checked, one.cases) if file is not None),
        messages=(*walked.messages, *dict.fromkeys(line for one in found for line in one.messages), *empty),
        skipped="" if empty else _skipped(one.skipped for one in found),
        unusable=bool(empty or walked.missing) or any(one.unusable for one in found),
    )
    if named := walked.named_and_excluded:
        are = count(named, "path that you named is", "paths that you named are")
        result = replace(result, notes=(f"{are} excluded.",))
    return result if baseline is None else _against(baseline, result, options)


def _against(baseline: BaselineFile, result: CheckResult, options: CheckOptions) -> CheckResult:
    notes: list[str] = []
    if options.write_baseline:
        if result.unusable:
            message = f"{options.baseline}: Not written, because not everything could be checked."
            return replace(result, messages=(*result.messages, message))
        number = baseline.write(result.checked)
        notes.append(f"{options.baseline}: {count(number, 'problem')} written.")
    compared = baseline.compare(result.checked)
    if compared.known and not options.write_baseline:
        are = count(compared.known, "problem is", "problems are")
        notes.append(f"{are} in {options.baseline} and not shown.")
    notes += _gone(compared.gone, options)
    return replace(result, checked=compared.files, notes=(*result.notes, *notes), only_new=True)


def _gone(gone: Baseline, options: CheckOptions) -> Iterator[str]:
    """A line for each file and rule of the baseline with problems that no longer occur, and what to do."""
    counts: Counter[tuple[str, str]] = Counter()
    for known, number in gone.items():
        counts[known.file, known.slug] += number
    for (file, slug), number in counts.items():
        times = "" if number == 1 else f" ({number} times)"
        yield f"{options.baseline}: {file}: {slug} no longer occurs{times}."
    if counts:
        yield f"{options.baseline}: --write-baseline removes what no longer occurs."


def _exit_code(result: CheckResult, options: CheckOptions) -> int:
    """0, 1 for problems at or above the level of --fail-on, or 2 if something could not be done."""
    if result.unusable:
        return 2
    if options.exit_zero:
        return 0
    worst = options.fail_on.rank
    return int(any(diagnostic.severity.rank <= worst for each in result.checked for diagnostic in each.diagnostics))


def _folders_without_blueprints(walked: Walk, found: Sequence[Examined]) -> list[str]:
    """A message for each folder in which nothing could be checked."""
    by_file = {one.path.resolve(): done for one, done in zip(walked.candidates, found, strict=True)}
    lines: list[str] = []
    for folder, files in walked.folders.items():
        there = [by_file[file] for file in files]
        if not any(one.checked is not None or one.unusable for one in there):
            others = _skipped(one.skipped for one in there)
            excluded = "Files or folders in it are excluded." if folder in walked.left_out else ""
            lines.append(" ".join(filter(None, (f"{folder}: There is no blueprint in this folder.", others, excluded))))
    return lines


def _skipped(suffixes: Iterable[str | None]) -> str:
    """How many files are not blueprints, in a sentence; "" if all are."""
    kinds = Counter("JSON" if suffix == ".json" else "YAML" for suffix in suffixes if suffix is not None)
    counted = [count(number, f"{kind} file") for kind, number in sorted(kinds.items(), reverse=True)]
    is_one = kinds.total() == 1
    return f"{' and '.join(counted)} {'is not a blueprint' if is_one else 'are not blueprints'}." if counted else ""


def _counted(done: Iterable[Examined], total: int) -> Iterator[Examined]:
    if total < _MANY or not sys.stderr.isatty():
        yield from done
        return
    for number, one in enumerate(done, 1):
        click.echo(f"\r{number}/{total} files", nl=False, err=True)
        yield one
    click.echo("\r\x1b[K", nl=False, err=True)


# --- Output


def print_result(result: CheckResult, options: CheckOptions) -> None:
    """Print the problems, or with --diff the changes, to stdout, and everything else to stderr.

    In the form of a text, the summary and the counts follow the problems on stdout. If the fixed text of standard
    input goes to stdout, all of the report goes to stderr.
    """
    for line in result.messages:
        tell(line)
    if not options.quiet:
        for line in (line for one in result.examined for line in (*map(visible, one.notes), *one.changes)):
            click.echo(line, err=True)
        for line in result.notes:
            tell(line)
    apart = options.fix and options.reads_standard_input
    summary = Summary(incomplete=result.unusable, only_new=result.only_new, was_fixed=options.fix)
    stream = sys.stderr if apart else sys.stdout
    shown = pieces(options.layout, result.checked, stream, summary=None if options.quiet else summary)
    if options.only_diff:
        shown = (f"{painted_diff(line)}\n" for one in result.examined for line in one.diff)
    for piece in shown:
        click.echo(piece, nl=False, err=apart)
    beside = apart or options.only_diff or options.layout is not Layout.TEXT
    if options.statistics:
        lines = as_table(result.checked, sys.stderr if beside else sys.stdout)
        for line in ("", *lines) if lines and not beside else lines:
            click.echo(line, err=beside)
    if result.skipped and not options.quiet:
        click.echo(result.skipped, err=beside)


# --- Its forms: text, JSON, annotations of a GitHub workflow, and a SARIF 2.1.0 log


def pieces(
    layout: Layout, files: Sequence[CheckedFile], stream: TextIO | None = None, *, summary: Summary | None = WHOLE
) -> Iterator[str]:
    """All diagnostics in the form of `layout`, with a newline at the end.

    They come in pieces, as those of a large file take a hundred megabytes as JSON values. The text is laid out for
    `stream`, standard output unless given, and ends with a `summary` or none.
    """
    match layout:
        case Layout.TEXT:
            yield as_text(files, stream, summary=summary)
        case Layout.JSON:
            yield from _listed(_object(*each) for each in _found(files))
        case Layout.GITHUB:
            yield from (f"{_github_command(*each)}\n" for each in _found(files))
        case Layout.SARIF:
            yield json.dumps(as_sarif(files), ensure_ascii=True, indent=2) + "\n"


def _found(files: Sequence[CheckedFile]) -> Iterator[tuple[CheckedFile, Diagnostic]]:
    return ((file, diagnostic) for file in files for diagnostic in file.diagnostics)


def _listed(items: Iterable[Data]) -> Iterator[str]:
    """A JSON list of `items`, some hundred in a piece, as `json.dumps` writes it with an indentation of 2."""
    written = (json.dumps(item, ensure_ascii=True, indent=2).replace("\n", "\n  ") for item in items)
    before = "[\n  "
    while some := list(islice(written, _IN_A_PIECE)):
        yield before + ",\n  ".join(some)
        before = ",\n  "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def _object(file: CheckedFile, diagnostic: Diagnostic) -> Data:
    related: list[Data] = [
        {**asdict(file.place(related.span)), "message": related.message} for related in diagnostic.related
    ]
    return {
        "file": str(file.name),
        "code": diagnostic.code,
        "slug": diagnostic.slug,
        "severity": diagnostic.severity.value,
        "flagged": diagnostic.flagged,
        **asdict(file.place(diagnostic.span)),
        "message": diagnostic.message,
        "why": diagnostic.why,
        "related": related,
        "fixes": [_fix(file, fix) for fix in sorted(diagnostic.fixes, key=lambda fix: not fix.safe)],
    }


def _fix(file: CheckedFile, fix: Fix) -> Data:
    edits: list[Data] = [{**asdict(file.place(edit.span)), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


# One workflow command for each diagnostic, which GitHub shows beside the line. It takes no columns of several lines.


def _github_command(file: CheckedFile, diagnostic: Diagnostic) -> str:
    place = file.place(diagnostic.span)
    last = place.end_line - (place.end_column == 1 and place.end_line > place.line)
    properties = {"file": below_here(file.name).as_posix(), "line": str(place.line)}
    if last == place.line == place.end_line:
        properties |= {"col": str(place.column), "endLine": str(last), "endColumn": str(place.end_column)}
    else:
        properties["endLine"] = str(last)
    properties["title"] = f"{diagnostic.slug} ({diagnostic.code})"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_GITHUB_LEVELS[diagnostic.severity]} {listed}::{_data(sentences(diagnostic))}"


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(files: Sequence[CheckedFile]) -> Data:
    """A log in SARIF 2.1.0, with the safe fixes and the page of each rule that it reports."""
    from importlib.metadata import version

    from engine.rules import ALL
    from engine.rules.rule import reference_page

    reported = {each.code for file in files for each in file.diagnostics}
    rules = {
        rule.code: _rule(rule, rule.slug, rule.why, reference_page(rule), is_on=not rule.off)
        for rule in ALL
        if rule.code in reported
    }
    rules |= {kind.code: _rule(kind, kind.value, kind.summary) for kind in CaseProblemKind if kind.code in reported}
    indexes = {code: index for index, code in enumerate(rules)}
    driver: Data = {"name": "Blueprint Studio", "version": version("blueprint-studio"), "rules": list(rules.values())}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(*each, indexes) for each in _found(files)],
            }
        ],
    }


def _rule(rule: Rule | CaseProblemKind, name: str, why: str, page: str = "", *, is_on: bool = True) -> Data:
    """A rule, or a kind of problem of case files, in the list of rules."""
    pages: dict[str, Data] = {"help": {"text": page, "markdown": page}} if page else {}
    return {
        "id": rule.code,
        "name": name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": why},
        **pages,
        "defaultConfiguration": {"enabled": is_on, "level": _SARIF_LEVELS[rule.severity]},
    }


def _result(file: CheckedFile, diagnostic: Diagnostic, indexes: dict[str, int]) -> Data:
    result: dict[str, Data] = {
        "ruleId": diagnostic.code,
        "level": _SARIF_LEVELS[diagnostic.severity],
        "message": {"text": sentences(diagnostic)},
        "locations": [{"physicalLocation": _location(file, diagnostic.span)}],
        "properties": {"flagged": diagnostic.flagged},
    }
    if diagnostic.code in indexes:
        result["ruleIndex"] = indexes[diagnostic.code]
    if diagnostic.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(file, related.span), "message": {"text": related.message}}
            for related in diagnostic.related
        ]
    fixes: list[Data] = [
        {
            "description": {"text": fix.title},
            "artifactChanges": [
                {
                    "artifactLocation": _artifact(file),
                    "replacements": [
                        {"deletedRegion": _region(file, edit.span), "insertedContent": {"text": edit.text}}
                        for edit in fix.edits
                    ],
                }
            ],
        }
        for fix in diagnostic.fixes
        if fix.safe
    ]
    if fixes:
        result["fixes"] = fixes
    return result


def _location(file: CheckedFile, span: Span) -> Data:
    return {"artifactLocation": _artifact(file), "region": _region(file, span)}


def _artifact(file: CheckedFile) -> Data:
    from urllib.parse import quote

    name = below_here(file.name)
    return {"uri": name.as_uri() if name.is_absolute() else quote(name.as_posix(), errors="surrogateescape")}


def _region(file: CheckedFile, span: Span) -> Data:
    return dict(zip(("startLine", "startColumn", "endLine", "endColumn"), astuple(file.place(span)), strict=True))
