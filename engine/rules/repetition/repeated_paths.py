"""# duplicate-path

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

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path as FilePath

from engine.blueprint import Path, Point, Rubric
from engine.rules.phrases.families import found_in
from engine.rules.phrases.matcher import Phrases, read_phrases, words_in
from engine.rules.repetition.requirements import Requirement, requirements_of
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.path_lists import flattened, has_misread_path, has_paths, path_marker
from engine.rules.views import PromptView
from engine.scoring.shares import hundredths, percent, shares_of
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.record import Record
from engine.yaml.edit import remove_item
from engine.yaml.layout import first_line


@prompt_rule("R010", Severity.WARNING, why="Only the best path counts, so repeating a path changes nothing.")
def duplicate_path(view: PromptView) -> Iterator[Report]:
    rubric = _alternatives(view)
    if rubric is None:
        return
    first: dict[frozenset[Requirement], int] = {}
    for index, path in enumerate(rubric.paths):
        earlier = first.setdefault(requirements_of(path, rubric.block), index)
        if earlier != index:
            yield Report(
                first_line(view.text, path.span),
                f"path {index + 1} is path {earlier + 1} again: it never changes a score",
                fixes=_without(view, rubric, path, "remove it"),
                related=(Related(first_line(view.text, rubric.paths[earlier].span), "the same path"),),
            )


@prompt_rule(
    "R011",
    Severity.WARNING,
    why="Only the best path counts: where the shorter one is met in full, the longer one adds nothing.",
)
def contained_path(view: PromptView) -> Iterator[Report]:
    rubric = _alternatives(view)
    if rubric is None:
        return
    unequal = unequal_paths(rubric.paths)
    if unequal is not None:
        yield _poorer(view, rubric, unequal)
    if not rubric.longer_paths:
        return
    required = [requirements_of(path, rubric.block) for path in rubric.paths]
    for index, own in enumerate(required[:_MOST_PATHS]):
        at = next((at for at, other in enumerate(required[:_MOST_PATHS]) if other < own), None)
        if at is not None:
            yield _report(view, rubric, at, index, len(own - required[at]))


def _report(view: PromptView, rubric: Rubric, at: int, index: int, more: int) -> Report:
    """The report that path number `at`, from 0, is part of path number `index`, which has `more` points."""
    shorter, longer = rubric.paths[at], rubric.paths[index]
    shares = shares_of(view.prompt)
    earned = f"all {hundredths(shares.paths)} points of 100 for the paths" if shares.points else "the whole score"
    rest = "the other point of this one is" if more == 1 else f"the {more} other points of this one are"
    return Report(
        first_line(view.text, longer.span),
        f"path {index + 1} can be met by path {at + 1} alone: that earns {earned}, and {rest} never needed",
        why=f"Only the best path counts, for {percent(shares.paths)} of this score: "
        "where the shorter one is met in full, the longer one adds nothing.",
        fixes=(
            *_without(view, rubric, longer, "the shorter path is enough: remove this one"),
            *_without(view, rubric, shorter, f"all {len(longer.points)} points are wanted: remove the shorter path"),
        ),
        related=(Related(path_marker(view, shorter), "the shorter path"),),
    )


def _poorer(view: PromptView, rubric: Rubric, unequal: UnequalPaths) -> Report:
    """The report that one path asks for less than another."""
    poorer, better = rubric.paths[unequal.poorer], rubric.paths[unequal.better]
    shares = shares_of(view.prompt)
    return Report(
        path_marker(view, poorer),
        f"path {unequal.better + 1} is never needed: path {unequal.poorer + 1} asks for less (“{unequal.poorer_word}”, "
        f"not “{unequal.better_word}”) and earns the same {hundredths(shares.paths)} points of 100",
        why="Alternatives that are not equally good are worth the same: only the best path counts.",
        related=(Related(path_marker(view, better), "the path that asks for more"),),
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
    return (Fix(f"{title}, and flatten", False, (*removed, *edits)),) if edits else ()


def _is_optional(point: Point) -> bool:
    """Whether a point says that it is optional, which a required point cannot be."""
    return point.text is not None and "optional-point" in found_in(point.text)


_MOST_PATHS = 200
"""How many paths are compared with each other."""


class UnequalPaths(Record):
    """The places, from 0, of a poorer and a better path, and the word of each that says so."""

    poorer: int
    better: int
    poorer_word: str
    better_word: str


def unequal_paths(paths: Sequence[Path]) -> UnequalPaths | None:
    """The first path that asks for less than another, with that one; None if none says so."""
    words = [(_degree(path, "little"), _degree(path, "much")) for path in paths[:_MOST_PATHS]]
    poorer = next((index for index, (little, much) in enumerate(words) if little and not much), None)
    better = next((index for index, (little, much) in enumerate(words) if much and not little), None)
    if poorer is None or better is None:
        return None
    return UnequalPaths(poorer, better, words[poorer][0], words[better][1])


@cache
def _phrases(degree: str) -> Phrases:
    """The phrases of a degree, `little` or `much`."""
    rows = tomllib.loads(FilePath(__file__).with_name("unequal_paths.toml").read_text(encoding="utf-8"))
    return Phrases(read_phrases(rows[degree], rows["sets"]))


def _degree(path: Path, degree: str) -> str:
    """The first of the phrases of a degree in the texts of a path; empty if there is none."""
    for point in path.points:
        found = None if point.text is None else next(_phrases(degree).found(words_in(point.text)), None)
        if found is not None:
            return (point.text or "")[slice(*found[1])]
    return ""
