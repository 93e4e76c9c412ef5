"""Patterns for paths in the settings of a project: `exclude` and `per-file-ignores`.

`*` stands for any characters, also for `/`; `**/` for any folders or none; `?` for one character; `[ab]` for one of
several, `[!ab]` for any other; `{yml,yaml}` for one of several texts. Case matters.
"""

from __future__ import annotations

import re
from functools import cache

from engine.text.patterns import lazy

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
