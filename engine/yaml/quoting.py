"""Text that needs quotes, quotation marks and brackets that are never closed, and the fixes that make them readable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span, TextEdit, lazy
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import KEY, Lines, Slip, first_line, line_end, line_start, margin

_ITEM = lazy(r"(?:[ \t]*-(?=[ \t]))+[ \t]+", re.MULTILINE)
_PROSE_KEY = lazy(r"(?!['\"\[\]{}])[^\n:#]*[^\s:] [^\n:#]*|(?!(?:User|Assistant|System|Ai|AI)$)[^\W\d_a-z][\w'’-]*")
"""Several words, or one capitalised word: never a key of a blueprint, except for a capitalised role."""
_TRAILING = lazy(r"(?<![ \t\r])[ \t\r]*(?:[ \t]#[^\n]*)?\Z")
_REASONS_FOR_QUOTES = (
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
    "a line break is expected",
)
"""How js-yaml's reasons begin where quotes around the text may be the fix."""
_APOSTROPHES = lazy(r"(?:[^'\n]|''|(?<=\w)'(?=\w))+")
"""The inside of single quotes whose only fault is an apostrophe within a word."""
_APOSTROPHE = lazy(r"(?<=\w)''?(?=\w)")
_QUOTATIONS = lazy(r'[^"\n]*[^"\w\n](?:"\w[^"\n]*[^"\s]"[^"\n]*)+')
"""The inside of double quotes that contain a quotation."""
_NEEDS_QUOTES_ALWAYS = "@`%"
"""No unquoted text may begin with these, so quotes are needed whatever else is wrong further on."""
_CHECK_NAME = (
    r"(?a:(?:not_)?(?:i?(?:contains?|match(?:es)?|starts?_with|ends?_with)(?:_(?:word|any_of|all_of|at_least_n_of))?"
    r"|tool_(?:called|args_match|call_count_between|call_order)|word_count_between|is_json|js|expr|call|external"
    r"|factcheck)\b)"
)
"""Names of checks, closely enough to see that a check was meant (`engine.functions`, a later layer, has the names)."""
_CHECK_TEXT = lazy(
    rf"(?:\[[ xX]?\][ \t]+\$|[@%`*]+\$?|\$)(?P<name>{_CHECK_NAME})[`*]*(?:[ \t]*(?::|：|=|;)[ \t]*|[ \t]+)(?=\S)"
)
"""The name of a check after a stray sign, up to its argument."""
_MARKS = lazy("[`*]+")
_BLOCK_HEAD = lazy(r"[|>][-+0-9]*[ \t]*\n")
_CHECK_IN_BRACKETS = lazy(
    rf"(?:(?<=[-\[,][ \t])|(?<=[\[,]))\$?(?P<name>{_CHECK_NAME})(?P<gap>[ \t]*[:：=;]?[ \t]*)(?=[\[{{])"
)
"""The name of a check before a list or a mapping, with no proper colon between the two."""
_CHECK_OF_A_POINT = lazy(rf"(?<=-[ \t])\$(?P<name>{_CHECK_NAME})(?P<gap>[ \t]*[：=;]?[ \t]*)(?=[^\s：=;])")
"""The name of a check before a text, where the lines below hold further keys of the point."""
_QUOTED_CHECK = lazy(
    rf"""(?P<mark>["'])[ \t]*\$(?P<name>{_CHECK_NAME})(?:[ \t]*[:：=;][ \t]*(?P<argument>.*)(?P=mark))?"""
)
"""A check in quotes; `argument` is set where the quotes enclose all of it."""
_CHECK_BEGINS = lazy(rf"""["'`*@%\[\] xX]*(?:[$＄]|{_CHECK_NAME}[ \t]*[:：=;])""")
"""What a text begins with that was meant as a check."""
_HOLDS_MORE = lazy(r"(?:[$＄]\w+[ \t]*[:=(]|(?<!\w)(?:weight|multiplier)[ \t]*[:=])[ \t]*[^\s\"')]", re.IGNORECASE)
"""A check or a weight within a text, which would be words of it in quotation marks."""
_QUOTED_TEXT = lazy(r"""(["'])((?:(?!\1).)+)\1""")
_ELISION = lazy(r"'(?:tis|twas|til|em|cause|round|bout|[0-9]0s)\b", re.IGNORECASE)
_ALIAS = lazy(r"\*[\w-]+[ \t]*(?:[ \t]#.*)?$", re.MULTILINE)
"""A whole value that names an anchor, which is never a text."""
_BEGUN_ITEM = lazy(r"[ \t-]*-[ \t]+(?=[|>][^-+0-9\s]|[|>][-+0-9]*[ \t]+[^#\s])")
"""What stands before a text that begins with the sign of a block text, where no block text can be meant."""
_READ_AS = {"[": "a list", "{": "keys and values", "|": "a block text", ">": "a block text"}
_MAXIMUM_LINES = 30
"""How many lines a text may have for quotes to be tried around it."""


