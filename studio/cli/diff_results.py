"""Two versions of a blueprint compared: their changes, the scores that move, and how Weval tells them apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.result_json import viewer_config
from engine.judging.panel import panel
from engine.parsing import weval_values
from engine.parsing.normalised_form import CannotHash, blueprint_id, content_hash
from engine.parsing.recognition import lies_below_blueprints
from engine.store import PromptPlace, StoreUnavailable
from engine.study.case import CaseFile
from engine.study.changes import BlueprintChanges, PromptChange, changes_between, named_prompts
from engine.study.file_places import case_file_path
from engine.study.known_scores import CaseChanges, ScoreChange, ScoreComparison, ScoredVersion, stored_answers
from engine.text.record import Record
from studio.cli.case_runs import problem_lines, read_case_file
from studio.cli.frame import report_once, tell
from studio.cli.judge_options import Counted, report_others
from studio.cli.shown_results import report_unrecorded
from studio.session.cache import Cache
from studio.session.resources import Resources

if TYPE_CHECKING:
    from engine.evaluation.headline import Headline
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed


class Version(Record):
    """One of the two versions. `content_hash` is None where Weval refuses the file, or computes none."""

    name: str
    parsed: Parsed
    content_hash: str | None
    blueprint_id: str | None

    @property
    def is_whole(self) -> bool:
        """Whether all of the file could be read."""
        broken = self.parsed.broken
        return not (broken.header or broken.unread or broken.prompts)


class Comparison(Record):
    """The changes from `old` to `new`, and the known answers whose scores move by them.

    `prompts` are those that changed, and those of which only a score moves. `totals` are the blueprint's scores with
    the ideals where they differ. `case_file` is None where there are no cases.
    """

    old: Version
    new: Version
    changes: BlueprintChanges
    ideals: tuple[ScoreChange, ...] = ()
    case_file: Path | None = None
    cases: CaseChanges | None = None
    stored: tuple[ScoreChange, ...] = ()
    prompts: tuple[PromptChange, ...] = ()
    totals: tuple[Headline | None, Headline | None] = (None, None)


def compared(
    old: Parsed, new: Parsed, names: tuple[str, str], path: Path, counted: Counted, *, for_people: bool
) -> Comparison:
    """The comparison of two versions, which messages call `names`. Blocks while checks run. Raises `Unusable`.

    `path` is the file whose cases and stored answers count; of each version the verdicts count that are known of its
    own file. `for_people`: verdicts from before an edit count.
    """
    resources = Resources()
    report = report_once("Stored answers and verdicts")
    cache = Cache(resources.store, report, without_stored=counted.no_stored)
    try:
        javascript = resources.javascript()
        changes = changes_between(old.blueprint, new.blueprint)
        versions = (_version(names[0], old, javascript), _version(names[1], new, javascript))
        if changes.is_empty:
            return Comparison(*versions, changes)
        case_file = case_file_path(path)
        cases = None if case_file is None else _read_cases(case_file, new)
        checks = (
            cache.case_check(
                each.path or path,
                each.blueprint,
                javascript,
                panel(each.blueprint.header, counted.panel),
                for_people=for_people,
            )
            for each in (old, new)
        )
        scores = ScoreComparison(changes, *map(ScoredVersion, checks))
        moved = None if cases is None else scores.cases(cases.cases)
        try:
            before, after = ({each.index: each for each in version.blueprint.prompts} for version in (old, new))
            pairs = [(before[one], after[other]) for one, other in changes.rescored]
            answers = stored_answers(resources.store(), path, pairs, cache.grades)
        except StoreUnavailable as error:
            report(error)
            answers = {}
        ideals, stored = scores.ideals(), scores.stored(answers)
        shown = (*ideals, *(() if moved is None else moved.changes), *stored)
        report_others(each.after.scored.explanation for each in shown if each.after.scored is not None)
        Cache(resources.store, report_unrecorded).mark_shown(_shown(shown, path, old, new))
        prompts = (*changes.prompts, *_moved_only((*ideals, *stored), changes, old, new))
        return Comparison(*versions, changes, ideals, case_file, moved, stored, prompts, scores.totals())
    finally:
        resources.close()


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


def _version(name: str, parsed: Parsed, javascript: JavaScript) -> Version:
    path = parsed.path
    named = None if path is None or not lies_below_blueprints(path) else blueprint_id(path.absolute())
    config = weval_values(parsed)
    try:
        digest = None if config is None else content_hash(viewer_config(config), javascript)
    except CannotHash:
        digest = None
    return Version(name, parsed, digest, named)


def _read_cases(path: Path, new: Parsed) -> CaseFile:
    file, problems = read_case_file(path, new)
    for line in problem_lines(path, file, problems):
        tell(line)
    return file
