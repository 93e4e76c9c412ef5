"""The view of the answer to one prompt: what is known of it, and the turns of the conversation around it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from engine.asking.run_plan import dollars_text
from engine.blueprint import ABSENT, Header, Message, Prompt, RenderAs, Role
from engine.blueprint.conversation import Conversation, StopReason, ThreadTurn, Variant, conversation
from engine.evaluation.events import Response, answer_marks
from engine.evaluation.sources import ModelSource, variant_words
from engine.functions.response_checks import words_in
from engine.models.prices import OwnPrices
from engine.text.record import Record, replace
from engine.text.spans import Span, count
from engine.yaml.nodes import javascript_number
from studio.session.run import Run
from studio.session.views.answer_cost import answer_cost
from studio.session.views.criterion_view import CriterionView, SelectedAnswer
from studio.session.views.result_view import progress_text


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
    ended, such as `cut off at the token limit`; "" if it is complete. `evidence` are the places that are lit in it.
    """

    role: Role
    text: str
    state: TurnState
    span: Span | None = None
    generated: int | None = None
    place: int | None = None
    origin: SystemFrom | None = None
    ended: str = ""
    evidence: tuple[Span, ...] = ()


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
    origin, messages = system_from(prompt, header, variant), deque(talk.messages)
    running_turn = (len(arrived) - 1 if arrived else len(prefilled)) if running else None
    if thread:
        turns = list(_as_it_went(talk, thread, origin, messages, complete=complete))
        return (*_no_system(talk, thread, origin), *turns, *(() if complete else _to_come(messages, turns)))
    opening = [ShownTurn(turn.role, turn.content, TurnState.WRITTEN, origin=origin) for turn in talk.opening()]
    return (
        *_no_system(talk, thread, origin),
        *opening,
        *_to_come(messages, opening, arrived or prefilled, running_turn),
    )


def _no_system(talk: Conversation, thread: Sequence[ThreadTurn], origin: SystemFrom) -> Iterator[ShownTurn]:
    """A turn that shows that the system prompt was left out on purpose."""
    left_out = origin in (SystemFrom.CLEARED, SystemFrom.NONE_IN_VARIANT)
    if left_out and talk.system is None and not (thread and thread[0].role is Role.SYSTEM):
        yield ShownTurn(Role.SYSTEM, "", TurnState.WRITTEN, origin=origin)


def _as_it_went(
    talk: Conversation, thread: Sequence[ThreadTurn], origin: SystemFrom, messages: deque[Message], *, complete: bool
) -> Iterator[ShownTurn]:
    """The turns of a thread. Those of `messages` that are in it are removed."""
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


def _to_come(
    messages: Iterable[Message], before: Sequence[ShownTurn], arrived: Sequence[str] = (), running: int | None = None
) -> Iterator[ShownTurn]:
    """The turns of `messages`, with the text that has arrived; the one with the number `running` is being generated."""
    number = sum(turn.generated is not None for turn in before)
    for message in messages:
        if message.content is not None:
            yield ShownTurn(message.role, message.content, TurnState.WRITTEN, message.span)
            continue
        has = number < len(arrived)
        state = TurnState.GENERATED if has else TurnState.TO_GENERATE
        state = TurnState.GENERATING if number == running else state
        yield ShownTurn(message.role, arrived[number] if has else "", state, message.span, number)
        number += 1


def _ended(turn: ThreadTurn) -> str:
    by_itself = turn.stop is None or turn.stop.reason in (StopReason.STOP, StopReason.SEQUENCE)
    return "" if by_itself or turn.stop is None else turn.stop.label


def _state(turn: ThreadTurn) -> TurnState:
    if turn.edited:
        return TurnState.EDITED
    return TurnState.GENERATED if turn.generated else TurnState.WRITTEN


def _message_of(turn: ThreadTurn, messages: deque[Message]) -> Message | None:
    """The message of `turn`. It and the messages before it are removed from `messages`."""
    for place, message in enumerate(messages):
        if _is_of(message, turn):
            for _ in range(place + 1):
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


class OwnAnswer(Record):
    """The author writes the answer to the prompt `place`; the field starts with `text`.

    `loaded` changes when `text` must replace the text in the field.
    """

    place: str
    text: str
    loaded: int


class AnswerView(Record):
    """The answer to one prompt and the conversation around it, or how to get one.

    While `key` stays, so does the place that is read. `title` names the answer, "" while there is none; `facts` are
    what is known of it, or the next step. `turns` are those of the conversation, with the evidence for `row`, the
    selected row of the result. `grows`: a model is answering. `can_step`: there are answers of others. `again` is the
    price of generating a turn again, "" where no turn can be. `is_of_all`: it is one of all answers; `can_grade`: there
    the author grades one criterion of it.
    """

    key: str
    facts: tuple[str, ...]
    title: str = ""
    turns: tuple[ShownTurn, ...] = ()
    render_as: RenderAs = RenderAs.PLAINTEXT
    row: object = None
    is_closest: bool = False
    is_edited: bool = False
    grows: bool = False
    can_step: bool = False
    again: str = ""
    is_of_all: bool = False
    can_grade: bool = False
    own: OwnAnswer | None = None

    @property
    def is_thread(self) -> bool:
        """Whether there is more to read than one message and the answer to it."""
        return len(self.turns) > 2


