"""Which prompt of which blueprint something is kept for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from engine.blueprint import Prompt
from engine.store.database import storable


@dataclass(frozen=True, slots=True)
class PromptPlace:
    """Where responses and grades of a prompt are kept: the blueprint's path and the prompt's key."""

    blueprint: str
    prompt: str

    @classmethod
    def of(cls, path: Path | None, prompt: Prompt) -> PromptPlace:
        """The place of `prompt` in the file at `path`.

        A prompt without a written id is known by its messages, since its hash id changes with every edit of the rubric.
        """
        key = prompt.id
        if not prompt.id_written:
            messages = json.dumps([[message.role, message.content] for message in prompt.messages])
            key = "messages-" + hashlib.sha256(messages.encode()).hexdigest()[:16]
        return cls("" if path is None else str(path.absolute()), key)


def place_key(place: PromptPlace) -> tuple[str, str]:
    """A place as it stands in the columns `blueprint` and `prompt`."""
    return storable(place.blueprint), storable(place.prompt)
