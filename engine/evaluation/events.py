"""The events of an evaluation of one prompt with one source, in the order in which they occur; notes on its answer.

The notes affect how far a score can be trusted: how the answer ended, think blocks, settings not used. Weval's clients
read the text of an answer and not why it ended, so cut and withheld answers are scored there like any other.

Think blocks are the thoughts of a model within the text of its answer, such as `<think>…</think>`. Most servers send
thoughts separately, and those never enter an answer. Inline thoughts are part of the text: they are scored with it,
here and on Weval, and `think_blocks` finds them so that they can be reported.

Blocks are `<think>`, `<thinking>`, `<thought>`, `<thoughts>` and `<reasoning>` in any case, and the special tokens of
some model families. A block without an end tag continues to the end of the turn; it must begin a line, since prose may
name the tag. An end tag without a start closes a block from the start of the turn, as some servers put the start tag
into the prompt; it must be at the beginning or end of a line. Tags in code, fenced or in backticks, do not count. Nor
does a tag other than `<think>` that the conversation names: "Enclose your reasoning in <reasoning> tags" describes the
form of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint.conversation import Stop, StopReason, ThreadTurn, worst
from engine.functions.response_checks import words_in
from engine.models.chat import MORE_TOKENS, USUAL_MAX_TOKENS, Knob, Usage
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, listed, point_label
from engine.text.patterns import lazy
from engine.text.record import Record, field
from engine.text.spans import Span
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.judging.judge_runner import JudgeAnswered
    from engine.judging.judgement import Agreement, Consensus

NOTHING_COUNTED = Usage()


class Response(Record):
    """The whole answer: the thread, and the subject text that is judged.

    `subject` joins the generated turns by a blank line (002, "Sequential multi-turn"). `seconds` is the wall time of
    all requests, None where nothing was requested. `complete`: no turn was ended by the author or a lost connection.
    `reused`: every turn was cached, and nothing was sent. `ignored` are settings that the model does not take,
    `token_limit` the token limit of a turn, None where it is Weval's.
    """

    subject: str
    thread: tuple[ThreadTurn, ...]
    model: str | None = None
    seconds: float | None = None
    usage: Usage = NOTHING_COUNTED
    complete: bool = True
    reused: bool = False
    ignored: tuple[Knob, ...] = ()
    token_limit: int | None = None

    @property
    def ignores_temperature(self) -> bool:
        """Whether the answer came at another temperature than requested."""
        return Knob.TEMPERATURE in self.ignored

    @property
    def stop(self) -> Stop | None:
        """Why the answer ended: the worst reason of its generated turns, None where none is known."""
        return worst(turn.stop for turn in self.thread if turn.generated)

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld the answer, which is then never scored."""
        return self.stop is not None and self.stop.is_withheld

    @property
    def cut(self) -> str:
        """How the answer was cut short, to show beside its score: `cut off at the token limit`; "" for a whole answer.

        An answer that was withheld counts as cut short.
        """
        if self.stop is not None and self.stop.is_cut:
            return self.stop.label
        return "" if self.complete else "stopped before its end"


class Delta(Record):
    """The next piece of the turn that is being generated; `turn` counts the generated turns of the thread from 0.

    An empty piece starts a turn: the one before it is whole.
    """

    turn: int
    text: str


class Responded(Record):
    """The answer is complete; checks and judges follow."""

    response: Response


class Scored(Record):
    """The score of an answer: all assessments in the order of `Prompt.points()`, and the explanation.

    `verdicts` are those of judges that count, by place. `judged`: judges were asked, even if no point was open;
    `agreement` is how far they agree.
    """

    response: Response
    assessments: tuple[Assessment, ...]
    explanation: Explanation
    verdicts: Mapping[int, Consensus] = field(default_factory=dict[int, "Consensus"])
    agreement: Agreement | None = None
    judged: bool = False


class Assessed(Record):
    """One point was assessed, or could not be; `index` is its place in `Prompt.points()`.

    `scored` is the current score where a judge assessed it, with the bounds that open points leave.
    """

    index: int
    assessment: Assessment
    scored: Scored | None = None


class JudgingBegan(Record):
    """Checks and the author's grades are done, and judges are asked about open points.

    `scored` is the score until they reply, `waiting` the places in `Prompt.points()` of the points they judge.
    """

    scored: Scored
    waiting: tuple[int, ...]


