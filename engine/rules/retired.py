"""Rules that are gone: their slugs and codes are never used again, and where one is named nothing is wrong."""

from __future__ import annotations

from engine.record import Record


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
