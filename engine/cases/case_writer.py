"""Changes of a case file: everything that is not changed stays as it is, comment for comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString

from engine.cases.case import Case, CaseGrade, CaseVerdict, NamedPoint
from engine.cases.case_reader import VERSION, read_cases
from engine.text import LineIndex

_WIDTH = 4096
_LONGEST_LINE = 96
"""Code points of a text on one line; a longer one is folded."""
_SINGLE_BLANK = re.compile(r"(?<=[^ ]) (?=[^ ])")
_HEAD = """\
# Labelled answers to the prompts of {name}, and the scores that they should have: `studio test {name}`.
version: {version}
cases:
"""


class NotWritable(Exception):
    """The file cannot be changed as it is. The message tells authors why."""


def new_case_file(blueprint: str) -> str:
    """The text of a case file without cases. `blueprint` is the name of the blueprint's file."""
    return _HEAD.format(name=blueprint, version=VERSION)


def with_case(text: str, case: Case) -> str:
    """`text` with `case` as its last one. Raises `NotWritable`."""
    cases = _Editor(text)
    cases.listed.append(_case_data(case))
    return cases.written()


def marking_data(case: Case) -> dict[str, Any]:
    """What a person says of the answer of a case, by the keys of the form, as it is written."""
    written = _case_data(case)
    return {key: written[key] for key in ("label", "fails", "reason", "quote") if key in written}


def key_text(name: str, data: Any) -> str:
    """`name: data` in YAML, without indentation and line break at its end."""
    yaml: Any = YAML(typ="rt")
    yaml.width = _WIDTH
    stream = StringIO()
    yaml.dump(CommentedMap({name: data}), stream)
    return stream.getvalue().removesuffix("\n")


def with_grade(text: str, number: int, grade: CaseGrade) -> str:
    """`text` with `grade` in the case with this number, in place of an earlier one of the same person.

    Raises `NotWritable`.
    """
    cases = _Editor(text)
    entry = cases.entry(number)
    grades = entry.setdefault("grades", CommentedSeq())
    same = (index for index, each in enumerate(grades) if _is_of(each, grade))
    index = next(same, None)
    if index is None:
        grades.append(_grade_data(grade))
    else:
        grades[index]["grade"] = grade.grade.label
    return cases.written()


def without_grade(text: str, number: int, point: NamedPoint, by: str | None = None) -> str:
    """`text` without the grades of a point that a person gave in the case with this number. Raises `NotWritable`."""
    cases = _Editor(text)
    entry = cases.entry(number)
    grades = entry.get("grades", [])
    for index in reversed(range(len(grades))):
        if (grades[index].get("criterion"), grades[index].get("by")) == (point.text, by):
            block = grades[index].get("block")
            if block is None or point.block is None or block == point.block.value:
                del grades[index]
    if "grades" in entry and not grades:
        del entry["grades"]
    return cases.written()


def with_verdicts(text: str, verdicts: Mapping[int, tuple[CaseVerdict, ...]]) -> str:
    """`text` with recorded verdicts in cases, by their numbers, in place of all earlier ones. Raises `NotWritable`."""
    cases = _Editor(text)
    for number, each in verdicts.items():
        cases.entry(number)["verdicts"] = CommentedSeq(map(_verdict_data, each))
    return cases.written()


class _Editor:
    """A case file as ruamel.yaml reads it, to be changed and written again."""

    def __init__(self, text: str) -> None:
        file, problems = read_cases(text)
        unreadable = [each for each in problems if each.kind.severity.rank == 0]
        if unreadable:
            line = LineIndex(text).position(unreadable[0].span.start).line + 1
            raise NotWritable(f"Line {line}: {unreadable[0].message}. Fix the file first, so that nothing is lost.")
        self._before = file
        self._text = text
        self._yaml: Any = YAML(typ="rt")
        self._yaml.preserve_quotes = True
        self._yaml.width = _WIDTH
        indent = _list_indent(text)
        self._yaml.indent(mapping=2, sequence=indent + 2, offset=indent)
        self._root: Any = self._yaml.load(text.replace("\r\n", "\n"))
        if self._root.get("cases") is None:
            self._root["cases"] = CommentedSeq()
        self.listed: Any = self._root["cases"]

    def entry(self, number: int) -> Any:
        """The mapping of the case with this number."""
        if not 1 <= number <= len(self.listed):
            raise NotWritable(f"There is no case {number}.")
        return self.listed[number - 1]

    def written(self) -> str:
        """The text after the changes."""
        stream = StringIO()
        self._yaml.dump(self._root, stream)
        text = stream.getvalue()
        return text.replace("\n", "\r\n") if "\r\n" in self._text else text


