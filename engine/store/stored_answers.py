"""Whole answers of models by the key of their request, so that nobody pays for the same request twice."""

from __future__ import annotations

from engine.evaluation.answer_cache import CachedAnswer
from engine.providers.chat import Finished, StopReason, Usage
from engine.store.database import Database, restored, storable, timestamp
from engine.store.responses import ignored_in, ignored_text


class Answers(Database):
    """Answers by `engine.providers.request_key`, the newest of each."""

    def save_answer(self, key: str, answer: CachedAnswer) -> None:
        """Save an answer, and replace an earlier one."""
        end = answer.end
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answer"
                " (key, text, stop_reason, stop_word, input_tokens, output_tokens, model, ignored, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    storable(answer.text),
                    end.stop_reason,
                    storable(end.word),
                    end.usage.input_tokens,
                    end.usage.output_tokens,
                    None if end.model is None else storable(end.model),
                    ignored_text(end.ignored),
                    timestamp(),
                ),
            )

    def answer(self, key: str) -> CachedAnswer | None:
        """The answer under this key, or None."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT text, stop_reason, stop_word, input_tokens, output_tokens, model, ignored"
                " FROM answer WHERE key = ?",
                (key,),
            ).fetchone()
        if row is None:
            return None
        text, stop_reason, word, input_tokens, output_tokens, model, ignored = row
        end = Finished(
            StopReason(stop_reason),
            Usage(input_tokens, output_tokens),
            None if model is None else restored(model),
            word=restored(word),
            ignored=ignored_in(ignored),
        )
        return CachedAnswer(restored(text), end)
