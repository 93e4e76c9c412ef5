"""New cases, grades, marks and verdicts in a case file: all else stays as it is, comment for comment.

A change is the difference of what the file says and what it is to say (`_saying`), made by edits of nodes
(`engine.yaml.edit`), and is read again before it is written.

What is added is in a form that a person can read, and that reads back as it was.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from engine.evaluation.sources import ControlKind
from engine.files.atomic import read_regular
from engine.files.open_files import write_author_file
from engine.parsing.fields import items_of
from engine.study.case import Case, CaseFile, CaseGrade, CaseVerdict, Label, NamedPoint
from engine.study.case_reader import (
    CASE_KEYS,
    FILE_KEYS,
    GRADE_KEYS,
    VERDICT_KEYS,
    VERSION,
    CaseProblemKind,
    read_cases,
)
from engine.text.diagnostics import Severity
from engine.text.record import Record, as_json, replace
from engine.text.spans import LineIndex, TextEdit, apply_edits
from engine.text.text_limits import FILE_BYTES
from engine.yaml.edit import Edits, insert, item_lines, remove, set_key
from engine.yaml.layout import column, dash_before, newline_of
from engine.yaml.nodes import MappingNode, Node, SequenceNode, resolved
from engine.yaml.tree_loader import load
from engine.yaml.trial import works
from engine.yaml.writer import source_of

_Path: TypeAlias = tuple[str | int, ...]
"""Where a node is: keys of mappings, and indices of lists from 0."""
_Data: TypeAlias = dict[str, Any]
"""A mapping of the form; None for what it does not say."""


def _said(case: Case) -> _Data:
    """What a case says, by the keys of the form in their order; None for what it does not say."""
    is_one, score, fails = len(case.turns) == 1, case.score, case.fails
    return {
        "prompt": case.prompt,
        "answer": case.turns[0] if is_one else None,
        "turns": None if is_one else case.turns,
        "label": case.label,
        "score": None if score is None else (score.low, score.high),
        "fails": fails if fails is None else _point(fails) if fails.block else fails.text,
        "reason": case.reason,
        "quote": case.quote,
        "by": case.by,
        "model": case.model,
        "edited": case.is_edited or None,
        "test": case.test,
        "grades": tuple(map(_grade, case.grades)) or None,
        "verdicts": tuple(map(_verdict, case.verdicts)) or None,
    }


def _point(point: NamedPoint) -> _Data:
    return {"criterion": point.text, "block": point.block}


def _grade(grade: CaseGrade) -> _Data:
    return {**_point(grade.point), "grade": grade.grade.label, "by": grade.by}


def _verdict(verdict: CaseVerdict) -> _Data:
    written = as_json(verdict)
    return {name: None if written[name] == "" and name in _OPTIONAL else written[name] for name in VERDICT_KEYS}


_OPTIONAL = frozenset({"failed", "reflection", "reply", "given"})
_ON_ONE_LINE = frozenset({"score", "digests"})
"""The keys whose lists and mappings stand in brackets."""


def _item_source(data: _Data, list_indent: int | None) -> str:
    """The source of a mapping of the form, without what it does not say."""
    return source_of(data, list_indent, _ON_ONE_LINE, with_null=False)


def _value_source(key: str, value: object, list_indent: int | None) -> str:
    """`value` as that of `key`, as in `_item_source`; a block begins with a line break."""
    written = _item_source({key: value}, list_indent)
    pair = written if list_indent is not None else written.removeprefix("{").removesuffix("}")
    return pair.removeprefix(f"{key}:").removeprefix(" ")


_HEAD = """\
# Labelled answers to the prompts of {name}, and the scores that they should have: `studio test {name}`.
"""
_EMPTY = f"version: {VERSION}\ncases:\n"
_NO_CASE = "There is no case {}."
_BY_HAND = "It cannot be changed where it is written: change it in the file."


class NotWritable(Exception):
    """The file cannot be changed as it is. The message tells authors why."""


def new_case_file(blueprint: str) -> str:
    """The text of a case file without cases. `blueprint` is the name of the blueprint's file."""
    return _HEAD.format(name=blueprint) + _EMPTY


def with_case(text: str, case: Case) -> str:
    """`text` with `case` as its last one. Raises `NotWritable`."""
    file = _readable(text)
    opened = text
    if not isinstance(_node(opened), MappingNode):
        opened += ("" if not opened or opened[-1] in "\r\n\ufeff" else "\n") + _EMPTY
    if not isinstance(_node(opened), MappingNode):
        raise NotWritable("It has no list of `cases` to which one could be added.")
    return _saying(opened, replace(file, cases=(*file.cases, case)))


def with_grade(text: str, number: int, grade: CaseGrade) -> str:
    """`text` with `grade` in the case with this number, in place of an earlier one of the same person.

    Raises `NotWritable`.
    """

    def graded(case: Case) -> Case:
        given = {(each.point, each.by): each for each in (*case.grades, grade)}
        return replace(case, grades=tuple(given.values()))

    return _changed(text, number, graded)


