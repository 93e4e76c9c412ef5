"""A judge's reply → its verdict, read leniently and never guessed (000, step 4; 003, `coverage_extent`).

The requested form is `<reflection>…</reflection><classification>CLASS_…</classification>`. Also accepted are tags in
any case, escaped, with attributes or left open; markdown and fences around them; JSON; `Classification: …`; a class
alone on a line; one class in a sentence that neither denies nor doubts it; and an extent of 0–1 as a number. Think
blocks and reflections contain no verdict. Where a judge names several classes one after the other, the last counts: a
judge that corrects itself ends with its verdict, and quotations from the answer come earlier. Several classes in one
place are not a verdict, nor is an empty tag beside prose. The verdict also has what Weval reads in the reply, where
that differs (`engine.judging.weval_reading`).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from engine.judging.json_reply import json_verdict
from engine.judging.judge_refusal import declines_the_task, refuses
from engine.judging.reflection import split_reflection, surrounding_text
from engine.judging.scale import ALL_SCALES, Scale, Step, find_step
from engine.judging.thoughts import without_thoughts
from engine.judging.weval_reading import WevalReading, weval_reading
from engine.providers.chat import Standing, StopReason

MAX_REPLY_LENGTH = 12_000
"""The upper bound of a reply in code points; 500 tokens are about a sixth of it."""


class Reason(StrEnum):
    """Why a judge gave no verdict."""

    DECLINED = "declined"
    OFF_FORM = "off-form"
    EMPTY = "empty"
    CUT_OFF = "cut-off"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    NOT_ASKED = "not-asked"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on the criterion: `extent` is 0–1, before inversion.

    `step` is the class, None where the judge gave a number instead. `reflection` is untrusted text, "" where there is
    none. `on_weval` is Weval's reading of the same reply, None where its extent is the same.
    """

    extent: float
    step: Step | None
    reflection: str
    on_weval: WevalReading | None = None

    @property
    def label(self) -> str:
        """The verdict as an author reads it: `partially present`, or `0.8`."""
        return f"{self.extent:g}" if self.step is None else self.step.label


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Why a judge gave no verdict, also in an author's words: `message` follows the judge's name.

    `advice` says what to do, "" where there is none. `on_weval` is the verdict that Weval reads in the same reply, None
    where it reads none either.
    """

    reason: Reason
    message: str
    advice: str = ""
    on_weval: WevalReading | None = None


Reading: TypeAlias = Verdict | NoVerdict

_NEXT = r"\s*/|\s*(?:classification|class|coverage_extent|verdict|reflection)\b"
_TAG = re.compile(rf"<\s*(classification|class|coverage_extent|verdict)\b[^<>]{{0,80}}>((?:[^<]|<(?!{_NEXT}))*)", re.I)
_DRESSING = re.compile(r"<(?!\s*CLASS_)[^<>]{0,80}>", re.I)
_TAG_AS_VALUE = re.compile(r"<\s*classification\s*[:=]\s*[\"']?([\w. ]{1,40})[\"']?\s*/?>", re.I)
_LABEL = re.compile(
    r"(?:^|[{,;(\s*_\"'`#])(classification|class|verdict|coverage[_ ]extent|grade|rating|score|extent)"
    r"[*_\"'`]*[ \t]*[:=][*_\"'`\s]*([^\n\",}]{1,80})",
    re.I,
)
_CLASS = re.compile(r"\bCLASS_[A-Z]+(?:_[A-Z]+)*\b", re.I)
_NUMBER = re.compile(r"(?:[01](?:\.\d{1,6})?|\.\d{1,6})|(\d{1,3}(?:\.\d{1,4})?)\s?%")
_DENIED_BEFORE = re.compile(
    r"(\b(not|no|never|neither|nor|than|instead of|between|short of|unlike|almost|nearly|or|cannot)|n['’]t)\b"
    r"[^,;:.]{0,40}\Z",
    re.I,
)
_DENIED_AFTER = re.compile(
    r"[\W_]*((is|was|would be|seems|does|do|or|and)\b[\W_]*)?(n['’]t|not|too|wrong|never|or|CLASS_)\b", re.I
)
_DOUBTED = re.compile(r"\b(if|unless|would have|would need|could|might|may)\b", re.I)
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
    text = without_thoughts(_with_tags(reply))
    if not text.strip():
        return _empty_reply(reply, stop)
    if (found := json_verdict(text)) is not None:
        value, reflection = found
        return _DECLINED if declines_the_task(reflection) else _read_value(value, reflection, scale)
    outside, reflection = split_reflection(text)
    if declines_the_task(text) or declines_the_task(reflection):
        return _DECLINED
    for read in (_tagged, _labelled, _alone, _in_a_sentence):
        if values := read(outside, scale):
            value = values[-1][:500]
            if stop is StopReason.LENGTH and outside.rstrip().endswith(value) and _may_go_on(value, scale):
                return _CUT_OFF
            return _read_value(value, reflection or surrounding_text(outside, value), scale)
    return _without_class(text, stop)


def _with_tags(reply: str) -> str:
    """The reply with its tags unescaped, where all of them were written as entities."""
    return html.unescape(reply) if "<" not in reply and "&lt;" in reply else reply


def _read_value(value: str, reflection: str, scale: Scale) -> Reading:
    """The reading of one value: a class, a number, or neither."""
    if _NO_VALUE.fullmatch(value):
        return _DECLINED
    names = {name.upper() for name in _CLASS.findall(value)}
    if len(names) > 1:
        return NoVerdict(Reason.OFF_FORM, "named several classes at once", _FORM_ADVICE)
    step = find_step(next(iter(names), value), scale, in_tag=True)
    if step is None and not names:
        step = _leading_class(value, scale)
    if step is not None:
        return Verdict(step.extent, step, reflection)
    extent = _extent(value)
    if extent is not None:
        return Verdict(extent, None, reflection)
    return NoVerdict(Reason.OFF_FORM, "named no class of the scale", _FORM_ADVICE)


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


def _tagged(text: str, _: Scale) -> list[str]:
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


def _labelled(text: str, scale: Scale) -> list[str]:
    """The values after `Classification:`, `"classification":` and the like that can be a verdict."""
    found = [(match[1].lower(), match[2].strip(" \t*_`\"'.")) for match in _LABEL.finditer(text)]
    named = [f"{value}.0" if "extent" in label and value in ("0", "1") else value for label, value in found]
    return [value for value in named if _CLASS.search(value) or find_step(value, scale) or _extent(value) is not None]


def _alone(text: str, scale: Scale) -> list[str]:
    """The class alone on a line, or the extent that is the whole reply; nothing where there are several classes."""
    lines = [line.strip(" \t*_`\"'.#>-{}[]()") for line in text.splitlines()]
    classes = {step.name: line for line in lines if (step := find_step(line, scale)) is not None}
    written = [line for line in lines if line]
    if len(written) == 1 and _extent(written[0]) is not None:
        return written
    return list(classes.values()) if len(classes) == 1 else []


def _in_a_sentence(text: str, _: Scale) -> list[str]:
    """The only class that the text names, unless a sentence denies or doubts it."""
    found = list(_CLASS.finditer(text))
    if len({match[0].upper() for match in found}) != 1 or _TAG.search(text) is not None:
        return []
    return [found[0][0]] if not any(_denied(text, match) for match in found) else []


def _denied(text: str, named: re.Match[str]) -> bool:
    before = re.split(r"[.!?]\s|\n", text[max(named.start() - 200, 0) : named.start()])[-1]
    after = re.split(r"[.!?]\s|\n", text[named.end() : named.end() + 200])[0]
    doubted = _DOUBTED.search(before) or _DOUBTED.search(after)
    return bool(doubted or _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after))


def _empty_reply(reply: str, stop: StopReason) -> NoVerdict:
    if stop is StopReason.REFUSAL:
        return _DECLINED
    return _CUT_OFF if stop.standing is Standing.CUT or reply.strip() else _EMPTY


def _without_class(text: str, stop: StopReason) -> NoVerdict:
    if stop is StopReason.REFUSAL or refuses(text):
        return _DECLINED
    if stop.standing is Standing.CUT:
        return _CUT_OFF
    names = {name.upper() for name in _CLASS.findall(text)}
    if len(names) > 1:
        return NoVerdict(Reason.OFF_FORM, "named several classes and chose none", _FORM_ADVICE)
    return NoVerdict(Reason.OFF_FORM, "named no class of the scale", _FORM_ADVICE)
