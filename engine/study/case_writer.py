"""New cases, grades, marks and verdicts in a case file: all else stays as it is, comment for comment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ruamel.yaml.comments import CommentedSeq

from engine.evaluation.sources import ControlKind
from engine.files.atomic import read_regular
from engine.files.author_files import write_author_file
from engine.study.case import Case, CaseGrade, CaseVerdict, Label, NamedPoint
from engine.study.case_edits import (
    BY_HAND,
    Layout,
    NotWritable,
    case_list,
    case_node,
    list_in,
    readable,
    root_of,
    verified,
    with_item,
    with_pair,
    without_item,
    without_pair,
)
from engine.study.case_reader import CASE_KEYS, FILE_KEYS, GRADE_KEYS, VERSION
from engine.study.case_text import case_data, grade_data, ideal_data, verdict_data
from engine.text.record import Record, replace
from engine.text.text_limits import FILE_BYTES
from engine.yaml.nodes import MappingNode, resolved

_HEAD = """\
# Labelled answers to the prompts of {name}, and the scores that they should have: `studio test {name}`.
"""
_EMPTY = f"version: {VERSION}\ncases:\n"


def new_case_file(blueprint: str) -> str:
    """The text of a case file without cases. `blueprint` is the name of the blueprint's file."""
    return _HEAD.format(name=blueprint) + _EMPTY


def with_case(text: str, case: Case) -> str:
    """`text` with `case` as its last one. Raises `NotWritable`."""
    readable(text)
    opened = text
    if root_of(opened) is None:
        opened += ("" if not opened or opened[-1] in "\r\n\ufeff" else "\n") + _EMPTY
    listed, root = case_list(opened), root_of(opened)
    if root is None:
        raise NotWritable("It has no list of `cases` to which one could be added.")
    if listed is not None and listed.items:
        after = with_item(opened, Layout.of(opened), listed, case_data(case))
    else:
        after = with_pair(opened, Layout.of(opened), root, "cases", CommentedSeq([case_data(case)]), FILE_KEYS)
    return verified(text, after, {}, case)


def with_grade(text: str, number: int, grade: CaseGrade) -> str:
    """`text` with `grade` in the case with this number, in place of an earlier one of the same person.

    Raises `NotWritable`.
    """
    case = _case(text, number)
    node = case_node(text, number)
    listed = list_in(node, "grades")
    place = next((at for at, each in enumerate(case.grades) if _is_of(each, grade)), None)
    grades = list(case.grades)
    if place is not None:
        grades[place] = replace(grades[place], grade=grade.grade)
        after = _changed_grade(text, number, place, grade)
    elif listed is not None and listed.items:
        grades.append(grade)
        after = with_item(text, Layout.of(text), listed, grade_data(grade))
    else:
        grades.append(grade)
        after = with_pair(text, Layout.of(text), node, "grades", CommentedSeq([grade_data(grade)]), CASE_KEYS)
    return verified(text, after, {number: replace(case, grades=tuple(grades))})


def _changed_grade(text: str, number: int, place: int, grade: CaseGrade) -> str:
    listed = list_in(case_node(text, number), "grades")
    item = None if listed is None else resolved(listed.items[place])
    if not isinstance(item, MappingNode):
        raise NotWritable(BY_HAND)
    return with_pair(text, Layout.of(text), item, "grade", grade.grade.label, GRADE_KEYS)


def without_grade(text: str, number: int, point: NamedPoint, by: str | None = None) -> str:
    """`text` without the grades of a point that a person gave in the case with this number. Raises `NotWritable`."""
    case = _case(text, number)
    gone = [at for at, each in enumerate(case.grades) if each.by == by and _is_same(each.point, point)]
    left = tuple(each for at, each in enumerate(case.grades) if at not in gone)
    after = text
    if not left and gone:
        after = without_pair(text, case_node(text, number), "grades")
    else:
        for at in reversed(gone):
            listed = list_in(case_node(after, number), "grades")
            after = after if listed is None else without_item(after, listed, at)
    return verified(text, after, {number: replace(case, grades=left)})


