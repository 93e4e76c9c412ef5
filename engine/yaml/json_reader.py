"""JSON → nodes, read as strictly as `JSON.parse` does: the last of two equal keys wins; every value has its span."""

from __future__ import annotations

import re
from typing import Final

from engine.text.spans import Span
from engine.text.text_limits import DEPTH, VALUES, TooManyValues
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml.schema import int_of

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_STRETCH = re.compile(r'[^"\\\x00-\x1f]*')
_WORD = re.compile(r"[A-Za-z]+")
_WORDS: Final = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadJson(Exception):
    """The text is not JSON: the reason in an author's words, the offset, and the part of the value read so far."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.partial: Node | None = None


def read_json(text: str) -> Node:
    """The one value of `text`. Raises `BadJson`, `TooManyValues`."""
    reader = _JsonReader(text)
    node = reader.value(0)
    reader.skip()
    if reader.pos < len(text):
        error = BadJson("The JSON value ends before this: remove what follows it.", reader.pos)
        error.partial = node
        raise error
    return node


class _JsonReader:
    __slots__ = ("_text", "_values", "pos")

    def __init__(self, text: str) -> None:
        self._text = text
        self.pos = 0
        self._values = 0

    def skip(self) -> str:
        """Skip white space; the next character, or "" at the end."""
        space = _SPACE.match(self._text, self.pos)
        assert space is not None
        self.pos = space.end()
        return self._text[self.pos : self.pos + 1]

    def value(self, depth: int) -> Node:
        if depth > DEPTH:
            raise BadJson(f"This is nested more than {DEPTH} levels deep.", self.pos)
        self._count()
        match self.skip():
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"':
                return self._string()
            case "":
                raise BadJson("The file ends where a value is expected.", self.pos)
            case _:
                return self._number_or_word()

    def _count(self) -> None:
        self._values += 1
        if self._values > VALUES:
            raise TooManyValues(self.pos)

    def _number_or_word(self) -> ScalarNode:
        start = self.pos
        number = _NUMBER.match(self._text, start)
        if number is not None:
            sign, integer, fraction, exponent = number.groups()
            self.pos = number.end()
            value = float(number[0]) if fraction or exponent else int_of(integer)
            if sign and not (fraction or exponent):
                value = -value
            return ScalarNode(Span(start, self.pos), value, number[0], Style.PLAIN)
        word = _WORD.match(self._text, start)
        if word is None or word[0] not in _WORDS:
            shown = word[0] if word is not None else self._text[start]
            raise BadJson(f"`{shown}` is not a JSON value: put text in double quotes.", start)
        self.pos = word.end()
        return ScalarNode(Span(start, self.pos), _WORDS[word[0]], word[0], Style.PLAIN)

    def _string(self) -> ScalarNode:
        text = self._text
        start = self.pos
        self.pos += 1
        pieces: list[str] = []
        while True:
            stretch = _STRETCH.match(text, self.pos)
            assert stretch is not None
            pieces.append(stretch[0])
            self.pos = stretch.end()
            character = text[self.pos : self.pos + 1]
            if character == '"':
                self.pos += 1
                break
            if character == "\\":
                pieces.append(self._escape())
            elif character == "":
                raise BadJson("This quotation mark is never closed: add the closing one.", start)
            elif character in "\n\r":
                raise BadJson("A JSON string cannot contain a line break: write `\\n` instead.", self.pos)
            else:
                raise BadJson(
                    "A JSON string cannot contain a control character: write an escape such as `\\t`.", self.pos
                )
        value = "".join(pieces)
        if _SURROGATE.search(value) is not None:
            value = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return ScalarNode(Span(start, self.pos), value, value, Style.DOUBLE)

    def _escape(self) -> str:
        letter = self._text[self.pos + 1 : self.pos + 2]
        if letter in _ESCAPES:
            self.pos += 2
            return _ESCAPES[letter]
        digits = self._text[self.pos + 2 : self.pos + 6]
        if letter != "u" or re.fullmatch(r"[0-9a-fA-F]{4}", digits) is None:
            raise BadJson(f"`\\{letter}` is not an escape of JSON: write the backslash twice.", self.pos)
        self.pos += 6
        return chr(int(digits, 16))

    def _array(self, depth: int) -> SequenceNode:
        start = self.pos
        items: list[Node] = []
        self.pos += 1
        try:
            if self.skip() == "]":
                self.pos += 1
                return SequenceNode(Span(start, self.pos), (), True)
            while True:
                items.append(self.value(depth + 1))
                if self._ends("]", "list"):
                    return SequenceNode(Span(start, self.pos), tuple(items), True)
        except BadJson as error:
            if error.partial is not None:
                items.append(error.partial)
            error.partial = SequenceNode(Span(start, self.pos), tuple(items), True)
            raise

    def _object(self, depth: int) -> MappingNode:
        start = self.pos
        pairs: list[Pair] = []
        key: ScalarNode | None = None
        self.pos += 1
        try:
            if self.skip() == "}":
                self.pos += 1
                return MappingNode(Span(start, self.pos), (), True)
            while True:
                if self.skip() != '"':
                    raise BadJson("A key in double quotes is expected here.", self.pos)
                self._count()
                key = self._string()
                if self.skip() != ":":
                    raise BadJson("A `:` is missing after this key.", self.pos)
                self.pos += 1
                pairs.append(Pair(key, self.value(depth + 1)))
                key = None
                if self._ends("}", "object"):
                    return MappingNode(Span(start, self.pos), tuple(pairs), True)
        except BadJson as error:
            if key is not None and error.partial is not None:
                pairs.append(Pair(key, error.partial))
            error.partial = MappingNode(Span(start, self.pos), tuple(pairs), True)
            raise

    def _ends(self, closing: str, kind: str) -> bool:
        """Read the comma or the bracket after an entry; whether it was the bracket."""
        character = self.skip()
        if character not in (",", closing):
            reason = f"A `,` or `{closing}` is missing here." if character else f"The file ends inside this {kind}."
            raise BadJson(reason, self.pos)
        self.pos += 1
        return character == closing
