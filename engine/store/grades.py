"""The author's grades, blind grades of people, and the wordings of a criterion with the verdicts under each.

A grade belongs to a criterion *and* to the answer that was graded. It is found again for the same answer to the same
prompt after a restart, and after other parts of the rubric have changed. A blind grade, given without seeing the
verdicts, stays as it was given: a later grade, given with the verdict in sight, does not replace it.

A lineage is one point of a rubric through its rewordings. A wording belongs to it once it was run or graded.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import astuple

from engine.blueprint import Block
from engine.scoring.assessment import Criterion, Grade
from engine.store.database import Database, PromptPlace, insert, timestamp
from engine.store.run_records import PairId
from engine.text.record import Record, replace, text_digest

HUMAN = "human"
"""The judge under whose name the author's own grades are saved."""


def colleague(name: str) -> str:
    """The judge under whose name the grades of a colleague are saved. They do not count in scores."""
    return f"{HUMAN}:{name}"


class StoredSample(Record):
    """A sample of judged pairs in its random order. `judged` is the number of pairs from which `seed` drew it."""

    seed: int
    judged: int
    created: datetime
    pairs: tuple[PairId, ...]


class BlindGrade(Record):
    """One person's blind grade of a pair; `grade` is None where the person skipped it. `note` is theirs, untrusted."""

    grade: Grade | None
    note: str = ""


def blueprint_key(path: Path | None) -> str:
    """What the samples and blind grades of the blueprint at `path` are saved under, as in `PromptPlace`."""
    return "" if path is None else str(path.absolute())


_PAIR = "prompt, subject_digest, block, criterion"


def _pair_key(pair: PairId) -> tuple[str, str, str, str]:
    return pair.prompt, pair.subject, pair.criterion.block, pair.criterion.text


def _pair(row: Sequence[str]) -> PairId:
    prompt, subject, block, criterion = row
    return PairId(prompt, subject, Criterion(Block(block), criterion))


class JudgeForm(Record):
    """How a judge is asked, apart from the criterion and what else it sees: the name of its scale, and a digest of all.

    Both are "" where that was not recorded, and for checks.
    """

    scale: str = ""
    digest: str = ""


UNKNOWN_FORM = JudgeForm()


class WordingVerdict(Record):
    """One verdict under a wording: `extent` is 0–1 before inversion.

    `judge` is the `judgeModelId` of result JSON, "" for a check. `context` is a digest of what else the judge saw,
    `form` is how it was asked.
    """

    judge: str
    extent: float
    reflection: str = ""
    context: str = ""
    form: JudgeForm = UNKNOWN_FORM

    def replaces(self, other: WordingVerdict) -> bool:
        """Whether it takes the place of an earlier verdict on the same answer: of the same judge, asked alike or in a
        way that was not recorded."""
        return self.judge == other.judge and other.form in (self.form, UNKNOWN_FORM)


class WrittenWording(Record):
    """A wording as it stands in a blueprint.

    `name` identifies it: the criterion, or the check as in results. `source` is its point as written, `subject` the
    part of it that is the criterion, and `indent` the column of its first character, from 0.
    """

    name: str
    source: str
    subject: str
    indent: int
    is_check: bool = False


class Wording(Record):
    """A wording of a lineage. `verdicts` are by the digest of the answer, the newest last; a judge has one for each way
    in which it was asked. `used` grows each time that a wording of the lineage is run or graded."""

    number: int
    written: WrittenWording
    used: int
    verdicts: Mapping[str, tuple[WordingVerdict, ...]]

    @property
    def name(self) -> str:
        """What identifies it."""
        return self.written.name

    def with_verdict(self, answer: str, verdict: WordingVerdict) -> Wording:
        """With a verdict on the answer with this digest, in place of those that it replaces."""
        others = [each for each in self.verdicts.get(answer, ()) if not verdict.replaces(each)]
        return replace(self, verdicts={**self.verdicts, answer: (*others, verdict)})


