"""The reader: YAML in the grammar of js-yaml 4.1.0, with the same leniencies, refusals and places of errors.

A recursive descent parser, from documents and block collections (here) to flow collections and scalars, token by token
where no pattern of `collection_reader` matches the line. After a tab before a token, no block collection may begin
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from engine.text.spans import Span
from engine.text.text_limits import DEPTH
from engine.yaml.collection_reader import CollectionReader, Pairs
from engine.yaml.nodes import Document, MappingNode, Node, SequenceNode, duplicates
from engine.yaml.scalar_text import SEPARATOR, Refusal
from engine.yaml.scalars import BLANK, Unfinished
from engine.yaml.schema import END


class Context(Enum):
    """The context of a node: inside brackets, an implicit key, or an entry or a value of a block collection."""

    IN_FLOW = auto()
    KEY = auto()
    ENTRY = auto()
    VALUE = auto()


class Reader(CollectionReader):
    """Reads a part of a text. `documents` and `duplicates` hold the results, also after a `Refusal`."""

    __slots__ = ("_depth", "documents")

    def __init__(self, text: str, start: int, end: int, known: Mapping[str, Node]) -> None:
        """A reader of `text[start:end]`; `start` begins a line, `known` are the anchors of the text before it."""
        super().__init__(text, start, end, known)
        self._depth = 0
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

    def add_anchors(self, known: dict[str, Node]) -> None:
        """Make the anchors `known` before this part those after it."""
        if len(self.documents) > 1:
            known.clear()
        known.update(self.anchors)

    def _document(self) -> None:
        if self.documents:
            self._known, self.anchors = {}, {}
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

    def _node(self, parent: int, context: Context, *, seek: bool, compact: bool) -> Node | None:
        """The node at the cursor, or None. `parent` is the column of the collection that it belongs to.

        `seek` skips white space first; `compact` lets a block collection begin in the middle of a line.
        """
        self._count(1, self.pos)
        self._depth += 1
        if self._depth > DEPTH:
            raise self._refusal(f"nested more than {DEPTH} levels deep")
        in_block = context is Context.ENTRY or context is Context.VALUE
        collections = in_block
        new_line = deeper = same = False
        if seek and self._skip():
            new_line = True
            deeper, same = self.indent > parent, self.indent == parent
        else:
            deeper = True
        start = self.pos
        if context is not Context.IN_FLOW:
            self._node_start = start
        tag = anchor = None
        if deeper and self._text[start] in "!&":
            while (character := self._text[self.pos]) in "!&":
                if character == "!":
                    tag = self._tag(tag)
                else:
                    anchor = self._anchor(anchor)
                self.last = self.pos
                if self._skip():
                    new_line, collections = True, in_block
                    deeper, same = self.indent > parent, self.indent == parent
                else:
                    collections = False
        properties_end = self.last
        collections = collections and (new_line or compact)
        node: Node | None = None
        collections = collections and self.tab < 0 and self._text[self.pos] != END
        unfinished: Unfinished | None = None
        if anchor is not None:
            unfinished = Unfinished()
            if collections or self._text[self.pos] in "[{":
                self._unfinished[anchor] = unfinished
        column = self.pos - self.line_start
        flow = parent + 1 if in_block else parent
        may_be_list = collections and (deeper or (same and context is Context.VALUE))
        if may_be_list:
            node = self._block_sequence(start, column, tag, unfinished)
        if collections and deeper and node is None:
            node = self._block_mapping(start, column, flow, tag, unfinished)
            if node is None:
                # js-yaml drops the properties of a node when no collection follows them.
                if anchor is not None and unfinished is not None:
                    self._finish(anchor, unfinished, MappingNode(Span(start, start), (), True))
                tag = anchor = None
        if deeper and node is None:
            node = self._content(start, flow, in_block, context is Context.IN_FLOW, tag, unfinished)
        named: Node | None = node
        if node is None and (tag is not None or anchor is not None):
            named = node = self._tagged(None, Span(start, properties_end), tag)
            if tag == "!" and not deeper:
                # js-yaml leaves such an anchor as it was, or sets it to the list that it looked for.
                named = SequenceNode(node.span, (), True) if may_be_list else None
        if anchor is not None and unfinished is not None and node is not None:
            if any(alias is node for alias in unfinished.aliases):
                # An alias of nothing but itself: in js-yaml an object that stays empty.
                named = node = MappingNode(node.span, (), True)
            self._finish(anchor, unfinished, named)
        self._depth -= 1
        return node

    def _leaf(self, indent: int, *, in_flow: bool) -> Node | None:
        """The node at the cursor as a key or within brackets, where no block collection can begin."""
        return self._node(indent, Context.IN_FLOW if in_flow else Context.KEY, seek=False, compact=True)

    def _below(self, parent: int, *, as_value: bool) -> Node | None:
        return self._node(parent, Context.VALUE if as_value else Context.ENTRY, seek=False, compact=True)

    def _finish(self, anchor: str, unfinished: Unfinished, node: Node | None) -> None:
        """Set `anchor` to `node`, if there is one, for the aliases to come and those already read."""
        if node is not None or self._unfinished.get(anchor) is unfinished:
            self._unfinished.pop(anchor, None)
        if node is not None:
            self.anchors[anchor] = node
            for alias in unfinished.aliases:
                alias.target = node

    def _content(
        self, start: int, flow: int, in_block: bool, in_flow: bool, tag: str | None, unfinished: Unfinished | None
    ) -> Node | None:
        character = self._text[self.pos]
        if character in "[{":
            return self._flow_collection(start, flow, tag, unfinished)
        if character in "|>":
            return self._block_scalar(start, flow, tag) if in_block else None
        if character in "'\"":
            return self._quoted(start, tag)
        if character == "*":
            alias = self._alias()
            if start != alias.span.start:
                raise self._refusal("alias node should not have any properties")
            return alias
        return self._plain(start, flow, in_flow, tag)

    def _block_sequence(self, start: int, column: int, tag: str | None, unfinished: Unfinished | None) -> Node | None:
        text = self._text
        if text[self.pos] != "-" or text[self.pos + 1] not in BLANK:
            return None
        items: list[Node] = []
        if unfinished is not None:
            unfinished.items = items
        try:
            while not self._usual_items(column, items) and text[self.pos] != END:
                character = text[self.pos]
                if self.tab >= 0:
                    self.pos = self.tab
                    raise self._refusal("tab characters must not be used in indentation")
                if character != "-" or text[self.pos + 1] not in BLANK:
                    break
                self.pos += 1
                self.last = dash = self.pos
                if self._skip() and self.indent <= column:
                    items.append(self._nothing(dash))
                    continue
                line = self.line_start
                items.append(self._node(column, Context.ENTRY, seek=False, compact=True) or self._nothing(dash))
                self._skip()
                if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                    raise self._refusal("bad indentation of a sequence entry")
                if self.indent < column:
                    break
        except Refusal as refusal:
            if refusal.partial is not None:
                items.append(refusal.partial)
            refusal.partial = SequenceNode(self._reached(start, items), tuple(items), False)
            raise
        span = Span(start, self.last)
        return self._tagged(SequenceNode(span, tuple(items), False), span, tag)

    def _block_mapping(
        self, start: int, column: int, flow: int, tag: str | None, unfinished: Unfinished | None
    ) -> Node | None:
        pairs = Pairs(self)
        if unfinished is not None:
            unfinished.pairs = pairs.found
        try:
            only = None if self._usual_pairs(column, pairs) else self._block_pairs(column, flow, pairs)
        except Refusal as refusal:
            self.duplicates += duplicates(pairs.found)
            pairs.give_up(refusal.partial)
            if pairs.found:
                refusal.partial = MappingNode(self._reached(start, pairs.found), tuple(pairs.found), False)
            raise
        if not pairs.found:
            return only if only is None or tag is None or tag == "!" else self._tagged_late(only, tag)
        span = Span(start, self.last)
        node = MappingNode(span, tuple(pairs.found), False)
        self.duplicates += duplicates(node.pairs)
        return node if tag is None else self._tagged(node, span, tag)

    def _block_pairs(self, column: int, flow: int, pairs: Pairs) -> Node | None:
        """Read the pairs that follow; returns the node that was read in place of a first pair, if there was one."""
        text = self._text
        while text[self.pos] != END:
            character = text[self.pos]
            if not pairs.explicit and self.tab >= 0:
                self.pos = self.tab
                raise self._refusal("tab characters must not be used in indentation")
            line = self.line_start
            if character in "?:" and text[self.pos + 1] in BLANK:
                if character == "?":
                    pairs.begin_explicit()
                elif pairs.explicit:
                    pairs.explicit = False
                else:
                    reason = "incomplete explicit mapping pair; a key node is missed"
                    raise self._refusal(f"{reason}; or followed by a non-tabulated empty line")
                compact = True
                self.pos += 1
                self.last = self.pos
            else:
                key = self._leaf(flow, in_flow=False)
                if key is None:
                    break
                if not self._colon(line, pairs):
                    return key
                pairs.begin_implicit(key)
                compact = False
            at = self.last
            if self.line_start == line or self.indent > column:
                node = self._node(column, Context.VALUE, seek=True, compact=compact)
                pairs.add(node, at)
                self._skip()
            if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                raise self._refusal("bad indentation of a mapping entry")
            if self.indent < column or (not pairs.explicit and self._usual_pairs(column, pairs)):
                break
        pairs.close()
        return None

    def _colon(self, line: int, pairs: Pairs) -> bool:
        """Read the colon after an implicit key; False if the node before it is not a key but the whole value."""
        text = self._text
        if self.line_start == line:
            while text[self.pos] in " \t":
                self.pos += 1
            if text[self.pos] == ":":
                self.pos += 1
                if text[self.pos] not in BLANK:
                    raise self._refusal(
                        "a whitespace character is expected after the key-value separator within a block mapping"
                    )
                self.last = self.pos
                return True
            reason = "can not read an implicit mapping pair; a colon is missed"
        else:
            reason = "can not read a block mapping entry; a multiline key may not be an implicit key"
        if pairs.detected:
            raise self._refusal(reason)
        return False
