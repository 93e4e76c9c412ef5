"""A case, and its parts, in YAML: in a form that a person can read, and that reads back as it was."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString

from engine.study.case import Case, CaseGrade, CaseVerdict, NamedPoint
from engine.text.hidden_characters import pictures_in

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
