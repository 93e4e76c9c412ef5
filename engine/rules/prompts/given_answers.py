"""The answer that a prompt gives away under a label, in a sentence, in a tag or by a mark at one of its options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.patterns import lazy
from engine.record import Record
from engine.text import Span

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
_NAMED = lazy(
    r"""(?P<whole>[(\[]?(?P<said>[^\n.?!()\[\]]{1,60}?)\s+(?:is|would\s+be)\s+(?:the\s+)?(?:correct|right|expected)\s+
    (?:answer|option|choice|one)[.!]?[)\]]?)\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_TAGGED = lazy(
    r"""(?P<whole><(?P<tag>answer|solution|label|target|output)>\s*(?P<said>[^<>\n]{1,80}?)\s*</(?P=tag)>
    |\{\s*["']?(?:answer|solution|label|target|expected)["']?\s*:\s*["']?(?P<valued>[^"'{}\n]{1,80}?)["']?\s*\}
    |(?:=>|->|⇒|→)\s*(?P<pointed>[^\n]{1,40}))\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_KEY = lazy(
    rf"""(?P<whole>[\[(]\s*(?:{_ANY_NAME})\s*[:=]\s*(?P<said>[^\n\[\]()]{{1,80}})[\])])""", re.IGNORECASE | re.VERBOSE
)
_MARKED = lazy(
    r"""(?:^|(?<=\s))(?P<said>\(?[A-Ha-h1-6][).:]\s+[^\n()]{1,60}?)\s*
    (?P<whole>[(\[](?:correct|right|true|richtig|correcta?)(?:\s+(?:answer|option|choice))?[)\]]|\(\s*100\s*%\s*\)|[✓✔✅☑]|<-+\s*correct\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_OPTION = lazy(r"(?<=\s)(?=\(?[A-H1-6][).:]\s)|(?<=\n)(?=[ \t]*\(?[a-h][).:]\s)")
_FIRST_LINE = lazy(rf"\A(?P<whole>\W{{0,3}}{_ANY_NAME}{_SIGN}(?P<said>[^\n]{{1,60}}))\n", re.IGNORECASE)
_INNER_LINE = lazy(rf"^(?P<whole>\W{{0,3}}{_ANY_NAME}{_SIGN}(?P<said>[^\n]{{1,60}}))$", re.IGNORECASE | re.MULTILINE)
_INSTRUCTION = lazy(
    r"\n\s*(?:please\s+)?(?:reply|respond|answer\s+(?:with|in|only)|give|only|return|output|write|think|choose|select|use)\b"
    r"[^\n?:]{0,120}\s*\Z",
    re.IGNORECASE,
)
"""A last line that says how to answer."""
_LABEL_ABOVE = lazy(
    rf"(?:\A|\n)(?:\W*{_ANY_NAME}\W*[:=]\W*|\#+\s*{_ANY_NAME}\W*|\*\*\s*{_ANY_NAME}\s*\*\*\W*)\Z", re.IGNORECASE
)
_HEADING = lazy(
    rf"(?:\A|\n)(?P<whole>(?:\#+\s*{_ANY_NAME}|\*\*\s*{_ANY_NAME}\s*\*\*)\s*\n+\s*(?P<said>[^\n]{{1,80}}))\s*\Z",
    re.IGNORECASE,
)
_OTHER_LABEL = lazy(r"(?:^|\n|\s)[A-Z]\w+:\s")
_EXAMPLES = lazy(r"\b(?:examples?|e\.g\.|for\s+instance|now)\b", re.IGNORECASE)
MARKS = " \t\"'“”‘’*_`().[]{}"
"""Signs around an answer that do not belong to it."""
_REACH = 60
"""Characters above the last line in which its label may stand."""
_LONGEST = 200
"""Characters of a label and its answer at the most."""
_SEARCHED = 400
"""Characters at the end of a prompt in which a label is looked for."""
_STEMS = (
    "swer",
    "olution",
    "orrect",
    "abel",
    "ABEL",
    "ey:",
    "KEY",
    "xpected",
    "old",
    "truth",
    "arget",
    "utput",
    "deal",
)
"""What the labels have that stand above other lines."""
_SIGNS = (":", "=", "：", " is ", " be ", "</", "->", "→", "correct", "✓", "✔", "✅", " - ", "Ans", "swer", "100")


_AFTER_LABEL = (":", "=", "：", " - ", " – ", " — ", "ns. ")


class GivenAnswer(Record):
    """What a label gives away, its place in the text, and the label with it in `whole`.

    `is_exact`: the label is of a kind that also stands before what is asked about, so only the very answer counts.
    `is_of_task`: the label names what the prompt asks for, such as a sentiment.
    `is_mark`: all of `whole` goes when the answer is removed.
    """

    said: str
    place: Span
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
    if "\n" not in text or not any(stem in text for stem in _STEMS):
        return
    first = _FIRST_LINE.match(text)
    if first is not None and not _has_label(text[first.end() :]):
        yield _given(first, 0, is_exact=True)
    inner = [found for found in _inner_lines(text) if found["said"].strip(MARKS)]
    if len(inner) == 1 and inner[0].start() and _EXAMPLES.search(text) is None:
        rest = text[inner[0].end() :]
        if "?" not in rest and not _has_label(rest) and _is_label(text, inner[0]):
            yield _given(inner[0], 0, is_exact=True)


def _inner_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines with a label, each tried at its start alone: a search would try every character."""
    start = 0
    while True:
        found = _INNER_LINE.match(text, start)
        if found is not None:
            yield found
            start = found.end()
        start = text.find("\n", start) + 1
        if not start:
            return


def _has_label(text: str) -> bool:
    return next(_inner_lines(text), None) is not None or _OTHER_LABEL.search(text) is not None


def _at_the_end(text: str) -> GivenAnswer | None:
    """The answer under a label at the end of `text`, or in brackets after its question; None if there is none."""
    heading = _heading(text)
    if heading is not None:
        return _given(heading, 0)
    end = _last_line(text)
    tail = end.of(text)
    if not any(sign in tail for sign in _SIGNS):
        return None
    tagged = _TAGGED.search(tail) if any(sign in tail for sign in ("</", "}", "->", "=>", "→", "⇒")) else None
    if tagged is not None:
        return _given(tagged, end.start, is_exact=True, is_mark=True)
    found = _labelled(tail) or (_SENTENCE.search(tail) if " is" in tail or " be" in tail else None) or _last_named(tail)
    if found is None or not _said(found).strip(MARKS) or not _is_label(tail, found):
        return None
    is_weak = found.re.pattern == _LABELLED.pattern and (found["task"] is not None or found["weak"] is not None)
    return _given(found, end.start, is_exact=is_weak or found.re.pattern == _NAMED.pattern)


def _heading(text: str) -> re.Match[str] | None:
    """The answer below a heading of Markdown at the end of a text."""
    end = text[-_LONGEST:]
    has_heading = "\n" in end and ("#" in end or "**" in end)
    return _HEADING.search(text, max(len(text) - _SEARCHED, 0)) if has_heading else None


def _last_line(text: str) -> Span:
    """The last line before an instruction how to answer, with a label that stands alone above it."""
    instruction = _INSTRUCTION.search(text, max(len(text) - _SEARCHED, 0)) if "\n" in text[-_SEARCHED:] else None
    end = len(text) if instruction is None else len(text[: instruction.start()].rstrip())
    start = max(text.rfind("\n", 0, end) + 1, end - _SEARCHED, 0)
    above = text[max(start - _REACH, 0) : start].rstrip()
    if above.endswith((":", "*", "=")) and (label := _LABEL_ABOVE.search(above)) is not None:
        start = max(start - _REACH, 0) + label.start()
    return Span(max(start, end - _LONGEST), end)


def _labelled(tail: str) -> re.Match[str] | None:
    """The answer behind a label, or with its label in brackets at the end."""
    at = min((place for sign in _AFTER_LABEL if (place := tail.find(sign)) >= 0), default=-1)
    return None if at < 0 else _LABELLED.search(tail, max(at - _REACH, 0)) or _last_key(tail)


def _last_key(tail: str) -> re.Match[str] | None:
    """The answer in brackets at the end, after its label."""
    return next((match for match in _KEY.finditer(tail) if not tail[match.end() :].strip()), None)


def _last_named(tail: str) -> re.Match[str] | None:
    """The last sentence, if it names the answer: "Picasso is the correct answer."."""
    cut = max(tail.rstrip(" .!)]").rfind(sign) for sign in ("? ", ". ", "! ", "(", "[")) + 1
    return _NAMED.search(tail, cut) if "correct" in tail or "right" in tail or "expected" in tail else None


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
    start = match.end("said") - len(said)
    place, whole = Span(start, match.end("said")), Span(start, match.end("whole"))
    yield GivenAnswer(said, place, whole, is_exact=True, is_mark=True)


def _given(found: re.Match[str], start: int, *, is_exact: bool = False, is_mark: bool = False) -> GivenAnswer:
    group = _group(found)
    place, whole = Span(*found.span(group)), Span(*found.span("whole"))
    is_of_task = found.re.pattern == _LABELLED.pattern and found["task"] is not None
    return GivenAnswer(found[group], place.shifted(start), whole.shifted(start), is_exact, is_mark, is_of_task)


def _group(found: re.Match[str]) -> str:
    return next(
        name
        for name, value in found.groupdict().items()
        if name not in ("whole", "task", "tag", "weak") and value is not None
    )


def _said(found: re.Match[str]) -> str:
    return found[_group(found)]


def _is_label(text: str, found: re.Match[str]) -> bool:
    """Whether the label begins a line or a bracket, or at least has a capital: else it is part of a sentence."""
    before = text[: found.start("whole")].rstrip(" \t")
    first = next((letter for letter in found["whole"] if letter.isalpha()), "")
    return (
        not before.strip() or before[-1] in "\n/([{" or found["whole"].lstrip()[0] in "[({/#-*>|" or not first.islower()
    )
