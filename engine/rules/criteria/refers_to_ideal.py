"""# refers-to-ideal

A point that measures an answer against the ideal, a reference answer or a "ground truth" that the judge never sees.

A judge gets the conversation, the answer and the criterion (and, with the approach `holistic`, the other criteria and
the description). It does not get the `ideal`. For "is equivalent to the ideal response" it can only guess: it grades
plausible wrong answers near 100 and terse right ones near 0. In a prompt of three points, that is 33.3 points of 100 by
chance.

A text that a file repeats is reported once, with its count. Not reported if the prompt itself shows the reference, if
the point contains the value ("matches the ideal label 'HOF'"), or if "an ideal answer" only means a good one. English
only.

Bad:

    - id: pendulum
      prompt: What is the period of a pendulum of length L?
      ideal: T = 2π√(L/g)
      should:
        - Response is mathematically equivalent to the ideal response

Good:

    - id: pendulum
      prompt: What is the period of a pendulum of length L?
      ideal: T = 2π√(L/g)
      should:
        - Gives a period that is mathematically equivalent to T = 2π√(L/g)

Fix: none, because only the author can put the ideal's content into words. Similarity, measured beside the rubric,
says how close an answer is to the ideal as a whole.

Documents: Blueprint format, Prompt Fields, `ideal`; The `should` system, Path A: LLM-Based "Fuzzy" Evaluation, "the
model's response and the single key point".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Prompt
from engine.diagnostics import Severity
from engine.rules.rule import Report, Rule
from engine.rules.shares import points_of_100
from engine.rules.source.criterion_signs import Sign, TextPoint, text_points_in_file, words_span
from engine.rules.views import FileView

_UNSEEN = r"""(?P<unseen>(?:the\s+)?(?:ideal|reference|golden|gold[-\s]standard|gold)\s+
    (?:response|answer|solution|reply|output|label)|(?:the\s+)?ground[-\s]truth(?:\s+(?:label|answer|value))?)"""
_REFERENCE = re.compile(
    rf"""\b(?:equivalent|identical|equal|similar|same|close|according|consistent|compar\w+|match\w*|agree\w*|align\w*
      |correspond\w*|correct\w*|in\s+line|based|measured|judged|resembl\w+|cover\w*|convey\w*|contain\w*|follow\w*)\b
    [^.;]{{0,60}}?\b{_UNSEEN}\b(?!\s*[\(:]?\s*["'‘“`\d])
    |^\W*if\s+(?P<if>the\s+(?:ideal|reference|golden)\s+(?:response|answer|label))\s+(?:is|says|contains)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SHOWN = re.compile(r"\b(?:ideal|reference|golden|gold|ground[-\s]truth|correct|predicted)\b", re.IGNORECASE)


def _check(view: FileView) -> Iterator[Report]:
    groups: dict[str, list[TextPoint]] = {}
    for each in text_points_in_file(view, Sign.MODEL_ANSWER):
        place = _reference(each.text)
        if place is not None and not _is_shown(each.prompt, each.text[slice(*place)]):
            groups.setdefault(each.text, []).append(each)
    for text, same in groups.items():
        first = same[0]
        place = _reference(text)
        assert place is not None
        words = " ".join(text[slice(*place)].split())
        more = f", in {len(same)} prompts" if len(same) > 1 else ""
        yield Report(
            words_span(view.text, first.point, *place) or first.point.subject_span,
            f"no judge sees “{words}”{more}: write in the point what the answer must say",
            why=_why(first),
        )


@lru_cache(maxsize=4_000)
def _reference(text: str) -> tuple[int, int] | None:
    """The place where the text refers to something that no judge sees."""
    found = _REFERENCE.search(text)
    if found is None:
        return None
    return found.span("if") if found["if"] is not None else found.span("unseen")


def _is_shown(prompt: Prompt, words: str) -> bool:
    """Whether the conversation mentions the reference, so that it is likely to contain it."""
    kind = words.lower().removeprefix("the ").split()[0].replace("-", " ").split()[0]
    texts = [message.content for message in prompt.messages if message.content is not None]
    system = prompt.system if isinstance(prompt.system, str) else ""
    return any(kind in found[0].lower() for text in (*texts, system) for found in _SHOWN.finditer(text))


def _why(each: TextPoint) -> str:
    worth = points_of_100(each.prompt, each.point)
    if worth is None:
        return ""
    return f"A judge sees the answer and this point, not the ideal: {worth} points of 100 depend on its guess."


RULES = (
    Rule(
        code="R030",
        slug="refers-to-ideal",
        title="Criterion that needs the ideal answer",
        severity=Severity.WARNING,
        why="A judge sees the answer and this point, not the ideal: it guesses.",
        on_file=_check,
    ),
)
