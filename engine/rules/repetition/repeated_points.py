"""# duplicate-point

The same criterion twice, among the required points, on one path, or on a path and among the required points.

Both count, so the criterion weighs twice what was meant. If two of four points are the same, they are 50% of the score
and each of the others 25%; without the repetition, each of three would be 33.3%. A judge grades it twice, too.

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

# contradiction

The same thing required and forbidden: no answer meets both points.

Reported for the same text or check in both blocks, for a required literal of which a part is forbidden ("fiduciary
duty" and `$not_icontains: duty`), and for an `_any_of` list of which every literal is forbidden. Every answer loses one
of the two: with four equal points, no answer scores more than 75.

Nothing is reported if an answer can avoid the conflict: by its case, by another literal of a list, by another path.

Bad:

    - id: pension
      prompt: What is a trustee's duty?
      should:
        - $contains: fiduciary duty
        - $not_icontains: fiduciary

Good:

    - id: pension
      prompt: What is a trustee's duty?
      should:
        - $contains: fiduciary duty

Fix: none, because only the author knows which of the two is meant.

Documents: Blueprint format, The `should` and `should_not` Rubrics; The `should` system, Part 1, Negative
Point-Functions.

# exclusive-points

Two points that no answer meets together.

Both are required, and each rules out the other: an answer that begins with "Yes" does not begin with "No", one of at
most 50 words does not have at least 100, and one that refuses to answer does not answer. The full score is out of
reach. If either will do, use alternative paths.

Bad:

    - id: verdict
      prompt: Is the clause void?
      should:
        - $starts_with: 'Yes'
        - $starts_with: 'No'

Good:

    - id: verdict
      prompt: Is the clause void?
      should:
        - $matches: '^(?:Yes|No)'

Fix: none, because only the author knows which is meant. If either will do, make each a path.

Documents: Blueprint format, Defining Alternative Rubric Paths (OR logic), "a response must satisfy all of them".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from engine.blueprint import Block, Path, Point, Prompt, Rubric
from engine.diagnostics import Fix, Related, Severity
from engine.parsing.findings import Kind
from engine.rules.checks import is_negated
from engine.rules.repetition.exclusion import (
    MOST_PAIRS,
    PointRequirement,
    contradiction_in,
    exclusion_candidates,
    exclusion_reason,
)
from engine.rules.repetition.requirements import (
    Criterion,
    criterion_of,
    ignores_case,
    literal_named,
    plain,
    requirement_of,
    spelling_of,
)
from engine.rules.rule import Report, Rule
from engine.rules.shares import hundredths, percent, shares_of
from engine.rules.source.list_levels import item_removed
from engine.rules.source.path_lists import has_paths
from engine.rules.views import PromptView

_TAIL_LENGTH, _COMPARED_LENGTH = 12, 5
_MOST_COMPARED = 300
"""How many points are compared with each other for exclusion: the pairs are counted by the square."""
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]")
_TRAILING = ". \n\"'“”‘’"


def _duplicates(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if _may_repeat(prompt):
        yield from _repeated(view, _required(prompt))
    for rubric in prompt.rubrics if has_paths(prompt) else ():
        for path in rubric.paths:
            yield from _repeated(
                view, [PointRequirement(point, requirement_of(point, rubric.block)) for point in path.points]
            )
        yield from _required_anyway(view, rubric)


def _may_repeat(prompt: Prompt) -> bool:
    """Whether two required points are checks or end alike: a quick filter, as most texts end differently."""
    points = [
        entry
        for rubric in (prompt.should, prompt.should_not)
        if rubric is not None
        for entry in rubric.entries
        if type(entry) is Point
    ]
    ends = {point.text and point.text[-_TAIL_LENGTH:].rstrip(_TRAILING)[-_COMPARED_LENGTH:].lower() for point in points}
    return len(ends) < len(points) or (None in ends and any(map(_names_words, points)))


def _names_words(point: Point) -> bool:
    return point.text is not None and literal_named(point.text) is not None


def _required_anyway(view: PromptView, rubric: Rubric) -> Iterator[Report]:
    """The reports on points of paths that are required anyway."""
    required = {criterion_of(point, rubric.block): point for point in rubric.required}
    for path in rubric.paths if required else ():
        for point in path.points:
            first = required.get(criterion_of(point, rubric.block))
            if first is not None and _is_same_case([first, point], rubric.block):
                yield Report(
                    point.subject_span,
                    "this is required anyway: on the path it counts again, and raises this path above the others",
                    fixes=_removal(view, (point,)) if _may_be_removed(rubric, path) else (),
                    related=(Related(first.subject_span, "required here"),),
                )


def _may_be_removed(rubric: Rubric, path: Path) -> bool:
    """Whether paths of several points are left if one point of `path` is removed."""
    return len(path.points) > 2 or (len(path.points) == 2 and rubric.longer_paths > 1)


def _required(prompt: Prompt) -> list[PointRequirement]:
    return [
        PointRequirement(point, requirement_of(point, rubric.block))
        for rubric in prompt.rubrics
        for point in rubric.required
    ]


def _repeated(view: PromptView, together: Sequence[PointRequirement]) -> Iterator[Report]:
    same: dict[Criterion, list[PointRequirement]] = {}
    for each in together:
        if not view.is_reported(each.point.span, Kind.WEIGHT_AS_POINT):
            same.setdefault(criterion_of(each.point, _block_of(view.prompt, each.point)), []).append(each)
    _join_texts(same)
    for group in same.values():
        for points in _of_one_case(view.prompt, group):
            if len(points) > 1:
                yield _repetition(view, points)


def _block_of(prompt: Prompt, point: Point) -> Block:
    should_not = prompt.should_not
    is_forbidden = should_not is not None and should_not.span.start <= point.span.start < should_not.span.end
    return Block.SHOULD_NOT if is_forbidden else Block.SHOULD


def _join_texts(same: dict[Criterion, list[PointRequirement]]) -> None:
    """Move texts such as "Mentions the deposit" to the check that looks for these words."""
    literals = {(plain(each.content), each.wanted): each for each in same if each.is_literal}
    for criterion in [each for each in same if literals and not each.name]:
        words = literal_named(same[criterion][0].point.text or "")
        literal = None if words is None else literals.get((words, criterion.wanted))
        if literal is not None:
            same[literal] = sorted(same[literal] + same.pop(criterion), key=lambda each: each.point.span.start)


def _of_one_case(prompt: Prompt, group: Sequence[PointRequirement]) -> Iterator[list[PointRequirement]]:
    """`group` if some of it ignores case, else the points of each spelling."""
    by_spelling: dict[str, list[PointRequirement]] = {}
    for each in group:
        by_spelling.setdefault(spelling_of(each.point, _block_of(prompt, each.point)), []).append(each)
    if any(each.point.function is None or ignores_case(each.point) for each in group) and not any(
        _tests_case(each.point) for each in group
    ):
        yield list(group)
    else:
        yield from by_spelling.values()


def _tests_case(point: Point) -> bool:
    """Whether a check depends on capitals within words, such as `FOX` or `iPhone`, which ignoring case would miss."""
    call = point.function
    if call is None or ignores_case(point):
        return False
    return any(_INNER_CAPITAL.search(text) is not None for text in call.texts())


def _is_same_case(points: Sequence[Point], block: Block) -> bool:
    """Whether the points are the same criterion whatever the case: not if all are checks for other spellings."""
    any_case = any(point.function is None or ignores_case(point) for point in points)
    return (any_case and not any(map(_tests_case, points))) or len({spelling_of(point, block) for point in points}) == 1


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
        f"the same criterion as another point{form}: counted {times}, {worth}",
        fixes=_removal(view, (later, *others)),
        related=tuple(Related(place, "the same criterion") for place in places),
    )


def _removal(view: PromptView, points: Sequence[Point]) -> tuple[Fix, ...]:
    if len({point.span for point in points}) < len(points):  # several aliases of one point
        return ()
    edits = tuple(edit for point in points if (edit := item_removed(view.tree, point.span)) is not None)
    if len(edits) < len(points) or any(one.span.end > other.span.start for one, other in pairwise(edits)):
        return ()
    return (Fix("remove it" if len(points) == 1 else f"keep the first of the {len(points) + 1}", False, edits),)


def _contradictions(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if prompt.should_not is None and not _has_negated_check(prompt):
        return
    required = _required(prompt)
    found = contradiction_in(required)
    if found is not None:
        yield _contradiction(view, *found)
        return
    alternatives = sum(len(rubric.paths) for rubric in prompt.rubrics)
    if alternatives * len(required) > MOST_PAIRS:
        return
    paths = [
        [*required, *(PointRequirement(point, requirement_of(point, rubric.block)) for point in path.points)]
        for rubric in prompt.rubrics
        for path in rubric.paths
    ]
    by_path = [contradiction_in(together) for together in paths]
    if by_path and by_path[0] is not None and None not in by_path:
        yield _contradiction(view, *by_path[0], paths=len(paths))


def _has_negated_check(prompt: Prompt) -> bool:
    return prompt.should is not None and any(map(is_negated, prompt.should.points()))


def _contradiction(
    view: PromptView, wanted: PointRequirement, forbidden: Sequence[PointRequirement], *, paths: int = 0
) -> Report:
    points = sorted((wanted.point, *(each.point for each in forbidden)), key=lambda point: point.span.start)
    *earlier, later = points
    shares = shares_of(view.prompt)
    least = min(shares.of(each.point) * each.loss_per_literal for each in (wanted, *forbidden))
    cost = f"at least {hundredths(least)} points of 100 are lost whatever it says" if not paths else ""
    message = f"no answer meets both this and what is {'forbidden' if later is wanted.point else 'asked for'} above"
    if paths == 1:
        cost = "the one path is out of reach"
    elif paths:
        cost = f"each of the {paths} paths is out of reach like that"
    return Report(
        later.subject_span,
        f"{message}: {cost}",
        related=tuple(
            Related(point.subject_span, "asked for here" if point is wanted.point else "forbidden here")
            for point in earlier
        ),
    )


def _exclusive(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if prompt.should is None or len(prompt.should.entries) < 2:
        return
    candidates = exclusion_candidates(prompt.should.required)[:_MOST_COMPARED]
    if len(candidates) < 2:
        return
    spans = {point.span for point in candidates}
    wanted = [each for each in _required(prompt) if each.point.span in spans]
    for one, other in combinations(wanted, 2):
        reason = exclusion_reason(one, other)
        if reason is not None:
            shares = shares_of(prompt)
            least = min(shares.of(one.point), shares.of(other.point))
            yield Report(
                other.point.subject_span,
                f"an answer that {reason}: {hundredths(least)} points of 100 are out of reach",
                related=(Related(one.point.subject_span, "the other point"),),
            )
            return


RULES = (
    Rule(
        code="R013",
        slug="contradiction",
        severity=Severity.ERROR,
        why="Every answer loses one of the two, so no answer can earn the full score.",
        on_prompt=_contradictions,
    ),
    Rule(
        code="R014",
        slug="exclusive-points",
        severity=Severity.HINT,
        why="All points of one list must be met, so no answer can earn the full score; use paths for alternatives.",
        on_prompt=_exclusive,
    ),
    Rule(
        code="R015",
        slug="duplicate-point",
        severity=Severity.WARNING,
        why="Each of them counts, so the criterion weighs more than was meant, and every other point less.",
        on_prompt=_duplicates,
    ),
)
