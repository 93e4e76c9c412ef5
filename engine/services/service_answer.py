"""The answer of a service: `{"score": 0–1, "explain": "…"}`, or `{"error": "…"}`."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from engine.functions.function_text import quoted
from engine.json_text import read_json
from engine.record import Record


class NoAnswerError(Exception):
    """A body without a score. `what` is the problem, and `server_message` the service's own message, or ""."""

    def __init__(self, what: str, server_message: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.server_message = server_message


class Answer(Record):
    """A verdict of a service: `score` is 0–1, before inversion; `explanation` is untrusted text, or None."""

    score: float
    explanation: str | None = None

    def as_text(self) -> str:
        """The answer in its cached form, for `read_answer`."""
        return json.dumps({"score": self.score, "explain": self.explanation})


def read_answer(body: str) -> Answer:
    """The verdict in a body. Raises `NoAnswerError`."""
    try:
        data = read_json(body)
    except ValueError:
        raise NoAnswerError("its answer is not JSON", body[:1000]) from None
    if not isinstance(data, dict):
        raise NoAnswerError("its answer is not a JSON object with a `score`", body[:1000])
    return _answer(cast("dict[str, Any]", data))


def _answer(data: dict[str, Any]) -> Answer:
    if error := data.get("error"):
        raise NoAnswerError("it reports an error", error if isinstance(error, str) else json.dumps(error)[:1000])
    explanation = next((text for key in ("explain", "explanation") if isinstance(text := data.get(key), str)), "")
    return Answer(_score(data), explanation or None)


def _score(data: dict[str, Any]) -> float:
    if "score" not in data:
        raise NoAnswerError("its answer has no `score`")
    score = data["score"]
    if isinstance(score, str):
        raise NoAnswerError(f"its score is the string {quoted(score)}, and must be a number from 0 to 1")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise NoAnswerError("its score is not a number from 0 to 1")
    if not 0 <= score <= 1:
        raise NoAnswerError(f"its score is {_short(score)}, and must be a number from 0 to 1")
    return float(score)


def _short(score: float) -> str:
    if isinstance(score, int):
        return str(score) if abs(score) < 10**6 else "out of range"
    if math.isnan(score):
        return "NaN"
    return f"{score:g}" if math.isfinite(score) else "out of range"
