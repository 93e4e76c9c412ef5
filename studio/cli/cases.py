"""The cases of a blueprint: read, scored, judged if requested, and their verdicts recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.events import Failed, Scored
from engine.evaluation.sources import Candidate, IdealSource, WrittenSource
from engine.evaluation.verdicts import as_machines_read, open_points
from engine.store import PromptPlace, StoreUnavailable
from engine.study.case import (
    CaseFile,
    CaseOutcome,
    CaseVerdict,
    outcome_of,
    without_repeated_ideals,
)
from engine.study.case_reader import problems_with, read_cases
from engine.study.case_scoring import questions_of, scored_case, verdicts_to_record
from engine.study.case_writer import NotWritable, change_case_file, with_verdicts
from engine.study.criterion_counts import (
    Freshness,
    Ranking,
    RubricCounts,
    criterion_counts,
    freshness,
    ranking_of,
)
from engine.study.file_places import text_or_problem
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import Record
from engine.text.spans import LineIndex
from studio.cli.frame import Unusable, report_once
from studio.cli.inputs import stored
from studio.cli.options import OptionsApproval, Permissions, panel_of, report_others
from studio.cli.runs import evaluate_all
from studio.session.run import Run
from studio.session.run_starts import Launch

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.point_assessment import Grades
    from engine.judging.judgement import Consensus
    from engine.parsing import Parsed
    from engine.study.case_scoring import CaseCheck
    from studio.cli.test_command import Tested
    from studio.session.cache import Cache
    from studio.session.resources import Resources


class TestedCases(Record):
    """The cases of one blueprint and their outcomes, in the order of the file.

    `counts` say what the points of each prompt with cases are good for, in the order of these prompts.
    """

    blueprint: Path
    path: Path
    file: CaseFile
    problems: tuple[Diagnostic, ...]
    outcomes: tuple[CaseOutcome, ...]
    ranking: Ranking
    counts: tuple[RubricCounts, ...] = ()

    @property
    def is_readable(self) -> bool:
        """Whether all of the file could be read."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)


def read_case_file(path: Path, parsed: Parsed) -> tuple[CaseFile, tuple[Diagnostic, ...]]:
    """The cases at `path`, of the blueprint `parsed`, with their problems. Raises `Unusable`."""
    text, problem = text_or_problem(path)
    if problem:
        raise Unusable(f"{path} {problem}")
    file, problems = read_cases(text)
    every = sorted([*problems, *problems_with(file, parsed.blueprint)], key=lambda problem: problem.span)
    return file, tuple(every)


def problem_lines(path: Path, file: CaseFile, problems: Sequence[Diagnostic]) -> list[str]:
    """`FILE:3:5: warning: …`, one line for each problem."""
    lines = LineIndex(file.text)
    places = [lines.position(problem.span.start) for problem in problems]
    return [
        f"{path}:{place.line + 1}:{place.column + 1}: {problem.severity}[{problem.slug}]: {problem.message}. "
        f"{problem.why}".rstrip()
        for place, problem in zip(places, problems, strict=True)
    ]


def scored_cases(blueprint: Path, path: Path, parsed: Parsed, asked: Tested) -> TestedCases:
    """The outcomes of all cases at `path`, of a blueprint. Blocks. Raises `Unusable`.

    Judges are asked about the points that are open, of ideals too, if they are asked at all. The verdicts that counted
    may be recorded in the case file.
    """
    file, problems = read_case_file(path, parsed)
    panel = panel_of(parsed.blueprint.header, asked)
    with stored(report_once("Stored verdicts"), without=asked.no_stored) as (resources, cache):
        check = cache.case_check(blueprint, parsed.blueprint, resources.javascript(), panel)
        outcomes = check.outcomes(file.cases)
        ideals = check.ideals(dict.fromkeys(case.prompt for case in file.cases))
        every = [_Tested.of(check, each) for each in without_repeated_ideals((*outcomes, *ideals))]
        fresh = _freshness(check, blueprint, cache, resources, [*outcomes, *ideals])
        if asked.are_asked:
            every = _judged(blueprint, parsed, check, every, asked)
    report_others(each.outcome.scored.explanation for each in every if each.outcome.scored is not None)
    if asked.record:
        _record(path, check, every)
    found = [each.outcome for each in every]
    cases = tuple(each for each in found if each.case.number)
    return TestedCases(blueprint, path, file, problems, cases, ranking_of(found), _counts(check, found, fresh))


class _Tested(Record):
    """The outcome of a case or an ideal, and the verdicts that count, by place in `Prompt.points()`."""

    outcome: CaseOutcome
    verdicts: Mapping[int, Consensus]

    @classmethod
    def of(cls, check: CaseCheck, outcome: CaseOutcome) -> _Tested:
        prompt = check.prompts.get(outcome.case.prompt)
        return cls(outcome, {} if prompt is None else check.known(outcome.case, prompt).consensus)

    @property
    def today(self) -> dict[int, Consensus]:
        """The verdicts on what judges would be asked today."""
        scored = self.outcome.scored
        carried = {place for place, each in enumerate(scored.assessments) if each.carried_over} if scored else ()
        return {place: each for place, each in self.verdicts.items() if place not in carried}


