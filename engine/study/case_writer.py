"""New cases, grades, marks and verdicts in a case file: all else stays as it is, comment for comment.

Changes are edits of nodes (`engine.yaml.edit`), and each is read again before it is written.

What is added is in a form that a person can read, and that reads back as it was.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString

from engine.evaluation.sources import ControlKind
from engine.files.atomic import read_regular
from engine.files.author_files import write_author_file
from engine.study.case import Case, CaseFile, CaseGrade, CaseVerdict, Label, NamedPoint
from engine.study.case_reader import CASE_KEYS, FILE_KEYS, GRADE_KEYS, VERSION, CaseProblemKind, read_cases
from engine.text.diagnostics import Severity
from engine.text.hidden_characters import pictures_in
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE, LineIndex, Span, TextEdit, apply_edits
from engine.text.text_limits import FILE_BYTES
from engine.yaml import load
from engine.yaml.edit import Edits, insert, item_lines, remove, set_key
from engine.yaml.layout import column, dash_before, line_start, newline_of, next_line_start
from engine.yaml.nodes import MappingNode, SequenceNode, resolved
from engine.yaml.trial import works

_LONGEST_LINE = 96
"""Code points of a text on one line; a longer one is folded."""
_SINGLE_BLANK = re.compile(r"(?<=[^ ]) (?=[^ ])")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What YAML does not allow as it is."""


def case_data(case: Case) -> dict[str, Any]:
    """A case by the keys of the form, in their order."""
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
    if case.test is not None:
        fields["test"] = case.test.value
    if case.grades:
        fields["grades"] = CommentedSeq(map(grade_data, case.grades))
    if case.verdicts:
        fields["verdicts"] = CommentedSeq(map(verdict_data, case.verdicts))
    return CommentedMap(fields)


def grade_data(grade: CaseGrade) -> dict[str, Any]:
    """An item of `grades`."""
    fields: dict[str, Any] = {"criterion": _scalar(grade.point.text)}
    if grade.point.block is not None:
        fields["block"] = grade.point.block.value
    fields["grade"] = grade.grade.label
    if grade.by is not None:
        fields["by"] = _scalar(grade.by)
    return CommentedMap(fields)


def verdict_data(verdict: CaseVerdict) -> dict[str, Any]:
    """An item of `verdicts`."""
    digests = _on_one_line(
        CommentedMap({name: _scalar(getattr(verdict.digests, name)) for name in verdict.digests.__struct_fields__})
    )
    fields: dict[str, Any] = {name: _scalar(getattr(verdict, name)) for name in ("criterion", "judge", "model")}
    fields["approach"] = _scalar(verdict.approach)
    if verdict.extent is not None:
        fields["extent"] = _plain(verdict.extent)
    more = ((name, getattr(verdict, name)) for name in ("failed", "reflection", "reply", "given"))
    fields |= {name: _scalar(text) for name, text in more if text}
    return CommentedMap({**fields, "digests": digests})


def ideal_data(prompt: str, verdicts: Iterable[CaseVerdict]) -> dict[str, Any]:
    """An item of `ideals`."""
    return CommentedMap({"prompt": _scalar(prompt), "verdicts": CommentedSeq(map(verdict_data, verdicts))})


def item_source(data: Any, list_indent: int | None) -> str:
    """A mapping as a block without indentation, in which lists are indented by `list_indent`, 0 or more.

    None for one on a line: `{prompt: rent, label: good}`.
    """
    yaml = _yaml()
    if list_indent is None:
        return _dumped(yaml, _on_one_line(data))
    yaml.indent(mapping=2, sequence=list_indent + 2, offset=list_indent)
    return _dumped(yaml, data)


def value_source(key: str, data: Any, list_indent: int | None) -> str:
    """`data` as the value of `key`, as in `item_source`; a block begins with a line break."""
    written = item_source(CommentedMap({key: data}), list_indent)
    pair = written if list_indent is not None else written.removeprefix("{").removesuffix("}")
    return pair.removeprefix(f"{key}:").removeprefix(" ")


class _Emitter(RoundTripEmitter):
    """Escapes what is not drawn, as the rest of the project shows it, where ruamel.yaml writes it as it is."""

    def write_double_quoted(self, text: Any, split: Any = True) -> None:
        emitter = cast("Any", self)
        if emitter.event.style == ">":  # a flow has no folds, and no marks of them
            text = text.replace("\a", "")
        emitter.write_indicator(f'"{_escaped(str(text))}"', True)


def _escaped(text: str) -> str:
    """The inside of a double-quoted scalar."""
    hidden = {at for at, _ in pictures_in(text)}
    return "".join(
        _ESCAPES.get(character) or (_escape(character) if at in hidden or _UNREADABLE.match(character) else character)
        for at, character in enumerate(text)
    )


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _yaml() -> Any:
    yaml: Any = YAML(typ="rt")
    yaml.Emitter = _Emitter
    yaml.width = sys.maxsize
    return yaml


def _dumped(yaml: Any, data: Any) -> str:
    stream = StringIO()
    yaml.dump(data, stream)
    return stream.getvalue().removesuffix("\n")


