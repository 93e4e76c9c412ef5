"""Suppressions: `# studio: ignore[slug] reason` in a comment, for what an author means as written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.diagnostics import Diagnostic, Fix
from engine.record import Record
from engine.rules.source.layout import line_end, line_start, newline_of
from engine.rules.source.node_search import nodes_around
from engine.text import LineIndex, Span, TextEdit
from engine.yaml_nodes.nodes import NodeTree, ScalarNode, Style

_COMMENT = re.compile(r"#[ \t]*studio:[ \t]*ignore\[([^\]\r\n]*)\](?:(?!#[ \t]*studio:)[^\r\n])*")
_NAME = re.compile(r"[^,\s](?:[^,]*[^,\s])?")
_WIDEST = 120
"""How long a line may get by a comment at its end; where it would get longer, the comment stands above."""
_BLOCKS = (Style.LITERAL, Style.FOLDED)


class Name(Record):
    """A rule as a comment names it, by slug or code, and where."""

    text: str
    span: Span

    def means(self, diagnostic: Diagnostic) -> bool:
        """Whether it names the rule of `diagnostic`."""
        return self.text.lower() in (diagnostic.slug, diagnostic.code.lower())


class Suppression(Record):
    """A comment: diagnostics of these rules are not reported where they begin within `span`.

    `comment` is the comment itself, up to the next one on its line. It may stand in another, behind its text.
    """

    names: tuple[Name, ...]
    span: Span
    comment: Span

    def names_of(self, diagnostic: Diagnostic) -> tuple[Name, ...]:
        """The names that silence `diagnostic`, none where it stands elsewhere."""
        if not self.span.start <= diagnostic.span.start <= self.span.end:
            return ()
        return tuple(name for name in self.names if name.means(diagnostic))


class Silenced(Record):
    """The diagnostics that are left, and for each suppression in turn the names that silenced nothing."""

    reported: tuple[Diagnostic, ...]
    idle: tuple[tuple[Name, ...], ...]


def suppressions(tree: NodeTree) -> tuple[Suppression, ...]:
    """Every suppression in a text, with the lines that it covers; none in JSON, which has no comments.

    Behind something a comment covers its own line; on a line of its own it covers the item or key that follows, with
    all that is indented below it.
    """
    text = tree.text
    if tree.is_json or "studio:" not in text:
        return ()
    found = [match for match in _COMMENT.finditer(text) if _is_comment(tree, match.start())]
    lines = LineIndex(text) if found else None
    return tuple(_suppression(match, lines, text) for match in found if lines is not None)


def silence(diagnostics: Iterable[Diagnostic], comments: Sequence[Suppression]) -> Silenced:
    """`diagnostics` without those that one of `comments` silences."""
    reported: list[Diagnostic] = []
    busy: set[tuple[int, Name]] = set()
    for diagnostic in diagnostics:
        by = [(number, name) for number, one in enumerate(comments) for name in one.names_of(diagnostic)]
        busy.update(by)
        if not by:
            reported.append(diagnostic)
    idle = [tuple(name for name in one.names if (number, name) not in busy) for number, one in enumerate(comments)]
    return Silenced(tuple(reported), tuple(idle))


def without(text: str, comment: Suppression, names: Sequence[Name]) -> TextEdit:
    """The edit that takes `names` out of a comment, and the whole comment with its line where no other is in it."""
    left = [name.text for name in comment.names if name not in names]
    if left:
        return TextEdit(Span(comment.names[0].span.start, comment.names[-1].span.end), ", ".join(left))
    start, end = comment.comment.start, comment.comment.end
    if text[line_start(text, start) : start].strip():
        return TextEdit(Span(len(text[:start].rstrip(" \t")), end), "")
    first = line_start(text, start)
    return TextEdit(Span(first, end + len(newline_of(text[end : end + 2])) if end < len(text) else end), "")


def as_intended(tree: NodeTree, span: Span, slug: str) -> tuple[Fix, ...]:
    """The fix that says "as intended": it adds the comment that silences rule `slug` at `span`, and changes no meaning.

    Never safe: only the author knows what is intended. None where there is no place for a comment.
    """
    edit = suppressing_edit(tree, span, slug)
    return () if edit is None else (Fix("as intended: say so in a comment", False, (edit,)),)


def suppressing_edit(tree: NodeTree, span: Span, slug: str, reason: str = "as intended") -> TextEdit | None:
    """The edit that adds `# studio: ignore[slug] reason` for a diagnostic at `span`; the meaning stays.

    At the end of the line where there is room and the line may have a comment, else above the item, in its column.
    None in JSON, in a text that cannot be read whole, and where no item begins on the line.
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
    fits = len(line.rstrip()) + 1 + len(comment) <= _WIDEST
    if fits and first == line_start(text, span.start) and _may_be_commented(tree, content):
        return TextEdit(Span(content, content), f" {comment}")
    if line.startswith(("---", "...")):
        return None
    indent = line[: len(line) - len(line.lstrip(" "))]
    return TextEdit(Span(first, first), f"{indent}{comment}{newline_of(text)}")


