"""# answer-in-prompt

A prompt that ends with the expected answer under a label: "Answer: C", "Label: entailment", "[Key: nitrogen]".

Such a line comes along when an item is copied from a data set together with its key. The model only has to repeat it,
so every model scores 100 by reading, and the score says nothing about what it knows.

It is reported if what follows the label is the prompt's ideal, the text of a check, or named in a criterion. Options,
passages, worked examples before the question, and prompts that ask to explain, check or grade a given answer are fine.

Bad:

    - id: organ
      prompt: 'Which organ makes insulin: A) the liver, B) the kidney, C) the pancreas? Answer: C'
      ideal: C
      should:
        - Picks C, the pancreas

Good:

    - id: organ
      prompt: 'Which organ makes insulin: A) the liver, B) the kidney, C) the pancreas? Answer:'
      ideal: C
      should:
        - Picks C, the pancreas

Fix (unsafe): remove the answer, and leave the label.

Documents: Blueprint format, Prompt Fields, `prompt`, `ideal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine import functions
from engine.blueprint import Message, Point, Prompt, Role
from engine.diagnostics import Fix, Related, Severity
from engine.record import Record
from engine.rules.rule import Report, Rule
from engine.rules.views import PromptView
from engine.text import Span, TextEdit

_NAME = (
    r"(?:(?:the|correct|right|expected|gold|true|reference|model|final)\s+)*(?:answers?|ans|solution|answer\s+key|key|label"
    r"|ground[\s-]truth|gold|target|output|correct\s+(?:option|choice)|respuesta|réponse|antwort|lösung|risposta|resposta"
    r"|答案|回答|ответ)"
)
_LABELLED = re.compile(
    rf"""(?:^|(?<=\s)|(?<=[.?!)\]"”’])|(?<=//))(?P<whole>[\[(]?\W{{0,3}}\b(?:{_NAME}|A)\**\s*[:=]\**\s*
    (?P<said>[^\n]{{1,120}}?)\s*[\])]?)\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(
    r"""(?:^|(?<=\s))(?P<whole>(?:the\s+)?(?:correct|right|expected|true)\s+(?:answer|option|choice|label)\s+is:?\s+
    (?P<said>[^\n.?!]{1,80})[.!]?)\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_INSTRUCTION = re.compile(
    r"\n\s*(?:please\s+)?(?:reply|respond|answer\s+(?:with|in|only)|give|only|return|output|write|think|choose|select|use)\b"
    r"[^\n?:]{0,120}\s*\Z",
    re.IGNORECASE,
)
"""A last line that says how to answer."""
_LABEL_ABOVE = re.compile(rf"(?:\A|\n)\W*{_NAME}\W*[:=]\W*\Z", re.IGNORECASE)
_KEY = re.compile(
    rf"""(?P<whole>[\[(]\s*(?:{_NAME})\s*[:=]\s*(?P<said>[^\n\[\]()]{{1,80}})[\])])""", re.IGNORECASE | re.VERBOSE
)
_EXPLAINED = re.compile(r"\b(?:explain\w*|why|justify)\b", re.IGNORECASE)
_GRADED = re.compile(
    r"""(?:^|[.!?:\n]\s*|\bplease\s+|\band\s+|\bto\s+)(?:grade|evaluate|assess|judge|check|verify|critique|review|compare|rate
      |proofread|rewrite|rephrase|paraphrase|translate|mark)\b(?!\s*:)
    |\b(?:student|pupil|candidate|assistant|learner|child)(?:['’]s)?\s+(?:answer|response|solution|work)\b|\bfeedback\b
    |\bis\s+(?:this|that|it|the\s+answer)\s+(?:answer\s+)?(?:right|correct|true|wrong)\b|\bdistractors?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INTRODUCTION = re.compile(r"^(?:the\s+)?(?:correct\s+|right\s+|final\s+)?answer\s+is\s*:?\s*", re.IGNORECASE)
_MARKS = " \t\"'“”‘’*_`().[]{}"
_LONGEST_EXPECTED = 120
_REACH = 60
"""Characters above the last line in which its label may stand."""
_SEARCHED = 400
"""Characters at the end of a prompt in which a label is looked for."""


class _Given(Record):
    """What a label gives away, and its place in the text of the message, with the whole label in `whole`."""

    said: str
    place: Span
    whole: Span


def _check(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    last = next((each for each in reversed(prompt.messages) if each.role is Role.USER), None)
    if last is None or not last.content:
        return
    given = _given(last.content)
    if given is None or _GRADED.search(last.content) is not None:
        return
    expected = _expected(prompt, given.said)
    is_explained = _EXPLAINED.search(last.content) is not None and _plain(given.said) != _plain(prompt.ideal or "")
    if expected is not None and not is_explained:
        yield _report(view, last, given, *expected)


def _given(text: str) -> _Given | None:
    """The answer under a label at the end of `text`, or in brackets after its question; None if there is none."""
    text = text.rstrip()
    instruction = _INSTRUCTION.search(text, max(len(text) - _SEARCHED, 0)) if "\n" in text[-_SEARCHED:] else None
    text = text if instruction is None else text[: instruction.start()].rstrip()
    start = max(text.rfind("\n") + 1, len(text) - _SEARCHED, 0)
    above = text[max(start - _REACH, 0) : start].rstrip()
    if above.endswith((":", "*", "=")) and (label := _LABEL_ABOVE.search(above)) is not None:
        start = max(start - _REACH, 0) + label.start()
    tail = text[start:]
    if not any(sign in tail for sign in (":", "=", "：", " is ")):
        return None
    found = (
        _LABELLED.search(tail)
        or _SENTENCE.search(tail)
        or next((match for match in _KEY.finditer(tail) if not tail[match.end() :].strip()), None)
    )
    if found is None or not found["said"].strip(_MARKS) or not _is_label(tail, found):
        return None
    place, whole = Span(*found.span("said")), Span(*found.span("whole"))
    return _Given(found["said"], place.shifted(start), whole.shifted(start))


def _is_label(text: str, found: re.Match[str]) -> bool:
    """Whether the label begins a line or a bracket, or at least has a capital: else it is part of a sentence."""
    before = text[: found.start("whole")].rstrip(" \t")
    first = next((letter for letter in found["whole"] if letter.isalpha()), "")
    return not before.strip() or before[-1] in "\n/" or found["whole"].lstrip()[0] in "[(" or not first.islower()


def _expected(prompt: Prompt, said: str) -> tuple[str, Span] | None:
    """Where the prompt expects `said`, and the place of it in the source; None if it does not."""
    own = _plain(said)
    ideal = _plain(prompt.ideal or "")
    is_label = len(own) == 1 and _begins_with(ideal, own)
    if ideal and len(ideal) <= _LONGEST_EXPECTED and (own == ideal or is_label or _begins_with(own, ideal)):
        return "the ideal", prompt.span
    points = () if prompt.should is None else prompt.should.points()
    for point in points:
        if any(own == text or _begins_with(own, text) for text in _wanted(point)):
            return "what a check looks for", point.subject_span
    for point in points:
        if point.text is not None and _names(point.text, said.strip(_MARKS)):
            return "what a criterion names", point.subject_span
    return None


def _plain(text: str) -> str:
    return " ".join(_INTRODUCTION.sub("", text.strip(_MARKS)).strip(_MARKS).casefold().split())


def _begins_with(said: str, expected: str) -> bool:
    """Whether `said` is `expected` with more after it, such as "c) pancreas" and "c"."""
    return bool(expected) and said.startswith(expected) and not said[len(expected) :][:1].isalnum()


def _wanted(point: Point) -> Iterable[str]:
    """The literals of a check that looks for text, in the form in which answers are compared."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.negates is not None or function.search is None:
        return ()
    return (_plain(text) for text in call.texts() if _plain(text)) if function.search.is_literal else ()


def _names(criterion: str, said: str) -> bool:
    """Whether a criterion names the answer: as a word of its own, a single letter in its case."""
    if not 1 <= len(said) <= 60:
        return False
    flags = re.NOFLAG if len(said) == 1 else re.IGNORECASE
    if len(said) == 1 and (said == "A" or not said.isupper()):
        return re.search(rf"\b(?:option|answer|choice|letter)\s+{re.escape(said)}\b", criterion) is not None
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", criterion, flags) is not None


def _report(view: PromptView, message: Message, given: _Given, where: str, place: Span) -> Report:
    written = given.whole.of(message.content or "").strip()
    source = message.span.of(view.text)
    at = source.rfind(written)
    span = Span(message.span.start + at, message.span.start + at + len(written)) if at >= 0 else message.span
    related = () if place == view.prompt.span else (Related(place, "expected here"),)
    return Report(
        _first_line(view.text, span),
        f"the prompt gives the answer away: “{' '.join(written.split())}” is {where}",
        fixes=tuple(_fixes(view, span, written, given.said.strip())) if at >= 0 else (),
        related=related,
    )


def _fixes(view: PromptView, span: Span, written: str, said: str) -> Iterator[Fix]:
    source = span.of(view.text)
    if written.startswith(("[", "(")):
        start = span.start - (view.text[span.start - 1] == " ")
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.end), ""),))
        return
    at = source.rfind(said)
    if at > 0:
        before = source[:at].rstrip(" \t*")
        start = span.start + len(before)
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.start + at + len(said)), ""),))


def _first_line(source: str, span: Span) -> Span:
    end = source.find("\n", span.start, span.end)
    return span if end < 0 else Span(span.start, end)


RULES = (
    Rule(
        code="S081",
        slug="answer-in-prompt",
        title="Prompt that gives the answer away",
        severity=Severity.WARNING,
        why="The model only has to repeat it, so the score says nothing about what the model knows.",
        on_prompt=_check,
    ),
)
