"""Why a text is no YAML, by its cause and in an author's words, with the fix where only one is possible."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes.reader import Reader, Refusal
from engine.yaml_nodes.slips import slips
from engine.yaml_nodes.tagged_nodes import Duplicate

_WHY = "Weval refuses the whole file for it, so that none of its prompts is run or scored."
_ITEM = re.compile(r"(?:[ \t]*-(?=[ \t]))+[ \t]+", re.MULTILINE)
_PROSE_KEY = re.compile(
    r"(?!['\"\[\]{}])[^\n:#]*[^\s:] [^\n:#]*|(?!(?:User|Assistant|System|Ai|AI)$)[^\W\d_a-z][\w'’-]*"
)
"""Several words, or one with a capital: no key of a blueprint is either, but for a role that is written so."""
_COMMA_BEFORE_THE_END = re.compile(r",\s*\Z")
_TRAILING_COMMENT = re.compile(r"[ \t]+#[^\n]*$|[ \t\r]+$")
_BAD_ESCAPE = re.compile(r"\\([^0abt\tnvfre \"/\\N_LPxuU\r\n])|\\(.)", re.DOTALL)
_JSON_ESCAPE = re.compile(r"\\([\"\\/bfnrt]|u[0-9a-fA-F]{4})?")
_TAB_MARGIN = re.compile(r"^(?:[ ]|-(?=[ \t]))*\t(?:[ \t]|-(?=[ \t]))*(?=[^\s])", re.MULTILINE)
_TAB_WIDTHS = (2, 4, 8)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CURED_BY_QUOTES = (
    "bad indentation",
    "unidentified alias",
    "name of an alias",
    "name of an anchor",
    "unknown tag !<!",
    "undeclared tag handle",
    "named tag handle",
    "tag suffix",
    "tag name",
    "can not read an implicit mapping pair",
)
_APOSTROPHES = re.compile(r"(?:[^'\n]|''|(?<=\w)'(?=\w))+")
"""What stands in single quotes whose only trouble is an apostrophe within a word."""
_QUOTED_WITHIN = re.compile(r'[^"\n]*[^"\w\n](?:"\w[^"\n]*[^"\s]"[^"\n]*)+')
"""What stands in double quotes that hold a quotation."""
_NO_BEGINNING = "@`%"
"""What no text without quotes begins with: it is in need of them, whatever else is wrong further on."""
_CHECK_NAME = (
    r"(?a:(?:not_)?(?:i?(?:contains?|match(?:es)?|starts?_with|ends?_with)(?:_(?:word|any_of|all_of|at_least_n_of))?"
    r"|tool_(?:called|args_match|call_count_between|call_order)|word_count_between|is_json|js|expr|call|external"
    r"|factcheck)\b)"
)
"""What checks are called, as far as it takes to see that one was meant (`engine.functions` has their names)."""
_CHECK_TEXT = re.compile(
    rf"(?:\[[ xX]?\][ \t]+\$|[@%`*]+\$?|\$)(?P<name>{_CHECK_NAME})[`*]*(?:[ \t]*(?::|：|=|;)[ \t]*|[ \t]+)(?=\S)"
)
"""The name of a check, with a sign before it, and what stands between it and its argument."""
_MARKS = re.compile("[`*]+")
_CHECK_IN_BRACKETS = re.compile(
    rf"(?:(?<=[-\[,][ \t])|(?<=[\[,]))\$?(?P<name>{_CHECK_NAME})(?P<gap>[ \t]*[:：=;]?[ \t]*)(?=[\[{{])"
)
"""The name of a check before a list or a mapping from which no colon parts it."""
_CHECK_OF_A_POINT = re.compile(rf"(?<=-[ \t])\$(?P<name>{_CHECK_NAME})(?P<gap>[ \t]*[：=;]?[ \t]*)(?=[^\s：=;])")
"""The same before a text, where keys of the point stand on the lines below."""
_QUOTED_CHECK = re.compile(
    rf"""(?P<mark>["'])[ \t]*\$(?P<name>{_CHECK_NAME})(?:[ \t]*[:：=;][ \t]*(?P<argument>.*)(?P=mark))?"""
)
"""A check in quotes; it has an argument where the quotes enclose it whole."""
_WRAPPED = re.compile(r"""(["'])((?:(?!\1).)+)\1""")
_LINE_BEGINNING = re.compile(r"- |[\w$]+:(?=\s)")
_MARGIN = re.compile(r"(?:[ \t]|-(?=[ \t]))*")
_LONGEST_TEXT = 30
"""How many lines a text may have that is put in quotes."""


def of_json(text: str, reason: str, offset: int) -> Diagnostic:
    """The one thing that makes a JSON text unreadable."""
    offset = min(offset, len(text))
    if text[offset : offset + 1] == "\\" and "escape" in reason:
        message = "in JSON a backslash begins an escape; one that stands for itself is written twice"
        places = [escape.start() for escape in _JSON_ESCAPE.finditer(text) if escape[1] is None]
        fix = Fix("write the backslash twice", True, tuple(TextEdit(Span(place, place), "\\") for place in places))
        return _backslash(Span(offset, min(offset + 2, len(text))), message, fix)
    comma = _COMMA_BEFORE_THE_END.search(text, 0, offset)
    if comma is not None and text[offset : offset + 1] in ("]", "}"):
        place = Span(comma.start(), comma.start() + 1)
        fix = Fix("take the comma away", True, (TextEdit(place, ""),))
        return _diagnostic(place, "in JSON no comma stands behind the last entry", fix)
    message = reason.rstrip(".")
    return _diagnostic(Span(offset, min(offset + 1, len(text))), message[:1].lower() + message[1:])


def of_duplicate(duplicate: Duplicate) -> Diagnostic:
    """A key that stands twice in one mapping."""
    return Diagnostic(
        code="Y002",
        slug="duplicate-key",
        severity=Severity.ERROR,
        span=duplicate.pair.key.span,
        message=f"`{duplicate.name}` stands here a second time",
        why=_WHY,
        related=(Related(duplicate.first.key.span, f"the first `{duplicate.name}` is here"),),
    )


def of_refusal(text: str, piece: Span, refusal: Refusal) -> Diagnostic:
    """What makes `piece` of `text` unreadable."""
    offset = _inside(text, piece, refusal.offset)
    reason = refusal.reason
    if refusal.opening is not None and reason.startswith("unexpected end"):
        return _unclosed(text, refusal.opening)
    if refusal.quoted is not None and text.find("\n", refusal.quoted.end, offset) < 0 <= offset - refusal.quoted.end:
        return _unclosed(text, refusal.quoted.start)
    if reason == "unknown escape sequence" or reason == "expected hexadecimal character":
        return _bad_escape(text, piece, refusal.opening or offset, offset)
    if reason == "tab characters must not be used in indentation":
        return _tab(text, piece, offset)
    if "\t" in _margin(text, offset):
        return _tab(text, piece, offset)
    if refusal.opening is not None and reason.startswith("missed comma") and _begins_a_line(text, offset):
        return _unclosed(text, refusal.opening)
    if (check := _without_colon(text, piece, refusal)) is not None:
        return check
    for start, end in _texts(text, piece, refusal):
        fix = _quoting(text, piece, Span(start, end))
        if fix is not None:
            return _diagnostic(_first_line(text, start, end), _needs_quotes(text, start, offset), fix)
        if _holds_quoted_check(text[start:end]):
            message = "more stands behind the quotes of this check: take it away, or start a new `- ` for it"
            return _diagnostic(_first_line(text, start, end), message)
    for slip in slips(text, piece, reason, refusal.began, offset):
        fix = Fix(slip.title, True, slip.edits)
        if not slip.edits:
            return _diagnostic(slip.span, slip.message)
        if _mends(text, piece, fix):
            return _diagnostic(slip.span, slip.message, fix)
    return _diagnostic(_at(text, offset), _plain_reason(text, reason, offset))


def _without_colon(text: str, piece: Span, refusal: Refusal) -> Diagnostic | None:
    """A check that lacks the `:` behind its name, where that alone is wrong: `[$contains_any_of [a, b]]`."""
    start = max(text.rfind("\n", 0, min(refusal.began, refusal.offset)) + 1, piece.start)
    end = min(_line_end(text, refusal.offset), piece.end)
    for pattern in (_CHECK_IN_BRACKETS, _CHECK_OF_A_POINT):
        found = list(pattern.finditer(text, start, end))
        edits = tuple(TextEdit(Span(*each.span()), f"${each['name']}: ") for each in found)
        fix = Fix("put a colon behind the name", True, edits)
        if found and _mends(text, piece, fix):
            name = text[found[0].start() : found[0].end("name")]
            message = f"a `:` is missing behind `{name}`: a check is `${found[0]['name']}: argument`"
            return _diagnostic(_first_line(text, found[0].start(), found[0].end()), message, fix)
    return None


def _begins_a_line(text: str, offset: int) -> bool:
    """Whether a list item or a key begins at `offset`, the first on its line."""
    first_on_line = not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
    return first_on_line and _LINE_BEGINNING.match(text, offset) is not None


def _diagnostic(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y001", "yaml-syntax", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _inside(text: str, piece: Span, offset: int) -> int:
    """`offset`, or the last character of `piece` where that is the place at which another piece begins."""
    if offset < piece.end or piece.end == len(text):
        return min(offset, len(text))
    return piece.start + max(len(piece.of(text).rstrip()) - 1, 0)


def _at(text: str, offset: int) -> Span:
    """What to mark for an error at `offset`: the rest of its line, or a character."""
    if text[offset : offset + 1] in ("", "\n", "\r"):
        offset = max(offset - 1, 0)
    return _first_line(text, offset, _line_end(text, offset))


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _first_line(text: str, start: int, end: int) -> Span:
    end = min(end, _line_end(text, start))
    return Span(start, max(start + len(text[start:end].rstrip()), min(start + 1, len(text))))


# -- quotes and brackets that are never closed


def _unclosed(text: str, opening: int) -> Diagnostic:
    mark = text[opening]
    if mark in "[{":
        message = f"this `{mark}` is never closed by a `{']' if mark == '[' else '}'}`"
    else:
        message = f"this quote ({mark}) is never closed, or closed too late: the text in it runs on over the next lines"
    return _diagnostic(_first_line(text, opening, _line_end(text, opening)), message)


# -- backslashes and tabs


def _backslash(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y010", "backslash-in-double-quotes", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _bad_escape(text: str, piece: Span, opening: int, offset: int) -> Diagnostic:
    shown = text[offset - 1 : offset + 1] if text[offset - 1 : offset] == "\\" else "\\x, \\u or \\U"
    message = f"`{shown}` cannot be read in double quotes: a backslash there makes one character with what follows it"
    span = Span(max(offset - 1, 0), min(offset + 1, len(text)))
    quoted = _QUOTED.match(text, opening, piece.end)
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
    is_cure = (_refused_at(text, piece, fix) or quoted.end()) >= quoted.end()
    return _backslash(span, message, *([fix] if is_cure else []))


def _margin(text: str, offset: int) -> str:
    """The blanks and dashes that the line of `offset` begins with."""
    margin = _MARGIN.match(text, text.rfind("\n", 0, offset) + 1)
    assert margin is not None
    return margin[0]


def _tab(text: str, piece: Span, offset: int) -> Diagnostic:
    start = text.rfind("\n", 0, offset) + 1
    margin = _margin(text, offset)
    tab = start + margin.find("\t")
    span = Span(tab, max(start + len(margin.rstrip("-")), tab + 1))
    return Diagnostic(
        "Y011",
        "tab-indent",
        Severity.ERROR,
        span,
        "this line is indented with a tab; YAML takes only spaces there",
        _WHY,
        fixes=tuple(_untabbed(text, piece, Span(start, start + len(margin)))),
    )


def _untabbed(text: str, piece: Span, here: Span) -> Iterator[Fix]:
    """The fix that indents every line of `piece` with spaces, or if that is no cure, the line of the margin `here`."""
    margins = [Span(*margin.span()) for margin in _TAB_MARGIN.finditer(text, piece.start, piece.end)]
    for spans in (margins, [here]):
        for width in _TAB_WIDTHS:
            fix = Fix(
                "indent with spaces", True, tuple(TextEdit(span, _spaced(span.of(text), width)) for span in spans)
            )
            if fix.edits and _mends(text, piece, fix):
                yield fix
                return


def _spaced(margin: str, width: int) -> str:
    return re.sub(r"(?<=-)\t", " ", margin).replace("\t", " " * width)


# -- texts that need quotes


def _texts(text: str, piece: Span, refusal: Refusal) -> Iterator[tuple[int, int]]:
    """The stretches that may be the text that was meant, the likeliest first; none where quotes are not the cure."""
    if not refusal.reason.startswith(_CURED_BY_QUOTES) or _looks_like_a_key(text, refusal):
        return
    whole = _whole_item(text, refusal.began)
    for start in (refusal.began,) if whole is None else (whole, refusal.began):
        if not piece.start <= start < piece.end or text[start] in "|>":
            continue
        for end in _ends(text, piece, start, refusal.offset):
            written = _TRAILING_COMMENT.sub("", text[start:end])
            if written:
                yield start, start + len(written)


def _looks_like_a_key(text: str, refusal: Refusal) -> bool:
    """Whether js-yaml stops at a line of its own, or at the colon of a `key:`, that is merely indented wrongly."""
    if not refusal.reason.startswith("bad indentation"):
        return False
    line_start = text.rfind("\n", 0, refusal.offset) + 1
    before = text[line_start : refusal.offset].strip(" -")
    return refusal.began < line_start and " " not in before


def _ends(text: str, piece: Span, start: int, offset: int) -> Iterator[int]:
    """Where a text from `start` may end: behind the line of `offset`, or a later line indented deeper than its own."""
    reached = start + len(text[start:offset].rstrip())
    end = min(_line_end(text, reached), piece.end)
    yield end
    margin = _margin(text, start)
    is_item = start == text.rfind("\n", 0, start) + 1 + len(margin)
    indent = margin.rfind("-") if is_item and "-" in margin else len(margin)
    lines = text[end + 1 : piece.end].split("\n")
    for line in lines[:_LONGEST_TEXT]:
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            return
        end += 1 + len(line)
        if line.strip():
            yield end


def _whole_item(text: str, began: int) -> int | None:
    """Where the list item that `began` lies in begins, if what stands before `began` reads as prose, not as a key."""
    line_start = text.rfind("\n", 0, began) + 1
    item = _ITEM.match(text, line_start)
    if item is None or item.end() >= began:
        return None
    key = text[item.end() : began].rstrip(": \t")
    return item.end() if _PROSE_KEY.fullmatch(key) is not None else None


def _quoting(text: str, piece: Span, span: Span) -> Fix | None:
    """The fix that puts `span` in quotes, None where that does not make `piece` readable."""
    check = _CHECK_TEXT.match(text, span.start, span.end)
    if check is not None:
        argument = text[check.end() : span.end]
        marks = _MARKS.match(text, span.start)
        if marks is not None and text[check.end("name")] not in "`*":
            argument = argument.removesuffix(marks[0][::-1])
        written = f"${check['name']}: {_in_quotes(argument)}"
        fix = Fix("quote the argument", True, (TextEdit(span, written),))
        return fix if _mends(text, piece, fix) else None
    meant = span.of(text)
    if _holds_quoted_check(meant):
        return _unquoting(text, piece, span)
    fix = Fix("quote the text", True, (TextEdit(span, _in_quotes(meant)),))
    refused = _refused_at(text, piece, fix)
    is_cure = refused is None or (meant[0] in _NO_BEGINNING and refused > _line_end(text, span.end))
    return fix if is_cure else None


def _holds_quoted_check(meant: str) -> bool:
    """Whether `meant` begins with a check in quotes that quotes around the whole would make a text."""
    return _QUOTED_CHECK.match(meant) is not None and meant[1] not in _in_quotes(meant)[:2]


def _unquoting(text: str, piece: Span, span: Span) -> Fix | None:
    """The fix that makes a check of one in quotes that its argument is in as well, None where more follows it."""
    check = _QUOTED_CHECK.fullmatch(text, span.start, span.end)
    argument = None if check is None or check["argument"] is None else _WRAPPED.fullmatch(check["argument"])
    if check is None or argument is None:
        return None
    literal = argument[2].replace("'", "''")
    fix = Fix("make it a check", True, (TextEdit(span, f"${check['name']}: '{literal}'"),))
    return fix if _mends(text, piece, fix) else None


def _in_quotes(meant: str) -> str:
    """What is written, `meant` to be one text, in the quotes that it takes."""
    inner = meant[1:-1]
    if meant[0] == meant[-1] == "'" and _APOSTROPHES.fullmatch(inner) is not None:
        quoted = "'" + inner.replace("''", "'").replace("'", "''") + "'"
    elif meant[0] == meant[-1] == '"' and "\\" not in inner and _QUOTED_WITHIN.fullmatch(inner) is not None:
        quoted = '"' + inner.replace('"', '\\"') + '"'
    elif "\\" in meant or '"' in meant:
        quoted = "'" + meant.replace("'", "''") + "'"
    else:
        quoted = f'"{meant}"'
    return quoted


def _mends(text: str, piece: Span, fix: Fix) -> bool:
    """Whether `piece` can be read once `fix` is made."""
    return _refused_at(text, piece, fix) is None


def _refused_at(text: str, piece: Span, fix: Fix) -> int | None:
    """Where `piece` is still refused once `fix` is made, as an offset of `text` as it is; None where it can be read."""
    mended = apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in fix.edits))
    reader = Reader(mended, 0, len(mended), {})
    try:
        reader.read()
    except Refusal as refusal:
        return piece.end - (len(mended) - refusal.offset)
    return piece.start if reader.duplicates else None


def _needs_quotes(text: str, start: int, offset: int) -> str:
    first = text[start]
    if first in "%@`":
        return f"a text that begins with `{first}` needs quotes"
    if first in "*&!":
        return f"a text that begins with `{first}` needs quotes; without them YAML reads a sign of its own in it"
    if first in "[{":
        return f"a text that begins with `{first}` needs quotes; without them YAML reads a list or keys"
    if first in "\"'":
        return "the quotes end before the text does; the whole text needs to be in quotes"
    if text[offset : offset + 1] == ":":
        return "this text holds a colon followed by a blank, so it needs quotes: without them YAML reads another key"
    return "this text needs quotes: as it stands, YAML takes a part of it for something else"


# -- the rest


def _plain_reason(text: str, reason: str, offset: int) -> str:
    if reason.startswith("unidentified alias"):
        return "a text that begins with `*` needs quotes; `*name` stands for what is marked `&name`, and there is none"
    if reason.startswith("unknown tag") or "tag" in reason.split():
        return "a text that begins with `!` needs quotes; without them YAML reads the name of a type"
    if reason.startswith("nested more than"):
        return f"this is {reason}"
    match reason:
        case "the stream contains non-printable characters" | "expected valid JSON character":
            return "the text before this holds a control character that YAML does not take"
        case "null byte is not allowed in input":
            return "here stands a null byte, which YAML does not take"
        case "end of the stream or a document separator is expected" if text[offset : offset + 2] == "- ":
            return "a list begins here, but what stands above is no list: put `---` on a line of its own between them"
        case "end of the stream or a document separator is expected" if offset and text[offset - 1] in "\r\n":
            return "this line begins too far left to belong to what stands above it"
        case "a line break is expected":
            return "behind `|` or `>` the text begins on the next line; a text that begins with one needs quotes"
        case (
            "can not read an implicit mapping pair; a colon is missed"
            | "can not read a block mapping entry; a multiline key may not be an implicit key"
        ):
            return "above this a `:` is missing, or a line is indented too little to belong to the text before it"
        case "a whitespace character is expected after the key-value separator within a block mapping":
            return "behind the `:` of a key a blank is missing"
        case "missed comma between flow collection entries":
            return "inside the brackets a `,` is missing here, or a text that needs quotes"
        case "expected the node content, but found ','":
            return "inside the brackets nothing stands before this `,`"
        case "cannot merge mappings; the provided source object is unacceptable":
            return "`<<` takes keys with their values, and these are none"
        case "bad indentation of a mapping entry" | "bad indentation of a sequence entry":
            return (
                "this does not fit where it stands: it is indented otherwise than the lines around it, or needs quotes"
            )
        case _:
            return "from here on the text cannot be read as YAML"
