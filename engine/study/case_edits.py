"""Changes of a case file as edits of the very lines: every comment and all else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ruamel.yaml.comments import CommentedMap

from engine.study.case import Case, CaseFile, CaseVerdict
from engine.study.case_reader import CaseProblemKind, read_cases
from engine.study.case_text import block_lines, flow_text
from engine.text.diagnostics import Severity
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE, LineIndex, Span, TextEdit, apply_edits
from engine.yaml import load
from engine.yaml.nodes import (
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    property_name,
    resolved,
)
from engine.yaml.trial import works

_TEXT = re.compile(r"""(?<![^\s\[{,:-])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#")
_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
BY_HAND = "It cannot be changed where it is written: change it in the file."


class NotWritable(Exception):
    """The file cannot be changed as it is. The message tells authors why."""


def readable(text: str) -> CaseFile:
    """The cases of a file without errors. Raises `NotWritable`."""
    file, problems = read_cases(text)
    errors = [each for each in problems if each.severity is Severity.ERROR]
    if errors:
        line = LineIndex(text).position(errors[0].span.start).line + 1
        raise NotWritable(f"Line {line}: {errors[0].message}. Fix the file first, so that nothing is lost.")
    return file


def root_of(text: str) -> MappingNode | None:
    """The mapping that a case file is; None if it has none."""
    root = next((resolved(each.root) for each in load(text).documents if each.root is not None), None)
    return root if isinstance(root, MappingNode) else None


def case_list(text: str) -> SequenceNode | None:
    """The list of cases; None if there is none."""
    root = root_of(text)
    cases = None if root is None else root.get("cases")
    listed = None if cases is None else resolved(cases)
    return listed if isinstance(listed, SequenceNode) else None


def case_node(text: str, number: int) -> MappingNode:
    """The mapping of the case with this number, from 1. Raises `NotWritable`."""
    listed = case_list(text)
    if listed is None or not 1 <= number <= len(listed.items):
        raise NotWritable(f"There is no case {number}.")
    node = resolved(listed.items[number - 1])
    if isinstance(node, MappingNode) and node.pairs:
        return node
    raise NotWritable(BY_HAND)


class Layout(Record):
    """How a case file is laid out: its line breaks, and by how many spaces its lists are indented."""

    newline: str
    list_indent: int

    @classmethod
    def of(cls, text: str) -> Layout:
        """The layout of a case file: lists are indented as its cases are, by 2 if there are none."""
        found = _BREAK.search(text)
        newline = "\n" if found is None else found[0]
        listed = case_list(text)
        if listed is None or listed.flow or not listed.items:
            return cls(newline, 2)
        return cls(newline, _column(text, _dash(text, listed.items[0])))


def list_in(node: MappingNode, key: str) -> SequenceNode | None:
    """The list under `key`; None if there is none."""
    value = node.get(key)
    found = None if value is None else resolved(value)
    return found if isinstance(found, SequenceNode) else None


def with_pair(text: str, layout: Layout, node: MappingNode, key: str, data: Any, order: Sequence[str]) -> str:
    """`text` with `key: data` in a mapping that has keys: in place of its value before, or where `order` wants it."""
    pair = node.pair(key)
    if node.flow:
        return _with_flow_pair(text, node, pair, key, data)
    newline, indent = layout.newline, " " * _column(text, node.pairs[0].key.span.start)
    first, *others = _indented(block_lines(CommentedMap({key: data}), layout.list_indent), indent)
    if pair is None:
        after = [each for each in node.pairs if property_name(each.key) in order[: order.index(key)]]
        at = _line_after(text, (after or [node.pairs[0]])[-1].value)
        return _inserted(text, layout, at, [indent + first, *others])
    if key not in ("verdicts", "ideals") and _has_comment(text, pair):
        raise NotWritable(BY_HAND)
    span = _pair_span(text, pair)
    behind = text[span.end : _line_end(text, span.end)]
    rest = "".join(f"{newline}{line}" for line in others)
    return text[: span.start] + first + behind + rest + text[_line_end(text, span.end) :]


def without_pair(text: str, node: MappingNode, key: str) -> str:
    """`text` without a key of a mapping and its lines. Raises `NotWritable`."""
    pair = node.pair(key)
    if pair is None:
        return text
    if node.flow or len(node.pairs) == 1:
        raise NotWritable(BY_HAND)
    if pair is not node.pairs[0]:
        return text[: _line_start(text, pair.key.span.start)] + text[_next_line(text, pair.span.end) :]
    if "#" in text[pair.span.end : node.pairs[1].span.start]:
        raise NotWritable(BY_HAND)
    return text[: pair.span.start] + text[node.pairs[1].span.start :]


def with_item(text: str, layout: Layout, listed: SequenceNode, data: dict[str, Any]) -> str:
    """`text` with `data` as the last item of a list that has some."""
    last = listed.items[-1]
    if listed.flow:
        return apply_edits(text, (TextEdit(Span(last.span.end, last.span.end), f", {flow_text(data)}"),))
    dash = " " * _column(text, _dash(text, last))
    first, *others = block_lines(data, layout.list_indent)
    lines = _indented([f"{dash}- {first}", *(f"  {line}" if line else "" for line in others)], dash)
    return _inserted(text, layout, _line_after(text, last), lines)


def without_item(text: str, listed: SequenceNode, index: int) -> str:
    """`text` without an item of a list, by its index; comments around it stay. Raises `NotWritable`."""
    item = resolved(listed.items[index])
    if listed.flow or (isinstance(item, MappingNode) and item.flow):
        raise NotWritable(BY_HAND)
    start = _line_start(text, _dash(text, item))
    return text[:start] + text[_next_line(text, item.span.end) :]


def verified(
    before: str,
    after: str,
    changed: Mapping[int, Case | None],
    new: Case | None = None,
    ideals: Mapping[str, Sequence[CaseVerdict]] | None = None,
) -> str:
    """`after`, if it reads as the cases of `before` with those that are `changed`, by number, and the `new` one.

    `ideals` are changed verdicts on ideals. Raises `NotWritable`.
    """
    old = read_cases(before)[0]
    wanted = [changed.get(each.number, each) for each in old.cases]
    expected = [_content(each) for each in (*wanted, new) if each is not None]
    recorded = {name: _unplaced(each) for name, each in {**old.ideals, **(ideals or {})}.items()}

    def reads(text: str) -> bool:
        file, problems = read_cases(text)
        is_readable = all(each.slug != CaseProblemKind.UNREADABLE for each in problems)
        is_recorded = recorded == {name: _unplaced(each) for name, each in file.ideals.items()}
        return is_readable and is_recorded and expected == [_content(each) for each in file.cases]

    if not works(after, (), reads):
        raise NotWritable(BY_HAND)
    return after


def _unplaced(verdicts: Iterable[CaseVerdict]) -> tuple[CaseVerdict, ...]:
    return tuple(replace(each, span=NOWHERE) for each in verdicts)


def _content(case: Case) -> Case:
    grades = tuple(replace(each, span=NOWHERE) for each in case.grades)
    verdicts = _unplaced(case.verdicts)
    return replace(case, number=0, span=NOWHERE, prompt_span=NOWHERE, grades=grades, verdicts=verdicts)


def _with_flow_pair(text: str, node: MappingNode, pair: Pair | None, key: str, data: Any) -> str:
    written = flow_text(CommentedMap({key: data})).removeprefix("{").removesuffix("}")
    if pair is None:
        end = node.pairs[-1].span.end
        return apply_edits(text, (TextEdit(Span(end, end), f", {written}"),))
    if _has_comment(text, pair):
        raise NotWritable(BY_HAND)
    return apply_edits(text, (TextEdit(pair.span, written),))


def _has_comment(text: str, pair: Pair) -> bool:
    """Whether there may be a comment within a pair, which would be lost if its value was replaced."""
    value = resolved(pair.value)
    before = text[pair.key.span.end : pair.value.span.start]
    written = pair.value.span.of(text)
    if not isinstance(value, ScalarNode):
        return "#" in before or _COMMENT.search(_TEXT.sub("", written)) is not None
    is_block = value.style in (Style.LITERAL, Style.FOLDED)
    return "#" in before or (is_block and "#" in _BREAK.split(written, maxsplit=1)[0])


def _indented(lines: Sequence[str], indent: str) -> list[str]:
    """The lines below the first with this indentation; a line without anything stays so."""
    return [lines[0], *(f"{indent}{line}" if line else "" for line in lines[1:])]


def _inserted(text: str, layout: Layout, at: int, lines: Sequence[str]) -> str:
    """`text` with these lines before the place `at`, which begins a line or ends the text."""
    opening = "" if at == 0 or text[at - 1] in "\r\n" else layout.newline
    return text[:at] + opening + "".join(f"{line}{layout.newline}" for line in lines) + text[at:]


def _line_after(text: str, node: Node) -> int:
    """The start of the line after a value, behind the blank lines that are part of it."""
    at = _next_line(text, node.span.end)
    last = _last_scalar(node)
    if last.style in (Style.LITERAL, Style.FOLDED) and "+" in _BREAK.split(last.span.of(text), 1)[0]:
        while (blank := _BLANK_LINE.match(text, at)) is not None:
            at = blank.end()
    return at


def _last_scalar(node: Node) -> ScalarNode:
    node = resolved(node)
    while not isinstance(node, ScalarNode):
        inner = node.items[-1:] if isinstance(node, SequenceNode) else [pair.value for pair in node.pairs[-1:]]
        if not inner:
            return ScalarNode(node.span, None, "", Style.PLAIN)
        node = resolved(inner[0])
    return node


def _pair_span(text: str, pair: Pair) -> Span:
    """The key and its value, without the line break that ends a block."""
    end = pair.span.end
    while end > pair.key.span.end and text[end - 1] in "\r\n":
        end -= 1
    return Span(pair.key.span.start, end)


def _dash(text: str, item: Node) -> int:
    """The place of the dash of an item."""
    return text.rfind("-", 0, item.span.start)


def _column(text: str, offset: int) -> int:
    start = _line_start(text, offset)
    return offset - start - (start == 0 and text.startswith("\ufeff"))


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    found = _BREAK.search(text, offset)
    return len(text) if found is None else found.start()


def _next_line(text: str, end: int) -> int:
    """The start of the line after the one on which a value ends. A block ends behind its last line break."""
    if end > 0 and text[end - 1] in "\r\n":
        return end
    found = _BREAK.search(text, end)
    return len(text) if found is None else found.end()
