"""# duplicate-point

The same criterion twice, among the required points, on one path, or on a path and among the required points.

Both count, so the criterion weighs twice what was meant. If two of four points are the same, they are 50% of the score
and each of the others 25%; without the repetition, each of three would be 33.3%. If the texts are the same to the
letter, a grade or verdict on one of them is one on all.

Two texts are the same if they differ only in case, blanks, articles, quotation marks or the full stop. Two checks are
the same if function and argument are, or if they look for the same literal, such as `$contains: Ouagadougou` and
`$icontains: ouagadougou`; so are `$icontains: deposit` and "Mentions the deposit". `$not_contains: x` is one criterion
with `$contains: x` under `should_not`.

A point that is required anyway and stands on a path, too, counts there again: it raises that path above the others.

Bad:

    - id: rent
      prompt: Can my landlord raise the rent?
      should:
        - Names the notice period
        - Says who decides in a dispute
        - names the  notice period.

Good:

    - id: rent
      prompt: Can my landlord raise the rent?
      should:
        - Names the notice period
        - Says who decides in a dispute

Fix (unsafe): remove the second. If it should weigh more, give the first a `weight`.

Documents: Blueprint format, Understanding the Aggregation Formula, "With multipliers".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.blueprint import Path, Point, Rubric
from engine.parsing.findings import Kind
from engine.rules.repetition.requirements import (
    LITERAL,
    PointRequirement,
    Requirement,
    criterion_of,
    ignores_case,
    is_sound,
    literal_named,
    plain,
    required_points,
    requirements_in,
    spelling_of,
)
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.path_lists import has_paths
from engine.rules.views import PromptView
from engine.scoring.shares import percent, shares_of
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.patterns import lazy
from engine.yaml.edit import remove_item

_INNER_CAPITAL = lazy(r"[^\W_][A-Z]")


@prompt_rule(
    "R015",
    Severity.WARNING,
    why="Each of them counts, so the criterion weighs more than was meant, and every other point less.",
)
def duplicate_point(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    yield from _repeated(view, required_points(prompt))
    for rubric in prompt.rubrics if has_paths(prompt) else ():
        for path in rubric.paths:
            yield from _repeated(view, requirements_in(path.points, rubric.block))
        yield from _required_anyway(view, rubric)


def _required_anyway(view: PromptView, rubric: Rubric) -> Iterator[Report]:
    """The reports on points of paths that are required anyway."""
    required = {criterion_of(each): each for each in requirements_in(rubric.required, rubric.block)}
    for path in rubric.paths if required else ():
        for each in requirements_in(path.points, rubric.block):
            first = required.get(criterion_of(each))
            if first is not None and len(_of_one_case([first, each])) == 1:
                yield Report(
                    each.point.subject_span,
                    f"this is required anyway{_together((first.point, each.point))}: on the path it counts again, and "
                    "raises this path above the others",
                    fixes=_removal(view, (each.point,)) if _may_be_removed(rubric, path) else (),
                    related=(Related(first.point.subject_span, "required here"),),
                )


def _may_be_removed(rubric: Rubric, path: Path) -> bool:
    """Whether paths of several points are left if one point of `path` is removed."""
    return len(path.points) > 2 or (len(path.points) == 2 and rubric.longer_paths > 1)


def _repeated(view: PromptView, together: Sequence[PointRequirement]) -> Iterator[Report]:
    same: dict[Requirement, list[PointRequirement]] = {}
    for each in together:
        if is_sound(each.point) and not view.is_reported(each.point.span, Kind.WEIGHT_AS_POINT):
            same.setdefault(criterion_of(each), []).append(each)
    _join_texts(same)
    for group in same.values():
        for points in _of_one_case(group) if len(group) > 1 else ():
            if len(points) > 1:
                yield _repetition(view, points)


def _join_texts(same: dict[Requirement, list[PointRequirement]]) -> None:
    """Move texts such as "Mentions the deposit" to the check that looks for these words."""
    literals = {(plain(each.content), each.wanted): each for each in same if each.name == LITERAL}
    for criterion in [each for each in same if literals and not each.name]:
        words = literal_named(same[criterion][0].point.text or "")
        literal = None if words is None else literals.get((words, criterion.wanted))
        if literal is not None:
            same[literal] = sorted(same[literal] + same.pop(criterion), key=lambda each: each.point.span.start)


def _of_one_case(group: Sequence[PointRequirement]) -> list[list[PointRequirement]]:
    """`group` if some of it ignores case, else the points of each spelling."""
    any_case = any(each.point.function is None or ignores_case(each.point) for each in group)
    if any_case and not any(_tests_case(each.point) for each in group):
        return [list(group)]
    by_spelling: dict[str, list[PointRequirement]] = {}
    for each in group:
        by_spelling.setdefault(spelling_of(each), []).append(each)
    return list(by_spelling.values())


def _tests_case(point: Point) -> bool:
    """Whether a check depends on capitals within words, such as `FOX` or `iPhone`, which ignoring case would miss."""
    call = point.function
    if call is None or ignores_case(point):
        return False
    return any(_INNER_CAPITAL.search(text) is not None for text in call.texts())


def _repetition(view: PromptView, group: Sequence[PointRequirement]) -> Report:
    points = [each.point for each in group]
    first, later, *others = points
    places = dict.fromkeys(point.subject_span for point in (first, *others))
    shares = shares_of(view.prompt)
    times = "twice" if not others else f"{len(points)} times"
    worth = "it weighs double" if not others else f"it weighs {len(points)} times as much"
    if shares.is_required(later):
        worth = f"it weighs {percent(shares.of_all(points))} of this score"
    form = "" if len({each.requirement for each in group}) == 1 else ", in another form"
    return Report(
        later.subject_span,
        f"the same criterion as another point{form}: counted {times}{_together(points)}, {worth}",
        fixes=_removal(view, (later, *others)),
        related=tuple(Related(place, "the same criterion") for place in places),
    )


def _together(points: Sequence[Point]) -> str:
    """What a verdict on one of these points is for the others: verdicts belong to the text."""
    texts = {point.text for point in points}
    return ", graded together" if len(texts) == 1 and None not in texts else ""


def _removal(view: PromptView, points: Sequence[Point]) -> tuple[Fix, ...]:
    if len({point.span for point in points}) < len(points):  # several aliases of one point
        return ()
    edits = tuple(edit for point in points for edit in remove_item(view.tree, point.span))
    if len(edits) < len(points) or any(one.span.end > other.span.start for one, other in pairwise(edits)):
        return ()
    return (Fix("remove it" if len(points) == 1 else f"keep the first of the {len(points) + 1}", False, edits),)