def quoting_slips(text: str, refusal: Refusal, offset: int) -> Iterator[Slip]:
    """A check without a colon after its name, and texts that need quotes, where js-yaml stops at `offset`.

    A slip without edits is the last one.
    """
    yield from _missing_colons(text, refusal)
    for span in _quotable_spans(text, refusal):
        slip = _quoted_slip(text, span, _needs_quotes(text, span, offset))
        if slip is not None:
            yield slip
        if (name := _quoted_check(span.of(text))) is not None:
            message = f"more text follows the closing quote of `${name}`: remove it, or start a new `- ` for it"
            yield Slip(first_line(text, span.start, span.end), message)
            return


def _missing_colons(text: str, refusal: Refusal) -> Iterator[Slip]:
    """Checks without a `:` after their name: `[$contains_any_of [a, b]]`."""
    start = line_start(text, min(refusal.node_start, refusal.offset))
    end = line_end(text, refusal.offset)
    for pattern in (_CHECK_IN_BRACKETS, _CHECK_OF_A_POINT):
        found = list(pattern.finditer(text, start, end))
        if found:
            written, name = found[0][0].rstrip(" \t:：=;"), found[0]["name"]
            message = f"`{written}` needs a `:` after it: a check is written `${name}: argument`"
            edits = tuple(TextEdit(Span(*each.span()), f"${each['name']}: ") for each in found)
            yield Slip(first_line(text, *found[0].span()), message, "add the colon", edits)


def _needs_quotes(text: str, span: Span, offset: int) -> str:
    """Why the text at `span`, at which js-yaml stops at `offset`, needs quotes."""
    first = text[span.start]
    match first:
        case "%" | "@" | "`" | ",":
            return f"text that starts with `{first}` needs quotes"
        case "*" | "&" | "!":
            return f"text that starts with `{first}` needs quotes: without them, `{first}` has a meaning of its own"
        case "[" | "{" | "|" | ">":
            return f"text that starts with `{first}` needs quotes: without them, YAML reads {_READ_AS[first]}"
        case '"' | "'" if is_never_closed(span.of(text)):
            return f"this quotation mark ({first}) is never closed: put the whole text in quotes"
        case '"' | "'":
            return "the quotes close before the text ends: put the whole text in quotes"
        case _ if text[offset : offset + 1] == ":":
            return "this text contains a colon and a space, so it needs quotes: without them, YAML reads a key"
        case _:
            return "this text needs quotes: without them, YAML reads part of it as something else"


def _quotable_spans(text: str, refusal: Refusal) -> Iterator[Span]:
    """The spans that the author may have meant as one text, the likeliest first; none where quotes would not help."""
    if not refusal.reason.startswith(_REASONS_FOR_QUOTES) or _is_misplaced_key(text, refusal):
        return
    if _ALIAS.match(text, refusal.node_start) is not None:
        return
    item = _enclosing_prose_item(text, refusal.node_start)
    for start in (refusal.node_start,) if item is None else (item, refusal.node_start):
        if start >= len(text) or (text[start] in "|>" and _BEGUN_ITEM.match(text, line_start(text, start)) is None):
            continue
        for end in _possible_ends(text, start, refusal.offset):
            written = without_comment(text[start:end])
            if written:
                yield Span(start, start + len(written))


