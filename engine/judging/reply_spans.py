"""The parts of a judge's reply: its reflections, its thoughts, its code fences, and what stands outside of them.

Only marks tell the parts apart, so that every language is read alike. A part that begins within another belongs to
that one: a reflection may quote a think block, a thought may draft a reflection, a fence may show the form. Thoughts
without an end continue to the end of the reply; an end without a start closes thoughts from the beginning, as some
servers put the start into the prompt. A reflection without an end goes to where a class begins. Where nothing is
written outside, the fences hold the reply itself.

A judge that declines has not judged, whatever class it names (DESIGN, law 4). `declines` is the one place that goes by
words: a refusal beside the form that it quotes has no other mark.
"""

from __future__ import annotations

import json
import re
import tomllib
from enum import StrEnum
from pathlib import Path

from engine.text.patterns import lazy
from engine.text.record import Record


class Part(StrEnum):
    """What a piece of a reply is."""

    OUTSIDE = "outside"
    REFLECTION = "reflection"
    THOUGHT = "thought"
    FENCE = "fence"


class Span(Record):
    """A piece of a reply: all of its `text`, and what stands between its marks."""

    part: Part
    text: str
    content: str


_THOUGHTS = r"think|thinking|thoughts?|reasoning|seed:think"
_THOUGHT = rf"<\s*(?:{_THOUGHTS})(?:\s[^<>]{{0,80}})?\s*>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
_THOUGHT_END = rf"<\s*/\s*(?:{_THOUGHTS})(?:\s[^<>]{{0,80}})?\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
_REFLECTION = r"<\s*reflection\b[^<>]{0,80}>"
_REFLECTION_END = r"<\s*/\s*reflection[^<>]{0,20}>?"
_DRESS_BEFORE = r"^[\s>*_#`-]{0,20}"
_LABEL = rf"{_DRESS_BEFORE}reflection[*_`\s]{{0,20}}:"
_KEY = r"[\"'](?:reflection|reasoning|explanation|reason|justification|rationale)[\"']\s*:\s*"
_FENCE = r"`{3,}|^[ \t]*~{3,}"
_MARK = re.compile(
    rf"(?P<thought>{_THOUGHT})|(?P<thought_end>{_THOUGHT_END})|(?P<reflection>{_REFLECTION})|(?P<label>{_LABEL})"
    rf"|(?P<field>{_KEY}(?P<string>\"(?:[^\"\\]|\\.)*(?:\"|\Z)))|(?P<fence>{_FENCE})",
    re.I | re.M | re.S,
)
_IN_THOUGHT = re.compile(rf"{_THOUGHT}|(?P<end>{_THOUGHT_END})", re.I)
_IN_REFLECTION = re.compile(rf"{_REFLECTION}|(?P<end>{_REFLECTION_END})", re.I)
_REFLECTION_ENDS = re.compile(rf"(?P<end>{_REFLECTION_END})", re.I)
_FENCED_LINE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*(?:\n|\Z)")
DRESS = " \t\r\n*_`\"'#{}<>/"
"""What may stand around a reflection without tags."""
_CLASS_LABEL = re.compile(
    rf"{_DRESS_BEFORE}(?:classification|class|verdict|coverage[_ ]extent)[*_`\s]{{0,20}}:", re.I | re.M
)
_BREAK = re.compile(
    rf"<\s*(?:classification|coverage_extent)|{_CLASS_LABEL.pattern}|^[^\w\n]*CLASS_\w+[^\w\n]*$|{_REFLECTION}|{_THOUGHT}",
    re.I | re.M,
)
"""What ends a reflection without an end tag."""
_NAMES_A_CLASS = re.compile(r"CLASS_|<\s*(?:classification|coverage_extent)|\b(?:classification|verdict)\W*:", re.I)
_CHANNEL = "<|message|>"
"""The token of some models between their thoughts and their answer."""


