"""Two versions of a blueprint → what changed in meaning between them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.blueprint import Blueprint
from engine.blueprint_changes.change import BlueprintChanges, NamedPrompt, PromptChange, PromptField
from engine.blueprint_changes.header_comparison import both_holistic, compare_headers
from engine.blueprint_changes.pairing import Pairing
from engine.blueprint_changes.prompt_comparison import Versions, compare_prompts, is_empty, only_in_one
from engine.blueprint_changes.prompt_matching import match_prompts, messages_of, moved_pairs
from engine.evaluation.sources import unique_keys
from engine.record import replace


def changes_between(old: Blueprint, new: Blueprint) -> BlueprintChanges:
    """What changed in meaning from `old` to `new`. Formatting, comments and the order of keys change nothing.

    Turned round, the changes are the same with their sides exchanged.
    """
    pairing = match_prompts(old.prompts, new.prompts)
    before, after = named_prompts(old), named_prompts(new)
    moved = moved_pairs(pairing, old.prompts, new.prompts)
    versions = Versions(old.header, new.header, both_holistic(old.header, new.header))
    messages = _names_by_messages(old, before)
    found: list[PromptChange] = []
    for at in range(pairing.new_size):
        partner = pairing.old_of(at)
        if partner is None:
            found.append(only_in_one(after[at], is_new=True))
            continue
        change = compare_prompts(before[partner], after[at], versions)
        change = replace(change, moved=(partner, at) in moved, taken_from=_taken_from(change, messages))
        if not is_empty(change):
            found.append(change)
    found += [only_in_one(before[at], is_new=False) for at in pairing.old_left]
    return BlueprintChanges(compare_headers(old.header, new.header), tuple(found), _indices(pairing, old, new))


def named_prompts(blueprint: Blueprint) -> list[NamedPrompt]:
    """The prompts with their names and shares, in order."""
    names = unique_keys(blueprint.prompts)
    weight = sum(prompt.weight for prompt in blueprint.prompts)
    return [NamedPrompt(each, names[each.index], each.weight / weight) for each in blueprint.prompts]


def _names_by_messages(blueprint: Blueprint, named: list[NamedPrompt]) -> Mapping[object, str]:
    return {messages_of(each): name.name for each, name in zip(blueprint.prompts, named, strict=True) if each.messages}


def _taken_from(change: PromptChange, names: Mapping[object, str]) -> str | None:
    """The old prompt whose messages a prompt with changed messages has now."""
    if change.after is None or change.field(PromptField.MESSAGES) is None:
        return None
    return names.get(messages_of(change.after.prompt))


def _indices(pairing: Pairing, old: Blueprint, new: Blueprint) -> tuple[tuple[int, int], ...]:
    return tuple((old.prompts[one].index, new.prompts[other].index) for one, other in pairing.pairs)
