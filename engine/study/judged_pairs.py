"""Blind grading: judged pairs, their sample, the queue, and how often judges and a person agree.

A judged pair is an answer and a criterion on which judges gave a verdict that is about the present text. Judges and
person agree where both pass the answer on the point, or both fail it: where both extents are on the same side of 0.5.
The order of the sample is that of a digest of the seed and the pair: the same seed draws the same sample on every
machine and in every version, whatever the order in which the pairs are found, and nobody chose it by the verdicts.

The grading sheet: a sample as a CSV file for a colleague, and the grades in the file that comes back.

The sheet is blinded: it has neither verdicts nor grades nor the names of models. Its rows are recognised by their keys
when it comes back, in any order, and as any spreadsheet program saves it. A program that opens the file evaluates cells
that begin with `=`, `+`, `-` or `@`, some also after white space or in the wide forms of these signs (OWASP, "CSV
Injection"). Such a cell gets an apostrophe in front. Reading takes it off again, so every text comes back as it was.
"""

from __future__ import annotations

import csv
import io
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from engine.blueprint import Blueprint, Prompt, Role
from engine.blueprint.conversation import ThreadTurn
from engine.judging.judge_prompt import questions
from engine.judging.judgement import Consensus, changed_since
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.sums import place
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, StoredSample, blueprint_key, colleague
from engine.store.run_records import JudgedAnswer, PairId
from engine.study.case import is_failed, judges_differ
from engine.text.record import Record, data_digest, field, replace, text_digest
from engine.text.spans import count, visible

_KEY_DIGITS = 12


class JudgedPair(Record):
    """An answer, a criterion, and the judges' verdicts on them, none of which is carried over.

    `source` is where the answer came from, in words. `extent` is the consensus before inversion, 0–1, and `extents` are
    those of the judges; `inverted` is whether meeting the criterion is a fault.
    """

    id: PairId
    thread: tuple[ThreadTurn, ...]
    source: str
    inverted: bool
    extent: float
    extents: tuple[float, ...]

    @property
    def criterion(self) -> Criterion:
        """The criterion."""
        return self.id.criterion

    @property
    def is_passed(self) -> bool:
        """Whether the judges pass the answer on this point: from 0.5 on, after inversion."""
        return is_passed(self.extent, inverted=self.inverted)

    def passed_by(self, grade: Grade) -> bool:
        """Whether a person's grade passes the answer on this point."""
        return is_passed(grade.extent, inverted=self.inverted)


def is_passed(extent: float, *, inverted: bool) -> bool:
    """Whether an extent (0–1, before inversion) passes a point: 0.5 or more of 1 after inversion."""
    return not is_failed(1 - extent if inverted else extent)


def pair_key(pair: PairId) -> str:
    """The key of a pair in a grading sheet. It begins with a letter, so that no spreadsheet takes it for a number."""
    parts = [pair.prompt, pair.subject, pair.criterion.block.value, pair.criterion.text]
    return "k" + data_digest(parts)[:_KEY_DIGITS]


def judged_pairs(
    blueprint: Blueprint, path: Path | None, answers: Mapping[str, Iterable[JudgedAnswer]]
) -> tuple[JudgedPair, ...]:
    """All judged pairs of a blueprint. `answers` are the stored ones, by `PromptPlace.prompt`.

    Each criterion counts once for an answer. Verdicts that are carried over are left out, as are those on criteria that
    the prompt no longer has.
    """
    description = blueprint.header.description
    found: dict[PairId, JudgedPair] = {}
    for prompt in blueprint.prompts:
        key = PromptPlace.of(path, prompt).prompt
        for answer in answers.get(key, ()):
            for pair in _pairs(prompt, key, description, answer):
                found.setdefault(pair.id, pair)
    return tuple(found.values())


