"""The changes of one prompt in words: what changed, and what it does to results."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint_changes.change import (
    Consequence,
    FieldChange,
    NamedPrompt,
    PromptChange,
    PromptField,
    PromptState,
)
from engine.blueprint_changes.changed_text import (
    INDENT,
    NO_EFFECT,
    NOT_COMPARABLE,
    cut_to,
    differing_lines,
    indented,
    one_line,
    value_text,
)
from engine.blueprint_changes.point_change_text import count_text, point_lines
from engine.scoring.explanation_text import weight_text
from engine.scoring.shares import percent
from engine.text import in_quotes
from engine.yaml_nodes.nodes import Data

_LONGEST_NAME = 60
_BESIDE = "the result shows whether it is met; no score depends on it"


def prompt_name(named: NamedPrompt) -> str:
    """The written id of a prompt; else the beginning of its first message, in quotes."""
    prompt = named.prompt
    if prompt.id_written:
        return one_line(named.name)
    text = next((one_line(message.content) for message in prompt.messages if message.content), "")
    return in_quotes(cut_to(text, _LONGEST_NAME)) if text else named.name


def prompt_lines(change: PromptChange) -> list[str]:
    """All changes of a prompt, the most consequential first; what belongs to a line before is indented."""
    match change.state:
        case PromptState.ADDED:
            return list(_added(change))
        case PromptState.REMOVED:
            return list(_removed(change))
        case PromptState.CHANGED:
            return list(_changed(change))


# --- A prompt that is new or gone


def _added(change: PromptChange) -> Iterator[str]:
    assert change.after is not None
    yield f"a new prompt with {count_text(len(change.points))}: {percent(change.after.share)} of the blueprint's score"


def _removed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    points, share = count_text(len(change.points)), percent(change.before.share)
    yield f"removed, with {points}: it was {share} of the blueprint's score"
    if change.before.prompt.id_written:
        yield f"the results of `{one_line(change.before.name)}` on Weval are not continued"


# --- A prompt in both versions


def _changed(change: PromptChange) -> Iterator[str]:
    assert change.before is not None
    assert change.after is not None
    for field in change.fields:
        if field.field in _FIELDS_BEFORE_POINTS:
            yield from _field(field, change)
    yield from point_lines(change.points)
    for field in change.fields:
        if field.field not in _FIELDS_BEFORE_POINTS:
            yield from _field(field, change)
    if change.points_reordered:
        yield "points are in another order: no score depends on it"
    if Consequence.VERDICTS in change.consequences:
        yield "verdicts on criteria that stay would be carried over: holistic judges see all criteria"
    if change.moved:
        yield "moved: it stands elsewhere among the prompts; no score depends on it"
    if change.is_cut_off:
        yield "a YAML error hides a part of it, so there may be other changes"


_FIELDS_BEFORE_POINTS = frozenset(
    [PromptField.ID, PromptField.MESSAGES, PromptField.SYSTEM, PromptField.TEMPERATURE, PromptField.WEIGHT]
)


def _field(change: FieldChange, prompt: PromptChange) -> Iterator[str]:
    assert prompt.before is not None
    assert prompt.after is not None
    before, after = change.before, change.after
    match change.field:
        case PromptField.ID:
            yield _id_text(prompt.before, prompt.after)
        case PromptField.MESSAGES:
            one, other = _message_texts(before), _message_texts(after)
            kind = "only in white space" if one_line(one) == one_line(other) else ""
            yield f"messages changed{' ' if kind else ''}{kind}: {NOT_COMPARABLE}"
            yield from indented(differing_lines(one, other))
            if prompt.taken_from is not None:
                owner = one_line(prompt.taken_from)
                yield f"{INDENT}they were those of `{owner}`: under this id, Weval's results go on with that question"
        case PromptField.SYSTEM:
            yield f"system prompt changed: {NOT_COMPARABLE}"
            yield from indented(differing_lines(_system_text(before), _system_text(after)))
        case PromptField.TEMPERATURE:
            yield f"temperature {value_text(before)} → {value_text(after)}: {NOT_COMPARABLE}"
        case PromptField.WEIGHT:
            one, other = weight_text(prompt.before.prompt.weight), weight_text(prompt.after.prompt.weight)
            share, new_share = percent(prompt.before.share), percent(prompt.after.share)
            yield f"weight of the prompt {one} → {other}: {share} → {new_share} of the blueprint's score"
        case PromptField.IDEAL:
            yield _text_change("ideal", before, after, "neither models nor judges are shown it")
            if before is not None and after is not None:
                yield from indented(differing_lines(str(before), str(after)))
        case PromptField.DESCRIPTION | PromptField.CITATION:
            yield _text_change(change.field.value, before, after, "neither models nor judges are shown it")
        case PromptField.RENDER_AS:
            yield f"render_as {before} → {after}: {NO_EFFECT}"
        case PromptField.NO_CACHE:
            yield f"noCache {value_text(before)} → {value_text(after)}: {NO_EFFECT}"
        case PromptField.REQUIRED_TOOLS | PromptField.PROHIBITED_TOOLS | PromptField.MAX_CALLS:
            yield f"{change.field.value} {value_text(before)} → {value_text(after)}: {_BESIDE}"


def _id_text(before: NamedPrompt, after: NamedPrompt) -> str:
    is_written, is_still = before.prompt.id_written, after.prompt.id_written
    old, new = one_line(before.prompt.id), one_line(after.prompt.id)
    if is_written and is_still:
        return f"id `{old}` → `{new}`: Weval keeps results by id, so those of `{old}` are not continued"
    if is_still:
        return f"id `{new}` is new: Weval named the prompt `{old}`, and those results are not continued"
    if is_written:
        return f"id `{old}` is gone: Weval keeps results by id, so those of `{old}` are not continued"
    return (
        f"no id is written: Weval makes one of question and rubric, `{old}` → `{new}`, so results are not continued; "
        "an `id:` keeps them"
    )


def _message_texts(messages: Data) -> str:
    assert isinstance(messages, list)
    several = len(messages) > 1
    return "\n".join(_message_text(each, with_role=several) for each in messages)


def _message_text(message: Data, *, with_role: bool) -> str:
    assert isinstance(message, dict)
    role, content = message["role"], message["content"]
    text = "(the model answers)" if content is None else str(content)
    return f"{role}: {text}" if with_role or role != "user" else text


def _text_change(name: str, before: Data, after: Data, effect: str) -> str:
    state = "added" if before is None else "removed" if after is None else "changed"
    return f"{name} {state}: {effect}"


def _system_text(value: Data) -> str:
    """The system prompt in force, or all of them."""
    systems = value if isinstance(value, list) else [value]
    return "\n".join("(no system prompt)" if each is None else str(each) for each in systems)
