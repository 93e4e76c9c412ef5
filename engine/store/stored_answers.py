"""Answers: those of runs as they arrived, cached ones by their requests, replies of services, and when each was seen.

An answer is *shown* when it, or a verdict on it, is on the screen or printed, and *read* when its text is. That is
recorded with a time only for answers that a model gave here since the recording began. Of all others it is unknown who
saw them before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import astuple

from engine.blueprint import Block, Prompt, Role
from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.answer_stream import CachedAnswer
from engine.evaluation.events import Response, ThreadTurn
from engine.evaluation.sources import AnswerSource, ModelSource, SavedSource, WrittenSource, saved_source
from engine.functions import point_text
from engine.models.chat import Finished, Knob, Usage
from engine.models.secret import without_password
from engine.scoring.sums import place as place_points
from engine.store.database import Database, PromptPlace, insert, timestamp
from engine.text.record import replace, text_digest

COLUMNS = (
    "subject, thread, model, seconds, input_tokens, output_tokens, stop_reason, stop_word, complete, ignored,"
    " token_limit"
)


class StoredResponse(NamedTuple):
    """A response, with the key of its source (`Candidate.key`) and when it was saved."""

    source: str
    created: datetime
    response: Response


def insert_response(connection: sqlite3.Connection, place: PromptPlace, source: str, response: Response) -> int:
    """Insert a response within the transaction of `connection`, and return its number."""
    values = (
        *astuple(place),
        source,
        response.subject,
        json.dumps([_turn_row(turn) for turn in response.thread]),
        response.model,
        response.seconds,
        response.usage.input_tokens,
        response.usage.output_tokens,
        *stop_columns(response.stop),
        response.complete,
        " ".join(response.ignored),
        response.token_limit,
        timestamp(),
    )
    return insert(connection, "response", f"blueprint, prompt, source, {COLUMNS}, created", values)


def response_in(row: Sequence[Any]) -> Response:
    """The response in a row of `COLUMNS`."""
    subject, thread, model, seconds, input_tokens, output_tokens, reason, word, complete, ignored, limit = row
    turns = _with_stop(tuple(_turn_in(turn) for turn in json.loads(thread)), stored_stop(reason, word))
    usage, knobs = Usage(input_tokens, output_tokens), ignored_in(ignored)
    return Response(subject, turns, model, seconds, usage, bool(complete), ignored=knobs, token_limit=limit)


def stop_columns(stop: Stop | None) -> tuple[str | None, str | None]:
    """Why an answer ended, as two columns."""
    return (None, None) if stop is None else (stop.reason, stop.word)


def stored_stop(reason: str | None, word: str | None) -> Stop | None:
    """Why an answer ended, from its two columns; None if that is unknown."""
    return None if reason is None else Stop(StopReason(reason), word or "")


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


def ignored_in(text: str) -> tuple[Knob, ...]:
    """The settings that a model ignored, from a column of their names; unknown ones are skipped."""
    names = text.split()
    return tuple(knob for knob in Knob if knob.value in names)


_ANSWER = "text, stop_reason, input_tokens, output_tokens, model, stop_word, ignored"


def stored_source(source: AnswerSource) -> str:
    """A source as ASCII JSON, without the author's own text (the response has it) and without passwords."""
    saved = source.saved
    more = without_password(saved.more) if isinstance(source, ModelSource) and saved.more else saved.more
    return json.dumps([saved.kind, saved.value, more])


@lru_cache(maxsize=256)
def restored_source(stored: str) -> AnswerSource:
    """The source that `stored_source` was given; one of an unknown kind becomes a `WrittenSource`."""
    return saved_source(SavedSource(*json.loads(stored))) or WrittenSource()


UNKNOWN = ""
"""In the place of a time: it is not known when an answer was first shown."""
_TEXTS_AT_ONCE = 500


def wordings_of(prompt: Prompt) -> tuple[tuple[Block, str], ...]:
    """The points of a prompt, by their blocks and texts in results."""
    return tuple((placed.rubric.block, point_text(placed.point)) for placed in place_points(prompt))


