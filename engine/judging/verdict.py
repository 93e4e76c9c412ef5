"""A judge's reply → its verdict, read leniently and never guessed (000, step 4; 003, `coverage_extent`).

Asked for is `<reflection>…</reflection><classification>CLASS_…</classification>`. Also read are tags in any case,
escaped, attributed or left open; markdown and fences around; JSON; `Classification: …`; a class alone on a line; one
class in a sentence that neither denies nor doubts it; and an extent of 0–1 as a number. What a reasoning model thinks
aloud, and what stands within the reflection, is no verdict. Where a judge names several classes one after the other,
the last counts: a judge that corrects itself ends with its verdict, and what it quotes from an answer comes before.
Several within one place are none, and so is an empty tag beside prose. Where Weval reads a reply otherwise
(`engine.judging.weval_reading`), the verdict says so.
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
"""More code points than these are no verdict; 500 tokens are about a sixth."""


class Reason(StrEnum):
    """Why a judge that was asked has not judged."""

    DECLINED = "declined"
    OFF_FORM = "off-form"
    EMPTY = "empty"
    CUT_OFF = "cut-off"
    FAILED = "failed"
    TIMED_OUT = "timed-out"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on the criterion: `extent` is 0–1, before inversion.

    `step` is the class, None where the judge gave a number instead. `reflection` is untrusted text, "" where there is
    none. `on_weval` is what Weval reads in the same reply, None where that is the same extent.
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
    """A judge that was asked and has not judged: why, and the same in an author's words (`message`, after its name).

    `advice` says what to do, "" where there is nothing to say. `on_weval` is the verdict that Weval reads in the same
    reply, None where it reads none either.
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
_ADVICE_FORM = "Its reply is kept word for word. Judge again, or choose another judge."


def read_verdict(reply: str, scale: Scale, stop: StopReason = StopReason.STOP) -> Reading:
    """The verdict in `reply`, whose class is of `scale` or, where the judge used another, of that one.

    `stop` is why the reply ended. Never raises; an extent is always that of a class, or a number of 0–1 as given.
    """
    reading = _read(reply, scale, stop)
    there = weval_reading(reply, scale) if len(reply) <= MAX_REPLY_LENGTH else WevalReading(None)
    if there.extent == (reading.extent if isinstance(reading, Verdict) else None):
        return reading
    return replace(reading, on_weval=there)


def _read(reply: str, scale: Scale, stop: StopReason) -> Reading:
    if len(reply) > MAX_REPLY_LENGTH:
        return NoVerdict(Reason.OFF_FORM, "answered at such length that it is no verdict", _ADVICE_FORM)
    text = without_thoughts(_with_tags(reply))
    if not text.strip():
        return _nothing(reply, stop)
    if (found := json_verdict(text)) is not None:
        value, reflection = found
        return _DECLINED if declines_the_task(reflection) else _decided(value, reflection, scale)
    outside, reflection = split_reflection(text)
    if declines_the_task(text) or declines_the_task(reflection):
        return _DECLINED
    for read in (_tagged, _labelled, _alone, _in_a_sentence):
        if values := read(outside, scale):
            value = values[-1][:500]
            if stop is StopReason.LENGTH and outside.rstrip().endswith(value) and _may_go_on(value, scale):
                return _CUT_OFF
            return _decided(value, reflection or surrounding_text(outside, value), scale)
    return _without_class(text, stop)


def _with_tags(reply: str) -> str:
    """The reply with tags as tags, where all of them were written as entities."""
    return html.unescape(reply) if "<" not in reply and "&lt;" in reply else reply


