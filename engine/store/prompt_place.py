"""The prompt and blueprint that a record belongs to."""

from __future__ import annotations

from pathlib import Path

from engine.blueprint import Prompt
from engine.digests import short_data_digest
from engine.record import Record
from engine.store.database import storable

UNNAMED = "messages-"
"""The beginning of keys of prompts without a written id."""


class PromptPlace(Record):
    """What runs, responses and grades of a prompt are saved under: the blueprint's path and the prompt's key."""

    blueprint: str
    prompt: str

    @classmethod
    def of(cls, path: Path | None, prompt: Prompt) -> PromptPlace:
        """The place of `prompt` in the file at `path`.

        A prompt without a written id is identified by its messages: its hash id changes with every edit of the rubric.
        """
        key = prompt.id
        if not prompt.id_written:
            key = UNNAMED + short_data_digest([[message.role, message.content] for message in prompt.messages])
        return cls("" if path is None else str(path.absolute()), key)


def place_key(place: PromptPlace) -> tuple[str, str]:
    """The values of the columns `blueprint` and `prompt`."""
    return storable(place.blueprint), storable(place.prompt)
