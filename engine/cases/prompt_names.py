"""The names by which cases refer to prompts: they stay the same while an author works on the rubric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.blueprint import ABSENT, Blueprint, Header, Prompt
from engine.digests import short_data_digest
from engine.yaml_nodes.values import canonical_json

DERIVED = "prompt-"
"""The beginning of names of prompts without a written id."""


def prompt_names(blueprint: Blueprint) -> Mapping[int, str]:
    """The name of each prompt, by its index: its written id, else a digest of its messages, system prompt and tools.

    An id that Weval derives (`hash-…`) would change with each edit of the rubric. A later prompt with the same name
    has `#2` and so on after it, unless that is the name of another prompt.
    """
    bare = {
        prompt.index: prompt.id if prompt.id_written else derived_name(prompt, blueprint.header)
        for prompt in blueprint.prompts
    }
    taken = set(bare.values())
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for index, name in bare.items():
        seen[name] += 1
        while seen[name] > 1 and f"{name}#{seen[name]}" in taken:
            seen[name] += 1
        names[index] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return names


def derived_name(prompt: Prompt, header: Header) -> str:
    """`prompt-` and 16 hex digits of what the prompt asks: its messages, system prompt and tools."""
    system = list(header.systems) if prompt.system is ABSENT else prompt.system
    tools = canonical_json({"tools": header.fields.get("tools"), "toolUse": header.fields.get("toolUse")})
    messages = [[message.role.value, message.content] for message in prompt.messages]
    own = [list(prompt.required_tools), list(prompt.prohibited_tools), prompt.max_calls]
    return DERIVED + short_data_digest([messages, system, tools, own])
