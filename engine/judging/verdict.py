"""A judge's reply → its verdict, read leniently and never guessed (000, step 4; 003, `coverage_extent`).

The requested form is `<reflection>…</reflection><classification>CLASS_…</classification>`. Also accepted are tags in
any case, escaped, with attributes or left open; markdown around them; JSON; `Classification: …`; a class alone on a
line; a class within a sentence; and an extent of 0–1 as a number. What counts is what stands outside of reflections,
thoughts and code fences, in any language: one class, however often, is the verdict, and different classes are none. A
refusal there is a refusal, also beside a quoted form. The reading also has what Weval reads in the reply, where that
differs (`weval_reading`).

Weval reads the first `<reflection>` and the first `<classification>`, wherever they are. Both must be closed, in lower
case and without attributes. Nothing else counts, and nothing is skipped: a class in a think block, or quoted in the
reflection, is the verdict (`golden/judge_replies.jsonl`).

The parts of a reply are its reflections, its thoughts, its code fences, and what stands outside of them. Only marks
tell them apart, so that every language is read alike. A part that begins within another belongs to that one: a
reflection may quote a think block, a thought may draft a reflection, a fence may show the form. Thoughts without an end
continue to the end of the reply; an end without a start closes thoughts from the beginning, as some servers put the
start into the prompt. A reflection without an end goes to where a class begins. Where nothing is written outside, the
fences hold the reply itself.

A judge that declines has not judged, whatever class it names (DESIGN, law 4). `declines` is the one place that goes by
words: a refusal beside the form that it quotes has no other mark.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from engine.blueprint.conversation import Standing, StopReason
from engine.functions.response_checks import JAVASCRIPT_SPACE
from engine.judging.panel import ALL_SCALES, Scale, Step, find_step
from engine.scoring.explanation import number_text
from engine.text import Record, lazy, replace


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


MAX_REPLY_LENGTH = 12_000
"""The upper bound of a reply in code points; 500 tokens are about a sixth of it."""


class Reason(StrEnum):
    """Why a judge gave no verdict."""

    DECLINED = "declined"
    OFF_FORM = "off-form"
    SEVERAL_CLASSES = "several-classes"
    EMPTY = "empty"
    CUT_OFF = "cut-off"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    NOT_ASKED = "not-asked"

    @property
    def opens_point(self) -> bool:
        """Whether the point has no score until it is settled, even where other judges have judged it."""
        return self in (Reason.SEVERAL_CLASSES, Reason.NOT_ASKED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on the criterion: `extent` is 0–1, before inversion.

    `step` is the class, None where the judge gave a number instead. `reflection` is untrusted text, "" where there is
    none. `on_weval` is Weval's reading of the same reply, None where its extent is the same. `in_passing`: the class
    stands within a sentence, which may deny or suppose it, so that the judge is asked once more.
    """

    extent: float
    step: Step | None
    reflection: str
    on_weval: WevalReading | None = None
    in_passing: bool = False

    @property
    def label(self) -> str:
        """The verdict as an author reads it: `partially present`, or `0.8`."""
        return f"{self.extent:g}" if self.step is None else self.step.label


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Why a judge gave no verdict, also in an author's words: `message` follows the judge's name.

    `advice` says what to do, "" where there is none. `on_weval` is the verdict that Weval reads in the same reply, None
    where it reads none either. `named` are the verdicts of which a reply with several classes does not choose one.
    """

    reason: Reason
    message: str
    advice: str = ""
    on_weval: WevalReading | None = None
    named: tuple[Verdict, ...] = ()


Reading: TypeAlias = Verdict | NoVerdict
_Named: TypeAlias = dict[float, tuple[str, Verdict]]
"""What a reply names, by extent: as it is written, and as a verdict without its reflection."""

_NEXT = r"\s*/|\s*(?:classification|class|coverage_extent|verdict|reflection)\b"
_TAG = re.compile(rf"<\s*(classification|class|coverage_extent|verdict)\b[^<>]{{0,80}}>((?:[^<]|<(?!{_NEXT}))*)", re.I)
_DRESSING = re.compile(r"<(?!\s*CLASS_)[^<>]{0,80}>", re.I)
_TAG_AS_VALUE = re.compile(r"<\s*classification\s*[:=]\s*[\"']?([\w. ]{1,40})[\"']?\s*/?>", re.I)
_TAG_IN_SENTENCE = re.compile(r"^.*\w.*<\s*classification\s*>[^<\n]*<\s*/\s*classification\s*>.*\w", re.I | re.M)
_VALUE_LABEL = re.compile(
    r"(?:^|[{,;(\s*_\"'`#])(classification|class|verdict|coverage[_ ]?extent|grade|rating|score|extent)"
    r"[*_\"'`]*[ \t]*[:=][*_\"'`\s]*([^\n\",}]{1,80})",
    re.I,
)
_SHORT_NAMES = [step.name.removeprefix("CLASS_") for scale in ALL_SCALES for step in scale.steps]
_CLASS = re.compile(rf"\b(?:CLASS_[A-Z]+(?:_[A-Z]+)*|{'|'.join(each for each in _SHORT_NAMES if '_' in each)})\b", re.I)
_NUMBER = re.compile(r"(?:[01](?:\.\d{1,6})?|\.\d{1,6})|(\d{1,3}(?:\.\d{1,4})?)\s?%")
_NO_VALUE = re.compile(
    r"\s*(n/?a|not applicable|refus\w*|declin\w*|unable\b.*|cannot\b.*|can't\b.*|no[ _]verdict|abstain\w*|"
    r"cannot_\w+|unable_\w+|unsafe)\W*",
    re.I | re.S,
)
_DECLINED = NoVerdict(
    Reason.DECLINED, "declined to judge", "A judge that declines has not judged. Choose another judge for this text."
)
_EMPTY = NoVerdict(Reason.EMPTY, "answered nothing", "Judge again, or choose another judge.")
_CUT_OFF = NoVerdict(
    Reason.CUT_OFF,
    "was cut off before it named a class",
    "It spends its tokens on other words. Choose a judge that thinks less.",
)
NOT_ASKED = NoVerdict(Reason.NOT_ASKED, "has not judged it yet", "Ask the judges for it.")
"""What stands for a judge that is still to be asked, or whose reply was not waited for."""
_SEVERAL_ADVICE = (
    "Its reply is saved word for word. Grade the criterion yourself, judge again, or choose another judge."
)
_FORM_ADVICE = "Its reply is saved word for word. Judge again, or choose another judge."


def read_verdict(reply: str, scale: Scale, stop: StopReason = StopReason.STOP) -> Reading:
    """The verdict in `reply`, with a class of `scale` or of another scale that the judge used.

    `stop` is why the reply ended. Never raises; an extent is that of a class, or the number of 0–1 in the reply.
    """
    reading = _read(reply, scale, stop)
    weval = weval_reading(reply, scale) if len(reply) <= MAX_REPLY_LENGTH else WevalReading(None)
    if weval.extent == (reading.extent if isinstance(reading, Verdict) else None):
        return reading
    return replace(reading, on_weval=weval)


def _read(reply: str, scale: Scale, stop: StopReason) -> Reading:
    if len(reply) > MAX_REPLY_LENGTH:
        return NoVerdict(Reason.OFF_FORM, "answered at such length that it is not a verdict", _FORM_ADVICE)
    outside, reflection = outside_and_reflection(_with_tags(reply))
    if not (outside.strip() or reflection):
        return _empty_reply(reply, stop)
    tagged, labelled = _tagged(outside), _labelled(outside)
    if declines(outside, reflection) or any(map(_NO_VALUE.fullmatch, tagged)):
        return _DECLINED
    names = _CLASS.findall(outside)
    named = _classes(outside, [*tagged, *labelled], names, scale) or _extents(outside, [*tagged, *labelled])
    if len(named) > 1:
        return _several([verdict for _, verdict in named.values()])
    if not named or any(name.startswith("CLASS_") and find_step(name, scale) is None for name in names):
        return _DECLINED if any(map(_NO_VALUE.fullmatch, labelled)) else _without_class(outside, stop)
    ((value, verdict),) = named.values()
    if stop is StopReason.LENGTH and outside.rstrip().endswith(value) and _may_go_on(value, scale):
        return _CUT_OFF
    is_quoted = not reflection and _TAG_IN_SENTENCE.search(outside) is not None
    reflection = reflection or _surrounding_text(outside, value)
    return replace(verdict, reflection=reflection, in_passing=verdict.in_passing or is_quoted)


def _classes(outside: str, values: Sequence[str], names: Sequence[str], scale: Scale) -> _Named:
    """The classes that a reply names: in tags, behind labels, alone on a line, or by a name with underscores."""
    lines = [(line, find_step(line, scale)) for line in _lines(outside)]
    chosen = [each for value in values for each in _in_value(value, scale)]
    steps = [*lines, *((name, find_step(name, scale)) for name in names), *chosen]
    clear = {step.extent for _, step in (*chosen, *lines) if step is not None}
    return {
        step.extent: (value, Verdict(step.extent, step, "", in_passing=step.extent not in clear))
        for value, step in steps
        if step is not None
    }


def _extents(outside: str, values: Sequence[str]) -> _Named:
    """The extents that a reply without a class names, or is."""
    found = [(value, _extent(value)) for value in (*values, outside.strip())]
    return {extent: (value, Verdict(extent, None, "")) for value, extent in found if extent is not None}


def _lines(text: str) -> list[str]:
    """What is written on each line, without markdown and tags."""
    lines = (line.strip(" \t*_`\"'.#>-|{}[]()") for line in _DRESSING.sub("", text).splitlines())
    return [line for line in lines if line]


def _several(named: Sequence[Verdict]) -> NoVerdict:
    in_order = sorted(named, key=lambda verdict: verdict.extent)
    labels = [verdict.label for verdict in in_order]
    message = f"named several classes and chose none: {', '.join(labels[:-1])} and {labels[-1]}"
    return NoVerdict(Reason.SEVERAL_CLASSES, message, _SEVERAL_ADVICE, named=tuple(in_order))


def _with_tags(reply: str) -> str:
    """The reply with its tags unescaped, where all of them were written as entities."""
    return html.unescape(reply) if "<" not in reply and "&lt;" in reply else reply


def _in_value(value: str, scale: Scale) -> list[tuple[str, Step | None]]:
    """The classes in a tag or behind a label."""
    if names := _CLASS.findall(value):
        return [(value, find_step(name, scale)) for name in names]
    return [(value, find_step(value, scale, in_tag=True) or _leading_class(value, scale))]


def _leading_class(value: str, scale: Scale) -> Step | None:
    """The class before an explanation, as in `Fully present (1.0)` or `Absent - nothing is said`."""
    head = re.split(r"[(\n:;,]| [-–—] ", value.strip(" \t\n*_`\"'"), maxsplit=1)[0]
    return find_step(head, scale, in_tag=True) if head.strip() else None


def _extent(value: str) -> float | None:
    """A number of 0–1, or a percentage as one. A bare 0 or 1 does not count: it may be a place on the scale."""
    match = _NUMBER.fullmatch(value.strip(" \t\n*_`\"'."))
    if match is None:
        return None
    extent = float(match[1]) / 100 if match[1] else float(match[0])
    return extent if 0 <= extent <= 1 and match[0] not in ("0", "1") else None


def _tagged(text: str) -> list[str]:
    """The values in tags, closed or not; empty ones are ignored."""
    values = [match[1] for match in _TAG_AS_VALUE.finditer(text)]
    for match in _TAG.finditer(text):
        value = _DRESSING.sub("", match[2]).strip(" \t\n<>")
        if match[1].lower() == "coverage_extent" and value in ("0", "1"):
            value = f"{value}.0"
        if value:
            values.append(value)
    return values


def _may_go_on(value: str, scale: Scale) -> bool:
    """Whether more letters or digits could make this another value."""
    if find_step(value, scale) is None:
        return True
    plain = value.upper()
    return any(step.name.startswith(plain) and step.name != plain for each in ALL_SCALES for step in each.steps)


def _labelled(text: str) -> list[str]:
    """The values after `Classification:`, `"classification":` and the like."""
    found = [(match[1].lower(), match[2].strip(" \t*_`\"'.")) for match in _VALUE_LABEL.finditer(text)]
    return [f"{value}.0" if "extent" in label and value in ("0", "1") else value for label, value in found]


def _empty_reply(reply: str, stop: StopReason) -> NoVerdict:
    if stop is StopReason.REFUSAL:
        return _DECLINED
    return _CUT_OFF if stop.standing is Standing.CUT or reply.strip() else _EMPTY


def _without_class(text: str, stop: StopReason) -> NoVerdict:
    if stop is StopReason.REFUSAL or refuses(text):
        return _DECLINED
    if stop.standing is Standing.CUT:
        return _CUT_OFF
    return NoVerdict(Reason.OFF_FORM, "named no class of the scale", _FORM_ADVICE)


def _surrounding_text(text: str, value: str) -> str:
    """The text before a judge's class, or after it, as the reflection of a reply that names none."""
    place = text.rfind(value) if value else -1
    if place < 0:
        return ""
    head, end = text[: max(place - 120, 0)], text[max(place - 120, 0) : place]
    end = re.sub(r"<\s*\w[^<>]*>?\s*$|[{\[]?[\"'*_`#\s]*\b[\w ]{0,24}\b[\"'*_`]*\s*[:=][\"'*_`\s]*$", "", end)
    before = (head + end).strip(DRESS)
    reason = before or re.sub(r"^\s*<\s*/[^<>]*>", "", text[place + len(value) :]).strip(DRESS)
    reason = re.sub(r"\A(reflection|reasoning|reason|explanation)\W+", "", reason, flags=re.I)
    return reason if len(reason.split()) > 5 or re.search(r"[.!?。]\W*\Z", reason) else ""


_WEVAL_REFLECTION = re.compile(rf"<reflection>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</reflection>", re.S)
_WEVAL_CLASSIFICATION = re.compile(
    rf"<classification>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</classification>", re.S
)
_PREFIX = "CLASS_"


@dataclass(frozen=True, slots=True)
class WevalReading:
    """Weval's reading of a reply: an extent of 0–1 with the judge's reflection, or no verdict (`extent` None)."""

    extent: float | None
    reflection: str = ""

    def __str__(self) -> str:
        return "no verdict" if self.extent is None else number_text(self.extent)


def weval_reading(reply: str, scale: Scale) -> WevalReading:
    """Weval's reading of `reply`, with the classes of `scale`."""
    reflection, classification = _WEVAL_REFLECTION.search(reply), _WEVAL_CLASSIFICATION.search(reply)
    if reflection is None or classification is None:
        return WevalReading(None)
    name = classification[1].upper()
    name = name if name.startswith(_PREFIX) else f"{_PREFIX}{name}"
    extent = next((step.extent for step in scale.steps if step.name == name), None)
    return WevalReading(extent, reflection[1] if extent is not None else "")
