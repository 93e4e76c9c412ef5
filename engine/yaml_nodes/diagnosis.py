"""Diagnostics for text that YAML or JSON cannot read: the cause in an author's words, and a fix where only one fits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text import Span, TextEdit
from engine.text_limits import ADVICE, Excess
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.fixed_piece import is_readable, refused_at
from engine.yaml_nodes.line_spans import first_line, line_end, line_start, margin
from engine.yaml_nodes.quoting import add_colon, add_quotes, quotable_spans, quoted_check
from engine.yaml_nodes.refusal_messages import needs_quotes, reason_text
from engine.yaml_nodes.slips import slips
from engine.yaml_nodes.tagged_nodes import Duplicate

_WHY = "Weval refuses the whole file: none of its prompts is run or scored."
_NOT_READ = f"Nothing in this file is checked or run here. {ADVICE}"
_COMMA_AT_END = re.compile(r",\s*\Z")
_BAD_ESCAPE = re.compile(r"\\([^0abt\tnvfre \"/\\N_LPxuU\r\n])|\\(.)", re.DOTALL)
_JSON_ESCAPE = re.compile(r"\\([\"\\/bfnrt]|u[0-9a-fA-F]{4})?")
_TAB_MARGIN = re.compile(r"^(?:[ ]|-(?=[ \t]))*\t(?:[ \t]|-(?=[ \t]))*(?=[^\s])", re.MULTILINE)
_TAB_WIDTHS = (2, 4, 8)
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ITEM_OR_KEY = re.compile(r"- |[\w$]+:(?=\s)")


def diagnose_json(text: str, reason: str, offset: int) -> Diagnostic:
    """The diagnostic for the first error of a JSON text: `BadJson.reason` and `BadJson.offset`."""
    offset = min(offset, len(text))
    if text[offset : offset + 1] == "\\" and "escape" in reason:
        places = [escape.start() for escape in _JSON_ESCAPE.finditer(text) if escape[1] is None]
        fix = Fix("write the backslash twice", True, tuple(TextEdit(Span(place, place), "\\") for place in places))
        return _backslash(Span(offset, min(offset + 2, len(text))), _lower_first(reason), fix)
    comma = _COMMA_AT_END.search(text, 0, offset)
    if comma is not None and text[offset : offset + 1] in ("]", "}"):
        place = Span(comma.start(), comma.start() + 1)
        fix = Fix("remove the comma", True, (TextEdit(place, ""),))
        return _diagnostic(place, "JSON allows no comma after the last entry: remove it", fix)
    return _diagnostic(Span(offset, min(offset + 1, len(text))), _lower_first(reason))


def diagnose_excess(text: str, beyond: Excess) -> Diagnostic:
    """The diagnostic for a text that is too large to be read."""
    start = min(beyond.offset, len(text))
    span = Span(start, min(start + 1, len(text)))
    return Diagnostic("Y001", "yaml-syntax", Severity.ERROR, span, beyond.message, _NOT_READ)


def diagnose_duplicate(duplicate: Duplicate) -> Diagnostic:
    """The diagnostic for a key that its mapping already has."""
    return Diagnostic(
        code="Y002",
        slug="duplicate-key",
        severity=Severity.ERROR,
        span=duplicate.pair.key.span,
        message=f"`{duplicate.name}` is already set: join the two, or remove one",
        why=_WHY,
        related=(Related(duplicate.first.key.span, f"the first `{duplicate.name}` is here"),),
    )


def diagnose_refusal(text: str, piece: Span, refusal: Refusal) -> Diagnostic:
    """The diagnostic for the error that makes `piece` of `text` unreadable."""
    offset = _inside(text, piece, refusal.offset)
    reason = refusal.reason
    if refusal.opening is not None and reason.startswith("unexpected end"):
        return _unclosed(text, refusal.opening)
    quoted = refusal.multiline_quote
    if quoted is not None and text.find("\n", quoted.end, offset) < 0 <= offset - quoted.end:
        return _unclosed(text, quoted.start)
    if reason == "unknown escape sequence" or reason == "expected hexadecimal character":
        return _bad_escape(text, piece, refusal.opening or offset, offset)
    if reason == "tab characters must not be used in indentation" or "\t" in margin(text, offset):
        return _tab(text, piece, offset)
    if refusal.opening is not None and reason.startswith("missed comma") and _begins_item_or_key(text, offset):
        return _unclosed(text, refusal.opening)
    return _badly_quoted(text, piece, refusal, offset) or _slip(text, piece, refusal, offset)


def _badly_quoted(text: str, piece: Span, refusal: Refusal, offset: int) -> Diagnostic | None:
    """The diagnostic where a colon after a check's name, or quotes, make `piece` readable."""
    if (colon := add_colon(text, piece, refusal)) is not None:
        fix, span, name = colon
        written = span.of(text).rstrip(" \t:：=;")
        message = f"`{written}` needs a `:` after it: a check is written `${name}: argument`"
        return _diagnostic(first_line(text, span.start, span.end), message, fix)
    for span in quotable_spans(text, piece, refusal):
        place = first_line(text, span.start, span.end)
        fix = add_quotes(text, piece, span)
        if fix is not None:
            return _diagnostic(place, needs_quotes(text, span.start, offset), fix)
        if (name := quoted_check(span.of(text))) is not None:
            message = f"more text follows the closing quote of `${name}`: remove it, or start a new `- ` for it"
            return _diagnostic(place, message)
    return None


