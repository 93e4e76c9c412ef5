"""The answers on which rules try a script, each in the conversation of its prompt as a run would fill it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import FunctionCall, Header, Message, Prompt, Role
from engine.blueprint.conversation import Conversation, conversation, subject_text
from engine.functions.point_function import Subject
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment
from engine.text.patterns import lazy
from engine.text.spans import NOWHERE
from engine.text.text_limits import TRIED_CHARACTERS

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


def subjects(prompt: Prompt | None) -> tuple[Subject, ...]:
    """The test answers to `prompt`, and its ideal. Earlier turns that a model writes hold such an answer, too."""
    prompt = prompt or _DEFINITION
    answers = (*ANSWERS, prompt.ideal) if prompt.ideal else ANSWERS
    return tuple(_subjects(prompt, conversation(prompt, Header(NOWHERE)), answers))


def subjects_after_system(prompt: Prompt | None) -> tuple[Subject, ...]:
    """An ordinary answer after a system prompt, which the file may set outside of `prompt`: it shifts the messages."""
    prompt = prompt or _DEFINITION
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


_PASSES = 0.5


def failed_checks(view: PromptView, passes: float = _PASSES) -> Iterator[tuple[Assessment, str]]:
    """Each check that the prompt's ideal fails, with a remark if it is on a path; `passes` is the least extent."""
    prompt = view.prompt
    if (
        not prompt.ideal
        or view.javascript is None
        or not any(_applies_to_ideal(prompt, point.function) for point in prompt.points())
    ):
        return
    if len(prompt.ideal) * sum(point.function is not None for point in prompt.points()) > TRIED_CHARACTERS:
        return
    from engine.evaluation.point_assessment import assess_functions

    assessed = [
        one
        for one in assess_functions(prompt, prompt.ideal, view.javascript)
        if one.extent is not None and one.error is None and _applies_to_ideal(prompt, one.point.function)
    ]
    failed = [one for one in assessed if (one.extent or 0.0) < max(passes, _required_extent(one.point.function))]
    for one in failed:
        if one.placed.path_id is None:
            yield one, ""
    yield from _failed_paths(view, failed)


def _required_extent(call: FunctionCall | None) -> float:
    """The extent that the ideal should reach: all of it for a length, which has part marks up to twice the limit."""
    return 1.0 if call is not None and call.name == "word_count_between" else 0.0


def _applies_to_ideal(prompt: Prompt, call: FunctionCall | None) -> bool:
    """Whether the ideal should pass this check: not if it checks tool calls or earlier answers."""
    return call is not None and not call.name.startswith("tool_") and not depends_on_earlier_answers(prompt, call)


def _failed_paths(view: PromptView, failed: Sequence[Assessment]) -> Iterator[tuple[Assessment, str]]:
    """The first failed check of the first path, if every path of the block has a failed check."""
    for rubric in view.prompt.rubrics:
        ids = {rubric.path_id(path) for path in rubric.paths}
        of_block = [one for one in failed if one.placed.path_id in ids]
        if ids and view.prompt.ideal and {one.placed.path_id for one in of_block} == ids:
            yield of_block[0], f" (and it fails each of the {len(ids)} paths)" if len(ids) > 1 else ""
