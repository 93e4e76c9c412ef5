"""The selection of rules and their levels, from a project (`[tool.blueprint-studio]`) and a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from engine.rules.registry import ALL, NAMES, no_such_rule, rule_named
from engine.rules.rule import Rule
from engine.rules.words import nearest_names
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.patterns import lazy
from engine.text.record import Record, replace

# Patterns for paths in the settings of a project: `exclude` and `per-file-ignores`.
#
# `*` stands for any characters, also for `/`; `**/` for any folders or none; `?` for one character; `[ab]` for one of
# several, `[!ab]` for any other; `{yml,yaml}` for one of several texts. Case matters.


_BRACES = lazy(r"\{([^{}]*)\}")
_PARTS = lazy(
    r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<any>\*+)|(?P<one>\?)|\[(?P<not>!?)(?P<set>\]?[^\]]*)\]|(?P<text>.)", re.S
)


class BadPattern(ValueError):
    """A pattern that can match nothing. Its text says why, for authors."""


def check_pattern(pattern: str) -> None:
    """Raise `BadPattern` for a pattern that is empty, or has a range such as `[z-a]`."""
    _compiled(pattern)


def covers(pattern: str, path: str) -> bool:
    """Whether `pattern` matches the file at `path` or a folder above it.

    `path` is relative to the folder of the settings, with `/` between its parts. A pattern matches a whole path or a
    name; one that begins with `/` matches paths only, and one that ends in `/` folders only. Raises `BadPattern`.
    """
    parts = path.split("/")
    return matches(pattern, path, is_folder=False) or any(
        matches(pattern, "/".join(parts[:end]), is_folder=True) for end in range(1, len(parts))
    )


def matches(pattern: str, path: str, *, is_folder: bool) -> bool:
    """Whether `pattern` matches `path` itself, the path of a folder or of a file. Raises `BadPattern`."""
    if pattern.endswith("/") and not is_folder:
        return False
    compiled = _compiled(pattern)
    name = path.rpartition("/")[2]
    return compiled.fullmatch(path) is not None or (
        not pattern.startswith("/") and compiled.fullmatch(name) is not None
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    bare = pattern.removeprefix("./").strip("/")
    if bare in ("", "."):
        raise BadPattern(f"“{pattern}” is not a pattern for a file or a folder.")
    try:
        return re.compile("|".join(_regex(each) for each in _alternatives(bare)), re.S)
    except re.error as error:
        raise BadPattern(f"“{pattern}” is not a valid pattern: {error.msg}.") from error


def _alternatives(pattern: str) -> list[str]:
    """The patterns that the braces in `pattern` stand for: `a.{b,c}` for `a.b` and `a.c`."""
    found = _BRACES.search(pattern)
    if found is None or "," not in found[1]:
        return [pattern]
    tails = _alternatives(pattern[found.end() :])
    return [f"{pattern[: found.start()]}{each}{tail}" for each in found[1].split(",") for tail in tails]


def _regex(pattern: str) -> str:
    return "".join(map(_part, _PARTS.finditer(pattern)))


def _part(found: re.Match[str]) -> str:
    if found["folders"] is not None:
        return "(?:.*/)?"
    if found["any"] is not None:
        return ".*"
    if found["one"] is not None:
        return "."
    if found["set"] is not None and found["set"]:
        members = re.sub(r"([\\\[\]^&|~])", r"\\\1", found["set"])
        return f"[{'^' if found['not'] else ''}{members}]"
    return re.escape(found[0])


class Level(StrEnum):
    """The level that a project gives a rule."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"
    OFF = "off"


class Exempt(Record):
    """Rules, by code, that are ignored in the files that `pattern` covers."""

    pattern: str
    codes: frozenset[str]


class RuleSelection(Record):
    """The rules that a project and a command select, by code. With `select` None: all that are on by default.

    `levels` and `exempt` are in source order.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    levels: tuple[tuple[str, Level], ...] = ()
    exempt: tuple[Exempt, ...] = ()

    def rules(self) -> tuple[Rule, ...]:
        """The selected rules, in the order of their codes. A rule that is off by default must be selected by name."""
        levels = dict(self.levels)
        return tuple(
            rule if self.select is None else rule.selected()
            for rule in ALL
            if rule.code not in self.ignore
            and levels.get(rule.code) is not Level.OFF
            and (rule.code in self.select if self.select is not None else not rule.off or rule.code in levels)
        )

    def reported(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The `diagnostics` of the selected rules, each at its configured level."""
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
        codes = [one.codes for one in self.exempt if covers(one.pattern, path)]
        return replace(self, ignore=self.ignore.union(*codes), exempt=())