def _pairs(prompt: Prompt, key: str, description: str | None, answer: JudgedAnswer) -> Iterator[JudgedPair]:
    if _user_turns(answer) != [each.content for each in prompt.messages if each.role is Role.USER and each.content]:
        return  # an answer to another question
    asked = questions(prompt, answer.thread, description)
    for index, placed in enumerate(place(prompt)):
        text = placed.point.text
        judgements = None if text is None else answer.judgements.get(text)
        if text is None or not judgements:
            continue
        consensus = Consensus(judgements)
        if consensus.extent is None or changed_since(consensus, asked[index]):
            continue
        pair = PairId(key, answer.subject_digest, Criterion(placed.rubric.block, text))
        extents = tuple(verdict.extent for _, verdict in consensus.verdicts)
        yield JudgedPair(pair, answer.thread, answer.source, placed.inverted, consensus.extent, extents)


def _user_turns(answer: JudgedAnswer) -> list[str]:
    return [turn.content for turn in answer.thread if turn.role is Role.USER and not turn.generated and turn.content]


# --- The sample


SAMPLE_SIZE = 40
"""The usual number of pairs."""
LARGEST_SEED = 2**32 - 1


def new_seed() -> int:
    """A seed that nobody chose, 0–`LARGEST_SEED`."""
    return secrets.randbelow(LARGEST_SEED + 1)


def sample(pairs: Iterable[JudgedPair], seed: int, size: int = SAMPLE_SIZE) -> tuple[JudgedPair, ...]:
    """At most `size` of `pairs`, each as likely as any other, in random order; the same ones for the same seed."""
    return tuple(sorted(pairs, key=lambda pair: text_digest(f"{seed} {pair_key(pair.id)}"))[:size])


# --- The queue


_BORDER = 0.25
"""A consensus nearer to 0.5 than this is borderline: between two classes of the five-class scale, or on the middle."""
_ROUNDING = 1e-9


def grading_queue(
    sample: Sequence[PairId], judged: Mapping[PairId, JudgedPair], decided: Collection[PairId]
) -> tuple[JudgedPair, ...]:
    """The pairs to grade: the rest of the sample, then those where judges differ, then the borderline ones.

    `judged` are today's pairs by their id; `decided` are those that the person has graded or skipped. Only those of the
    sample count in the rate.
    """
    chosen = frozenset(sample)
    others = [(fault, pair) for pair in judged.values() if pair.id not in chosen and (fault := _fault(pair))]
    others.sort(key=lambda each: each[0])
    queue = [*(judged[pair] for pair in sample if pair in judged), *(pair for _, pair in others)]
    return tuple(each for each in queue if each.id not in decided)


def _fault(pair: JudgedPair) -> tuple[int, float] | None:
    """The rank of a pair among those in which a fault is likely, the least first; None if none is likely.

    Judges are on both sides of 0.5, then farthest from each other first; or near to it, then the nearest first.
    """
    extents = [1 - extent if pair.inverted else extent for extent in pair.extents]
    if judges_differ(extents):
        return 0, min(extents) - max(extents)
    distance = abs(pair.extent - 0.5)
    return (1, distance) if distance < _BORDER - _ROUNDING else None


# --- The rate of agreement


class Disagreement(Record):
    """A pair that the judges pass and the person fails (`is_false_pass`), or the other way round."""

    pair: JudgedPair
    given: BlindGrade

    @property
    def is_false_pass(self) -> bool:
        """Whether the judges pass it."""
        return self.pair.is_passed

    @property
    def kind(self) -> str:
        """`false pass` or `false failure`."""
        return "false pass" if self.is_false_pass else "false failure"


class GradingRate(Record):
    """How far one person's blind grades of a sample agree with its judges.

    `size` is the number of pairs in the sample, `gone` how many of them are no longer judged pairs: their criterion,
    answer or verdict has changed. `graded` and `skipped` are counted up to the first pair that is neither, `answers`
    are the answers among the graded pairs. `agree` of the graded pairs agree; a judge that calls every point met
    (`should_not`: avoided) would agree on `always_met`.
    """

    size: int
    gone: int
    graded: int
    skipped: int
    answers: int
    agree: int
    always_met: int
    disagreements: tuple[Disagreement, ...]

    @property
    def waiting(self) -> int:
        """How many pairs are still to be graded."""
        return self.size - self.gone - self.graded - self.skipped

    @property
    def false_passes(self) -> int:
        """How many pairs the judges pass and the person fails."""
        return sum(each.is_false_pass for each in self.disagreements)

    @property
    def false_failures(self) -> int:
        """How many pairs the judges fail and the person passes."""
        return len(self.disagreements) - self.false_passes


