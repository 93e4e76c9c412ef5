"""The views of an answer: the response of a prompt, and its conversation turn by turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import ABSENT, Header, Message, Prompt, RenderAs, Role
from engine.blueprint.conversation import Conversation, StopReason, ThreadTurn, Variant, conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource, variant_words
from engine.models.prices import OwnPrices
from engine.text.record import Record
from engine.text.spans import Span
from studio.session.run import Run
from studio.session.views.answer_cost import answer_cost
from studio.session.views.result_view import progress_text

if TYPE_CHECKING:
    from engine.store import PromptPlace


class TurnState(Enum):
    """The state of a turn, in the words of the screen."""

    WRITTEN = "written"
    GENERATED = "generated"
    EDITED = "edited by you"
    TO_GENERATE = "to be generated"
    GENERATING = "being generated …"
    STOPPED = "stopped before its end"


class SystemFrom(Enum):
    """Where the system prompt comes from, or why there is none, in the words of the screen."""

    HEADER = "from the header"
    PROMPT = "from this prompt"
    VARIANT = "from this variant"
    CLEARED = "none: this prompt clears it with system: null"
    NONE_IN_VARIANT = "none in this variant"
    NONE = "none"


class ShownTurn(Record):
    """One turn. `span` is its place in the blueprint, `generated` its number among the generated turns, from 0.

    `place` is its index in the thread of a response; None if it is not there yet. `ended` says how a generated turn
    ended, such as `cut off at the token limit`; "" if it is complete.
    """

    role: Role
    text: str
    state: TurnState
    span: Span | None = None
    generated: int | None = None
    place: int | None = None
    origin: SystemFrom | None = None
    ended: str = ""


def system_from(prompt: Prompt, header: Header, variant: Variant) -> SystemFrom:
    """Where the system prompt of `conversation` comes from."""
    if isinstance(variant.system, str):
        return SystemFrom.VARIANT
    if prompt.system is not ABSENT:
        cleared = any(isinstance(system, str) for system in header.systems)
        if isinstance(prompt.system, str):
            return SystemFrom.PROMPT
        return SystemFrom.CLEARED if cleared else SystemFrom.NONE
    if variant.system is None:
        return SystemFrom.NONE_IN_VARIANT
    return SystemFrom.HEADER if len(header.systems) == 1 and header.systems[0] is not None else SystemFrom.NONE


def shown_turns(
    prompt: Prompt,
    header: Header,
    variant: Variant,
    *,
    thread: Sequence[ThreadTurn] = (),
    complete: bool = True,
    prefilled: Sequence[str] = (),
    arrived: Sequence[str] = (),
    running: bool = False,
) -> tuple[ShownTurn, ...]:
    """The conversation of `prompt`.

    With a `thread`, these are its turns, and the remaining messages if it is not `complete`. Without one, they are the
    messages, with the generated turns that are `prefilled` or have `arrived`.
    """
    talk = conversation(prompt, header, variant)
    origin = system_from(prompt, header, variant)
    if thread:
        turns = _as_it_went(talk, thread, origin, complete=complete)
    else:
        running_turn = (len(arrived) - 1 if arrived else len(prefilled)) if running else None
        turns = _as_written(talk, arrived or prefilled, origin, running_turn)
    return (*_no_system(talk, thread, origin), *turns)


def _no_system(talk: Conversation, thread: Sequence[ThreadTurn], origin: SystemFrom) -> Iterator[ShownTurn]:
    """A turn that shows that the system prompt was left out on purpose."""
    left_out = origin in (SystemFrom.CLEARED, SystemFrom.NONE_IN_VARIANT)
    if left_out and talk.system is None and not (thread and thread[0].role is Role.SYSTEM):
        yield ShownTurn(Role.SYSTEM, "", TurnState.WRITTEN, origin=origin)


def _as_written(
    talk: Conversation, arrived: Sequence[str], origin: SystemFrom, running_turn: int | None
) -> Iterator[ShownTurn]:
    """The turns of the messages, with the text that has arrived; turn number `running_turn` is being generated."""
    for turn in talk.opening():
        yield ShownTurn(turn.role, turn.content, TurnState.WRITTEN, origin=origin)
    number = 0
    for message in talk.messages:
        if message.content is not None:
            yield ShownTurn(message.role, message.content, TurnState.WRITTEN, message.span)
            continue
        has = number < len(arrived)
        state = TurnState.GENERATED if has else TurnState.TO_GENERATE
        state = TurnState.GENERATING if number == running_turn else state
        yield ShownTurn(message.role, arrived[number] if has else "", state, message.span, number)
        number += 1


def _as_it_went(
    talk: Conversation, thread: Sequence[ThreadTurn], origin: SystemFrom, *, complete: bool
) -> Iterator[ShownTurn]:
    messages = deque(talk.messages)
    number = 0
    last = max((place for place, turn in enumerate(thread) if turn.generated), default=None)
    for place, turn in enumerate(thread):
        if place == 0 and turn.role is Role.SYSTEM and turn.written is None and turn.content == talk.system:
            yield ShownTurn(turn.role, turn.content, TurnState.WRITTEN, place=place, origin=origin)
            continue
        written = _message_of(turn, messages)
        span = None if written is None else written.span
        is_stopped = place == last and turn.stop is None and not (complete or turn.edited)
        state = TurnState.STOPPED if is_stopped else _state(turn)
        place_among = number if turn.generated else None
        yield ShownTurn(turn.role, turn.content, state, span, place_among, place, ended=_ended(turn))
        number += turn.generated
    for message in () if complete else messages:
        is_written = message.content is not None
        state = TurnState.WRITTEN if is_written else TurnState.TO_GENERATE
        yield ShownTurn(message.role, message.content or "", state, message.span, None if is_written else number)
        number += not is_written


def _ended(turn: ThreadTurn) -> str:
    by_itself = turn.stop is None or turn.stop.reason in (StopReason.STOP, StopReason.SEQUENCE)
    return "" if by_itself or turn.stop is None else turn.stop.label


def _state(turn: ThreadTurn) -> TurnState:
    if turn.edited:
        return TurnState.EDITED
    return TurnState.GENERATED if turn.generated else TurnState.WRITTEN


def _message_of(turn: ThreadTurn, messages: deque[Message]) -> Message | None:
    """The message of `turn`. It and the messages before it are removed from `messages`."""
    for count, message in enumerate(messages, 1):
        if _is_of(message, turn):
            for _ in range(count):
                messages.popleft()
            return message
    return turn.written


def _is_of(message: Message, turn: ThreadTurn) -> bool:
    """Whether `turn` is that of `message`. A saved turn is compared by its role and content."""
    if turn.written is not None:
        return message == turn.written
    if turn.generated:
        return message.role is Role.ASSISTANT
    return message.role is turn.role and message.content == turn.content


class ConversationView(Record):
    """The conversation of the prompt `id`. `grows`: a model is answering."""

    id: str
    turns: tuple[ShownTurn, ...]
    render_as: RenderAs
    grows: bool = False


def conversation_view(prompt: Prompt, run: Run | None, variant: Variant, header: Header) -> ConversationView:
    """The conversation of `run`, a run of `prompt`; without a run, the one that `variant` would be sent."""
    if run is None:
        return ConversationView(prompt.id, shown_turns(prompt, header, variant), prompt.render_as)
    response = run.response
    grows = run.running and response is None
    turns = shown_turns(
        run.prompt,
        header,
        run.candidate.variant,
        thread=() if response is None else response.thread,
        complete=response is None or response.complete,
        prefilled=run.prefilled,
        arrived=run.arrived,
        running=grows and isinstance(run.source, ModelSource),
    )
    return ConversationView(prompt.id, turns, prompt.render_as, grows)


class About(Record):
    """The head of an answer: its source, the temperature, the cost in dollars, and whether it was saved or edited."""

    label: str
    temperature: float | None = None
    dollars: float | None = None
    restored: bool = False
    edited: bool = False


class Evidence(Record):
    """Places in an answer. `is_closest`: the sentence closest to a criterion, which is not evidence."""

    spans: tuple[Span, ...] = ()
    is_closest: bool = False


class NoResponse(Record):
    """A prompt has no answer; `teaching` says how to get one."""

    teaching: str


class WrittenResponse(Record):
    """The author writes an answer to the prompt of `place`; the field starts with `text`.

    `loaded` changes when `text` must replace the text in the field.
    """

    place: PromptPlace
    text: str
    loaded: int


class GrowingResponse(Record):
    """The part of an answer that has arrived. `started` identifies the run; `label` says what it is doing."""

    started: int
    label: str
    text: str
    render_as: RenderAs


class ShownResponse(Record):
    """A complete or stopped answer, with the evidence of the selected row of its result."""

    response: Response
    about: About
    render_as: RenderAs
    evidence: Evidence = Evidence()


ResponseView: TypeAlias = NoResponse | WrittenResponse | GrowingResponse | ShownResponse


def response_view(
    prompt: Prompt, run: Run | None, answers: str, evidence: Evidence, header: Header, own: OwnPrices
) -> ResponseView:
    """The answer of `run`, a run of `prompt`, unless the author writes it. `answers` names what F5 runs."""
    if run is None:
        return NoResponse(f"No answer yet. F5 runs this prompt with {answers}.")
    if run.response is not None:
        return ShownResponse(run.response, about_answer(run, header, own), prompt.render_as, evidence)
    if run.running:
        return GrowingResponse(run.started, progress_text(run), text_so_far(run), run.prompt.render_as)
    return NoResponse("Nothing was answered.")


def text_so_far(run: Run) -> str:
    """The generated text that has arrived so far."""
    return "\n\n".join(filter(None, run.arrived or run.prefilled))


def about_answer(run: Run, header: Header, own: OwnPrices) -> About:
    """The head of the answer of `run`: for a model its id, temperature, and cost if known."""
    if not isinstance(run.source, ModelSource) or run.edited is not None:
        return About(run.label, restored=run.restored, edited=run.edited is not None)
    talk = conversation(run.prompt, header, run.candidate.variant)
    if talk.answer is not None:
        return About("the last message, as it is written")
    words = [each for each in variant_words(run.candidate.variant) if not each.startswith("temp ")]
    return About(
        ", ".join([run.source.model, *words]),
        temperature=talk.temperature,
        dollars=None if run.response is None else answer_cost(run.source, run.response.usage, header, own),
        restored=run.restored,
    )
