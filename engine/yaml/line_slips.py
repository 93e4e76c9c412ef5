"""Slips that the signs of one line give away: bullets, separators, spaces, full-width punctuation, lost colons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from engine.text import Record, Span, TextEdit, lazy
from engine.yaml.quoting import in_quotes
from engine.yaml.rows import NUMBER, ROUND_BULLETS
from engine.yaml.slips import HEADER_KEYS, KEY, LIST_KEYS, PROMPT_KEYS, Line, Lines, Slip

_PLAIN: Final = str.maketrans(
    {"＂": '"', "＇": "'", "［": "[", "］": "]", "｛": "{", "｝": "}", "，": ",", "：": ":", "、": ","}
)


def with_plain_signs(text: str) -> str:
    """`text` with the signs of YAML for its full-width ones."""
    return text.translate(_PLAIN)


_NO_WIDTH = "\u200b\u200e\u200f\u2060\ufeff"
FALSE_SPACES = f"\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000{_NO_WIDTH}"
_FALSE_SPACE = lazy(rf"(?:(?<=^)|(?<=[ \-:])|(?<=[{FALSE_SPACES}]))[{FALSE_SPACES}]", re.MULTILINE)
_MARGIN: Final = r"(?P<margin>[ \t]*(?:-[ \t]+)*)"
_KEY_WITHOUT_SPACE = lazy(rf"{_MARGIN}(?P<name>[A-Za-z_$][\w$-]*):(?P<sign>)(?=[^\s:/])")
_DASH_WITHOUT_SPACE = lazy(r"[ \t]*-(?P<sign>)(?=[^\s-])")
SEPARATOR = lazy(
    r"""(?: -- | -{4,}  # too few hyphens, or too many
      | [–—‒―−]{1,4} | ‐{2,} | －{2,} | -{1,3}[ ]?[–—]-*  # dashes
      | -(?:[ ]-){2,} | (?:\*[ ]){2,}\*  # apart
      | [=_~*+]{3,} | \.{4,}  # other lines
    )[ \t]*\Z""",
    re.VERBOSE,
)
"""What is written for the `---` between documents, from the first sign of the line on."""
KEYS: Final = HEADER_KEYS | PROMPT_KEYS
_ROUND_BULLETS = f"{ROUND_BULLETS}–—－"
"""Bullets after which a space may be missing."""
_OTHER_BULLETS = "‒―−‐‑*+·➤►▶→✓✔☐☑✗✘■□◆◇\uf0a7\uf0b7\uf0d8\uf0fc"
BULLET = lazy(
    rf"""(?P<margin>[ ]*)(?P<sign>
        (?: --+ | [{_ROUND_BULLETS}{_OTHER_BULLETS}] | -[•–—]
          | {NUMBER} | [o§](?=\t)  # numbers, letters, and bullets of word processors
        )[ \t\u00a0\u3000]+
      | [{_ROUND_BULLETS}](?=[^\s{_ROUND_BULLETS}])
    )(?=\S)""",
    re.VERBOSE,
)
"""A bullet, number or letter where an item has its dash, up to the text of the item."""
BOX = lazy(r"(?P<margin> *)(?P<sign>(?:-[ \t\u00a0]+)?\[[ xX✓]?\][ \t\u00a0]+)(?=\S)")
_Bullet: TypeAlias = tuple[Line, re.Match[str]]
"""A line with the bullet at its beginning."""
_COMMENT = lazy(r"[ \t]*(?P<sign>//+|<!--|/\*)(?P<text>.*?)(?:-->|\*/)?(?<![ \t])[ \t]*\Z")
FENCE = lazy(r"[ \t]*(?:```|~~~)[\w+-]*[ \t]*\Z")
_WIDE_COLON = lazy(rf"{_MARGIN}(?P<name>\$?\w+)(?P<sign>[ \t]*[：﹕︰∶][ \t\u3000]*)")
_OTHER_COLON = lazy(rf"{_MARGIN}(?P<name>{KEY})(?P<sign>[ \t]*(?:=>|->|:=|[=;；→]|[.,–—-](?=[ \t]|\Z))[ \t]*)")
_NO_COLON = lazy(rf"{_MARGIN}(?P<name>{KEY})(?P<sign>[ \t]+)(?=[^\s:=])")
_LONE_KEY = lazy(rf"{_MARGIN}(?P<name>{KEY})(?P<sign>[ \t]*)\Z")
_LIST_KEY = "|".join(sorted(LIST_KEYS, key=len, reverse=True))
_LIST_ON_THE_LINE = lazy(rf"{_MARGIN}(?P<name>{_LIST_KEY})[ \t]*:(?P<sign>[ \t]+)(?P<dash>-[ \t]+)(?=\S)")
_COMMA_AT_END = lazy(r".*[\"'\]}](?P<sign>[ \t]*[,，;])[ \t]*\Z")
_CLOSING_QUOTES = {
    "“": "”",
    "‘": "’",
    "„": "“",
    "«": "»",
    "‟": "”",
    **{sign: sign for sign in "＂＇”′″"},
}
"""Quotation marks other than those of YAML, each with the one that closes it."""
_VALUE = lazy(rf"{_MARGIN}(?:[\w$]+[ \t]*:[ \t]+)?(?P<value>\S.*?)(?<![ \t])[ \t]*\Z")
_TWO_KEYS = lazy(
    rf"""(?P<margin>[ ]*(?:-[ ]+)*)(?P<first>{KEY}):[ \t].*?
    (?P<sign>(?:[,;]|(?<![ \t])|(?<=:[ \t]))[ \t]+)(?P<name>{KEY}):(?=[ \t]|\Z)""",
    re.VERBOSE,
)


class _Operator(Record):
    """What the `pattern` of a line gives away: its group `sign` is to be `new`, with the line's margin at a line break.

    The slip is at the group `at`, or at the whole line.
    """

    pattern: re.Pattern[str]
    message: str
    title: str
    new: str
    at: str = ""

    def slips(self, line: Line) -> Iterator[Slip]:
        """The slip of `line`, if it has one."""
        found = self.pattern.match(line.written)
        if found is None:
            return
        groups = {name: group.strip(" \t\u3000") for name, group in found.groupdict("").items()}
        start, end = found.span("sign")
        new = self.new.replace("\n", "\n" + " " * found.end("margin")) if "\n" in self.new else self.new
        edit = TextEdit(_within(line, start, end), new if line.written[end:].strip() else new.rstrip())
        place = line.start + found.start(self.at) if self.at else line.content.start
        yield Slip(Span(place, line.content.end), self.message.format(**groups), self.title.format(**groups), (edit,))


_KEY_SPACE = _Operator(_KEY_WITHOUT_SPACE, "put a space after `{name}:`", "add the space", " ", "name")
_DASH_SPACE = _Operator(_DASH_WITHOUT_SPACE, "put a space after `-`", "add the space", " ")
_COLON = _Operator(_WIDE_COLON, "`{sign}` is a wide colon: write `:` and a space", "write `: `", ": ")
_AFTER_OTHERS = (
    *(
        _Operator(pattern, "put a `:` after `{name}`", "add the colon", ": ", "name")
        for pattern in (_OTHER_COLON, _LONE_KEY, _NO_COLON)
    ),
    _Operator(
        _LIST_ON_THE_LINE, "the list of `{name}` starts on the next line", "move it to the next line", "\n  ", "dash"
    ),
    _Operator(_TWO_KEYS, "`{name}` starts on a line of its own", "move `{name}` to the next line", "\n", "name"),
    _Operator(_COMMA_AT_END, "a line does not end in a comma here: remove it", "remove the comma", "", "sign"),
)
"""The operators that are tried last, the likeliest first."""


def false_spaces(text: str, span: Span) -> Iterator[Slip]:
    """Characters in `span` that only look like spaces."""
    found = [each.start() for each in _FALSE_SPACE.finditer(text, span.start, span.end)]
    if found:
        message = "this character only looks like a space (it is non-breaking, or has no width): type a space instead"
        edits = tuple(TextEdit(Span(at, at + 1), "" if text[at] in _NO_WIDTH else " ") for at in found)
        yield Slip(Span(found[0], found[0] + 1), message, "use plain spaces", edits)


def sign_slips(lines: Lines, index: int) -> Iterator[Slip]:
    """The slips that the signs of one line give away, the likeliest first."""
    line = lines[index]
    if line.column < 0:
        return
    yield from _separator(line)
    yield from _comment(line)
    yield from _bullets(lines, index)
    yield from _COLON.slips(line)
    yield from _wide_signs(line)
    yield from missing_space(line)
    yield from _alike_keys(lines, index)
    for operator in _AFTER_OTHERS:
        yield from operator.slips(line)


def _within(line: Line, start: int, end: int) -> Span:
    return Span(line.start + start, line.start + end)


def _separator(line: Line) -> Iterator[Slip]:
    if SEPARATOR.match(line.written, max(line.column, 0)) is not None:
        edits = (TextEdit(Span(line.start, line.content.end), "---"),)
        yield Slip(line.content, "a separator has three dashes: `---`", "write `---`", edits)


def _comment(line: Line) -> Iterator[Slip]:
    comment = _COMMENT.match(line.written)
    if comment is not None:
        sign = comment["sign"]
        edits = (TextEdit(line.content, f"# {comment['text'].strip()}".rstrip()),)
        yield Slip(line.content, f"comments start with `#`, not with `{sign}`", "make it a comment", edits)
    elif FENCE.match(line.written) is not None:
        message = "this mark of Markdown is no part of a blueprint: remove the line"
        yield Slip(line.content, message, "make it a comment", (TextEdit(line.content, f"# {line.written.strip()}"),))
    elif line.is_conflict:
        yield Slip(
            line.content, "this is a mark of a merge conflict: keep one of the two versions and remove the marks"
        )


def _bullets(lines: Lines, index: int) -> Iterator[Slip]:
    """A bullet that is no dash: with the same bullets below it at the same margin, alone, or with all bullets."""
    line = lines[index]
    for pattern, title in ((BULLET, "write `-`"), (BOX, "remove the box")):
        bullet = pattern.match(line.written)
        above = lines.above(index)
        other = None if above is None else pattern.match(lines[above].written)
        if bullet is None or (other is not None and _are_alike(bullet, other)):
            continue  # the first of them is the slip
        below = list(_bullets_below(lines, index, pattern, len(bullet["margin"])))
        alike = [each for each in below if _are_alike(each[1], bullet)]
        message = _message_on([(line, bullet), *alike], title)
        yield Slip(line.content, message, title, _dashes([(line, bullet), *alike]))
        if alike:
            yield Slip(line.content, message, title, _dashes([(line, bullet)]))
        if len(alike) < len(below):
            everything = [(line, bullet), *below]
            yield Slip(line.content, _message_on(everything, title), title, _dashes(everything))


def _are_alike(one: re.Match[str], other: re.Match[str]) -> bool:
    return one["margin"] == other["margin"] and bullet_kind(one["sign"]) == bullet_kind(other["sign"])


def _dashes(bullets: Iterable[_Bullet]) -> tuple[TextEdit, ...]:
    return tuple(TextEdit(_within(line, *found.span("sign")), "- ") for line, found in bullets)


def _message_on(bullets: Sequence[_Bullet], title: str) -> str:
    """The message on bullets, with each sign once: all numbers and letters are one."""
    signs = {bullet_kind(found["sign"]): found["sign"].strip(" \t\u00a0\u3000") for _, found in reversed(bullets)}
    *others, last = [f"`{sign}`" for sign in reversed(signs.values())]
    listed = f"{', '.join(others)} or {last}" if others else last
    message = f"lists use `-`, not {listed}" if title == "write `-`" else "a list item needs no box: remove the `[ ]`"
    return f"{message} ({len(bullets)} lines)" if len(bullets) > 1 else message


def spoilt_head(lines: Lines, index: int) -> Iterator[Slip]:
    """The bullet, or the missing dash, of the first item of the list around `index`: it makes the list one text."""
    for other in range(index, -1, -1):
        key = lines[other].key
        if key is None or key["name"] not in LIST_KEYS:
            if lines[other].column == 0:
                return
            continue
        if lines[other].written[key.end() :].strip():
            return
        first = next((each for each in range(other + 1, index) if not lines[each].is_blank), None)
        if first is None or lines[first].is_item or lines[first].column <= lines[other].column:
            return
        yield from _bullets(lines, first)
        yield from missing_space(lines[first])
        return


def _bullets_below(lines: Lines, index: int, pattern: re.Pattern[str], margin: int) -> Iterator[_Bullet]:
    """The lines below with a bullet, in the same list."""
    for line in lines.lines[index + 1 :]:
        if line.column < 0 or line.column > margin:
            continue
        found = pattern.match(line.written)
        if line.column < margin or (found is None and not line.is_item):
            return
        if found is not None:
            yield line, found


def bullet_kind(sign: str) -> str:
    """The bullet, with all numbers and letters alike."""
    return re.sub(r"\w+", "1", sign).strip()


def _wide_signs(line: Line) -> Iterator[Slip]:
    """Full-width signs, and typographic quotes, where YAML has plain ones."""
    value = _VALUE.match(line.written)
    if value is None:
        return
    written, place = value["value"], _within(line, *value.span("value"))
    closing = _CLOSING_QUOTES.get(written[0])
    if closing is not None and len(written) > 1:
        quoted = in_quotes(written[1:].removesuffix(closing))
        message = f'`{written[0]}` is no quotation mark of YAML: use `"`'
        yield Slip(place, message, "use plain quotes", (TextEdit(place, quoted),))
    plain = with_plain_signs(written)
    if plain != written and plain[0] in "[{\"'":
        message = "these signs are wider than those of YAML: write plain ones"
        yield Slip(place, message, "use plain signs", (TextEdit(place, plain),))


def missing_space(line: Line) -> Iterator[Slip]:
    """A space that is missing after the colon of a key, or after a dash."""
    yield from _KEY_SPACE.slips(line)
    yield from _DASH_SPACE.slips(line)


def spoilt_key(line: Line, names: frozenset[str] = KEYS) -> Slip | None:
    """The slip in the colon of a key with one of `names`: `id:fee`, `id：fee`; None if the line is no such key."""
    for operator in (_KEY_SPACE, _COLON):
        key = operator.pattern.match(line.written)
        if key is not None and key["name"] in names:
            return next(operator.slips(line))
    return None


def _alike_keys(lines: Lines, index: int) -> Iterator[Slip]:
    """Keys without a space or with wide colons, one below the other: one of them corrected alone is no key yet."""
    column = _column_of_key(lines[index])
    found: list[Slip] = []
    for step in (-1, 1):
        for line in lines.lines[index::step][int(step > 0) :]:
            slip = None if line.is_blank or _column_of_key(line) != column else spoilt_key(line)
            if slip is None:
                break
            found.append(slip)
    if len(found) > 1:
        found.sort(key=lambda slip: slip.span.start)
        edits = tuple(edit for slip in found for edit in slip.edits)
        yield Slip(found[0].span, f"{found[0].message} ({len(found)} lines)", found[0].title, edits)


def _column_of_key(line: Line) -> int:
    """The column of the first sign of a line behind its dashes."""
    return len(line.written) - len(line.written.lstrip(" \t-"))
