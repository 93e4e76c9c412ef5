"""The names of the rules: a slug such as `no-rubric`, and a code such as `S002`."""

from __future__ import annotations

from engine.record import Record
from engine.rules.spelling import meant


class RuleNames(Record):
    """The slugs and the codes of all rules, in the order of the codes."""

    slugs: tuple[str, ...]
    codes: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        """Whether a rule has this slug or code; capitals and blanks around it do not matter."""
        name = name.strip()
        return name.lower() in self.slugs or name.upper() in self.codes

    def nearest(self, name: str) -> tuple[str, ...]:
        """The slugs that a name which no rule has may stand for, the nearest first, at most two."""
        return meant(name.strip(), self.slugs)


NO_NAMES = RuleNames((), ())
