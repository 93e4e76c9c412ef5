"""Reads rubric blocks: all point syntaxes of 002, "The `should` and `should_not` Rubrics"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.blueprint import ABSENT, Absent, Block, FunctionCall, Path, Point, Rubric, normal_function_name
from engine.parsing.demands import Demands, Kind, Theirs, demand_weight, pair_name
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    first_written,
    is_null,
    is_object,
    is_text,
    string,
    truthy,
    value_of,
)
from engine.parsing.normalised_form import IN_EVERY_OBJECT
from engine.text import Span, replace
from engine.text.pacing import give_way
from engine.yaml.keys import Part, is_like_text, is_named, names_read
from engine.yaml.nodes import (
    Data,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    json_text,
    resolved,
    to_data,
)

_POINT_FIELDS = names_read(Part.POINT)
_QUOTED_FUNCTION: Final = r"(?a)\$[A-Za-z_]\w*\s*[:(]"
_FUNCTION_NAME: Final = r"(?a)\$[A-Za-z_]\w*"
_TUPLE_NAME: Final = r"(?a)[A-Za-z]\w*"
_PLAIN: Final = Style.PLAIN
_DEEPEST = 8
_NO_POINT: Final = (
    "Invalid point object in prompt '{prompt}': Point must define 'text', a function ('fn' or '$...'), or a"
    " 'Point: Citation' pair. Found: {json}"
)
_BOTH: Final = "Invalid point in prompt '{prompt}': Point cannot have both 'text' and 'fn' defined. Found: {json}"
_NO_POINT_FORMAT: Final = (
    "Invalid point format in prompt '{prompt}': Point must be a string, array, or object. Found: {json}"
)
_NO_PATH_FORMAT: Final = (
    "Invalid point format in alternative path in prompt '{prompt}'. Point must be a string or object. Found: {json}"
)
_NESTED: Final = "Nested arrays within {} are not supported in prompt '{{prompt}}'. Found: {{json}}"
_NESTED_IN_PATH: Final = _NESTED.format("alternative paths")
_NO_NAME: Final = "Invalid $ref usage in prompt '{prompt.known}'. Expected a string name."
_FUNCTIONS_OF_OBJECTS: Final = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
        *("valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
)
"""Names under which JavaScript finds a function in every object (A29)."""


class RubricReader:
    """Reads blocks into rubrics, and makes the demands on them (platform.md, A11, A12, A17-A19).

    `definitions` are the nodes that `$ref` refers to; None if they are unknown, because the header could not be read.
    """

    __slots__ = ("_defined", "_definitions", "_demand", "_item", "_references")

    def __init__(self, demand: Demands, definitions: Mapping[str, Node] | None) -> None:
        self._demand = demand
        self._definitions = definitions
        self._defined: dict[str, Point | None] = {}
        self._item: Node | None = None
        """The item of the block that is being read, or of the path within it: where Weval refuses a point."""
        self._references: list[tuple[Node, Theirs]] = []
        """What Weval refuses of the `$ref`s of the block, which it resolves after all its points."""

    def rubric(self, block: Block, node: Node) -> Rubric:
        """The rubric of a block; `node` is its value, of any type."""
        node = resolved(node)
        if type(node) is not SequenceNode:
            self._demand.note(Kind.RUBRIC_NOT_A_LIST, node, block.value)
            return Rubric(block, node.span)
        self._references = []
        entries: list[Point | Path] = []
        for written in node.items:
            give_way()
            self._item = written
            item = resolved(written)
            match item:
                case ScalarNode():
                    point = self._scalar(item)
                case MappingNode():
                    point = self._mapping(item)
                case SequenceNode():
                    point = None
                    entries += self._paths(item, len(entries))
            if point is not None:
                entries.append(point)
        for at, theirs in self._references:
            self._demand.refuse(at, theirs)
        return Rubric(block, node.span, tuple(entries), node)

    def _scalar(self, item: ScalarNode) -> Point | None:
        value = item.value
        if type(value) is not str:
            return self._not_a_string(item, _NO_POINT_FORMAT)
        if value[:1] != "$" or value == "$":
            if not value or value.isspace():
                self._demand.note(Kind.NOT_WRITTEN, item, "point")
            return Point(item.span, item.span, value, node=item)
        if value == "$ref":
            self._bad_reference(item, _NO_NAME)
        elif re.fullmatch(_FUNCTION_NAME, value) is None:
            quoted = re.match(_QUOTED_FUNCTION, value) is not None
            self._demand.note(Kind.QUOTED_FUNCTION if quoted else Kind.DOLLAR_TEXT, item, value)
        return Point(item.span, item.span, None, FunctionCall(value[1:]), node=item)

    def _not_a_string(self, item: ScalarNode, refusal: str) -> Point | None:
        """The point of a number, a date or nothing. Weval refuses it, a date only as it refuses an empty mapping."""
        theirs = _NO_POINT if is_object(item) else refusal
        if item.value is None and not item.text:
            self._refused(item, theirs, Kind.NOT_WRITTEN, "point")
            return None
        self._refused(item, theirs, Kind.NON_STRING_SCALAR, item.text)
        return Point(item.span, item.span, item.text, node=item)

    def _refused(
        self, at: Node | Span, theirs: str = _NO_POINT, kind: Kind = Kind.BAD_POINT, detail: str = "point"
    ) -> None:
        """Note what Weval refuses at the item that is being read."""
        self._demand(False, at, theirs, kind, detail, thrown=self._item)

    # Alternative paths

    def _paths(self, node: SequenceNode, index: int) -> Iterator[Path]:
        """The paths of one entry, numbered from `index`: one, or several if the entry nests a third level."""
        written = [item for item in map(resolved, node.items) if not is_null(item)]
        items = [item for item in written if type(item) is not SequenceNode or item.items]
        for empty in filter(is_null, node.items if items else ()):
            self._demand.note(Kind.NOT_WRITTEN, empty, "point")
        nested = [item for item in items if type(item) is SequenceNode]
        is_tuple = node.flow and _is_tuple(items)
        if node.items and type(resolved(node.items[0])) is SequenceNode and self._item is not None:
            self._demand.refuse(self._item, _NESTED.format("nested arrays"))
        if is_tuple:
            self._demand.note(Kind.LEGACY_TUPLE, node, refused=bool(nested))
        elif not nested and node.items and type(resolved(node.items[0])) is SequenceNode:
            self._demand.note(Kind.BAD_POINT, node.items[0], "empty path", refused=True)
        elif nested:
            works = len(nested) == len(items) and not any(map(_nests, nested))
            self._demand.note(Kind.DEEP_NESTING, node, refused=True, flagged=works)
        for alternative in nested if nested and len(nested) == len(items) else [node]:
            if alternative is not node:
                self._demand.refuse(alternative, _NESTED_IN_PATH)
            points = tuple(self._path_points(alternative, is_tuple=is_tuple))
            if points:
                yield Path(alternative.span, index, points, alternative)
                index += 1

    def _path_points(self, node: SequenceNode, depth: int = 0, *, is_tuple: bool = False) -> Iterator[Point]:
        for written in node.items:
            self._item = written
            item = resolved(written)
            if type(item) is SequenceNode:
                if item.items:
                    self._demand.refuse(written, _NESTED_IN_PATH)
                if depth < _DEEPEST:
                    yield from self._path_points(item, depth + 1)
            elif type(item) is MappingNode:
                if (point := self._mapping(item)) is not None:
                    yield point
            elif type(item.value) is str:
                if item.value[:1] == "$" and not is_tuple and re.match(_FUNCTION_NAME, item.value) is not None:
                    self._demand.note(Kind.TEXT_IN_PATH_FUNCTION, item, item.value)
                yield Point(item.span, item.span, item.value, node=item)
            elif item.value is not None and (point := self._not_a_string(item, _NO_PATH_FORMAT)) is not None:
                yield point

    # Points written as mappings

    def _mapping(self, node: MappingNode, within: tuple[str, ...] = ()) -> Point | None:
        found = fields(node)
        for name, pair in found.items():
            if name[:1] == "$":
                return self._idiomatic(node, found, name, pair, within)
        if first_truthy(found, "text", "point", "fn") is not None:
            return self._full(node, found, within)
        return self._cited(node, found)

    def _idiomatic(
        self, node: MappingNode, found: Fields, name: str, pair: Pair, within: tuple[str, ...]
    ) -> Point | None:
        """`$contains: x`, with or without `weight` and `citation`."""
        for other, extra in found.items():
            if other not in (name, "weight", "multiplier", "citation"):
                self._demand.note(Kind.UNKNOWN_KEY, extra.key, other)
        if name == "$":
            self._refused(pair.key.span)
            return None
        function = normal_function_name(name[1:])
        if function == "ref":
            return self._reference(node, found, pair, within)
        call = FunctionCall(function, to_data(pair.value))
        return Point(node.span, pair.key.span, None, call, self._weight(found), _citation(found), node)

    def _full(self, node: MappingNode, found: Fields, within: tuple[str, ...]) -> Point | None:
        """`{text|point, weight|multiplier, citation}` or `{fn, arg|fnArgs, …}`."""
        self._demand.note_unknown(found, _POINT_FIELDS)
        fn = found.get("fn")
        text = found["text"] if truthy(found.get("text")) else found.get("point")
        if not truthy(fn):
            return self._text(node, found, value_of(text))
        assert fn is not None
        if truthy(text):
            self._refused(fn.key, _BOTH, Kind.BAD_POINT, "text and fn")
        name = string(value_of(fn))
        if name is None:
            self._demand(False, fn.value, "fn.startsWith is not a function", Kind.BAD_POINT, "fn")
            return None
        if name[:1] == "$":
            self._demand.note(Kind.DOLLAR_IN_FN, fn.value, name)
        name = normal_function_name(name)
        if name == "ref":
            args = first_truthy(found, "fnArgs", "arg") or found.get("arg") or found.get("fnArgs")
            return self._reference(node, found, fn if args is None else args, within, is_named=args is not None)
        return Point(
            node.span,
            fn.value.span,
            None,
            FunctionCall(name, self._arguments(found)),
            self._weight(found),
            _citation(found),
            node,
        )

    def _text(self, node: MappingNode, found: Fields, text: Node | None) -> Point:
        assert text is not None
        written = string(text)
        if written is None:
            self._demand.note(Kind.NON_STRING_SCALAR, text, "text")
            written = text.text if isinstance(text, ScalarNode) else _json(text)
        return Point(node.span, text.span, written, None, self._weight(found), _citation(found), node)

    def _arguments(self, found: Fields) -> Data | Absent:
        """`fnArgs`, else `arg`. A falsy `fnArgs` is used here; Weval loses it (platform.md, A16)."""
        pair = found.get("fnArgs")
        if pair is not None and not is_null(pair.value):
            if not truthy(pair):
                self._demand.note(Kind.FALSY_ARGUMENT_LOST, pair.value, "fnArgs", flagged=True)
            return to_data(pair.value)
        pair = found.get("arg") or pair
        return ABSENT if pair is None else to_data(pair.value)

    def _cited(self, node: MappingNode, found: Fields) -> Point | None:
        """`Point: citation`: one key with a string as its value."""
        if len(found) != 1:
            unwritten = next((found[key] for key in ("text", "point", "fn") if key in found), None)
            at, kind = (node, Kind.BAD_POINT) if unwritten is None else (unwritten, Kind.NOT_WRITTEN)
            self._refused(at.span, _NO_POINT, kind)
            return None
        [(name, pair)] = found.items()
        value = value_of(pair)
        if type(value) is not ScalarNode or type(value.value) is not str:
            is_draft = name in ("text", "point", "fn") and is_null(value)
            self._refused(pair.span, _NO_POINT, Kind.NOT_WRITTEN if is_draft else Kind.BAD_POINT)
            return None if name in _POINT_FIELDS else Point(node.span, pair.key.span, name, node=node)
        if not name:
            self._refused(pair.span)
            return None
        if name in _POINT_FIELDS:
            self._demand.note(Kind.WEIGHT_AS_POINT, pair.key, name)
        elif (
            (isinstance(pair.key, ScalarNode) and pair.key.style is value.style is _PLAIN)
            or is_like_text(name)
            or is_named(name)
        ):
            self._demand.note(Kind.COLON_CITATION, pair.span, value.value)
        return Point(node.span, pair.key.span, name, None, 1.0, value.value, node)

    def _weight(self, found: Fields) -> float:
        """`weight`, else `multiplier`, else 1; clamped to 0.1–10."""
        pair = first_written(found, "weight", "multiplier")
        if pair is None or is_null(value_of(pair)):
            return 1.0
        refusal = "Point multiplier must be a number between 0.1 and 10. Found {text}. Prompt ID: '{prompt.known}'"
        return demand_weight(pair, self._demand, refusal, self._item)

    # $ref

    def _reference(
        self, node: MappingNode, found: Fields, pair: Pair, within: tuple[str, ...], *, is_named: bool = True
    ) -> Point:
        """The point of a definition, with the weight and the citation of the `$ref` if it has them."""
        name = _reference_name(pair.value)
        multiplier = self._weight(found)
        citation = _citation(found)
        unexpanded = Point(node.span, pair.key.span, None, FunctionCall("ref", name), multiplier, citation, node)
        if not name or not is_named:
            self._bad_reference(pair.value, _NO_NAME)
            return unexpanded
        if self._definitions is None:
            return unexpanded
        definition = self._definitions.get(name)
        if definition is None:
            if name == IN_EVERY_OBJECT:
                self._demand.note(Kind.UNDEFINED_REF, pair.value, name)
            else:
                self._bad_reference(pair.value, _undefined(name, self._demand), name)
            return unexpanded
        if name in within:
            self._demand.note(Kind.CIRCULAR_REF, pair.value, name)
            return unexpanded
        definition = resolved(definition)
        script = string(definition)
        if script is not None:
            return Point(node.span, pair.key.span, None, FunctionCall("js", script), multiplier, citation, node)
        if not isinstance(definition, MappingNode):
            if is_object(definition):
                self._demand.note(Kind.BAD_POINT, pair.value, name)
            else:
                self._bad_reference(pair.value, _unsupported(name), name, Kind.BAD_POINT)
            return unexpanded
        point = self._definition(name, definition, within)
        if point is None:
            return unexpanded
        own_weight = first_written(found, "weight", "multiplier")
        own_citation = found.get("citation")
        if own_weight is None or is_null(own_weight.value):
            multiplier = point.multiplier
        elif not within:
            self._demand.note(Kind.REF_ATTRIBUTES_IGNORED, own_weight.key, pair_name(own_weight), flagged=True)
        if own_citation is None or is_null(own_citation.value):
            citation = point.citation
        elif not within:
            self._demand.note(Kind.REF_ATTRIBUTES_IGNORED, own_citation.key, "citation", flagged=True)
        return Point(node.span, pair.key.span, point.text, point.function, multiplier, citation, node)

    def _definition(self, name: str, node: MappingNode, within: tuple[str, ...]) -> Point | None:
        """The definition `name` as a point, read once. Weval copies it without reading it, so refuses nothing in it."""
        if name not in self._defined:
            outer, references = self._demand, self._references
            self._demand, self._references = Demands(), []
            point = self._defined[name] = self._mapping(node, (*within, name))
            if point is not None and not (point.function is not None and point.function.name == "ref"):
                self._note_copied(fields(node))
            outer.findings += (replace(finding, refused=False) for finding in self._demand.findings)
            self._demand, self._references = outer, references
        return self._defined[name]

    def _note_copied(self, found: Fields) -> None:
        """Note the keys of a definition that Weval, which copies it without reading it, treats differently (A11)."""
        for name in ("$ref", "point", "weight"):
            pair = found.get(name)
            if pair is not None and not is_null(pair.value):
                self._demand.note(Kind.DEFINITION_COPIED, pair.key, name, flagged=True)

    def _bad_reference(self, at: Node, theirs: Theirs, name: str = "", kind: Kind = Kind.UNDEFINED_REF) -> None:
        self._demand.note(kind, at, name, refused=True)
        if self._item is not None:
            self._references.append((self._item, theirs))


def _undefined(name: str, demand: Demands) -> Theirs:
    if name in _FUNCTIONS_OF_OBJECTS:
        return _unsupported(name)
    return lambda: f"Undefined definition '{name}' referenced in prompt '{demand.who.known}'."


def _unsupported(name: str) -> Theirs:
    return lambda: f"Definition '{name}' is of unsupported type."


def _json(node: Node) -> str:
    return json_text(to_data(node))


def _citation(found: Fields) -> str | None:
    node = value_of(found.get("citation"))
    if node is None or is_null(node):
        return None
    return (string(node) or node.text) if isinstance(node, ScalarNode) else _json(node)


def _reference_name(node: Node) -> str:
    node = resolved(node)
    if isinstance(node, MappingNode):
        named = node.get("name")
        node = node if named is None else resolved(named)
    return string(node) or ""


def _nests(node: SequenceNode) -> bool:
    return any(type(resolved(item)) is SequenceNode for item in node.items)


def _is_tuple(items: list[ScalarNode | SequenceNode | MappingNode]) -> bool:
    """Whether a path is the legacy `[function, argument]` of 003: the name of a function, then its argument.

    A longer one, such as `[matches, INR, 2]`, is meant as a tuple too.
    """
    name = (string(items[0]) or "").removeprefix("$") if len(items) > 1 else ""
    if re.fullmatch(_TUPLE_NAME, name) is None or (len(items) > 2 and all(map(is_text, items))):
        return False
    from engine.functions import find  # few files need it, and the import is slow

    return find(name) is not None or find(name.lower()) is not None
