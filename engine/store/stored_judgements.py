"""Replies of judges, verbatim, found again for the same request to the same model from any blueprint."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from engine.record import replace
from engine.store.database import Database, timestamp

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class Judgements(Database):
    """Judgements by key. The newest verdict of each key is found; all stay for the runs that refer to them."""

    def save_judgement(self, judgement: Judgement) -> None:
        """Save a judge's requests and replies verbatim, a failure or refusal too.

        Requests hold no API keys: those are added when a request is sent.
        """
        with self.writing() as connection:
            insert_judgement(connection, judgement)

    def judgement(self, key: str) -> Judgement | None:
        """The newest verdict on an `engine.providers.request_key`; None without one that this version can read.

        A judge that failed is asked again, so its failure is never found.
        """
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT key, judgement FROM judge_reply WHERE key = ? ORDER BY id DESC", (key,)
            ).fetchall()
        judgements = (judgement_in(*row) for row in rows)
        return next((each for each in judgements if each is not None and each.verdict is not None), None)


def insert_judgement(connection: sqlite3.Connection, judgement: Judgement) -> int:
    """Insert a judgement within the transaction of `connection`, unless it is there already; its number."""
    from engine.judging.judgement_json import judgement_text  # here: only runs with judges load judging

    text = judgement_text(replace(judgement, reused=False))
    row = connection.execute(
        "SELECT id FROM judge_reply WHERE key = ? AND judgement = ?", (judgement.key, text)
    ).fetchone()
    if row is not None:
        return row[0]
    cursor = connection.execute(
        "INSERT INTO judge_reply (key, judgement, created) VALUES (?, ?, ?)", (judgement.key, text, timestamp())
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def judgement_in(key: str, text: str) -> Judgement | None:
    """The judgement in a row of `judge_reply`; None if this version cannot read it."""
    from engine.judging.judgement_json import judgement_of  # here: only runs with judges load judging

    judgement = judgement_of(text)
    return None if judgement is None else replace(judgement, key=key)
