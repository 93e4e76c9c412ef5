"""The judge prompt: the conversation, one criterion, and the scale in force (000, step 4; 002, judges).

All approaches show the whole conversation, with each turn marked as written or generated, and one criterion. `standard`
judges go by the criterion alone, `prompt-aware` judges by its meaning for the user's request, and `holistic` judges
also see the description of the blueprint and all text criteria.

A point of `should_not` is judged like any other, by how far the answer shows what it names; its verdict is inverted
afterwards (002). Texts of authors and models are enclosed in marks with a sign that is derived from the texts and does
not occur in them, so that an answer cannot end its own turn and address the judge. The marks are the same for all
criteria of one answer, and the criterion comes last: providers that cache the beginning of a prompt read it once.

A verdict is carried over where what its judge saw has changed since (`changed_parts`). Only that counts: `standard` and
`prompt-aware` judges see neither the other criteria nor the description.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import ThreadTurn
from engine.judging.panel import ALL_SCALES, Approach, PanelJudge, Scale
from engine.judging.verdict import NoVerdict, Reading, Reason
from engine.models.chat import ChatRequest, Turn
from engine.scoring.assessment import ChangedPart
from engine.text.record import Record, data_digest, replace, short_data_digest, text_digest

TEMPERATURE = 0.0
MAX_TOKENS = 500
SECONDS = 45.0
"""The time limit of one request to a judge, from when it is sent."""
MAX_TOKENS_AGAIN = 1500
"""The token limit of the second request to a judge that ran out of tokens, mostly by thinking."""

_CACHED_ANSWERS = 16
"""The number of answers whose conversation text is cached: all criteria of an answer share it."""

PROMPTS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))
_TEXTS = PROMPTS["judge"]


class Question(Record):
    """One criterion for a judge, with its context.

    `criteria` are the criteria of all text points of the prompt, both blocks, in the order of `Prompt.points()`;
    `description` is the blueprint's. Only `holistic` judges see both.
    """

    criterion: str
    thread: tuple[ThreadTurn, ...]
    criteria: tuple[str, ...] = ()
    description: str | None = None


def questions(prompt: Prompt, thread: Sequence[ThreadTurn], description: str | None = None) -> dict[int, Question]:
    """One question for each text point, by its place in `Prompt.points()`."""
    points = prompt.points()
    criteria = tuple(point.text for point in points if point.text is not None)
    return {
        index: Question(point.text, tuple(thread), criteria, description)
        for index, point in enumerate(points)
        if point.text is not None
    }


def first_request(question: Question, approach: Approach, scale: Scale, model: str) -> ChatRequest:
    """The first request to a judge; `model` is its name at the provider. Temperature 0, 500 tokens, 45 seconds."""
    others = question.criteria if question.criterion in question.criteria else (*question.criteria, question.criterion)
    sign = _sign(question.thread, others, question.description or "")
    system = Turn(Role.SYSTEM, _TEXTS["system"].format(sign=sign))
    user = Turn(Role.USER, "\n\n".join(_parts(question, approach, scale, sign)))
    return ChatRequest(model, (system, user), TEMPERATURE, MAX_TOKENS, seconds=SECONDS)


def is_by(request: ChatRequest, scale: Scale) -> bool:
    """Whether a request to a judge asks for a class of `scale`, or of none that is known."""
    shown = [each for each in ALL_SCALES if any(_scale(each) in turn.content for turn in request.turns)]
    return not shown or scale in shown


def next_request(request: ChatRequest, reply: str, reading: Reading) -> ChatRequest:
    """The second request to a judge, after its `reply` to `request` had no clear verdict.

    After a reply in another form, or with several classes, the judge sees it again with a reminder of the form. After a
    reply cut off or empty, it gets more tokens. In other cases the same request is sent again.
    """
    reason = reading.reason if isinstance(reading, NoVerdict) else Reason.OFF_FORM
    if reason in (Reason.CUT_OFF, Reason.EMPTY):
        request = replace(request, max_tokens=MAX_TOKENS_AGAIN)
    if reason not in (Reason.OFF_FORM, Reason.SEVERAL_CLASSES, Reason.CUT_OFF) or not reply.strip():
        return request
    reminder = Turn(Role.USER, _TEXTS["reminder"].format(form=_TEXTS["form"]))
    return replace(request, turns=(*request.turns, Turn(Role.ASSISTANT, reply), reminder))


def _parts(question: Question, approach: Approach, scale: Scale, sign: str) -> Iterator[str]:
    yield _conversation(question.thread, sign)
    if approach is Approach.HOLISTIC:
        yield from _context(question, sign)
    yield _scale(scale)
    yield _examples(scale)
    yield block("criterion", sign, question.criterion)
    yield _guidance(question, approach)
    yield _TEXTS["form"]


def _guidance(question: Question, approach: Approach) -> str:
    described = "what the whole evaluation is about, and " if _has_description(question) else ""
    context = f"Above you also find {described}all criteria that are graded one by one."
    return _TEXTS[approach.value].format(context=context)


def _has_description(question: Question) -> bool:
    return bool(question.description and question.description.strip())


def _context(question: Question, sign: str) -> Iterator[str]:
    if question.description and _has_description(question):
        yield block("evaluation", sign, question.description.strip())
    yield block("criteria", sign, "\n".join(f"- {each}" for each in question.criteria))


@lru_cache(maxsize=_CACHED_ANSWERS)
def _conversation(thread: tuple[ThreadTurn, ...], sign: str) -> str:
    graded = _graded(thread)
    turns = [
        block(
            "turn",
            sign,
            turn.content,
            f' number="{number}" speaker="{turn.role}" origin="{"generated" if turn.generated else "written"}"'
            f' graded="{"yes" if number - 1 in graded else "no"}"',
        )
        for number, turn in enumerate(thread, 1)
    ]
    return block("conversation", sign, "\n".join(turns))


def _graded(thread: Sequence[ThreadTurn]) -> set[int]:
    """The places of the turns that are judged: the generated ones, else the written last answer (platform.md, A23)."""
    generated = {place for place, turn in enumerate(thread) if turn.generated}
    if generated or not thread or thread[-1].role is not Role.ASSISTANT:
        return generated
    return {len(thread) - 1}


@cache
def _scale(scale: Scale) -> str:
    steps = "\n".join(f"{step.name}: {step.meaning}" for step in scale.steps)
    return f"The scale, from least to most:\n{steps}"


@cache
def _examples(scale: Scale) -> str:
    shown = [
        f"Criterion: {each.criterion}\nAnswer: {each.answer}\n"
        f"<reflection>{each.reflection}</reflection>\n<classification>{each.name}</classification>"
        for each in scale.examples
    ]
    return "Examples from other conversations, to show how the scale is used:\n\n" + "\n\n".join(shown)


def block(name: str, sign: str, content: str, attributes: str = "") -> str:
    """`content` between marks with `sign`, so that nothing in it can end the block."""
    return f"<{name}-{sign}{attributes}>\n{content}\n</{name}-{sign}>"


@lru_cache(maxsize=_CACHED_ANSWERS)
def _sign(thread: tuple[ThreadTurn, ...], criteria: tuple[str, ...], description: str) -> str:
    """Eight hex digits that do not occur in any text of the prompt, the same for every criterion of one answer.

    They are derived from the conversation alone: after an edit of one criterion, the requests about the others stay
    the same, and their cached verdicts are found.
    """
    turns = [turn.content for turn in thread]
    return unused_sign(turns, [*turns, *criteria, description])


def unused_sign(seeds: Sequence[str], texts: Sequence[str]) -> str:
    """Eight hex digits derived from `seeds` that do not occur in `texts`."""
    everything, seed = "\0".join(texts), "\0".join(seeds)
    while True:
        seed = text_digest(seed)
        if seed[:8] not in everything:
            return seed[:8]


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """Digests of what a judge saw: the conversation and, for holistic judges, all criteria and the description.

    The order of the criteria does not matter. `description` is also None for a blueprint without one.
    """

    transcript: str
    criteria: str | None = None
    description: str | None = None


def context_of(approach: Approach, question: Question) -> JudgeContext:
    """The context that a judge of this approach sees with `question`."""
    transcript = data_digest([[turn.role.value, turn.content, turn.generated] for turn in question.thread])
    match approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return JudgeContext(transcript)
        case Approach.HOLISTIC:
            description = (question.description or "").strip()
            return JudgeContext(
                transcript, data_digest(sorted(question.criteria)), data_digest(description) if description else None
            )


def changed_parts(
    shown: JudgeContext | None, request: ChatRequest, approach: Approach, question: Question
) -> tuple[ChangedPart, ...]:
    """The differences between the context that a judge saw with `request` and the one that `question` has today.

    Where the context was not recorded (`shown` is None), the requests are compared, and a difference is `UNKNOWN`.
    """
    now = context_of(approach, question)
    if shown is None:
        today = (first_request(question, approach, scale, request.model) for scale in ALL_SCALES)
        return () if any(each.turns == request.turns for each in today) else (ChangedPart.UNKNOWN,)
    parts = (
        (ChangedPart.CRITERIA, shown.criteria, now.criteria),
        (ChangedPart.DESCRIPTION, shown.description, now.description),
        (ChangedPart.TRANSCRIPT, shown.transcript, now.transcript),
    )
    return tuple(part for part, before, after in parts if before != after)


class SentText(StrEnum):
    """A text that a judge receives, with its name for authors."""

    CONVERSATION = "the whole conversation with the answer"
    CRITERION = "the criterion"
    DESCRIPTION = "the description of the blueprint"
    CRITERIA = "all criteria in words of the prompt"


def count_text_points(prompt: Prompt) -> int:
    """The number of text points of a prompt, which judges judge."""
    return sum(point.text is not None for point in prompt.points())


def sent_texts(judge: PanelJudge, *, described: bool) -> tuple[SentText, ...]:
    """The texts that a judge receives, by its approach; `described`: whether the blueprint has a description."""
    always = (SentText.CONVERSATION, SentText.CRITERION)
    match judge.approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return always
        case Approach.HOLISTIC:
            return (*always, *([SentText.DESCRIPTION] if described else []), SentText.CRITERIA)


# --- Criteria that were drafted from the ideal: its score on them is circular


MOST_DRAFTED = 5000
"""How many drafted criteria are remembered, the newest."""


def drafted_digest(prompt: Prompt, criterion: str) -> str:
    """What is remembered of a criterion that was drafted for `prompt`: it depends on the messages and its wording."""
    messages = short_data_digest([(message.role.value, message.content) for message in prompt.messages])
    return short_data_digest([messages, " ".join(criterion.split())])


def circularity(prompt: Prompt, drafted: Collection[str]) -> str:
    """What the score of the ideal says on the rubric of `prompt`, by the digests of `drafted` criteria.

    "" where none of its criteria was drafted, in its present wording.
    """
    if not drafted:
        return ""
    points = prompt.points()
    count = sum(each.text is not None and drafted_digest(prompt, each.text) in drafted for each in points)
    if not count:
        return ""
    of = f"{count} of {len(points)} criteria {'was' if count == 1 else 'were'}"
    of = "all criteria were" if count == len(points) else of
    return f"circular: {of} drafted from the ideal, so its score says little about the rubric"


def remembered(drafted: Iterable[str], new: Iterable[str]) -> list[str]:
    """`drafted` with the `new` ones behind, each once; at most `MOST_DRAFTED`."""
    return list(dict.fromkeys((*drafted, *new)))[-MOST_DRAFTED:]
