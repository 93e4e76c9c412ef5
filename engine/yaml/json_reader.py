"""JSON → nodes, read as strictly as `JSON.parse` does: the last of two equal keys wins; every value has its span.

Also the report of the first error.
"""

from __future__ import annotations

import json
import re
from typing import Final

from msgspec import Struct

from engine.text.spans import Span, TextEdit
from engine.text.text_limits import DEPTH, VALUES, TooManyValues
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml.scalar_text import Refusal
from engine.yaml.schema import int_of
from engine.yaml.slips import Slip, SlipRule

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
"""A string up to its closing quotation mark, or up to what cannot be in one."""
_WORD = re.compile(r"[A-Za-z]+")
_WORDS: Final = {"true": True, "false": False, "null": None}


_COMMA_AT_END = re.compile(r",\s*\Z")
_JSON_ESCAPE = re.compile(r"\\([\"\\/bfnrt]|u[0-9a-fA-F]{4})?")


def read_json(text: str) -> Node:
    """The one value of `text`. Raises `Refusal`, `TooManyValues`."""
    reader = _JsonReader(text)
    node = reader.value(0)
    reader.skip()
    if reader.pos < len(text):
        error = Refusal("The JSON value ends before this: remove what follows it.", reader.pos)
        error.partial = node
        raise error
    return node


class _JsonReader(Struct):
    text: str
    pos: int = 0
    values: int = 0

    def skip(self) -> str:
        """Skip white space; the next character, or "" at the end."""
        space = _SPACE.match(self.text, self.pos)
        assert space is not None
        self.pos = space.end()
        return self.text[self.pos : self.pos + 1]

    def value(self, depth: int) -> Node:
        if depth > DEPTH:
            raise Refusal(f"This is nested more than {DEPTH} levels deep.", self.pos)
        self._count()
        match self.skip():
            case "{" | "[":
                return self._collection(depth)
            case '"':
                return self._string()
            case "":
                raise Refusal("The file ends where a value is expected.", self.pos)
            case _:
                return self._number_or_word()

    def _count(self) -> None:
        self.values += 1
        if self.values > VALUES:
            raise TooManyValues(self.pos)

    def _number_or_word(self) -> ScalarNode:
        start = self.pos
        number = _NUMBER.match(self.text, start)
        if number is not None:
            sign, integer, fraction, exponent = number.groups()
            self.pos = number.end()
            value = float(number[0]) if fraction or exponent else int_of(integer)
            if sign and not (fraction or exponent):
                value = -value
            return ScalarNode(Span(start, self.pos), value, number[0], Style.PLAIN)
        word = _WORD.match(self.text, start)
        if word is None or word[0] not in _WORDS:
            shown = word[0] if word is not None else self.text[start]
            raise Refusal(f"`{shown}` is not a JSON value: put text in double quotes.", start)
        self.pos = word.end()
        return ScalarNode(Span(start, self.pos), _WORDS[word[0]], word[0], Style.PLAIN)

    def _string(self) -> ScalarNode:
        text, start = self.text, self.pos
        found = _STRING.match(text, start)
        assert found is not None
        self.pos = end = found.end()
        if text[end : end + 1] != '"':
            raise self._bad_string(start, end)
        self.pos += 1
        written = text[start : self.pos]
        value = json.loads(written) if "\\" in written else written[1:-1]
        return ScalarNode(Span(start, self.pos), value, value, Style.DOUBLE)

    def _bad_string(self, start: int, end: int) -> Refusal:
        """Why a string cannot go on at `end`."""
        match self.text[end : end + 1]:
            case "":
                return Refusal("This quotation mark is never closed: add the closing one.", start)
            case "\n" | "\r":
                return Refusal("A JSON string cannot contain a line break: write `\\n` instead.", end)
            case "\\":
                letter = self.text[end + 1 : end + 2]
                return Refusal(f"`\\{letter}` is not an escape of JSON: write the backslash twice.", end)
            case _:
                return Refusal("A JSON string cannot contain a control character: write an escape such as `\\t`.", end)

    def _collection(self, depth: int) -> Node:
        start, is_list = self.pos, self.text[self.pos] == "["
        closing, kind = ("]", "list") if is_list else ("}", "object")
        items: list[Node] = []
        pairs: list[Pair] = []
        key: ScalarNode | None = None

        def add(value: Node) -> None:
            if key is None:
                items.append(value)
            else:
                pairs.append(Pair(key, value))

        def read() -> Node:
            span = Span(start, self.pos)
            return SequenceNode(span, tuple(items), True) if is_list else MappingNode(span, tuple(pairs), True)

        self.pos += 1
        try:
            if self.skip() == closing:
                self.pos += 1
                return read()
            while True:
                key = None if is_list else self._key()
                add(self.value(depth + 1))
                if self._ends(closing, kind):
                    return read()
        except Refusal as error:
            if error.partial is not None:
                add(error.partial)
            error.partial = read()
            raise

    def _key(self) -> ScalarNode:
        """Read a key, and the colon after it."""
        if self.skip() != '"':
            raise Refusal("A key in double quotes is expected here.", self.pos)
        self._count()
        key = self._string()
        if self.skip() != ":":
            raise Refusal("A `:` is missing after this key.", self.pos)
        self.pos += 1
        return key

    def _ends(self, closing: str, kind: str) -> bool:
        """Read the comma or the bracket after an entry; whether it was the bracket."""
        character = self.skip()
        if character not in (",", closing):
            reason = f"A `,` or `{closing}` is missing here." if character else f"The file ends inside this {kind}."
            raise Refusal(reason, self.pos)
        self.pos += 1
        return character == closing


def json_slip(text: str, error: Refusal) -> Slip:
    """The slip of the first `error` of a JSON text."""
    offset, reason = min(error.offset, len(text)), error.reason
    message = reason[:1].lower() + reason[1:].rstrip(".")
    if text[offset : offset + 1] == "\\" and "escape" in reason:
        places = [escape.start() for escape in _JSON_ESCAPE.finditer(text) if escape[1] is None]
        edits = tuple(TextEdit(Span(place, place), "\\") for place in places)
        place = Span(offset, min(offset + 2, len(text)))
        return Slip(place, message, "write the backslash twice", edits, SlipRule.BACKSLASH)
    comma = _COMMA_AT_END.search(text, 0, offset)
    if comma is not None and text[offset : offset + 1] in ("]", "}"):
        place = Span(comma.start(), comma.start() + 1)
        message = "JSON allows no comma after the last entry: remove it"
        return Slip(place, message, "remove the comma", (TextEdit(place, ""),))
    return Slip(Span(offset, min(offset + 1, len(text))), message)
