"""The names of the rules: a slug such as `no-rubric`, and a code such as `S002`."""

from __future__ import annotations

from engine.record import Record
from engine.rules.retired import RETIRED
from engine.rules.spelling import nearest_names

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
