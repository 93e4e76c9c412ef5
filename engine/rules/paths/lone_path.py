"""# lone-path

A path that stands alone: a list within the list that offers no alternative.

    should:
      - Names the duty to warn
      - Names who must be warned
      - Names the time limit
      - - Cites the European directive
        - Cites the national law

The inner list makes a path of two points. Paths are alternatives, and here there is only one; so nothing is optional,
but the path is half of the score: each of its points is worth 25 points of 100, each of the three above 16.7. Without
the inner brackets each of the five is worth 20.

Also reported where a path lists spellings of one name (`São Paulo`, `Sao Paulo`). All points of a path are asked for,
and an answer uses one spelling: it gets half of the path at best. The other spelling was meant as an alternative.

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

Fix (unsafe): flatten, so that each point counts by itself; for spellings, one `_any_of` check. Where nothing stands
beside the path the score is the same either way: there it is only a hint.

Documents: 002, "Understanding the Aggregation Formula", step 4: both parts are averaged; "When to Use Alternative
Paths".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Path, Rubric
from engine.diagnostics import Fix, Severity
from engine.rules.paths.any_of import spelling_variants, variants_as_any_of
from engine.rules.rule import Report, Rule
from engine.rules.shares import Shares, hundredths, percent, shares_of
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
        message = "this is the only path: it offers no alternative, and its points count the same without the list"
        why = "A point that is added beside it would be worth half of the score."
        return Report(span, message, why=why, severity=Severity.HINT, fixes=fixes)
    points, count = len(shares.points), len(path.points)
    beside = "the one point" if points == 1 else f"the {points} points"
    loss = "it" if count == 1 else f"its {count} points"
    message = (
        f"this one path offers no alternative and is worth as much as {beside} beside it: "
        f"missing {loss} costs {hundredths(shares.paths)} points of 100"
    )
    flat = sum(point.multiplier for point in path.points)
    flat /= flat + sum(point.multiplier for point in shares.points)
    why = f"A path is {percent(shares.paths)} of the score whatever stands beside it"
    if percent(flat) == percent(shares.paths):
        why += "; flat it would be as much now, and less with each point that is added."
    else:
        why += f"; flat it would be {percent(flat)}."
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
    demand = "a path asks for both" if count == 2 else f"a path asks for all {count}"
    return Report(
        path_marker(view, path),
        f"these are spellings of one name, and {demand}: an answer that uses one {loss}",
        why=f"The points of one path are all asked for, so the path, {percent(shares.paths)} of this score, "
        "is met in full only by an answer that spells the name in every way.",
        fixes=fixes,
    )


RULES = (
    Rule(
        code="R007",
        slug="lone-path",
        severity=Severity.WARNING,
        why="One path is no choice, and it is half of the score, however many points stand beside it.",
        on_prompt=_check,
    ),
)