def without_grade(text: str, number: int, point: NamedPoint, by: str | None = None) -> str:
    """`text` without the grades of a point that a person gave in the case with this number. Raises `NotWritable`."""

    def is_kept(grade: CaseGrade) -> bool:
        blocks = {grade.point.block, point.block} - {None}
        return grade.by != by or grade.point.text != point.text or len(blocks) > 1

    return _changed(text, number, lambda case: replace(case, grades=tuple(filter(is_kept, case.grades))))


def with_verdicts(
    text: str,
    verdicts: Mapping[int, Sequence[CaseVerdict]],
    ideals: Mapping[str, Sequence[CaseVerdict]] | None = None,
) -> str:
    """`text` with recorded verdicts in cases, by their numbers, in place of all earlier ones.

    `ideals` has those on ideals, by the names of their prompts; those of other prompts stay. Raises `NotWritable`.
    """
    file = _readable(text)
    if unknown := verdicts.keys() - {each.number for each in file.cases}:
        raise NotWritable(_NO_CASE.format(min(unknown)))
    cases = (replace(each, verdicts=tuple(verdicts.get(each.number, each.verdicts))) for each in file.cases)
    return _saying(text, replace(file, cases=tuple(cases), ideals={**file.ideals, **(ideals or {})}))


def _changed(text: str, number: int, change: Callable[[Case], Case | None]) -> str:
    """`text` with what `change` makes of the case with this number; None removes it. Raises `NotWritable`."""
    file = _readable(text)
    cases: dict[int, Case | None] = {case.number: case for case in file.cases}
    case = cases.get(number)
    if case is None:
        raise NotWritable(_NO_CASE.format(number))
    cases[number] = change(case)
    return _saying(text, replace(file, cases=tuple(each for each in cases.values() if each is not None)))


# --- What a person says of an answer


class CaseMark(Record):
    """What a person says of an answer: a label, or the point that it fails; why; and the passage that shows it.

    `test`: the test answer that it is.
    """

    label: Label | None = None
    fails: NamedPoint | None = None
    reason: str | None = None
    quote: str | None = None
    test: ControlKind | None = None

    @classmethod
    def of(cls, case: Case) -> CaseMark:
        """What the case says."""
        return cls(case.label, case.fails, case.reason, case.quote, case.test)

    def put_on(self, case: Case, by: str | None = None) -> Case:
        """The case with this mark, which a person with the name `by` gives; None for no name.

        Who gave another one before did not give this one, and a range of scores goes with the opposite mark.
        """
        said_by = case.by if CaseMark.of(case) == self else by
        marked = replace(case, label=self.label, fails=self.fails, reason=self.reason, quote=self.quote)
        is_opposite = None not in (case.is_bad, marked.is_bad) and case.is_bad is not marked.is_bad
        return replace(marked, by=said_by, score=None if is_opposite else case.score, test=self.test)


def with_mark(text: str, number: int, mark: CaseMark, by: str | None = None) -> str:
    """The text of a case file in which the case with this number has `mark`, given by `by`. Raises `NotWritable`."""
    return _changed(text, number, lambda case: mark.put_on(case, by))


def without_case(text: str, number: int) -> str:
    """The text of a case file without the case with this number; comments around it stay. Raises `NotWritable`."""
    return _changed(text, number, lambda _: None)


# --- Edits


def _readable(text: str) -> CaseFile:
    """The cases of a file without errors. Raises `NotWritable`."""
    file, problems = read_cases(text)
    errors = [each for each in problems if each.severity is Severity.ERROR]
    if errors:
        line = LineIndex(text).position(errors[0].span.start).line + 1
        raise NotWritable(f"Line {line}: {errors[0].message}. Fix the file first, so that nothing is lost.")
    return file


_ORDERS = {0: FILE_KEYS, 2: CASE_KEYS, 4: GRADE_KEYS}
"""The keys of a mapping in their order, by the length of its path: the file, a case, a grade."""


def _node(text: str, path: _Path = ()) -> Node | None:
    """The node at `path`, aliases resolved; None if there is none."""
    node = next((each.root for each in load(text).documents if each.root is not None), None)
    for step in path:
        match None if node is None else resolved(node), step:
            case MappingNode() as mapping, str():
                node = mapping.get(step)
            case SequenceNode(items=items), int() if step < len(items):
                node = items[step]
            case _:
                return None
    return None if node is None else resolved(node)


def _mapping(text: str, path: _Path) -> MappingNode:
    """The mapping with keys at `path`. Raises `NotWritable`."""
    node = _node(text, path)
    if isinstance(node, MappingNode) and node.pairs:
        return node
    raise NotWritable(_BY_HAND)


def _with_pair(text: str, path: _Path, key: str, value: object) -> str:
    """`text` with `key: value` in the mapping at `path`: in place of its value before, or where its order wants it."""
    node = _mapping(text, path)
    source = _value_source(key, value, None if node.flow else _list_indent(text))
    ended = _ended(text)
    return _made(ended, set_key(ended, node, key, source, _ORDERS[len(path)]))


