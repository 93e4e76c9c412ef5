"""Finds the word at the cursor and its path in the document."""

from __future__ import annotations

import re

from engine.completion.enclosing_path import (
    MARK,
    At,
    Notation,
    Place,
    content_start,
    enclosing_in_json,
    enclosing_in_yaml,
    line_around,
)
from engine.text.spans import Span
from engine.yaml.pieces import list_items, sections, split_pieces

_MAX_LINE = 4000
"""Longer lines get no completions."""

_BRACKET = re.compile(r"[\s\ufeff]*[{\[]")
_JSON = re.compile(r"[\s\ufeff]*[{\[]\s*[\"{\[]")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_TAIL = re.compile(r"""(?:^|[\[{,:]\s+|[\[{,]|:(?=["']))(?P<quote>["']?)(?P<word>[$\w./:@+-]*)$""")
"""The end of a line that can be completed: its first word, or a word after a bracket, comma or colon."""

_COLON = re.compile(r"""["']?\s*:""")
_KEY_END = re.compile(r"[$\w-]*")
_NOTHING = re.compile(r"(?:[ \t\r\n\ufeff]|#[^\n]*+|^---)*+", re.MULTILINE)
_VALUE_END = re.compile(r"[^\s,\[\]{}\"'#]*")


def cursor_context(text: str, offset: int) -> Place | None:
    """The place of the cursor at `offset` of `text`; None if nothing can be completed, as inside a sentence."""
    offset = min(max(offset, 0), len(text))
    if "\r" in text:
        text = _LONE_RETURN.sub("\n", text)
    start, end = line_around(text, offset)
    content = content_start(text, start, offset)
    tail = _TAIL.search(text[content:offset])
    if tail is None or end - start > _MAX_LINE or text.startswith(("#", "---", "%"), content):
        return None
    word, quote = tail["word"], tail["quote"]
    begin = offset - len(word) - len(quote)
    if word.endswith(":") or (begin == content and _is_before_text(word, text[offset:end])):
        return None
    piece = next((each for each in split_pieces(text, 0) if each.end >= offset), Span(0, 0))
    if _JSON.match(text) is not None:
        found = enclosing_in_json(text[:begin])
    else:
        above, below = _around(text, piece, Span(begin, end))
        mark, rest = _marked(text[offset:end], is_first=begin == content)
        found = enclosing_in_yaml(above, mark, rest + below)
    if found is None:
        return None
    is_name = found.at is At.KEY or (found.at is At.ITEM and not found.in_brackets)
    stop = (_KEY_END if is_name else _VALUE_END).match(text, offset, end)
    last = offset if stop is None else stop.end()
    return Place(
        found.at,
        found.path,
        _NOTHING.fullmatch(text, 0, piece.start) is not None,
        found.siblings,
        found.root_keys,
        word,
        Span(offset - len(word), last),
        quote,
        text[last:end],
        Notation.JSON if _BRACKET.match(text) is not None else Notation.FLOW if found.in_brackets else Notation.BLOCK,
        content - start,
    )


def _around(text: str, piece: Span, word: Span) -> tuple[str, str]:
    """The text of `piece` before and after `word`, without the other items of a list below a key of the root."""
    *_, section = (each for each in sections(text, piece) if each.start <= word.start)
    items = list_items(text, section)
    item = next((each for each in items[1:] if each.start <= word.start <= each.end), None)
    if item is None:
        return text[piece.start : word.start], text[word.end : piece.end]
    above = text[piece.start : items[0].end] + text[item.start : word.start]
    return above, text[word.end : max(word.end, item.end)] + text[section.end : piece.end]


def _is_before_text(word: str, rest: str) -> bool:
    """Whether the cursor is right before other text, or after a dash that does not begin a list item yet."""
    name = _KEY_END.match(rest)
    behind = rest if name is None else rest[name.end() :]
    return word.startswith("-") or (not word and behind[:1].isspace() and behind.strip() != "")


def _marked(rest: str, *, is_first: bool) -> tuple[str, str]:
    """The mark for a word, and the rest of its line; the mark is a key if the word `is_first` on its line."""
    if not is_first:
        return MARK, ""
    name = _KEY_END.match(rest)
    colon = _COLON.match(rest, 0 if name is None else name.end())
    return f"{MARK}: ", "" if colon is None else rest[colon.end() :]
