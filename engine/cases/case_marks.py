"""What a person says of an answer, written into a case that is in the file, or the case removed.

The edits are of the very lines, so that every comment and all else stays where it is.
"""

from __future__ import annotations

import re
from typing import Any

from engine.cases.case import Case, Label, NamedPoint
from engine.cases.case_reader import read_cases
from engine.cases.case_writer import NotWritable, key_text, marking_data
from engine.record import Record, replace
from engine.text import NOWHERE, Span, TextEdit, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, Pair, SequenceNode, property_name, resolved

_MARKING = ("label", "fails", "reason", "quote")
_ORDER = ("prompt", "answer", "turns", "label", "score", "fails", "reason", "quote")
_BREAK = re.compile(r"\r\n|\r|\n")
_BY_HAND = "It cannot be changed where it is written: change it in the file."


class CaseMark(Record):
    """What a person says of an answer: a label, or the point that it fails; why; and the passage that shows it."""

    label: Label | None = None
    fails: NamedPoint | None = None
    reason: str | None = None
    quote: str | None = None

    @classmethod
    def of(cls, case: Case) -> CaseMark:
        """What the case says."""
        return cls(case.label, case.fails, case.reason, case.quote)

    @property
    def is_bad(self) -> bool | None:
        """Whether it says that the answer is bad; None if it says neither."""
        if self.fails is not None:
            return True
        return None if self.label is None else self.label is Label.BAD

    def put_on(self, case: Case) -> Case:
        """The case with this mark.

        Who gave another one before did not give this one, and a range of scores goes with the opposite mark.
        """
        before = CaseMark.of(case)
        by = case.by if before == self else None
        is_opposite = None not in (before.is_bad, self.is_bad) and before.is_bad is not self.is_bad
        score = None if is_opposite else case.score
        marked = replace(case, label=self.label, fails=self.fails, reason=self.reason, quote=self.quote)
        return replace(marked, by=by, score=score)


def with_mark(text: str, number: int, mark: CaseMark) -> str:
    """The text of a case file in which the case with this number has `mark`. Raises `NotWritable`."""
    case, node, _ = _found(text, number)
    wanted = mark.put_on(case)
    if node.flow:
        raise NotWritable(_BY_HAND)
    data = marking_data(wanted)
    now = text
    for key in _MARKING:
        if key not in data:
            now = _without(now, number, key)
    for key, value in (("by", wanted.by), ("score", wanted.score)):
        if value is None:
            now = _without(now, number, key)
    before = marking_data(case)
    for key in _ORDER:
        if key in data and data[key] != before.get(key):
            now = _with(now, number, key, data[key])
    _check(text, now, {number: wanted})
    return now


def without_case(text: str, number: int) -> str:
    """The text of a case file without the case with this number; comments around it stay. Raises `NotWritable`."""
    _, node, listed = _found(text, number)
    if node.flow or listed.flow:
        raise NotWritable(_BY_HAND)
    start = _line_start(text, text.rfind("-", 0, node.span.start))
    now = text[:start] + text[_next_line(text, node.span.end) :]
    _check(text, now, {number: None})
    return now


def _found(text: str, number: int) -> tuple[Case, MappingNode, SequenceNode]:
    file, problems = read_cases(text)
    if any(each.kind.severity.rank == 0 for each in problems):
        raise NotWritable("It has errors: `studio check` lists them. Fix them first, so that nothing is lost.")
    case = next((each for each in file.cases if each.number == number), None)
    if case is None:
        raise NotWritable(f"There is no case {number}.")
    return case, *_nodes(text, number)


def _nodes(text: str, number: int) -> tuple[MappingNode, SequenceNode]:
    root = next((resolved(each.root) for each in load(text).documents if each.root is not None), None)
    cases = root.get("cases") if isinstance(root, MappingNode) else None
    listed = None if cases is None else resolved(cases)
    if isinstance(listed, SequenceNode) and number <= len(listed.items):
        node = resolved(listed.items[number - 1])
        if isinstance(node, MappingNode):
            return node, listed
    raise NotWritable(_BY_HAND)


def _with(text: str, number: int, key: str, data: Any) -> str:
    node, _ = _nodes(text, number)
    newline = found[0] if (found := _BREAK.search(text)) else "\n"
    indent = " " * (node.span.start - _line_start(text, node.span.start))
    first, *others = key_text(key, data).split("\n")
    written = "".join([first, *(f"{newline}{indent}{line}" if line.strip() else newline for line in others)])
    pair = node.pair(key)
    if pair is not None:
        if text[pair.span.end : _line_end(text, pair.span.end)].strip() and newline in written:
            written = key_text(key, str(data)).replace("\n", " ")  # a comment behind it would become part of a block
        return apply_edits(text, (TextEdit(_pair_span(text, pair), written),))
    before = [each for each in node.pairs if property_name(each.key) in _ORDER[: _ORDER.index(key)]]
    at = _next_line(text, before[-1].span.end if before else node.pairs[0].span.end)
    opening = "" if at == 0 or text[at - 1] in "\r\n" else newline
    return text[:at] + opening + indent + written + newline + text[at:]


def _without(text: str, number: int, key: str) -> str:
    node, _ = _nodes(text, number)
    pair = node.pair(key)
    if pair is None:
        return text
    if pair is not node.pairs[0]:
        return text[: _line_start(text, pair.key.span.start)] + text[_next_line(text, pair.span.end) :]
    if len(node.pairs) == 1 or "#" in text[pair.span.end : node.pairs[1].span.start]:
        raise NotWritable(_BY_HAND)
    return text[: pair.span.start] + text[node.pairs[1].span.start :]


def _pair_span(text: str, pair: Pair) -> Span:
    """The key and its value, without the line break that ends a block."""
    end = pair.span.end
    while end > pair.key.span.end and text[end - 1] in "\r\n":
        end -= 1
    return Span(pair.key.span.start, end)


def _check(before: str, after: str, changed: dict[int, Case | None]) -> None:
    """Raise `NotWritable` unless `after` reads as the cases of `before` with those that are `changed`."""
    wanted = [changed.get(each.number, each) for each in read_cases(before)[0].cases]
    found = [_content(each) for each in read_cases(after)[0].cases]
    if [_content(each) for each in wanted if each is not None] != found:
        raise NotWritable(_BY_HAND)


def _content(case: Case) -> Case:
    grades = tuple(replace(each, span=NOWHERE) for each in case.grades)
    verdicts = tuple(replace(each, span=NOWHERE) for each in case.verdicts)
    return replace(case, number=0, span=NOWHERE, prompt_span=NOWHERE, grades=grades, verdicts=verdicts)


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
