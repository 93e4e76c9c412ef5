"""Messages for authors: what js-yaml's reason for refusing a text means, and what to do.

Of an alias (`*name`) without an anchor (`&name`) above it, the anchor that was meant is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from engine.text.diagnostics import Diagnostic, Fix, Related
from engine.text.record import replace
from engine.text.spans import Span, TextEdit
from engine.yaml.cursor import Refusal
from engine.yaml.slips import Slip, SlipRule, content_span, first_line, line_end, line_span, line_start

_ALIAS = re.compile(r"\*(?P<name>[\w.-]+)(?=[ \t\r]*(?:$|[,\]}]|[ \t]#))", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^[ \t]*|[:\[{,-][ \t]+)(?P<sign>&(?P<name>[\w.-]+))(?=[\s,\]}]|\Z)", re.MULTILINE)
_DOCUMENT = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_LIKENESS = 0.7


def ended_alias(text: str, refusal: Refusal) -> Iterator[Slip]:
    """An alias that is a whole value, where js-yaml refuses `text`; nothing if a text was meant."""
    at = text.rfind("*", line_start(text, refusal.offset), refusal.offset + 1)
    alias = _ALIAS.match(text, at) if at >= 0 and refusal.reason.startswith("unidentified alias") else None
    if alias is not None:
        message = f"`{alias[0]}` repeats what `&{alias['name']}` marks, and there is none in this file"
        yield Slip(Span(*alias.span()), message, rule=SlipRule.ENDED_ALIAS)


def with_anchor(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """`diagnostic`, the report of an `ended_alias` in the whole `text`, with the place of the anchor that was meant."""
    place = diagnostic.span
    name = place.of(text)[1:]
    anchors = {each["name"]: each for each in reversed(list(_ANCHOR.finditer(text)))}
    meant = next(iter([name] if name in anchors else get_close_matches(name, anchors, 1, _LIKENESS)), None)
    if meant is None:
        return diagnostic
    anchor = anchors[meant]
    line = text.count("\n", 0, anchor.start("sign")) + 1
    if anchor.start() > place.start:
        message, fixes = f"`&{meant}` stands below it, in line {line}: an alias repeats what stands above it", ()
    elif _DOCUMENT.search(text, anchor.end(), place.start):
        message = f"`&{meant}` stands in line {line}, and the `---` below it ends it: an alias cannot reach past it"
        fixes = ()
    elif meant == name:
        message, fixes = f"`&{meant}` in line {line} is part of what cannot be read: correct that first", ()
    else:
        message = f"there is no `&{name}`: did you mean `*{meant}`?"
        fixes = (Fix(f"write *{meant}", False, (TextEdit(place, f"*{meant}"),)),)
    related = (Related(Span(*anchor.span("sign")), f"`&{meant}` is here"),)
    return replace(diagnostic, message=message, related=related, fixes=fixes)


_SEPARATOR_EXPECTED = "end of the stream or a document separator is expected"
_LONE_WORD = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*)[ \t]*$")
_STRUCTURE = re.compile(r"(?P<margin> *)(?P<sign>-(?=[ \t\r\n]|$)|[\w$\"'][^:#\n]*:(?=[ \t\r\n]|$))")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*$")


def _reason_text(text: str, reason: str, offset: int) -> str:
    """The message for js-yaml's `reason` at `offset`, where the text around it does not show a likelier cause."""
    if reason.startswith("name of an alias") and text[offset : offset + 1] in (" ", "\t"):
        return "lists use `-`, not `*`"
    if reason.startswith("unidentified alias"):
        return "text that starts with `*` needs quotes: `*name` repeats a part marked `&name`, and there is none"
    if reason.startswith("unknown tag") or "tag" in reason.split():
        return "text that starts with `!` needs quotes: without them, YAML reads the name of a type"
    if reason.startswith("nested more than"):
        return f"this is {reason}"
    match reason:
        case "the stream contains non-printable characters" | "expected valid JSON character":
            return "the text before this contains a control character, which YAML does not allow: remove it"
        case "null byte is not allowed in input":
            return "this is a null byte, which YAML does not allow: remove it"
        case _ if reason == _SEPARATOR_EXPECTED and text[offset : offset + 2] == "- ":
            return "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
        case _ if reason == _SEPARATOR_EXPECTED and offset and text[offset - 1] in "\r\n":
            return "this line starts too far left to belong to the lines above: indent it"
        case "a line break is expected":
            return "after `|` or `>` the text starts on the next line; text that starts with one of them needs quotes"
        case (
            "can not read an implicit mapping pair; a colon is missed"
            | "can not read a block mapping entry; a multiline key may not be an implicit key"
        ):
            return "a line above this has no `:`, or is indented too little to belong to the text before it"
        case "a whitespace character is expected after the key-value separator within a block mapping":
            return "put a space after the `:` of this key"
        case "missed comma between flow collection entries":
            return "a `,` is missing before this, or text inside the brackets needs quotes"
        case "expected the node content, but found ','":
            return "there is nothing before this `,`: remove it"
        case "cannot merge mappings; the provided source object is unacceptable":
            return "`<<` copies keys and their values, and this has none"
        case "bad indentation of a mapping entry" | "bad indentation of a sequence entry":
            return "this does not fit the lines around it: indent it like them, or put it in quotes"
        case _:
            return "YAML cannot read the text from here on"


