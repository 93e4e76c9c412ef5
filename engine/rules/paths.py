r"""# single-element-path: Alternatives of one criterion each

A block of alternative paths of one point each: any one of them earns the whole block.

    should:
      - - $imatches: 'Lagos.{0,50}Nigeria'
      - - $imatches: 'Kinshasa.{0,50}(?:Congo|DRC)'

Here, naming Lagos alone earns the block in full, and naming neither earns 0. Beside required points the block is half
of the score, however many there are: four required points fully met and no path met is 50. That is the usual cause of
"my score is half of what I expected".

Three questions decide which form is right:

1. Could several criteria satisfy the requirement? If not, use a flat list.
2. Does each alternative consist of several criteria that belong together? If not, you probably want a flat list with an
   `_any_of` function, such as `$contains_any_of: [Myanmar, Burma]`.
3. Are the alternatives equally good and complete? If not, reconsider the rubric. If so, nested lists are right.

Good uses: disputed measurements (the Nile or the Amazon is longest), two names of one thing, several right ways to
solve a task, facts that differ by region or time, several formats of a date. Poor uses: criteria that should all be
met; alternatives of different value (a well-researched answer, or a brief mention); paths of one point each.

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

Fix, if all are needed (unsafe): require each of them, so that each point counts by itself.
Fix, if any will do (unsafe): join them as one `_any_of` check, or to one pattern with `|`.
Fix, if it is as intended: a comment at the block, `# studio: ignore[single-element-path]` and the reason.

A block that is the whole rubric is a hint: real alternatives look the same. It is a warning if a good answer meets two
or more of its paths, so that all seem to be wanted. Good answers are the ideal, and those that a case file labels
`good`. Checks are tried on them; in the studio and in `studio review`, stored verdicts and grades count too. Checks
that find the same place of the answer, such as two spellings of one name, are no evidence.

Beside one point, a block is a hint too if its paths are checks with a word in common (`Nile[\s\S]+Amazon`,
`Amazon[\s\S]+Nile`) or formats without any word.

Documents: Blueprint format, Common Pitfall: Single-Element Nested Arrays; Blueprint format, When to Use Alternative
Paths; Blueprint format, Troubleshooting 1.

# lone-path: One path without an alternative

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

Fix (unsafe): require each of them, so that each point counts by itself; for spellings, one `_any_of` check; for a
sentence in brackets, quotation marks instead.

Documents: Blueprint format, Understanding the Aggregation Formula 4; Blueprint format, When to Use Alternative Paths.

# or-between-points

A line `OR` between points, also in other languages: alone, as an item (`- OR`) or as a key (`or:`).

In a list it is a criterion of its own, a part of the point above, or an error of the YAML. All points are required, and
none of them is an alternative.

Bad:

    - id: capital
      prompt: Where does the government of Kenya sit?
      should:
        - Names Nairobi
        - OR
        - Says that it sits in the capital

Good:

    - id: capital
      prompt: Where does the government of Kenya sit?
      should:
        - - Names Nairobi
          - Says since when
        - - Says that it sits in the capital
          - Describes where that is

Fix (unsafe): alternative paths, one of the points above the line and one of those below it.

Documents: Blueprint format, Defining Alternative Rubric Paths (OR logic).

# or-groups-merged: Two sets of alternatives counted as one

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

# path-outweighs: Alternatives that outweigh the other criteria

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

Fix (unsafe): require each of them, so that each point counts by itself. A single path of `should`, which would be left
without an alternative, becomes required too.

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

from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.blueprint import Path, Rubric
from engine.parsing.demands import Finding, Kind
from engine.rules.rule import FileView, PromptView, Report, finding_rule, fix_at, prompt_rule
from engine.rules.source.path_lists import (
    are_all_single,
    as_any_of,
    flattened,
    flattened_block,
    groups_of_paths,
    has_competing_paths,
    has_misread_path,
    has_paths,
    is_grouped,
    path_marker,
    spelling_variants,
    variants_as_any_of,
)
from engine.rules.source.prompt_texts import level_of
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Shares, each_worth, number_text, percent, shares_of
from engine.text import Fix, Related, Severity, Span, lazy, replace
from engine.yaml.edit import unwrap
from engine.yaml.layout import dash_before, first_line, is_one_line, line_start
from engine.yaml.nodes import ScalarNode, SequenceNode, Style
from engine.yaml.slips import OR_LINE, Lines, message_on, or_slip
from engine.yaml.tree_loader import nodes_around

_WORD = lazy(r"\\.|([^\W\d_]{3,})")
"""A word of a literal or a pattern, as its group."""


def _check_good_answers(view: PromptView) -> Iterator[Report]:
    """Report lone paths that are the whole rubric if a good answer meets two of them."""
    rubric = _lone_paths(view)
    if rubric is None or not _is_whole(rubric, shares_of(view.prompt)):
        return
    from engine.study.case_reader import GoodAnswers  # here, as few prompts need it, and it brings the evaluation

    good_answers = view.file.good_answers or GoodAnswers()
    for name, assessments in good_answers.of(view.file.blueprint, view.prompt, view.javascript):
        met = _met(assessments)
        if not all(_is_one_place(one, other) for one, other in combinations(met, 2)):
            usual = _lone_report(view, rubric)
            message = f"{usual.message}, and {name} meets {len(met)} of them"
            related = tuple(Related(each.point.subject_span, f"{name} meets this path") for each in met)
            yield replace(usual, message=message, severity=None, related=related)
            return


def _lone_report(view: PromptView, rubric: Rubric) -> Report:
    shares, count = shares_of(view.prompt), len(rubric.paths)
    is_open = _is_whole(rubric, shares) or (len(shares.points) == 1 and _are_variants(rubric))
    first, *others = [path_marker(view, path) for path in rubric.paths]
    return Report(
        first,
        _lone_message(shares, count),
        why=f"Meeting one of the {count} is worth as much as meeting them all; "
        f"meeting none costs {number_text(shares.paths)} points of 100.",
        severity=Severity.HINT if is_open else None,
        fixes=(_flattening(view, rubric), *as_any_of(view, rubric)),
        related=tuple(Related(span, "another path of one criterion") for span in others),
    )


def _lone_paths(view: PromptView) -> Rubric | None:
    """The points of `should` if all of its paths have one point each, and mean to be alternatives; else None."""
    rubric = view.prompt.should
    if rubric is None or not has_paths(view.prompt) or len(rubric.paths) < 2 or not are_all_single(rubric.paths):
        return None
    return None if view.is_cut_off or is_grouped(rubric) or has_misread_path(view, rubric.paths) else rubric


def _is_whole(rubric: Rubric, shares: Shares) -> bool:
    """Whether the paths of `rubric` are all that is scored."""
    return not shares.points and len(shares.alternatives) == len(rubric.paths)


def _are_variants(rubric: Rubric) -> bool:
    """Whether all paths are checks of texts or patterns that have a word in common, or that are formats without any."""
    calls = [call for path in rubric.paths if (call := path.points[0].function) is not None]
    names = [call.name.removeprefix("i") for call in calls]
    if len(calls) < len(rubric.paths) or not all(name.startswith(("contains", "matches")) for name in names):
        return False
    words = [{each[1] for text in call.texts() for each in _WORD.finditer(text.lower())} - {None} for call in calls]
    return not any(words) or bool(words[0].intersection(*words))


def _met(assessments: Sequence[Assessment]) -> list[Assessment]:
    """The points that an answer is known to meet."""
    from engine.study.case import is_failed, known_extent  # here, as it brings all that scores cases

    extents = [(each, known_extent(each)) for each in assessments]
    return [each for each, extent in extents if extent is not None and not is_failed(extent)]


def _is_one_place(one: Assessment, other: Assessment) -> bool:
    """Whether two checks found the same place of the answer, as two spellings of one name do."""
    return any(a.start < b.end and b.start < a.end for a in one.evidence for b in other.evidence)


def _lone_message(shares: Shares, paths: int) -> str:
    if not shares.points:
        return f"any one of these {paths} earns the whole score"
    beside = f", as much as the {len(shares.points)} criteria beside it" if len(shares.points) > 1 else ""
    return f"any one of these {paths} earns it all; the block is {percent(shares.paths)} of this score{beside}"


def _flattening(view: PromptView, rubric: Rubric) -> Fix:
    levels = [point for path in rubric.paths for point in path.points if level_of(point) is not None]
    edits = flattened_block(view, rubric) if len(levels) < 2 else ()  # no answer meets two levels of a scale
    return Fix("all are needed: require each of them", False, edits)


@prompt_rule(on_good_answers=_check_good_answers)
def single_element_path(view: PromptView) -> Iterator[Report]:
    if (rubric := _lone_paths(view)) is not None:
        yield _lone_report(view, rubric)


@prompt_rule()
def lone_path(view: PromptView) -> Iterator[Report]:
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
    what = "of one criterion" if count == 1 else f"of {count} criteria, parted by commas"
    can_be_quoted = is_one_line(view.text, path.span) and '"' not in written
    message = f"the brackets make this an alternative path {what}: write a sentence without them"
    fixes = fix_at("one criterion: quote it", path.span, f'"{written}"') if can_be_quoted else ()
    return Report(path.span, message, fixes=fixes)


def _alone(view: PromptView, path: Path, shares: Shares) -> Report:
    fixes = (Fix("no alternative is meant: remove the inner list", False, flattened(view, (path,))),)
    span = path_marker(view, path)
    if not shares.points:
        message = "a single path is no choice: its criteria count the same without the inner list"
        why = "The score is the same now. With a criterion beside it, that criterion would be half of the score."
        return Report(span, message, why=why, fixes=fixes)
    points, count = len(shares.points), len(path.points)
    beside = "the one criterion" if points == 1 else f"the {points} criteria"
    loss = "it" if count == 1 else f"its {count} criteria"
    message = (
        f"a single path is no choice, and this one is worth as much as {beside} beside it: "
        f"missing {loss} costs {number_text(shares.paths)} points of 100"
    )
    flat = sum(point.multiplier for point in path.points)
    flat /= flat + sum(point.multiplier for point in shares.points)
    why = f"A path is {percent(shares.paths)} of the score, however many criteria are beside it"
    if percent(flat) == percent(shares.paths):
        why += "; in a flat list it has the same share now, and less with each criterion that you add."
    else:
        why += f"; in a flat list it would be {percent(flat)}."
    return Report(span, message, why=why, fixes=fixes)


def _of_variants(view: PromptView, rubric: Rubric, path: Path, shares: Shares) -> Report:
    left = [each for each in rubric.paths if each is not path]
    fixes = () if len(left) > 1 and are_all_single(left) else variants_as_any_of(view, path)
    weights = [point.multiplier for point in path.points]
    best, count = max(weights) / sum(weights), len(weights)
    loss = f"loses {number_text(shares.paths * (1 - best))} points of 100"
    if len(shares.alternatives) > 1:
        loss = f"meets {percent(best)} of this path at best"
    needed = "a path requires both" if count == 2 else f"a path requires all {count}"
    return Report(
        path_marker(view, path),
        f"these are spellings of one name, and {needed}: an answer that uses one {loss}",
        why=f"A path requires all of its criteria, so this one, {percent(shares.paths)} of this score, "
        "is met in full only by an answer that uses every spelling.",
        fixes=fixes,
    )


@prompt_rule()
def or_between_points(view: PromptView) -> Iterator[Report]:
    """The lines in a text that YAML reads; `engine.yaml` reports the others."""
    if view.file.is_json:
        found = ((point, OR_LINE.fullmatch(point.text or "")) for point in view.prompt.points())
        yield from (Report(point.subject_span, message_on(line)) for point, line in found if line is not None)
        return
    checks = [point.span for point in view.checks]
    for rubric in view.prompt.rubrics:
        for found in OR_LINE.finditer(view.text, line_start(view.text, rubric.span.start), rubric.span.end):
            at = found.start("word")
            if any(span.start <= at < span.end for span in checks):
                continue
            around = list(nodes_around(view.tree, Span(at, at)))
            if around and isinstance(around[-1], ScalarNode) and around[-1].style not in (Style.LITERAL, Style.FOLDED):
                lines = Lines(view.text, at)
                for slip in or_slip(lines, lines.at):
                    yield Report(slip.span, slip.message, fixes=(Fix(slip.title, False, slip.edits),))


@prompt_rule()
def or_groups_merged(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should
    if rubric is None or not is_grouped(rubric) or has_misread_path(view, rubric.paths):
        return
    first, second, *_ = groups = list(groups_of_paths(rubric))
    shares = shares_of(view.prompt)
    paths = len(shares.alternatives)
    yield Report(
        first_line(view.text, second[0].span),
        f"required criteria divide these paths into {len(groups)} groups, yet only the best of all {paths} paths "
        f"counts: meeting one path of one group earns all {number_text(shares.paths)} points of 100",
        why=f"The paths are one choice, {percent(shares.paths)} of this score: the other groups do not change it.",
        related=(
            Related(first_line(view.text, first[0].span), "the first group"),
            *(Related(first_line(view.text, group[0].span), "a further group") for group in groups[2:]),
        ),
    )


@prompt_rule()
def path_outweighs(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should
    if rubric is None or len(rubric.paths) < 2 or has_competing_paths(view.prompt):
        return
    shares = shares_of(view.prompt)
    points, paths = len(shares.points), rubric.paths
    if not rubric.required or points < 2 or are_all_single(paths) or is_grouped(rubric):
        return
    if has_misread_path(view, paths):
        return
    is_even = _are_even(rubric, shares)
    yield Report(
        first_line(view.text, paths[0].span),
        f"these {len(paths)} paths are {percent(shares.paths)} of this score, as much as the {points} required "
        f"criteria together, which are {each_worth(shares.points, shares)}",
        why=f"Meeting all {points} required criteria and no path scores {number_text(shares.required)} of 100, "
        "however many required criteria there are and whatever they weigh.",
        severity=Severity.HINT if is_even else None,
        off=is_even,
    )


def _are_even(rubric: Rubric, shares: Shares) -> bool:
    """Whether each path would be half of the score in a flat list too, so that no point weighs less than meant."""
    required = sum(point.multiplier for point in shares.points)
    return all(sum(point.multiplier for point in path.points) >= required for path in rubric.paths)


@prompt_rule()
def paths_in_should_not(view: PromptView) -> Iterator[Report]:
    rubric, should = view.prompt.should_not, view.prompt.should
    if rubric is None or not has_competing_paths(view.prompt) or has_misread_path(view, rubric.paths):
        return
    first, *others = rubric.paths
    rivals = () if should is None else should.paths
    share = percent(shares_of(view.prompt).paths)
    worth = "the whole score" if share == "100%" else f"{share} of this score"
    places = [first_line(view.text, path.span) for path in (*others, *rivals)]
    yield Report(
        first_line(view.text, first.span),
        _forbidden_message(len(rubric.paths), len(rivals), worth),
        why=_forbidden_why(rubric, rivals),
        fixes=(Fix("each criterion counts by itself: require all", False, flattened_block(view, rubric)),),
        related=tuple(Related(place, "a path that competes with it") for place in places),
    )


def _forbidden_message(paths: int, rivals: int, worth: str) -> str:
    if paths < 2:
        effect = "where one of them is met, what it forbids is forgiven"
        return f"this path competes with the {rivals} of `should` for {worth}: {effect}"
    also, forgiven = (f" and the {rivals} of `should`", "what") if rivals else ("", "doing what")
    effect = f"{forgiven} the others forbid is forgiven"
    return f"the cleanest of these {paths} paths{also} counts alone, for {worth}: {effect}"


def _forbidden_why(rubric: Rubric, rivals: Sequence[Path]) -> str:
    shared = {path.index for path in rubric.paths} & {path.index for path in rivals}
    best = "Only the best path counts, so an answer that does what another path forbids can keep the full score"
    if not shared:
        return f"{best}."
    return f"{best}; and Weval merges a path of each block into one, as both have the same place in their lists."


@finding_rule(Kind.DEEP_NESTING)
def deep_nesting(finding: Finding, view: FileView) -> Report:
    node, span = finding.node, first_line(view.text, finding.span)
    if not finding.flagged:
        return Report(span, "a path contains criteria only, not a list")
    edits = unwrap(view.text, node) if isinstance(node, SequenceNode) and node.items else ()
    message = "three levels of lists: Weval refuses the file; two levels mean the same"
    return Report(span, message, fixes=(Fix("remove one level", True, edits),))
