"""Data as YAML source that a person can read, and that reads back as it was.

What is not drawn, such as the marks that turn a line round, is written as an escape, as the rest of the project shows
it. ruamel.yaml decides where a text needs quotes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container
from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from engine.text.spans import pictures_in

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What YAML does not allow as it is."""


def source_of(
    data: dict[str, Any], list_indent: int | None = 0, in_brackets: Container[str] = (), *, with_null: bool = True
) -> str:
    """A mapping as a block without indentation and without a line break at its end.

    Its lists are indented by `list_indent`, 0 or more; None for a mapping on one line: `{prompt: rent, label: good}`.
    The lists and mappings at the keys `in_brackets` stand on one line. `with_null`: pairs without a value are written.
    """
    yaml: Any = YAML(typ="rt")
    yaml.Emitter = _Emitter
    yaml.width = sys.maxsize
    styled = _styled(data, "", in_brackets, with_null)
    if list_indent is None:
        styled.fa.set_flow_style()
    else:
        yaml.indent(mapping=2, sequence=list_indent + 2, offset=list_indent)
    stream = StringIO()
    yaml.dump(styled, stream)
    return stream.getvalue().removesuffix("\n")


def _styled(data: object, key: str, in_brackets: Container[str], with_null: bool) -> Any:
    """`data` as ruamel.yaml writes it in our style."""
    match data:
        case dict():
            pairs = cast("dict[str, Any]", data).items()
            written = {name: value for name, value in pairs if with_null or value is not None}
            made: Any = CommentedMap(
                {name: _styled(value, name, in_brackets, with_null) for name, value in written.items()}
            )
        case list() | tuple():
            items = cast("list[Any]", data)
            made = CommentedSeq([_styled(each, "", in_brackets, with_null) for each in items])
        case str():
            return _scalar(str(data))
        case float():
            return int(data) if data.is_integer() else data
        case _:
            return data
    if key in in_brackets:
        made.fa.set_flow_style()
    return made


def _scalar(text: str) -> str:
    """`text` in a style that reads back as it is: several lines as a literal block, odd characters in quotes.

    A text of lines stays on one line where a block would not begin with the same blanks.
    """
    is_drawn = all(character.isprintable() or character == "\n" for character in text) and not any(pictures_in(text))
    if not is_drawn or text.startswith((":", "?")):  # on one line ruamel.yaml takes these for signs of a pair
        return DoubleQuotedScalarString(text)
    return LiteralScalarString(text) if "\n" in text and text.strip() and text[0] not in " \n" else text


class _Emitter(RoundTripEmitter):
    """Escapes what is not drawn, where ruamel.yaml writes it as it is."""

    def write_double_quoted(self, text: Any, split: Any = True) -> None:
        cast("Any", self).write_indicator(f'"{_escaped(str(text))}"', True)


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
