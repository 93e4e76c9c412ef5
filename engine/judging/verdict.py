"""A judge's reply → its verdict, read leniently and never guessed (000, step 4; 003, `coverage_extent`).

The requested form is `<reflection>…</reflection><classification>CLASS_…</classification>`. Also accepted are tags in
any case, escaped, with attributes or left open; markdown around them; JSON; `Classification: …`; a class alone on a
line; a class within a sentence; and an extent of 0–1 as a number. What counts is what stands outside of reflections,
thoughts and code fences (`engine.judging.reply_spans`), in any language: one class, however often, is the verdict, and
different classes are none. A refusal there is a refusal, also beside a quoted form. The reading also has what Weval
reads in the reply, where that differs (`weval_reading`).

Weval reads the first `<reflection>` and the first `<classification>`, wherever they are. Both must be closed, in lower
case and without attributes. Nothing else counts, and nothing is skipped: a class in a think block, or quoted in the
reflection, is the verdict (`golden/judge_replies.jsonl`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engine.blueprint.conversation import Standing, StopReason
from engine.functions.response_checks import JAVASCRIPT_SPACE
from engine.judging.panel import ALL_SCALES, Scale, Step, find_step
from engine.judging.reply_spans import DRESS, declines, outside_and_reflection, refuses
from engine.scoring.explanation_text import number_text
from engine.text.record import replace

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
_LABEL = re.compile(
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
_SEVERAL_ADVICE = "Its reply is saved word for word. Grade the point yourself, judge again, or choose another judge."
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
    found = [(match[1].lower(), match[2].strip(" \t*_`\"'.")) for match in _LABEL.finditer(text)]
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


_REFLECTION = re.compile(rf"<reflection>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</reflection>", re.S)
_CLASSIFICATION = re.compile(rf"<classification>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</classification>", re.S)
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
    reflection, classification = _REFLECTION.search(reply), _CLASSIFICATION.search(reply)
    if reflection is None or classification is None:
        return WevalReading(None)
    name = classification[1].upper()
    name = name if name.startswith(_PREFIX) else f"{_PREFIX}{name}"
    extent = next((step.extent for step in scale.steps if step.name == name), None)
    return WevalReading(extent, reflection[1] if extent is not None else "")