def _list_indent(text: str) -> int:
    """By how many spaces the cases of a file are indented: 2 if there are none."""
    file, _ = read_cases(text)
    if not file.cases:
        return 2
    column = LineIndex(text).position(file.cases[0].span.start).column
    return max(column - 2, 0)


def _case_data(case: Case) -> CommentedMap:
    fields: dict[str, Any] = {"prompt": _scalar(case.prompt)}
    if len(case.turns) == 1:
        fields["answer"] = _scalar(case.turns[0])
    else:
        fields["turns"] = CommentedSeq(map(_scalar, case.turns))
    if case.label is not None:
        fields["label"] = case.label.value
    if case.score is not None:
        fields["score"] = _on_one_line(CommentedSeq([_plain(case.score.low), _plain(case.score.high)]))
    if case.fails is not None:
        fields["fails"] = _point_data(case.fails)
    for name, value in (("reason", case.reason), ("quote", case.quote), ("by", case.by), ("model", case.model)):
        if value is not None:
            fields[name] = _scalar(value)
    if case.is_edited:
        fields["edited"] = True
    if case.grades:
        fields["grades"] = CommentedSeq(map(_grade_data, case.grades))
    if case.verdicts:
        fields["verdicts"] = CommentedSeq(map(_verdict_data, case.verdicts))
    return CommentedMap(fields)


def _point_data(point: NamedPoint) -> Any:
    if point.block is None:
        return _scalar(point.text)
    return CommentedMap({"criterion": _scalar(point.text), "block": point.block.value})


def _grade_data(grade: CaseGrade) -> CommentedMap:
    fields: dict[str, Any] = {"criterion": _scalar(grade.point.text)}
    if grade.point.block is not None:
        fields["block"] = grade.point.block.value
    fields["grade"] = grade.grade.label
    if grade.by is not None:
        fields["by"] = _scalar(grade.by)
    return CommentedMap(fields)


def _verdict_data(verdict: CaseVerdict) -> CommentedMap:
    digests = _on_one_line(
        CommentedMap({name: _scalar(getattr(verdict.digests, name)) for name in verdict.digests.__struct_fields__})
    )
    fields: dict[str, Any] = {name: _scalar(getattr(verdict, name)) for name in ("criterion", "judge", "model")}
    fields |= {"approach": _scalar(verdict.approach), "extent": _plain(verdict.extent)}
    if verdict.reflection:
        fields["reflection"] = _scalar(verdict.reflection)
    return CommentedMap({**fields, "digests": digests})


def _on_one_line(collection: Any) -> Any:
    collection.fa.set_flow_style()
    return collection


def _is_of(entry: Any, grade: CaseGrade) -> bool:
    """Whether an entry of `grades` is of the same criterion and the same person as `grade`."""
    block = grade.point.block
    return (entry.get("criterion"), entry.get("block"), entry.get("by")) == (
        grade.point.text,
        None if block is None else block.value,
        grade.by,
    )


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _scalar(text: str) -> str:
    """`text` in a style that reads back as it is: lines as a block, a long one folded, odd characters quoted."""
    if not all(character.isprintable() or character == "\n" for character in text):
        return DoubleQuotedScalarString(text)
    if len(text) > _LONGEST_LINE and "\n" not in text.removesuffix("\n"):
        return _folded(text)
    return _block(text)


def _block(text: str) -> str:
    """A text of several lines as a literal block; as it is, if a block would not begin with the same blanks."""
    return LiteralScalarString(text) if "\n" in text and text.strip() and text[0] not in " \n" else text


def _folded(text: str) -> str:
    """A text of one line as a folded block, which is broken at single blanks: its reader joins the lines again.

    A line break may end it. Another block, or as it is, if a folded one would not begin or end with the same blanks,
    or if it has nowhere to break.
    """
    line = text.removesuffix("\n")
    breaks = list(_breaks(line)) if line == line.strip() else []
    if not breaks:
        return _block(text)
    folded: Any = FoldedScalarString(text)
    folded.fold_pos = breaks
    return folded


def _breaks(text: str) -> Iterator[int]:
    """The places of the blanks at which a text is broken, so that lines have `_LONGEST_LINE` code points at most."""
    start, last = 0, -1
    for match in _SINGLE_BLANK.finditer(text):
        if match.start() - start > _LONGEST_LINE and last > start:
            yield last
            start = last + 1
        last = match.start()
    if len(text) - start > _LONGEST_LINE and last > start:
        yield last
