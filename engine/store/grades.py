"""The author's grades, and grades that people gave blindly, without seeing the verdicts.

A grade belongs to a criterion *and* to the answer that was graded. It is found again for the same answer to the same
prompt after a restart, and after other parts of the rubric have changed. A blind grade stays as it was given: a later
grade, given with the verdict in sight, does not replace it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from engine.blueprint import Block
from engine.scoring.assessment import Criterion, Grade
from engine.store.database import Database, PromptPlace, insert, place_key, restored, storable, timestamp
from engine.store.run_records import PairId
from engine.text.record import Record, text_digest

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
        key = (*place_key(place), subject_digest, criterion.block, storable(criterion.text), storable(by))
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
            (*place_key(place), text_digest(subject), HUMAN),
        )
        return {Criterion(Block(block), restored(text)): Grade(grade) for block, text, grade in rows}


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
            values = (storable(blueprint), seed, judged, timestamp())
            sample = insert(connection, "grading_sample", "blueprint, seed, judged, created", values)
            connection.executemany(
                "INSERT INTO grading_pair (sample, position, prompt, subject_digest, block, criterion)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(sample, position, *_pair_key(pair)) for position, pair in enumerate(pairs)],
            )

    def sample(self, blueprint: str) -> StoredSample | None:
        """The newest sample of a blueprint."""
        with self.reading() as connection:
            found = connection.execute(
                "SELECT id, seed, judged, created FROM grading_sample WHERE blueprint = ? ORDER BY id DESC LIMIT 1",
                (storable(blueprint),),
            ).fetchone()
            if found is None:
                return None
            number, seed, judged, created = found
            rows = connection.execute(
                "SELECT prompt, subject_digest, block, criterion FROM grading_pair WHERE sample = ? ORDER BY position",
                (number,),
            ).fetchall()
        return StoredSample(seed, judged, datetime.fromisoformat(created), tuple(map(_pair, rows)))

    def sampled_pairs(self, blueprint: str) -> frozenset[PairId]:
        """The pairs of all samples of a blueprint: those that a grading sheet may have."""
        rows = self.rows(
            "SELECT prompt, subject_digest, block, criterion FROM grading_pair"
            " WHERE sample IN (SELECT id FROM grading_sample WHERE blueprint = ?)",
            (storable(blueprint),),
        )
        return frozenset(map(_pair, rows))

    def save_blind_grades(self, blueprint: str, by: str, grades: Mapping[PairId, BlindGrade]) -> None:
        """Save the blind grades of one person; an earlier one of the same pair is replaced."""
        now = timestamp()
        with self.writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO blind_grade"
                " (blueprint, prompt, subject_digest, block, criterion, grader, classification, note, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (storable(blueprint), *_pair_key(pair), storable(by), each.grade, storable(each.note), now)
                    for pair, each in grades.items()
                ],
            )

    def blind_grades(self, blueprint: str) -> Mapping[str, Mapping[PairId, BlindGrade]]:
        """All blind grades of a blueprint by person, those who graded first at the beginning."""
        rows = self.rows(
            "SELECT grader, classification, note, prompt, subject_digest, block, criterion FROM blind_grade"
            " WHERE blueprint = ? ORDER BY created, rowid",
            (storable(blueprint),),
        )
        found: dict[str, dict[PairId, BlindGrade]] = {}
        for grader, grade, note, *pair in rows:
            given = BlindGrade(None if grade is None else Grade(grade), restored(note))
            found.setdefault(restored(grader), {})[_pair(pair)] = given
        return found


def _pair_key(pair: PairId) -> tuple[str, str, str, str]:
    return storable(pair.prompt), pair.subject, pair.criterion.block, storable(pair.criterion.text)


def _pair(row: Sequence[str]) -> PairId:
    prompt, subject, block, criterion = row
    return PairId(restored(prompt), subject, Criterion(Block(block), restored(criterion)))
