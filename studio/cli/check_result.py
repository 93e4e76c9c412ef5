"""One check of all files of a command: what was found, and the exit code that it comes to. Prints progress only."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import click

from engine.text.record import Record, replace
from studio.cli.baseline import Baseline
from studio.cli.baseline_file import BaselineFile
from studio.cli.check_file import Examined, Request
from studio.cli.check_options import CheckOptions
from studio.cli.check_pool import examined
from studio.cli.checked_file import CheckedFile
from studio.cli.file_walk import Candidate, NoSuchPath, Walk

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


Examine: TypeAlias = Callable[[Sequence[Candidate], Request], Iterator[Examined]]
"""Examines files, and gives the results in their order."""


def check_against(
    baseline: BaselineFile | None, walked: Walk, options: CheckOptions, examine: Examine = examined
) -> CheckResult:
    """As `check_files`, without the problems that are in `baseline`; with --write-baseline, all are written first.

    Raises `Unusable`.
    """
    result = check_files(walked, options, examine)
    if baseline is None:
        return result
    notes: list[str] = []
    if options.write_baseline:
        if result.unusable:
            message = f"{options.baseline}: Not written, because not everything could be checked."
            return replace(result, messages=(*result.messages, message))
        count = baseline.write(result.checked)
        notes.append(f"{options.baseline}: {'1 problem' if count == 1 else f'{count} problems'} written.")
    compared = baseline.compare(result.checked)
    if compared.known and not options.write_baseline:
        are = "1 problem is" if compared.known == 1 else f"{compared.known} problems are"
        notes.append(f"{are} in {options.baseline} and not shown.")
    notes += _gone(compared.gone, options)
    return replace(result, checked=compared.files, notes=(*result.notes, *notes), only_new=True)


def _gone(gone: Baseline, options: CheckOptions) -> Iterator[str]:
    """A line for each file and rule of the baseline with problems that no longer occur, and what to do."""
    counts: Counter[tuple[str, str]] = Counter()
    for known, count in gone.items():
        counts[known.file, known.slug] += count
    for (file, slug), count in counts.items():
        times = "" if count == 1 else f" ({count} times)"
        yield f"{options.baseline}: {file}: {slug} no longer occurs{times}."
    if counts:
        yield f"{options.baseline}: --write-baseline removes what no longer occurs."


def check_files(walked: Walk, options: CheckOptions, examine: Examine = examined) -> CheckResult:
    """Check, and fix if requested, all files of `walked`."""
    found = tuple(_with_progress(walked.found, options, examine))
    empty = _folders_without_blueprints(walked, found)
    return CheckResult(
        examined=found,
        checked=tuple(file for one in found for file in (one.checked, one.cases) if file is not None),
        messages=(*dict.fromkeys(line for one in found for line in one.messages), *empty),
        notes=_named_and_excluded(walked.named_and_excluded),
        skipped="" if empty else _skipped(one.skipped for one in found),
        unusable=bool(empty) or any(one.unusable for one in found),
    )


def exit_code(result: CheckResult, options: CheckOptions) -> int:
    """0, 1 for problems at or above the level of --fail-on, or 2 if something could not be done."""
    if result.unusable:
        return 2
    if options.exit_zero:
        return 0
    worst = options.fail_on.rank
    return int(any(diagnostic.severity.rank <= worst for each in result.checked for diagnostic in each.diagnostics))


def _named_and_excluded(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return ("1 path that you named is excluded." if count == 1 else f"{count} paths that you named are excluded.",)


def _folders_without_blueprints(walked: Walk, found: Sequence[Examined]) -> list[str]:
    """A message for each folder in which nothing could be checked."""
    of_files = [one for one, place in zip(found, walked.found, strict=True) if isinstance(place, Candidate)]
    by_file = {one.path.resolve(): done for one, done in zip(walked.candidates, of_files, strict=True)}
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
    counted = [f"{count} {kind} file{'' if count == 1 else 's'}" for kind, count in sorted(kinds.items(), reverse=True)]
    is_one = kinds.total() == 1
    return f"{' and '.join(counted)} {'is not a blueprint' if is_one else 'are not blueprints'}." if counted else ""


def _with_progress(
    found: Sequence[Candidate | NoSuchPath], options: CheckOptions, examine: Examine
) -> Iterator[Examined]:
    """Each of `found` as it is examined. Progress is shown only on a terminal."""
    request = Request(
        options.select,
        options.ignore,
        options.for_weval,
        options.fix,
        options.only_diff,
        options.collections,
        for_baseline=options.baseline is not None,
    )
    files = [one for one in found if isinstance(one, Candidate)]
    done = iter(_counted(examine(files, request), 0 if options.quiet else len(files)))
    for one in found:
        if isinstance(one, NoSuchPath):
            yield Examined(messages=(one.message,), unusable=True)
        else:
            yield next(done)
    yield from done


def _counted(done: Iterable[Examined], total: int) -> Iterator[Examined]:
    if total < _MANY or not sys.stderr.isatty():
        yield from done
        return
    for number, one in enumerate(done, 1):
        click.echo(f"\r{number}/{total} files", nl=False, err=True)
        yield one
    click.echo("\r\x1b[K", nl=False, err=True)