def grading_rate(
    sample: Sequence[PairId], judged: Mapping[PairId, JudgedPair], grades: Mapping[PairId, BlindGrade]
) -> GradingRate:
    """The rate of one person. `judged` are the pairs that are judged today, by their id."""
    present = [judged[pair] for pair in sample if pair in judged]
    # What comes after the first that is not decided may have been chosen by its verdict.
    decided = {pair.id: grades[pair.id] for pair in takewhile(lambda pair: pair.id in grades, present)}
    graded = [(judged[pair], given.grade) for pair, given in decided.items() if given.grade is not None]
    differing = tuple(
        Disagreement(judged[pair], given)
        for pair, given in decided.items()
        if given.grade is not None and judged[pair].passed_by(given.grade) != judged[pair].is_passed
    )
    return GradingRate(
        size=len(sample),
        gone=len(sample) - len(present),
        graded=len(graded),
        skipped=len(decided) - len(graded),
        answers=len({(pair.id.prompt, pair.id.subject) for pair, _ in graded}),
        agree=len(graded) - len(differing),
        always_met=sum(pair.passed_by(grade) for pair, grade in graded),
        disagreements=differing,
    )


# --- The sample of a blueprint in the store


class JudgedSample(Record):
    """What is known for blind grading of the blueprint that the store has under `key`.

    `judged` are today's judged pairs. `sample` is None until one is drawn. `grades` are by person, `HUMAN` for the
    author, and by pair.
    """

    key: str
    judged: Mapping[PairId, JudgedPair]
    sample: StoredSample | None = None
    grades: Mapping[str, Mapping[PairId, BlindGrade]] = field(default_factory=dict[str, Mapping[PairId, BlindGrade]])

    @property
    def pairs(self) -> tuple[PairId, ...]:
        """The pairs of the sample, in its order."""
        return () if self.sample is None else self.sample.pairs

    def of(self, person: str = HUMAN) -> Mapping[PairId, BlindGrade]:
        """The blind grades of one person."""
        return self.grades.get(person, {})

    def rate(self, person: str = HUMAN) -> GradingRate:
        """How far the judges agree with one person."""
        return grading_rate(self.pairs, self.judged, self.of(person))

    def revealed(self, person: str) -> tuple[Disagreement, ...]:
        """The disagreements with a person that show the author no verdict on a pair that they have yet to grade."""
        own = self.of()
        return tuple(each for each in self.rate(person).disagreements if person == HUMAN or each.pair.id in own)


def load_sample(store: Store, blueprint: Blueprint, path: Path) -> JudgedSample:
    """What the store has for the blueprint at `path`. Blocks. Raises `StoreUnavailable`."""
    places = dict.fromkeys(PromptPlace.of(path, prompt) for prompt in blueprint.prompts)
    answers = {place.prompt: store.judged_answers(place) for place in places}
    judged = {pair.id: pair for pair in judged_pairs(blueprint, path, answers)}
    key = blueprint_key(path)
    return JudgedSample(key, judged, store.sample(key), store.blind_grades(key))


def draw_sample(store: Store, found: JudgedSample, *, seed: int | None = None, size: int = SAMPLE_SIZE) -> JudgedSample:
    """`found` with a new sample, which is saved. Blocks. Raises `StoreUnavailable`."""
    drawn = new_seed() if seed is None else seed
    pairs = [pair.id for pair in sample(found.judged.values(), drawn, size)]
    store.save_sample(found.key, drawn, len(found.judged), pairs)
    return replace(found, sample=store.sample(found.key))


