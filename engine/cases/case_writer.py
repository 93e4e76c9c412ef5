"""New cases, grades and verdicts in a case file: everything that is not changed stays as it is, comment for comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ruamel.yaml.comments import CommentedSeq

from engine.cases.case import Case, CaseGrade, CaseVerdict, NamedPoint
from engine.cases.case_edits import (
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
from engine.cases.case_reader import CASE_KEYS, FILE_KEYS, GRADE_KEYS, VERSION
from engine.cases.case_text import case_data, grade_data, ideal_data, verdict_data
from engine.record import replace
from engine.yaml_nodes.nodes import MappingNode, resolved

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
