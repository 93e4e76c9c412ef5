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

# duplicate-path

The same alternative twice.

Only the best path counts, so a second path with the same points never changes a score. Judges still grade it, at your
expense, and most often it is a copy that somebody forgot to edit.

Bad:

    - id: order
      prompt: Can I return this?
      should:
        - - Says yes, within 30 days
          - Names the form
        - - Asks when it was bought
          - Asks where it was bought
        - - Names the form
          - Says yes, within 30 days

Good:

    - id: order
      prompt: Can I return this?
      should:
        - - Says yes, within 30 days
          - Names the form
        - - Asks when it was bought
          - Asks where it was bought

Fix (unsafe): remove the second.

Documents: Blueprint format, Understanding the Aggregation Formula 3.

# contained-path: Alternative met by another alternative alone

A path that another path meets alone: an answer that meets the easier one in full never needs the rest of the other.

    should:
      - - Says that no such law is known
      - - Says that no such law is known
        - Suggests that the name may be wrong
        - Offers to look for laws like it

An answer that says only the first sentence scores 100 by the first path. The two further points of the second path
cannot raise it above that: they count only for an answer that meets the first path in part.

Also reported where one path asks for less in so many words: "mentions the topic briefly" beside "gives a comprehensive,
well-researched answer". Such alternatives are not equally good, and the poorer one earns as much as the better one.

Bad:

    - id: law
      prompt: What does the Act of 1998 say?
      should:
        - - Says that no such law is known
          - Gives no details
        - - Says that no such law is known
          - Gives no details
          - Offers to look for laws like it

Good:

    - id: law
      prompt: What does the Act of 1998 say?
      should:
        - Says that no such law is known
        - Gives no details
        - Offers to look for laws like it

Fix (unsafe): where the shorter path is enough, remove the longer one; where all points are wanted, remove the shorter
one. A path that is left alone becomes a flat list.

Documents: Blueprint format, When to Use Alternative Paths, "When Alternatives Aren't Truly Equivalent".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.blueprint import Path, Point, Rubric
from engine.parsing.demands import Kind
from engine.rules import repetition
from engine.rules.phrases import found_in, signs_in
from engine.rules.rule import PromptView, Report, grouped, prompt_rule
from engine.rules.source.path_lists import flattened, has_misread_path, has_paths, path_marker
from engine.scoring.explanation import number_text, percent, shares_of
from engine.text import Fix, Related, lazy
from engine.yaml.edit import remove_item
from engine.yaml.layout import first_line

_INNER_CAPITAL = lazy(r"[^\W_][A-Z]")


