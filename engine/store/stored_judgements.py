"""Replies of judges, word for word, found again for the same question to the same model, whichever blueprint asks."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.store.database import Database, moment

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class Verdicts(Database):
    """Judgements by their key, the newest of each; earlier ones stay for the runs that have them."""

    def save_judgement(self, judgement: Judgement) -> None:
        """Save a judge's request and reply word for word. One without a verdict is not saved: it is asked again.

        No request holds a key: those are added when it is sent.
        """
        if judgement.verdict is not None:
            with self.writing() as connection:
                insert_judgement(connection, judgement)

    def judgement(self, key: str) -> Judgement | None:
        """The newest kept under an `engine.providers.request_key`, None where there is nothing that this version can
        read."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT key, judgement FROM judge_reply WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()
        return None if row is None else judgement_in(*row)


def insert_judgement(connection: sqlite3.Connection, judgement: Judgement) -> int:
    """Keep a judgement within the transaction of `connection`, once; its number."""
    from engine.judging.judgement_json import judgement_text  # here, as judging is loaded only by runs with judges

    text = judgement_text(replace(judgement, reused=False))
    row = connection.execute(
        "SELECT id FROM judge_reply WHERE key = ? AND judgement = ?", (judgement.key, text)
    ).fetchone()
    if row is not None:
        return row[0]
    cursor = connection.execute(
        "INSERT INTO judge_reply (key, judgement, created) VALUES (?, ?, ?)", (judgement.key, text, moment())
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def judgement_in(key: str, text: str) -> Judgement | None:
    """The judgement in a row of `judge_reply`; None where another version wrote it."""
    from engine.judging.judgement_json import judgement_of  # here, as judging is loaded only where judges spoke

    judgement = judgement_of(text)
    return None if judgement is None else replace(judgement, key=key)
