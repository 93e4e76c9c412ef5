"""Two result files compared, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.scoring.explanation_text import point_label
from engine.study.result_comparison import ComparedResult, Mean, ResultComparison
from engine.study.two_runs import (
    Combination,
    TwoRuns,
    change_text,
    criterion_changes,
    extent_of,
    marked_words,
    missing_text,
    other_text,
    part_text,
    two_runs_rows,
    verdicts_text,
    word_difference,
    words_summary,
)

_ASK = " --judge configured asks judges for them."


def as_text(comparison: ResultComparison, *, is_named: bool) -> str:
    """The means and all results; each result of a named prompt in full."""
    head = f"{comparison.old.file.path} → {comparison.new.file.path}"
    blocks = [[head, *_mean(comparison.mean, len(comparison.results))]]
    if is_named:
        blocks += [list(_one(each)) for each in comparison.results]
    else:
        blocks.append(list(_table(comparison.results)))
    blocks.append([missing_text(comparison.missing, _ASK if comparison.unjudged else "")])
    blocks.append(
        [*_only(comparison.only_old, comparison.old.file.path), *_only(comparison.only_new, comparison.new.file.path)]
    )
    return "\n\n".join("\n".join(block) for block in blocks if any(block)) + "\n"


def _mean(mean: Mean | None, results: int) -> Iterator[str]:
    if mean is None:
        yield "Nothing has a score in both files."
    elif results > 1:
        scores = " → ".join(each.in_sentence for each in (mean.old, mean.new) if each is not None)
        yield f"mean {scores} over {results} results, {part_text(mean.difference)}"


def _table(results: Sequence[ComparedResult]) -> Iterator[str]:
    """All results, the greatest difference first."""
    rows = [_row(each) for each in sorted(results, key=_size)]
    header = ("old", "new", "difference", "cause", "prompt · model")
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(4)]
    for old, new, difference, cause, name in [header, *rows]:
        figures = f"{old:>{widths[0]}}  {new:>{widths[1]}}  {difference:>{widths[2]}}"
        yield f"  {figures}  {cause:<{widths[3]}}  {name}".rstrip()


def _size(each: ComparedResult) -> float:
    if each.runs is None:
        return 1.0
    return -max(abs(each.runs.difference.low), abs(each.runs.difference.high))


def _row(each: ComparedResult) -> tuple[str, str, str, str, str]:
    if each.runs is None:
        return "–", "–", "–", each.problem, _name(each)
    scores = each.runs.scores
    old, new = scores[Combination.OLD].figure, scores[Combination.NEW].figure
    return old, new, part_text(each.runs.difference), other_text(each.runs), _name(each)


def _name(each: ComparedResult) -> str:
    was = f" (was {each.old.bare_prompt.id})" if each.old.bare_prompt.id != each.name else ""
    model = each.model if each.model == each.old.model else f"{each.model}, less {each.old.model}"
    known = "" if each.runs is None else verdicts_text(each.runs)
    return " ".join(f"{each.name}{was} · {model}{f' · {known}' if known else ''}".split())


def _one(each: ComparedResult) -> Iterator[str]:
    """One result in full: the scores, the criteria and the answers."""
    yield _name(each)
    if each.runs is None:
        yield f"  {each.problem}"
        return
    rows = two_runs_rows(each.runs)
    width = max(len(figure) for _, figure, _ in rows)
    yield from (f"  {name:<30} {figure:>{width}}   {more}".rstrip() for name, figure, more in rows)
    yield ""
    yield from _criteria(each.runs)
    old, new = each.old.response, each.new.response
    if old is None or new is None:
        return
    edits = word_difference(old, new)
    yield ""
    yield f"  the answers: {words_summary(edits)}"
    if old != new:
        yield from (f"    {line}" for line in marked_words(edits).splitlines())


def _criteria(runs: TwoRuns) -> Iterator[str]:
    """The criteria with their parts in the difference of the two scores."""
    changes = criterion_changes(runs.old.assessments, runs.new.assessments)
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


def _only(keys: Sequence[tuple[str, str]], path: Path) -> Iterator[str]:
    if keys:
        names = [" ".join(f"{prompt} · {model}".split()) for prompt, model in keys[:10]]
        more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
        yield f"Only in {path}: {', '.join(names)}{more}"
