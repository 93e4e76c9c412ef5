"""The answers on which checks are tried: an ideal, if it is an answer, and test answers, each in its conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.blueprint import FunctionCall, Header, Message, Prompt, Role
from engine.blueprint.conversation import conversation, subject_text
from engine.functions.point_function import Subject
from engine.rules.rule import PromptView
from engine.scoring.assessment import Assessment
from engine.text.patterns import lazy
from engine.text.spans import NOWHERE
from engine.text.text_limits import TRIED_CHARACTERS

# The answers on which rules try a script, each in the conversation of its prompt as a run would fill it.


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


def subjects(prompt: Prompt | None, *, after_system: bool = False) -> Iterator[Subject]:
    """The test answers to `prompt`, and its ideal. Earlier turns that a model writes hold such an answer, too.

    `after_system`: only an ordinary answer, after a system prompt, which the file may set outside of `prompt`: it
    shifts the messages.
    """
    from engine.evaluation.point_assessment import subject_of

    prompt = prompt or _DEFINITION
    talk = conversation(prompt, Header(NOWHERE, systems=(_SYSTEM,) if after_system else ()))
    answers = (*ANSWERS, prompt.ideal) if prompt.ideal else ANSWERS
    for answer in (ORDINARY_ANSWER,) if after_system else answers:
        earlier = [answer or ORDINARY_ANSWER] * (talk.pending - 1)
        thread = talk.answered([*earlier, answer]) if talk.pending else talk.as_written()
        response = subject_text(thread) if talk.pending else answer
        yield subject_of(prompt, response, thread, _MODEL)


def depends_on_earlier_answers(prompt: Prompt, call: FunctionCall | None) -> bool:
    """Whether a script reads the conversation, and models write some of it: one answer alone decides nothing."""
    earlier = any(message.content is None for message in prompt.messages[:-1])
    return earlier and call is not None and call.name in ("js", "expr") and any(map(_CONVERSATION.search, call.texts()))


def failed_checks(view: PromptView, passes: float = 0.5) -> Iterator[tuple[Assessment, str]]:
    """Each check that the prompt's ideal fails, with a remark if it is on a path; `passes` is the least extent.

    All of a length is needed, which has part marks up to twice the limit.
    """
    prompt, ideal, calls = view.prompt, view.prompt.ideal, [point.function for point in view.checks]
    if not ideal or view.javascript is None or not any(_applies_to_ideal(prompt, call) for call in calls):
        return
    if len(ideal) * len(calls) > TRIED_CHARACTERS:
        return
    from engine.evaluation.point_assessment import assess_functions

    failed: list[Assessment] = []
    for one in assess_functions(prompt, ideal, view.javascript):
        call = one.point.function
        least = 1.0 if call is not None and call.name == "word_count_between" else passes
        if one.extent is not None and one.error is None and one.extent < least and _applies_to_ideal(prompt, call):
            failed.append(one)
    yield from ((one, "") for one in failed if one.placed.path_id is None)
    yield from _failed_paths(view, failed)


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


# Whether an ideal describes an answer, as in "A JSON object with two keys", instead of being one.


_FORMS = """
    response responses answer answers reply replies output object array dictionary block list table summary summaries
    explanation text paragraph paragraphs sentence sentences translation code function script program description json
    xml yaml csv html essay poem haiku story email e-mail letter refusal message statement score number word option
    label plan outline recipe greeting apology analysis argument comparison breakdown walkthrough overview set series
    sequence string snippet"""
"""Nouns for what an answer is."""
_PHRASE = lazy(
    rf"""\W*
    (?: (?:an?|any|some|the|one|\d+)\s+(?:[\w'-]+,?\s+){{0,4}}? | (?:valid|short|brief|clear|polite|correct)\s+ )?
    (?:{"|".join(sorted(_FORMS.split()))})\b (?:\s+(?:object|block|list|of\s+text))?
    (?:\s+(?:of|about|on|for|from|in)\s+[^.,:;]{{1,60}},)?
    \s*(?:\([^)]*\)\s*)? (?:within\s+\S+\s+tags,?\s+)?
    (?: (?P<relative>that|which|in\s+which|where)
      | with|without|containing|including|describing|listing|explaining|showing|giving|stating|adhering|matching
      | following|covering|comparing|summari[sz]ing|naming|using|written|formatted|only
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""A noun phrase for a form of answer, with what it has: "A JSON object containing the translation"."""
_INSTRUCTION = lazy(
    r"""\W*(?:(?:the|an?|any)\s+)?(?:(?:ideal|good|correct|perfect|best|expected|model|strong)\s+){0,2}
    (?:response|answer|model|assistant|ai|reply|output|llm|chatbot)\s+
    (?:should|must|would|will|shall|needs?\s+to|ought\s+to|is\s+expected\s+to|has\s+to|refuses|explains|provides|includes
      |contains|mentions|acknowledges|describes|declines|gives|lists|names|states)\b
    |\W*(?:should|must)\s+(?:be|not|include|mention|explain|provide|give|state|contain|refuse|name|list)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an answer should do: "The ideal response would …", "Should mention …"."""
_VERB = lazy(
    r"""\W*(?:politely\s+|clearly\s+|briefly\s+|correctly\s+)?(?:explains|acknowledges|declines|refuses|mentions|identifies
    |describes|lists|provides|states|recommends|suggests|outlines|clarifies|emphasi[sz]es|highlights|summari[sz]es)\s+
    (?:that|to|the|how|why|what|an?|both|each|all|any)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an answer does, without a subject: "Explains that …"."""
_MAIN_VERB = lazy(
    r"\b(?:is|are|was|were|has|have|can|cannot|will|does|do|did|shows?|means?|refers?|describes?|depends?)\b",
    re.IGNORECASE,
)
_COLON_AND_MORE = lazy(r":\s*\S")


@lru_cache(maxsize=4096)
def describes_answer(ideal: str) -> bool:
    """Whether `ideal` says what an answer looks like, in English. A definition ("A list is …") is an answer."""
    text = ideal.strip()
    sentence = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    if _INSTRUCTION.match(sentence) or _VERB.match(sentence):
        return True
    found = _PHRASE.match(sentence)
    if found is None or _COLON_AND_MORE.search(text):
        return False
    return found["relative"] is not None or not _MAIN_VERB.search(sentence)