def _slip(text: str, piece: Span, refusal: Refusal, offset: int) -> Diagnostic:
    for slip in slips(text, piece, refusal.reason, refusal.node_start, offset):
        if not slip.edits:
            return _diagnostic(slip.span, slip.message)
        fix = Fix(slip.title, True, slip.edits)
        if is_readable(text, piece, fix):
            return _diagnostic(slip.span, slip.message, fix)
    return _diagnostic(_rest_of_line(text, offset), reason_text(text, refusal.reason, offset))


def _begins_item_or_key(text: str, offset: int) -> bool:
    """Whether a list item or a key begins at `offset`, the first on its line."""
    is_first = not text[line_start(text, offset) : offset].strip()
    return is_first and _ITEM_OR_KEY.match(text, offset) is not None


def _diagnostic(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y001", "yaml-syntax", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _lower_first(reason: str) -> str:
    message = reason.rstrip(".")
    return message[:1].lower() + message[1:]


def _inside(text: str, piece: Span, offset: int) -> int:
    """`offset`, or the last character of `piece` where `offset` is the start of the next piece."""
    if offset < piece.end or piece.end == len(text):
        return min(offset, len(text))
    return piece.start + max(len(piece.of(text).rstrip()) - 1, 0)


def _rest_of_line(text: str, offset: int) -> Span:
    """The rest of the line from `offset` on, or the last character of the line."""
    if text[offset : offset + 1] in ("", "\n", "\r"):
        offset = max(offset - 1, 0)
    return first_line(text, offset, line_end(text, offset))


def _unclosed(text: str, opening: int) -> Diagnostic:
    """The diagnostic for the quote or the bracket at `opening` that is never closed."""
    mark = text[opening]
    if mark in "[{":
        message = f"this `{mark}` is never closed: add the `{']' if mark == '[' else '}'}`"
    else:
        message = f"this quotation mark ({mark}) is never closed, or closed too late: close it where the text ends"
    return _diagnostic(first_line(text, opening, line_end(text, opening)), message)


# Backslashes


def _backslash(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y010", "backslash-in-double-quotes", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _bad_escape(text: str, piece: Span, opening: int, offset: int) -> Diagnostic:
    """The diagnostic for an escape that YAML does not have, in the double quotes that begin at `opening`."""
    if text[offset - 1 : offset] == "\\":
        message = f"`{text[offset - 1 : offset + 1]}` has no meaning in double quotes"
    else:
        message = "`\\x`, `\\u` and `\\U` need hexadecimal digits in double quotes"
    message += ": write the backslash twice, or use single quotes"
    span = Span(max(offset - 1, 0), min(offset + 1, len(text)))
    quoted = _DOUBLE_QUOTED.match(text, opening, piece.end)
    if quoted is None:
        return _backslash(span, message)
    inner = quoted[0][1:-1]
    if "\n" in inner or any(escape[2] for escape in _BAD_ESCAPE.finditer(inner)):
        replacement = '"' + _BAD_ESCAPE.sub(lambda escape: "\\" + escape[0] if escape[1] else escape[0], inner) + '"'
        title = "write the backslash twice"
    else:
        replacement = "'" + inner.replace("'", "''") + "'"
        title = "use single quotes"
    fix = Fix(title, True, (TextEdit(Span(*quoted.span()), replacement),))
    is_fixed = (refused_at(text, piece, fix) or quoted.end()) >= quoted.end()
    return _backslash(span, message, *([fix] if is_fixed else []))


# Tabs


def _tab(text: str, piece: Span, offset: int) -> Diagnostic:
    start = line_start(text, offset)
    indentation = margin(text, offset)
    tab = start + indentation.find("\t")
    return Diagnostic(
        "Y011",
        "tab-indent",
        Severity.ERROR,
        Span(tab, max(start + len(indentation.rstrip("-")), tab + 1)),
        "this line is indented with a tab: YAML allows only spaces there",
        _WHY,
        fixes=tuple(_untabbed(text, piece, Span(start, start + len(indentation)))),
    )


def _untabbed(text: str, piece: Span, here: Span) -> Iterator[Fix]:
    """The fix that indents every line of `piece` with spaces, or else only the line of the margin `here`."""
    margins = [Span(*found.span()) for found in _TAB_MARGIN.finditer(text, piece.start, piece.end)]
    for spans in (margins, [here]):
        for width in _TAB_WIDTHS:
            edits = tuple(TextEdit(span, _spaced(span.of(text), width)) for span in spans)
            fix = Fix("indent with spaces", True, edits)
            if edits and is_readable(text, piece, fix):
                yield fix
                return


def _spaced(indentation: str, width: int) -> str:
    """`indentation` with each tab after a dash as one space, and every other as `width` spaces."""
    return re.sub(r"(?<=-)\t", " ", indentation).replace("\t", " " * width)
