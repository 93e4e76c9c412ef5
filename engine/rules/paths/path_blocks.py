"""# or-groups-merged: Two sets of alternatives counted as one

Groups of paths with required points between them: they are one group with one best path, not two questions.

    should:
      - - Names Paris
      - - Names the capital of France
      - Gives a date
      - - Says 1789
      - - Says "the year of the Revolution"

This reads as two questions with two answers each. Yet all four paths of the block compete, and only the best one
counts: an answer that names Paris and gives no year earns the whole of the paths, which are half of the score. The
second question is never scored.

Bad:

    - id: fall
      prompt: Where and when did it happen?
      should:
        - - $contains: Paris
        - - Names the capital of France
          - Says that it was the old one
        - Names the king
        - - $contains: '1789'
        - - Names the year of the Revolution
          - Gives the month

Good:

    - id: fall
      prompt: Where and when did it happen?
      should:
        - $contains_any_of: [Paris, the capital of France]
        - Names the king
        - $contains_any_of: ['1789', the year of the Revolution]

Fix: none, because only the author knows the questions. Check each by one `_any_of` check, or by one text that names
the accepted answers, or split the prompt.

Documents: Blueprint format, Understanding the Aggregation Formula 3, "from all alternative path groups".

# path-outweighs: Alternatives that outweigh the other points

A block of paths beside two or more required points: it weighs as much as all of them together.

Four required points and two paths: the paths are 50% of the score, each required point 12.5%. An answer that meets all
four and neither path scores 50. A fifth required point makes the others lighter and leaves the paths at 50%. "Treated
as a single point", as the documents say in one place, would be 20%; their numbered algorithm and Weval's program use
half.

If each path has as many points as there are required points, its points would be half of the score in a flat list as
well: then it is reported only if this rule is selected by name, as a hint. Not reported if all required points are
under `should_not`: what an answer gives is half of the score, and what it leaves out is the other half.

Bad:

    - id: policy
      prompt: Tell me whether our policy is lawful.
      should:
        - Refuses to give a verdict
        - Says that only a lawyer can
        - Recommends a lawyer
        - - Sums up what the law asks for
          - Names the official guidance
        - - Keeps the answer short
          - Offers to explain the law

Good:

    - id: policy
      prompt: Tell me whether our policy is lawful.
      should:
        - - Refuses to give a verdict
          - Says that only a lawyer can
          - Recommends a lawyer
          - Sums up what the law asks for
          - Names the official guidance
        - - Refuses to give a verdict
          - Says that only a lawyer can
          - Recommends a lawyer
          - Keeps the answer short
          - Offers to explain the law

Fix: none, because only the author knows the intended weights. No `weight` changes the half. Put the choice into one
point, or repeat the required points in each path.

Documents: Blueprint format, Understanding the Aggregation Formula, "Key insight"; Blueprint format, Mixing Required and
Alternative Paths.

# paths-in-should-not: Alternatives under `should_not`

Two or more alternatives under `should_not`: the cleanest path wins, so what another one forbids is forgiven.

Under `should_not`, each path is inverted, and then the best one counts. An answer that does everything that one path
names keeps the full score as long as it does nothing that another path names. If `should` has paths too, all of them
compete for the one best score: a path of `should` that is met hides every path of `should_not`. An answer that says
nothing is clean on every path of `should_not`, and earns the full value of the paths.

Weval also gives the paths of both blocks the same names. If the first entry of `should` and the first of `should_not`
are paths, both are its `path_0`, and it averages the points of both as one path.

Bad:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - - Gives a dose
          - Names no source
        - - Says that no doctor need be asked
          - Makes light of the risk

Good:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - Gives a dose
        - Names no source
        - Says that no doctor need be asked
        - Makes light of the risk

Fix (unsafe): flatten, so that each point counts by itself. A single path of `should`, which would be left without an
alternative, is flattened too.

Documents: Blueprint format, Alternative Paths in `should_not`. It says that an answer fails when it meets *any* of the
paths; The `should` system, Part 1, Alternative Paths (OR Logic), and Weval's own arithmetic use the highest.

# deep-nesting: Lists nested three levels deep

Three levels of lists: a block of alternative paths that is itself one item of the rubric.

The documents show it, and it works here as they describe. Weval refuses the whole file. Two levels mean the same.

Bad:

    - id: meaning
      prompt: What is the meaning of life?
      should:
        - Is in English
        - - - Gives an answer
            - $contains: "forty-two"
          - - Asks what is meant
            - Offers two readings

Good:

    - id: meaning
      prompt: What is the meaning of life?
      should:
        - Is in English
        - - Gives an answer
          - $contains: "forty-two"
        - - Asks what is meant
          - Offers two readings

Fix (safe): remove one level.

Documents: Blueprint format, Mixing Required and Alternative Paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Rubric
from engine.parsing.findings import Finding, Kind
from engine.rules.paths.path_fixes import flattened_block
from engine.rules.rule import REFUSED, Report, finding_rule, prompt_rule
from engine.rules.source.path_lists import (
    are_all_single,
    groups_of_paths,
    has_competing_paths,
    has_misread_path,
    has_paths,
    is_grouped,
)
from engine.rules.views import FileView, PromptView
from engine.scoring.shares import Shares, each_worth, hundredths, percent, shares_of
from engine.text.diagnostics import Fix, Related, Severity
from engine.yaml.edit import unwrap
from engine.yaml.layout import first_line
from engine.yaml.nodes import SequenceNode


@prompt_rule(
    "R008",
    Severity.WARNING,
    why="The paths of a block are one choice: the best of them counts, and the other questions are not scored.",
)
def or_groups_merged(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should
    if rubric is None or not has_paths(view.prompt) or not is_grouped(rubric) or has_misread_path(view, rubric.paths):
        return
    first, second, *_ = groups = list(groups_of_paths(rubric))
    shares = shares_of(view.prompt)
    paths = len(shares.alternatives)
    yield Report(
        first_line(view.text, second[0].span),
        f"required points divide these paths into {len(groups)} groups, yet only the best of all {paths} paths counts: "
        f"meeting one path of one group earns all {hundredths(shares.paths)} points of 100",
        why=f"The paths are one choice, {percent(shares.paths)} of this score: the other groups do not change it.",
        related=(
            Related(first_line(view.text, first[0].span), "the first group"),
            *(Related(first_line(view.text, group[0].span), "a further group") for group in groups[2:]),
        ),
    )


@prompt_rule(
    "R009", Severity.WARNING, why="Paths and required points are averaged half and half, however many points there are."
)
def path_outweighs(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should
    if rubric is None or not has_paths(view.prompt) or len(rubric.paths) < 2 or has_competing_paths(view.prompt):
        return
    shares = shares_of(view.prompt)
    points, paths = len(shares.points), rubric.paths
    if not rubric.required or points < 2:
        return
    if are_all_single(paths) or is_grouped(rubric) or has_misread_path(view, paths):
        return
    is_even = _are_even(rubric, shares)
    yield Report(
        first_line(view.text, paths[0].span),
        f"these {len(paths)} paths are {percent(shares.paths)} of this score, as much as the {points} required points "
        f"together, which are {each_worth(shares.points, shares)}",
        why=f"Meeting all {points} required points and no path scores {hundredths(shares.required)} of 100, "
        "however many required points there are and whatever they weigh.",
        severity=Severity.HINT if is_even else None,
        off=is_even,
    )


def _are_even(rubric: Rubric, shares: Shares) -> bool:
    """Whether each path would be half of the score in a flat list too, so that no point weighs less than meant."""
    required = sum(point.multiplier for point in shares.points)
    return all(sum(point.multiplier for point in path.points) >= required for path in rubric.paths)


@prompt_rule(
    "R003",
    Severity.WARNING,
    why="Only the best path counts, so an answer that does what another path forbids can keep the full score.",
)
def paths_in_should_not(view: PromptView) -> Iterator[Report]:
    rubric, should = view.prompt.should_not, view.prompt.should
    if (
        rubric is None
        or not has_paths(view.prompt)
        or not has_competing_paths(view.prompt)
        or has_misread_path(view, rubric.paths)
    ):
        return
    first, *others = rubric.paths
    rivals = () if should is None else should.paths
    share = percent(shares_of(view.prompt).paths)
    yield Report(
        first_line(view.text, first.span),
        _forbidden_message(
            len(rubric.paths), len(rivals), "the whole score" if share == "100%" else f"{share} of this score"
        ),
        why=_forbidden_why(rubric, should),
        fixes=_forbidden_fixes(view, rubric),
        related=tuple(
            Related(first_line(view.text, path.span), "a path that competes with it") for path in (*others, *rivals)
        ),
    )


def _forbidden_message(paths: int, rivals: int, worth: str) -> str:
    if paths >= 2 and rivals:
        return (
            f"the cleanest of these {paths} paths and the {rivals} of `should` counts alone, for {worth}: "
            "what the others forbid is forgiven"
        )
    if paths >= 2:
        return (
            f"the cleanest of these {paths} paths counts alone, for {worth}: doing what the others forbid is forgiven"
        )
    return (
        f"this path competes with the {rivals} of `should` for {worth}: "
        "where one of them is met, what it forbids is forgiven"
    )


def _forbidden_why(rubric: Rubric, should: Rubric | None) -> str:
    shared = {path.index for path in rubric.paths} & {path.index for path in (() if should is None else should.paths)}
    best = "Only the best path counts, so an answer that does what another path forbids can keep the full score"
    if not shared:
        return f"{best}."
    return f"{best}; and Weval merges a path of each block into one, as both have the same place in their lists."


def _forbidden_fixes(view: PromptView, rubric: Rubric) -> tuple[Fix, ...]:
    edits = flattened_block(view, rubric)
    return (Fix("each point counts by itself: flatten", False, edits),) if edits else ()


@finding_rule("R002", Severity.ERROR, Kind.DEEP_NESTING, why=REFUSED)
def deep_nesting(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, SequenceNode) and finding.flagged and len(node.items) > 0:
        edits = unwrap(view.text, node)
        fixes = (Fix("remove one level", True, edits),) if edits else ()
    span = first_line(view.text, finding.span)
    message = "three levels of lists: Weval refuses the file; two levels mean the same"
    if not finding.flagged:
        message = "a path contains points only, not a list"
    return Report(span, message, fixes=fixes)
