"""Responses as they arrived: the whole thread, each turn marked as written or generated."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from engine.blueprint import Role
from engine.evaluation.events import Response, ThreadTurn
from engine.providers.chat import Knob, Stop, StopReason, Usage
from engine.record import replace
from engine.store.database import Database, restored, storable, timestamp
from engine.store.prompt_place import PromptPlace, place_key

COLUMNS = (
    "subject, thread, model, seconds, input_tokens, output_tokens, stop_reason, stop_word, complete, ignored,"
    " token_limit"
)


class StoredResponse(NamedTuple):
    """A response, with the key of its source (`Candidate.key`) and when it was saved."""

    source: str
    created: datetime
    response: Response


class Responses(Database):
    """Responses by prompt and source."""

    def save_response(self, place: PromptPlace, source: str, response: Response) -> int:
        """Save a response under the key of its source, and return its number."""
        with self.writing() as connection:
            return insert_response(connection, place, source, response)

    def whole_responses(self, place: PromptPlace, limit: int) -> tuple[StoredResponse, ...]:
        """The complete responses to this prompt, the newest first, at most `limit`; each text once."""
        with self.reading() as connection:
            rows = connection.execute(
                f"SELECT source, created, {COLUMNS} FROM response WHERE id IN (SELECT max(id) FROM response"
                " WHERE blueprint = ? AND prompt = ? AND complete = 1 GROUP BY subject) ORDER BY id DESC LIMIT ?",
                (*place_key(place), limit),
            ).fetchall()
        return _stored_responses(rows)

    def newest_responses(self, place: PromptPlace, apart: str, limit: int) -> tuple[StoredResponse, ...]:
        """The newest complete response to this prompt from each source, the newest first, at most `limit`.

        From the source with the key `apart`, the newest of each text.
        """
        with self.reading() as connection:
            rows = connection.execute(
                f"SELECT source, created, {COLUMNS} FROM response WHERE id IN (SELECT max(id) FROM response"
                " WHERE blueprint = ? AND prompt = ? AND complete = 1"
                " GROUP BY source, CASE WHEN source = ? THEN subject END) ORDER BY id DESC LIMIT ?",
                (*place_key(place), storable(apart), limit),
            ).fetchall()
        return _stored_responses(rows)

    def latest_response(self, place: PromptPlace, source: str) -> Response | None:
        """The newest response to this prompt from this source, or None."""
        with self.reading() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM response"
                " WHERE blueprint = ? AND prompt = ? AND source = ? ORDER BY id DESC LIMIT 1",
                (*place_key(place), storable(source)),
            ).fetchone()
        return None if row is None else response_in(row)


def _stored_responses(rows: Iterable[Sequence[Any]]) -> tuple[StoredResponse, ...]:
    """The responses in rows of the source, the time and `COLUMNS`."""
    return tuple(
        StoredResponse(restored(source), datetime.fromisoformat(created), response_in(row))
        for source, created, *row in rows
    )


def insert_response(connection: sqlite3.Connection, place: PromptPlace, source: str, response: Response) -> int:
    """Insert a response within the transaction of `connection`, and return its number."""
    thread = [_turn_row(turn) for turn in response.thread]
    stop = response.stop
    cursor = connection.execute(
        f"INSERT INTO response (blueprint, prompt, source, {COLUMNS}, created)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *place_key(place),
            storable(source),
            storable(response.subject),
            json.dumps(thread),
            None if response.model is None else storable(response.model),
            response.seconds,
            response.usage.input_tokens,
            response.usage.output_tokens,
            None if stop is None else stop.reason,
            None if stop is None else storable(stop.word),
            response.complete,
            ignored_text(response.ignored),
            response.token_limit,
            timestamp(),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def response_in(row: Sequence[Any]) -> Response:
    """The response in a row of `COLUMNS`."""
    subject, thread, model, seconds, input_tokens, output_tokens, reason, word, complete, ignored, limit = row
    turns = tuple(_turn_in(turn) for turn in json.loads(thread))
    return Response(
        subject=restored(subject),
        thread=_with_stop(turns, stored_stop(reason, word)),
        model=None if model is None else restored(model),
        seconds=seconds,
        usage=Usage(input_tokens, output_tokens),
        complete=bool(complete),
        ignored=ignored_in(ignored),
        token_limit=limit,
    )


def stored_stop(reason: str | None, word: str | None) -> Stop | None:
    """Why an answer ended, from its two columns; None if that is unknown."""
    return None if reason is None else Stop(StopReason(reason), restored(word or ""))


def _turn_row(turn: ThreadTurn) -> list[Any]:
    """Role, text, whether a model generated it; then, if they apply, whether it was edited and why it ended."""
    more = [] if turn.stop is None else [turn.stop.reason, turn.stop.word]
    return [turn.role, turn.content, turn.generated, *([turn.edited] if turn.edited or more else []), *more]


def _turn_in(row: Sequence[Any]) -> ThreadTurn:
    role, content, generated, *more = row
    stop = Stop(StopReason(more[1]), more[2]) if len(more) > 1 else None
    return ThreadTurn(Role(role), content, generated, edited=bool(more and more[0]), stop=stop)


def _with_stop(turns: tuple[ThreadTurn, ...], stop: Stop | None) -> tuple[ThreadTurn, ...]:
    """`turns`, with `stop` at the last one if no turn has a stop of its own, as in rows of earlier versions."""
    if stop is None or not turns or any(turn.stop is not None for turn in turns):
        return turns
    return (*turns[:-1], replace(turns[-1], stop=stop))


def ignored_text(ignored: Sequence[Knob]) -> str:
    """Settings that a model ignored, as one column: their names, separated by spaces."""
    return " ".join(ignored)


def ignored_in(text: str) -> tuple[Knob, ...]:
    """The settings in a column that `ignored_text` wrote; unknown names are skipped."""
    names = text.split()
    return tuple(knob for knob in Knob if knob.value in names)