def _point_data(point: NamedPoint) -> Any:
    if point.block is None:
        return _scalar(point.text)
    return CommentedMap({"criterion": _scalar(point.text), "block": point.block.value})


def _on_one_line(collection: Any) -> Any:
    collection.fa.set_flow_style()
    return collection


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _scalar(text: str) -> str:
    """`text` in a style that reads back as it is: lines as a block, a long one folded, odd characters quoted."""
    is_drawn = all(character.isprintable() or character == "\n" for character in text) and not any(pictures_in(text))
    if not is_drawn or text.startswith((":", "?")):  # on one line ruamel.yaml takes these for signs of a pair
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


_HEAD = """\
# Labelled answers to the prompts of {name}, and the scores that they should have: `studio test {name}`.
"""
_EMPTY = f"version: {VERSION}\ncases:\n"
_BY_HAND = "It cannot be changed where it is written: change it in the file."


class NotWritable(Exception):
    """The file cannot be changed as it is. The message tells authors why."""


def new_case_file(blueprint: str) -> str:
    """The text of a case file without cases. `blueprint` is the name of the blueprint's file."""
    return _HEAD.format(name=blueprint) + _EMPTY


def with_case(text: str, case: Case) -> str:
    """`text` with `case` as its last one. Raises `NotWritable`."""
    _readable(text)
    opened = text
    if _root_of(opened) is None:
        opened += ("" if not opened or opened[-1] in "\r\n\ufeff" else "\n") + _EMPTY
    root = _root_of(opened)
    if root is None:
        raise NotWritable("It has no list of `cases` to which one could be added.")
    return _verified(text, _with_item(opened, root, "cases", case_data(case), FILE_KEYS), {}, case)


def with_grade(text: str, number: int, grade: CaseGrade) -> str:
    """`text` with `grade` in the case with this number, in place of an earlier one of the same person.

    Raises `NotWritable`.
    """
    case, node = _case(text, number), _case_node(text, number)
    place = next((at for at, each in enumerate(case.grades) if (each.point, each.by) == (grade.point, grade.by)), None)
    if place is None:
        grades = (*case.grades, grade)
        after = _with_item(text, node, "grades", grade_data(grade), CASE_KEYS)
    else:
        changed = replace(case.grades[place], grade=grade.grade)
        grades = (*case.grades[:place], changed, *case.grades[place + 1 :])
        after = _with_pair(text, _mapping_in(_list_in(node, "grades"), place), "grade", grade.grade.label, GRADE_KEYS)
    return _verified(text, after, {number: replace(case, grades=grades)})


def without_grade(text: str, number: int, point: NamedPoint, by: str | None = None) -> str:
    """`text` without the grades of a point that a person gave in the case with this number. Raises `NotWritable`."""
    case = _case(text, number)
    gone = [at for at, each in enumerate(case.grades) if each.by == by and _is_same(each.point, point)]
    left = tuple(each for at, each in enumerate(case.grades) if at not in gone)
    after = text
    if not left and gone:
        after = _without_pair(text, _case_node(text, number), "grades")
    else:
        for at in reversed(gone):
            after = _without_item(after, _list_in(_case_node(after, number), "grades"), at)
    return _verified(text, after, {number: replace(case, grades=left)})


def with_verdicts(
    text: str,
    verdicts: Mapping[int, Sequence[CaseVerdict]],
    ideals: Mapping[str, Sequence[CaseVerdict]] | None = None,
) -> str:
    """`text` with recorded verdicts in cases, by their numbers, in place of all earlier ones.

    `ideals` has those on ideals, by the names of their prompts; those of other prompts stay. Raises `NotWritable`.
    """
    file = _readable(text)
    cases = {case.number: case for case in file.cases}
    after = text
    for number in sorted(verdicts, reverse=True):  # so that the places of those before stay
        if number not in cases:
            raise NotWritable(f"There is no case {number}.")
        find = partial(_case_node, number=number)
        after = _with_recorded(after, find, "verdicts", map(verdict_data, verdicts[number]), CASE_KEYS)
    if ideals:
        every = {**file.ideals, **ideals}
        listed = (ideal_data(name, each) for name, each in every.items())
        after = _with_recorded(after, _root_of, "ideals", listed, FILE_KEYS)
    changed = {at: replace(cases[at], verdicts=tuple(each)) for at, each in verdicts.items()}
    return _verified(text, after, changed, ideals=ideals)


def _with_recorded(
    text: str, find: Callable[[str], MappingNode | None], key: str, items: Iterable[Any], order: Sequence[str]
) -> str:
    """`text` with these items as the list under `key`. What a program wrote there goes, with comments in it."""
    node = find(text)
    if node is not None and node.pair(key) is not None and len(node.pairs) > 1 and not node.flow:
        text = _without_pair(text, node, key)
        node = find(text)
    return text if node is None else _with_pair(text, node, key, CommentedSeq(items), order)


