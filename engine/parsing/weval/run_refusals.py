"""The refusals of Weval's loader when a run begins, in its order, and of its hash (platform.md, A23, A24)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.blueprint import ABSENT
from engine.parsing.weval.javascript_values import (
    Place,
    Refused,
    Value,
    demand,
    first_true,
    is_number,
    is_object,
    is_true,
    is_written_text,
    member,
    text_of,
)
from engine.yaml_nodes.nodes import Data

_ROLES = ("user", "assistant", "system")
_IN_MESSAGES = "must have either a valid 'promptText' or a non-empty 'messages' array."


def check_run(header: dict[str, Data], prompts: Sequence[Data], made_id: Callable[[int], str], place: Place) -> None:
    """Check the header and the prompts that the parser accepted. Raises `Refused`.

    `made_id` returns the id that Weval makes for the prompt at an index, if it has none.
    """
    title = first_true(header, "title", "configTitle")
    at = (*place, "title" if is_true(member(header, "title")) else "configTitle")
    refusal = "Failed to determine a valid 'title' for the blueprint from file content or 'id'."
    demand(not is_true(title) or is_written_text(title), at, lambda: refusal)
    for index, prompt in enumerate(prompts):
        check_conversation(prompt, lambda index=index: made_id(index), ("prompts", index))
    _check_header(header, place)
    _check_systems(header, prompts, made_id, place)


def check_hash(prompts: Sequence[Data]) -> None:
    """Check the ids, which Weval sorts to name a run: all but the first must be strings. Raises `Refused`."""
    if len(prompts) > 1:
        text_of(member(prompts[0], "id"), ("prompts", 0, "id"))
    for index, prompt in enumerate(prompts):
        name = member(prompt, "id")
        usable = not index or not is_true(name) or isinstance(name, str)
        demand(usable, ("prompts", index, "id"), lambda: '(a.id || "").localeCompare is not a function')


def check_conversation(prompt: Data, made_id: Callable[[], str], place: Place) -> None:
    """Check the messages of one prompt. Raises `Refused`."""
    name = member(prompt, "id")
    if not _needs_check(prompt) and not is_object(name):
        return
    who = f"Prompt ID '{text_of(name, place) if is_true(name) else made_id()}'"
    turns, at = _turns(prompt)
    if not turns:
        raise Refused(f"{who} {_IN_MESSAGES}", (*place, *at))
    places = [(*place, *at, index) if at == ("messages",) else (*place, *at) for index in range(len(turns))]
    demand(turns[0] is not None, places[0], lambda: "Cannot read properties of null (reading 'role')")
    refusal = f"{who}: First message role cannot be 'assistant'. Must be 'user' or 'system'."
    demand(member(turns[0], "role") != "assistant", places[0], lambda: refusal)
    demand(turns[-1] is not None, places[-1], lambda: "Cannot read properties of null (reading 'role')")
    last = member(turns[-1], "role")
    demand(last == "user", places[-1], lambda: (
        f"{who}: Last message role in the input sequence must be 'user'. Found '{text_of(last, places[-1])}'."
    ))  # fmt: skip
    _check_turns(turns, who, places)


def _check_turns(turns: Sequence[Data], who: str, places: Sequence[Place]) -> None:
    for index, (turn, at) in enumerate(zip(turns, places, strict=True)):
        demand(turn is not None, at, lambda: "Cannot read properties of null (reading 'role')")
        role, content = member(turn, "role"), member(turn, "content")
        where = f"{who}, message {index}"
        demand(isinstance(role, str) and role in _ROLES, at, lambda where=where, role=role, at=at: (
            f"{where}: Invalid role '{text_of(role, at)}'. Must be 'user', 'assistant', or 'system'."
        ))  # fmt: skip
        if role == "assistant" and content is None:
            continue
        refusal = f"{where} (role '{role}'): Content cannot be empty."
        demand(is_written_text(content), at, lambda refusal=refusal: refusal)
    before: Value = None
    for index, (turn, at) in enumerate(zip(turns, places, strict=True)):
        role = member(turn, "role")
        if role == "system":
            continue
        refusal = f"{who}, message {index}: Invalid sequence. Two '{role}' messages in a row."
        demand(role != before, at, lambda refusal=refusal: refusal)
        before = role


def _needs_check(prompt: Data) -> bool:
    """Whether `prompt` needs a check: it has `messages`, or no question in words, as most prompts have."""
    if is_true(member(prompt, "messages")):
        return True
    return not is_written_text(first_true(prompt, "prompt", "promptText"))


def _turns(prompt: Data) -> tuple[list[Data], Place]:
    """The messages as the parser normalises them, and the key under which they are written."""
    messages = member(prompt, "messages")
    if is_true(messages):
        return ([_turn(item) for item in messages] if isinstance(messages, list) else []), ("messages",)
    text = first_true(prompt, "prompt", "promptText")
    key = "prompt" if is_true(member(prompt, "prompt")) else "promptText"
    if text is ABSENT or not is_true(text):
        return [], ("prompt",)
    return [{"role": "user", "content": text}], (key,)


def _turn(item: Data) -> Data:
    if not isinstance(item, dict) or is_true(member(item, "role")) or is_true(member(item, "content")):
        return item
    [(role, content)] = item.items()
    return {"role": "assistant" if role == "ai" else role, "content": content}


def _check_header(header: dict[str, Data], place: Place) -> None:
    description = member(header, "description")
    readable = not is_true(description) or isinstance(description, str)
    refusal = "configJson.description.substring is not a function"
    demand(readable, (*place, "description"), lambda: refusal)
    temperature = member(header, "temperature")
    sound = temperature is ABSENT or is_number(temperature)
    demand(sound, (*place, "temperature"), lambda: "Config file has invalid 'temperature'")
    listed = member(header, "temperatures")
    sound = listed is ABSENT or (isinstance(listed, list) and all(map(is_number, listed)))
    demand(sound, (*place, "temperatures"), lambda: "Config file has invalid 'temperatures'")
    tags = member(header, "tags")
    sound = tags is ABSENT or (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags))
    refusal = "Config file has an invalid 'tags' field (must be an array of strings if provided)."
    demand(sound, (*place, "tags"), lambda: refusal)


def _check_systems(
    header: dict[str, Data], prompts: Sequence[Data], made_id: Callable[[int], str], place: Place
) -> None:
    key, systems = "systems", member(header, "systems")
    system = first_true(header, "system", "systemPrompt")
    if isinstance(system, list) and not (isinstance(systems, (list, str)) and systems):
        key = "system" if is_true(member(header, "system")) else "systemPrompt"
        systems = system
    if systems is ABSENT:
        return
    at = (*place, key)
    sound = isinstance(systems, list) and all(item is None or isinstance(item, str) for item in systems)
    demand(sound, at, lambda: "Config file has invalid 'systems' (must be an array of strings or nulls).")
    assert isinstance(systems, list)
    refusal = "Config file validation error: The 'systems' array can contain at most one 'null' entry."
    demand(systems.count(None) <= 1, at, lambda: refusal)
    for index, prompt in enumerate(prompts if systems else ()):
        if is_true(member(prompt, "system")):
            name = member(prompt, "id")
            at_prompt = ("prompts", index, "system")
            who = text_of(name, at_prompt) if is_true(name) else made_id(index)
            raise Refused(
                "Config validation error: When a top-level 'systems' array is defined for permutation, individual"
                f" prompts (like '{who}') cannot have their own 'system' override. This is to ensure a clean comparison"
                " across all system prompts.",
                at_prompt,
            )