def without_comment(written: str) -> str:
    """`written` without a comment at its end, and without blanks there."""
    end = _TRAILING.search(written, written.rfind("\n") + 1)
    return written if end is None else written[: end.start()]


def _is_misplaced_key(text: str, refusal: Refusal) -> bool:
    """Whether js-yaml stops at a new line, or at the colon of a `key:`, whose only fault is its indentation."""
    if not refusal.reason.startswith("bad indentation"):
        return False
    start = line_start(text, refusal.offset)
    before = text[start : refusal.offset].strip(" -")
    return refusal.node_start < start and " " not in before


def _possible_ends(text: str, start: int, offset: int) -> Iterator[int]:
    """Where a text from `start` may end: at the end of the line of `offset`, or of a later line indented deeper."""
    reached = start + len(text[start:offset].rstrip())
    end = line_end(text, reached)
    yield end
    indentation = margin(text, start)
    is_item = start == line_start(text, start) + len(indentation)
    indent = indentation.rfind("-") if is_item and "-" in indentation else len(indentation)
    lines = text[end + 1 :].split("\n", _MAXIMUM_LINES)
    for line in lines[:_MAXIMUM_LINES]:
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            return
        end += 1 + len(line)
        if line.strip():
            yield end


def _enclosing_prose_item(text: str, node_start: int) -> int | None:
    """Where the list item around `node_start` begins, if the item reads as prose up to there and not as a key."""
    item = _ITEM.match(text, line_start(text, node_start))
    if item is None or item.end() >= node_start:
        return None
    key = text[item.end() : node_start].rstrip(": \t")
    return item.end() if _PROSE_KEY.fullmatch(key) is not None else None


def _quoted_slip(text: str, span: Span, message: str) -> Slip | None:
    """The text at `span`, or the argument of the check that it is, in quotes; a check in quotes without them."""
    place, written = first_line(text, span.start, span.end), span.of(text)
    check = _CHECK_TEXT.match(text, span.start, span.end)
    until: int | None = None
    if check is not None:
        argument = text[check.end() : span.end]
        marks = _MARKS.match(text, span.start)
        if marks is not None and text[check.end("name")] not in "`*":
            argument = argument.removesuffix(marks[0][::-1])
        is_block = _BLOCK_HEAD.match(argument) is not None
        title, is_safe = (
            "add the colon" if is_block else "quote the argument",
            is_block or not _HOLDS_MORE.search(argument),
        )
        new = f"${check['name']}: {argument if is_block else _quoted(argument)}"
    elif _quoted_check(written) is not None:
        check = _QUOTED_CHECK.fullmatch(written)
        inner = None if check is None or check["argument"] is None else _QUOTED_TEXT.fullmatch(check["argument"])
        if check is None or inner is None:
            return None  # more follows it
        literal = inner[2].replace("'", "''")
        title, is_safe, new = "make it a check", True, f"${check['name']}: '{literal}'"
    else:
        title, is_safe, new = "quote the text", not _HOLDS_MORE.search(written), _quoted(written)
        until = line_end(text, span.end) + 1 if written[0] in _NEEDS_QUOTES_ALWAYS else None
    return Slip(place, message, title, (TextEdit(span, new),), is_safe=is_safe, until=until)


def in_quotes(text: str) -> str:
    """`text` in double quotes; in single quotes if it has double quotes or backslashes."""
    return "'" + text.replace("'", "''") + "'" if '"' in text or "\\" in text else f'"{text}"'


def begins_with_elision(text: str, start: int = 0) -> bool:
    """Whether an apostrophe at `start` is a part of the word that it begins: “'tis”, “'90s”."""
    return _ELISION.match(text, start) is not None


def is_never_closed(written: str) -> bool:
    """Whether `written` begins with a quotation mark that no other closes: all others in it are pairs, or apostrophes.

    Not where it begins a check, or with an elision.
    """
    mark = written[0]
    if mark not in "\"'" or "\\" in written or begins_check(written) or begins_with_elision(written):
        return False
    return _APOSTROPHE.sub("", written[1:]).count(mark) % 2 == 0


