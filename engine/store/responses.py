"""Responses as they arrived: the whole thread, written and generated turns told apart."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from engine.blueprint import Role
from engine.evaluation.events import Response, ThreadTurn
from engine.providers.chat import Usage
from engine.store.database import Database, moment, restored, storable
from engine.store.place import PromptPlace, place_key

COLUMNS = "subject, thread, model, seconds, input_tokens, output_tokens, cut_off, complete"


class Responses(Database):
    """Responses by prompt and source."""

    def save_response(self, place: PromptPlace, source: str, response: Response) -> int:
        """Keep a response under the key of its source; its number."""
        with self.writing() as connection:
            return insert_response(connection, place, source, response)

    def latest_response(self, place: PromptPlace, source: str) -> Response | None:
        """The newest response kept for this prompt and source, None where there is none."""
        with self.reading() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM response"
                " WHERE blueprint = ? AND prompt = ? AND source = ? ORDER BY id DESC LIMIT 1",
                (*place_key(place), storable(source)),
            ).fetchone()
        return None if row is None else response_in(row)


def insert_response(connection: sqlite3.Connection, place: PromptPlace, source: str, response: Response) -> int:
    """Keep a response within the transaction of `connection`; its number."""
    thread = [[turn.role, turn.content, turn.generated, *([True] if turn.edited else [])] for turn in response.thread]
    cursor = connection.execute(
        f"INSERT INTO response (blueprint, prompt, source, {COLUMNS}, created)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *place_key(place),
            storable(source),
            storable(response.subject),
            json.dumps(thread),
            None if response.model is None else storable(response.model),
            response.seconds,
            response.usage.input_tokens,
            response.usage.output_tokens,
            response.cut_off,
            response.complete,
            moment(),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def response_in(row: Sequence[Any]) -> Response:
    """The response in a row of `COLUMNS`."""
    subject, thread, model, seconds, input_tokens, output_tokens, cut_off, complete = row
    return Response(
        subject=restored(subject),
        thread=tuple(
            ThreadTurn(Role(role), content, generated, edited=bool(edited))
            for role, content, generated, *edited in json.loads(thread)
        ),
        model=None if model is None else restored(model),
        seconds=seconds,
        usage=Usage(input_tokens, output_tokens),
        cut_off=bool(cut_off),
        complete=bool(complete),
    )
