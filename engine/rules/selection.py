"""Which rules report, and at which level: what a project and a command ask for (`[tool.blueprint-studio]`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase

from engine.diagnostics import Diagnostic, Severity
from engine.record import Record, replace
from engine.rules.registry import ALL, no_such_rule, rule_named
from engine.rules.rule import Rule
from engine.rules.spelling import meant


class Level(StrEnum):
    """How much a project takes a rule to matter."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"
    OFF = "off"


class Exempt(Record):
    """Rules, by code, that are left out in files whose name, or path below the settings' folder, fits `pattern`."""

    pattern: str
    codes: frozenset[str]


class RuleSelection(Record):
    """The rules that a project and a command select, all by code. `select` None: all that are not off by default.

    `levels` and `exempt` are in the order in which they were written.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    levels: tuple[tuple[str, Level], ...] = ()
    exempt: tuple[Exempt, ...] = ()

    def rules(self) -> tuple[Rule, ...]:
        """The selected rules, in the order of their codes. One that is off by default has to be asked for."""
        levels = dict(self.levels)
        return tuple(
            rule
            for rule in ALL
            if rule.code not in self.ignore
            and levels.get(rule.code) is not Level.OFF
            and (rule.code in self.select if self.select is not None else not rule.off or rule.code in levels)
        )

    def reported(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Those of `diagnostics` that the selected rules report, each at the level that was asked for."""
        if self == EVERYTHING:
            return tuple(diagnostics)
        codes = {rule.code for rule in self.rules()}
        levels = dict(self.levels)
        return tuple(_at(levels.get(each.code), each) for each in diagnostics if each.code in codes)

    def with_options(self, select: Iterable[str], ignore: Iterable[str]) -> RuleSelection:
        """This selection with the options of a command, by code: `select` replaces what the project selects."""
        selected, ignored = frozenset(select), frozenset(ignore)
        if not selected:
            return replace(self, ignore=self.ignore | ignored)
        levels = tuple((code, level) for code, level in self.levels if level is not Level.OFF)
        return replace(self, select=selected, ignore=ignored, levels=levels)

    def within(self, path: str) -> RuleSelection:
        """The selection for the file at `path`, relative to the settings' folder with `/` between folders."""
        name = path.rpartition("/")[2]
        codes = [one.codes for one in self.exempt if fnmatchcase(path, one.pattern) or fnmatchcase(name, one.pattern)]
        return replace(self, ignore=self.ignore.union(*codes), exempt=())


EVERYTHING = RuleSelection()
"""All rules at their own levels, except those that are off by default."""


def for_weval(diagnostic: Diagnostic) -> Diagnostic:
    """`diagnostic` as `--for weval` reports it: what Weval refuses or reads otherwise is an error."""
    return replace(diagnostic, severity=Severity.ERROR) if diagnostic.flagged else diagnostic


class SettingsMistake(Record):
    """What is wrong in a table of settings: the keys that lead there, the name that it concerns, and the message."""

    keys: tuple[str, ...]
    name: str
    message: str


class ParsedSelection(Record):
    """What a table of settings asks for, as far as it can be understood, and what is wrong in it."""

    choice: RuleSelection
    mistakes: tuple[SettingsMistake, ...] = ()


_KEYS = ("select", "ignore", "severity", "per-file-ignores")


def selection_in(table: Mapping[str, object]) -> ParsedSelection:
    """What the table `[tool.blueprint-studio]` asks for: `select`, `ignore`, `severity` and `per-file-ignores`."""
    reader = _TableReader()
    for key in table:
        if key not in _KEYS:
            near = meant(key, _KEYS)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(_KEYS)}."
            reader.wrong((), key, f"There is no setting “{key}”. {hint}")
    select = reader.codes(("select",), table["select"]) if "select" in table else None
    choice = RuleSelection(
        select=select,
        ignore=reader.codes(("ignore",), table.get("ignore", [])),
        levels=reader.levels(table.get("severity", {})),
        exempt=reader.exempt(table.get("per-file-ignores", {})),
    )
    return ParsedSelection(choice, tuple(reader.mistakes))


class _TableReader:
    """Reads values of the table, and notes what is wrong with them."""

    def __init__(self) -> None:
        self.mistakes: list[SettingsMistake] = []

    def wrong(self, keys: tuple[str, ...], name: str, message: str) -> None:
        """Note a mistake."""
        self.mistakes.append(SettingsMistake(keys, name, message))

    def codes(self, keys: tuple[str, ...], value: object) -> frozenset[str]:
        """The rules that a list names."""
        found: set[str] = set()
        for name in self._texts(keys, value):
            code = self._code(keys, name)
            if code is not None:
                found.add(code)
        return frozenset(found)

    def levels(self, value: object) -> tuple[tuple[str, Level], ...]:
        """The level of each rule that a table names."""
        found: list[tuple[str, Level]] = []
        for name, level in self._table("severity", value, '{no-rubric = "error"}'):
            code = self._code(("severity",), name)
            if not isinstance(level, str) or level not in list(Level):
                near = meant(level, list(Level)) if isinstance(level, str) else ()
                hint = f" Did you mean {near[0]}?" if near else ""
                message = f"The level of {name} must be one of {', '.join(Level)}.{hint}"
                self.wrong(("severity",), name, message)
            elif code is not None:
                found.append((code, Level(level)))
        return tuple(found)

    def exempt(self, value: object) -> tuple[Exempt, ...]:
        """The rules that are left out in some files."""
        return tuple(
            Exempt(pattern, self.codes(("per-file-ignores", pattern), listed))
            for pattern, listed in self._table("per-file-ignores", value, '{"drafts/*.yml" = ["no-rubric"]}')
        )

    def _code(self, keys: tuple[str, ...], name: str) -> str | None:
        rule = rule_named(name)
        if rule is None:
            self.wrong(keys, name, no_such_rule(name))
        return None if rule is None else rule.code

    def _texts(self, keys: tuple[str, ...], value: object) -> Iterable[str]:
        listed: list[object] = list(value) if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType]
        texts = [each for each in listed if isinstance(each, str)]
        if not isinstance(value, list) or len(texts) != len(listed):
            message = f'“{keys[-1]}” must be a list of rules in quotes, such as ["no-rubric"].'
            self.wrong(keys[:-1], keys[-1], message)
        return texts

    def _table(self, key: str, value: object, example: str) -> Iterable[tuple[str, object]]:
        if not isinstance(value, dict):
            self.wrong((), key, f"“{key}” must be a table, such as {example}.")
            return ()
        table: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
        return table.items()


def _at(level: Level | None, diagnostic: Diagnostic) -> Diagnostic:
    return diagnostic if level is None else replace(diagnostic, severity=Severity(level.value))
