"""The author's grades.

A grade belongs to a criterion *and* to the answer that was graded. It is found again for the same answer to the same
prompt after a restart, and after other parts of the rubric have changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.blueprint import Block
from engine.digests import text_digest
from engine.scoring.assessment import Criterion, Grade
from engine.store.database import Database, restored, storable, timestamp
from engine.store.prompt_place import PromptPlace, place_key

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
                connection.execute(
                    "INSERT OR REPLACE INTO judgement (blueprint, prompt, subject_digest, block, criterion, judge,"
                    " classification, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (*key, grade, timestamp()),
                )

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades of the answer `subject` to this prompt."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT block, criterion, classification FROM judgement"
                " WHERE blueprint = ? AND prompt = ? AND subject_digest = ? AND judge = ?",
                (*place_key(place), text_digest(subject), HUMAN),
            ).fetchall()
        return {Criterion(Block(block), restored(text)): Grade(grade) for block, text, grade in rows}
