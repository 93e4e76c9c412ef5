"""`studio diff`: what changed in meaning between two versions of a blueprint, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from msgspec.structs import asdict

from engine.evaluation.headline import Headline
from engine.evaluation.result_json import bounds_json, dumps, viewer_config
from engine.functions import point_text
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.parsing import Parsed, weval_values
from engine.parsing.normalised_form import CannotHash, blueprint_id, content_hash
from engine.parsing.recognition import lies_below_blueprints
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.store import PromptPlace, StoreUnavailable
from engine.study.case_scoring import CaseChanges, ScoreChange, ScoreComparison, stored_answers
from engine.study.changes import (
    BlueprintChanges,
    NamedPrompt,
    PointSide,
    PromptChange,
    PromptState,
    changes_between,
    named_prompts,
    prompt_lines,
    prompt_name,
)
from engine.study.criterion_counts import PairState, Ranking
from engine.study.file_places import case_file_path
from engine.text.record import Record
from engine.text.spans import one_line
from engine.yaml.nodes import Data
from studio.cli.cases import read_case_file
from studio.cli.frame import Unusable, finish, report_once, wrapped
from studio.cli.inputs import STANDARD_INPUT, read_blueprint, read_standard_input, report_unrecorded, stored
from studio.cli.options import Diff, report_others
from studio.cli.output import as_text, picked

_VERSION = 1
_STANDARD_INPUT = "standard input"
_SAME = "No change in meaning."
_UNREAD = "A part of {} cannot be read: what seems added or removed may be there. `studio check` shows the place."
_STATES = (PromptState.CHANGED, PromptState.ADDED, PromptState.REMOVED)


def version_changes(old: Path, new: Path, asked: Diff) -> NoReturn:
    """Print what changed from `old` to `new`, one of which may be standard input. Raises `Unusable`."""
    found = _compared(_read(old, new), _read(new, old), new if new != STANDARD_INPUT else old, asked)
    finish(_json(found) if asked.is_json else wrapped(as_text(_blocks(found))))


class _Version(Record):
    """One of the two versions, which messages call `name`."""

    name: str
    parsed: Parsed

    @property
    def is_whole(self) -> bool:
        """Whether all of the file could be read."""
        broken = self.parsed.broken
        return not (broken.header or broken.unread or broken.prompts)

    @property
    def blueprint_id(self) -> str | None:
        """Weval's id of the blueprint, which comes from its path; None outside a folder `blueprints`."""
        path = self.parsed.path
        return None if path is None or not lies_below_blueprints(path) else blueprint_id(path.absolute())


class _Comparison(Record):
    """The changes from `old` to `new`, and the known answers whose scores move by them.

    `prompts` are those that changed, and those of which only a score moves. `totals` are the blueprint's scores with
    the ideals where they differ. `case_file` is None where there are no cases. `hashes` are Weval's content hashes,
    None where it refuses a version, or computes none.
    """

    old: _Version
    new: _Version
    changes: BlueprintChanges
    hashes: tuple[str | None, str | None]
    ideals: tuple[ScoreChange, ...] = ()
    case_file: Path | None = None
    cases: CaseChanges | None = None
    stored: tuple[ScoreChange, ...] = ()
    prompts: tuple[PromptChange, ...] = ()
    totals: tuple[Headline | None, Headline | None] = (None, None)

    def moved(self, change: PromptChange, scores: Sequence[ScoreChange]) -> list[ScoreChange]:
        """Those of `scores` that are of this prompt."""
        after = change.after
        return [] if after is None else [each for each in scores if each.new_index == after.prompt.index]


def _read(path: Path, other: Path) -> _Version:
    """The blueprint at `path`; standard input is read as a version of the `other` file. Raises `Unusable`."""
    if path != STANDARD_INPUT:
        return _Version(str(path), read_blueprint(path).parsed)
    content = read_standard_input()
    if not content:
        raise Unusable("Standard input is empty: a blueprint has at least one prompt.")
    return _Version(_STANDARD_INPUT, read_blueprint(other, content, _STANDARD_INPUT).parsed)


