"""The causes of problems: a cause that a file repeats is shown once, with its places.

Two problems have one cause if the same rule reports them at the same level in the same words, apart from what the
message quotes of the author's text, from its amounts, and from singular and plural. Names in backticks belong to the
cause: a misspelt key is another mistake than a second misspelt key. A placeholder in backticks, `{name}`, does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.rules.rule import grouped
from engine.text import Diagnostic, Record, Severity, lazy

LEAST_REPEATED = 3
"""How many problems of one cause are shown as one: two say more than a count of two."""


class CauseKey(NamedTuple):
    """What problems of one cause share; `frame` is the message without quotations and amounts."""

    code: str
    severity: Severity
    flagged: bool
    frame: str


_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS, 1)}
_QUOTED = r"""“[^”]*”|`[\[{<%.…?_][^`]*`|"(?:[^"\\…]|\\[^…])*(?:"|\\?…"?)|(?<!\w)'(?:[^']|'')*'(?!\w)"""
_AMOUNT = rf"(?<![\w.\-])[−+]?\d+(?:[.,]\d+)*%?(?!\w)|\b(?:{'|'.join(_NUMBERS)})\b"
_VARYING = lazy(rf"((?:{_QUOTED})(?:(?:,\ |\ and\ |\ or\ )(?:{_QUOTED}))*(?:\ and\ \d+\ more)?|{_AMOUNT})")
_NUMBERED = lazy(r"\b(?:code|column|item|lines?|message|paths?|points?|prompts?|step|turn) $")
"""What a number names instead of counting it."""
_GAP = "\0"
_PLURAL = lazy(rf"#{_GAP}( (?:other )?[a-z]+?)s\b|\b(are|have|were)\b")
"""The noun that an amount counts, and verbs, as they are in a frame."""
_SINGULAR = {"are": "is", "have": "has", "were": "was"}


class Cause(Record):
    """One row of problems: those numbered `reports`, in their order, or a single one.

    `message` and `why` are those of a single problem. Of several, they have what these share: `…` stands for differing
    quotations, and amounts that differ are given as a range. `why` is "" where the reasons differ in their words.
    """

    key: CauseKey
    message: str
    why: str
    reports: tuple[int, ...]

    @property
    def is_repeated(self) -> bool:
        """Whether this stands for several problems."""
        return len(self.reports) > 1


def by_cause(diagnostics: Sequence[Diagnostic]) -> tuple[Cause, ...]:
    """`diagnostics` by their causes, in the order of the first of each. Linear in their number."""
    keys = (CauseKey(each.code, each.severity, each.flagged, _frame(each.message)) for each in diagnostics)
    found = grouped((key, number) for number, key in enumerate(keys))
    causes: list[Cause] = []
    for key, reports in found.items():
        if len(reports) >= LEAST_REPEATED:
            message = _shared([diagnostics[number].message for number in reports])
            reasons = list(dict.fromkeys([diagnostics[number].why for number in reports]))
            why = _shared(reasons) if len({_frame(reason) for reason in reasons}) == 1 else ""
            causes.append(Cause(key, message, why, tuple(reports)))
        else:
            found_here = ((number, diagnostics[number]) for number in reports)
            causes += (Cause(key, each.message, each.why, (number,)) for number, each in found_here)
    return tuple(sorted(causes, key=lambda cause: cause.reports[0]))


@lru_cache(maxsize=8192)
def _frame(text: str) -> str:
    """`text` without what may vary, in the singular."""
    return _PLURAL.sub(_singular, _GAP.join(_parts(text)[0]))


def _singular(found: re.Match[str]) -> str:
    return f"#{_GAP}{found[1]}" if found[2] is None else _SINGULAR[found[2]]


@lru_cache(maxsize=8192)
def _parts(message: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of `message` around what may vary, each followed by its kind, and what may vary."""
    pieces = _VARYING.split(message)
    varying = tuple(pieces[1::2])
    kinds = ["#" if _amount(piece) is not None else "”" for piece in varying]
    return tuple([f"{words}{kind}" for words, kind in zip(pieces[::2], [*kinds, ""], strict=True)]), varying


def _shared(messages: Sequence[str]) -> str:
    """What `messages`, all with one frame, have in common; in the plural if one of them is."""
    frame = max([_parts(message)[0] for message in messages], key=lambda words: sum(map(len, words)))
    columns = zip(*(_parts(message)[1] for message in messages), strict=True)
    shared: list[str] = []
    for words, column in zip(frame, columns, strict=False):
        before = words[:-1]
        shared += (before, _range(before, list(dict.fromkeys(column))))
    return "".join([*shared, frame[-1]])


def _range(before: str, pieces: Sequence[str]) -> str:
    """`pieces`, which differ at one place of their messages, as one; `before` are the words before them."""
    if len(pieces) == 1:
        return pieces[0]
    amounts = {piece: amount for piece in pieces if (amount := _amount(piece)) is not None}
    if len(amounts) < len(pieces):
        return "“…”"
    if _NUMBERED.search(before):
        return "…"
    least, most = min(pieces, key=amounts.__getitem__), max(pieces, key=amounts.__getitem__)
    return f"{_NUMBER_WORDS.get(least, least)} to {_NUMBER_WORDS.get(most, most)}"


def _amount(piece: str) -> float | None:
    """The amount that `piece` writes; None if it is a quotation."""
    written = _NUMBER_WORDS.get(piece, piece).replace(",", "").replace("−", "-").removesuffix("%")
    try:
        return float(written)
    except ValueError:
        return None