class Failed(Record):
    """The end of a run without a score: what happened, the server's message (untrusted), what to do.

    `partial` is the part of the answer that arrived. `stopped`: the author ended the run, and nothing went wrong.
    `stop` is why an answer ended that cannot be used: it is empty, or a filter withheld it.
    """

    title: str
    detail: str = ""
    advice: str = ""
    partial: Response | None = None
    stopped: bool = False
    stop: Stop | None = None

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld the answer."""
        return self.stop is not None and self.stop.is_withheld


Event: TypeAlias = "Delta | Responded | Assessed | JudgingBegan | JudgeAnswered | Scored | Failed"
"""A run ends with one `Scored` or one `Failed`."""


# --- Notes on an answer


_MAX_NAMED = 3


def answer_marks(response: Response) -> tuple[str, ...]:
    """The notes to show beside a score, in a few words each: `cut off at the token limit`, `with a <think> block`."""
    blocks = think_blocks(response.subject, response.thread)
    marks = (response.cut, "" if blocks is None else f"with a {blocks.tag} block")
    return tuple(mark for mark in marks if mark)


def answer_notes(response: Response, assessments: Sequence[Assessment] = ()) -> tuple[str, ...]:
    """The notes on stop reasons and think blocks in sentences: the effect on the score, and what to do."""
    blocks = think_blocks(response.subject, response.thread)
    thinking = () if blocks is None else _think_block_notes(blocks, assessments)
    return (*_stop_notes(response), *thinking)


def setting_notes(response: Response, model: str) -> Iterator[str]:
    """A sentence for each setting that differs from the request: an ignored temperature, a token limit unlike Weval's.

    `model` is the id under which the answer was requested.
    """
    if response.ignores_temperature:
        yield f"{model} ignores temperature: the answer came at the model's own."
    if response.token_limit is not None:
        yield f"The answer could have {response.token_limit:,} tokens. Weval allows {USUAL_MAX_TOKENS:,}."


def answer_json(response: Response) -> dict[str, Data]:
    """`stopReason` and `thinkBlocks` for result JSON, each absent where it does not apply.

    `engine.evaluation.result_json` documents their form; the share of think blocks is 0–1 of the text.
    """
    data: dict[str, Data] = {}
    stop = response.stop
    if stop is not None:
        turns = [turn.stop for turn in response.thread if turn.generated]
        reasons: list[Data] = [None if each is None else each.reason.value for each in turns]
        data["stopReason"] = {**stop_json(stop), "turns": reasons}
    blocks = think_blocks(response.subject, response.thread)
    if blocks is not None:
        data["thinkBlocks"] = {
            "count": len(blocks.spans),
            "tag": blocks.tag,
            "closed": blocks.closed,
            "words": blocks.words,
            "share": round(blocks.share, 4),
        }
    return data


def stop_json(stop: Stop) -> dict[str, Data]:
    """One stop reason for result JSON, without the `turns`."""
    return {"reason": stop.reason.value, "word": stop.word, "cut": stop.is_cut, "text": stop.label}


def read_stop(data: Data) -> Stop | None:
    """The stop reason in result JSON that `stop_json` wrote; None for anything else."""
    fields = data if isinstance(data, dict) else {}
    reason, word = fields.get("reason"), fields.get("word")
    if not isinstance(reason, str) or reason not in list(StopReason):
        return None
    return Stop(StopReason(reason), word if isinstance(word, str) else "")


def _stop_notes(response: Response) -> Iterator[str]:
    """One note for each turn that did not end normally."""
    turns = [turn for turn in response.thread if turn.generated]
    for number, turn in enumerate(turns, 1):
        which = "The answer" if len(turns) == 1 else f"Turn {number} of {len(turns)}"
        if turn.stop is not None and (note := _STOP_NOTES.get(turn.stop.reason)):
            yield note.format(which=which, label=turn.stop.label)
    if not response.complete and not response.withheld:
        yield "The answer was stopped before its end, and is scored as far as it came."


_STOP_NOTES = {
    StopReason.LENGTH: (
        "{which} was {label}: what is missing counts as not said. Weval scores it without a warning. "
        f"Ask for a shorter answer, or allow more. {MORE_TOKENS}"
    ),
    StopReason.INTERRUPTED: "{which} was {label}: what is missing counts as not said. Run it again.",
    StopReason.TOOL_CALL: (
        "{which} {label}, and tools are not run here: it may not be whole. Ask for the call in words."
    ),
    StopReason.NOT_GIVEN: "{which} {label}: the server does not say whether it is whole.",
    StopReason.OTHER: "{which} {label}: it may not be whole.",
    StopReason.REFUSAL: "{which} was {label}, and is scored as such. On Weval it is an empty answer.",
}


def _think_block_notes(blocks: ThinkBlocks, assessments: Sequence[Assessment]) -> Iterator[str]:
    several = len(blocks.spans)
    what = f"a {blocks.tag} block" if several == 1 else f"{several} blocks such as {blocks.tag}"
    words = "1 word" if blocks.words == 1 else f"{blocks.words:,} words"
    is_open = "" if blocks.closed else ", not closed"
    yield (
        f"The answer thinks aloud in {what} ({words}, {blocks.share:.0%} of its text{is_open}). It is scored as it "
        "stands, as on Weval: checks and judges read that part too. To score the rest alone, turn thinking off for "
        "this model, have its server send thoughts apart, or take them out of the answer by hand."
    )
    resting = [point_label(each.point) for each in assessments if blocks.contain(each.evidence)]
    if resting:
        more = f" and {len(resting) - _MAX_NAMED} more" if len(resting) > _MAX_NAMED else ""
        named = ", ".join(resting[:_MAX_NAMED]) + more if more else listed(resting)
        verb = "rests" if len(resting) == 1 else "rest"
        yield f"{named} {verb} on what is thought aloud alone."


_TAGS = r"think|thinking|thoughts?|reasoning|seed:think"
_OPEN = lazy(
    rf"(?P<tag><\s*(?P<name>{_TAGS})(?:\s[^<>]{{0,80}})?>)|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>analysis<\|message\|>",
    re.I,
)
_CLOSE = lazy(
    rf"<\s*/\s*(?P<name>{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>", re.I
)
_CODE = lazy(r"(`{3,}|~{3,}).*?(?:\1|\Z)|(`{1,2})(?!`)[^\n]{0,400}?(?<!`)\2(?!`)", re.S)


class ThinkBlocks(Record):
    """The blocks in an answer: their `spans` in the subject text, tags included, and `tag`, the first as written.

    `closed`: whether each has an end tag. `words` counts the words in them, `share` (0–1) is their part of the text.
    """

    spans: tuple[Span, ...]
    tag: str
    closed: bool
    words: int
    share: float

    def contain(self, evidence: Sequence[Span]) -> bool:
        """Whether there is evidence, and all of it is within the blocks."""
        return bool(evidence) and all(
            any(block.start <= each.start and each.end <= block.end for block in self.spans) for each in evidence
        )


def think_blocks(subject: str, thread: Sequence[ThreadTurn] = ()) -> ThinkBlocks | None:
    """The think blocks in the text that is judged, None where there are none. `thread` separates its turns."""
    if _OPEN.search(subject) is None and _CLOSE.search(subject) is None:
        return None
    written = " ".join(turn.content for turn in thread if not turn.generated).lower()
    found: list[tuple[Span, str, bool]] = []
    for start, turn in _turns(subject, thread):
        for block, tag, closed in _blocks(turn, written):
            found.append((Span(start + block.start, start + block.end), tag, closed))
    if not found:
        return None
    spans = tuple(span for span, _, _ in found)
    words = sum(words_in(_OPEN.sub(" ", _CLOSE.sub(" ", span.of(subject)))) for span in spans)
    share = sum(span.end - span.start for span in spans) / len(subject)
    return ThinkBlocks(spans, found[0][1], all(closed for _, _, closed in found), words, share)


def _turns(subject: str, thread: Sequence[ThreadTurn]) -> Iterator[tuple[int, str]]:
    """Each generated turn with its place in the subject; the whole subject where it is not made up of the turns."""
    turns = [turn.content for turn in thread if turn.generated]
    if "\n\n".join(turns) != subject:
        turns = [subject]
    start = 0
    for turn in turns:
        yield start, turn
        start += len(turn) + 2


def _blocks(text: str, written: str) -> Iterator[tuple[Span, str, bool]]:
    """The blocks of one turn, each with its first tag and whether it is closed. `written` is all written turns."""
    place = 0
    opened = _first(_OPEN, text, 0, written)
    closing = _first(_CLOSE, text, 0, written)
    if closing is not None and (opened is None or closing.start() < opened.start()) and _at_an_edge(text, closing):
        yield Span(0, closing.end()), closing[0], True
        place = closing.end()
    while (opened := _first(_OPEN, text, place, written)) is not None:
        closing = _CLOSE.search(text, opened.end())
        if closing is None:
            if text[: opened.start()].rpartition("\n")[2].strip():
                return
            yield Span(opened.start(), len(text)), opened[0], False
            return
        yield Span(opened.start(), closing.end()), opened[0], True
        place = closing.end()


def _first(tag: re.Pattern[str], text: str, place: int, written: str) -> re.Match[str] | None:
    """The first tag from `place` on that is neither in code nor named in the written turns."""
    if tag.search(text, place) is None:
        return None
    codes = [match.span() for match in _CODE.finditer(text, place)]
    outside = (match for match in tag.finditer(text, place) if not any(a <= match.start() < b for a, b in codes))
    return next((match for match in outside if not _is_named((match["name"] or "").lower(), written)), None)


def _is_named(name: str, written: str) -> bool:
    return name not in ("", "think", "seed:think") and f"<{name}" in written


def _at_an_edge(text: str, tag: re.Match[str]) -> bool:
    before, after = text[: tag.start()].rpartition("\n")[2], text[tag.end() :].partition("\n")[0]
    return not before.strip() or not after.strip()