def _compared(old: _Version, new: _Version, path: Path, asked: Diff) -> _Comparison:
    """The comparison of two versions. Blocks while checks run. Raises `Unusable`.

    `path` is the file whose cases and stored answers count; of each version the verdicts count that are known of its
    own file. For people, verdicts from before an edit count.
    """
    report = report_once("Stored answers and verdicts cannot be read")
    with stored(report, without=asked.no_stored) as (resources, cache):
        javascript = resources.javascript()
        versions = old.parsed, new.parsed
        changes = changes_between(versions[0].blueprint, versions[1].blueprint)
        hashes = _hash(old, javascript), _hash(new, javascript)
        if changes.is_empty:
            return _Comparison(old, new, changes, hashes)
        case_file = case_file_path(path)
        cases = None if case_file is None else read_case_file(case_file, new.parsed)[0]
        checks = (
            cache.case_check(
                each.path or path,
                each.blueprint,
                javascript,
                panel(each.blueprint.header, asked.panel),
                for_people=not asked.is_json,
            )
            for each in versions
        )
        scores = ScoreComparison(changes.pairs, *checks)
        moved = None if cases is None else scores.cases(cases.cases)
        try:
            before, after = (version.blueprint.prompts for version in versions)
            pairs = [(before[one], after[other]) for one, other in changes.rescored]
            answers = stored_answers(resources.store(), path, pairs, cache.grades)
        except StoreUnavailable as error:
            report(error)
            answers = {}
        ideals, kept = scores.ideals(), scores.stored(answers)
        shown = (*ideals, *(() if moved is None else moved.changes), *kept)
        report_others(each.after.scored.explanation for each in shown if each.after.scored is not None)
        prompts = (*changes.prompts, *_moved_only((*ideals, *kept), changes, *versions))
        found = _Comparison(old, new, changes, hashes, ideals, case_file, moved, kept, prompts, scores.totals())
    with stored(report_unrecorded) as (_, cache):
        cache.mark_shown(_shown(shown, path, *versions))
    return found


def _hash(version: _Version, javascript: JavaScript) -> str | None:
    config = weval_values(version.parsed)
    try:
        return None if config is None else content_hash(viewer_config(config), javascript)
    except CannotHash:
        return None


def _moved_only(
    moved: Iterable[ScoreChange], changes: BlueprintChanges, old: Parsed, new: Parsed
) -> Iterator[PromptChange]:
    """The prompts that did not change and whose scores move, in their order."""
    changed = {each.after.prompt.index for each in changes.prompts if each.after is not None}
    found = {each.new_index: each.old_index for each in moved if each.new_index not in changed}
    before, after = ({each.prompt.index: each for each in named_prompts(side.blueprint)} for side in (old, new))
    for at, each in after.items():
        if (partner := found.get(at)) is not None:
            yield PromptChange(before[partner], each)


def _shown(changes: Iterable[ScoreChange], path: Path, old: Parsed, new: Parsed) -> Iterator[tuple[PromptPlace, str]]:
    """The answers whose scores are printed, each with its prompt; one with another id now is shown for both."""
    for change in changes:
        for parsed, index in ((old, change.old_index), (new, change.new_index)):
            for outcome in (change.before, change.after):
                if index is not None and outcome.scored is not None:
                    prompt = parsed.blueprint.prompts[index]
                    yield PromptPlace.of(path, prompt), outcome.scored.response.subject


# --- Text


def _blocks(found: _Comparison) -> Iterator[Block]:
    """A section for the header and for each prompt that changed, then cases, stored answers and ids."""
    yield Line(f"{found.old.name} → {found.new.name}")
    yield Line(_SAME if found.changes.is_empty else _summary(found))
    if any(found.totals):
        totals = ("nothing" if each is None else each.in_sentence for each in found.totals)
        yield Line(f"the blueprint's score with its ideals: {_moved_text(*totals)}")
    if unread := tuple(_UNREAD.format(each.name) for each in (found.old, found.new) if not each.is_whole):
        yield Section((Notes(unread),))
    yield from _section("header", [line for each in found.changes.header for line in each.text])
    for change in found.prompts:
        ideals = [f"the ideal scores {_scores(each)}" for each in found.moved(change, found.ideals)]
        kept = [
            f"the stored answer of {each.label} scores {_scores(each)}" for each in found.moved(change, found.stored)
        ]
        yield from _section(_title(change, found), [*prompt_lines(change), *ideals, *kept])
    if found.cases is not None:
        yield from _section(str(found.case_file), list(_case_lines(found.cases)))
    if identity := tuple(_identity(found)):
        yield Section((Notes(identity),))


def _section(title: str, lines: Sequence[str]) -> Iterator[Block]:
    if lines:
        yield Section((Heading(1, title), Notes(tuple(lines))))


def _title(change: PromptChange, found: _Comparison) -> str:
    named, version, which = change.after, found.new, ""
    if named is None:
        named, version, which = change.before, found.old, " of the old file"
    assert named is not None
    return f"{prompt_name(named)} (line {version.parsed.line(named.prompt.span.start)}{which})"


