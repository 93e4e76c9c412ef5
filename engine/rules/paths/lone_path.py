"""# lone-path

A single path: a list within the list that offers no alternative.

    should:
      - Names the duty to warn
      - Names who must be warned
      - Names the time limit
      - - Cites the European directive
        - Cites the national law

The inner list is a path of two points. Paths are alternatives, and here there is only one, so nothing is optional. Yet
the path is half of the score: each of its points is worth 25 points of 100, and each of the three above 16.7. In a flat
list, each of the five is worth 20.

Also reported where a path lists spellings of one name (`São Paulo`, `Sao Paulo`). A path requires all of its points,
but an answer uses one spelling, so it gets half of the path at best. The other spelling was meant as an alternative.

Bad:

    - id: warning
      prompt: What must the owner do?
      should:
        - Names the duty to warn
        - Names who must be warned
        - - Cites the European directive
          - Cites the national law

Good:

    - id: warning
      prompt: What must the owner do?
      should:
        - Names the duty to warn
        - Names who must be warned
        - Cites the European directive
        - Cites the national law

If the path is the whole rubric, the score is the same either way, until a point is added beside it.

Fix (unsafe): flatten, so that each point counts by itself; for spellings, one `_any_of` check.

Documents: Blueprint format, Understanding the Aggregation Formula 4; Blueprint format, When to Use Alternative Paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Path, Rubric
from engine.diagnostics import Fix, Severity
from engine.rules.paths.any_of import spelling_variants, variants_as_any_of
from engine.rules.rule import Report, Rule
from engine.rules.source.path_lists import (
    are_all_single,
    flattened,
    groups_of_paths,
    has_competing_paths,
    has_misread_path,
    has_paths,
    path_marker,
)
from engine.rules.views import PromptView
from engine.scoring.shares import Shares, hundredths, percent, shares_of


def _check(view: PromptView) -> Iterator[Report]:
    if not has_paths(view.prompt) or has_competing_paths(view.prompt):
        return
    shares = shares_of(view.prompt)
    for rubric in view.prompt.rubrics:
        for group in groups_of_paths(rubric):
            path, *others = group
            if others or has_misread_path(view, group):
                continue
            if not rubric.block.inverted and spelling_variants(path):
                yield _of_variants(view, rubric, path, shares)
            elif len(shares.alternatives) == 1:
                yield _alone(view, path, shares)


def _alone(view: PromptView, path: Path, shares: Shares) -> Report:
    fixes = _flatten(view, path)
    span = path_marker(view, path)
    if not shares.points:
        message = "a single path is no choice: its points count the same without the inner list"
        why = "The score is the same now. With a point beside it, that point would be half of the score."
        return Report(span, message, why=why, fixes=fixes)
    points, count = len(shares.points), len(path.points)
    beside = "the one point" if points == 1 else f"the {points} points"
    loss = "it" if count == 1 else f"its {count} points"
    message = (
        f"a single path is no choice, and this one is worth as much as {beside} beside it: "
        f"missing {loss} costs {hundredths(shares.paths)} points of 100"
    )
    flat = sum(point.multiplier for point in path.points)
    flat /= flat + sum(point.multiplier for point in shares.points)
    why = f"A path is {percent(shares.paths)} of the score, however many points are beside it"
    if percent(flat) == percent(shares.paths):
        why += "; in a flat list it has the same share now, and less with each point that you add."
    else:
        why += f"; in a flat list it would be {percent(flat)}."
    return Report(span, message, why=why, fixes=fixes)


def _flatten(view: PromptView, path: Path) -> tuple[Fix, ...]:
    edits = flattened(view, (path,))
    return (Fix("no alternative is meant: flatten", False, edits),) if edits else ()


def _of_variants(view: PromptView, rubric: Rubric, path: Path, shares: Shares) -> Report:
    left = [each for each in rubric.paths if each is not path]
    fixes = () if len(left) > 1 and are_all_single(left) else variants_as_any_of(view, path)
    weights = [point.multiplier for point in path.points]
    best, count = max(weights) / sum(weights), len(weights)
    loss = f"loses {hundredths(shares.paths * (1 - best))} points of 100"
    if len(shares.alternatives) > 1:
        loss = f"meets {percent(best)} of this path at best"
    needed = "a path requires both" if count == 2 else f"a path requires all {count}"
    return Report(
        path_marker(view, path),
        f"these are spellings of one name, and {needed}: an answer that uses one {loss}",
        why=f"A path requires all of its points, so this one, {percent(shares.paths)} of this score, "
        "is met in full only by an answer that uses every spelling.",
        fixes=fixes,
    )


RULES = (
    Rule(
        code="R007",
        slug="lone-path",
        title="One path without an alternative",
        severity=Severity.WARNING,
        why="One path is no choice, and it is half of the score, however many points are beside it.",
        on_prompt=_check,
    ),
)
