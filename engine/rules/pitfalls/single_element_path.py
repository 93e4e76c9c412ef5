"""# single-element-path

A block of alternative paths of one point each: any one of them earns the whole block.

    should:
      - - $imatches: 'Lagos.{0,50}Nigeria'
      - - $imatches: 'Kinshasa.{0,50}(?:Congo|DRC)'

Here naming Lagos alone scores the block in full, and naming neither scores it 0. Beside required points the block is
half of the score, whatever their number: four required points fully met and no path met is 50. That is the usual cause
of "my score is half of what I expected".

Do you have several criteria that could satisfy the requirement? If not, use a flat list. If so, does each alternative
consist of several criteria that belong together? If not, you probably want a flat list with an `_any_of` function. If
so, and all are equally good, nested lists are right.

Good uses: two readings of a disputed fact, two official names, several right ways to solve a task, several formats of
a date. Poor uses: criteria that should all be met; alternatives of different worth; paths of one point.

Bad:

    - id: cities
      prompt: Name the three largest cities of Africa.
      should:
        - Gives a list
        - - $contains: Lagos
        - - $contains: Cairo
        - - $contains: Kinshasa

Good:

    - id: cities
      prompt: Name the three largest cities of Africa.
      should:
        - Gives a list
        - $contains: Lagos
        - $contains: Cairo
        - $contains: Kinshasa

Fix, where all are needed (unsafe): flatten, so that each point counts by itself.
Fix, where any will do: one `_any_of` check, or one pattern with `|` (safe where the block stands alone, since the score
stays the same; beside required points it becomes one of them, so it is unsafe).
As intended: say so with `# studio: ignore[single-element-path]` above the block.

Three or more texts in a block that stands alone are most often meant as alternatives: there it is only a hint.

Documents: 002, "Common Pitfall: Single-Element Nested Arrays", "When to Use Alternative Paths", "Troubleshooting", 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Path, Point, Prompt, Rubric
from engine.diagnostics import Fix, Severity
from engine.rules.any_of import as_any_of
from engine.rules.registry import PromptView, Report, Rule
from engine.rules.source import line_end, sequence_at, unnested
from engine.text import Span, TextEdit

_TRUE_ALTERNATIVES = 3


def _check(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should
    if rubric is None:
        return
    paths = rubric.paths
    if len(paths) < 2 or any(len(path.points) != 1 for path in paths):
        return
    alone = _stands_alone(view.prompt, rubric)
    points = [path.points[0] for path in paths]
    worth = "the whole score" if alone else "the block, which is 50% of this score"
    first = paths[0]
    yield Report(
        Span(first.span.start, min(first.span.end, line_end(view.text, first.span.start))),
        f"any one of these {len(paths)} earns {worth}",
        severity=Severity.HINT if alone and _are_alternative_texts(points) else None,
        fixes=(*_flattened(view, paths), *as_any_of(view, rubric, keeps_score=alone)),
    )


def _stands_alone(prompt: Prompt, rubric: Rubric) -> bool:
    """Whether nothing else of the prompt is scored beside the paths of `rubric`."""
    return not any(other.required for other in prompt.rubrics) and all(
        other is rubric or not other.entries for other in prompt.rubrics
    )


def _are_alternative_texts(points: Sequence[Point]) -> bool:
    return len(points) >= _TRUE_ALTERNATIVES and all(point.text is not None for point in points)


def _flattened(view: PromptView, paths: Sequence[Path]) -> tuple[Fix, ...]:
    edits: list[TextEdit] = []
    for path in paths:
        node = sequence_at(view.tree, path.span)
        own = unnested(view.text, node) if node is not None else ()
        if not own:
            return ()
        edits += own
    return (Fix("all are needed: flatten", False, tuple(edits)),)


RULES = (
    Rule(
        code="R001",
        slug="single-element-path",
        severity=Severity.WARNING,
        why="Naming one of them is worth as much as naming all, and naming none costs the whole block.",
        on_prompt=_check,
    ),
)
