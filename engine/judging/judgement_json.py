"""A judgement as text and back, for whoever keeps it: everything is there, the exact request and the raw reply too."""

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
    """The judgement in what `judgement_text` gave; None where another version wrote it, and the judge is asked anew."""
    from pydantic import ValidationError

    try:
        return _shape().validate_python(json.loads(text))
    except (ValidationError, json.JSONDecodeError):
        return None


@cache
def _shape() -> TypeAdapter[Judgement]:
    from pydantic import TypeAdapter  # here, as it takes long to load, and only those who keep judgements need it

    return TypeAdapter(Judgement)
