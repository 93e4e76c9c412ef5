"""The names of the rules: a slug such as `no-rubric`, and a code such as `S002`."""

from __future__ import annotations

from engine.record import Record
from engine.rules.spelling import nearest_names


class RuleNames(Record):
    """The slugs and the codes of all rules, in the order of the codes."""

    slugs: tuple[str, ...]
    codes: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        """Whether a rule has this slug or code; case and surrounding blanks do not matter."""
        name = name.strip()
        return name.lower() in self.slugs or name.upper() in self.codes

    def nearest(self, name: str) -> tuple[str, ...]:
        """At most two slugs that are close to `name`, the nearest first."""
        return nearest_names(name.strip(), self.slugs)


NO_NAMES = RuleNames((), ())
