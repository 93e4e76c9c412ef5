"""What services answered, for as long as whoever asks holds it to be fresh."""

from __future__ import annotations

from datetime import datetime

from engine.store.database import Database, moment, restored, storable


class ServiceAnswers(Database):
    """Answers of services by the key of their request, the newest of each."""

    def save_service_answer(self, key: str, text: str) -> None:
        """Keep an answer under the key of its request, in the place of an earlier one."""
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO service_answer (key, answer, created) VALUES (?, ?, ?)",
                (storable(key), storable(text), moment()),
            )

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The answer under this key, None where there is none or where it came before `not_before` (with time zone)."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT answer FROM service_answer WHERE key = ? AND created >= ?", (storable(key), moment(not_before))
            ).fetchone()
        return None if row is None else restored(row[0])
