"""The fix that flattens all paths of one block of a rubric."""

from __future__ import annotations

from engine.blueprint import Path, Rubric
from engine.rules.paths.any_of import spelling_variants
from engine.rules.source.path_lists import flattened
from engine.rules.views import PromptView
from engine.text import TextEdit


def flattened_block(view: PromptView, rubric: Rubric) -> tuple[TextEdit, ...]:
    """Edits that make all points in paths of `rubric` required points; none if moving lines is not enough.

    A single path of the other block is flattened too: it competed with these, and would be no choice any more.
    """
    return flattened(view, (*rubric.paths, *_left_alone(view, rubric)))


def _left_alone(view: PromptView, rubric: Rubric) -> tuple[Path, ...]:
    others = [each for each in view.prompt.rubrics if each.block is not rubric.block]
    paths = tuple(path for each in others for path in each.paths)
    return paths if len(paths) == 1 and not spelling_variants(paths[0]) else ()