def unreadable(text: str, refusal: Refusal, offset: int) -> Slip:
    """The error at `offset`, whose cause no edit shows; of layout, if that shows why."""
    piece, reason, found = Span(0, len(text)), refusal.reason, None
    if reason.startswith("can not read"):
        found = _not_a_key(text, line_span(text, piece, min(refusal.node_start, offset)))
    elif reason.startswith("bad indentation"):
        found = _misaligned(text, line_span(text, piece, offset))
    if found is not None:
        return Slip(*found)
    at = max(offset - 1, 0) if text[offset : offset + 1] in ("", "\n", "\r") else offset
    return Slip(first_line(text, at, line_end(text, at)), _reason_text(text, reason, offset))


def _not_a_key(text: str, line: Span) -> tuple[Span, str]:
    """The line that js-yaml took for a key until it found no `:` on it."""
    place = content_span(text, line)
    word = _LONE_WORD.match(text, line.start, line.end)
    if _BLOCK_HEADER.search(text[: line.start].rstrip()) is not None:
        return place, "this is the text of the `|` or `>` above: indent it deeper than its key"
    if word is not None:
        return place, f"put a `:` after `{word['name']}`"
    return place, "this line is not `key: value`: if it belongs to the text above, indent it deeper than its key"


def _misaligned(text: str, line: Span) -> tuple[Span, str] | None:
    """A key or a dash that lines up with nothing above it, or with something that cannot hold it."""
    here = _STRUCTURE.match(text, line.start, line.end)
    if here is None or line.start == 0:
        return None
    kind = "`-`" if here["sign"] == "-" else "key"
    widths = [
        len(each["margin"]) + (2 if each["sign"] == "-" and kind == "key" else 0)
        for above in text[: line.start].splitlines()
        if (each := _STRUCTURE.match(above)) is not None and (kind == "key" or each["sign"] == "-")
    ]
    width = len(here["margin"])
    place = content_span(text, line)
    if widths and width not in widths:
        near = min(reversed(widths), key=lambda each: abs(each - width))
        indented = f"it is indented by {_spaces(width)}, the nearest {kind} by {near}"
        return place, f"this {kind} lines up with nothing above: {indented}"
    if kind == "`-`":
        return place, "this `-` cannot start a list here: the lines above are complete, or indented differently"
    return place, "this key cannot go here: the line above has its value already, or is indented differently"


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count} spaces"
