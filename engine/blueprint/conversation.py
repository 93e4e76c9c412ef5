"""Messages and `assistant: null` → the turns to generate, the thread and the subject text (002, "Sequential …").

Where the documents are silent: two assistant turns in a row are accepted. A written last assistant turn *is* the answer
that is judged, and no model is requested (platform.md, A23).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from engine.blueprint import ABSENT, Absent, Header, Message, Prompt, Role
from engine.text.record import Record, replace
from engine.text.spans import Span, visible
from engine.yaml.nodes import javascript_number


class Standing(StrEnum):
    """How an ended answer counts: scored, scored with a doubt, scored and marked as cut, or not scored."""

    WHOLE = "whole"
    UNSURE = "unsure"
    CUT = "cut"
    WITHHELD = "withheld"


class StopReason(StrEnum):
    """Why an answer ended, the harmless reasons first. `engine.models.wires` has the servers' words for each.

    `REFUSAL` is the model's own refusal, sent apart from ordinary text. `INTERRUPTED` is an end that neither the model
    nor the token limit brought about. `NOT_GIVEN`: the stream ended properly without a reason. `OTHER`: an unknown
    word. The values are persisted and stand in result JSON.
    """

    STOP = "stop"
    SEQUENCE = "stop-sequence"
    REFUSAL = "refusal"
    NOT_GIVEN = "unsaid"
    OTHER = "other"
    TOOL_CALL = "tool-call"
    INTERRUPTED = "interrupted"
    LENGTH = "length"
    WITHHELD = "withheld"

    @property
    def standing(self) -> Standing:
        """How an answer that ended for this reason counts."""
        match self:
            case StopReason.STOP | StopReason.SEQUENCE | StopReason.REFUSAL:
                return Standing.WHOLE
            case StopReason.NOT_GIVEN | StopReason.OTHER:
                return Standing.UNSURE
            case StopReason.TOOL_CALL | StopReason.INTERRUPTED | StopReason.LENGTH:
                return Standing.CUT
            case StopReason.WITHHELD:
                return Standing.WITHHELD


class Stop(Record):
    """Why one turn ended; `word` is the server's own word (untrusted, of bounded length), "" if it gave none."""

    reason: StopReason
    word: str = ""

    @property
    def is_withheld(self) -> bool:
        """Whether a filter of the provider withheld the answer, which is then never scored."""
        return self.reason is StopReason.WITHHELD

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut short; one that was withheld counts as cut short."""
        return self.reason.standing in (Standing.CUT, Standing.WITHHELD)

    @property
    def label(self) -> str:
        """The reason as an author reads it: `cut off at the token limit`."""
        has_word = self.word and self.reason in (StopReason.OTHER, StopReason.INTERRUPTED, StopReason.WITHHELD)
        return f"{_LABELS[self.reason]} ({visible(self.word)})" if has_word else _LABELS[self.reason]


_LABELS = {
    StopReason.STOP: "complete",
    StopReason.SEQUENCE: "ended at a stop sequence",
    StopReason.REFUSAL: "refused by the model in its own words",
    StopReason.NOT_GIVEN: "ended without a stop reason",
    StopReason.OTHER: "ended for a reason that is not known",
    StopReason.TOOL_CALL: "stopped to call a tool",
    StopReason.INTERRUPTED: "cut off by the server",
    StopReason.LENGTH: "cut off at the token limit",
    StopReason.WITHHELD: "withheld by the provider's safety filter",
}


def worst(stops: Iterable[Stop | None]) -> Stop | None:
    """The worst of these reasons; None if none is known."""
    order = list(StopReason)
    return max((stop for stop in stops if stop is not None), key=lambda stop: order.index(stop.reason), default=None)


class ThreadTurn(Record):
    """A turn of a conversation, finished or not; `generated`: it takes the place of a turn that a model writes.

    `written` is the message of the prompt that it comes from, None where that is not known. `edited`: the author
    changed the text of a model's turn. `stop` is why a model's turn ended, None where that is not known.
    """

    role: Role
    content: str
    generated: bool
    written: Message | None = None
    edited: bool = False
    stop: Stop | None = None


class Variant(Record):
    """One combination of the header's `temperatures` and system prompts.

    `number` counts the variants of a blueprint from 0. `suffix` is added to the key of a result: `[temp:T]` where
    `temperatures` is written, `[sp_idx:N]` where there are several system prompts.
    """

    number: int = 0
    temperature: float | None = None
    system: str | Absent | None = ABSENT
    suffix: str = ""


class Conversation(Record):
    """The turns before and between the answers.

    `system` is the system prompt in force, None where there is none. `messages` ends with an assistant turn, written or
    to be generated (content None), unless the prompt has no messages at all.
    """

    system: str | None
    temperature: float
    messages: tuple[Message, ...]

    @property
    def pending(self) -> int:
        """The number of turns for a model to generate; 0 where the last turn is written."""
        if self.answer is not None:
            return 0
        return sum(message.content is None for message in self.messages)

    @property
    def answer(self) -> str | None:
        """The written last assistant turn, which is the answer that is judged; None where the answer is missing."""
        return self.messages[-1].content if self.messages else None

    def opening(self) -> tuple[ThreadTurn, ...]:
        """The system prompt as first turn, where there is one."""
        return () if self.system is None else (ThreadTurn(Role.SYSTEM, self.system, generated=False),)

    def up_to_each_answer(self) -> Iterator[tuple[tuple[ThreadTurn, ...], Message]]:
        """For each turn to generate: the written turns since the previous one, and the message that it fills."""
        turns: list[ThreadTurn] = [*self.opening()]
        for message in self.messages:
            if message.content is None:
                yield tuple(turns), message
                turns = []
            else:
                turns.append(ThreadTurn(message.role, message.content, generated=False, written=message))

    def answered(self, answers: Sequence[str]) -> tuple[ThreadTurn, ...]:
        """The thread with `answers` at its last generated turns, in order.

        A single answer to a conversation of several turns becomes the last turn; the other generated turns are left
        out. The answer replaces a written last turn.
        """
        messages = self.messages
        if self.answer is not None:
            messages = (*messages[:-1], Message(messages[-1].span, messages[-1].role, None))
        places = [place for place, message in enumerate(messages) if message.content is None][-len(answers) :]
        filled = dict(zip(places, answers, strict=False))
        turns = [*self.opening()]
        for place, message in enumerate(messages):
            if place in filled:
                turns.append(ThreadTurn(message.role, filled[place], generated=True, written=message))
            elif message.content is not None:
                turns.append(ThreadTurn(message.role, message.content, generated=False, written=message))
        return tuple(turns)

    def as_written(self) -> tuple[ThreadTurn, ...]:
        """The thread without anything generated, for a written last turn."""
        written = [message for message in self.messages if message.content is not None]
        return (*self.opening(), *(ThreadTurn(each.role, each.content or "", False, each) for each in written))


def conversation(prompt: Prompt, header: Header, variant: Variant | None = None) -> Conversation:
    """The conversation of `prompt`: its messages, with an implicit last turn after a final user message.

    System prompt: the variant's; else the prompt's when defined (null clears); else the header's only one.
    Temperature: the variant's, else the prompt's, else the header's, else 0.
    """
    variant = variant or Variant()
    temperatures = (variant.temperature, prompt.temperature, header.temperature)
    return Conversation(
        system=_system(prompt, header, variant),
        temperature=next((each for each in temperatures if each is not None), 0.0),
        messages=_up_to_the_answer(prompt.messages),
    )


def turns_to_generate(prompt: Prompt) -> int:
    """The number of assistant turns of `prompt` that are not written, including the implicit last one."""
    return sum(message.content is None for message in _up_to_the_answer(prompt.messages))


def _up_to_the_answer(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """`messages`, with an assistant turn added where the last message has another role."""
    if not messages or messages[-1].role is Role.ASSISTANT:
        return messages
    end = messages[-1].span.end
    return (*messages, Message(Span(end, end), Role.ASSISTANT, None))


def _system(prompt: Prompt, header: Header, variant: Variant) -> str | None:
    if isinstance(variant.system, str):
        return variant.system
    if prompt.system is not ABSENT:
        return prompt.system
    if variant.system is None or len(header.systems) != 1:
        return None
    return header.systems[0]


def variants(header: Header) -> tuple[Variant, ...]:
    """All combinations of temperatures and system prompts, at least one."""
    temperatures: tuple[float | None, ...] = header.temperatures or (None,)
    several = len(header.systems) > 1
    systems: tuple[str | Absent | None, ...] = header.systems if several else (ABSENT,)
    pairs = [(each, place, system) for each in temperatures for place, system in enumerate(systems)]
    return tuple(
        Variant(
            number,
            temperature,
            system,
            ("" if temperature is None else f"[temp:{javascript_number(temperature)}]")
            + (f"[sp_idx:{place}]" if several else ""),
        )
        for number, (temperature, place, system) in enumerate(pairs)
    )


def with_turn_edited(thread: Sequence[ThreadTurn], place: int, content: str) -> tuple[ThreadTurn, ...]:
    """`thread` with the text of the turn at `place` replaced by the author's, and the turn marked as edited."""
    return (*thread[:place], replace(thread[place], content=content, edited=True, stop=None), *thread[place + 1 :])


def with_stops(thread: Sequence[ThreadTurn], stops: Sequence[Stop | None]) -> tuple[ThreadTurn, ...]:
    """`thread` with `stops`, why its generated turns ended, in their order; None for turns beyond `stops`."""
    left = iter(stops)
    return tuple(replace(turn, stop=next(left, None)) if turn.generated else turn for turn in thread)


def subject_text(thread: Sequence[ThreadTurn]) -> str:
    """The text that is judged: the generated turns joined by a blank line, else the written last assistant turn."""
    generated = [turn.content for turn in thread if turn.generated]
    if generated:
        return "\n\n".join(generated)
    return thread[-1].content if thread and thread[-1].role is Role.ASSISTANT else ""
