"""`studio grading`: how far judges agree with people who graded blind, and the grading sheet for a colleague."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.record import replace
from engine.text.spans import visible
from studio.cli.frame import FILE, Output, Unusable, finish, flag, option, takes, tell

if TYPE_CHECKING:
    from engine.store import Store
    from engine.study.judged_pairs import JudgedPair
    from studio.session.blind_grading import JudgedSample

_LONGEST_NAME = 80
_NO_PAIRS = (
    "There are no verdicts to compare with: run prompts of {file} with judges first, as in "
    "`studio run {file} --model M --judge configured`."
)


@dataclass(frozen=True, slots=True)
class _Grading:
    """Which pairs are graded, and by which sheet."""

    sheet: Path | None = option(
        "--sheet", type=FILE, metavar="OUT", help="Write a grading sheet (CSV) for a colleague, blinded."
    )
    returned: Path | None = option(
        "--read", type=FILE, metavar="SHEET", help="Read the grades in a sheet that came back."
    )
    by: str | None = option("--by", metavar="NAME", help="Who graded the sheet.")
    size: int | None = option(
        "--size", type=click.IntRange(min=1), help="Draw a new sample of so many pairs (40 unless given)."
    )
    seed: int | None = option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw a new sample with this seed.")
    reveal: bool = flag("--reveal", help="Show verdicts on pairs too that you have yet to grade yourself.")


_ALONE = "--read takes grades back, and cannot be combined with --sheet, --size or --seed."


@click.command("grading", short_help="Compare judges with people, and write a grading sheet.")
@click.argument("file", type=FILE)
@takes(_Grading, Output, without=[("returned", each, _ALONE) for each in ("sheet", "size", "seed")])
def command(asked: _Grading, output: Output, file: Path) -> None:
    """Show how far the judges of FILE agree with people who graded without seeing the verdicts.

    The pairs of an answer and a criterion are drawn at random from all that judges have judged on this machine. You
    grade them in the studio (b in the result). A colleague grades them in a grading sheet, which any spreadsheet
    program opens: --sheet writes it, --read takes the grades back under the name of --by. Nothing is sent.

    Exit code: 0 when done; 1 when a row of the sheet could not be used; 2 for a usage or input error, or if nothing is
    judged.
    """
    if asked.returned is not None and (not asked.by or not asked.by.strip()):
        raise click.UsageError("--read needs --by NAME: the grades are saved under the name of who gave them.")
    if asked.returned is None and asked.by is not None:
        raise click.UsageError("--by goes with --read.")
    from engine.store import StoreUnavailable
    from studio.cli.grading_report import as_json, as_text, shown_disagreements
    from studio.cli.shown_results import mark_pairs_shown
    from studio.session.resources import Resources

    resources = Resources()
    try:
        store = resources.store()
        found = _sampled(store, file, asked.size, asked.seed, draws=asked.sheet is not None)
        shown = [] if asked.sheet is None else _write_sheet(asked.sheet, file, found)
        problems = False
        if asked.returned is not None and asked.by is not None:
            found, problems = _read_back(store, found, asked.returned, _name(asked.by))
        shown += [each.pair for each in shown_disagreements(found, reveal=asked.reveal)]
        mark_pairs_shown(resources.store, found.key, shown)
    except StoreUnavailable as error:
        raise Unusable(str(error)) from error
    finally:
        resources.close()
    make = as_json if output.is_json else as_text
    report = make(found, file, reveal=asked.reveal)
    finish(report if output.is_json else visible(report), code=int(problems))


def _name(by: str) -> str:
    from engine.store import HUMAN

    name = " ".join(by.split())
    if name.casefold() == HUMAN:
        raise click.UsageError(f"{HUMAN!r} is the name of your own grades: give the colleague's name.")
    if len(name) > _LONGEST_NAME:
        raise click.UsageError(f"--by takes a name of up to {_LONGEST_NAME} characters.")
    return name


def _sampled(store: Store, file: Path, size: int | None, seed: int | None, *, draws: bool) -> JudgedSample:
    """The judged pairs of `file` with their sample, which is drawn if that is wanted or needed. Raises `Unusable`."""
    from engine.study.judged_pairs import SAMPLE_SIZE
    from studio.cli.named_blueprint import read_blueprint
    from studio.session.blind_grading import draw_sample, load_sample

    found = load_sample(store, read_blueprint(file).parsed.blueprint, file)
    if not found.judged and found.sample is None:
        raise Unusable(_NO_PAIRS.format(file=file))
    if size is not None or seed is not None or (draws and found.sample is None):
        return draw_sample(store, found, seed=seed, size=size or SAMPLE_SIZE)
    return found


def _write_sheet(sheet: Path, file: Path, found: JudgedSample) -> list[JudgedPair]:
    """Write the sheet; the pairs whose answers are in it. Raises `Unusable`."""
    from engine.files.open_files import write_author_file
    from engine.study.file_places import place_warning
    from engine.study.judged_pairs import grading_sheet

    if sheet.exists():
        raise Unusable(f"{sheet} exists, and may hold grades: choose another name.")
    pairs = [found.judged[pair] for pair in found.pairs if pair in found.judged]
    if not pairs:
        raise Unusable("No pair of the sample is judged as it was: draw a new sample with --size.")
    warning = place_warning(sheet, file)
    if warning is not None:
        tell(warning)
    try:  # the mark at the beginning tells spreadsheet programs that this is UTF-8
        write_author_file(sheet, grading_sheet(pairs).encode("utf-8-sig"))
    except OSError as error:
        raise Unusable(f"{sheet} cannot be written: {error.strerror}.") from error
    message = (
        f"{sheet}: {_count(len(pairs), 'row')} with conversations, answers and criteria, without verdicts, grades and "
        f"names of models. Read it back with: studio grading {file} --read {sheet} --by NAME"
    )
    tell(message)
    return pairs


def _read_back(store: Store, found: JudgedSample, sheet: Path, name: str) -> tuple[JudgedSample, bool]:
    """What is known after reading the sheet of the person `name`, and whether a row could not be used."""
    from engine.files.atomic import read_regular
    from engine.study.judged_pairs import UnreadableSheet, read_sheet
    from engine.text.text_limits import FILE_BYTES
    from studio.session.blind_grading import save_grades

    try:
        returned = read_sheet(read_regular(sheet, FILE_BYTES), store.sampled_pairs(found.key))
    except OSError as error:
        raise Unusable(f"{sheet} cannot be read: {error.strerror}.") from error
    except UnreadableSheet as error:
        raise Unusable(f"{sheet}: {error}") from error
    for problem in returned.problems:
        tell(f"{sheet}: row {problem.row}: {problem.message}.")
    earlier = found.of(name)
    kept = {pair for pair, each in earlier.items() if each.grade is not None}
    news = {pair: each for pair, each in returned.grades.items() if each.grade is not None or pair not in kept}
    save_grades(store, found.key, name, news)
    graded = sum(each.grade is not None for each in news.values())
    grades, empty = _count(graded, "grade"), _count(len(news) - graded, "row")
    tell(f"Read {grades} by {name}, and {empty} without a grade.")
    return replace(found, grades=store.blind_grades(found.key)), bool(returned.problems)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