def spans(reply: str) -> tuple[Span, ...]:
    """The parts of `reply` in order; their texts joined are the reply."""
    place = after = reply.rfind(_CHANNEL) + len(_CHANNEL) if _CHANNEL in reply else 0
    found = [Span(Part.THOUGHT, reply[:place], reply[:place])] if place else []
    last_class = max((match.start() for match in _NAMES_A_CLASS.finditer(reply)), default=-1)
    while (mark := _MARK.search(reply, after)) is not None:
        after = mark.end()
        if mark["thought_end"]:  # an end after the verdict is none: the judge writes about it
            if last_class > mark.start():
                found, place = [Span(Part.THOUGHT, reply[:after], reply[:after])], after
        elif (span := _span(reply, mark)) is not None:
            found += [*_outside(reply[place : mark.start()]), span]
            place = after = mark.start() + len(span.text)
    return (*found, *_outside(reply[place:]))


def outside_and_reflection(reply: str) -> tuple[str, str]:
    """What stands outside of all parts, one piece a line, and the last reflection that is not empty."""
    found = spans(reply)
    outside = "\n".join(each.text for each in found if each.part is Part.OUTSIDE)
    reflections = [each.content for each in found if each.part is Part.REFLECTION and each.content]
    reflection = reflections[-1] if reflections else ""
    fenced = "\n".join(each.content for each in found if each.part is Part.FENCE)
    if not fenced or re.search(r"\w", outside):
        return outside, reflection
    outside, within = outside_and_reflection(fenced)
    return outside, within or reflection


def _outside(text: str) -> list[Span]:
    return [Span(Part.OUTSIDE, text, text)] if text else []


def _span(reply: str, mark: re.Match[str]) -> Span | None:
    """The part that begins at `mark`; None where nothing begins."""
    match mark.lastgroup:
        case "field":
            return Span(Part.REFLECTION, mark["field"], _unquoted(mark["string"]))
        case "fence":
            return _fence(reply, mark)
        case "thought":
            return _between(Part.THOUGHT, reply, mark, _balanced(_IN_THOUGHT, reply, mark.end()))
        case "reflection":
            first = _REFLECTION_ENDS.search(reply, mark.end())
            last = _balanced(_IN_REFLECTION, reply, mark.end()) if first else _BREAK.search(reply, mark.end())
            return _between(Part.REFLECTION, reply, mark, last or first)
        case _:
            following = _CLASS_LABEL.search(reply, mark.end())
            is_last = following is None and _CLASS_LABEL.search(reply, 0, mark.start()) is not None
            end = None if is_last else following or _BREAK.search(reply, mark.end())
            return _between(Part.REFLECTION, reply, mark, end)


def _balanced(marks: re.Pattern[str], reply: str, place: int) -> re.Match[str] | None:
    """The end of a part, which may have others of its kind within."""
    depth = 1
    for mark in marks.finditer(reply, place):
        depth += -1 if mark["end"] else 1
        if not depth:
            return mark
    return None


def _between(part: Part, reply: str, mark: re.Match[str], end: re.Match[str] | None) -> Span:
    """The part from `mark` to `end`, which belongs to it if it is an end tag."""
    start, after = (len(reply), len(reply)) if end is None else end.span()
    if end is not None and "end" not in end.re.groupindex:
        after = start
    return Span(part, reply[mark.start() : after], reply[mark.end() : start].strip(DRESS if mark["label"] else None))


def _fence(reply: str, mark: re.Match[str]) -> Span | None:
    """The block from a fence on a line of its own, else the text between two fences."""
    sign = mark["fence"].strip()
    opened = _FENCED_LINE.match(reply, reply.rfind("\n", 0, mark.end()) + 1)
    start = opened.end() if opened else mark.end()
    end = re.compile(rf"^[ \t]*{sign}+|{sign}+(?=[ \t]*$)" if opened else f"{sign}+", re.M).search(reply, start)
    if end is not None:
        return Span(Part.FENCE, reply[mark.start() : end.end()], reply[start : end.start()])
    return Span(Part.FENCE, reply[mark.start() :], reply[start:]) if opened else None