def _freshness(
    check: CaseCheck, blueprint: Path, cache: Cache, resources: Resources, outcomes: Sequence[CaseOutcome]
) -> Mapping[str, Freshness]:
    """Which cases are fresh, by the name of their prompt. From now on their verdicts are shown."""
    places = {name: PromptPlace.of(blueprint, prompt) for name, prompt in check.prompts.items()}
    scored = [(places[each.case.prompt], each.scored.response.subject) for each in outcomes if each.scored is not None]
    found: dict[str, Freshness] = {}
    try:
        for name in dict.fromkeys(each.case.prompt for each in outcomes if each.scored is not None):
            store, prompt = resources.store(), check.prompts[name]
            shown, since = store.first_shown(places[name]), store.wordings_since(places[name])
            found[name] = freshness(prompt, check.blueprint.header, shown, since)
    except StoreUnavailable:
        return {}  # the cache has reported it
    cache.mark_shown(scored)
    return found


def _counts(
    check: CaseCheck, outcomes: Sequence[CaseOutcome], fresh: Mapping[str, Freshness]
) -> tuple[RubricCounts, ...]:
    """The counts of each prompt with cases."""
    by_prompt: dict[str, list[CaseOutcome]] = {}
    for outcome in outcomes:
        by_prompt.setdefault(outcome.case.prompt, []).append(outcome)
    return tuple(
        criterion_counts(name, check.prompts[name], each, fresh.get(name))
        for name, each in by_prompt.items()
        if name in check.prompts
    )


def _judged(
    blueprint: Path, parsed: Parsed, check: CaseCheck, every: Sequence[_Tested], asked: Tested
) -> list[_Tested]:
    """`every` case and ideal, those with points that judges can decide with the verdicts that they give."""
    runs: dict[int, Run] = {}
    grades: dict[tuple[str, str], Grades] = {}
    for index, each in enumerate(every):
        case, scored = each.outcome.case, each.outcome.scored
        prompt = check.prompts.get(case.prompt)
        if prompt is None or scored is None:
            continue
        graded = check.graded(case, prompt)
        if asked.judge_again:
            scored = scored_case(case, prompt, check.blueprint.header, check.javascript, grades=graded)
        if open_points(scored.assessments):
            runs[index] = _run_of(blueprint, parsed, each, prompt, scored)
            grades[runs[index].place.prompt, scored.response.subject] = graded
    if not runs:
        return list(every)
    launch = Launch(parsed.blueprint, list(runs.values()), check.panel)
    approval = OptionsApproval(asked, Permissions())
    evaluated = evaluate_all(launch, approval, asked, lambda place, subject: grades.get((place.prompt, subject), {}))
    found = list(every)
    for index, entry in zip(runs, () if evaluated is None else evaluated.entries, strict=evaluated is not None):
        if not isinstance(entry.outcome, Failed):
            scored = as_machines_read(entry.prompt, entry.outcome)
            verdicts = {} if entry.judged is None else entry.judged.points
            found[index] = _Tested(outcome_of(every[index].outcome.case, entry.prompt, scored), verdicts)
    return found


def _run_of(blueprint: Path, parsed: Parsed, tested: _Tested, prompt: Prompt, scored: Scored) -> Run:
    source = WrittenSource(scored.response.subject) if tested.outcome.case.number else IdealSource()
    return Run(
        PromptPlace.of(blueprint, prompt),
        prompt,
        prompt.span.of(parsed.text),
        0,
        Candidate(source),
        response=scored.response,
        assessments=scored.assessments,
        judgements={index: consensus.judgements for index, consensus in tested.verdicts.items()},
    )


def _record(path: Path, check: CaseCheck, every: Sequence[_Tested]) -> None:
    """Write the verdicts into the case file, of the cases that it has by now, and of ideals. Raises `Unusable`."""
    recorded: dict[tuple[str, tuple[str, ...]], tuple[CaseVerdict, ...]] = {}
    ideals: dict[str, tuple[CaseVerdict, ...]] = {}
    for each in every:
        case, prompt = each.outcome.case, check.prompts.get(each.outcome.case.prompt)
        if prompt is not None and each.today:
            asked = questions_of(case, prompt, check.blueprint.header)
            verdicts = verdicts_to_record(asked, each.today, check.panel.scale)
            if verdicts and case.number:
                recorded[case.prompt, case.turns] = verdicts
            elif verdicts:
                ideals[case.prompt] = verdicts

    def with_recorded(text: str) -> str:
        answers = {case.number: (case.prompt, case.turns) for case in read_cases(text)[0].cases}
        return with_verdicts(text, {at: recorded[each] for at, each in answers.items() if each in recorded}, ideals)

    try:
        change_case_file(path, with_recorded)
    except NotWritable as error:
        raise Unusable(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text any more.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
