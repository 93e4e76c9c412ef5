"""Which rules count, and at which level: as a project, a command, and `--for weval` select them.

The settings of a project are `[tool.blueprint-studio]` in `pyproject.toml`, or `blueprint-studio.toml`. The search goes
from the folder of each blueprint upwards, and only the nearest file with settings counts. For Weval, whatever it
refuses is an error, and rules that are off, and are of use to those who send a blueprint there, are added.

Importing this module loads the rules: the first frame must not need it.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import translate
from functools import cache
from pathlib import Path

from engine.files.atomic import read_regular
from engine.parsing import Parsed, parse
from engine.rules.registry import ALL, NAMES, no_such_rule, rule_named
from engine.rules.rule import FileView, Rule, nearest_names
from engine.text import Diagnostic, Record, Severity, Span, lazy, replace

# Patterns for paths in the settings of a project: `exclude` and `per-file-ignores`.
#
# `*` stands for any characters, also for `/`; `**/` for any folders or none; `?` for one character; `[ab]` for one of
# several, `[!ab]` for any other; `{yml,yaml}` for one of several texts. Case matters.


_BRACES = lazy(r"\{([^{}]*)\}")
_FOLDERS = lazy(r"(?:(?<=/)|^)\*\*/")
_RANGE = lazy(r"(?<=\[)[^]]*?((?P<first>[^]])-(?P<last>[^]]))")


class BadPattern(ValueError):
    """A pattern that can match nothing. Its text says why, for authors."""


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
    compiled = path_pattern(pattern)
    name = path.rpartition("/")[2]
    return compiled.fullmatch(path) is not None or (
        not pattern.startswith("/") and compiled.fullmatch(name) is not None
    )


@cache
def path_pattern(pattern: str) -> re.Pattern[str]:
    """`pattern` as a regex. Raises `BadPattern` for one that is empty, or has a range such as `[z-a]`."""
    bare = pattern.removeprefix("./").strip("/")
    if bare in ("", "."):
        raise BadPattern(f"“{pattern}” is not a pattern for a file or a folder.")
    found = next((each for each in _RANGE.finditer(bare) if each["first"] > each["last"]), None)
    if found is not None:
        raise BadPattern(f"“{pattern}” is not a valid pattern: bad character range {found[1]}.")
    return re.compile("|".join(map(_regex, _alternatives(bare))), re.S)


def _alternatives(pattern: str) -> list[str]:
    """The patterns that the braces in `pattern` stand for: `a.{b,c}` for `a.b` and `a.c`."""
    found = _BRACES.search(pattern)
    if found is None or "," not in found[1]:
        return [pattern]
    tails = _alternatives(pattern[found.end() :])
    return [f"{pattern[: found.start()]}{each}{tail}" for each in found[1].split(",") for tail in tails]


def _regex(pattern: str) -> str:
    """`pattern` as `fnmatch` reads it, but for `**/`."""
    return "(?:.*/)?".join(translate(part)[len("(?s:") : -len(")\\Z")] for part in _FOLDERS.split(pattern))


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
        chosen = (rule for rule in ALL if self.selects(rule, is_usual=not rule.off))
        return tuple(rule if self.select is None else rule.selected() for rule in chosen)

    def selects(self, rule: Rule, *, is_usual: bool) -> bool:
        """Whether `rule` is selected; where neither it nor any other is named, it is if it is one of the usual ones."""
        level = dict(self.levels).get(rule.code)
        is_named = is_usual or level is not None if self.select is None else rule.code in self.select
        return is_named and rule.code not in self.ignore and level is not Level.OFF

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


_KEYS = ("select", "ignore", "severity", "per-file-ignores", "exclude")


def _at(level: Level | None, diagnostic: Diagnostic) -> Diagnostic:
    return diagnostic if level is None else replace(diagnostic, severity=Severity(level.value))


OWN_FILE = "blueprint-studio.toml"
"""The file with the settings at its top level. It takes precedence over `PYPROJECT` in the same folder."""
PYPROJECT = "pyproject.toml"
"""The file with the settings in the table `[tool.blueprint-studio]`. Without that table it is ignored."""

_HEADER = lazy(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*[\"']?blueprint-studio", re.MULTILINE)
_MAX_BYTES = 4 << 20
_AT_LINE = lazy(r"\(at line (\d+), column \d+\)")


class SettingsProblem(Record):
    """A problem in a settings file, for authors: the file, the line (from 1), and what to do."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ProjectSettings(Record):
    """The valid part of a settings file. `file` is None if there is no settings file.

    `exclude` holds patterns for files and folders, relative to the folder of the settings file.
    """

    selection: RuleSelection = EVERYTHING
    exclude: tuple[str, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    file: Path | None = None

    def of(self, path: Path) -> ProjectSettings:
        """These settings for the blueprint at `path`, below the folder of the settings file."""
        if self.file is None or not self.selection.exempt:
            return self
        below = _absolute(path).relative_to(self.file.parent)
        return replace(self, selection=self.selection.within(below.as_posix()))

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Whether `exclude` matches the file or the folder at `path`, below the folder of the settings file.

        The folders above it are not considered.
        """
        if self.file is None or not self.exclude:
            return False
        below = _absolute(path).relative_to(self.file.parent).as_posix()
        return any(matches(pattern, below, is_folder=is_folder) for pattern in self.exclude)


def selection_in(table: Mapping[str, object], file: Path | None = None, text: str = "") -> ProjectSettings:
    """The table `[tool.blueprint-studio]` of `file`, as far as it is valid, with a problem for each mistake in it."""
    reader = _TableReader(file or Path(), text)
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
    return ProjectSettings(selection, exclude, tuple(reader.problems), file)


class _TableReader:
    """Reads values of the table and collects the mistakes."""

    def __init__(self, file: Path, text: str) -> None:
        self._file, self._text = file, text
        self.problems: list[SettingsProblem] = []

    def report(self, keys: tuple[str, ...], name: str, message: str) -> None:
        """Add a mistake at the first place of `name` after the `keys` that lead to it."""
        header = _HEADER.search(self._text)
        at = header.start() if header is not None else 0
        for word in (*keys, name):
            found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(self._text, at)
            at = at if found is None else found.start()
        self.problems.append(SettingsProblem(self._file, self._text.count("\n", 0, at) + 1, message))

    def codes(self, keys: tuple[str, ...], value: object) -> frozenset[str]:
        """The rules that a list names."""
        return frozenset(code for name in self._texts(keys, value) if (code := self._code(keys, name)) is not None)

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
            path_pattern(pattern)
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


class SettingsCache:
    """The settings of many blueprints. Each settings file is read once."""

    def __init__(self) -> None:
        self._by_folder: dict[Path, ProjectSettings] = {}

    def of(self, path: Path) -> ProjectSettings:
        """The settings for the blueprint at `path`."""
        return self.around(path).of(path)

    def around(self, path: Path) -> ProjectSettings:
        """The settings of the project that holds `path`, a file or a folder, before `per-file-ignores` apply."""
        return self._in(_absolute(path).parent)

    def _in(self, folder: Path) -> ProjectSettings:
        known = self._by_folder.get(folder)
        if known is None:
            known = _read(folder / OWN_FILE) or _read(folder / PYPROJECT)
            if known is None:
                known = ProjectSettings() if folder.parent == folder else self._in(folder.parent)
            self._by_folder[folder] = known
        return known


def _absolute(path: Path) -> Path:
    """`path` from the root, without `..`: the settings of this folder are not those of `../other`."""
    return Path(os.path.normpath(path.absolute()))


def settings_files(path: Path) -> Iterator[Path]:
    """The files that may hold the settings for the blueprint at `path`."""
    return (folder / name for folder in _absolute(path).parents for name in (OWN_FILE, PYPROJECT))


def _read(file: Path) -> ProjectSettings | None:
    """The settings in `file`, or None if there is no such file or it has no settings of the studio."""
    is_ours = is_own = file.name == OWN_FILE
    text, problem, line = "", "", 1
    table: Mapping[str, object] | None = None
    try:
        text = read_regular(file, _MAX_BYTES).decode("utf-8-sig")
        is_ours = is_own or _HEADER.search(text) is not None
        data = tomllib.loads(text) if is_ours or "blueprint-studio" in text else {}
        table = data if is_own else _ours(data)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        problem, line = "is not UTF-8", error.object.count(b"\n", 0, error.start) + 1
    except tomllib.TOMLDecodeError as error:
        found, reason = _AT_LINE.search(str(error)), str(error).partition(" (at ")[0].removesuffix(".").lower()
        problem, line = f"is not valid TOML: {reason}", int(found[1]) if found else text.rstrip().count("\n") + 1
    except RecursionError:
        problem = "cannot be read: it is nested too deeply"
    except ValueError:
        problem = "cannot be read: it holds a number with too many digits"
    if problem and is_ours:
        message = f"This file {problem}. All rules apply until it is fixed."
        return ProjectSettings(problems=(SettingsProblem(file, line, message),), file=file)
    return None if table is None else selection_in(table, file, text)


def _ours(data: Mapping[str, object]) -> Mapping[str, object] | None:
    tool = data.get("tool")
    table: object = tool.get("blueprint-studio") if isinstance(tool, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return table if isinstance(table, dict) else None  # pyright: ignore[reportUnknownVariableType]


_BYTE_ORDER_MARK = "\ufeff"
REFUSED_BY_WEVAL = "refused-by-weval"
_NOT_CANONICAL = "not-canonical"
_NOT_WRITTEN_YET = "not-written-yet"
FOR_WEVAL = frozenset((REFUSED_BY_WEVAL, _NOT_CANONICAL, _NOT_WRITTEN_YET))
"""The slugs of the rules that are added."""


def all_for_weval(
    parsed: Parsed, diagnostics: Sequence[Diagnostic], selection: RuleSelection = EVERYTHING, *, has_mark: bool = False
) -> tuple[Diagnostic, ...]:
    """`diagnostics` as `--for weval` reports them, with Weval's own refusal added if no error covers it.

    An error covers a refusal if it is in the prompt that Weval refuses, or in the header where Weval refuses that.
    `selection` may exclude the rule
    that reports the refusal. `has_mark` says that a byte order mark precedes the text: then Weval cannot read it as
    JSON.
    """
    if has_mark and parsed.tree.is_json:
        parsed = parse(f"{_BYTE_ORDER_MARK}{parsed.text}", parsed.path)
    unwritten = _with(_NOT_WRITTEN_YET, parsed, tuple(diagnostics), selection)
    found = with_form(parsed, tuple(map(for_weval, unwritten)), selection)
    refusal = parsed.weval.refusal
    if refusal is None:
        return found
    part = _part_of(parsed, refusal.offset)
    places = [one.span for one in found if one.severity is Severity.ERROR]
    if any(at.start <= refusal.offset <= at.end or part.start <= at.start <= part.end for at in places):
        return found
    return _with(REFUSED_BY_WEVAL, parsed, found, selection)


def with_form(
    parsed: Parsed, diagnostics: tuple[Diagnostic, ...], selection: RuleSelection = EVERYTHING
) -> tuple[Diagnostic, ...]:
    """`diagnostics`, and where the blueprint does not meet Weval's canonical form."""
    return _with(_NOT_CANONICAL, parsed, diagnostics, selection)


def _with(
    slug: str, parsed: Parsed, diagnostics: tuple[Diagnostic, ...], selection: RuleSelection
) -> tuple[Diagnostic, ...]:
    """`diagnostics` in their order with those of the rule `slug`, which is off by default."""
    rule = rule_named(slug)
    is_wanted = rule is not None and selection.selects(rule, is_usual=True)
    if rule is None or not is_wanted or any(each.code == rule.code for each in diagnostics):
        return diagnostics
    return tuple(sorted((*diagnostics, *_reported(rule, FileView(parsed))), key=lambda one: one.span.start))


def _reported(rule: Rule, view: FileView) -> Iterator[Diagnostic]:
    """What a rule says of the whole file, and of each finding for which Weval refuses it."""
    if rule.on_file is not None:
        yield from map(rule.diagnostic, rule.on_file(view))
    for finding in view.findings_of(*rule.kinds) if rule.on_finding is not None else ():
        report = rule.on_finding(finding, view) if finding.refused and rule.on_finding is not None else None
        if report is not None:
            yield rule.diagnostic(report, finding)


def _part_of(parsed: Parsed, offset: int) -> Span:
    """The prompt that contains `offset`, else the text before the first prompt."""
    spans = [prompt.span for prompt in parsed.blueprint.prompts]
    within = (span for span in spans if span.start <= offset <= span.end)
    return next(within, Span(0, min((span.start for span in spans), default=len(parsed.text))))