def _unquoted(written: str) -> str:
    try:
        return str(json.loads(written, strict=False)).strip()
    except ValueError:
        return written.strip('"')


_SAYS_SORRY = r"(?:(?:i\s*['’]?\s*a?m\s+(?:very\s+|so\s+|really\s+)?sorry|sorry|i\s+apologi[sz]e)\b)"
_DECLINES = (
    rf"(?:{_SAYS_SORRY}|(?:unfortunately|actually|however|but|yet|still|so|and|that\s+said|therefore|thus)\b|"
    r"as\s+an?\s+(?:ai|(?:large\s+)?language\s+model)\b[^.,]{0,60})?"
    r"[\s,.;:!—–-]*(?:but\s+|however,?\s+)?"
    r"(?:i\s+(?:can(?:no|['’])t|can\s+not|won['’]t|will\s+not(?:\s+be)?|(?:must\s+)?(?:\w+ly\s+)?(?:decline|abstain|refuse)|"
    r"am\s+(?:unable|not\s+able|not\s+comfortable)|do(?:\s+not|n['’]t)\s+feel\s+comfortable)|"
    r"(?:i['’]m|we(?:['’]re|\s+are))\s+(?:unable|not\s+able|not\s+comfortable))\b"
)
_OF_THE_TASK = (
    r"(?:\s*[.!\n]|\s*\Z|\s+(?:to\s+|with\s+)?(?:"
    r"(?:assist|help(?!\s+(?:but|notic|think|see))|comply|engage|fulfil\w*|participate|proceed|continue|discuss)\w*\b|"
    r"(?![^.\n]*\b(?:as\s+(?!(?:it|there|the|no|requested|asked)\b)|high\w*|above|more|full\w*|beyond|CLASS_\w+)\b)"
    r"(?:(?:assess|evaluat|judg|classif|grad|rat|scor|analy[sz]|review|provid)\w*\s+"
    r"(?:this|that|the|such|any|an?|it|them|these|those|your)\b|"
    r"(?:giv|assign|offer)\w*\s+(?:\w+\s+){0,3}(?:verdict|classification|grade|rating|score|assessment|judge?ment)\b)))"
)
_BEGINNING = re.compile(_DECLINES + _OF_THE_TASK, re.I)
_ANYWHERE = re.compile(
    rf"(?:^|(?<=[.!?;)>…])\s*|,\s+(?=but|so|and|however|yet))[\s*_`#\d.)-]{{0,20}}{_BEGINNING.pattern}", re.I | re.M
)
_REFUSES = re.compile(f"{_SAYS_SORRY}|{_DECLINES}", re.I)
_QUOTED = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|„[^“”\n]{0,400}[“”]|「[^」\n]{0,400}」|『[^』\n]{0,400}』|"
    r"(?<!\w)['‘][^'’\n]{0,400}['’](?!\w)|^\s*>.*$",
    re.M,
)


_IN_OTHER_LANGUAGES = lazy(
    "|".join(tomllib.loads(Path(__file__).with_name("refusals.toml").read_text("utf-8"))["patterns"]), re.I
)


def declines(outside: str, reflection: str) -> bool:
    """Whether a judge refuses to judge, anywhere `outside` of quotations, or at the beginning of its `reflection`.

    Refusing a better class does not count: "I cannot rate this higher, since …".
    """
    said = _QUOTED.sub(" … ", outside)
    return bool(_ANYWHERE.search(said) or _IN_OTHER_LANGUAGES.search(said) or _BEGINNING.match(_beginning(reflection)))


def refuses(text: str) -> bool:
    """Whether a reply without a class begins with an apology or any refusal."""
    return _REFUSES.match(_beginning(text.strip(" \t\r\n\"'"))) is not None


def _beginning(text: str) -> str:
    """The first 400 code points without markdown. Quotation marks are kept: a quoted refusal is not the judge's own."""
    return text.strip(" \t\r\n*_`#>-")[:400]