class Lineage(Record):
    """A point of a rubric through its rewordings, in the order in which each was first used."""

    number: int
    block: Block
    wordings: tuple[Wording, ...]

    @property
    def last_used(self) -> Wording:
        """The wording that was used last."""
        return max(self.wordings, key=lambda each: each.used)

    def named(self, name: str) -> Wording | None:
        """The wording with this name."""
        return next((each for each in self.wordings if each.name == name), None)

    def with_used(self, written: WrittenWording, number: int) -> Lineage:
        """With a wording that is used now, and has this number."""
        there = self.named(written.name)
        used = 1 + max((each.used for each in self.wordings), default=0)
        wording = Wording(number, written, used, {} if there is None else there.verdicts)
        if there is None:
            return replace(self, wordings=(*self.wordings, wording))
        return replace(self, wordings=tuple(wording if each is there else each for each in self.wordings))

    def with_verdict(self, name: str, answer: str, verdict: WordingVerdict) -> Lineage:
        """With a verdict under a wording on the answer with this digest, in place of those that it replaces."""
        wordings = (each.with_verdict(answer, verdict) if each.name == name else each for each in self.wordings)
        return replace(self, wordings=tuple(wordings))


_VERDICT = "judge, extent, reflection, context, scale, form"


def _wordings(connection: sqlite3.Connection, lineage: int) -> tuple[Wording, ...]:
    rows = connection.execute(
        "SELECT id, used, is_check, name, source, subject, indent FROM wording WHERE lineage = ? ORDER BY id",
        (lineage,),
    ).fetchall()
    verdicts = connection.execute(
        f"SELECT wording, subject_digest, {_VERDICT} FROM wording_verdict"
        " WHERE wording IN (SELECT id FROM wording WHERE lineage = ?) ORDER BY rowid",
        (lineage,),
    )
    found: dict[int, dict[str, tuple[WordingVerdict, ...]]] = defaultdict(dict)
    for wording, answer, judge, extent, reflection, context, *form in verdicts:
        verdict = WordingVerdict(judge, extent, reflection, context, JudgeForm(*form))
        found[wording][answer] = (*found[wording].get(answer, ()), verdict)
    return tuple(
        Wording(number, WrittenWording(*written, is_check=bool(is_check)), used, found.get(number, {}))
        for number, used, is_check, *written in rows
    )