@prompt_rule()
def duplicate_point(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    yield from _repeated(view, repetition.required_demands(prompt))
    for rubric in prompt.rubrics if has_paths(prompt) else ():
        for path in rubric.paths:
            yield from _repeated(view, repetition.demands_of(path.points, rubric.block))
        yield from _required_anyway(view, rubric)


def _required_anyway(view: PromptView, rubric: Rubric) -> Iterator[Report]:
    """The reports on points of paths that are required anyway."""
    required = {each.criterion: each for each in repetition.demands_of(rubric.required, rubric.block)}
    for path in rubric.paths if required else ():
        for each in repetition.demands_of(path.points, rubric.block):
            first = required.get(each.criterion)
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


def _repeated(view: PromptView, together: Sequence[repetition.Demand]) -> Iterator[Report]:
    sound = (each for each in together if repetition.is_sound(each.point))
    same = grouped(
        (each.criterion, each) for each in sound if not view.is_reported(each.point.span, Kind.WEIGHT_AS_POINT)
    )
    _join_texts(same)
    for group in same.values():
        for points in _of_one_case(group) if len(group) > 1 else ():
            if len(points) > 1:
                yield _repetition(view, points)


def _join_texts(same: dict[repetition.Criterion, list[repetition.Demand]]) -> None:
    """Move texts such as "Mentions the deposit" to the check that looks for these words."""
    literals = {(repetition.plain(each[1]), each[2]): each for each in same if each[0] == repetition.LITERAL}
    for criterion in [each for each in same if literals and not each[0]]:
        words = repetition.literal_named(same[criterion][0].point.text or "")
        literal = None if words is None else literals.get((words, criterion[2]))
        if literal is not None:
            same[literal] = sorted(same[literal] + same.pop(criterion), key=lambda each: each.point.span.start)


def _of_one_case(group: Sequence[repetition.Demand]) -> list[list[repetition.Demand]]:
    """`group` if some of it ignores case, else the points of each spelling."""
    any_case = any(each.point.function is None or each.ignores_case for each in group)
    if any_case and not any(_tests_case(each) for each in group):
        return [list(group)]
    return list(grouped((each.usual[1], each) for each in group).values())


def _tests_case(each: repetition.Demand) -> bool:
    """Whether a check depends on capitals within words, such as `FOX` or `iPhone`, which ignoring case would miss."""
    return not each.ignores_case and any(_INNER_CAPITAL.search(text) is not None for text in each.texts)


def _repetition(view: PromptView, group: Sequence[repetition.Demand]) -> Report:
    points = [each.point for each in group]
    first, later, *others = points
    places = dict.fromkeys(point.subject_span for point in (first, *others))
    shares = shares_of(view.prompt)
    times = "twice" if not others else f"{len(points)} times"
    worth = "it weighs double" if not others else f"it weighs {len(points)} times as much"
    if shares.is_required(later):
        worth = f"it weighs {percent(shares.of_all(points))} of this score"
    form = "" if len({each.exact for each in group}) == 1 else ", in another form"
    return Report(
        later.subject_span,
        f"the same criterion as another criterion{form}: counted {times}{_together(points)}, {worth}",
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


@prompt_rule()
def duplicate_path(view: PromptView) -> Iterator[Report]:
    rubric = _alternatives(view)
    if rubric is None:
        return
    first: dict[frozenset[tuple[repetition.Key, bool]], int] = {}
    for index, path in enumerate(rubric.paths):
        earlier = first.setdefault(_demanded(path, rubric), index)
        if earlier != index:
            yield Report(
                first_line(view.text, path.span),
                f"path {index + 1} is path {earlier + 1} again: it never changes a score",
                fixes=_without(view, rubric, path, "remove it"),
                related=(Related(first_line(view.text, rubric.paths[earlier].span), "the same path"),),
            )


@prompt_rule()
def contained_path(view: PromptView) -> Iterator[Report]:
    rubric = _alternatives(view)
    if rubric is None:
        return
    yield from _poorer(view, rubric)
    if not rubric.longer_paths:
        return
    required = [_demanded(path, rubric) for path in rubric.paths]
    for index, own in enumerate(required[:_MOST_PATHS]):
        at = next((at for at, other in enumerate(required[:_MOST_PATHS]) if other < own), None)
        if at is not None:
            yield _report(view, rubric, at, index, len(own - required[at]))


def _demanded(path: Path, rubric: Rubric) -> frozenset[tuple[repetition.Key, bool]]:
    """What the points of a path demand; literals that are written as different checks are the same."""
    return frozenset((each.usual, each.wanted) for each in repetition.demands_of(path.points, rubric.block))


def _report(view: PromptView, rubric: Rubric, at: int, index: int, more: int) -> Report:
    """The report that path number `at`, from 0, is part of path number `index`, which has `more` points."""
    shorter, longer = rubric.paths[at], rubric.paths[index]
    shares = shares_of(view.prompt)
    earned = f"all {number_text(shares.paths)} points of 100 for the paths" if shares.points else "the whole score"
    rest = "the other criterion of this one is" if more == 1 else f"the {more} other criteria of this one are"
    return Report(
        first_line(view.text, longer.span),
        f"path {index + 1} can be met by path {at + 1} alone: that earns {earned}, and {rest} never needed",
        why=f"Only the best path counts, for {percent(shares.paths)} of this score: "
        "where the shorter one is met in full, the longer one adds nothing.",
        fixes=(
            *_without(view, rubric, longer, "the shorter path is enough: remove this one"),
            *_without(view, rubric, shorter, f"all {len(longer.points)} criteria are wanted: remove the shorter path"),
        ),
        related=(Related(path_marker(view, shorter), "the shorter path"),),
    )


def _poorer(view: PromptView, rubric: Rubric) -> Iterator[Report]:
    """The report that the first path that asks for less than another earns as much as that one."""
    words = [(path, _degree(path, "little"), _degree(path, "much")) for path in rubric.paths[:_MOST_PATHS]]
    poorer = next(((path, little) for path, little, much in words if little and not much), None)
    better = next(((path, much) for path, little, much in words if much and not little), None)
    if poorer is None or better is None:
        return
    number, other = (rubric.paths.index(path) + 1 for path, _ in (poorer, better))
    yield Report(
        path_marker(view, poorer[0]),
        f"path {other} is never needed: path {number} asks for less (“{poorer[1]}”, not “{better[1]}”) and earns the "
        f"same {number_text(shares_of(view.prompt).paths)} points of 100",
        why="Alternatives that are not equally good are worth the same: only the best path counts.",
        related=(Related(path_marker(view, better[0]), "the path that asks for more"),),
    )


def _alternatives(view: PromptView) -> Rubric | None:
    """The `should` block, if its paths are alternatives."""
    rubric = view.prompt.should
    if rubric is None or not has_paths(view.prompt) or len(rubric.paths) < 2 or has_misread_path(view, rubric.paths):
        return None
    return rubric


def _without(view: PromptView, rubric: Rubric, path: Path, title: str) -> tuple[Fix, ...]:
    """The fix that removes `path` and flattens a last path; none if it would leave another problem."""
    removed = remove_item(view.tree, path.span)
    if not removed:
        return ()
    if len(rubric.paths) > 2:
        has_longer = rubric.longer_paths > (len(path.points) > 1)
        return (Fix(title, False, removed),) if has_longer else ()  # else they would all be single points
    left = [each for each in rubric.paths if each is not path]
    edits = () if any(_is_optional(point) for path in left for point in path.points) else flattened(view, left)
    return (Fix(f"{title}, and require what is left", False, (*removed, *edits)),) if edits else ()


def _is_optional(point: Point) -> bool:
    """Whether a point says that it is optional, which a required point cannot be."""
    return point.text is not None and "optional-point" in found_in(point.text)


_MOST_PATHS = 200
"""How many paths are compared with each other."""


def _degree(path: Path, degree: str) -> str:
    """The first of the phrases of a degree, `little` or `much`, in the texts of a path; empty if there is none."""
    texts = (point.text or "" for point in path.points)
    return next((text[slice(*place)] for text in texts for place in signs_in(degree, text)), "")
