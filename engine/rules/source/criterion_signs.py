"""What stands in the text of a point, seen at a glance: rules about wording look closer only where it is worth it.

A blueprint may hold thousands of texts, and rules that speak of the whole file meet each of them at every key. So one
cheap look at a text is kept, and the patterns of each rule run only on the few texts that show its sign. The words are
English: a text in another language shows none of these signs and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from engine.blueprint import Block, Point, Prompt
from engine.record import Record
from engine.rules.views import FileView, PromptView
from engine.text import Span

_KEPT = 50_000


class Sign(StrEnum):
    """Something in a text that a rule may want to look at."""

    NEGATION = "negation"
    PERMISSION = "permission"
    CONDITION = "condition"
    QUESTION = "question"
    LEVEL = "level"
    MODEL_ANSWER = "model answer"
    PRAISE = "praise"


_WORDS = {
    Sign.NEGATION: "not no never avoid avoids refrain refrains cannot lacks free don't don’t doesn't doesn’t "
    "shouldn't shouldn’t mustn't mustn’t",
    Sign.PERMISSION: "may might could optionally optionally, optional optional: (optional (optional: (optional) "
    "ideally ideally, preferably preferably, bonus bonus: (bonus (bonus: (bonus)",
    Sign.LEVEL: "score level rating grade stufe niveau nivel puntuación livello punteggio poziom уровень оценка "
    "points points: point: stars stars: star:",
    Sign.CONDITION: "if when whenever unless where",
    Sign.PRAISE: "good good. appropriate appropriate. appropriately appropriately. proper properly properly. accurate "
    "accurate. helpful helpful. quality quality. suitable suitably adequate adequately well well. informative "
    "informative. comprehensive comprehensive. coherent coherent. sensible sensible. useful useful. concise concise.",
}
"""Words near the beginning of a text, in small letters, that are a sign."""

_SIGNS = {word: sign for sign, words in _WORDS.items() for word in words.split()}
_ANY = frozenset(_SIGNS)
_GLUED_LEVELS = ("评分", "等级", "分数", "レベル")
_HEAD = 80
_FIRST_WORDS = 9
_NONE: frozenset[Sign] = frozenset()


@lru_cache(maxsize=_KEPT)
def signs(text: str) -> frozenset[Sign]:
    """What a closer look at `text` may be worth for."""
    words = text[:_HEAD].lower().split(None, _FIRST_WORDS)
    found = None if _ANY.isdisjoint(words) else {_SIGNS[word] for word in words if word in _SIGNS}
    if "ideal" in text or "ground truth" in text or "reference " in text or "gold" in text:
        found = (found or set()) | {Sign.MODEL_ANSWER}
    if text.endswith(("?", "？", '?"', "?\n", "? ")):
        found = (found or set()) | {Sign.QUESTION}
    if text.endswith(("(optional)", "(optional).")):
        found = (found or set()) | {Sign.PERMISSION}
    if text.startswith(_GLUED_LEVELS):
        found = (found or set()) | {Sign.LEVEL}
    return frozenset(found) if found else _NONE


class TextPoint(Record):
    """A point in words, and where it stands."""

    prompt: Prompt
    block: Block
    point: Point
    text: str


_Index: TypeAlias = tuple[dict[Sign, list[TextPoint]], dict[tuple[int, Sign], list[TextPoint]]]


def text_points_in_file(view: FileView, sign: Sign) -> Sequence[TextPoint]:
    """The points of the whole file whose text shows `sign`, in the order written."""
    return _index(view)[0].get(sign, ())


def text_points(view: PromptView, sign: Sign) -> Sequence[TextPoint]:
    """The points of one prompt whose text shows `sign`, in the order written."""
    return _index(view.file)[1].get((view.prompt.index, sign), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """Every point that shows a sign, by sign, and by prompt and sign: the file is read once for all rules."""
    of_file: dict[Sign, list[TextPoint]] = {}
    of_prompts: dict[tuple[int, Sign], list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            for entry in rubric.entries:
                for point in (entry,) if isinstance(entry, Point) else entry.points:
                    text = point.text
                    if text is not None and (found := signs(text)):
                        worded = TextPoint(prompt, rubric.block, point, text)
                        for sign in found:
                            of_file.setdefault(sign, []).append(worded)
                            of_prompts.setdefault((prompt.index, sign), []).append(worded)
    return of_file, of_prompts


def words_span(source: str, point: Point, start: int, end: int) -> Span | None:
    """Where `point.text[start:end]` stands in `source`.

    None where it is unknown: behind an escape, over a line break, or where the text was written elsewhere.
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


def shortened(text: str, most: int = 60) -> str:
    """`text` on one line, cut at a word where it is longer than `most` code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)].rstrip(" ,;:") + " …"
