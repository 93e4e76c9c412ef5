"""What a person says of an answer, written into a case that is in the file, or the case removed.

The edits are of the very lines, so that every comment and all else stays where it is.
"""

from __future__ import annotations

from engine.cases.case import Case, Label, NamedPoint
from engine.cases.case_edits import (
    BY_HAND,
    Layout,
    NotWritable,
    case_list,
    case_node,
    readable,
    verified,
    with_pair,
    without_item,
    without_pair,
)
from engine.cases.case_reader import CASE_KEYS
from engine.cases.case_text import case_data
from engine.evaluation.sources import ControlKind
from engine.record import Record, replace

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
    case = _found(text, number)
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
    _found(text, number)
    listed = case_list(text)
    if listed is None:
        raise NotWritable(BY_HAND)
    return verified(text, without_item(text, listed, number - 1), {number: None})


def _found(text: str, number: int) -> Case:
    case = next((each for each in readable(text).cases if each.number == number), None)
    if case is None:
        raise NotWritable(f"There is no case {number}.")
    return case
