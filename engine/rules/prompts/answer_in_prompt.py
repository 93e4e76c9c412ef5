"""# answer-in-prompt

A prompt that ends with the expected answer under a label: "Answer: C", "Label: entailment", "[Key: nitrogen]".

Such a line comes along when an item is copied from a data set together with its key. The model only has to repeat it,
so every model scores 100 by reading, and the score says nothing about what it knows.

It is reported if what follows the label is the prompt's ideal, the text of a check, or named in a criterion. The same
goes for a sentence ("The correct choice is C."), a tag, a heading, an option marked as correct, the key in the system
prompt, and a last line that is the ideal word for word. Options,
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
from engine.patterns import lazy
from engine.rules.prompts.given_answers import MARKS, GivenAnswer, given_answers
from engine.rules.rule import Report, Rule
from engine.rules.views import PromptView
from engine.text import Span, TextEdit, in_quotes

_EXPLAINED = lazy(r"\b(?:explain\w*|why|justify)\b", re.IGNORECASE)
_GRADED = lazy(
    r"""(?:^|[.!?:\n]\s*|\bplease\s+|\band\s+|\bto\s+)(?:grade|evaluate|assess|judge|check|verify|critique|review|compare|rate
        |proofread|(?P<reworked>rewrite|rephrase|paraphrase|translate)|mark)\b(?!\s*:)
    |\b(?:student|pupil|candidate|assistant|learner|child)(?:['’]s)?\s+(?:answer|response|solution|work)\b|\bfeedback\b
    |\bis\s+(?:this|that|it|the\s+answer)\s+(?:answer\s+)?(?:right|correct|true|wrong)\b|\bdistractors?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INTRODUCTION = lazy(r"^(?:the\s+)?(?:correct\s+|right\s+|final\s+)?answer\s+is\s*:?\s*", re.IGNORECASE)
_LABEL_AFTER = lazy(r"\S[.;]?\s[A-Z]?[a-z]+:\s")
_NUMBERED = lazy(r"(?:\A|[,;]\s*|\s)\d{1,3}[.):=]?\s*[-–:=]?\s*([^\W\d][\w'’-]*)")
_AS_IT_IS = lazy(
    r"\b(?:repeat|copy|echo|correct|fix|spell\w*|unchanged|proofread|grammar|check|grade|edit|quote|extract|summari[sz]e)\b",
    re.IGNORECASE,
)
"""Tasks whose answer may be the given text itself."""
_READ_OFF = lazy(r"\b(?:read|extract|according\s+to|report|in\s+plain\s+words|data\s+sheet)\b", re.IGNORECASE)
"""Tasks in which the answer is read off lines with labels."""
_SHORTEST_COPY = 8
_LONGEST_LABEL = 60
_LONGEST_EXPECTED = 120


def _check(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    last = next((each for each in reversed(prompt.messages) if each.role is Role.USER), None)
    if last is None or not last.content:
        return
    is_reply = any(each.role is Role.ASSISTANT for each in prompt.messages) and "?" not in last.content
    if is_reply:
        return  # the user answers a question of the assistant
    for message in (last, *(each for each in prompt.messages if each.role is Role.SYSTEM)):
        for given in given_answers(message.content or ""):
            if _is_asked(last.content, given, prompt):
                expected = _expected(prompt, given)
                if expected is not None:
                    yield _report(view, message, given, *expected)
                    return
    copied = _copied_ideal(last.content, prompt.ideal or "")
    if copied is not None:
        yield _report(view, last, copied, "the ideal", prompt.span)


def _is_asked(text: str, given: GivenAnswer, prompt: Prompt) -> bool:
    """Whether the prompt asks for what is given, and not to grade, explain or rework it."""
    if given.is_exact and _READ_OFF.search(text) is not None:
        return False
    is_ideal = _plain(given.said) == _plain(prompt.ideal or "")
    graded = None if given.is_of_task else _GRADED.search(text)
    if graded is not None and not (graded["reworked"] and is_ideal):
        return False
    return is_ideal or given.is_of_task or _EXPLAINED.search(text) is None


def _copied_ideal(text: str, ideal: str) -> GivenAnswer | None:
    """The last line of a prompt that is, after a label of any name, the ideal word for word."""
    text, wanted = text.rstrip(), ideal.strip()
    start = text.rfind("\n") + 1
    if not start or "\n" in wanted or len(wanted) < _SHORTEST_COPY or not text.endswith(wanted):
        return None
    at = len(text) - len(wanted)
    label = text[start:at].rstrip()
    if not label.endswith((":", "=")) or len(label) > _LONGEST_LABEL or _AS_IT_IS.search(text, 0, start) is not None:
        return None
    return GivenAnswer(said=wanted, place=Span(at, len(text)), whole=Span(start, len(text)), is_exact=True)


def _expected(prompt: Prompt, given: GivenAnswer) -> tuple[str, Span] | None:
    """Where the prompt expects what is given, and the place of it in the source; None if it does not."""
    own = _plain(given.said)
    if "?" in given.said or _LABEL_AFTER.search(given.said) is not None:
        return None
    ideal = _plain(prompt.ideal or "")
    if ideal and ideal in _listed(given):
        return "the ideal", prompt.span
    is_label = len(own) == 1 and _begins_with(ideal, own)
    if ideal and len(ideal) <= _LONGEST_EXPECTED and (own == ideal or is_label or _is_more_than(given, ideal)):
        return "the ideal", prompt.span
    points = () if prompt.should is None else prompt.should.points()
    for point in points:
        if any(own == text or _is_more_than(given, text) for text in _wanted(point)):
            return "what a check looks for", point.subject_span
    for point in () if given.is_exact and not given.is_mark else points:
        if point.text is not None and _names(point.text, given.said.strip(MARKS)):
            return "what a criterion names", point.subject_span
    return None


def _listed(given: GivenAnswer) -> list[str]:
    """The answers of a key to several questions: "7 B, 8 D"."""
    parts = _NUMBERED.findall(given.said)
    return [_plain(part) for part in parts] if len(parts) > 1 else []


def _plain(text: str) -> str:
    return " ".join(_INTRODUCTION.sub("", text.strip(MARKS)).strip(MARKS).casefold().split())


def _is_more_than(given: GivenAnswer, expected: str) -> bool:
    """Whether what is given is the expected answer with its option or a reason: "c) pancreas", "C, as it …"."""
    own = _plain(given.said)
    if not _begins_with(own, expected):
        return given.is_mark and own.endswith(f" {expected}")
    rest = own[len(expected) :]
    return rest[:1] in tuple(".,;:)–—-(") or (len(expected) == 1 and given.said.strip(MARKS)[:1].isupper())


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


def _report(view: PromptView, message: Message, given: GivenAnswer, where: str, place: Span) -> Report:
    written = given.whole.of(message.content or "").strip()
    source = message.span.of(view.text)
    at = source.rfind(written)
    span = Span(message.span.start + at, message.span.start + at + len(written)) if at >= 0 else message.span
    related = () if place == view.prompt.span else (Related(place, "expected here"),)
    return Report(
        _first_line(view.text, span),
        f"the prompt gives the answer away: {in_quotes(' '.join(written.split()))} is {where}",
        fixes=tuple(_fixes(view, span, written, given)) if at >= 0 else (),
        related=related,
    )


def _fixes(view: PromptView, span: Span, written: str, given: GivenAnswer) -> Iterator[Fix]:
    source, said = span.of(view.text), given.said.strip()
    if given.is_mark and said in source and not source.startswith(said):
        start = span.start - (view.text[span.start - 1] == " ")
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.end), ""),))
        return
    if given.is_mark:
        yield Fix("remove the mark", False, (TextEdit(Span(span.start + len(said), span.end), ""),))
        return
    if written.startswith(("[", "(", "{")):
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
