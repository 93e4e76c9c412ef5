"""# echoed-literal

A check for words that stand in the question itself: an answer that only repeats the question passes it.

"What does Article 21 protect?" is answered with "Article 21 protects …" by right and wrong answers alike, and by
refusals. Where such a check is half of the score or more, every model starts at 50.

Words that the prompt offers for choice, quotes from a passage, or asks for ("use the word …") are fine: there, a right
answer has to repeat them.

Bad:

    - id: article-21
      prompt: What does Article 21 of the Indian Constitution protect?
      should:
        - $contains: Article 21
        - Explains when the right may be limited

Good:

    - id: article-21
      prompt: What does Article 21 of the Indian Constitution protect?
      should:
        - $icontains: personal liberty
        - Explains when the right may be limited

Fix: none. Look for what only an answer says.

Documents: Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Severity
from engine.functions.function_text import listed
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.patterns import lazy
from engine.rules.checks import is_reference
from engine.rules.rule import Report, Rule
from engine.rules.source.prompt_texts import question_of
from engine.rules.views import PromptView
from engine.scoring.shares import hundredths, shares_of

_HALF = 0.5
_LONGEST_QUESTION = 300
_SENTENCES = lazy(r"(?<=[.!?])\s+|\n+")
_GIVEN = lazy(r"\b(?:answer|label|ground\s+truth)\s*[:=]", re.IGNORECASE)
"""A label after which the prompt gives the answer away, which is another problem."""
_CHOICE = lazy(
    r"""\bor\b|/|\b(?:which\s+of|choose|pick|select|options?|either|classify|label\w*|true\s+or|multiple[\s-]choice|identify
    |between)\b|<[A-Z]+>|(?:^|\s)\(?[A-Ea-e1-5][).]\s""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_FOR = lazy(
    r"""\b(?:use|using|includ\w+|mention\w*|contain\w*|say|saying|repeat\w*|echo|begin\w*|start\w*|end(?:ing|s)?\s+with|quote\w*
    |spell|print|output|write\s+["'“‘]|the\s+words?|the\s+phrase|copy|return|respond\s+with|reply\s+with|answer\s+with
    |correct\w*|rewrite|translat\w+|summar\w+|extract|fill|complete|poem|story|haiku|slogan|essay)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def _check(view: PromptView) -> Iterator[Report]:
    wanted = view.prompt.should.required if view.checks and view.prompt.should is not None else ()
    checks = [point for point in wanted if point.function is not None]
    shares = shares_of(view.prompt) if checks else None
    heavy = [] if shares is None else [point for point in checks if shares.of(point) >= _HALF]
    question = _question(view.prompt) if heavy else ""
    if shares is None or not question or _CHOICE.search(question) or _ASKED_FOR.search(question):
        return
    for point in heavy:
        echoed = () if is_reference(view.file, point) else _echoed(point, question)
        if echoed:
            verb = "stands" if len(echoed) == 1 else "stand"
            message = f"{listed(list(echoed))} {verb} in the question: an answer that only repeats it earns"
            yield Report(point.subject_span, f"{message} {hundredths(shares.of(point))} points of 100")


def _question(prompt: Prompt) -> str:
    """The question of the last user turn: its last sentence with a question mark, or all of a short turn."""
    turn = _GIVEN.split(question_of(prompt), maxsplit=1)[0]
    if len(turn) <= _LONGEST_QUESTION and "\n" not in turn.strip():
        return turn
    asked = [sentence for sentence in _SENTENCES.split(turn[-2_000:]) if sentence.rstrip().endswith("?")]
    return asked[-1] if asked and len(asked[-1]) <= _LONGEST_QUESTION else ""


def _echoed(point: Point, question: str) -> tuple[str, ...]:
    """The literals of `point` with which an answer that repeats `question` passes it; none if it would fail."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.negates is not None or function.problem(call.args) is not None:
        return ()
    search = function.search
    if search is None or search.target not in (Target.TEXT, Target.WORD):
        return ()
    texts = tuple(text for text in call.texts() if text.strip())
    found = tuple(text for text in texts if _stands_in(text, question, search))
    if search.quantifier is Quantifier.ANY:
        return found[:1]
    return found if len(found) == len(texts) and search.quantifier is not Quantifier.AT_LEAST_N else ()


def _stands_in(text: str, question: str, search: SearchTraits) -> bool:
    """Whether `question` has `text` as words of its own, of three characters at least."""
    flags = re.IGNORECASE if search.ignores_case else re.NOFLAG
    return len(text.strip()) > 2 and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, flags) is not None


RULES = (
    Rule(
        code="F084",
        slug="echoed-literal",
        title="Check that repeating the question passes",
        severity=Severity.HINT,
        why="Right answers, wrong ones and refusals repeat words of the question, so the check tells none apart.",
        on_prompt=_check,
    ),
)
