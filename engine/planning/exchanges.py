"""The answers of a run before they are there: what models are sent for them, and what judges will be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from engine.blueprint import Header, Prompt
from engine.conversation import Conversation, ThreadTurn, Variant, conversation, subject_text
from engine.evaluation.controls import control_answer
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import (
    AnswerSource,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    StoredSource,
    WrittenSource,
)
from engine.planning.amounts import NOTHING, Amount, together
from engine.planning.cached_results import Recollection
from engine.planning.token_counts import tokens_in, tokens_in_message
from engine.providers.chat import USUAL_MAX_TOKENS, Knob
from engine.providers.provider_registry import definition_of
from engine.scoring.assessment import Criterion
from engine.scoring.placement import place
from engine.yaml_nodes.nodes import Data

USUAL_ANSWER = 400
"""Tokens, where no ideal tells how long an answer should be."""
NO_LIMIT = 32_768
"""Tokens of an answer whose limit the blueprint takes away: few models write more at once."""

_AS_WRITTEN = Variant()
_LENGTHS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", Knob.MAX_TOKENS.value)


@dataclass(frozen=True, slots=True)
class Job:
    """One answer that is wanted.

    `prefilled` are generated turns that stand already: nobody is asked for those. `thread` is the whole of it
    where it is there and only to be judged. `fresh` asks the model again, whatever is cached. Judges are not asked
    about the places of `Prompt.points()` in `settled`, nor about what the author graded: `grades`, which may block,
    tells that of a text.
    """

    prompt: Prompt
    source: AnswerSource
    variant: Variant = _AS_WRITTEN
    prefilled: tuple[str, ...] = ()
    thread: tuple[ThreadTurn, ...] | None = None
    fresh: bool = False
    settled: frozenset[int] = frozenset()
    grades: Callable[[str], Grades] | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One answer as a run will have it.

    `requests` go to the model, one after the other, with so many `sent` and `received` tokens; `found` counts the turns
    that are cached, for which it is not asked. `turns` and `shown` are the number and the tokens of the turns that
    judges are shown, `thread` those turns where all of them are known. `is_there`: there will be something to judge;
    `settled` are the places of what they are not asked about.
    """

    requests: int = 0
    sent: Amount = NOTHING
    received: Amount = NOTHING
    turns: int = 0
    shown: Amount = NOTHING
    is_there: bool = True
    found: int = 0
    thread: tuple[ThreadTurn, ...] | None = None
    settled: frozenset[int] = frozenset()


NO_ANSWER = Exchange(is_there=False)


def exchange(job: Job, header: Header, recollection: Recollection | None = None) -> Exchange:
    """What answering one prompt takes; `recollection` is what its plan knows of answers. May block."""
    recollection = recollection or Recollection()
    answer = _answer(job, conversation(job.prompt, header, job.variant), header, recollection)
    settled = answer.settled | job.settled
    if answer.thread is not None and job.grades is not None:
        settled |= graded_places(job.prompt, job.grades(subject_text(answer.thread)))
    return replace(answer, settled=settled)


def graded_places(prompt: Prompt, grades: Grades) -> frozenset[int]:
    """The places in `Prompt.points()` of the criteria that the author graded."""
    return frozenset(
        index
        for index, placed in enumerate(place(prompt))
        if (text := placed.point.text) is not None and Criterion(placed.rubric.block, text) in grades
    )


def _answer(job: Job, talk: Conversation, header: Header, recollection: Recollection) -> Exchange:
    if job.thread is not None:
        return _standing(job.thread)
    match job.source:
        case IdealSource():
            return NO_ANSWER if job.prompt.ideal is None else _given(talk, job.prompt.ideal)
        case WrittenSource(text):
            return _given(talk, text) if text.strip() else NO_ANSWER
        case ControlSource(kind):
            return _given(talk, control_answer(kind, job.prompt))
        case ModelSource(model, max_tokens=most):
            longest = longest_answer(model, header.models, most or USUAL_MAX_TOKENS)
            return _asked(talk, job.source, job, longest, None if job.fresh else recollection)
        case FixtureSource():
            if job.prefilled:
                return _given(talk, *job.prefilled)
            saved = recollection.saved(job.prompt, talk, job.source, job.variant)
            return NO_ANSWER if saved is None else _standing(saved)
        case StoredSource():
            from engine.evaluation.published_answer import preview_answer  # here, as only published answers need it

            published = preview_answer(job.prompt, header, talk, job.source)
            return NO_ANSWER if published is None else replace(_standing(published[0].thread), settled=published[1])


def usual_answer(prompt: Prompt) -> float:
    """How many tokens an answer to a prompt usually has: as many as its ideal, where there is one."""
    return USUAL_ANSWER if prompt.ideal is None else max(1.0, tokens_in(prompt.ideal).usual)


def longest_answer(model: str, custom: Iterable[Data], usual: int = USUAL_MAX_TOKENS) -> int:
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
    return _standing(talk.answered(answers))


def _standing(thread: tuple[ThreadTurn, ...]) -> Exchange:
    return Exchange(turns=len(thread), shown=together(tokens_in(turn.content) for turn in thread), thread=thread)


def _unknown(longest: int, usual: float) -> Amount:
    return Amount(0, min(usual, longest), longest)


def _asked(
    talk: Conversation, source: ModelSource, job: Job, longest: int, recollection: Recollection | None
) -> Exchange:
    if not talk.messages and talk.system is None:
        return NO_ANSWER
    if talk.answer is not None:
        return _standing(talk.as_written())
    one = _unknown(longest, usual_answer(job.prompt))
    before = tokens_in_message(talk.system) if talk.system is not None else NOTHING
    shown = tokens_in(talk.system) if talk.system is not None else NOTHING
    sent = received = NOTHING
    requests = generated = found = 0
    thread = [*talk.opening()]
    for message in talk.messages:
        text = message.content
        is_known = requests == 0
        if text is None and generated < len(job.prefilled):
            text = job.prefilled[generated]
        elif text is None and is_known and recollection is not None:
            text = recollection.reply(source, thread, talk.temperature)
            found += text is not None
        generated += message.content is None
        if text is None:
            requests += 1
            sent += before
            received += one
            before += one + tokens_in_message("")
            shown += one
        else:
            before += tokens_in_message(text)
            shown += tokens_in(text)
            thread.append(ThreadTurn(message.role, text, generated=message.content is None, written=message))
    return Exchange(
        requests,
        sent,
        received,
        len(talk.messages) + (talk.system is not None),
        shown,
        found=found,
        thread=None if requests else tuple(thread),
    )
