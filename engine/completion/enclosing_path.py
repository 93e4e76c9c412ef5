"""Which lists and keys enclose the cursor, from the tree that the reader makes of the text around it.

The word at the cursor is replaced by a mark that no author writes. Two things the reader cannot know are settled by
the lines: a bracket that is still open is closed behind the mark, and a line that cannot be read is left out, unless
the cursor's line is indented into what begins there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from engine.completion.cursor_place import ITEM, At, Step
from engine.text import Span
from engine.yaml_nodes.json_reader import BadJson, read_json
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml_nodes.reader import Reader, Refusal

MARK = "\ue000"
"""Stands for the word at the cursor: a plain scalar of one private character."""

_MOST_READINGS = 12
"""So often a text is read again without a line that cannot be read, or with one more bracket closed."""

_LONGEST_SLIP = 8000
"""Up to so many characters JSON that is none is read as YAML, which takes a millisecond for every three thousand."""

_LEAD = re.compile(r" *(?:-[ \t]+)*")
_KEPT_KEY = re.compile(r"[ ]*(?:-[ ]+)*[\w$-]+:(?=\s)")
_JSON_PROMPTS = re.compile(r"^[\s\ufeff]*\[\s*|\"prompts\"\s*:\s*\[\s*")
_LINE_END = re.compile(r"[\r\n]")
_COMMA = re.compile(r"\s*,\s*")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Enclosing:
    """What encloses the mark: the steps to it from the root of its document, and the other keys on the way.

    `siblings` are the keys of the mapping whose key or value the mark is, `outermost` those of the document's root,
    the mark's own key left out of `siblings`. `in_brackets` says that it stands in a list or mapping in brackets.
    """

    at: At
    path: tuple[Step, ...]
    siblings: frozenset[str]
    outermost: frozenset[str]
    in_brackets: bool


def enclosing_in_json(above: str) -> Enclosing | None:
    """What encloses the end of `above`, the beginning of a text in JSON, which YAML takes with slips such as `,]`."""
    above = _without_prompts_above(above)
    try:
        root: Node | None = read_json(f'{above}"{MARK}": null')
    except BadJson as error:
        root = error.partial
    found = None if root is None else _find(root, len(above))
    if isinstance(found, Enclosing):
        return found
    if len(above) > _LONGEST_SLIP:
        return None
    return enclosing_in_yaml(_LINE_END.sub(" ", above), f"{MARK}: ", "")  # lines of JSON need no indentation


def enclosing_in_yaml(above: str, mark: str, below: str) -> Enclosing | None:
    """What encloses `mark`, which begins with `MARK`, between the lines of a document (or of one item of its list)."""
    for left in reversed(range(_MOST_READINGS)):
        text, at = f"{above}{mark}{below}", len(above)
        reader = Reader(text, 0, len(text), {})
        try:
            reader.read()
            repaired = None
        except Refusal as refusal:
            repaired = _repaired(text, Span(at, at + len(mark)), refusal)
        if repaired is None or not left:
            roots = [document.root for document in reader.documents if document.root is not None]
            found = next(filter(None, (_find(root, at) for root in roots)), None)
            if not isinstance(found, ScalarNode):
                return found
            if _holds(text, found.span.start, at):
                return None
            repaired = _without_value(text, found.span.start, at), below  # a quote that ends at the next one
        above, below = repaired
    return None


def _without_prompts_above(above: str) -> str:
    """`above` without the whole prompts of its list, so that reading it costs the same however many there are."""
    prompts = _JSON_PROMPTS.search(above)
    if prompts is None:
        return above
    decoder, at = json.JSONDecoder(), prompts.end()
    try:
        while comma := _COMMA.match(above, decoder.raw_decode(above, at)[1]):
            at = comma.end()
    except (ValueError, RecursionError):  # here begins the prompt that is not whole
        return above[: prompts.end()] + above[at:]
    return above


# --- What cannot be read


def _repaired(text: str, mark: Span, refusal: Refusal) -> tuple[str, str] | None:
    """What stands above and below the mark once the cause of `refusal` is out of the way.

    None where the cause is what the mark itself stands in, so that it is no place of its own.
    """
    above, below = text[: mark.start], text[mark.end :]
    here, _ = line_around(text, mark.start)
    if "document separator" in refusal.reason and text.startswith("- ", refusal.offset) and refusal.offset < here:
        return above[refusal.offset :], below  # `---` is missing before this list
    cause = _cause(refusal, text)
    start, end = line_around(text, cause)
    if start > mark.start:
        held = _held(text, here, mark.end)
        return above, f"\n{text[held:]}" if cause < held else text[mark.end : start] + text[end:]
    if start < here and not _holds(text, cause, mark.start):
        return _without_value(text, cause, mark.start), below
    if cause == refusal.opening and text[cause] in _CLOSING and refusal.offset >= mark.end:
        return above, (below if below.strip("]}") == "" else "") + _CLOSING[text[cause]]
    if start == here and refusal.opening is None:
        kept = _without_deeper(text, here)
        return None if kept == here else (text[:kept] + text[here : mark.start], below)
    return None


def _cause(refusal: Refusal, text: str) -> int:
    """Where what the reader refused began: a quote or bracket left open, a text that runs on, or there."""
    quoted, offset = refusal.multiline_quote, refusal.offset
    if quoted is not None and "\n" not in text[quoted.end : offset]:
        return quoted.start
    if refusal.opening is not None:
        return refusal.opening
    return refusal.node_start if "multiline key" in refusal.reason else offset


def _without_value(text: str, cause: int, mark: int) -> str:
    """What stands above `mark` without the line of `cause`, but for the key there; without that too if it is alone."""
    start, end = line_around(text, cause)
    key = _KEPT_KEY.match(text, start, end)
    kept = start if key is None or key.end() == end else key.end()
    return text[:kept] + text[end:mark]


def _holds(text: str, cause: int, mark: int) -> bool:
    """Whether the line of `mark`, and all above it, are indented into the value that begins at `cause`."""
    start, end = line_around(text, cause)
    content = content_start(text, start)
    column = content - start + (content < cause)
    lines = text[end : line_around(text, mark)[1]].splitlines()
    return all(_indent(line) >= column for line in lines if _has_text(line))


def _held(text: str, start: int, end: int) -> int:
    """Where the lines end that are indented into what begins on the line at `start` and is read up to `end`."""
    column = content_start(text, start) - start
    for line in text[end:].splitlines(keepends=True):
        if text[end - 1] == "\n" and _has_text(line) and _indent(line) <= column:
            return end
        end += len(line)
    return end


def _without_deeper(text: str, start: int) -> int:
    """Where the lines begin that stand right above the one at `start` and are indented further."""
    indent = _indent(text[start:])
    for line in reversed(text[:start].splitlines(keepends=True)):
        if _has_text(line) and _indent(line) <= indent:
            break
        start -= len(line)
    return start


def content_start(text: str, start: int, end: int | None = None) -> int:
    """Where behind its indentation and its dashes the line at `start`, read up to `end`, begins."""
    lead = _LEAD.match(text, start, len(text) if end is None else end)
    return start if lead is None else lead.end()


def _has_text(line: str) -> bool:
    """Whether there is more on `line` than a comment."""
    return line.strip()[:1] not in ("", "#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def line_around(text: str, offset: int) -> tuple[int, int]:
    """From where to where the line of `offset` goes, its end left out."""
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    return text.rfind("\n", 0, offset) + 1, end - text.endswith("\r", offset, end)


# --- What is found


def _find(root: Node, mark: int) -> Enclosing | ScalarNode | None:
    """What encloses the scalar that begins at `mark`; the scalar that the mark is part of where none begins there."""
    path: list[Step] = []
    siblings = frozenset[str]()
    in_brackets, at, node = False, At.KEY, root
    while isinstance(node, SequenceNode | MappingNode):
        in_brackets = in_brackets or node.flow
        if isinstance(node, SequenceNode):
            path.append(ITEM)
            at, siblings = At.ITEM, frozenset[str]()
            inner = next((item for item in node.items if _covers(item.span, mark)), None)
        else:
            pair = next((pair for pair in node.pairs if _covers(pair.span, mark)), None)
            if pair is None:
                return None
            is_key = _covers(pair.key.span, mark)
            siblings = frozenset(property_name(other.key) for other in node.pairs if other is not pair)
            if is_key:
                at = At.ITEM if at is At.ITEM and node.span.start == mark else At.KEY
            else:
                path.append(property_name(pair.key))
                at = At.VALUE
            inner = pair.key if is_key else pair.value
        if inner is None:
            return None
        node = inner
    if not isinstance(node, ScalarNode):
        return None
    if node.span.start != mark:
        return node
    outermost = [property_name(pair.key) for pair in root.pairs] if isinstance(root, MappingNode) else []
    return Enclosing(at, tuple(path), siblings, frozenset(outermost), in_brackets)


def _covers(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end