def _start_of_item(tree: NodeTree, offset: int) -> int:
    """Where the line begins whose item holds `offset`: not within a text or key of several lines."""
    first = line_start(tree.text, offset)
    for node in nodes_around(tree, Span(first, first)):
        if isinstance(node, ScalarNode) and node.span.start < first < node.span.end:
            return line_start(tree.text, node.span.start)
    return offset


def _may_be_commented(tree: NodeTree, end: int) -> bool:
    """Whether a comment may follow at `end`, where the content of a line ends: no text goes on there."""
    return not any(
        isinstance(node, ScalarNode) and node.span.start <= end < node.span.end and not _is_header(tree, node, end)
        for node in nodes_around(tree, Span(end, end))
    )


def _is_header(tree: NodeTree, node: ScalarNode, offset: int) -> bool:
    """Whether `offset` is on the line of the `|` or `>` that a block of text begins with."""
    return node.style in _BLOCKS and offset <= line_end(tree.text, node.span.start)


def _is_comment(tree: NodeTree, offset: int) -> bool:
    """Whether the `#` at `offset` begins a comment: not within a text."""
    before = tree.text[offset - 1 : offset]
    return before in (" ", "\t", "\r", "\n", "") and not any(
        isinstance(node, ScalarNode)
        and node.span.start <= offset < node.span.end
        and not _is_header(tree, node, offset)
        for node in nodes_around(tree, Span(offset, offset))
    )


def _suppression(match: re.Match[str], lines: LineIndex, text: str) -> Suppression:
    names = tuple(
        Name(found[0], Span(match.start(1) + found.start(), match.start(1) + found.end()))
        for found in _NAME.finditer(match[1])
    )
    line = lines.position(match.start()).line
    own = lines.line_span(line)
    ahead = text[own.start : match.start()].lstrip()
    is_behind_something = ahead and not ahead.startswith("#")
    return Suppression(names, own if is_behind_something else _following_item(line, lines), Span(*match.span()))


def _following_item(line: int, lines: LineIndex) -> Span:
    first = next(_lines_of_substance(line + 1, lines), None)
    if first is None:
        return lines.line_span(line)
    content = lines.line(first)
    indent = _indent(content)
    is_key = not content.lstrip().startswith("-")
    last = first
    for number in _lines_of_substance(first + 1, lines):
        below = lines.line(number)
        inside = _indent(below) > indent or (is_key and _indent(below) == indent and below.lstrip().startswith("- "))
        if not inside:
            break
        last = number
    return Span(lines.line_span(first).start, lines.line_span(last).end)


def _lines_of_substance(start: int, lines: LineIndex) -> Iterator[int]:
    for number in range(start, lines.line_count):
        content = lines.line(number).strip()
        if content and not content.startswith("#"):
            yield number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
