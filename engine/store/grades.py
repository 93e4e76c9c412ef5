"""The author's grades, and grades that people gave blindly, without seeing the verdicts.

A grade belongs to a criterion *and* to the answer that was graded. It is found again for the same answer to the same
prompt after a restart, and after other parts of the rubric have changed. A blind grade stays as it was given: a later
grade, given with the verdict in sight, does not replace it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import astuple

from engine.blueprint import Block
from engine.scoring.assessment import Criterion, Grade
from engine.store.database import Database, PromptPlace, insert, timestamp
from engine.store.run_records import PairId
from engine.text.digests import text_digest
from engine.text.record import Record

HUMAN = "human"
"""The judge under whose name the author's own grades are saved."""


def colleague(name: str) -> str:
    """The judge under whose name the grades of a colleague are saved. They do not count in scores."""
    return f"{HUMAN}:{name}"


class Grades(Database):
    """Grades by prompt, answer and criterion."""

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


class BlindGrades(Database):
    """Samples and blind grades by blueprint (`blueprint_key`)."""

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


_PAIR = "prompt, subject_digest, block, criterion"


def _pair_key(pair: PairId) -> tuple[str, str, str, str]:
    return pair.prompt, pair.subject, pair.criterion.block, pair.criterion.text


def _pair(row: Sequence[str]) -> PairId:
    prompt, subject, block, criterion = row
    return PairId(prompt, subject, Criterion(Block(block), criterion))
