"""Think blocks: the thoughts of a model within the text of its answer, such as `<think>…</think>`.

Most servers send thoughts separately, and those never enter an answer. Inline thoughts are part of the text: they are
scored with it, here and on Weval, and this module finds them so that they can be reported.

Blocks are `<think>`, `<thinking>`, `<thought>`, `<thoughts>` and `<reasoning>` in any case, and the special tokens of
some model families. A block without an end tag continues to the end of the turn; it must begin a line, since prose may
name the tag. An end tag without a start closes a block from the start of the turn, as some servers put the start tag
into the prompt; it must be at the beginning or end of a line. Tags in code, fenced or in backticks, do not count. Nor
does a tag other than `<think>` that the conversation names: "Enclose your reasoning in <reasoning> tags" describes the
form of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.conversation import ThreadTurn
from engine.functions.counts import words_in
from engine.patterns import lazy
from engine.record import Record
from engine.text import Span

_TAGS = r"think|thinking|thoughts?|reasoning|seed:think"
_OPEN = lazy(
    rf"(?P<tag><\s*(?P<name>{_TAGS})(?:\s[^<>]{{0,80}})?>)|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>analysis<\|message\|>",
    re.I,
)
_CLOSE = lazy(
    rf"<\s*/\s*(?P<name>{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>", re.I
)
_CODE = lazy(r"(`{3,}|~{3,}).*?(?:\1|\Z)|(`{1,2})(?!`)[^\n]{0,400}?(?<!`)\2(?!`)", re.S)


class ThinkBlocks(Record):
    """The blocks in an answer: their `spans` in the subject text, tags included, and `tag`, the first as written.

    `closed`: whether each has an end tag. `words` counts the words in them, `share` (0–1) is their part of the text.
    """

    spans: tuple[Span, ...]
    tag: str
    closed: bool
    words: int
    share: float

    def contain(self, evidence: Sequence[Span]) -> bool:
        """Whether there is evidence, and all of it is within the blocks."""
        return bool(evidence) and all(
            any(block.start <= each.start and each.end <= block.end for block in self.spans) for each in evidence
        )


def think_blocks(subject: str, thread: Sequence[ThreadTurn] = ()) -> ThinkBlocks | None:
    """The think blocks in the text that is judged, None where there are none. `thread` separates its turns."""
    if _OPEN.search(subject) is None and _CLOSE.search(subject) is None:
        return None
    written = " ".join(turn.content for turn in thread if not turn.generated).lower()
    found: list[tuple[Span, str, bool]] = []
    for start, turn in _turns(subject, thread):
        for block, tag, closed in _blocks(turn, written):
            found.append((Span(start + block.start, start + block.end), tag, closed))
    if not found:
        return None
    spans = tuple(span for span, _, _ in found)
    words = sum(words_in(_OPEN.sub(" ", _CLOSE.sub(" ", span.of(subject)))) for span in spans)
    share = sum(span.end - span.start for span in spans) / len(subject)
    return ThinkBlocks(spans, found[0][1], all(closed for _, _, closed in found), words, share)


def _turns(subject: str, thread: Sequence[ThreadTurn]) -> Iterator[tuple[int, str]]:
    """Each generated turn with its place in the subject; the whole subject where it is not made up of the turns."""
    turns = [turn.content for turn in thread if turn.generated]
    if "\n\n".join(turns) != subject:
        turns = [subject]
    start = 0
    for turn in turns:
        yield start, turn
        start += len(turn) + 2


def _blocks(text: str, written: str) -> Iterator[tuple[Span, str, bool]]:
    """The blocks of one turn, each with its first tag and whether it is closed. `written` is all written turns."""
    place = 0
    opened = _first(_OPEN, text, 0, written)
    closing = _first(_CLOSE, text, 0, written)
    if closing is not None and (opened is None or closing.start() < opened.start()) and _at_an_edge(text, closing):
        yield Span(0, closing.end()), closing[0], True
        place = closing.end()
    while (opened := _first(_OPEN, text, place, written)) is not None:
        closing = _CLOSE.search(text, opened.end())
        if closing is None:
            if text[: opened.start()].rpartition("\n")[2].strip():
                return
            yield Span(opened.start(), len(text)), opened[0], False
            return
        yield Span(opened.start(), closing.end()), opened[0], True
        place = closing.end()


def _first(tag: re.Pattern[str], text: str, place: int, written: str) -> re.Match[str] | None:
    """The first tag from `place` on that is neither in code nor named in the written turns."""
    if tag.search(text, place) is None:
        return None
    codes = [match.span() for match in _CODE.finditer(text, place)]
    outside = (match for match in tag.finditer(text, place) if not any(a <= match.start() < b for a, b in codes))
    return next((match for match in outside if not _is_named((match["name"] or "").lower(), written)), None)


def _is_named(name: str, written: str) -> bool:
    return name not in ("", "think", "seed:think") and f"<{name}" in written


def _at_an_edge(text: str, tag: re.Match[str]) -> bool:
    before, after = text[: tag.start()].rpartition("\n")[2], text[tag.end() :].partition("\n")[0]
    return not before.strip() or not after.strip()