def unanswered(prompt: Prompt, variant: Variant, header: Header, answers: str) -> AnswerView:
    """The conversation that `variant` would be sent. `answers` names what F5 runs."""
    facts = (f"No answer yet. F5 runs this prompt with {answers}.",)
    return AnswerView(prompt.id, facts, turns=shown_turns(prompt, header, variant))


def answer_view(run: Run, render_as: RenderAs, header: Header, own: OwnPrices) -> AnswerView:
    """The conversation of `run` as far as it has come."""
    response = run.response
    grows = run.running and response is None
    arrived = run.arrived if response is None else (response.subject,)
    turns = shown_turns(
        run.prompt,
        header,
        run.candidate.variant,
        thread=() if response is None else response.thread,
        complete=response is None or response.complete,
        prefilled=run.prefilled,
        arrived=arrived,
        running=grows and isinstance(run.source, ModelSource),
    )
    facts = (progress_text(run) if grows else "Nothing was answered.",)
    view = AnswerView(f"run of {run.place.prompt}", facts, turns=turns, render_as=render_as, grows=grows)
    if not view.is_thread:
        view = replace(view, key=f"run {run.started}")
    return view if response is None else _answered(view, run, response, header, own)


def _answered(view: AnswerView, run: Run, response: Response, header: Header, own: OwnPrices) -> AnswerView:
    """`view` with what is known of the answer of `run`."""
    is_edited, talk = run.edited is not None, conversation(run.prompt, header, run.candidate.variant)
    if not isinstance(run.source, ModelSource):
        facts = described(response, restored=run.restored)
        return replace(view, title=run.label, facts=facts, is_edited=is_edited)
    if talk.answer is not None:
        return replace(view, title="the last message, as it is written", facts=described(response))
    dollars = answer_cost(run.source, response.usage, header, own)
    again = "price not known" if dollars is None else f"about {dollars_text(dollars)}" if dollars else "free"
    if is_edited:
        return replace(view, title=run.label, facts=described(response), is_edited=True, again=again)
    words = [each for each in variant_words(run.candidate.variant) if not each.startswith("temp ")]
    facts = described(response, temperature=talk.temperature, dollars=dollars, restored=run.restored)
    return replace(view, title=", ".join([run.source.label, *words]), facts=facts, again=again)


def known_answer_view(selected: SelectedAnswer, prompt: Prompt, header: Header, of: CriterionView) -> AnswerView:
    """An answer to `prompt` that a criterion is judged on. It is only read, and graded."""
    answer = selected.answer
    turns = shown_turns(prompt, header, Variant(), thread=answer.thread)
    return AnswerView(
        answer.key,
        tuple(filter(None, (count(words_in(answer.subject), "word"), selected.verdict))),
        answer.label,
        with_evidence([replace(turn, place=None) for turn in turns], selected.evidence),
        prompt.render_as,
        row=of.name,
        is_closest=selected.is_closest,
        is_of_all=True,
        can_grade=of.can_grade,
    )


def described(
    response: Response, *, temperature: float | None = None, dollars: float | None = None, restored: bool = False
) -> tuple[str, ...]:
    """`temp 0`, `212 words`, `1.8 s`, `$0.0043`, `cut off at the token limit`: what is known of an answer.

    `restored`: it was saved in an earlier session.
    """
    facts: list[str] = []
    if temperature is not None:
        ignored = " ignored" if response.ignores_temperature else ""
        facts.append(f"temp {javascript_number(temperature)}{ignored}")
    if response.token_limit is not None:
        facts.append(f"up to {response.token_limit:,} tokens")
    facts.append(count(words_in(response.subject), "word"))
    if response.seconds is not None and not restored:
        facts.append(f"{response.seconds:.1f} s")
    if dollars:
        facts.append(dollars_text(dollars))
    facts += answer_marks(response)
    return (*facts, "saved earlier") if restored else tuple(facts)


def with_evidence(turns: Sequence[ShownTurn], spans: Sequence[Span]) -> tuple[ShownTurn, ...]:
    """`turns` with the places in the text that is judged: the generated turns with a blank line between them, else the
    last turn."""
    has_generated = any(turn.generated is not None for turn in turns)
    found: list[ShownTurn] = []
    start = 0
    for number, turn in enumerate(turns):
        if turn.generated is not None if has_generated else number == len(turns) - 1:
            found.append(replace(turn, evidence=_within(spans, start, len(turn.text.rstrip("\n")))))
            start += len(turn.text) + len("\n\n")
        else:
            found.append(turn)
    return tuple(found)


def _within(spans: Sequence[Span], start: int, length: int) -> tuple[Span, ...]:
    """What of `spans` is in the text that begins at `start`, by its own offsets."""
    moved = (Span(max(span.start - start, 0), min(span.end - start, length)) for span in spans)
    return tuple(span for span in moved if span.start < span.end)
