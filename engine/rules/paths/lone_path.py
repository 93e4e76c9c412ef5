"""# lone-path: One path without an alternative

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

Also reported is a sentence in brackets, `- [Uses precise, professional language]`: brackets make a list, so this is a
path of two points that are parted by the comma.

If the path is the whole rubric, the score is the same either way, until a point is added beside it.

Fix (unsafe): flatten, so that each point counts by itself; for spellings, one `_any_of` check; for a sentence in
brackets, quotation marks instead.

Documents: Blueprint format, Understanding the Aggregation Formula 4; Blueprint format, When to Use Alternative Paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Path, Rubric
from engine.rules.paths.path_fixes import spelling_variants, variants_as_any_of
from engine.rules.rule import Report, prompt_rule
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
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import TextEdit
from engine.yaml.layout import dash_before, is_one_line


@prompt_rule(
    "R007",
    Severity.WARNING,
    why="One path is no choice, and it is half of the score, however many points are beside it.",
)
def lone_path(view: PromptView) -> Iterator[Report]:
    if not has_paths(view.prompt):
        return
    sentences = [path for rubric in view.prompt.rubrics for path in rubric.paths if _is_sentence(view, path)]
    for path in sentences:
        yield _in_brackets(view, path)
    if sentences or has_competing_paths(view.prompt):
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


def _is_sentence(view: PromptView, path: Path) -> bool:
    """Whether a path is a text in brackets, of which commas make points that go on in lower case."""
    text, (first, *others) = view.text, path.points
    if view.file.is_json or text[path.span.start] != "[" or dash_before(text, path.span.start) is None:
        return False
    if any(point.text is None or point.span.of(text)[0] in "\"'" for point in path.points):
        return False
    return (first.text or "").find(" ") > 0 and all((point.text or "")[:1].islower() for point in others)


def _in_brackets(view: PromptView, path: Path) -> Report:
    count, written = len(path.points), path.span.of(view.text)[1:-1].strip()
    what = "of one point" if count == 1 else f"of {count} points, parted by commas"
    fixes = ()
    if is_one_line(view.text, path.span) and '"' not in written:
        fixes = (Fix("one point: quote it", False, (TextEdit(path.span, f'"{written}"'),)),)
    message = f"the brackets make this an alternative path {what}: write a sentence without them"
    return Report(path.span, message, fixes=fixes)


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
