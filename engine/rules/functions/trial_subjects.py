"""The answers on which rules try a script, each in the conversation of its prompt as a run would fill it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import FunctionCall, Header, Message, Prompt, Role
from engine.conversation import Conversation, conversation, subject_text
from engine.functions.point_function import Subject
from engine.patterns import lazy
from engine.text import NOWHERE

ORDINARY_ANSWER = (
    "The capital of Kenya is Nairobi. It was founded in 1899 as a depot of the railway.\n\n"
    "1. It lies at 1,795 metres.\n2. It has 4.4 million inhabitants.\n\nFINAL ANSWER: B"
)
ANSWERS = (ORDINARY_ANSWER, "", "B", '{"answer": "B", "score": 1}')

_MODEL = "openai:gpt-4o-mini"
_SYSTEM = "You are a helpful assistant."
_CONVERSATION = lazy(r"\bcontext\b")
_DEFINITION = Prompt(
    index=0,
    span=NOWHERE,
    id="capital",
    id_span=NOWHERE,
    id_written=True,
    messages=(Message(NOWHERE, Role.USER, "What is the capital of Kenya?"),),
)
"""A prompt on which the script of a definition is tried."""


def subjects(prompt: Prompt = _DEFINITION) -> tuple[Subject, ...]:
    """The test answers to `prompt`, and its ideal. Earlier turns that a model writes hold such an answer, too."""
    answers = (*ANSWERS, prompt.ideal) if prompt.ideal else ANSWERS
    return tuple(_subjects(prompt, conversation(prompt, Header(NOWHERE)), answers))


def subjects_after_system(prompt: Prompt = _DEFINITION) -> tuple[Subject, ...]:
    """An ordinary answer after a system prompt, which the file may set outside of `prompt`: it shifts the messages."""
    return tuple(_subjects(prompt, conversation(prompt, Header(NOWHERE, systems=(_SYSTEM,))), (ORDINARY_ANSWER,)))


def depends_on_earlier_answers(prompt: Prompt, call: FunctionCall | None) -> bool:
    """Whether a script reads the conversation, and models write some of it: one answer alone decides nothing."""
    earlier = any(message.content is None for message in prompt.messages[:-1])
    return earlier and call is not None and call.name in ("js", "expr") and any(map(_CONVERSATION.search, call.texts()))


def _subjects(prompt: Prompt, talk: Conversation, answers: Sequence[str]) -> Iterator[Subject]:
    from engine.evaluation.point_assessment import subject_of

    for answer in answers:
        earlier = [answer or ORDINARY_ANSWER] * (talk.pending - 1)
        thread = talk.answered([*earlier, answer]) if talk.pending else talk.as_written()
        response = subject_text(thread) if talk.pending else answer
        yield subject_of(prompt, response, thread, _MODEL)
