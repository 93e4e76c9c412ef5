"""The cases of a blueprint: read, scored, judged if requested, and their verdicts recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cases import Case, CaseFile, CaseOutcome, CaseProblem, outcome_of, problems_with, read_cases
from engine.cases.case import CaseVerdict
from engine.cases.case_check import CaseCheck
from engine.cases.case_file_change import change_case_file
from engine.cases.case_scoring import grades_of, questions_of, response_of
from engine.cases.case_verdicts import verdicts_to_record
from engine.cases.case_writer import NotWritable, with_verdicts
from engine.cases.criterion_counts import Freshness, RubricCounts, criterion_counts, never_fresh
from engine.cases.freshness import freshness
from engine.cases.pair_ranking import Ranking, ranking_of
from engine.diagnostics import Severity
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Failed, Scored
from engine.evaluation.judge_assessment import open_points
from engine.evaluation.sources import WrittenSource
from engine.regular_files import read_regular
from engine.store import PromptPlace, StoreUnavailable
from engine.text import LineIndex
from engine.text_limits import FILE_BYTES
from studio.cli.batch_runs import judge_all
from studio.cli.unread_store import report_once
from studio.cli.unusable import Unusable
from studio.session.cache import Cache
from studio.session.resources import Resources
from studio.session.run import Run
from studio.session.run_launcher import Launch

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.judging.consensus import Consensus
    from engine.judging.panel import Panel
    from engine.parsing import Parsed
    from engine.scoring.assessment import Criterion, Grade
    from studio.session.run_launcher import Approval


@dataclass(frozen=True, slots=True)
class TestedCases:
    """The cases of one blueprint and their outcomes, in the order of the file.

    `counts` say what the points of each prompt with cases are good for, in the order of these prompts.
    """

    blueprint: Path
    path: Path
    file: CaseFile
    problems: tuple[CaseProblem, ...]
    outcomes: tuple[CaseOutcome, ...]
    ranking: Ranking
    counts: tuple[RubricCounts, ...] = ()

    @property
    def is_readable(self) -> bool:
        """Whether all of the file could be read."""
        return all(problem.kind.severity is not Severity.ERROR for problem in self.problems)


def read_case_file(path: Path, parsed: Parsed) -> tuple[CaseFile, tuple[CaseProblem, ...]]:
    """The cases at `path`, of the blueprint `parsed`, with their problems. Raises `Unusable`."""
    try:
        text = read_regular(path, FILE_BYTES).decode("utf-8")
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text.") from error
    file, problems = read_cases(text)
    every = sorted([*problems, *problems_with(file, parsed.blueprint)], key=lambda problem: problem.span)
    return file, tuple(every)


def problem_lines(path: Path, file: CaseFile, problems: Sequence[CaseProblem]) -> list[str]:
    """`FILE:3:5: warning: …`, one line for each problem."""
    lines = LineIndex(file.text)
    places = [lines.position(problem.span.start) for problem in problems]
    return [
        f"{path}:{place.line + 1}:{place.column + 1}: {problem.kind.severity}[{problem.kind}]: {problem.message}. "
        f"{problem.advice}".rstrip()
        for place, problem in zip(places, problems, strict=True)
    ]


def tested(
    blueprint: Path, path: Path, parsed: Parsed, panel: Panel, approval: Approval | None, *, record: bool
) -> TestedCases:
    """The outcomes of all cases at `path`, of a blueprint. Blocks.

    With `approval`, judges are asked about the points that are open. `record`: the verdicts that counted are written
    into the case file. Raises `Unusable`.
    """
    from engine.providers import resolve

    file, problems = read_case_file(path, parsed)
    providers = partial(resolve, custom=parsed.blueprint.header.models, keyless=True)
    resources = Resources()
    cache = Cache(resources.store, report_once("Cached verdicts"))
    try:
        check = CaseCheck(parsed.blueprint, resources.javascript(), panel, providers, cache.judgement)
        outcomes = list(check.outcomes(file.cases))
        ideals = check.ideals(dict.fromkeys(case.prompt for case in file.cases))
        known = {case.number: _known_verdicts(check, case) for case in file.cases}
        fresh = _freshness(check, blueprint, cache, resources, [*outcomes, *ideals])
    finally:
        resources.close()
    if approval is not None:
        judged = _judged(blueprint, parsed, check, outcomes, known, panel, approval)
        for index, (outcome, verdicts) in judged.items():
            outcomes[index] = outcome
            known[outcome.case.number] = verdicts
    if record:
        _record(path, file, check, known)
    every = (*outcomes, *ideals)
    return TestedCases(
        blueprint, path, file, problems, tuple(outcomes), ranking_of(every), _counts(check, every, fresh)
    )


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
        return {}  # the cache has reported it, and no answer is fresh
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
        criterion_counts(name, check.prompts[name], each, fresh.get(name, never_fresh))
        for name, each in by_prompt.items()
        if name in check.prompts
    )


def _known_verdicts(check: CaseCheck, case: Case) -> Mapping[int, Consensus]:
    """The verdicts that are known, by place in `Prompt.points()`."""
    prompt = check.prompts.get(case.prompt)
    if prompt is None:
        return {}
    found = check.verdicts(case, prompt)
    return {
        index: found[point.text]
        for index, point in enumerate(prompt.points())
        if point.text is not None and point.text in found
    }


def _judged(
    blueprint: Path,
    parsed: Parsed,
    check: CaseCheck,
    outcomes: Sequence[CaseOutcome],
    known: Mapping[int, Mapping[int, Consensus]],
    panel: Panel,
    approval: Approval,
) -> dict[int, tuple[CaseOutcome, Mapping[int, Consensus]]]:
    """The outcomes of the cases with points that judges can decide, by place, with all their verdicts."""
    runs: dict[int, Run] = {}
    grades: dict[tuple[str, str], Mapping[Criterion, Grade]] = {}
    for index, outcome in enumerate(outcomes):
        prompt = check.prompts.get(outcome.case.prompt)
        if prompt is None or outcome.scored is None or not open_points(outcome.scored):
            continue
        run = _run_of(blueprint, parsed, outcome.case, prompt, outcome.scored, known[outcome.case.number])
        runs[index] = run
        grades[run.place.prompt, outcome.scored.response.subject] = grades_of(outcome.case, prompt)
    if not runs:
        return {}
    launch = Launch(parsed.blueprint, list(runs.values()), panel)
    evaluated = judge_all(launch, approval, lambda place, subject: grades.get((place.prompt, subject), {}))
    if evaluated is None:
        return {}
    found: dict[int, tuple[CaseOutcome, Mapping[int, Consensus]]] = {}
    for index, entry in zip(runs, evaluated.entries, strict=True):
        if isinstance(entry.outcome, Failed):
            continue
        case, verdicts = outcomes[index].case, {} if entry.judged is None else entry.judged.points
        found[index] = outcome_of(case, entry.prompt, entry.outcome), verdicts
    return found


def _run_of(
    blueprint: Path, parsed: Parsed, case: Case, prompt: Prompt, scored: Scored, known: Mapping[int, Consensus]
) -> Run:
    return Run(
        PromptPlace.of(blueprint, prompt),
        prompt,
        prompt.span.of(parsed.text),
        0,
        Candidate(WrittenSource(scored.response.subject)),
        response=response_of(case, prompt, parsed.blueprint.header),
        assessments=scored.assessments,
        judgements={index: consensus.judgements for index, consensus in known.items()},
    )


def _record(path: Path, file: CaseFile, check: CaseCheck, known: Mapping[int, Mapping[int, Consensus]]) -> None:
    """Write the verdicts into the case file, of the cases that it has by now. Raises `Unusable`."""
    recorded: dict[tuple[str, tuple[str, ...]], tuple[CaseVerdict, ...]] = {}
    for case in file.cases:
        prompt = check.prompts.get(case.prompt)
        if prompt is not None and known[case.number]:
            asked = questions_of(case, prompt, check.blueprint.header)
            recorded[case.prompt, case.turns] = verdicts_to_record(asked, known[case.number], check.panel.scale)

    def with_recorded(text: str) -> str:
        answers = {case.number: (case.prompt, case.turns) for case in read_cases(text)[0].cases}
        return with_verdicts(text, {at: recorded[each] for at, each in answers.items() if each in recorded})

    try:
        change_case_file(path, with_recorded)
    except NotWritable as error:
        raise Unusable(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text any more.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