def save_grades(store: Store, key: str, person: str, grades: Mapping[PairId, BlindGrade]) -> None:
    """Save what a person graded blind; as grades too, which count in scores if the person is the author. Blocks.

    Raises `StoreUnavailable`.
    """
    store.save_blind_grades(key, person, grades)
    by = HUMAN if person == HUMAN else colleague(person)
    for pair, given in grades.items():
        if given.grade is not None:
            store.grade_answer(PromptPlace(key, pair.prompt), pair.subject, pair.criterion, given.grade, by)


# --- The rate in words


def rate_lines(rate: GradingRate, *, who: str = "") -> tuple[str, ...]:
    """The rate in sentences, the figure first. `who` is the person's name; "" for the reader."""
    lines = [f"No pair of the sample is graded yet{_skipped(rate)}."] if not rate.graded else [*_rate(rate, who)]
    if rate.graded and rate.waiting:
        are = "is" if rate.waiting == 1 else "are"
        lines.append(f"{count(rate.waiting, 'pair')} of the sample {are} still to be graded.")
    if rate.gone:
        one, many = "is no longer judged as it was and does", "are no longer judged as they were and do"
        changed = "not count: a criterion, answer or verdict has changed"
        lines.append(f"{count(rate.gone, 'pair')} of the sample {one if rate.gone == 1 else many} {changed}.")
    return tuple(lines)


def _rate(rate: GradingRate, who: str) -> Iterator[str]:
    agree, met = rate.agree / rate.graded, rate.always_met / rate.graded
    graded = f"{rate.agree} of {count(rate.graded, 'pair')} ({agree:.0%})"
    yield f"The judges agree with {who or 'you'} on {graded}{_skipped(rate)}."
    yield f"The pairs are of {count(rate.answers, 'answer')}; verdicts on one answer are alike."
    yield f"A judge that calls every criterion met would agree on {rate.always_met} ({met:.0%})."
    if not rate.disagreements:
        yield "No false pass and no false failure."
        return
    fail, succeed = (f"{who} fails", f"{who} passes") if who else ("you fail", "you pass")
    passes = count(rate.false_passes, "false pass", "false passes")
    failures = count(rate.false_failures, "false failure")
    yield f"{passes}: the judges pass what {fail}. {failures}: the judges fail what {succeed}."


def _skipped(rate: GradingRate) -> str:
    return f", {rate.skipped} skipped" if rate.skipped else ""


# --- Cells that no spreadsheet takes for formulas


LONGEST_CELL = 32_000
"""Spreadsheet programs cut cells beyond 32,767 characters."""
_CUT = " … [cut here: the text is longer than a cell can be]"
_RISKY = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")


def neutral_cell(text: str) -> str:
    """`text` as a cell that is no formula, cut to what a cell can hold."""
    cut = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - len(_CUT)] + _CUT
    return f"'{cut}" if _RISKY.match(cut) else cut


def restored_cell(cell: str) -> str:
    """The text that `neutral_cell` was given, unless it was cut."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell


# --- The sheet


KEY, GRADE, NOTE = "key", "grade", "note"
COLUMNS = (KEY, "conversation", "answer", "criterion", GRADE, NOTE)
INSTRUCTIONS = (
    "Grading sheet. Please grade each row by yourself, from what is in the row alone.",
    "Read the conversation and the answer. How far does the answer do what the criterion says? Write a number from 1 "
    "to 5 into the column grade.",
    "1: absent. 2: slightly present. 3: partially present. 4: majorly present. 5: fully present.",
    "A criterion may name something good or something bad. Either way, grade how far it is there.",
    "Leave the grade empty if you cannot tell. The column note is yours: a reason helps, and may stay empty.",
    "Do not change the column key: it says what a row is about. Rows may be sorted.",
)
_SKIPPED = frozenset({"", "-", "–", "?", "skip", "skipped", "n/a"})
_NUMBER = re.compile(r"([1-5])(?:[.,]0+)?")
_WORDS = {grade.label.partition(" ")[0]: grade for grade in Grade}
_DELIMITERS = ",;\t|"
_LARGEST_FIELD = 2**20


class UnreadableSheet(Exception):
    """The text is no grading sheet. The message is for authors."""


class ReturnedSheet(Record):
    """What a sheet that came back says, and the rows that cannot be used, by their numbers in the file from 1."""

    grades: Mapping[PairId, BlindGrade]
    problems: tuple[str, ...]


def grading_sheet(pairs: Iterable[JudgedPair]) -> str:
    """The sheet of `pairs` as CSV with CRLF, in their order, below the instructions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for line in INSTRUCTIONS:
        writer.writerow([line])
    writer.writerow(COLUMNS)
    for pair in pairs:
        first = next((at for at, turn in enumerate(pair.thread) if turn.generated), len(pair.thread) - 1)
        answer = pair.thread[first:]
        texts = [_shown(pair.thread[:first]), _shown(answer, alone=len(answer) == 1), pair.criterion.text]
        writer.writerow([pair_key(pair.id), *(neutral_cell(visible(each)) for each in texts), "", ""])
    return text.getvalue()