def with_verdicts(
    text: str,
    verdicts: Mapping[int, Sequence[CaseVerdict]],
    ideals: Mapping[str, Sequence[CaseVerdict]] | None = None,
) -> str:
    """`text` with recorded verdicts in cases, by their numbers, in place of all earlier ones.

    `ideals` has those on ideals, by the names of their prompts; those of other prompts stay. Raises `NotWritable`.
    """
    file = readable(text)
    cases = {case.number: case for case in file.cases}
    listed, layout = case_list(text), Layout.of(text)
    after = text
    for number in sorted(verdicts, reverse=True):  # so that the places of those before stay
        node = None if listed is None or number not in cases else resolved(listed.items[number - 1])
        if not isinstance(node, MappingNode):
            raise NotWritable(f"There is no case {number}.")
        data = CommentedSeq(map(verdict_data, verdicts[number]))
        after = with_pair(after, layout, node, "verdicts", data, CASE_KEYS)
    root, every = root_of(after), {**file.ideals, **(ideals or {})}
    if ideals and root is not None:
        listed_ideals = CommentedSeq(ideal_data(name, each) for name, each in every.items())
        after = with_pair(after, layout, root, "ideals", listed_ideals, FILE_KEYS)
    changed = {at: replace(cases[at], verdicts=tuple(each)) for at, each in verdicts.items()}
    return verified(text, after, changed, ideals=ideals)


def _case(text: str, number: int) -> Case:
    case = next((each for each in readable(text).cases if each.number == number), None)
    if case is None:
        raise NotWritable(f"There is no case {number}.")
    return case


def _is_of(one: CaseGrade, other: CaseGrade) -> bool:
    """Whether both are of the same criterion and the same person."""
    return (one.point, one.by) == (other.point, other.by)


def _is_same(one: NamedPoint, other: NamedPoint) -> bool:
    return one.text == other.text and (one.block is None or other.block is None or one.block is other.block)


# --- What a person says of an answer


_CHANGED = ("label", "score", "fails", "reason", "quote", "by", "test")


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

    @property
    def is_bad(self) -> bool | None:
        """Whether it says that the answer is bad; None if it says neither."""
        if self.fails is not None:
            return True
        return None if self.label is None else self.label is Label.BAD

    def put_on(self, case: Case, by: str | None = None) -> Case:
        """The case with this mark, which a person with the name `by` gives; None for no name.

        Who gave another one before did not give this one, and a range of scores goes with the opposite mark.
        """
        before = CaseMark.of(case)
        said_by = case.by if before == self else by
        is_opposite = None not in (before.is_bad, self.is_bad) and before.is_bad is not self.is_bad
        score = None if is_opposite else case.score
        marked = replace(case, label=self.label, fails=self.fails, reason=self.reason, quote=self.quote)
        return replace(marked, by=said_by, score=score, test=self.test)


def with_mark(text: str, number: int, mark: CaseMark, by: str | None = None) -> str:
    """The text of a case file in which the case with this number has `mark`, given by `by`. Raises `NotWritable`."""
    case = _case(text, number)
    wanted = mark.put_on(case, by)
    if case_node(text, number).flow:
        raise NotWritable(BY_HAND)
    before, data = case_data(case), case_data(wanted)
    layout, now = Layout.of(text), text
    for key in _CHANGED:
        if key in before and key not in data:
            now = without_pair(now, case_node(now, number), key)
    for key in _CHANGED:
        if key in data and data[key] != before.get(key):
            now = with_pair(now, layout, case_node(now, number), key, data[key], CASE_KEYS)
    return verified(text, now, {number: wanted})


def without_case(text: str, number: int) -> str:
    """The text of a case file without the case with this number; comments around it stay. Raises `NotWritable`."""
    _case(text, number)
    listed = case_list(text)
    if listed is None:
        raise NotWritable(BY_HAND)
    return verified(text, without_item(text, listed, number - 1), {number: None})


# --- The file on disk


_ATTEMPTS = 3


def change_case_file(path: Path, edit: Callable[[str], str], new: str | None = None) -> str:
    """Write what `edit` makes of the text of the file at `path`, and return it. Blocks.

    A file that does not exist yet begins as `new`; without it, it has to exist. If the file changes while it is edited,
    the newer text is edited instead. Raises `NotWritable`, as `edit` does, `UnicodeDecodeError` and `OSError`.
    """
    for _ in range(_ATTEMPTS):
        before = _content(path, new)
        text = (new or "") if before is None else before.decode("utf-8")
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


def _content(path: Path, new: str | None) -> bytes | None:
    """The content of the file; None for one that does not exist and may be made."""
    try:
        return read_regular(path, FILE_BYTES)
    except FileNotFoundError:
        if new is None:
            raise
        return None