def _case(text: str, number: int) -> Case:
    case = next((each for each in _readable(text).cases if each.number == number), None)
    if case is None:
        raise NotWritable(f"There is no case {number}.")
    return case


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
    before, data = case_data(case), case_data(wanted)
    now = text
    for key in _CHANGED:
        if key in before and key not in data:
            now = _without_pair(now, _case_node(now, number), key)
    for key in _CHANGED:
        if key in data and data[key] != before.get(key):
            now = _with_pair(now, _case_node(now, number), key, data[key], CASE_KEYS)
    return _verified(text, now, {number: wanted})


def without_case(text: str, number: int) -> str:
    """The text of a case file without the case with this number; comments around it stay. Raises `NotWritable`."""
    _case(text, number)
    return _verified(text, _without_item(text, _list_in(_root_of(text), "cases"), number - 1), {number: None})


# --- Edits


def _readable(text: str) -> CaseFile:
    """The cases of a file without errors. Raises `NotWritable`."""
    file, problems = read_cases(text)
    errors = [each for each in problems if each.severity is Severity.ERROR]
    if errors:
        line = LineIndex(text).position(errors[0].span.start).line + 1
        raise NotWritable(f"Line {line}: {errors[0].message}. Fix the file first, so that nothing is lost.")
    return file


def _root_of(text: str) -> MappingNode | None:
    """The mapping that a case file is; None if it has none."""
    root = next((resolved(each.root) for each in load(text).documents if each.root is not None), None)
    return root if isinstance(root, MappingNode) else None


def _case_node(text: str, number: int) -> MappingNode:
    """The mapping of the case with this number, from 1. Raises `NotWritable`."""
    return _mapping_in(_list_in(_root_of(text), "cases"), number - 1)


def _list_in(node: MappingNode | None, key: str) -> SequenceNode | None:
    """The list under `key`; None if there is none."""
    value = None if node is None else node.get(key)
    found = None if value is None else resolved(value)
    return found if isinstance(found, SequenceNode) else None


def _mapping_in(listed: SequenceNode | None, index: int) -> MappingNode:
    """An item of a list that is a mapping with keys, by its index. Raises `NotWritable`."""
    node = None if listed is None or index >= len(listed.items) else resolved(listed.items[index])
    if isinstance(node, MappingNode) and node.pairs:
        return node
    raise NotWritable(_BY_HAND)


def _with_pair(text: str, node: MappingNode, key: str, data: Any, order: Sequence[str]) -> str:
    """`text` with `key: data` in a mapping that has keys: in place of its value before, or where `order` wants it."""
    source = value_source(key, data, None if node.flow else _list_indent(text))
    ended = _ended(text)
    return _made(ended, set_key(ended, node, key, source, order))


def _with_item(text: str, node: MappingNode, key: str, data: Any, order: Sequence[str]) -> str:
    """`text` with `data` as the last item of the list under `key`, which need not have one yet."""
    listed = _list_in(node, key)
    if listed is None or not listed.items:
        return _with_pair(text, node, key, CommentedSeq([data]), order)
    source = item_source(data, None if listed.flow else _list_indent(text))
    ended = _ended(text)
    return _made(ended, insert(ended, listed, len(listed.items), source))


def _without_pair(text: str, node: MappingNode, key: str) -> str:
    """`text` without a key of a mapping and its lines. Raises `NotWritable`."""
    at = next((at for at, pair in enumerate(node.pairs) if pair is node.pair(key)), 0)
    if at == 0 or node.flow:
        return _made(text, remove(text, node, at))
    span = node.pairs[at].span
    return _made(text, (TextEdit(Span(line_start(text, span.start), next_line_start(text, span.end - 1)), ""),))


def _without_item(text: str, listed: SequenceNode | None, index: int) -> str:
    """`text` without an item of a list, by its index; comments around it stay. Raises `NotWritable`."""
    lines = None if listed is None or listed.flow else item_lines(text, resolved(listed.items[index]).span)
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
    listed = _list_in(_root_of(text), "cases")
    dash = None if listed is None or not listed.items else dash_before(text, listed.items[0].span.start)
    return 2 if dash is None else column(text, dash)


def _verified(
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
    expected = [_unplaced_case(each) for each in (*wanted, new) if each is not None]
    recorded = {name: _unplaced(each) for name, each in {**old.ideals, **(ideals or {})}.items()}

    def reads(text: str) -> bool:
        file, problems = read_cases(text)
        is_readable = all(each.slug != CaseProblemKind.UNREADABLE for each in problems)
        is_recorded = recorded == {name: _unplaced(each) for name, each in file.ideals.items()}
        return is_readable and is_recorded and expected == [_unplaced_case(each) for each in file.cases]

    if not works(after, (), reads):
        raise NotWritable(_BY_HAND)
    return after


def _unplaced(verdicts: Iterable[CaseVerdict]) -> tuple[CaseVerdict, ...]:
    return tuple(replace(each, span=NOWHERE) for each in verdicts)


def _unplaced_case(case: Case) -> Case:
    grades = tuple(replace(each, span=NOWHERE) for each in case.grades)
    verdicts = _unplaced(case.verdicts)
    return replace(case, number=0, span=NOWHERE, prompt_span=NOWHERE, grades=grades, verdicts=verdicts)


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
