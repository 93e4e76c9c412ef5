"""The names of prompts in results and recordings: their ids, made unique where several share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.blueprint import Prompt


def unique_keys(prompts: Sequence[Prompt]) -> Mapping[int, str]:
    """For each prompt's index its id, or `ID#2` and so on where an earlier prompt has the same id (Weval keeps one)."""
    seen: dict[str, int] = {}
    keys: dict[int, str] = {}
    for prompt in prompts:
        seen[prompt.id] = seen.get(prompt.id, 0) + 1
        keys[prompt.index] = prompt.id if seen[prompt.id] == 1 else f"{prompt.id}#{seen[prompt.id]}"
    return keys


def key_of(prompt: Prompt, prompts: Sequence[Prompt]) -> str:
    """The name of `prompt` among those of its blueprint."""
    earlier = sum(each.id == prompt.id for each in prompts if each.index < prompt.index)
    return f"{prompt.id}#{earlier + 1}" if earlier else prompt.id
