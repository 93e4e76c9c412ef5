"""The text points of a file by their signs, and where words of them stand in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.blueprint import Block, Point, Prompt
from engine.record import Record
from engine.rules.source.criterion_signs import Sign, signs
from engine.rules.views import FileView, PromptView
from engine.text import Span


class TextPoint(Record):
    """A text point with its prompt and block."""

    prompt: Prompt
    block: Block
    point: Point
    text: str


def times(places: Sequence[TextPoint]) -> str:
    """How often a file has a text, for the end of a message; empty for once."""
    return f" ({len(places)} times in this file)" if len(places) > 1 else ""


_Index: TypeAlias = tuple[dict[Sign, list[TextPoint]], dict[tuple[int, Sign], list[TextPoint]]]


def text_points_in_file(view: FileView, sign: Sign) -> Sequence[TextPoint]:
    """The points of the whole file whose text has `sign`, in source order."""
    return _index(view)[0].get(sign, ())


def text_points(view: PromptView, sign: Sign) -> Sequence[TextPoint]:
    """The points of one prompt whose text has `sign`, in source order."""
    return _index(view.file)[1].get((view.prompt.index, sign), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """All points with a sign, by sign, and by prompt and sign: built once for all rules."""
    of_file: dict[Sign, list[TextPoint]] = {}
    of_prompts: dict[tuple[int, Sign], list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            for entry in rubric.entries:
                for point in (entry,) if isinstance(entry, Point) else entry.points:
                    text = point.text
                    if text is not None and (found := signs(text)):
                        found_point = TextPoint(prompt, rubric.block, point, text)
                        for sign in found:
                            of_file.setdefault(sign, []).append(found_point)
                            of_prompts.setdefault((prompt.index, sign), []).append(found_point)
    return of_file, of_prompts


def words_span(source: str, point: Point, start: int, end: int) -> Span | None:
    """The place of `point.text[start:end]` in `source`.

    None if it is unknown: after an escape, across a line break, or if the text is written elsewhere.
    """
    text = point.text or ""
    words = text[start:end]
    written = point.subject_span.of(source)
    places = [match.start() for match in re.finditer(re.escape(words), written)] if words else []
    in_text = [match.start() for match in re.finditer(re.escape(words), text)] if words else []
    if start not in in_text or len(places) != len(in_text):
        return None
    at = point.subject_span.start + places[in_text.index(start)]
    return Span(at, at + len(words))


def words_place(source: str, point: Point, start: int, end: int) -> Span:
    """As `words_span`; the whole text of the point where the place of the words is unknown."""
    return words_span(source, point, start, end) or point.subject_span


def shortened(text: str, most: int = 60) -> str:
    """`text` on one line, cut after a word if it is longer than `most` code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)].rstrip(" ,;:") + " …"