EVERYTHING = RuleSelection()
"""All rules at their own levels, except those that are off by default."""


def for_weval(diagnostic: Diagnostic) -> Diagnostic:
    """`diagnostic` as `--for weval` reports it: an error if Weval refuses the text or reads it differently."""
    return replace(diagnostic, severity=Severity.ERROR) if diagnostic.flagged else diagnostic


class SettingsMistake(Record):
    """A mistake in a table of settings: the path of keys, the name that it concerns, and the message."""

    keys: tuple[str, ...]
    name: str
    message: str


class ParsedSelection(Record):
    """The selection in a table of settings, as far as it is valid, and the mistakes in it.

    `exclude` holds the patterns of the files and folders that are left out below a folder.
    """

    selection: RuleSelection
    exclude: tuple[str, ...] = ()
    mistakes: tuple[SettingsMistake, ...] = ()


_KEYS = ("select", "ignore", "severity", "per-file-ignores", "exclude")


def selection_in(table: Mapping[str, object]) -> ParsedSelection:
    """The table `[tool.blueprint-studio]`: `select`, `ignore`, `severity`, `per-file-ignores` and `exclude`."""
    reader = _TableReader()
    for key in table:
        if key not in _KEYS:
            near = nearest_names(key, _KEYS)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(_KEYS)}."
            reader.report((), key, f"There is no setting “{key}”. {hint}")
    select = reader.codes(("select",), table["select"]) if "select" in table else None
    selection = RuleSelection(
        select=select,
        ignore=reader.codes(("ignore",), table.get("ignore", [])),
        levels=reader.levels(table.get("severity", {})),
        exempt=reader.exempt(table.get("per-file-ignores", {})),
    )
    exclude = reader.patterns(table.get("exclude", []))
    return ParsedSelection(selection, exclude, tuple(reader.mistakes))


class _TableReader:
    """Reads values of the table and collects the mistakes."""

    def __init__(self) -> None:
        self.mistakes: list[SettingsMistake] = []

    def report(self, keys: tuple[str, ...], name: str, message: str) -> None:
        """Add a mistake."""
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
                near = nearest_names(level, list(Level)) if isinstance(level, str) else ()
                hint = f" Did you mean {near[0]}?" if near else ""
                message = f"The level of {name} must be one of {', '.join(Level)}.{hint}"
                self.report(("severity",), name, message)
            elif code is not None:
                found.append((code, Level(level)))
        return tuple(found)

    def exempt(self, value: object) -> tuple[Exempt, ...]:
        """The rules that are ignored in some files."""
        return tuple(
            Exempt(pattern, self.codes(("per-file-ignores", pattern), listed))
            for pattern, listed in self._table("per-file-ignores", value, '{"drafts/*.yml" = ["no-rubric"]}')
            if self._is_pattern(("per-file-ignores",), pattern)
        )

    def patterns(self, value: object) -> tuple[str, ...]:
        """The patterns that `exclude` lists."""
        texts = self._texts(("exclude",), value, 'patterns in quotes, such as ["drafts/"]')
        return tuple(pattern for pattern in texts if self._is_pattern(("exclude",), pattern))

    def _is_pattern(self, keys: tuple[str, ...], pattern: str) -> bool:
        try:
            check_pattern(pattern)
        except BadPattern as error:
            self.report(keys, pattern, str(error))
            return False
        return True

    def _code(self, keys: tuple[str, ...], name: str) -> str | None:
        rule = rule_named(name)
        if rule is None and name not in NAMES:
            self.report(keys, name, no_such_rule(name))
        return None if rule is None else rule.code

    def _texts(
        self, keys: tuple[str, ...], value: object, what: str = 'rules in quotes, such as ["no-rubric"]'
    ) -> Iterable[str]:
        listed: list[object] = list(value) if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType]
        texts = [each for each in listed if isinstance(each, str)]
        if not isinstance(value, list) or len(texts) != len(listed):
            message = f"“{keys[-1]}” must be a list of {what}."
            self.report(keys[:-1], keys[-1], message)
        return texts

    def _table(self, key: str, value: object, example: str) -> Iterable[tuple[str, object]]:
        if not isinstance(value, dict):
            self.report((), key, f"“{key}” must be a table, such as {example}.")
            return ()
        table: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
        return table.items()


def _at(level: Level | None, diagnostic: Diagnostic) -> Diagnostic:
    return diagnostic if level is None else replace(diagnostic, severity=Severity(level.value))
