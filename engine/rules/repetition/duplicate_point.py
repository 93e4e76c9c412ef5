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

from engine.blueprint import Block, Path, Point, Prompt, Rubric
from engine.diagnostics import Fix, Related, Severity
from engine.parsing.findings import Kind
from engine.patterns import lazy
from engine.rules.repetition.exclusion import PointRequirement
from engine.rules.repetition.requirements import (
    Criterion,
    criterion_of,
    ignores_case,
    is_sound,
    literal_named,
    plain,
    requirement_of,
    spelling_of,
    usual_word,
)
from engine.rules.rule import Report, Rule
from engine.rules.source.list_levels import item_removed
from engine.rules.source.path_lists import has_paths
from engine.rules.views import PromptView
from engine.scoring.shares import percent, shares_of

_TAIL_LENGTH = 40
_MOST_MORE = 20
"""Characters by which one form of a criterion may be longer than another: articles, quotes, blanks."""
_INNER_CAPITAL = lazy(r"[^\W_][A-Z]")
_TRAILING = ". \n\"'“”‘’"
_LEADING = "\"'“‘"


def _duplicates(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    candidates = _candidates(prompt)
    if len(candidates) > 1:
        yield from _repeated(view, candidates)
    for rubric in prompt.rubrics if has_paths(prompt) else ():
        for path in rubric.paths:
            yield from _repeated(
                view, [PointRequirement(point, requirement_of(point, rubric.block)) for point in path.points]
            )
        yield from _required_anyway(view, rubric)


def _candidates(prompt: Prompt) -> list[PointRequirement]:
    """The required checks, and the texts that end alike: a quick filter, as most texts end differently."""
    by_end: dict[str | None, list[tuple[Point, Block]]] = {}
    for rubric in prompt.rubrics:
        for point in rubric.entries:
            if type(point) is Point:
                by_end.setdefault(point.text and _end(point.text), []).append((point, rubric.block))
    alike = [each for points in by_end.values() if len(points) > 1 for each in _of_like_length(points)]
    if None in by_end:
        single = [each for points in by_end.values() if len(points) == 1 for each in points]
        alike += [each for each in single if each[0].text is None or _names_words(each[0])]
    alike.sort(key=lambda each: each[0].span.start)
    return [PointRequirement(point, requirement_of(point, block)) for point, block in alike]


def _of_like_length(points: list[tuple[Point, Block]]) -> list[tuple[Point, Block]]:
    """The points with a text of about the length of another one's; all checks."""
    lengths = sorted(len(point.text or "") for point, _ in points)
    near = {one for one, other in pairwise(lengths) if other - one <= _MOST_MORE}
    near |= {other for one, other in pairwise(lengths) if other - one <= _MOST_MORE}
    return [each for each in points if len(each[0].text or "") in near]


def _end(text: str) -> str:
    """The last word of a text as it is compared, or the first of the last two around "and"."""
    words = [word.strip(_LEADING) for word in text[-_TAIL_LENGTH:].rstrip(_TRAILING).lower().rsplit(None, 3)]
    last = usual_word(words[-1]) if words else ""
    return min(last, usual_word(words[-3])) if len(words) > 2 and words[-2] == "and" else last


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
                    f"this is required anyway{_together((first, point))}: on the path it counts again, and raises this "
                    "path above the others",
                    fixes=_removal(view, (point,)) if _may_be_removed(rubric, path) else (),
                    related=(Related(first.subject_span, "required here"),),
                )


def _may_be_removed(rubric: Rubric, path: Path) -> bool:
    """Whether paths of several points are left if one point of `path` is removed."""
    return len(path.points) > 2 or (len(path.points) == 2 and rubric.longer_paths > 1)


def _repeated(view: PromptView, together: Sequence[PointRequirement]) -> Iterator[Report]:
    same: dict[Criterion, list[PointRequirement]] = {}
    for each in together:
        if is_sound(each.point) and not view.is_reported(each.point.span, Kind.WEIGHT_AS_POINT):
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
    edits = tuple(edit for point in points if (edit := item_removed(view.tree, point.span)) is not None)
    if len(edits) < len(points) or any(one.span.end > other.span.start for one, other in pairwise(edits)):
        return ()
    return (Fix("remove it" if len(points) == 1 else f"keep the first of the {len(points) + 1}", False, edits),)


RULES = (
    Rule(
        code="R015",
        slug="duplicate-point",
        severity=Severity.WARNING,
        why="Each of them counts, so the criterion weighs more than was meant, and every other point less.",
        on_prompt=_duplicates,
    ),
)
