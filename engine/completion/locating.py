"""From an offset to the cursor's place."""

from __future__ import annotations

import re

from engine.completion.climbing import Above, Within, climb
from engine.completion.flow import Open, open_brackets
from engine.completion.lines import LONGEST, Line, line_end, line_start, read_line
from engine.completion.place import At, Notation, Place, Step
from engine.text import Span

_JSON_LOOK_BACK = 4000
"""So many characters before the cursor are looked at in JSON."""

_OPENING = re.compile(r"[\s\ufeff]*[{\[]")
_WORD = re.compile(r"""(?P<quote>["']?)(?P<word>[$\w./:@+-]*)""")
_TAIL = re.compile(r"""(?:^|[\[{,:]\s*)["']?[$\w./:@+-]*$""")
"""How a line ends in which something can be completed: with the word that begins it, or one behind a mark."""

_KEY_END = re.compile(r"[$\w-]*")
_VALUE_END = re.compile(r"[^\s,\[\]{}\"'#]*")


def locate(text: str, offset: int) -> Place | None:
    """Where in `text` the cursor at `offset` stands; None where nothing is to be completed, as within a sentence."""
    offset = min(max(offset, 0), len(text))
    start, end = line_start(text, offset), line_end(text, offset)
    if end - start > LONGEST or text[start:offset].lstrip().startswith(("#", "---", "%")):
        return None
    if _OPENING.match(text, 0, 200):
        return _in_json(text, offset, end)
    return _in_yaml(text, start, offset, end)


def _in_json(text: str, offset: int, end: int) -> Place | None:
    begin = 0 if offset <= _JSON_LOOK_BACK else line_start(text, offset - _JSON_LOOK_BACK)
    found = open_brackets(text, begin, offset)
    if found is None:
        return None
    outermost = found.siblings if not found.path else frozenset[str]()
    above = Above((), begin == 0, True, frozenset(), outermost)
    return _bracketed(text, found, (), above, offset, end, Notation.JSON)


def _in_yaml(text: str, start: int, offset: int, end: int) -> Place | None:
    line = read_line(text[start:offset])
    begins = start + line.value_column
    if _TAIL.search(line.value) is None:
        return None
    above = climb(text, start, end, line)
    if isinstance(above, Within):
        return _in_brackets_below(text, above, offset, end)
    if line.value[:1] in ("[", "{"):
        return _in_brackets(text, begins, line, above, offset, end)
    word = _WORD.fullmatch(line.value)
    if word is None or (line.key is not None and text[offset - 1] == ":"):
        return None
    at = At.VALUE if line.key is not None else At.ITEM if line.dashes else At.KEY
    stop = (_VALUE_END if at is At.VALUE else _KEY_END).match(text, offset, end)
    rest = text[stop.end() if stop else offset : end]
    if at is not At.VALUE and not word["word"] and rest[:1].isspace() and rest.strip():
        return None  # in the indentation of what follows
    return Place(
        at,
        above.path if line.key is None else (*above.path, line.key),
        above.rooted,
        above.first,
        above.siblings,
        above.outermost,
        word["word"],
        Span(offset - len(word["word"]), end - len(rest)),
        word["quote"],
        rest,
        Notation.BLOCK,
        line.column,
    )


def _in_brackets_below(text: str, within: Within, offset: int, end: int) -> Place | None:
    """The cursor stands in a value that began on a line above: in brackets, or in a text, which is none of ours."""
    line = within.line
    if line.value[:1] not in ("[", "{"):
        return None
    above = climb(text, within.start, line_end(text, within.start), line)
    if isinstance(above, Within):
        return None
    return _in_brackets(text, within.start + line.value_column, line, above, offset, end)


def _in_brackets(text: str, begins: int, line: Line, above: Above, offset: int, end: int) -> Place | None:
    found = open_brackets(text, begins, offset)
    if found is None:
        return None
    path = above.path if line.key is None else (*above.path, line.key)
    return _bracketed(text, found, path, above, offset, end, Notation.FLOW)


def _bracketed(
    text: str, found: Open, path: tuple[Step, ...], above: Above, offset: int, end: int, notation: Notation
) -> Place | None:
    word = text[found.word : offset]
    if _WORD.fullmatch(word) is None:
        return None
    if found.at is At.VALUE and text[offset - 1] == ":" and not found.quote:
        return None
    stop = (_KEY_END if found.at is At.KEY else _VALUE_END).match(text, offset, end)
    last = stop.end() if stop else offset
    return Place(
        found.at,
        (*path, *found.path),
        above.rooted,
        above.first,
        found.siblings,
        above.outermost,
        word,
        Span(found.word, last),
        found.quote,
        text[last:end],
        notation,
        found.word,
    )
