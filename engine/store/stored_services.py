"""Replies of services; the caller decides how old a reply may be."""

from __future__ import annotations

from datetime import datetime

from engine.store.database import Database, restored, storable, timestamp


class ServiceAnswers(Database):
    """The newest reply of a service to each request, by the key of the request."""

    def save_service_answer(self, key: str, text: str) -> None:
        """Save a reply under the key of its request, and replace an earlier one."""
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO service_answer (key, answer, created) VALUES (?, ?, ?)",
                (storable(key), storable(text), timestamp()),
            )

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The reply under this key; None without one, or if it is older than `not_before` (with a time zone)."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT answer FROM service_answer WHERE key = ? AND created >= ?",
                (storable(key), timestamp(not_before)),
            ).fetchone()
        return None if row is None else restored(row[0])
