"""Suppressions: comments `# studio: ignore[slug] reason`, for what the author intends.

`# studio: ignore-file[slug] reason` at the top of a file holds for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.text.diagnostics import Diagnostic, Fix
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import LineIndex, Span, TextEdit
from engine.yaml.layout import line_end, line_start, newline_of
from engine.yaml.node_search import nodes_around
from engine.yaml.nodes import NodeTree, ScalarNode, Style

SIGN = "studio:"
"""Stands in each suppression."""
COMMENT = lazy(r"#[ \t]*studio:[ \t]*ignore(?P<file>-file)?\[(?P<names>[^\]\r\n]*)\](?:(?!#[ \t]*studio:)[^\r\n])*")
"""A suppression as it is written, with its reason."""
_LEADING_LINE = lazy(r"[ \t]*(?:#.*)?|%.*|---[ \t]*(?:#.*)?", re.DOTALL)
"""A line that stands above the content: empty, a comment, a directive, or the mark where a document begins."""
_BREAK = lazy(r"\r\n|\r|\n")
_NAME = lazy(r"[^,\s](?:[^,]*[^,\s])?")
_MAX_LINE_LENGTH = 120
"""A comment that would make its line longer than this is written on a line of its own above."""
_BLOCKS = (Style.LITERAL, Style.FOLDED)


class Name(Record):
    """The name of a rule in a comment, a slug or a code, and where it is written."""

    text: str
    span: Span


class Suppression(Record):
    """A suppression comment: diagnostics of the named rules that begin within `span` are not reported.

    `comment` is the span of the comment itself, up to the next suppression on its line. It may follow other text of a
    comment. `of_file`: the comment holds for the whole file.
    """

    names: tuple[Name, ...]
    span: Span
    comment: Span
    of_file: bool = False

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether `diagnostic` begins within `span`."""
        return self.span.start <= diagnostic.span.start <= self.span.end


class SuppressionResult(Record):
    """The diagnostics that remain, and for each suppression in turn the names that suppressed nothing."""

    reported: tuple[Diagnostic, ...]
    unused: tuple[tuple[Name, ...], ...]


def suppressions(tree: NodeTree) -> tuple[Suppression, ...]:
    """All suppressions in a text, with the lines that they cover; none in JSON, which has no comments.

    A comment at the end of a line covers that line. A comment on a line of its own covers the item or key that
    follows, with everything indented below it. `ignore-file` covers the file, and counts only above the content.
    """
    text = tree.text
    if tree.is_json:
        return ()
    found = [match for match in COMMENT.finditer(text) if is_comment(tree, match.start())]
    if not found:
        return ()
    reaches, content = Reaches(LineIndex(text)), content_start(text)
    return tuple(
        _suppression(match, reaches, text) for match in found if match["file"] is None or match.start() < content
    )


def content_start(text: str) -> int:
    """Where the first line of content begins; above it are comments, directives and a `---`.

    A text without content has it beyond its end.
    """
    start = 0
    for line_break in _BREAK.finditer(text):
        if not _LEADING_LINE.fullmatch(text, start, line_break.start()):
            return start
        start = line_break.end()
    return len(text) + 1 if _LEADING_LINE.fullmatch(text, start) else start


def suppress(diagnostics: Iterable[Diagnostic], comments: Sequence[Suppression]) -> SuppressionResult:
    """`diagnostics` without those that one of `comments` suppresses."""
    named: dict[str, list[tuple[int, Name]]] = {}
    for number, comment in enumerate(comments):
        for name in comment.names:
            named.setdefault(name.text.lower(), []).append((number, name))
    reported: list[Diagnostic] = []
    used: set[tuple[int, Name]] = set()
    for diagnostic in diagnostics:
        meant = (*named.get(diagnostic.slug, ()), *named.get(diagnostic.code.lower(), ()))
        by = [(number, name) for number, name in meant if comments[number].covers(diagnostic)]
        used.update(by)
        if not by:
            reported.append(diagnostic)
    unused = [tuple(name for name in one.names if (number, name) not in used) for number, one in enumerate(comments)]
    return SuppressionResult(tuple(reported), tuple(unused))


def without(text: str, comment: Suppression, names: Sequence[Name]) -> TextEdit:
    """The edit that removes `names` from a comment; it removes the whole comment if no other name is left."""
    left = [name.text for name in comment.names if name not in names]
    if left:
        return TextEdit(Span(comment.names[0].span.start, comment.names[-1].span.end), ", ".join(left))
    return without_comment(text, comment.comment)


def without_comment(text: str, comment: Span) -> TextEdit:
    """The edit that removes the comment at `comment`, with its line if nothing else stands there."""
    start, end = comment.start, comment.end
    if text[line_start(text, start) : start].strip():
        return TextEdit(Span(len(text[:start].rstrip(" \t")), end), "")
    first = line_start(text, start)
    return TextEdit(Span(first, end + len(newline_of(text[end : end + 2])) if end < len(text) else end), "")


def as_intended(tree: NodeTree, span: Span, slug: str) -> tuple[Fix, ...]:
    """The fix "as intended": it adds the comment that suppresses rule `slug` at `span`, and changes no meaning.

    Never safe, because only the author knows what is intended. No fix where a comment has no place.
    """
    edit = suppressing_edit(tree, span, slug)
    return () if edit is None else (Fix("as intended: say so in a comment", False, (edit,)),)


