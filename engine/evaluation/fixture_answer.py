"""Saved answers as the answer of a run: the fixtures file read, the text chosen, the conversation filled with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.blueprint import Prompt
from engine.conversation import Conversation, ThreadTurn, Variant, subject_text, with_stops
from engine.evaluation.events import Delta, Failed, Responded, Response
from engine.evaluation.fixtures import FixtureRequest, FixturesFile, UnusableFixtures, read_fixtures, saved_answer
from engine.evaluation.prompt_keys import key_of
from engine.evaluation.sources import FixtureSource


@dataclass(frozen=True, slots=True)
class _Asked:
    """Somebody who asked for an answer to a prompt of this key."""

    key: str
    asking: FixtureRequest


_ASKED: dict[tuple[Path, str], list[_Asked]] = {}
"""Who asked so far, by file and prompt id: what makes `round-robin` go round as long as this process lives."""


async def fixture_answer(
    prompt: Prompt, talk: Conversation, source: FixtureSource, variant: Variant, prompts: Sequence[Prompt] = ()
) -> AsyncGenerator[Delta | Responded | Failed]:
    """The answer that the file of `source` holds for this prompt and variant: one `Responded`, or one `Failed`.

    A prompt that ends in a written answer needs none: as with a model, the written one is judged. `prompts` are all of
    the blueprint: of those that share an id, each gets its own answer where the file tells them apart.
    """
    asking = _Asked(key_of(prompt, prompts), FixtureRequest(source.model, variant.suffix))
    asked = _ASKED.setdefault((source.path, prompt.id), [])
    before = tuple(asked)  # whose turn it is, is settled before anything is waited for: in the order of the runs
    asked.append(asking)
    try:
        fixtures = await asyncio.to_thread(read_fixtures, source.path)
    except UnusableFixtures as error:
        yield Failed("The saved answers cannot be used.", str(error), "Mend the file, or choose another.")
        return
    yield _answer(fixtures, prompt, talk, source, asking, before)


class FixturePreview:
    """What the runs of a plan will be given, asked for in their order; it does not count as asked for. Blocks."""

    def __init__(self) -> None:
        self._files: dict[Path, FixturesFile | None] = {}
        self._asked: dict[tuple[Path, str], list[_Asked]] = {}

    def thread(
        self,
        prompt: Prompt,
        talk: Conversation,
        source: FixtureSource,
        variant: Variant,
        prompts: Sequence[Prompt] = (),
    ) -> tuple[ThreadTurn, ...] | None:
        """The conversation with the saved answer in it, None where there is none of use."""
        if source.path not in self._files:
            try:
                self._files[source.path] = read_fixtures(source.path)
            except UnusableFixtures:
                self._files[source.path] = None
        fixtures = self._files[source.path]
        if fixtures is None:
            return None
        asking = _Asked(key_of(prompt, prompts), FixtureRequest(source.model, variant.suffix))
        key = (source.path, prompt.id)
        asked = self._asked.setdefault(key, [*_ASKED.get(key, ())])
        answer = _answer(fixtures, prompt, talk, source, asking, asked)
        asked.append(asking)
        return answer.response.thread if isinstance(answer, Responded) else None


def _answer(
    fixtures: FixturesFile,
    prompt: Prompt,
    talk: Conversation,
    source: FixtureSource,
    asked: _Asked,
    before: Sequence[_Asked],
) -> Responded | Failed:
    name = _name_in(fixtures, prompt, asked.key)
    same = [each.asking for each in before if _name_in(fixtures, prompt, each.key) == name]
    found = saved_answer(fixtures, name, asked.asking, same)
    if found is None and talk.answer is not None:
        thread = talk.as_written()
        return Responded(Response(subject_text(thread), thread))
    if found is None or not any(turn.strip() for turn in found.turns):
        return Failed(f"There is no saved answer to {name}.", advice=_advice(fixtures, name, source))
    if not found.whole and len(found.turns) != talk.pending:
        has = _turns(len(found.turns))
        return Failed(
            f"The saved answer to {prompt.id} has {has}, the conversation asks for {talk.pending}.",
            advice="Give one text under `turns` for each turn to be generated, or one text for all.",
        )
    thread = with_stops(talk.answered(found.turns), found.stops)
    return Responded(Response(subject_text(thread), thread, source.model))


def _name_in(fixtures: FixturesFile, prompt: Prompt, key: str) -> str:
    """Under which name the answers to a prompt stand: its own, else the one of all that share its id, as on Weval."""
    return key if key in fixtures.responses else prompt.id


def _advice(fixtures: FixturesFile, prompt_id: str, source: FixtureSource) -> str:
    answers = fixtures.responses.get(prompt_id)
    if answers is not None and answers.by_model and source.model is None:
        return f"There are answers of {', '.join(answers.by_model)}: name one of these models, or add a `default`."
    return f"Add it to `responses` in {source.path.name}."


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
