"""The text points of a file with words of a family of phrases, and where words of them stand in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.blueprint import Block, Point, Prompt
from engine.record import Record
from engine.rules.phrases.families import Found, found_in
from engine.rules.views import FileView, PromptView
from engine.text import Span


class TextPoint(Record):
    """A text point with its prompt and block, and what was found in it. `following` is the text of the next point."""

    prompt: Prompt
    block: Block
    point: Point
    text: str
    found: Found
    following: str


_Index: TypeAlias = tuple[dict[str, list[TextPoint]], dict[tuple[int, str], list[TextPoint]]]


def text_points_in_file(view: FileView, family: str) -> Sequence[TextPoint]:
    """The points of the whole file whose text has words of a family, in source order."""
    return _index(view)[0].get(family, ())


def text_points(view: PromptView, family: str) -> Sequence[TextPoint]:
    """The points of one prompt whose text has words of a family, in source order."""
    return _index(view.file)[1].get((view.prompt.index, family), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """What is found in all points, by family, and by prompt and family: built once for all rules."""
    of_file: dict[str, list[TextPoint]] = {}
    of_prompts: dict[tuple[int, str], list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            points = [
                point for entry in rubric.entries for point in ((entry,) if isinstance(entry, Point) else entry.points)
            ]
            for number, point in enumerate(points):
                text = point.text
                for family, found in () if text is None else found_in(text).items():
                    following = points[number + 1].text if number + 1 < len(points) else None
                    each = TextPoint(prompt, rubric.block, point, text or "", found, following or "")
                    of_file.setdefault(family, []).append(each)
                    of_prompts.setdefault((prompt.index, family), []).append(each)
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
