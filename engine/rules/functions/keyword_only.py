"""# keyword-only

A prompt that asks for prose ("explain", "describe", "why") but is graded by literal checks alone.

A literal is found or not found. An answer that says the same in other words gets 0 for it, and a wrong one that happens
to contain the word gets 100. With four literals, a right answer that paraphrases two of them gets 50 of 100, and a bare
list of the four words gets all 100.

Reported once per file, with its count, if every point of the prompt is a literal check and the last question asks in
English for prose. Prompts that ask for a word, a number, a letter, a label or a list are fine: a literal is the right
check for them.

Bad:

    - id: tides
      prompt: Explain why there are two tides a day.
      should:
        - $icontains: moon
        - $icontains: gravity

Good:

    - id: tides
      prompt: Explain why there are two tides a day.
      should:
        - $icontains: moon
        - Explains the second tide, on the side that faces away from the moon

Fix: none. Say in words what the explanation must contain, and use a literal only for what has one spelling.

Documents: Blueprint repository, What Makes a Good Weval Blueprint?, "Prioritize Qualitative Rubrics".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Severity
from engine.rules.rule import Report, Rule
from engine.rules.source.prompt_texts import question_of
from engine.rules.views import FileView

_LITERAL = re.compile(r"(?:not_)?i?contains(?:_word|_any_of|_all_of|_at_least_n_of)?\Z|(?:not_)?(?:starts|ends)_with\Z")
_PROSE = re.compile(
    r"""\b(?:explain|describe|discuss|summari[sz]e|advise|essay|argue|analy[sz]e|elaborate|reflect|write\s+(?:a|an|me|about)
      |why|tell\s+me\s+about|in\s+your\s+own\s+words|what\s+should\s+I\s+do|how\s+(?:should|can|do|would)\s+(?:I|we|you))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT = re.compile(
    r"""\b(?:only|just|exactly|one\s+word|single|options?|choices?|choose|yes\s+or\s+no|true\s+or\s+false|classify|label
      |json|code|function|script|program|list|table|format|verbatim|repeat|translate
      |(?:respond|answer|reply)\s+(?:with|in|as|either))\b|^\W*\(?[A-D][).]\s""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def _check(view: FileView) -> Iterator[Report]:
    found = [prompt for prompt in view.blueprint.prompts if _is_literal_only(prompt) and _asks_for_prose(prompt)]
    if not found:
        return
    first = found[0].points()
    count = len(found)
    if count > 1:
        message = f"{count} prompts of this file, from this one on, ask for prose but are graded by literals alone"
    else:
        checks = "a literal" if len(first) == 1 else f"{len(first)} literals"
        message = f"this prompt asks for prose but is graded by {checks} alone"
    yield Report(first[0].subject_span, f"{message}: say in words what the answer must contain")


def _is_literal_only(prompt: Prompt) -> bool:
    is_any = False
    for rubric in prompt.rubrics:
        for entry in rubric.entries:
            for point in (entry,) if isinstance(entry, Point) else entry.points:
                if not _is_literal(point):
                    return False
                is_any = True
    return is_any


def _is_literal(point: Point) -> bool:
    if point.function is None:
        return False
    function = functions.find(point.function.name)
    return function is not None and _LITERAL.match(function.name) is not None


def _asks_for_prose(prompt: Prompt) -> bool:
    return _wants_prose(question_of(prompt))


@lru_cache(maxsize=4_000)
def _wants_prose(question: str) -> bool:
    return _PROSE.search(question) is not None and _SHORT.search(question) is None


RULES = (
    Rule(
        code="R036",
        slug="keyword-only",
        title="Nothing but keyword checks",
        severity=Severity.HINT,
        why="An answer that says it in other words gets nothing, and a bare list of the words gets everything.",
        on_file=_check,
    ),
)
