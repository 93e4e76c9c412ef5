"""# answer-in-prompt: Prompt that gives the answer away

A prompt that ends with the expected answer under a label: "Answer: C", "Label: entailment", "[Key: nitrogen]".

Such a line comes along when an item is copied from a data set together with its key. The model only has to repeat it,
so every model scores 100 by reading, and the score says nothing about what it knows.

It is reported if what follows the label is the prompt's ideal, the text of a check, or named in a criterion. The same
goes for a sentence ("The correct choice is C."), an option marked as correct, the key in the system prompt, and a last
line that is the ideal word for word. Options, passages, worked examples before the question, and prompts that ask to
explain, check or grade a given answer are fine.

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

from engine.blueprint import Message, Point, Prompt, Role
from engine.rules.checks import is_negated, searched
from engine.rules.rule import PromptView, Report, prompt_rule
from engine.text import Fix, Record, Related, Span, TextEdit, in_quotes, lazy
from engine.yaml.layout import first_line

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


@prompt_rule()
def answer_in_prompt(view: PromptView) -> Iterator[Report]:
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
    label = text[start : len(text) - len(wanted)].rstrip()
    if not label.endswith((":", "=")) or len(label) > _LONGEST_LABEL or _AS_IT_IS.search(text, 0, start) is not None:
        return None
    return GivenAnswer(wanted, Span(start, len(text)), is_exact=True)


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
        if point.text is not None and _names(point.text, given.said.strip(_MARKS)):
            return "what a criterion names", point.subject_span
    return None


def _listed(given: GivenAnswer) -> list[str]:
    """The answers of a key to several questions: "7 B, 8 D"."""
    parts = _NUMBERED.findall(given.said)
    return [_plain(part) for part in parts] if len(parts) > 1 else []


def _plain(text: str) -> str:
    return " ".join(_INTRODUCTION.sub("", text.strip(_MARKS)).strip(_MARKS).casefold().split())


def _is_more_than(given: GivenAnswer, expected: str) -> bool:
    """Whether what is given is the expected answer with its option or a reason: "c) pancreas", "C, as it …"."""
    own = _plain(given.said)
    if not _begins_with(own, expected):
        return given.is_mark and own.endswith(f" {expected}")
    rest = own[len(expected) :]
    return rest[:1] in tuple(".,;:)–—-(") or (len(expected) == 1 and given.said.strip(_MARKS)[:1].isupper())


def _begins_with(said: str, expected: str) -> bool:
    """Whether `said` is `expected` with more after it, such as "c) pancreas" and "c"."""
    return bool(expected) and said.startswith(expected) and not said[len(expected) :][:1].isalnum()


def _wanted(point: Point) -> Iterable[str]:
    """The literals of a check that looks for text, in the form in which answers are compared."""
    search = searched(point)
    if search is None or not search.is_literal or is_negated(point):
        return ()
    return (_plain(text) for text in point.call.texts() if _plain(text))


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
        first_line(view.text, span),
        f"the prompt gives the answer away: {in_quotes(' '.join(written.split()))} is {where}",
        fixes=tuple(_fixes(view, span, written, given)) if at >= 0 else (),
        related=related,
    )


def _fixes(view: PromptView, span: Span, written: str, given: GivenAnswer) -> Iterator[Fix]:
    source, said = span.of(view.text), given.said.strip()
    at = source.rfind(said)
    is_whole = at > 0 if given.is_mark else written.startswith(("[", "(", "{"))
    if is_whole:
        start = span.start - (view.text[span.start - 1] == " ")
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.end), ""),))
    elif given.is_mark:
        yield Fix("remove the mark", False, (TextEdit(Span(span.start + len(said), span.end), ""),))
    elif at > 0:
        start = span.start + len(source[:at].rstrip(" \t*"))
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.start + at + len(said)), ""),))


_RIGHT = (
    r"(?:the|correct|right|expected|true|gold(?:en)?|reference|model|final|ideal|official|actual|bonne|richtige|korrekte"
    r"|correcta|correta|corretta)"
)
_NAME = (
    rf"(?:(?:{_RIGHT}\s+)*(?:answers?|ans|solution|answer\s+key|ground[\s-]truth|gold"
    r"|respuesta|réponse|antwort|lösung|risposta|resposta|答案|回答|ответ)"
    rf"|(?:{_RIGHT}\s+)+(?:key|label|target|output|response|option|choice|letter|word|term|value|result|one|class|category)"
    r"|correct|expected"
    r"|(?P<weak>key|label|target|output|response|verdict|reference|ideal"
    r"|(?:notes?|hints?)(?:\s+(?:for|to)\s+(?:the\s+)?(?:graders?|judges?|annotators?|markers?|raters?|evaluators?|reviewers?))?))"
)
_ANY_NAME = _NAME.replace("?P<weak>", "?:")
_TASK_LABEL = (
    r"(?:sentiment|emotion|stance|intent|intention|relation|category|class|classification|translation|prediction|decision"
    r"|result|diagnosis|rating|score|grade|topic|tag|language|entity|summary|toxicity|polarity|conclusion|tone|genre)"
)
_SIGN = r"\**\.?\s*(?:[:=：]\**|(?<=\bans)\.|\s[-–—])\s*"
_LABELLED = lazy(
    rf"""(?:^|(?<=\s)|(?<=[.?!)\]"”’])|(?<=//))(?P<whole>[\[({{]?\W{{0,3}}\b(?:{_NAME}|(?P<task>{_TASK_LABEL})|A){_SIGN}
    (?P<said>[^\n]{{1,120}}?)\s*[\])}}]?)\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = lazy(
    r"""(?:^|(?<=\s)|(?<=[(\[]))(?P<whole>(?:the\s+)?(?:(?:correct|right|expected|true)\s+(?:answer|option|choice|label)\s+
      (?:is|would\s+be|should\s+be):?\s+(?P<said>\(?[^\n.?!()\[\]]{1,80}\)?)
    |(?:hint:\s+)(?:the\s+)?answer\s+is:?\s+(?P<hinted>[^\n.?!()\[\]]{1,80}))[.!]?)[)\]]?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_KEY = lazy(
    rf"""(?P<whole>[\[(]\s*(?:{_ANY_NAME})\s*[:=]\s*(?P<said>[^\n\[\]()]{{1,80}})[\])])\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKED = lazy(
    r"""(?:^|(?<=\s))(?P<said>\(?[A-Ha-h1-6][).:]\s+[^\n()]{1,60}?)\s*
    (?P<whole>[(\[](?:correct|right|true|richtig|correcta?)(?:\s+(?:answer|option|choice))?[)\]]|\(\s*100\s*%\s*\)|[✓✔✅☑]|<-+\s*correct\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_OPTION = lazy(r"(?<=\s)(?=\(?[A-H1-6][).:]\s)|(?<=\n)(?=[ \t]*\(?[a-h][).:]\s)")
_INNER_LINE = lazy(rf"^(?P<whole>\W{{0,3}}{_ANY_NAME}{_SIGN}(?P<said>[^\n]{{1,60}}))$", re.IGNORECASE | re.MULTILINE)
_INSTRUCTION = lazy(
    r"\n\s*(?:please\s+)?(?:reply|respond|answer\s+(?:with|in|only)|give|only|return|output|write|think|choose|select|use)\b"
    r"[^\n?:]{0,120}\s*\Z",
    re.IGNORECASE,
)
"""A last line that says how to answer."""
_OTHER_LABEL = lazy(r"(?:^|\n|\s)[A-Z]\w+:\s")
_EXAMPLES = lazy(r"\b(?:examples?|e\.g\.|for\s+instance|now)\b", re.IGNORECASE)
_MARKS = " \t\"'“”‘’*_`().[]{}"
"""Signs around an answer that do not belong to it."""
_LONGEST = 200
"""Characters of a label and its answer at the most."""
_SEARCHED = 400
"""Characters at the end of a prompt in which a label is looked for."""
_STEMS = lazy("swer|olution|orrect|abel|ABEL|ey:|KEY|xpected|old|truth|arget|utput|deal")
"""What the labels have that stand above other lines."""
_SIGNS = (":", "=", "：", " is ", " be ", "</", "->", "→", "correct", "✓", "✔", "✅", " - ", "Ans", "swer", "100")


class GivenAnswer(Record):
    """What a label gives away, and the place of the label with it in the text.

    `is_exact`: the label is of a kind that also stands before what is asked about, so only the very answer counts.
    `is_of_task`: the label names what the prompt asks for, such as a sentiment.
    `is_mark`: all of `whole` goes when the answer is removed.
    """

    said: str
    whole: Span
    is_exact: bool = False
    is_mark: bool = False
    is_of_task: bool = False


def given_answers(text: str) -> Iterator[GivenAnswer]:
    """What a prompt may give away: at its end, before its question, under a label of its own, or at an option."""
    if not any(sign in text for sign in _SIGNS):
        return
    text = text.rstrip()
    last = _at_the_end(text)
    if last is not None:
        yield last
        return
    yield from _marked_options(text)
    if "\n" not in text or _STEMS.search(text) is None:
        return
    inner = [found for found in _INNER_LINE.finditer(text) if found["said"].strip(_MARKS)]
    if len(inner) != 1:
        return
    [found], rest = inner, text[inner[0].end() :]
    if _INNER_LINE.search(rest) is None and _OTHER_LABEL.search(rest) is None:
        is_alone = "?" not in rest and _EXAMPLES.search(text) is None and _is_label(text, found)
        if not found.start() or is_alone:
            yield _given(found, 0, is_exact=True)


def _at_the_end(text: str) -> GivenAnswer | None:
    """The answer under a label at the end of `text`, or in brackets after its question; None if there is none."""
    end = _last_line(text)
    tail = end.of(text)
    if not any(sign in tail for sign in _SIGNS):
        return None
    found = _LABELLED.search(tail) or _KEY.search(tail) or _SENTENCE.search(tail)
    if found is None or not _said(found).strip(_MARKS) or not _is_label(tail, found):
        return None
    is_weak = any(found.groupdict().get(name) is not None for name in ("task", "weak"))
    return _given(found, end.start, is_exact=is_weak)


def _last_line(text: str) -> Span:
    """The last line before an instruction how to answer, with a label that stands alone above it."""
    instruction = _INSTRUCTION.search(text, max(len(text) - _SEARCHED, 0)) if "\n" in text[-_SEARCHED:] else None
    end = len(text) if instruction is None else len(text[: instruction.start()].rstrip())
    start = max(text.rfind("\n", 0, end) + 1, end - _SEARCHED, 0)
    return Span(max(start, end - _LONGEST), end)


def _marked_options(text: str) -> Iterator[GivenAnswer]:
    """The option that a mark shows to be the right one, if only one has it."""
    if not any(
        sign in text for sign in ("correct", "Correct", "100", "✓", "✔", "✅", "☑", "right)", "true)", "richtig")
    ):
        return
    found = list(_MARKED.finditer(text))
    if len(found) != 1 or len(_OPTION.findall(text)) < 2:
        return
    [match] = found
    said = _OPTION.split(match["said"])[-1]
    whole = Span(match.end("said") - len(said), match.end("whole"))
    yield GivenAnswer(said, whole, is_exact=True, is_mark=True)


def _given(found: re.Match[str], start: int, *, is_exact: bool) -> GivenAnswer:
    is_of_task = found.groupdict().get("task") is not None
    return GivenAnswer(_said(found), Span(*found.span("whole")).shifted(start), is_exact, is_of_task=is_of_task)


def _said(found: re.Match[str]) -> str:
    return found.groupdict().get("hinted") or found["said"]


def _is_label(text: str, found: re.Match[str]) -> bool:
    """Whether the label begins a line or a bracket, or at least has a capital: else it is part of a sentence."""
    before = text[: found.start("whole")].rstrip(" \t")
    first = next((letter for letter in found["whole"] if letter.isalpha()), "")
    return (
        not before.strip() or before[-1] in "\n/([{" or found["whole"].lstrip()[0] in "[({/#-*>|" or not first.islower()
    )
