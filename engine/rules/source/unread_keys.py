"""Keys of a prompt that nobody reads: misspelt ones, and those that mean the same as another key beside them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.parsing.fields import truthy
from engine.parsing.findings import Kind
from engine.parsing.keys import Part, suggested_names
from engine.parsing.normalised_form import POINT_KEYS
from engine.rules.views import FileView
from engine.rules.words import nearest_names
from engine.yaml.nodes import Pair, property_name

_SAME = (POINT_KEYS, ("ideal", "idealResponse"))
"""Names for the same thing, in the order in which Weval looks for them."""


_KEYS = suggested_names(Part.PROMPT)


_ASKING = frozenset(("prompt", "promptText", "messages"))


def misspells_question(view: FileView, prompt: int | None) -> bool:
    """Whether the prompt with this index, which asks nothing, has the key of its question misspelt."""
    return misspells(view, prompt, _ASKING)


def misspells(view: FileView, prompt: int | None, names: frozenset[str]) -> bool:
    """Whether the prompt with this index has an unknown key that is close to one of `names`."""
    unknown = (finding.detail for finding in view.findings.get(prompt, ()) if finding.kind is Kind.UNKNOWN_KEY)
    return any(not names.isdisjoint(nearest_names(key, _KEYS)) for key in unknown)


def unread_keys(view: FileView) -> Iterator[tuple[Pair, str]]:
    """Each pair of a prompt that nobody reads, and the name of the key that is read in its place."""
    for names in _SAME:
        present = [name for name in names if view.holds(f"{name}:", f'{name}"', f"{name}'")]
        for prompt in view.blueprint.prompts if len(present) > 1 else ():
            pairs = [pair for name in present if (pair := prompt.node.pair(name)) is not None and truthy(pair)]
            yield from ((pair, property_name(pairs[0].key)) for pair in pairs[1:])