def _shown(turns: Sequence[ThreadTurn], *, alone: bool = False) -> str:
    if alone:
        return turns[0].content
    names = {Role.SYSTEM: "System", Role.USER: "User", Role.ASSISTANT: "Assistant"}
    return "\n\n".join(f"{names[turn.role]}: {turn.content}" for turn in turns)


def read_sheet(data: bytes, pairs: Iterable[PairId]) -> ReturnedSheet:
    """The grades in a sheet. `pairs` are those that may be in it. Raises `UnreadableSheet`.

    A row without a grade is a skipped pair. Of several rows with the same key, the last one counts.
    """
    known = {pair_key(pair): pair for pair in pairs}
    header, rows = _rows(data)
    grades: dict[PairId, BlindGrade] = {}
    problems: list[str] = []
    for number, cells in rows:
        row = dict(zip(header, map(restored_cell, cells), strict=False))
        key = row[KEY].strip()
        if key not in known:
            problems.append(f"row {number}: no answer of this blueprint's sample has the key {key!r}")
            continue
        written = row.get(GRADE, "")
        grade = _grade(written)
        if grade is None and written.strip().lower() not in _SKIPPED:
            problems.append(f"row {number}: {written.strip()!r} is no grade: write a number from 1 to 5")
            continue
        grades[known[key]] = BlindGrade(grade, row.get(NOTE, "").strip())
    return ReturnedSheet(grades, tuple(problems))


def _grade(written: str) -> Grade | None:
    """The grade in a cell: `4`, `4.0`, `majorly present`, `CLASS_MAJORLY_PRESENT`; None if there is none."""
    text = written.strip().lower()
    number = _NUMBER.fullmatch(text)
    if number is not None:
        return list(Grade)[int(number[1]) - 1]
    words = text.removeprefix("class_").replace("_", " ").split()
    return _WORDS.get(words[0]) if words and words[1:] in ([], ["present"]) else None


def _rows(data: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The names of the columns, and the rows below them that are not empty, each with its number."""
    text = _decoded(data)
    for delimiter in _DELIMITERS:
        try:
            every = list(_parsed(text, delimiter))
        except csv.Error:  # it may be parted by another sign
            continue
        for index, (_, cells) in enumerate(every):
            names = [cell.strip().lower() for cell in cells]
            if KEY in names and GRADE in names:
                at = names.index(KEY)
                rows = [each for each in every[index + 1 :] if len(each[1]) > at and any(map(str.strip, each[1]))]
                return names, rows
    raise UnreadableSheet(f"No row names the columns {KEY} and {GRADE}: is it a grading sheet, saved as CSV?")


def _parsed(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    limit = csv.field_size_limit(_LARGEST_FIELD)
    try:
        yield from enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
    finally:
        csv.field_size_limit(limit)


def _decoded(data: bytes) -> str:
    """The text of a file as spreadsheet programs save it: UTF-8, UTF-16 with a mark, or Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
