"""# refers-to-ideal

A point that measures an answer against the ideal, a reference answer or a "ground truth" that the judge never sees.

A judge is given the conversation, the answer and the criterion (and, where its approach is `holistic`, the other
criteria and the description). It is not given the `ideal`. Asked whether an answer "is equivalent to the ideal
response", it can only guess what that might be: it grades plausible wrong answers near 100 and terse right ones near 0.
In a prompt of three points that is 33.3 points of 100 by chance.

A text that stands several times in a file is reported once, with its count. Not reported where the prompt itself shows
what is meant, where the value stands in the point ("matches the ideal label 'HOF'"), and where "an ideal answer" only
means a good one. English only.

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

Fix: none, since it has to be said in words what the ideal says. How near an answer comes to the ideal as a whole is
measured beside the rubric, by similarity.

Documents: 002, "Prompt Fields", `ideal`; 000, "The Two Evaluation Paths", A: a judge is given the answer and the point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Prompt
from engine.diagnostics import Severity
from engine.rules.rule import Report, Rule
from engine.rules.shares import hundredths, shares_of
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
    for worded in text_points_in_file(view, Sign.MODEL_ANSWER):
        place = _reference(worded.text)
        if place is not None and not _is_shown(worded.prompt, worded.text[slice(*place)]):
            groups.setdefault(worded.text, []).append(worded)
    for text, same in groups.items():
        first = same[0]
        place = _reference(text)
        assert place is not None
        words = " ".join(text[slice(*place)].split())
        more = f", in {len(same)} prompts" if len(same) > 1 else ""
        yield Report(
            words_span(view.text, first.point, *place) or first.point.subject_span,
            f"no judge is shown “{words}”{more}: write into the point what the answer has to say",
            why=_why(first),
        )


@lru_cache(maxsize=4_000)
def _reference(text: str) -> tuple[int, int] | None:
    """Where the text names something that no judge is shown."""
    found = _REFERENCE.search(text)
    if found is None:
        return None
    return found.span("if") if found["if"] is not None else found.span("unseen")


def _is_shown(prompt: Prompt, words: str) -> bool:
    """Whether the conversation speaks of it: then it is likely to be there."""
    kind = words.lower().removeprefix("the ").split()[0].replace("-", " ").split()[0]
    texts = [message.content for message in prompt.messages if message.content is not None]
    system = prompt.system if isinstance(prompt.system, str) else ""
    return any(kind in found[0].lower() for text in (*texts, system) for found in _SHOWN.finditer(text))


def _why(worded: TextPoint) -> str:
    shares = shares_of(worded.prompt)
    if worded.point not in shares.points:
        return ""
    worth = hundredths(shares.of(worded.point))
    return f"A judge sees the answer and this point, not the ideal: it guesses, and {worth} points of 100 hang on it."


RULES = (
    Rule(
        code="R030",
        slug="refers-to-ideal",
        severity=Severity.WARNING,
        why="A judge sees the answer and this point, not the ideal: it guesses.",
        on_file=_check,
    ),
)
