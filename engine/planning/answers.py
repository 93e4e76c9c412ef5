"""The answers of a run before they are there: what models are sent for them, and what judges will be shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.blueprint import Header, Prompt
from engine.conversation import Conversation, Variant, conversation
from engine.evaluation.controls import control_answer
from engine.evaluation.sources import (
    AnswerSource,
    ControlSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.planning.amounts import NOTHING, Amount, together
from engine.planning.texts import tokens_in, tokens_in_message
from engine.providers.chat import ChatRequest, Knob
from engine.providers.registry import definition_of
from engine.yaml_nodes.nodes import Data

USUAL_ANSWER = 400
"""Tokens, where no ideal tells how long an answer should be."""
NO_LIMIT = 32_768
"""Tokens of an answer whose limit the blueprint takes away: few models write more at once."""

_AS_WRITTEN = Variant()
_ASKED_FOR = ChatRequest("", ()).max_tokens
_LENGTHS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", Knob.MAX_TOKENS.value)


@dataclass(frozen=True, slots=True)
class Job:
    """One answer that is wanted. `kept` are its generated turns where they stand already: nobody is asked for those."""

    prompt: Prompt
    source: AnswerSource
    variant: Variant = _AS_WRITTEN
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One answer as a run will have it.

    `requests` go to the model, one after the other, with so many `sent` and `received` tokens. `turns` and `shown` are
    the number and the tokens of the turns that judges are shown. `is_there`: there will be something to judge.
    """

    requests: int = 0
    sent: Amount = NOTHING
    received: Amount = NOTHING
    turns: int = 0
    shown: Amount = NOTHING
    is_there: bool = True


NO_ANSWER = Exchange(is_there=False)


def exchange(job: Job, header: Header) -> Exchange:
    """What answering one prompt takes."""
    talk = conversation(job.prompt, header, job.variant)
    match job.source:
        case IdealSource():
            return NO_ANSWER if job.prompt.ideal is None else _given(talk, job.prompt.ideal)
        case WrittenSource(text):
            return _given(talk, text) if text.strip() else NO_ANSWER
        case ControlSource(kind):
            return _given(talk, control_answer(kind, job.prompt))
        case ModelSource(model):
            return _asked(talk, job, longest_answer(model, header.models))
        case _:  # it stands in a file, which only the run reads
            return _given(talk, *job.kept) if job.kept else _saved(talk, usual_answer(job.prompt))


def usual_answer(prompt: Prompt) -> float:
    """How many tokens an answer to a prompt usually has: as many as its ideal, where there is one."""
    return USUAL_ANSWER if prompt.ideal is None else max(1.0, tokens_in(prompt.ideal).usual)


def longest_answer(model: str, custom: Iterable[Data], usual: int = _ASKED_FOR) -> int:
    """How many tokens an answer of a model may have: as the blueprint defines it, else as is asked for: `usual`."""
    definition = definition_of(model, custom)
    parameters = None if definition is None else definition.get("parameters")
    if definition is None or not isinstance(parameters, Mapping):
        return usual
    mapping = definition.get("parameterMapping")
    renamed = mapping.get(Knob.MAX_TOKENS.value) if isinstance(mapping, Mapping) else None
    written = [parameters[name] for name in (*_LENGTHS, renamed) if isinstance(name, str) and name in parameters]
    longest = max((_limit(value, usual) for value in written), default=usual)
    budget = parameters.get(Knob.THINKING_BUDGET.value)
    return longest + (budget if isinstance(budget, int) and budget > 0 else 0)


def _limit(value: Data, usual: int) -> int:
    if value is None:
        return NO_LIMIT
    return int(value) if isinstance(value, int | float) and 0 < value < NO_LIMIT * 100 else usual


def _given(talk: Conversation, *answers: str) -> Exchange:
    thread = talk.answered(answers)
    return Exchange(turns=len(thread), shown=together(tokens_in(turn.content) for turn in thread))


def _saved(talk: Conversation, usual: float) -> Exchange:
    """Saved answers are in a file that is read only by the run."""
    thread = talk.answered([""] * max(1, talk.pending))
    one = _unknown(_ASKED_FOR, usual)
    return Exchange(
        turns=len(thread),
        shown=together(one if turn.generated else tokens_in(turn.content) for turn in thread),
    )


def _unknown(longest: int, usual: float) -> Amount:
    return Amount(0, min(usual, longest), longest)


def _asked(talk: Conversation, job: Job, longest: int) -> Exchange:
    if not talk.messages and talk.system is None:
        return NO_ANSWER
    if talk.answer is not None:
        thread = talk.as_written()
        return Exchange(turns=len(thread), shown=together(tokens_in(turn.content) for turn in thread))
    one = _unknown(longest, usual_answer(job.prompt))
    before = tokens_in_message(talk.system) if talk.system is not None else NOTHING
    shown = tokens_in(talk.system) if talk.system is not None else NOTHING
    sent = received = NOTHING
    requests = generated = 0
    for message in talk.messages:
        if message.content is not None:
            before += tokens_in_message(message.content)
            shown += tokens_in(message.content)
            continue
        if generated < len(job.kept):
            before += tokens_in_message(job.kept[generated])
            shown += tokens_in(job.kept[generated])
        else:
            requests += 1
            sent += before
            received += one
            before += one + tokens_in_message("")
            shown += one
        generated += 1
    return Exchange(requests, sent, received, len(talk.messages) + (talk.system is not None), shown)