def _with_item(text: str, path: _Path, data: _Data) -> str:
    """`text` with `data` as the last item of the list at `path`, which need not be there yet."""
    listed = _node(text, path)
    if not isinstance(listed, SequenceNode) or not listed.items:
        return _with_pair(text, path[:-1], str(path[-1]), (data,))
    source = _item_source(data, None if listed.flow else _list_indent(text))
    ended = _ended(text)
    return _made(ended, insert(ended, listed, len(listed.items), source))


def _without_pair(text: str, path: _Path, key: str) -> str:
    """`text` without a key of a mapping and its lines. Raises `NotWritable`."""
    node = _mapping(text, path)
    at = next((at for at, pair in enumerate(node.pairs) if pair is node.pair(key)), 0)
    return _made(text, remove(text, node, at))


def _without_item(text: str, path: _Path, index: int) -> str:
    """`text` without an item of the list at `path`; comments around it stay. Raises `NotWritable`."""
    listed = _node(text, path)
    is_block = isinstance(listed, SequenceNode) and not listed.flow
    lines = item_lines(text, resolved(items_of(listed)[index]).span) if is_block else None
    return _made(text, () if lines is None else (TextEdit(lines, ""),))


def _made(text: str, edits: Edits) -> str:
    if not edits:
        raise NotWritable(_BY_HAND)
    return apply_edits(text, edits)


def _ended(text: str) -> str:
    """`text` with an end of its last line."""
    return text if text[-1:] in ("\n", "\r") else text + newline_of(text)


def _list_indent(text: str) -> int:
    """By how many spaces lists are indented: as the cases are, or by 2."""
    first = _node(text, ("cases", 0))
    dash = None if first is None else dash_before(text, first.span.start)
    return 2 if dash is None else column(text, dash)


# --- What a file says, and is to say


def _saying(text: str, wanted: CaseFile) -> str:
    """`text` changed such that it reads as `wanted`, wherever that says it. Raises `NotWritable`."""
    expected = _unplaced(wanted)
    after = _edited(text, (), _unplaced(read_cases(text)[0]), expected)

    def reads(text: str) -> bool:
        file, problems = read_cases(text)
        return all(each.slug != CaseProblemKind.UNREADABLE for each in problems) and expected == _unplaced(file)

    if not works(after, (), reads):
        raise NotWritable(_BY_HAND)
    return after


def _unplaced(file: CaseFile) -> _Data:
    ideals = [{"prompt": name, "verdicts": tuple(map(_verdict, each))} for name, each in file.ideals.items()]
    return {"cases": tuple(map(_said, file.cases)), "ideals": tuple(ideals) or None}


def _edited(text: str, path: _Path, before: _Data, wanted: _Data) -> str:
    """`text` with the mapping at `path` changed from `before` to `wanted`, which have the same keys."""
    for key, value in wanted.items():
        if value is None and before[key] is not None:
            text = _without_pair(text, path, key)
    for key, value in wanted.items():
        if value is None or value == before[key]:
            continue
        if key in _LISTS and before[key] is not None:
            text = _with_items(text, (*path, key), before[key], value)
        else:
            text = _with_pair(text, path, key, value)
    return text


_LISTS = frozenset({"cases", "grades"})
"""The lists of mappings that people write: item by item, as there may be comments between them."""


def _with_items(text: str, path: _Path, before: Sequence[_Data], wanted: Sequence[_Data]) -> str:
    """`text` with the list at `path` changed: items are removed, or else changed and added at the end."""
    if len(wanted) < len(before):
        rest = list(wanted)
        gone: list[int] = []
        for at, item in enumerate(before):
            if item in rest[:1]:
                rest.pop(0)
            else:
                gone.append(at)
        for at in reversed(gone):
            text = _without_item(text, path, at)
        return text
    for at, item in enumerate(before):
        text = _edited(text, (*path, at), item, wanted[at])
    for item in wanted[len(before) :]:
        text = _with_item(text, path, item)
    return text


# --- The file on disk


_ATTEMPTS = 3


def change_case_file(path: Path, edit: Callable[[str], str], new: str | None = None) -> str:
    """Write what `edit` makes of the text of the file at `path`, and return it. Blocks.

    A file that does not exist yet begins as `new`; without it, it has to exist. If the file changes while it is edited,
    the newer text is edited instead. Raises `NotWritable`, as `edit` does, and `OSError`.
    """
    for _ in range(_ATTEMPTS):
        before = _content(path, new)
        text = (new or "") if before is None else _text(before)
        after = edit(text)
        if after == text and before is not None:
            return text
        content = after.encode("utf-8")
        if len(content) > FILE_BYTES:
            raise NotWritable(f"It would have more than {FILE_BYTES >> 20} MB, and could not be read any more.")
        if before is not None and not os.access(path, os.W_OK):  # it could be replaced all the same
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        if _content(path, new) == before:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_author_file(path, content)
            return after
    raise NotWritable("Another program keeps changing it. Try again when it is done.")


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotWritable("The file is not UTF-8 text.") from error


def _content(path: Path, new: str | None) -> bytes | None:
    """The content of the file; None for one that does not exist and may be made."""
    try:
        return read_regular(path, FILE_BYTES)
    except FileNotFoundError:
        if new is None:
            raise
        return None
