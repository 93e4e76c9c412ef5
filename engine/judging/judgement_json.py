"""A judgement as JSON and back, complete with the exact requests and raw replies, for the cache and the history."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from engine.judging.judgement import Judgement

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def judgement_text(judgement: Judgement) -> str:
    """One judgement as JSON in ASCII, lone surrogates included."""
    return json.dumps(_shape().dump_python(judgement))


def judgement_of(text: str) -> Judgement | None:
    """The judgement that `judgement_text` wrote; None where another version wrote the text, or it is damaged."""
    try:
        return _shape().validate_python(json.loads(text))
    except (ValueError, RecursionError):
        return None


@cache
def _shape() -> TypeAdapter[Judgement]:
    from pydantic import TypeAdapter  # here, as it is slow to load, and only saved judgements need it

    return TypeAdapter(Judgement)