def suppressing_edit(tree: NodeTree, span: Span, slug: str, reason: str = "as intended") -> TextEdit | None:
    """The edit that adds `# studio: ignore[slug] reason` for a diagnostic at `span`, without changing the meaning.

    The comment goes to the end of the line if it fits and the line may have one, else above the item, in its column.
    None in JSON, in a text with a YAML error, and where no item begins on the line.
    """
    text = tree.text
    if tree.is_json or tree.error is not None:
        return None
    start = _start_of_item(tree, span.start)
    first, end = line_start(text, start), line_end(text, start)
    line = text[first:end]
    if not line.strip() or line.lstrip().startswith(("#", "%")):
        return None
    comment = f"# studio: ignore[{slug}] {reason}".rstrip()
    content = first + len(line.rstrip())
    fits = len(line.rstrip()) + 1 + len(comment) <= _MAX_LINE_LENGTH
    if fits and first == line_start(text, span.start) and _may_be_commented(tree, content):
        return TextEdit(Span(content, content), f" {comment}")
    if line.startswith(("---", "...")):
        return None
    indent = line[: len(line) - len(line.lstrip(" "))]
    return TextEdit(Span(first, first), f"{indent}{comment}{newline_of(text)}")


def _start_of_item(tree: NodeTree, offset: int) -> int:
    """`offset`, or the first line of a scalar if `offset` is on one of its later lines."""
    first = line_start(tree.text, offset)
    for node in nodes_around(tree, Span(first, first)):
        if isinstance(node, ScalarNode) and node.span.start < first < node.span.end:
            return line_start(tree.text, node.span.start)
    return offset


def _may_be_commented(tree: NodeTree, end: int) -> bool:
    """Whether a comment may follow at `end`, the end of a line's content: not if a scalar goes on there."""
    return not any(
        isinstance(node, ScalarNode) and node.span.start <= end < node.span.end and not _is_header(tree, node, end)
        for node in nodes_around(tree, Span(end, end))
    )


def _is_header(tree: NodeTree, node: ScalarNode, offset: int) -> bool:
    """Whether `offset` is on the line of the `|` or `>` of a block scalar."""
    return node.style in _BLOCKS and offset <= line_end(tree.text, node.span.start)


def is_comment(tree: NodeTree, offset: int) -> bool:
    """Whether the `#` at `offset` begins a comment and is not part of a scalar."""
    before = tree.text[offset - 1 : offset]
    return before in (" ", "\t", "\r", "\n", "") and not any(
        isinstance(node, ScalarNode)
        and node.span.start <= offset < node.span.end
        and not _is_header(tree, node, offset)
        for node in nodes_around(tree, Span(offset, offset))
    )


def _suppression(match: re.Match[str], reaches: Reaches, text: str) -> Suppression:
    names = tuple(
        Name(found[0], Span(match.start("names") + found.start(), match.start("names") + found.end()))
        for found in _NAME.finditer(match["names"])
    )
    if match["file"] is not None:
        return Suppression(names, Span(0, len(text)), Span(*match.span()), of_file=True)
    return Suppression(names, reaches.of(match.start()), Span(*match.span()))


class Reaches:
    """What suppressions of one text cover. Those without content between them share the search for it."""

    def __init__(self, lines: LineIndex) -> None:
        self._lines = lines
        self._searched = range(0)
        self._ends: dict[int, int] = {}

    def of(self, offset: int) -> Span:
        """What a suppression at `offset` covers: its line if it follows content, else the item or key below."""
        line = self._lines.position(offset).line
        own = self._lines.line_span(line)
        ahead = self._lines.line(line)[: offset - own.start].lstrip()
        follows_content = ahead and not ahead.startswith("#")
        return own if follows_content else self._following_item(line)

    def _following_item(self, line: int) -> Span:
        first = self._first_content(line + 1)
        if first is None:
            return self._lines.line_span(line)
        if first not in self._ends:
            self._ends[first] = self._lines.line_span(self._last_line(first)).end
        return Span(self._lines.line_span(line + 1).start, self._ends[first])  # with comments between

    def _first_content(self, start: int) -> int | None:
        """The first line of content from line `start` on."""
        if start not in self._searched:
            first = next(_content_lines(start, self._lines), self._lines.line_count)
            self._searched = range(start, first + 1)
        first = self._searched.stop - 1
        return first if first < self._lines.line_count else None

    def _last_line(self, first: int) -> int:
        """The last line of the item or key that begins on line `first`."""
        content = self._lines.line(first)
        indent = _indent(content)
        is_key = not content.lstrip().startswith("-")
        last = first
        for number in _content_lines(first + 1, self._lines):
            below = self._lines.line(number)
            is_item = is_key and _indent(below) == indent and below.lstrip().startswith("- ")
            if not (is_item or _indent(below) > indent):
                break
            last = number
        return last


def _content_lines(start: int, lines: LineIndex) -> Iterator[int]:
    for number in range(start, lines.line_count):
        content = lines.line(number).strip()
        if content and not content.startswith("#"):
            yield number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
