"""One check of all files of a command: what was found, its output, and the exit code that it comes to."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import click

from engine.functions.function_text import count
from engine.text.record import Record, replace
from engine.text.spans import visible
from engine.text.text_limits import FILE_BYTES
from studio.cli.check_baseline import Baseline, BaselineFile
from studio.cli.check_files import CheckedFile, Examined
from studio.cli.check_formats import pieces
from studio.cli.check_options import CheckOptions, Layout
from studio.cli.check_pool import examined
from studio.cli.check_text import Summary, as_table, painted_diff
from studio.cli.check_walk import Candidate, Exclusions, Walk, standard_input_walk, walk
from studio.cli.frame import tell
from studio.cli.inputs import read_standard_input

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
        are = "1 path that you named is" if named == 1 else f"{named} paths that you named are"
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
        are = "1 problem is" if compared.known == 1 else f"{compared.known} problems are"
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