def _decided(value: str, reflection: str, scale: Scale) -> Reading:
    """What one value says: a class, a number, or neither."""
    if _NO_VALUE.fullmatch(value):
        return _DECLINED
    names = {name.upper() for name in _CLASS.findall(value)}
    if len(names) > 1:
        return NoVerdict(Reason.OFF_FORM, "named several classes at once", _ADVICE_FORM)
    step = find_step(next(iter(names), value), scale, in_tag=True)
    if step is None and not names:
        step = _leading_class(value, scale)
    if step is not None:
        return Verdict(step.extent, step, reflection)
    extent = _extent(value)
    if extent is not None:
        return Verdict(extent, None, reflection)
    return NoVerdict(Reason.OFF_FORM, "named no class of the scale", _ADVICE_FORM)


def _leading_class(value: str, scale: Scale) -> Step | None:
    """The class before an explanation, as in `Fully present (1.0)` or `Absent - nothing is said`."""
    head = re.split(r"[(\n:;,]| [-–—] ", value.strip(" \t\n*_`\"'"), maxsplit=1)[0]
    return find_step(head, scale, in_tag=True) if head.strip() else None


def _extent(value: str) -> float | None:
    """A number of 0–1 or its per cent. A bare 0 or 1 may be a place on the scale, and is none."""
    match = _NUMBER.fullmatch(value.strip(" \t\n*_`\"'."))
    if match is None:
        return None
    extent = float(match[1]) / 100 if match[1] else float(match[0])
    return extent if 0 <= extent <= 1 and match[0] not in ("0", "1") else None


def _tagged(text: str, _: Scale) -> list[str]:
    """What stands in tags, closed or not; an empty one is a slip."""
    values = [match[1] for match in _TAG_AS_VALUE.finditer(text)]
    for match in _TAG.finditer(text):
        value = _DRESSING.sub("", match[2]).strip(" \t\n<>")
        if match[1].lower() == "coverage_extent" and value in ("0", "1"):
            value = f"{value}.0"
        if value:
            values.append(value)
    return values


def _may_go_on(value: str, scale: Scale) -> bool:
    """Whether more letters or digits could make another value of this one."""
    if find_step(value, scale) is None:
        return True
    plain = value.upper()
    return any(step.name.startswith(plain) and step.name != plain for each in ALL_SCALES for step in each.steps)


def _labelled(text: str, scale: Scale) -> list[str]:
    """What stands after `Classification:`, `"classification":` and the like, where it can be a verdict."""
    found = [(match[1].lower(), match[2].strip(" \t*_`\"'.")) for match in _LABEL.finditer(text)]
    named = [f"{value}.0" if "extent" in label and value in ("0", "1") else value for label, value in found]
    return [value for value in named if _CLASS.search(value) or find_step(value, scale) or _extent(value) is not None]


def _alone(text: str, scale: Scale) -> list[str]:
    """Lines that hold a class, or an extent where the reply is nothing else; none where they hold several."""
    lines = [line.strip(" \t*_`\"'.#>-{}[]()") for line in text.splitlines()]
    classes = {step.name: line for line in lines if (step := find_step(line, scale)) is not None}
    written = [line for line in lines if line]
    if len(written) == 1 and _extent(written[0]) is not None:
        return written
    return list(classes.values()) if len(classes) == 1 else []


def _in_a_sentence(text: str, _: Scale) -> list[str]:
    """The one class that is named at all, unless a sentence denies or doubts it."""
    found = list(_CLASS.finditer(text))
    if len({match[0].upper() for match in found}) != 1 or _TAG.search(text) is not None:
        return []
    return [found[0][0]] if not any(_denied(text, match) for match in found) else []


def _denied(text: str, named: re.Match[str]) -> bool:
    before = re.split(r"[.!?]\s|\n", text[max(named.start() - 200, 0) : named.start()])[-1]
    after = re.split(r"[.!?]\s|\n", text[named.end() : named.end() + 200])[0]
    doubted = _DOUBTED.search(before) or _DOUBTED.search(after)
    return bool(doubted or _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after))


def _nothing(reply: str, stop: StopReason) -> NoVerdict:
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
        return NoVerdict(Reason.OFF_FORM, "named several classes and chose none", _ADVICE_FORM)
    return NoVerdict(Reason.OFF_FORM, "named no class of the scale", _ADVICE_FORM)
