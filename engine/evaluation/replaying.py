"""Saved answers as the answer of a run: the fixtures file read, the text chosen, the conversation filled with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from engine.blueprint import Prompt
from engine.conversation import Conversation, Variant, subject_text
from engine.evaluation.events import Delta, Failed, Responded, Response
from engine.evaluation.fixtures import Asking, FixturesFile, UnusableFixtures, read_fixtures, saved_answer
from engine.evaluation.sources import FixtureSource

_ASKED: dict[tuple[Path, str], list[Asking]] = {}
"""Who asked so far, by file and prompt id: what makes `round-robin` go round as long as this process lives."""


async def saved(
    prompt: Prompt, talk: Conversation, source: FixtureSource, variant: Variant
) -> AsyncGenerator[Delta | Responded | Failed]:
    """The answer that the file of `source` holds for this prompt and variant: one `Responded`, or one `Failed`.

    A prompt that ends in a written answer needs none: as with a model, the written one is judged.
    """
    asking = Asking(source.model, variant.suffix)
    asked = _ASKED.setdefault((source.path, prompt.id), [])
    before = tuple(asked)  # whose turn it is, is settled before anything is waited for: in the order of the runs
    asked.append(asking)
    try:
        fixtures = await asyncio.to_thread(read_fixtures, source.path)
    except UnusableFixtures as error:
        yield Failed("The saved answers cannot be used.", str(error), "Mend the file, or choose another.")
        return
    found = saved_answer(fixtures, prompt.id, asking, before)
    if found is None and talk.answer is not None:
        thread = talk.as_written()
        yield Responded(Response(subject_text(thread), thread))
    elif found is None or not any(turn.strip() for turn in found.turns):
        yield Failed(f"There is no saved answer to {prompt.id}.", advice=_advice(fixtures, prompt.id, source))
    elif not found.whole and len(found.turns) != talk.pending:
        has = _turns(len(found.turns))
        yield Failed(
            f"The saved answer to {prompt.id} has {has}, the conversation asks for {talk.pending}.",
            advice="Give one text under `turns` for each turn to be generated, or one text for all.",
        )
    else:
        thread = talk.answered(found.turns)
        yield Responded(Response(subject_text(thread), thread, source.model))


def _advice(fixtures: FixturesFile, prompt_id: str, source: FixtureSource) -> str:
    answers = fixtures.responses.get(prompt_id)
    if answers is not None and answers.by_model and source.model is None:
        return f"There are answers of {', '.join(answers.by_model)}: name one of these models, or add a `default`."
    return f"Add it to `responses` in {source.path.name}."


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
