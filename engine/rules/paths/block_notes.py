"""What each block of alternative paths is to the score, in a few words for its first line."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block, Path, Prompt, Rubric
from engine.parsing import Parsed
from engine.rules.source.path_lists import groups_of_paths, has_paths
from engine.scoring.shares import shares_of
from engine.text import positions


def block_notes(parsed: Parsed) -> Iterator[tuple[int, str]]:
    """The line, from 0, where each block of paths begins, and what it is: `any one of these 3 earns all of the score`.

    A block that required points divide has a note at each of its groups. None where a prompt is cut off, and at the
    lines of another prompt that an alias repeats.
    """
    found = sorted(
        (path.span.start, note)
        for prompt in parsed.blueprint.prompts
        if has_paths(prompt) and prompt.index not in parsed.broken.prompts
        for rubric in prompt.rubrics
        for path, note in _notes(prompt, rubric)
        if prompt.span.start <= path.span.start < prompt.span.end
    )
    places = positions(parsed.text, [offset for offset, _ in found])
    return ((place.line, note) for place, (_, note) in zip(places, found, strict=True))


def _notes(prompt: Prompt, rubric: Rubric) -> Iterator[tuple[Path, str]]:
    groups, count = list(groups_of_paths(rubric)), len(rubric.paths)
    what = "this path" if count == 1 else f"any one of {'these' if len(groups) == 1 else 'all'} {count}"
    worth = "all" if shares_of(prompt).paths == 1 else "half"
    is_forbidden = rubric.block is Block.SHOULD_NOT
    rivals = any(each.paths for each in prompt.rubrics if each is not rubric)
    other = "meeting one under `should`" if is_forbidden else "avoiding one under `should_not`"
    choice = f"{'avoiding ' * is_forbidden}{what}{f', or {other},' * rivals}"
    for group in groups:
        yield group[0], f"{choice} earns {worth} of the score"
