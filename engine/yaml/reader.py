"""The reader: YAML in the grammar of js-yaml 4.1.0, with the same leniencies, refusals and places of errors.

A recursive descent parser, from documents (here) to block collections, flow collections and scalars.
"""

from __future__ import annotations

from engine.text.spans import Span
from engine.yaml.block_collections import BlockCollections
from engine.yaml.cursor import END, Refusal
from engine.yaml.nodes import Document, Node
from engine.yaml.scalars import BLANK, SEPARATOR

__all__ = ["Reader", "Refusal"]


class Reader(BlockCollections):
    """Reads a part of a text. `documents` and `duplicates` hold the results, also after a `Refusal`."""

    __slots__ = ("documents",)

    def __init__(self, text: str, start: int, end: int, anchors: dict[str, Node]) -> None:
        """A reader of `text[start:end]`; `start` begins a line, `anchors` are those of the text before it."""
        super().__init__(text, start, end, anchors)
        self.documents: list[Document] = []

    def read(self) -> None:
        """Read all documents. Raises `Refusal`."""
        null = -1 if self._is_usual else self._text.find(END, self.pos, self.end)
        if null >= 0:
            raise Refusal("null byte is not allowed in input", null)
        self._count_indent()
        while self.pos < self.end - 1:
            self._document()

    def read_to_refusal(self) -> Refusal | None:
        """Read up to the error, if there is one: the `Refusal`, or None if all documents could be read."""
        try:
            self.read()
        except Refusal as refusal:
            # Tracebacks would keep the reader and its copy of the text.
            refusal.__cause__ = refusal.__context__ = None
            return refusal.with_traceback(None)
        return None

    def _document(self) -> None:
        if self.documents:
            self._anchors.clear()
        self._skip()
        directed = False
        while self.indent == 0 and self._text[self.pos] == "%":
            directed = True
            self._directive()
            self._skip()
        start = self.pos
        if self.indent == 0 and self._text.startswith("---", start):
            self.pos += 3
            self._skip()
        elif directed:
            raise self._refusal("directives end mark is expected")
        root = None
        try:
            root = self._below(self.indent - 1, as_value=True)
            self._skip()
            self._end_of_document()
        except Refusal as refusal:
            root = root or refusal.partial
            raise
        finally:
            self.documents.append(Document(Span(min(start, self._limit), min(max(self.pos, start), self._limit)), root))
        self._directives = None

    def _end_of_document(self) -> None:
        if self.pos == self.line_start and SEPARATOR.match(self._text, self.pos) is not None:
            if self._text[self.pos] == ".":
                self.pos += 3
                self._skip()
        elif self.pos < self.end - 1:
            raise self._refusal("end of the stream or a document separator is expected")

    def _directive(self) -> None:
        if self._text[self.pos + 1] in BLANK:
            self.pos += 1
            raise self._refusal("directive name must not be less than one character in length")
        line_end = self.pos
        while self._text[line_end] not in "\n\r\0":
            line_end += 1
        reason = self._declared().add(self._text[self.pos : line_end])
        self.pos = line_end
        self._line_break()
        if reason is not None:
            raise self._refusal(reason)