class Answers(Database):
    """Responses by prompt and source, cached answers and replies by request, and when answers were shown."""

    def save_response(self, place: PromptPlace, source: str, response: Response) -> int:
        """Save a response under the key of its source, and return its number."""
        with self.writing() as connection:
            return insert_response(connection, place, source, response)

    def whole_responses(self, place: PromptPlace, limit: int) -> tuple[StoredResponse, ...]:
        """The complete responses to this prompt, the newest first, at most `limit`; each text once."""
        rows = self.rows(
            f"SELECT source, created, {COLUMNS} FROM response WHERE id IN (SELECT max(id) FROM response"
            " WHERE blueprint = ? AND prompt = ? AND complete = 1 GROUP BY subject) ORDER BY id DESC LIMIT ?",
            (*astuple(place), limit),
        )
        return tuple(StoredResponse(source, datetime.fromisoformat(at), response_in(row)) for source, at, *row in rows)

    def latest_response(self, place: PromptPlace, source: str) -> Response | None:
        """The newest response to this prompt from this source, or None."""
        row = self.row(
            f"SELECT {COLUMNS} FROM response"
            " WHERE blueprint = ? AND prompt = ? AND source = ? ORDER BY id DESC LIMIT 1",
            (*astuple(place), source),
        )
        return None if row is None else response_in(row)

    def save_answer(self, key: str, answer: CachedAnswer) -> None:
        """Save an answer, and replace an earlier one."""
        end, columns = answer.end, f"key, {_ANSWER}, created"
        used = (end.usage.input_tokens, end.usage.output_tokens)
        ended = (end.stop_reason, *used, end.model, end.word, " ".join(end.ignored))
        with self.writing() as connection:
            insert(connection, "answer", columns, (key, answer.text, *ended, timestamp()), replacing=True)

    def answer(self, key: str) -> CachedAnswer | None:
        """The answer under this key, or None."""
        row = self.row(f"SELECT {_ANSWER} FROM answer WHERE key = ?", (key,))
        if row is None:
            return None
        text, reason, input_tokens, output_tokens, model, word, ignored = row
        usage = Usage(input_tokens, output_tokens)
        return CachedAnswer(text, Finished(StopReason(reason), usage, model, word=word, ignored=ignored_in(ignored)))

    def save_service_answer(self, key: str, text: str) -> None:
        """Save a reply under the key of its request, and replace an earlier one."""
        with self.writing() as connection:
            values = (key, text, timestamp())
            insert(connection, "service_answer", "key, answer, created", values, replacing=True)

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The reply under this key; None without one, or if it is older than `not_before` (with a time zone)."""
        row = self.row("SELECT answer FROM service_answer WHERE key = ? AND created >= ?", (key, timestamp(not_before)))
        return None if row is None else row[0]

    def mark_shown(self, answers: Iterable[tuple[PromptPlace, str, bool]]) -> None:
        """Record that answers to prompts, by their text, are shown now, and whether they are read. The first time
        counts."""
        with self.writing() as connection:
            (began,) = connection.execute("SELECT began FROM showing_recorded").fetchone()
            for place, subject, is_read in answers:
                first, others = connection.execute(
                    "SELECT min(response.created), total(coalesce(run.source, '') NOT LIKE '[\"model\"%') FROM response"
                    " LEFT JOIN run ON run.response = response.id"
                    " WHERE response.blueprint = ? AND response.prompt = ? AND response.subject = ?",
                    (*astuple(place), subject),
                ).fetchone()
                is_known = first is not None and first > began and not others
                connection.execute(
                    "INSERT INTO shown_answer (blueprint, prompt, subject_digest, first, is_read)"
                    " VALUES (?, ?, ?, ?, ?) ON CONFLICT (blueprint, prompt, subject_digest)"
                    " DO UPDATE SET is_read = max(is_read, excluded.is_read)",
                    (*astuple(place), text_digest(subject), timestamp() if is_known else UNKNOWN, is_read),
                )

    def places_of(self, subjects: Iterable[str]) -> tuple[tuple[PromptPlace, str], ...]:
        """The prompts to which these texts are stored as answers, each with the text: for files that name no place."""
        wanted = list(dict.fromkeys(subjects))
        found: list[tuple[PromptPlace, str]] = []
        for start in range(0, len(wanted), _TEXTS_AT_ONCE):
            some = wanted[start : start + _TEXTS_AT_ONCE]
            query = "SELECT DISTINCT blueprint, prompt, subject FROM response WHERE subject IN"
            rows = self.rows(f"{query} ({', '.join('?' * len(some))})", some)
            found += [(PromptPlace(blueprint, prompt), subject) for blueprint, prompt, subject in rows]
        return tuple(found)

    def first_shown(self, place: PromptPlace) -> Mapping[str, str]:
        """When each answer was first shown, by its digest; `UNKNOWN` where that is not known."""
        rows = self.rows(
            "SELECT subject_digest, first FROM shown_answer WHERE blueprint = ? AND prompt = ?", astuple(place)
        )
        return dict(rows)

    def read_of(self, blueprint: str) -> Mapping[str, frozenset[str]]:
        """The digests of the answers that were read of a blueprint, by `PromptPlace.prompt`."""
        rows = self.rows(
            "SELECT prompt, subject_digest FROM shown_answer WHERE blueprint = ? AND is_read", (blueprint,)
        )
        found: dict[str, set[str]] = {}
        for prompt, digest in rows:
            found.setdefault(prompt, set()).add(digest)
        return {prompt: frozenset(digests) for prompt, digests in found.items()}

    def note_wordings(self, place: PromptPlace, points: Iterable[tuple[Block, str]]) -> None:
        """Record that points, by their blocks and texts in results, have this wording now. The first time counts."""
        with self.writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO point_wording (blueprint, prompt, block, name, since) VALUES (?, ?, ?, ?, ?)",
                [(*astuple(place), block, name, timestamp()) for block, name in points],
            )

    def renew_wording(self, place: PromptPlace, block: Block, name: str) -> None:
        """Record that a point has an earlier wording again: it was chosen knowing what was shown until now."""
        with self.writing() as connection:
            connection.execute(
                "UPDATE point_wording SET since = ? WHERE blueprint = ? AND prompt = ? AND block = ? AND name = ?",
                (timestamp(), *astuple(place), block, name),
            )

    def wordings_since(self, place: PromptPlace) -> Mapping[tuple[Block, str], str]:
        """Since when each wording of a point is known, by block and text in results."""
        rows = self.rows(
            "SELECT block, name, since FROM point_wording WHERE blueprint = ? AND prompt = ?", astuple(place)
        )
        return {(Block(block), name): since for block, name, since in rows}
