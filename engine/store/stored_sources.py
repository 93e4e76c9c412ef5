"""Answer sources as JSON in the database."""

from __future__ import annotations

import json
from functools import lru_cache

from engine.evaluation.sources import AnswerSource, ModelSource, SavedSource, WrittenSource, saved_source
from engine.providers.secret import without_password


def stored_source(source: AnswerSource) -> str:
    """A source as ASCII JSON, without the author's own text (the response has it) and without passwords."""
    saved = source.saved
    more = without_password(saved.more) if isinstance(source, ModelSource) and saved.more else saved.more
    return json.dumps([saved.kind, saved.value, more])


@lru_cache(maxsize=256)
def restored_source(stored: str) -> AnswerSource:
    """The source that `stored_source` was given; one of an unknown kind becomes a `WrittenSource`."""
    kind, value, more = json.loads(stored)
    return saved_source(SavedSource(kind, value, more)) or WrittenSource()
