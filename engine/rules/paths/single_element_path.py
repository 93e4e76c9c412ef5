r"""# single-element-path: Alternatives of one point each

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

Fix, if all are needed (unsafe): flatten, so that each point counts by itself.
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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.blueprint import Rubric
from engine.rules.paths.path_fixes import as_any_of, flattened_block
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.level_labels import level_of
from engine.rules.source.path_lists import (
    are_all_single,
    has_misread_path,
    has_paths,
    is_grouped,
    path_marker,
)
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment
from engine.scoring.shares import Shares, hundredths, percent, shares_of
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.record import replace

_WORD = lazy(r"\\.|([^\W\d_]{3,})")
"""A word of a literal or a pattern, as its group."""


def _check_good_answers(view: PromptView) -> Iterator[Report]:
    """Report lone paths that are the whole rubric if a good answer meets two of them."""
    rubric = _lone_paths(view)
    if rubric is None or not _is_whole(rubric, shares_of(view.prompt)):
        return
    from engine.study.good_answers import GoodAnswers  # here, as few prompts need it, and it brings the evaluation

    good_answers = view.file.good_answers or GoodAnswers()
    for name, assessments in good_answers.of(view.file.blueprint, view.prompt, view.javascript):
        met = _met(assessments)
        if not all(_is_one_place(one, other) for one, other in combinations(met, 2)):
            usual = _report(view, rubric)
            message = f"{usual.message}, and {name} meets {len(met)} of them"
            related = tuple(Related(each.point.subject_span, f"{name} meets this path") for each in met)
            yield replace(usual, message=message, severity=None, related=related)
            return


def _report(view: PromptView, rubric: Rubric) -> Report:
    shares, count = shares_of(view.prompt), len(rubric.paths)
    is_open = _is_whole(rubric, shares) or (len(shares.points) == 1 and _are_variants(rubric))
    first, *others = [path_marker(view, path) for path in rubric.paths]
    return Report(
        first,
        _message(shares, count),
        why=f"Meeting one of the {count} is worth as much as meeting them all; "
        f"meeting none costs {hundredths(shares.paths)} points of 100.",
        severity=Severity.HINT if is_open else None,
        fixes=(*_flatten(view, rubric), *as_any_of(view, rubric)),
        related=tuple(Related(span, "another path of one point") for span in others),
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


def _message(shares: Shares, paths: int) -> str:
    if not shares.points:
        return f"any one of these {paths} earns the whole score"
    beside = f", as much as the {len(shares.points)} points beside it" if len(shares.points) > 1 else ""
    return f"any one of these {paths} earns it all; the block is {percent(shares.paths)} of this score{beside}"


def _flatten(view: PromptView, rubric: Rubric) -> tuple[Fix, ...]:
    levels = [point for path in rubric.paths for point in path.points if level_of(point) is not None]
    edits = flattened_block(view, rubric) if len(levels) < 2 else ()  # no answer meets two levels of a scale
    return (Fix("all are needed: flatten", False, edits),) if edits else ()


@prompt_rule(
    "R001",
    Severity.WARNING,
    why="Naming one of them is worth as much as naming all, and naming none costs the whole block.",
    on_good_answers=_check_good_answers,
)
def single_element_path(view: PromptView) -> Iterator[Report]:
    if (rubric := _lone_paths(view)) is not None:
        yield _report(view, rubric)
