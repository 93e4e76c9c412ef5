"""The place of each point of a prompt: among the required points, or on a path."""

from __future__ import annotations

from engine.blueprint import Path, Prompt
from engine.scoring.assessment import PlacedPoint


def place(prompt: Prompt) -> tuple[PlacedPoint, ...]:
    """All points with their places, in the order of `Prompt.points()`.

    Path ids are the documented ones (002, worked example): `path_3` is the fourth entry of `should`. The alternatives
    of `should_not` are numbered separately as `not_path_N`; Weval names them `path_N` too and merges the two blocks.
    """
    return tuple(
        PlacedPoint(point, rubric, rubric.path_id(entry) if isinstance(entry, Path) else None)
        for rubric in prompt.rubrics
        for entry in rubric.entries
        for point in (entry.points if isinstance(entry, Path) else (entry,))
    )
