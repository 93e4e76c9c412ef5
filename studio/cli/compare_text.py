"""Two result files compared, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.comparison.answer_words import word_difference
from engine.comparison.comparison_text import (
    CAUSES,
    cause_text,
    change_text,
    corner_texts,
    difference_text,
    extent_of,
    marked_words,
    part_text,
    verdicts_text,
    words_summary,
)
from engine.comparison.corners import Cause, FourCorners
from engine.comparison.criterion_changes import criterion_changes
from engine.comparison.joint_intervals import Interval
from engine.comparison.result_comparison import ComparedResult, Mean
from engine.scoring.explanation_text import point_label
from studio.cli.compared_results import ComparedFiles


def as_text(compared: ComparedFiles, *, is_named: bool) -> str:
    """The means with their causes and all results; for one result of a named prompt, its four corners in full."""
    comparison = compared.comparison
    head = f"{comparison.old.file.path} → {comparison.new.file.path}"
    blocks = [[head, *_mean(comparison.mean, len(comparison.results))]]
    if is_named:
        blocks += [list(_one(each)) for each in comparison.results]
    else:
        blocks.append(list(_table(comparison.results)))
    blocks.append(list(_missing(compared)))
    blocks.append(
        [*_only(comparison.only_old, comparison.old.file.path), *_only(comparison.only_new, comparison.new.file.path)]
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _mean(mean: Mean | None, results: int) -> Iterator[str]:
    if mean is None:
        yield "Nothing has a score in both files."
        return
    if results == 1:
        return
    scores = " → ".join(each.in_sentence for each in (mean.old, mean.new) if each is not None)
    yield f"mean {scores} over {results} results"
    yield from _parts(mean.parts, mean.total)


def _parts(parts: Mapping[Cause, Interval], together: Interval) -> Iterator[str]:
    texts = {cause: difference_text(part) for cause, part in parts.items()}
    width = max(map(len, texts.values()))
    for cause, text in texts.items():
        name, meaning = CAUSES[cause]
        yield f"  {name:<13} {text:>{width}}   {meaning}"
    yield f"  {'together':<13} {difference_text(together):>{width}}"


def _table(results: Sequence[ComparedResult]) -> Iterator[str]:
    """All results, the greatest difference first."""
    rows = [_row(each) for each in sorted(results, key=_size)]
    header = ("old", "new", "difference", "cause", "prompt · model")
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(4)]
    for old, new, difference, cause, name in [header, *rows]:
        figures = f"{old:>{widths[0]}}  {new:>{widths[1]}}  {difference:>{widths[2]}}"
        yield f"  {figures}  {cause:<{widths[3]}}  {name}".rstrip()


def _size(each: ComparedResult) -> float:
    if each.corners is None:
        return 1.0
    total = each.corners.total
    return -max(abs(total.low), abs(total.high))


def _row(each: ComparedResult) -> tuple[str, str, str, str, str]:
    if each.corners is None:
        return "–", "–", "–", each.problem, _name(each)
    old, _, _, new = corner_texts(each.corners)
    return old, new, difference_text(each.corners.total), cause_text(each.corners), _name(each)


def _name(each: ComparedResult) -> str:
    was = f" (was {each.old.bare_prompt.id})" if each.old.bare_prompt.id != each.name else ""
    model = each.model if each.model == each.old.model else f"{each.model}, less {each.old.model}"
    known = "" if each.corners is None else verdicts_text(each.corners)
    return " ".join(f"{each.name}{was} · {model}{f' · {known}' if known else ''}".split())


def _one(each: ComparedResult) -> Iterator[str]:
    """One result in full: the corners, their parts, the criteria and the answers."""
    yield _name(each)
    if each.corners is None:
        yield f"  {each.problem}"
        return
    yield from _corners(each.corners)
    yield from _parts(each.corners.parts, each.corners.total)
    yield ""
    yield from _criteria(each.corners)
    old, new = each.old.response, each.new.response
    if old is None or new is None:
        return
    edits = word_difference(old, new)
    yield ""
    yield f"  the answers: {words_summary(edits)}"
    if old != new:
        yield from (f"    {line}" for line in marked_words(edits).splitlines())


def _corners(corners: FourCorners) -> Iterator[str]:
    old, new_on_old, old_on_new, new = corner_texts(corners)
    width = max(10, *(len(each) for each in (old, new_on_old, old_on_new, new)))
    yield f"  {'':<13} {'old answer':>{width}}  {'new answer':>{width}}"
    yield f"  {'old rubric':<13} {old:>{width}}  {new_on_old:>{width}}"
    yield f"  {'new rubric':<13} {old_on_new:>{width}}  {new:>{width}}"


def _criteria(corners: FourCorners) -> Iterator[str]:
    """The criteria with their parts in the difference of the two scores."""
    changes = criterion_changes(corners.old.assessments, corners.new.assessments)
    if not changes:
        return
    parts = [part_text(each.part) for each in changes]
    width = max(len("part"), *map(len, parts))
    yield f"  {'old':>6} {'new':>6}  {'part':>{width}}  criterion"
    for change, part in zip(changes, parts, strict=True):
        assessment = change.new or change.old
        assert assessment is not None
        label = point_label(assessment.point)
        more = change_text(change)
        where = "not: " if assessment.placed.inverted else ""
        line = f"  {extent_of(change.old):>6} {extent_of(change.new):>6}  {part:>{width}}  {where}{label}"
        yield f"{line}  ({more})" if more else line
    whole = part_text(*(each.part for each in changes))
    yield f"  {'':>13}  {whole:>{width}}  all criteria"


def _missing(compared: ComparedFiles) -> Iterator[str]:
    if not compared.missing:
        return
    verdicts = "1 verdict is" if compared.missing == 1 else f"{compared.missing} verdicts are"
    price = f" Closing them would take judges {compared.price}." if compared.price else ""
    yield f"{verdicts} missing: that is why there are ranges.{price}"


def _only(keys: Sequence[tuple[str, str]], path: Path) -> Iterator[str]:
    if keys:
        names = [" ".join(f"{prompt} · {model}".split()) for prompt, model in keys[:10]]
        more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
        yield f"Only in {path}: {', '.join(names)}{more}"
