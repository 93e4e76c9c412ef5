"""The passages of an answer that judges quote in their reflections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.evidence.word_forms import without_accents
from engine.rules.functions.literal_forms import plain_form
from engine.text import Span

_QUOTED = re.compile(
    r"“([^“”]{4,600})”|«([^«»]{4,600})»|„([^„“]{4,600})“|\"([^\"\n]{4,600})\"|`([^`\n]{4,600})`"
    r"|(?<!\w)['‘]([^\n]{4,600}?)['’](?!\w)"
)
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*")
_EDGES = " .,;:!?…*_"
_SHORTEST = 4
_LONGEST_ANSWER = 200_000


def quotes_found(reflections: Iterable[str], answer: str) -> tuple[Span, ...]:
    """The places in `answer` of what `reflections` quote, in the order of the answer, without repeats.

    Case, accents, quotes, dashes, blanks and emphasis may differ; of a quote with an ellipsis, each part is looked for.
    A quote that is not in the answer is left out: judges quote criteria too, and sometimes what nobody wrote.
    """
    if len(answer) > _LONGEST_ANSWER:
        return ()
    spans = {span for text in reflections for part in _parts(text) if (span := _place(part, answer)) is not None}
    return tuple(sorted(spans))


def _parts(reflection: str) -> Iterator[str]:
    for found in _QUOTED.finditer(reflection):
        quote = next(group for group in found.groups() if group is not None)
        for part in _ELLIPSIS.split(quote):
            stripped = part.strip(_EDGES)
            if len(stripped) >= _SHORTEST:
                yield stripped


def _place(part: str, answer: str) -> Span | None:
    wanted, _ = _folded(part)
    text, places = _folded(answer)
    at = text.find(wanted) if wanted else -1
    return None if at < 0 else Span(places[at], places[at + len(wanted) - 1] + 1)


@lru_cache(maxsize=64)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """`text` in lower case, without accents and format, with the place of each of its characters."""
    plain = plain_form(text)
    pairs = [
        (letter, place)
        for character, place in zip(plain.text, plain.places, strict=True)
        for letter in without_accents(character).lower()
    ]
    return "".join(letter for letter, _ in pairs), tuple(place for _, place in pairs)
