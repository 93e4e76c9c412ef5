"""Tags: the directives before a document and the full form of its tags, nodes with their explicit tags applied.

Also the keys that a mapping has twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from engine.text.record import Record, replace
from engine.text.spans import Span
from engine.yaml.cursor import END
from engine.yaml.nodes import (
    MERGE,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    holds_bytes,
    is_merge,
    merged_names,
    own_nodes,
    property_name,
    resolved,
)
from engine.yaml.schema import ANY_TAG, MERGE_TAG, Unresolvable, retagged_value, tagged_scalar

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


_TAG = "tag:yaml.org,2002:"


class Duplicate(Record):
    """A key that its mapping already has: the pair, the first pair with the same key, and the key's name."""

    pair: Pair
    first: Pair
    name: str


def scalar(span: Span, text: str, style: Style, tag: str) -> Node:
    """A scalar with an explicit, resolved `tag`. Raises `Unresolvable`.

    `!!binary` becomes a mapping from index to byte, as JavaScript writes a byte array as JSON.
    """
    value = tagged_scalar(tag, text)
    if isinstance(value, bytes):
        return MappingNode(
            span, tuple(Pair(_number(span, i), _number(span, byte)) for i, byte in enumerate(value)), True
        )
    if text == MERGE:
        # Only these tags make a merge key, whatever the style.
        style = Style.PLAIN if tag in (MERGE_TAG, ANY_TAG) else Style.SINGLE
    return ScalarNode(span, value, text, style)


def retagged(node: ScalarNode, tag: str) -> ScalarNode:
    """`node`, whose value is not a string, with the explicit, resolved `tag` applied to it. Raises `Unresolvable`."""
    value = retagged_value(tag, node.value)
    return ScalarNode(node.span, value, node.text, node.style)


def as_ordinary_key(node: Node) -> Node:
    """`node`; a merge key `<<` becomes an ordinary key, as if it were quoted."""
    return replace(node, style=Style.SINGLE) if isinstance(node, ScalarNode) and is_merge(node) else node


def empty(span: Span, tag: str) -> Node:
    """An empty node with the explicit, resolved `tag`. Raises `Unresolvable`."""
    match tag.removeprefix(_TAG):
        case "merge":
            return ScalarNode(span, None, MERGE, Style.PLAIN)
        case "?":
            return ScalarNode(span, None, "", Style.PLAIN)
        case "seq" | "omap" | "pairs":
            return SequenceNode(span, (), True)
        case "map" | "set":
            return MappingNode(span, (), True)
        case "str" | "null":
            value = tagged_scalar(tag, None)
            assert value is None or isinstance(value, str)
            return ScalarNode(span, value, "", Style.PLAIN)
        case _:
            tagged_scalar(tag, None)
            raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")


def sequence(node: SequenceNode, tag: str) -> SequenceNode:
    """The list `node` as the explicit, resolved `tag` makes it. Raises `Unresolvable`."""
    kind = tag.removeprefix(_TAG) if tag.startswith(_TAG) else None
    if kind == "seq":
        return node
    if kind not in ("omap", "pairs"):
        raise Unresolvable(f"unknown tag !<{tag}>")
    pairs: list[Node] = []
    names: list[str] = []
    for item in node.items:
        mapping = resolved(item)
        own = own_nodes(mapping) if isinstance(mapping, MappingNode) and not holds_bytes(mapping) else {}
        if len(own) != 1:
            raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
        (name, value), *_ = own.items()
        names.append(name)
        assert isinstance(mapping, MappingNode)
        key = ScalarNode(mapping.pairs[0].key.span, name, name, Style.PLAIN)
        pairs.append(SequenceNode(mapping.span, (key, value), mapping.flow))
    if kind == "pairs":
        return SequenceNode(node.span, tuple(pairs), node.flow)
    if len(set(names)) < len(names):
        raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
    return node


def mapping(node: MappingNode, tag: str) -> MappingNode:
    """The mapping `node` as the explicit, resolved `tag` makes it. Raises `Unresolvable`."""
    kind = tag.removeprefix(_TAG) if tag.startswith(_TAG) else None
    if kind not in ("map", "set"):
        raise Unresolvable(f"unknown tag !<{tag}>")
    if kind == "set":
        for value in map(resolved, own_nodes(node).values()):
            if not (isinstance(value, ScalarNode) and value.value is None):
                raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
    return node


def _number(span: Span, value: int) -> ScalarNode:
    return ScalarNode(span, value, str(value), Style.PLAIN)


def duplicates(pairs: Sequence[Pair]) -> list[Duplicate]:
    """The pairs whose key occurs before. A key that a merge brings in may be overridden once."""
    first: dict[str, Pair] = {}
    overridable: set[str] = set()
    found: list[Duplicate] = []
    for pair in pairs:
        if is_merge(pair.key):
            for name in merged_names(pair.value):
                if name not in first:
                    first[name] = pair
                    overridable.add(name)
            continue
        name = property_name(pair.key)
        if name in first and name not in overridable:
            found.append(Duplicate(pair, first[name], name))
        else:
            first[name] = pair
        overridable.discard(name)
    return found


def check(pair: Pair) -> None:
    """Raise `Unresolvable` if `pair` merges something other than mappings, or its key is a list of lists."""
    if is_merge(pair.key):
        sources = resolved(pair.value)
        for source in sources.items if isinstance(sources, SequenceNode) else (sources,):
            source = resolved(source)
            if isinstance(source, ScalarNode) and not isinstance(source.value, datetime):
                raise Unresolvable("cannot merge mappings; the provided source object is unacceptable")
        return
    key = resolved(pair.key)
    if isinstance(key, SequenceNode) and any(isinstance(resolved(item), SequenceNode) for item in key.items):
        raise Unresolvable("nested arrays are not supported inside keys")
