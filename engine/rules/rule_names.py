"""The names of the rules: a slug such as `no-rubric`, and a code such as `S002`.

Those of rules that are gone are never used again, and where one is named nothing is wrong.
"""

from __future__ import annotations

from engine.rules.words import nearest_names
from engine.text.record import Record


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
    Retired("typographic-signs", "Y015", "2026-11-29"),
    Retired("stray-quote", "Y016", "2026-11-29"),
    Retired("unused-anchor", "Y017", "2026-11-29"),
)
"""All rules that are gone, in the order in which the reference lists them."""


_GONE = frozenset(each.slug for each in RETIRED)


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
        return nearest_names(name.strip(), [slug for slug in self.slugs if slug not in _GONE])


NO_NAMES = RuleNames((), ())