def begins_check(written: str) -> bool:
    """Whether `written` begins with what was meant as a check."""
    return _CHECK_BEGINS.match(written) is not None


def _quoted_check(written: str) -> str | None:
    """The name, without `$`, of the quoted check that `written` begins with; None where there is none.

    None as well where `written` keeps its own quotes and only the ones inside need escaping.
    """
    check = _QUOTED_CHECK.match(written)
    return None if check is None or written[1] in _quoted(written)[:2] else check["name"]


def _quoted(written: str) -> str:
    """`written` as one quoted text: quotes around all of it, or its own quotes with the inner ones escaped.

    A quotation mark at its start that is never closed is no part of the text.
    """
    inner = written[1:-1]
    if is_never_closed(written):
        return in_quotes(written[1:])
    if written[0] == written[-1] == "'" and _APOSTROPHES.fullmatch(inner) is not None:
        quoted = "'" + inner.replace("''", "'").replace("'", "''") + "'"
    elif written[0] == written[-1] == '"' and "\\" not in inner and _QUOTATIONS.fullmatch(inner) is not None:
        quoted = '"' + inner.replace('"', '\\"') + '"'
    else:
        quoted = in_quotes(written)
    return quoted


_QUOTED_KEY = re.compile(rf"[\"']{KEY}:(?=[ \t]|\Z)")
_ESCAPED = lazy(r"\\.", re.DOTALL)
_MOST_LINES = 40
"""How many lines below the opening are tried as the end of the text."""


def unclosed(text: str, opening: int) -> Iterator[Slip]:
    """The slips for the mark at `opening`, each with another place at which it may close; the last has no fix."""
    mark = text[opening]
    place = first_line(text, opening, line_end(text, opening))
    if mark in "[{":
        closing = "]" if mark == "[" else "}"
        message = f"this `{mark}` is never closed: add the `{closing}`"
        for at in _ends(text, opening):
            yield Slip(place, message, f"close it with `{closing}`", (TextEdit(Span(at, at), closing),))
        yield Slip(place, message)
        return
    message = f"this quotation mark ({mark}) is never closed, or closed too late: close it where the text ends"
    if _QUOTED_KEY.match(text, opening) is not None:
        at = Span(opening, opening + 1)
        yield Slip(place, f"this quotation mark ({mark}) is never closed: remove it", "remove it", (TextEdit(at, ""),))
    if begins_with_elision(text, opening):
        end = opening + len(without_comment(text[opening : line_end(text, opening)]))
        written = text[opening:end].replace('"', '\\"')
        yield Slip(place, message, "quote the text", (TextEdit(Span(opening, end), f'"{written}"'),))
    other = "'" if mark == '"' else '"'
    for at in _ends(text, opening):
        inner = text[opening + 1 : at]
        if inner.endswith(other) and inner.count(other) % 2:
            closed = TextEdit(Span(at - 1, at), mark)
            yield Slip(
                place,
                f"this quotation mark ({mark}) is never closed: the text ends with {other}",
                f"close it with `{mark}`",
                (closed,),
            )
        plain = inner if mark == "'" else _ESCAPED.sub("", inner)
        if mark in plain:
            continue
        yield Slip(place, message, f"close it with `{mark}`", (TextEdit(Span(at, at), mark),))
    yield Slip(place, message)


def _ends(text: str, opening: int) -> Iterator[int]:
    """The ends of lines where what opens at `opening` may close: of its own line, if a key or an item follows."""
    lines = Lines(text, opening)
    column = lines[lines.at].column
    for index in range(lines.at, min(lines.at + _MOST_LINES, len(lines.lines))):
        line = lines[index]
        if line.column < 0:
            continue
        if index > lines.at and line.column <= column:
            return
        following = next((each for each in lines.lines[index + 1 :] if each.column >= 0), None)
        if following is None or following.is_structure or following.column <= column:  # it begins something new
            yield line.start + len(without_comment(line.written))
