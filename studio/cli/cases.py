"""`studio test`: cases read, scored, judged if requested, and recorded; their outcomes as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from engine.blueprint import Prompt
from engine.evaluation.events import Failed, Scored
from engine.evaluation.point_assessment import Grades
from engine.evaluation.result_json import dumps
from engine.evaluation.sources import Candidate, IdealSource, WrittenSource
from engine.evaluation.verdicts import as_machines_read, open_points
from engine.functions import point_text
from engine.judging.judgement import Consensus
from engine.parsing import Parsed
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.explanation import carried_text, listed, point_label
from engine.store import PromptPlace
from engine.study import criterion_counts
from engine.study.case import Case, CaseFile, CaseOutcome, CaseState, CaseVerdict, outcome_of, without_repeated_ideals
from engine.study.case_reader import problems_with, read_cases
from engine.study.case_scoring import CaseCheck, questions_of, scored_case, verdicts_to_record
from engine.study.case_writer import NotWritable, change_case_file, with_verdicts
from engine.study.criterion_counts import Pair, PairState, RubricCounts, Tally, UnitCounts
from engine.study.file_places import case_file_path, default_case_path, text_or_problem
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import Record
from engine.text.spans import LineIndex, count, in_quotes
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, finish, report_once, tell, wrapped
from studio.cli.inputs import read_blueprint, stored
from studio.cli.options import OptionsApproval, Permissions, Tested, panel_of, report_others
from studio.cli.output import as_text, picked, table
from studio.cli.runs import evaluate_all
from studio.session.evaluator import Cache, Launch
from studio.session.run import Run

_DECIDED = (CaseState.PASSED, CaseState.FAILED)


class TestedCases(Record):
    """The cases of one blueprint and their outcomes, in the order of the file.

    `is_readable`: all of the file could be read. `counts` say what the points of each prompt with cases are good for,
    in the order of these prompts.
    """

    blueprint: Path
    path: Path
    file: CaseFile
    is_readable: bool
    outcomes: tuple[CaseOutcome, ...]
    ranking: criterion_counts.Ranking
    counts: tuple[RubricCounts, ...] = ()


def read_case_file(path: Path, parsed: Parsed) -> tuple[CaseFile, tuple[Diagnostic, ...]]:
    """The cases at `path`, of the blueprint `parsed`, with their problems, which are printed. Raises `Unusable`."""
    text, problem = text_or_problem(path)
    if problem:
        raise Unusable(f"{path} {problem}")
    file, problems = read_cases(text)
    every = tuple(sorted([*problems, *problems_with(file, parsed.blueprint)], key=lambda problem: problem.span))
    lines = LineIndex(file.text)
    for each in every:
        place = lines.position(each.span.start)
        where = f"{path}:{place.line + 1}:{place.column + 1}"
        tell(f"{where}: {each.severity}[{each.slug}]: {each.message}. {each.why}".rstrip())
    return file, every


def scored_cases(blueprint: Path, path: Path, parsed: Parsed, asked: Tested) -> TestedCases:
    """The outcomes of all cases at `path`, of a blueprint. Blocks. Raises `Unusable`.

    Judges are asked about the points that are open, of ideals too, if they are asked at all. The verdicts that counted
    may be recorded in the case file.
    """
    file, problems = read_case_file(path, parsed)
    panel = panel_of(parsed.blueprint.header, asked)
    with stored(report_once("Stored verdicts cannot be read"), without=asked.no_stored) as (resources, cache):
        check = cache.case_check(blueprint, parsed.blueprint, resources.javascript(), panel)
        outcomes = check.outcomes(file.cases)
        ideals = check.ideals(dict.fromkeys(case.prompt for case in file.cases))
        every = [_Tested.of(check, each) for each in without_repeated_ideals((*outcomes, *ideals))]
        fresh = _freshness(check, blueprint, cache, [*outcomes, *ideals])
        if asked.are_asked:
            every = _judged(parsed, check, every, asked)
    report_others(each.outcome.scored.explanation for each in every if each.outcome.scored is not None)
    if asked.record:
        _record(path, check, every)
    found = [each.outcome for each in every]
    cases = tuple(each for each in found if each.case.number)
    is_readable = all(each.severity is not Severity.ERROR for each in problems)
    ranking, counts = criterion_counts.ranking_of(found), _counts(check, found, fresh)
    return TestedCases(blueprint, path, file, is_readable, cases, ranking, counts)


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
    check: CaseCheck, blueprint: Path, cache: Cache, outcomes: Sequence[CaseOutcome]
) -> Mapping[str, criterion_counts.Freshness | None]:
    """Which cases are fresh, by the name of their prompt. From now on their verdicts are shown."""
    places = {name: PromptPlace.of(blueprint, prompt) for name, prompt in check.prompts.items()}
    scored = [(each.case.prompt, each.scored.response.subject) for each in outcomes if each.scored is not None]
    header, names = check.blueprint.header, dict.fromkeys(name for name, _ in scored)
    found = {name: cache.freshness(places[name], check.prompts[name], header) for name in names}
    cache.mark_shown((places[name], subject) for name, subject in scored)
    return found


def _counts(
    check: CaseCheck, outcomes: Sequence[CaseOutcome], fresh: Mapping[str, criterion_counts.Freshness | None]
) -> tuple[RubricCounts, ...]:
    """The counts of each prompt with cases."""
    names = dict.fromkeys(each.case.prompt for each in outcomes if each.case.prompt in check.prompts)
    of_prompt = {name: [each for each in outcomes if each.case.prompt == name] for name in names}
    return tuple(
        criterion_counts.criterion_counts(name, check.prompts[name], each, fresh.get(name))
        for name, each in of_prompt.items()
    )


def _judged(parsed: Parsed, check: CaseCheck, every: Sequence[_Tested], asked: Tested) -> list[_Tested]:
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
            runs[index] = _run_of(parsed, each, prompt, scored)
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
            found[index] = _Tested(outcome_of(every[index].outcome.case, entry.prompt, scored), scored.verdicts)
    return found


def _run_of(parsed: Parsed, tested: _Tested, prompt: Prompt, scored: Scored) -> Run:
    source = WrittenSource(scored.response.subject) if tested.outcome.case.number else IdealSource()
    judgements = {index: consensus.judgements for index, consensus in tested.verdicts.items()}
    response, assessments = scored.response, scored.assessments
    return Run.of(parsed, prompt, Candidate(source), response=response, assessments=assessments, judgements=judgements)


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
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error


def tested(files: Sequence[Path], asked: Tested) -> NoReturn:
    """Print how the cases of these blueprints come out. Blocks. Raises `Unusable`."""
    results: list[TestedCases] = []
    for file in files:
        parsed = read_blueprint(file).parsed
        path = case_file_path(file)
        if path is None:
            tell(f"{file} has no cases: there is no {default_case_path(file)}.")
            continue
        results.append(scored_cases(file, path, parsed, asked))
    if not any(result.file.cases for result in results):
        raise Unusable("There are no cases that can be read.")
    data = [_result_json(result) for result in results]
    text = dumps(data) if asked.is_json else wrapped(as_text(_blocks(results, points=asked.points)))
    finish(text, _exit_code(results, strict=asked.strict))


# --- The exit code


def _exit_code(results: Sequence[TestedCases], *, strict: bool) -> int:
    """0 if all pass; 1 if a case fails, a pair is ranked wrongly, or nothing is decided; 2 if a case cannot be read.

    Pairs decide where there are labels alone. If `strict`, what is undecided fails too.
    """
    if not all(result.is_readable for result in results):
        return 2
    states = _states(results)
    pairs = Counter(pair.state for result in results for pair in result.ranking.pairs)
    failed = states[CaseState.FAILED] or any(result.ranking.wrong for result in results)
    undecided = states[CaseState.UNDECIDED] + states[CaseState.ORPHANED] + pairs[PairState.OPEN] + pairs[PairState.TIED]
    return int(bool(failed or (strict and undecided) or not _is_decided(results)))


def _is_decided(results: Sequence[TestedCases]) -> bool:
    """Whether a case passes or fails; where all have labels alone, whether a pair is ranked."""
    states = _states(results)
    if any(states[state] for state in (*_DECIDED, CaseState.UNDECIDED)):
        return any(states[state] for state in _DECIDED)
    pairs = [pair for result in results for pair in (*result.ranking.pairs, *result.ranking.test_pairs)]
    return any(pair.state is not PairState.OPEN for pair in pairs)


def _states(results: Sequence[TestedCases]) -> Counter[CaseState]:
    return Counter(outcome.state for result in results for outcome in result.outcomes)


# --- Text


def _blocks(results: Sequence[TestedCases], *, points: bool) -> Iterator[Block]:
    """The totals, then a line for each case of a file, and the pairs that are ranked wrongly.

    With `points`, also what each point is good for.
    """
    yield Line(_summary(results))
    for result in results:
        yield Section((Heading(1, str(result.blueprint)), Notes(tuple(_file_lines(result)))))
        for counts in result.counts if points else ():
            yield Section(tuple(_points(counts)))


def _summary(results: Sequence[TestedCases]) -> str:
    """`8 cases: 5 passed, 1 failed, 2 undecided.`, in the order of `CaseState`."""
    states = _states(results)
    counts = ", ".join(f"{states[state]} {state}" for state in CaseState if states[state])
    none = "" if _is_decided(results) else " None could be decided."
    return f"{count(states.total(), 'case')}: {counts}.{none}"


def _file_lines(result: TestedCases) -> Iterator[str]:
    width = max((len(outcome.case.prompt) for outcome in result.outcomes), default=0)
    for outcome in result.outcomes:
        case = outcome.case
        about = " ".join(f"{case.prompt:<{min(width, 40)}}  {_label(case):<4}".split("\n"))
        yield f"{outcome.state:<9}  case {case.number:<3}  {about}  {outcome.summary}"
        if outcome.state is CaseState.FAILED and case.reason is not None:
            said = f", {case.by}" if case.by is not None else ""
            yield f"  {in_quotes(' '.join(case.reason.split()))}{said}"
    if carried := sum(outcome.carried_over for outcome in result.outcomes):
        verb = "does" if carried == 1 else "do"
        yield f"{carried_text(carried)} {verb} not count: --judge configured asks again"
    if result.ranking.pairs:
        yield str(result.ranking)
    for pair in result.ranking.wrong:
        yield f"  {criterion_counts.pair_text(pair)}"
        if favouring := criterion_counts.favouring_text(pair):
            yield f"    {favouring}"
    yield from (f"  open: {line}" for line in criterion_counts.open_lines(result.ranking))
    for outcome in result.ranking.test_answers:
        label = _label(outcome.case)
        yield f"test answer, in no count: {outcome.case.name}, {outcome.test}, {label}, scores {outcome.score}"


def _label(case: Case) -> str:
    return "" if case.is_bad is None else "bad" if case.is_bad else "good"


def _points(counts: RubricCounts) -> Iterator[Block]:
    """What the points of one prompt are good for: all of them together, then each unit, and the test answers."""
    name = " ".join(counts.name.split())
    if not counts.units:
        yield Line(f"  {name} has no criteria")
        return
    yield Heading(2, f"what the criteria of {name} are good for")
    rows = [
        _row(unit.catches, unit.fails_good, f"{criterion_counts.unit_label(unit.unit)}{_untested(unit)}")
        for unit in counts.units
    ]
    if len(rows) > 1:
        rows.insert(0, _row(counts.catches, counts.fails_good, "any of them"))
    yield table(("catches", "fails good", "unjudged", "point"), rows, {0, 1})
    seen = criterion_counts.seen_text(counts.catches, counts.fails_good)
    yield Notes((*filter(None, [seen]), *(_test_answer(*answer, counts) for answer in counts.test_answers)))


def _row(catches: Tally, fails_good: Tally, label: str) -> tuple[str, ...]:
    both = (catches, fails_good)
    known = (f"{tally.count} of {tally.known}" if tally.known else "–" for tally in both)
    unjudged = (f"{each.unjudged} {of}" for each, of in zip(both, ("bad", "good"), strict=True) if each.unjudged)
    return (*known, ", ".join(unjudged), label)


def _untested(counts: UnitCounts) -> str:
    number = f"{len(counts.untested)} " if counts.unit.paths else ""
    return f" ({number}untested)" if counts.untested else ""


def _test_answer(outcome: CaseOutcome, fails: Sequence[bool | None], counts: RubricCounts) -> str:
    failing = [criterion_counts.unit_label(each.unit) for each, is_so in zip(counts.units, fails, strict=True) if is_so]
    unknown = sum(each is None for each in fails)
    failed = f"failed by {listed(failing)}" if failing else "failed by none"
    rest = f"; {unknown} not judged" if unknown else ""
    return f"test answer, counted nowhere: {outcome.case.name}, {outcome.test}, {_label(outcome.case)}: {failed}{rest}"


# --- JSON: docs/machine-readable.md, "studio test"


def _result_json(result: TestedCases) -> Data:
    return {
        "file": str(result.blueprint),
        "caseFile": str(result.path),
        "cases": [_case_json(outcome) for outcome in result.outcomes],
        "counts": {state.value: sum(each.state is state for each in result.outcomes) for state in CaseState},
        "pairs": {
            **{state.value: result.ranking.count(state) for state in PairState},
            "openPairs": [_pair_json(pair) for pair in result.ranking.pairs if pair.state is PairState.OPEN],
            "wrongPairs": [_pair_json(pair) for pair in result.ranking.wrong if not pair.has_test_answer],
            "wrongTestPairs": [_pair_json(pair) for pair in result.ranking.wrong if pair.has_test_answer],
        },
        "points": [_points_json(counts) for counts in result.counts],
    }


def _case_json(outcome: CaseOutcome) -> dict[str, Data]:
    case = outcome.case
    return {
        **picked(outcome, "case.number", "case.prompt", "state", "why"),
        "label": _label(case) or None,
        "score": None if case.score is None else [case.score.low, case.score.high],
        "fails": None if case.fails is None else case.fails.text,
        **picked(outcome, "case.reason", "case.quote", "case.by", "test", "bounds", "carried_over"),
    }


def _pair_json(pair: Pair) -> dict[str, Data]:
    named = picked(pair, "bad.case.prompt", "good=good.case.number", "bad=bad.case.number")
    if pair.state is PairState.OPEN:
        texts = ((each, criterion_counts.open_text(each)) for each in (pair.good, pair.bad))
        return {**named, "why": [f"{each.case.name}: {text}" for each, text in texts if text]}
    return {**named, "favouringBad": [point_label(point) for point in pair.favouring_bad]}


def _points_json(counts: RubricCounts) -> dict[str, Data]:
    return {
        "prompt": counts.name,
        "units": [_unit_json(each) for each in counts.units],
        "any": {"catches": _tally_json(counts.catches), "failsGood": _tally_json(counts.fails_good)},
        "testAnswers": [_test_answer_json(*each) for each in counts.test_answers],
    }


def _unit_json(counts: UnitCounts) -> dict[str, Data]:
    untested = counts.untested
    points: Data = [
        {"text": point_text(placed.point), **picked(placed, "rubric.block", "path_id"), "untested": place in untested}
        for place, placed in zip(counts.unit.places, counts.unit.points, strict=True)
    ]
    catches, fails_good = _tally_json(counts.catches), _tally_json(counts.fails_good)
    return {"points": points, "catches": catches, "aloneCatches": None, "failsGood": fails_good}


def _tally_json(tally: Tally) -> dict[str, Data]:
    return {**picked(tally, "count", "of=known", "unjudged"), "interval": None}


def _test_answer_json(outcome: CaseOutcome, fails: Sequence[bool | None]) -> dict[str, Data]:
    return {**picked(outcome, "case=case.number", "kind=test"), "label": _label(outcome.case), "fails": [*fails]}