class Grades(Database):
    """Grades by prompt, answer and criterion, samples and blind grades by `blueprint_key`, and lineages by prompt."""

    def grade(self, place: PromptPlace, subject: str, criterion: Criterion, grade: Grade | None) -> None:
        """Save the author's grade of one criterion for the answer `subject`; None deletes it."""
        self.grade_answer(place, text_digest(subject), criterion, grade)

    def grade_answer(
        self, place: PromptPlace, subject_digest: str, criterion: Criterion, grade: Grade | None, by: str = HUMAN
    ) -> None:
        """Save a grade of an answer whose text has this digest; `by` is the author, or a `colleague`."""
        key = (*astuple(place), subject_digest, criterion.block, criterion.text, by)
        with self.writing() as connection:
            if grade is None:
                connection.execute(
                    "DELETE FROM judgement WHERE blueprint = ? AND prompt = ? AND subject_digest = ? AND block = ?"
                    " AND criterion = ? AND judge = ?",
                    key,
                )
            else:
                columns = "blueprint, prompt, subject_digest, block, criterion, judge, classification, created"
                insert(connection, "judgement", columns, (*key, grade, timestamp()), replacing=True)

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades of the answer `subject` to this prompt."""
        rows = self.rows(
            "SELECT block, criterion, classification FROM judgement"
            " WHERE blueprint = ? AND prompt = ? AND subject_digest = ? AND judge = ?",
            (*astuple(place), text_digest(subject), HUMAN),
        )
        return {Criterion(Block(block), text): Grade(grade) for block, text, grade in rows}

    def save_sample(self, blueprint: str, seed: int, judged: int, pairs: Iterable[PairId]) -> None:
        """Save a new sample, which takes the place of an earlier one. Blind grades stay."""
        with self.writing() as connection:
            values = (blueprint, seed, judged, timestamp())
            sample = insert(connection, "grading_sample", "blueprint, seed, judged, created", values)
            for position, pair in enumerate(pairs):
                insert(connection, "grading_pair", f"sample, position, {_PAIR}", (sample, position, *_pair_key(pair)))

    def sample(self, blueprint: str) -> StoredSample | None:
        """The newest sample of a blueprint."""
        found = self.row(
            "SELECT id, seed, judged, created FROM grading_sample WHERE blueprint = ? ORDER BY id DESC LIMIT 1",
            (blueprint,),
        )
        if found is None:
            return None
        number, seed, judged, created = found
        rows = self.rows(f"SELECT {_PAIR} FROM grading_pair WHERE sample = ? ORDER BY position", (number,))
        return StoredSample(seed, judged, datetime.fromisoformat(created), tuple(map(_pair, rows)))

    def sampled_pairs(self, blueprint: str) -> frozenset[PairId]:
        """The pairs of all samples of a blueprint: those that a grading sheet may have."""
        rows = self.rows(
            f"SELECT {_PAIR} FROM grading_pair WHERE sample IN (SELECT id FROM grading_sample WHERE blueprint = ?)",
            (blueprint,),
        )
        return frozenset(map(_pair, rows))

    def save_blind_grades(self, blueprint: str, by: str, grades: Mapping[PairId, BlindGrade]) -> None:
        """Save the blind grades of one person; an earlier one of the same pair is replaced."""
        columns, now = f"blueprint, {_PAIR}, grader, classification, note, created", timestamp()
        with self.writing() as connection:
            for pair, each in grades.items():
                values = (blueprint, *_pair_key(pair), by, each.grade, each.note, now)
                insert(connection, "blind_grade", columns, values, replacing=True)

    def blind_grades(self, blueprint: str) -> Mapping[str, Mapping[PairId, BlindGrade]]:
        """All blind grades of a blueprint by person, those who graded first at the beginning."""
        rows = self.rows(
            f"SELECT {_PAIR}, grader, classification, note FROM blind_grade WHERE blueprint = ?"
            " ORDER BY created, rowid",
            (blueprint,),
        )
        found: dict[str, dict[PairId, BlindGrade]] = {}
        for *pair, grader, grade, note in rows:
            given = BlindGrade(None if grade is None else Grade(grade), note)
            found.setdefault(grader, {})[_pair(pair)] = given
        return found

    def lineages(self, place: PromptPlace) -> tuple[Lineage, ...]:
        """The lineages of a prompt, the oldest first."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT id, block FROM lineage WHERE blueprint = ? AND prompt = ? ORDER BY id", astuple(place)
            ).fetchall()
            found = [Lineage(number, Block(block), _wordings(connection, number)) for number, block in rows]
        return tuple(each for each in found if each.wordings)

    def begin_lineage(self, place: PromptPlace, block: Block) -> int:
        """Save a new lineage, and return its number."""
        with self.writing() as connection:
            return insert(connection, "lineage", "blueprint, prompt, block", (*astuple(place), block))

    def move_lineage(self, lineage: int, place: PromptPlace) -> None:
        """Save that the prompt of a lineage has another id now. One of another file stays where it is."""
        with self.writing() as connection:
            values = (place.prompt, lineage, place.blueprint)
            connection.execute("UPDATE lineage SET prompt = ? WHERE id = ? AND blueprint = ?", values)

    def use_wording(self, lineage: int, written: WrittenWording) -> Wording:
        """Save that a wording of a lineage is used now; the wording, with its verdicts."""
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO wording (lineage, name, source, subject, indent, is_check, used)"
                " VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM wording WHERE lineage = ?))"
                " ON CONFLICT (lineage, name) DO UPDATE SET used = excluded.used,"
                " source = excluded.source, subject = excluded.subject, indent = excluded.indent",
                (lineage, *astuple(written), lineage),
            )
            found = [each for each in _wordings(connection, lineage) if each.name == written.name]
        return found[0]

    def save_wording_verdict(self, wording: int, answer: str, verdict: WordingVerdict) -> None:
        """Save a verdict under a wording on the answer with this digest, in place of those that it `replaces`."""
        *fields, form = astuple(verdict)
        with self.writing() as connection:
            connection.execute(
                "DELETE FROM wording_verdict WHERE wording = ? AND subject_digest = ? AND judge = ?"
                " AND (scale, form) IN (VALUES (?, ?), ('', ''))",
                (wording, answer, verdict.judge, *astuple(form)),
            )
            columns = f"wording, subject_digest, {_VERDICT}"
            insert(connection, "wording_verdict", columns, (wording, answer, *fields, *astuple(form)))

    def chosen_answers(self, place: PromptPlace) -> Mapping[str, bool]:
        """Whether the author wants criteria judged on an answer, by its digest; only those that they decided about."""
        rows = self.rows(
            "SELECT subject_digest, chosen FROM criterion_answer WHERE blueprint = ? AND prompt = ?", astuple(place)
        )
        return {answer: bool(chosen) for answer, chosen in rows}

    def choose_answers(self, place: PromptPlace, chosen: Mapping[str, bool]) -> None:
        """Save whether the author wants criteria judged on these answers, by digest."""
        with self.writing() as connection:
            for values in chosen.items():
                columns = "blueprint, prompt, subject_digest, chosen"
                insert(connection, "criterion_answer", columns, (*astuple(place), *values), replacing=True)
