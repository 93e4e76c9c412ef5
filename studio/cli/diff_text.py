"""The comparison of two versions as text: a block for each prompt that changed, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.study.change_text import header_lines, prompt_lines, prompt_name
from engine.study.changes import PromptChange, PromptState
from engine.study.known_scores import CaseChanges, ScoreChange
from engine.text.spans import LineIndex, one_line
from studio.cli.diff_results import Comparison, Version

_SAME = "No change in meaning."
_STATES = {PromptState.CHANGED: "changed", PromptState.ADDED: "added", PromptState.REMOVED: "removed"}


def as_text(comparison: Comparison) -> str:
    """A block for the header and for each prompt that changed, then cases, stored answers and ids."""
    head = f"{comparison.old.name} → {comparison.new.name}"
    blocks = [block for block in _blocks(comparison) if block]
    summary = _summary(comparison) if not comparison.changes.is_empty else _SAME
    return "\n\n".join("\n".join(block) for block in [[head, summary, *_total(comparison)], *blocks]) + "\n"


def _total(comparison: Comparison) -> Iterator[str]:
    if any(comparison.totals):
        totals = ("nothing" if each is None else each.in_sentence for each in comparison.totals)
        yield f"the blueprint's score with its ideals: {_moved_text(*totals)}"


def _blocks(comparison: Comparison) -> Iterator[list[str]]:
    yield list(_unread(comparison))
    yield _block("header", header_lines(comparison.changes.header))
    old, new = LineIndex(comparison.old.parsed.text), LineIndex(comparison.new.parsed.text)
    for change in comparison.prompts:
        lines = [*prompt_lines(change), *_ideal_lines(change, comparison.ideals), *_stored_lines(change, comparison)]
        yield _block(_title(change, old, new), lines)
    if comparison.cases is not None and comparison.case_file is not None:
        yield _block(str(comparison.case_file), list(_case_lines(comparison.cases)))
    yield list(_identity(comparison))


def _block(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _title(change: PromptChange, old: LineIndex, new: LineIndex) -> str:
    named, lines, which = change.after, new, ""
    if named is None:
        named, lines, which = change.before, old, " of the old file"
    assert named is not None
    return f"{prompt_name(named)} (line {lines.position(named.prompt.span.start).line + 1}{which})"


def _summary(comparison: Comparison) -> str:
    """`2 prompts changed, 1 added, 1 removed, 3 moved; the header changed`."""
    prompts = comparison.changes.prompts
    only_moved = [each for each in prompts if each.moved and not (each.fields or each.points or each.points_reordered)]
    counts = Counter(each.state for each in prompts if each not in only_moved)
    parts = [f"{counts[state]} {word}" for state, word in _STATES.items() if counts[state]]
    if moved := sum(each.moved for each in prompts):
        parts.append(f"{moved} moved")
    prompts_text = [f"prompts: {', '.join(parts)}"] if parts else []
    header = ["the header changed"] if comparison.changes.header else []
    return "; ".join([*prompts_text, *header])


def _unread(comparison: Comparison) -> Iterator[str]:
    for version in (comparison.old, comparison.new):
        if not version.is_whole:
            yield (
                f"A part of {version.name} cannot be read: what seems added or removed may be there. "
                "`studio check` shows the place."
            )


def _ideal_lines(change: PromptChange, ideals: Sequence[ScoreChange]) -> Iterator[str]:
    for each in ideals:
        if change.after is not None and each.new_index == change.after.prompt.index:
            yield f"the ideal scores {_scores(each)}"


def _stored_lines(change: PromptChange, comparison: Comparison) -> Iterator[str]:
    for each in comparison.stored:
        if change.after is not None and each.new_index == change.after.prompt.index:
            yield f"the stored answer of {each.label} scores {_scores(each)}"


def _scores(change: ScoreChange) -> str:
    return _moved_text(change.before.figure, change.after.figure)


def _moved_text(before: str, after: str) -> str:
    """`72.5 → 72.6`; `72.5 → 72.5, less than 0.1 apart`."""
    return f"{before} → {after}{', less than 0.1 apart' if before == after else ''}"


def _case_lines(cases: CaseChanges) -> Iterator[str]:
    for each in cases.changes:
        before, after = each.before, each.after
        states = f"{before.state} → {after.state}" if before.state is not after.state else f"{after.state} still"
        why = after.why if after.bounds is None else f"scored {before.figure}; now {after.why}"
        yield f"{each.label}  {one_line(after.case.prompt)}  {states}: {why}"
    if str(cases.before) != str(cases.after):
        yield f"the rubrics: {cases.before}; now: {cases.after}"


def _identity(comparison: Comparison) -> Iterator[str]:
    old, new = comparison.old, comparison.new
    if old.blueprint_id and new.blueprint_id and old.blueprint_id != new.blueprint_id:
        yield (
            f"Weval's id of the blueprint comes from its path: `{old.blueprint_id}` → `{new.blueprint_id}`. "
            f"The results of `{old.blueprint_id}` are not continued."
        )
    if _same_hash(old, new) and not comparison.changes.is_empty:
        yield (
            f"Weval's content hash is the same for both, {new.content_hash}: it covers models, system prompts and "
            "temperatures, and of each prompt the id, ideal, system prompt, `should` and weight, but neither messages "
            "nor `should_not`. So Weval cannot tell the two versions apart."
        )


def _same_hash(old: Version, new: Version) -> bool:
    return old.content_hash is not None and old.content_hash == new.content_hash