def _summary(found: _Comparison) -> str:
    """`2 prompts changed, 1 added, 1 removed, 3 moved; the header changed`."""
    prompts = found.changes.prompts
    only_moved = [each for each in prompts if each.moved and not (each.fields or each.points or each.points_reordered)]
    counts = Counter(each.state for each in prompts if each not in only_moved)
    parts = [f"{counts[state]} {state}" for state in _STATES if counts[state]]
    if moved := sum(each.moved for each in prompts):
        parts.append(f"{moved} moved")
    prompts_text = [f"prompts: {', '.join(parts)}"] if parts else []
    header = ["the header changed"] if found.changes.header else []
    return "; ".join([*prompts_text, *header])


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


def _identity(found: _Comparison) -> Iterator[str]:
    old, new = found.old.blueprint_id, found.new.blueprint_id
    if old and new and old != new:
        yield (
            f"Weval's id of the blueprint comes from its path: `{old}` → `{new}`. "
            f"The results of `{old}` are not continued."
        )
    before, after = found.hashes
    if before is not None and before == after and not found.changes.is_empty:
        yield (
            f"Weval's content hash is the same for both, {after}: it covers models, system prompts and "
            "temperatures, and of each prompt the id, ideal, system prompt, `should` and weight, but neither messages "
            "nor `should_not`. So Weval cannot tell the two versions apart."
        )


# --- JSON: docs/machine-readable.md, "studio diff"


def _json(found: _Comparison) -> str:
    before, after = (None if each is None else bounds_json(each.bounds) for each in found.totals)
    cases: Data = None
    if found.cases is not None:
        cases = {
            "file": str(found.case_file),
            "total": found.cases.total,
            "changed": [_case_json(each) for each in found.cases.changes],
            "pairs": {"before": _ranking_json(found.cases.before), "after": _ranking_json(found.cases.after)},
        }
    return dumps(
        {
            "version": _VERSION,
            "old": _version_json(found.old, found.hashes[0]),
            "new": _version_json(found.new, found.hashes[1]),
            "changed": not found.changes.is_empty,
            "score": {"before": before, "after": after} if before or after else None,
            "header": [asdict(each) for each in found.changes.header],
            "prompts": [_prompt_json(each, found) for each in found.prompts],
            "cases": cases,
        }
    )


def _version_json(version: _Version, digest: str | None) -> Data:
    named = {"file": version.name, "readable": version.is_whole}
    return {**named, "contentHash": digest, "blueprintId": version.blueprint_id}


def _prompt_json(change: PromptChange, found: _Comparison) -> Data:
    ideals, kept = found.moved(change, found.ideals), found.moved(change, found.stored)
    return {
        "state": change.state,
        "before": _named_json(change.before, found.old),
        "after": _named_json(change.after, found.new),
        "moved": change.moved,
        "fields": [picked(each, "field", "before", "after") for each in change.fields],
        "points": [
            {"kinds": [*each.kinds], "before": _side(each.before, found.old), "after": _side(each.after, found.new)}
            for each in change.points
        ],
        **picked(change, "points_reordered", "messagesTakenFrom=taken_from", "consequences"),
        "ideal": _score_json(ideals[0]) if ideals else None,
        "storedAnswers": [{"answer": each.label, **_score_json(each)} for each in kept],
        "text": list(prompt_lines(change)),
    }


def _named_json(named: NamedPrompt | None, version: _Version) -> Data:
    if named is None:
        return None
    prompt, line = named.prompt, version.parsed.line(named.prompt.span.start)
    place = {"idWritten": prompt.id_written, "index": prompt.index, "line": line}
    return {"id": named.name, **place, "share": named.share}


def _side(side: PointSide | None, version: _Version) -> Data:
    if side is None:
        return None
    parts = picked(side, "block", "path", "weight=point.multiplier", "point.citation", "share")
    return {"text": point_text(side.point), **parts, "line": version.parsed.line(side.point.span.start)}


def _score_json(change: ScoreChange) -> dict[str, Data]:
    return picked(change, "before=before.bounds", "after=after.bounds", "after.carried_over")


def _case_json(change: ScoreChange) -> Data:
    before, after = (picked(each, "state", "why", "bounds") for each in (change.before, change.after))
    return {**picked(change.after.case, "number", "prompt"), "before": before, "after": after}


def _ranking_json(ranking: Ranking) -> Data:
    return {state.value: ranking.count(state) for state in PairState}
