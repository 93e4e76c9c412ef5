"""Words of a text, by which most rules pass over most texts before they try a pattern, and the names of the rules.

What is near a misspelt name, and what holds a key that no diagnostic may repeat (DESIGN, law 7), is found here too. A
rule has a slug such as `no-rubric`, and a code such as `S002`. Those of rules that are gone are never used again, and
where one is named nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache, reduce

from engine.text.diagnostics import Diagnostic, Fix
from engine.text.patterns import lazy
from engine.text.record import Record, replace

_CACHE_SIZE = 8_000
_SIGNS = lazy(r"[\W_]+")
_WITHOUT_SIGNS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})


@lru_cache(maxsize=_CACHE_SIZE)
def all_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, without signs: “don't” is two.

    A regex that needs one of a few words takes ten times as long to find that a text has none as this set.
    """
    lower = text.lower()
    if not lower.isascii():
        return frozenset(_SIGNS.split(lower))
    words = frozenset(lower.translate(_WITHOUT_SIGNS).split())
    return words if lower[:1].isalnum() and lower[-1:].isalnum() else words | {""}  # as `split` gives it


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which are separated by blanks."""
    return frozenset(text.split())


_NEAR = 0.75
_LONGEST = 100
"""Longer words are no misspelt names."""


def nearest_names(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """At most two of the `known` names that are close to `word`, the nearest first.

    Just one if it is the only name that differs in case alone, or in one letter alone.
    """
    return () if len(word) > _LONGEST else _nearest(word, tuple(known))


@lru_cache(4096)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    lower = word.lower()
    same = [name for name in known if name.lower() == lower]
    for found in (same, [name for name in known if one_letter_off(lower, name.lower())]):
        if len(found) == 1:
            return (found[0],)
    return tuple(get_close_matches(word, known, n=2, cutoff=_NEAR))


def suggestion(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown name: the known names that are near, else the first five of all."""
    near = nearest_names(name, known)
    if near:
        return f": did you mean {' or '.join(f'“{each}”' for each in near)}?"
    return f": there is {', '.join(f'“{each}”' for each in known[:5])}" if known else ": none is declared"


def one_letter_off(one: str, other: str) -> bool:
    """Whether the names differ by one added, missing or changed letter, or by two swapped letters."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((index for index, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long


SECRET_IN_FILE = "secret-in-file"


def with_masked_keys(found: list[Diagnostic], text: str) -> list[Diagnostic]:
    """`found`, with stars for the keys that are reported among it, and without fixes that write one of them."""
    written = {each.span.of(text) for each in found if each.slug == SECRET_IN_FILE}
    if not written:
        return found
    from engine.models.secret import Secret  # only where a file holds one

    keys = [Secret(each) for each in written]

    def masked(line: str) -> str:
        return reduce(lambda text, key: key.scrub_parts(text), keys, line)

    return [
        replace(
            each,
            message=masked(each.message),
            why=masked(each.why),
            related=tuple(replace(one, message=masked(one.message)) for one in each.related),
            fixes=tuple(fix for fix in each.fixes if masked(said := _said_by(fix)) == said),
        )
        for each in found
    ]


def _said_by(fix: Fix) -> str:
    return " ".join((fix.title, *(edit.text for edit in fix.edits)))


class Retired(Record):
    """A rule that is gone: since which day, as `YYYY-MM-DD`, and what stands in its place, if anything does."""

    slug: str
    code: str
    since: str
    successor: str = ""

    @property
    def sentence(self) -> str:
        """What is said of the rule, by its name, in the reference."""
        after = f" {self.successor} takes its place." if self.successor else ""
        gone = f"{self.slug} ({self.code}) has been retired since {self.since}: it reports nothing,"
        return f"{gone} and where it is named nothing is wrong.{after}"


REVIEW = "a line of `studio review`"

RETIRED = (
    Retired("slow-regex", "F013", "2026-11-28"),
    Retired("swallowed-block", "Y014", "2026-11-28", "swallowed-point"),
    Retired("turns-joined", "F085", "2026-11-28"),
    Retired("beyond-token-limit", "F086", "2026-11-28"),
    Retired("function-in-should-not", "R012", "2026-11-28"),
    Retired("keyword-only", "R036", "2026-11-28"),
    Retired("answer-not-given", "R062", "2026-11-28"),
    Retired("polarity", "R063", "2026-11-28"),
    Retired("double-barrelled", "R064", "2026-11-28"),
    Retired("no-citation", "R037", "2026-11-28", REVIEW),
    Retired("drowned-guard", "R080", "2026-11-28", REVIEW),
    Retired("echoed-literal", "F084", "2026-11-28", REVIEW),
)
"""All rules that are gone, in the order in which the reference lists them."""


class RuleNames(Record):
    """The slugs and the codes of all rules, also of retired ones."""

    slugs: tuple[str, ...]
    codes: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        """Whether a rule has or had this slug or code; case and surrounding blanks do not matter."""
        return self.spelled(name) is not None

    def spelled(self, name: str) -> str | None:
        """The slug or code `name` of a rule, also of a retired one, as it is written; None if no rule has it."""
        name = name.strip()
        known = (*self.slugs, *self.codes)
        return next((each for each in (name.lower(), name.upper()) if each in known), None)

    def nearest(self, name: str) -> tuple[str, ...]:
        """At most two slugs of rules that are not retired and close to `name`, the nearest first."""
        gone = {each.slug for each in RETIRED}
        return nearest_names(name.strip(), [slug for slug in self.slugs if slug not in gone])


NO_NAMES = RuleNames((), ())
