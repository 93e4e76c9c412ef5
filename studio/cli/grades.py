"""`studio grading`: how far judges agree with people who graded blind, and the grading sheet for a colleague."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import click

from engine.blueprint.conversation import subject_text
from engine.evaluation.result_json import dumps
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.explanation import points_text
from engine.store import HUMAN, PromptPlace, Store, StoreUnavailable
from engine.study import judged_pairs
from engine.study.file_places import place_warning
from engine.study.judged_pairs import Disagreement, JudgedPair, JudgedSample
from engine.text.record import replace
from engine.text.spans import count
from engine.text.text_limits import FILE_BYTES
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, finish, tell, write
from studio.cli.inputs import read_blueprint, read_named, report_unrecorded, stored
from studio.cli.options import Grading
from studio.cli.output import as_text, picked

_LONGEST_NAME = 80
_NO_PAIRS = (
    "There are no verdicts to compare with: run prompts of {file} with judges first, as in "
    "`studio run {file} --model M --judge configured`."
)
_NOTHING_GRADED = "Nobody has graded yet: grade in the studio (h in all answers), or write a sheet with --sheet."


def graded(file: Path, asked: Grading) -> NoReturn:
    """Print how far judges and people agree on `file`; the exit code is 1 if a row of a sheet could not be used.

    A sheet is written for a colleague, or one that came back is read. Raises `Unusable`.
    """
    with stored(report_unrecorded) as (resources, cache):
        try:
            store = resources.store()
            found = _sampled(store, file, asked.size, asked.seed, draws=asked.sheet is not None)
            shown = [] if asked.sheet is None else _write_sheet(asked.sheet, file, found)
            has_problems, reveal = False, asked.reveal
            if asked.returned is not None and asked.by is not None:
                found, has_problems = _read_back(store, found, asked.returned, _name(asked.by))
            if found.sample is not None:
                shown += [each.pair for person in found.grades for each in _shown(found, person, reveal=reveal)]
            cache.mark_shown((PromptPlace(found.key, each.id.prompt), subject_text(each.thread)) for each in shown)
        except StoreUnavailable as error:
            raise Unusable(str(error)) from error
    text = _json(found, file, reveal=reveal) if asked.is_json else as_text(_blocks(found, file, reveal=reveal))
    finish(text, code=int(has_problems))


def _name(by: str) -> str:
    name = " ".join(by.split())
    if name.casefold() == HUMAN:
        raise click.UsageError(f"{HUMAN!r} is the name of your own grades: give the colleague's name.")
    if len(name) > _LONGEST_NAME:
        raise click.UsageError(f"--by takes a name of up to {_LONGEST_NAME} characters.")
    return name


def _sampled(store: Store, file: Path, size: int | None, seed: int | None, *, draws: bool) -> JudgedSample:
    """The judged pairs of `file` with their sample, which is drawn if that is wanted or needed. Raises `Unusable`."""
    found = judged_pairs.load_sample(store, read_blueprint(file).parsed.blueprint, file)
    if not found.judged and found.sample is None:
        raise Unusable(_NO_PAIRS.format(file=file))
    if size is not None or seed is not None or (draws and found.sample is None):
        return judged_pairs.draw_sample(store, found, seed=seed, size=size or judged_pairs.SAMPLE_SIZE)
    return found


def _write_sheet(sheet: Path, file: Path, found: JudgedSample) -> list[JudgedPair]:
    """Write the sheet; the pairs whose answers are in it. Raises `Unusable`."""
    if sheet.exists():
        raise Unusable(f"{sheet} exists, and may hold grades: choose another name.")
    pairs = [found.judged[pair] for pair in found.pairs if pair in found.judged]
    if not pairs:
        raise Unusable("No pair of the sample is judged as it was: draw a new sample with --size.")
    if (warning := place_warning(sheet, file)) is not None:
        tell(warning)
    # The mark of this encoding tells spreadsheet programs that this is UTF-8.
    write(sheet, judged_pairs.grading_sheet(pairs), "utf-8-sig")
    tell(
        f"{sheet}: {count(len(pairs), 'row')} with conversations, answers and criteria, without verdicts, grades and "
        f"names of models. Read it back with: studio grading {file} --read {sheet} --by NAME"
    )
    return pairs


def _read_back(store: Store, found: JudgedSample, sheet: Path, name: str) -> tuple[JudgedSample, bool]:
    """What is known after reading the sheet of the person `name`, and whether a row could not be used."""
    try:
        returned = judged_pairs.read_sheet(read_named(sheet, FILE_BYTES), store.sampled_pairs(found.key))
    except judged_pairs.UnreadableSheet as error:
        raise Unusable(f"{sheet}: {error}") from error
    for problem in returned.problems:
        tell(f"{sheet}: {problem}.")
    earlier = found.of(name)
    kept = {pair for pair, each in earlier.items() if each.grade is not None}
    news = {pair: each for pair, each in returned.grades.items() if each.grade is not None or pair not in kept}
    judged_pairs.save_grades(store, found.key, name, news)
    graded = sum(each.grade is not None for each in news.values())
    grades, empty = count(graded, "grade"), count(len(news) - graded, "row")
    tell(f"Read {grades} by {name}, and {empty} without a grade.")
    return replace(found, grades=store.blind_grades(found.key)), bool(returned.problems)


def _shown(found: JudgedSample, person: str, *, reveal: bool) -> tuple[Disagreement, ...]:
    """The disagreements whose verdicts are shown; those that `reveal` a verdict only with it."""
    return tuple(found.rate(person).disagreements) if reveal else found.revealed(person)


# --- Text


def _blocks(found: JudgedSample, file: Path, *, reveal: bool) -> Iterator[Block]:
    """The sample, and the rate and the disagreements of each person."""
    sample = found.sample
    if sample is None:
        yield Line(f"{file}: {count(len(found.judged), 'judged pair')}, no sample yet")
    else:
        drawn = f"{len(sample.pairs)} of {count(sample.judged, 'judged pair')}"
        yield Line(f"{file}: a sample of {drawn}, seed {sample.seed}")
    if sample is None or not found.grades:
        yield Section((Line(_NOTHING_GRADED),))
        return
    for person in found.grades:
        rate, shown = found.rate(person), _shown(found, person, reveal=reveal)
        lines = [*judged_pairs.rate_lines(rate, who="" if person == HUMAN else person)]
        lines += (f"  {line}" for each in shown for line in _disagreement(each))
        if hidden := len(rate.disagreements) - len(shown):
            pairs = "a pair that you have" if hidden == 1 else f"{hidden} pairs that you have"
            lines.append(f"  The verdicts on {pairs} not graded are hidden; --reveal shows them.")
        yield Section((Heading(1, "you" if person == HUMAN else person), Notes(tuple(lines))))


def _disagreement(each: Disagreement) -> Iterator[str]:
    grade = "" if each.given.grade is None else each.given.grade.label
    negated = "not: " if each.pair.inverted else ""
    criterion = " ".join(each.pair.criterion.text.split())
    yield f"{each.kind}: {each.pair.id.prompt}: {negated}{criterion}"
    note = f". {' '.join(each.given.note.split())}" if each.given.note else ""
    yield f"  graded {grade}, judged {points_text(each.pair.extent)}{note}"


# --- JSON: docs/machine-readable.md, "studio grading"


def _json(found: JudgedSample, file: Path, *, reveal: bool) -> str:
    sample: Data = None
    if found.sample is not None:
        pairs = {"size": len(found.sample.pairs), **picked(found.sample, "drawnFrom=judged", "seed")}
        sample = {**pairs, "created": found.sample.created.isoformat()}
    return dumps(
        {
            "version": 1,
            "file": str(file),
            "judgedPairs": len(found.judged),
            "sample": sample,
            "graders": [_grader(person, found, reveal=reveal) for person in found.grades if sample is not None],
        }
    )


def _grader(person: str, found: JudgedSample, *, reveal: bool) -> Data:
    rate = found.rate(person)
    return {
        "name": person,
        **picked(rate, "graded", "skipped", "waiting", "gone", "answers", "agree", "always_met"),
        "interval": None,
        **picked(rate, "false_passes", "false_failures"),
        "disagreements": [_disagreement_json(each) for each in _shown(found, person, reveal=reveal)],
    }


def _disagreement_json(each: Disagreement) -> Data:
    criterion = ("pair.id.prompt", "pair.criterion.block", "criterion=pair.criterion.text")
    parts = picked(each, *criterion, "answer=pair.source", "pair.extent", "given.grade", "given.note")
    return {"kind": each.kind.replace(" ", "-"), **parts}
