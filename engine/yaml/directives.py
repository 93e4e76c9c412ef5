"""The directives before a document (`%YAML`, `%TAG`), and the full form of its tags."""

from __future__ import annotations

import re

from engine.yaml.cursor import END

_HANDLE = re.compile(r"!|!!|![a-z\-]+!", re.ASCII | re.IGNORECASE)
_PREFIX = re.compile(
    "[^,\\[\\]{}\U00010000-\U0010ffff]" r"(?:%[0-9a-f]{2}|[0-9a-z\-#;/?:@&=+$,_.!~*'()\[\]])*+",
    re.ASCII | re.IGNORECASE,
)
_VERSION = re.compile(r"([0-9]+)\.([0-9]+)", re.ASCII)
_BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_SUFFIX = re.compile(r"[^\0 \t\n\r]*")


class Directives:
    """The directives of one document."""

    __slots__ = ("_has_version", "_prefixes")

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}
        self._has_version = False

    def add(self, line: str) -> str | None:
        """Add one directive, from its `%` to the end of its line; returns js-yaml's reason to refuse it, if any."""
        name, *arguments = re.split(r"[ \t]+", re.sub(r"(?<=[ \t])#.*", "", line[1:]).rstrip(" \t"))
        match name:
            case "":
                return "directive name must not be less than one character in length"
            case "YAML":
                return self._version(arguments)
            case "TAG":
                return self._tag(arguments)
            case _:
                return None

    def _version(self, arguments: list[str]) -> str | None:
        if self._has_version:
            return "duplication of %YAML directive"
        if len(arguments) != 1:
            return "YAML directive accepts exactly one argument"
        match = _VERSION.fullmatch(arguments[0])
        if match is None:
            return "ill-formed argument of the YAML directive"
        if int(match[1]) != 1:
            return "unacceptable YAML version of the document"
        self._has_version = True
        return None

    def _tag(self, arguments: list[str]) -> str | None:
        if len(arguments) != 2:
            return "TAG directive accepts exactly two arguments"
        handle, prefix = arguments
        if _HANDLE.fullmatch(handle) is None:
            return "ill-formed tag handle (first argument) of the TAG directive"
        if handle in self._prefixes:
            return f'there is a previously declared suffix for "{handle}" tag handle'
        if _PREFIX.fullmatch(prefix) is None:
            return "ill-formed tag prefix (second argument) of the TAG directive"
        decoded = _unquoted(prefix)
        if decoded is None:
            return f"tag prefix is malformed: {prefix}"
        self._prefixes[handle] = decoded
        return None

    def tag(self, text: str, at: int) -> tuple[str, int, str | None]:
        """The full tag at `at`, the offset after it, and js-yaml's reason to refuse it, if any."""
        if text.startswith("!<", at):
            end = text.find(">", at + 3)
            if end < 0 or END in text[at:end]:
                return "", text.index(END, at), "unexpected end of the stream within a verbatim tag"
            return self._named(text[at + 2 : end], "", end + 1)
        suffix = _SUFFIX.match(text, at + 1)
        assert suffix is not None
        written = suffix[0]
        named = written.find("!")
        handle, name = f"!{written[: named + 1]}", written[named + 1 :]
        if _HANDLE.fullmatch(handle) is None:
            return "", at + 1 + named, "named tag handle cannot contain such characters"
        if "!" in name:
            return "", at + 2 + named + name.index("!"), "tag suffix cannot contain exclamation marks"
        end = suffix.end()
        if any(character in ",[]{}" for character in name):
            return "", end, "tag suffix cannot contain flow indicator characters"
        if handle in self._prefixes:
            prefix = self._prefixes[handle]
        elif handle == "!":
            prefix = "!"
        elif handle == "!!":
            prefix = "tag:yaml.org,2002:"
        else:
            return "", end, f'undeclared tag handle "{handle}"'
        return self._named(name, prefix, end)

    def _named(self, name: str, prefix: str, end: int) -> tuple[str, int, str | None]:
        if name and _PREFIX.fullmatch(name) is None:
            return "", end, f"tag name cannot contain such characters: {name}"
        decoded = _unquoted(name)
        if decoded is None:
            return "", end, f"tag name is malformed: {name}"
        return prefix + decoded, end, None


def _unquoted(text: str) -> str | None:
    """`text` with its percent escapes decoded; None if one is malformed or they are not UTF-8."""
    if _BAD_PERCENT.search(text) is not None:
        return None
    from urllib.parse import unquote  # few texts have a tag, and the import is slow

    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None
