"""A saved answer as the answer of a run: from the fixtures file into the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path

from engine.blueprint import Prompt
from engine.conversation import Conversation, ThreadTurn, Variant, subject_text, with_stops
from engine.evaluation.events import Delta, Failed, Responded, Response
from engine.evaluation.fixtures import (
    FixtureRequest,
    FixturesFile,
    SavedAnswer,
    UnusableFixtures,
    all_answers,
    read_fixtures,
    saved_answer,
)
from engine.evaluation.prompt_keys import key_of
from engine.evaluation.sources import FixtureSource
from engine.record import Record


class _PromptRequest(Record):
    """A request for a saved answer to the prompt of this key."""

    key: str
    request: FixtureRequest


_REQUESTS: dict[tuple[Path, str], list[_PromptRequest]] = {}
"""The requests of this process so far, by file and prompt id: `round-robin` counts them."""


async def fixture_answer(
    prompt: Prompt, conversation: Conversation, source: FixtureSource, variant: Variant, prompts: Sequence[Prompt] = ()
) -> AsyncGenerator[Delta | Responded | Failed]:
    """The answer that the file of `source` holds for this prompt and variant: one `Responded`, or one `Failed`.

    A prompt that ends in a written answer needs none: as with a model, the written answer is judged. `prompts` are all
    prompts of the blueprint: those that share an id each get their own answer where the file distinguishes them.
    """
    request = _PromptRequest(key_of(prompt, prompts), FixtureRequest(source.model, variant.suffix))
    requests = _REQUESTS.setdefault((source.path, prompt.id), [])
    earlier = tuple(requests)  # taken before the first await, so that the turns follow the order of the runs
    requests.append(request)
    try:
        fixtures = await asyncio.to_thread(read_fixtures, source.path)
    except UnusableFixtures as error:
        yield Failed("The saved answers cannot be used.", str(error), "Fix the file, or choose another.")
        return
    yield _answer(fixtures, prompt, conversation, source, request, earlier)


class FixturePreview:
    """The saved answers that the runs of a plan will get, in their order, without counting as requests. Blocks."""

    def __init__(self) -> None:
        self._files: dict[Path, FixturesFile | None] = {}
        self._requests: dict[tuple[Path, str], list[_PromptRequest]] = {}

    def thread(
        self,
        prompt: Prompt,
        conversation: Conversation,
        source: FixtureSource,
        variant: Variant,
        prompts: Sequence[Prompt] = (),
    ) -> tuple[ThreadTurn, ...] | None:
        """The conversation with the saved answer in it, None where no saved answer can be used."""
        if source.path not in self._files:
            try:
                self._files[source.path] = read_fixtures(source.path)
            except UnusableFixtures:
                self._files[source.path] = None
        fixtures = self._files[source.path]
        if fixtures is None:
            return None
        request = _PromptRequest(key_of(prompt, prompts), FixtureRequest(source.model, variant.suffix))
        key = (source.path, prompt.id)
        requests = self._requests.setdefault(key, [*_REQUESTS.get(key, ())])
        answer = _answer(fixtures, prompt, conversation, source, request, requests)
        requests.append(request)
        return answer.response.thread if isinstance(answer, Responded) else None


def all_responses(
    fixtures: FixturesFile, prompt: Prompt, conversation: Conversation, prompts: Sequence[Prompt]
) -> Iterator[tuple[str | None, Response]]:
    """Every answer that the file has to a prompt, with its name in `byModel`, None under `default`.

    Empty answers, and those whose turns do not fit the conversation, are left out. It counts as no request.
    """
    for entry, found in all_answers(fixtures, _name_in(fixtures, prompt, key_of(prompt, prompts))):
        if _is_usable(found, conversation):
            yield entry, _response(found, conversation, entry)


def _answer(
    fixtures: FixturesFile,
    prompt: Prompt,
    conversation: Conversation,
    source: FixtureSource,
    request: _PromptRequest,
    earlier: Sequence[_PromptRequest],
) -> Responded | Failed:
    name = _name_in(fixtures, prompt, request.key)
    same_name = [each.request for each in earlier if _name_in(fixtures, prompt, each.key) == name]
    found = saved_answer(fixtures, name, request.request, same_name)
    if found is None and conversation.answer is not None:
        thread = conversation.as_written()
        return Responded(Response(subject_text(thread), thread))
    if found is None or not any(turn.strip() for turn in found.turns):
        return Failed(f"There is no saved answer to {name}.", advice=_advice(fixtures, name, source))
    if not _is_usable(found, conversation):
        has = _turns(len(found.turns))
        return Failed(
            f"The saved answer to {prompt.id} has {has}, the conversation asks for {conversation.pending}.",
            advice="Give one text under `turns` for each turn to be generated, or one text for all.",
        )
    return Responded(_response(found, conversation, source.model))


def _is_usable(found: SavedAnswer, conversation: Conversation) -> bool:
    """Whether it has a text, and one for each turn to be generated or one for all."""
    fits = found.whole or len(found.turns) == conversation.pending
    return fits and any(turn.strip() for turn in found.turns)


def _response(found: SavedAnswer, conversation: Conversation, model: str | None) -> Response:
    thread = with_stops(conversation.answered(found.turns), found.stops)
    return Response(subject_text(thread), thread, model)


def _name_in(fixtures: FixturesFile, prompt: Prompt, key: str) -> str:
    """The name of a prompt in the file: its own key, else the id that it shares with others, as on Weval."""
    return key if key in fixtures.responses else prompt.id


def _advice(fixtures: FixturesFile, prompt_id: str, source: FixtureSource) -> str:
    answers = fixtures.responses.get(prompt_id)
    if answers is not None and answers.by_model and source.model is None:
        return f"There are answers of {', '.join(answers.by_model)}: name one of these models, or add a `default`."
    return f"Add it to `responses` in {source.path.name}."


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
