"""`studio test`: the outcomes of cases as text and as JSON, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from engine.evaluation.result_json import dumps
from engine.functions import point_text
from engine.functions.function_text import count
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.explanation_text import carried_text, listed, point_label
from engine.study import criterion_counts
from engine.study.case import Case, CaseOutcome, CaseState
from engine.study.file_places import case_file_path, default_case_path
from engine.text.spans import in_quotes
from engine.yaml.nodes import Data
from studio.cli.cases import TestedCases, problem_lines, scored_cases
from studio.cli.frame import Unusable, finish, tell, wrapped
from studio.cli.inputs import read_blueprint
from studio.cli.json_parts import picked
from studio.cli.text import as_text, table

if TYPE_CHECKING:
    from studio.cli.test_command import Tested

_DECIDED = (CaseState.PASSED, CaseState.FAILED)


def tested(files: Sequence[Path], asked: Tested) -> NoReturn:
    """Print how the cases of these blueprints come out. Blocks. Raises `Unusable`."""
    results: list[TestedCases] = []
    for file in files:
        parsed = read_blueprint(file).parsed
        path = case_file_path(file)
        if path is None:
            tell(f"{file} has no cases: there is no {default_case_path(file)}.")
            continue
        result = scored_cases(file, path, parsed, asked)
        for line in problem_lines(result.path, result.file, result.problems):
            tell(line)
        results.append(result)
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
    if states[CaseState.FAILED] or any(result.ranking.wrong for result in results):
        return 1
    if strict and (
        states[CaseState.UNDECIDED]
        or states[CaseState.ORPHANED]
        or pairs[criterion_counts.PairState.OPEN]
        or pairs[criterion_counts.PairState.TIED]
    ):
        return 1
    return 0 if _is_decided(results) else 1


def _is_decided(results: Sequence[TestedCases]) -> bool:
    """Whether a case passes or fails; where all have labels alone, whether a pair is ranked."""
    states = _states(results)
    if any(states[state] for state in (*_DECIDED, CaseState.UNDECIDED)):
        return any(states[state] for state in _DECIDED)
    rankings = [result.ranking for result in results]
    return any(
        pair.state is not criterion_counts.PairState.OPEN
        for each in rankings
        for pair in (*each.pairs, *each.test_pairs)
    )


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


def _points(counts: criterion_counts.RubricCounts) -> Iterator[Block]:
    """What the points of one prompt are good for: all of them together, then each unit, and the test answers."""
    name = " ".join(counts.name.split())
    if not counts.units:
        yield Line(f"  {name} has no points")
        return
    yield Heading(2, f"what the points of {name} are good for")
    rows = [
        _row(unit.catches, unit.fails_good, f"{criterion_counts.unit_label(unit.unit)}{_untested(unit)}")
        for unit in counts.units
    ]
    if len(rows) > 1:
        rows.insert(0, _row(counts.catches, counts.fails_good, "any of them"))
    yield table(("catches", "fails good", "unjudged", "point"), rows, {0, 1})
    seen = criterion_counts.seen_text(counts.catches, counts.fails_good)
    yield Notes((*filter(None, [seen]), *(_test_answer(answer, counts) for answer in counts.test_answers)))


def _row(catches: criterion_counts.Tally, fails_good: criterion_counts.Tally, label: str) -> tuple[str, ...]:
    both = (catches, fails_good)
    known = (f"{tally.count} of {tally.known}" if tally.known else "–" for tally in both)
    unjudged = (f"{each.unjudged} {of}" for each, of in zip(both, ("bad", "good"), strict=True) if each.unjudged)
    return (*known, ", ".join(unjudged), label)


def _untested(counts: criterion_counts.UnitCounts) -> str:
    number = f"{len(counts.untested)} " if counts.unit.paths else ""
    return f" ({number}untested)" if counts.untested else ""


def _test_answer(answer: criterion_counts.ListedTestAnswer, counts: criterion_counts.RubricCounts) -> str:
    failing = [
        criterion_counts.unit_label(each.unit) for each, fails in zip(counts.units, answer.fails, strict=True) if fails
    ]
    unknown = sum(each is None for each in answer.fails)
    failed = f"failed by {listed(failing)}" if failing else "failed by none"
    label = "bad" if answer.case.is_bad else "good"
    rest = f"; {unknown} not judged" if unknown else ""
    return f"test answer, counted nowhere: {answer.case.name}, {answer.kind}, {label}: {failed}{rest}"


# --- JSON: docs/machine-readable.md, "studio test"


def _result_json(result: TestedCases) -> Data:
    return {
        "file": str(result.blueprint),
        "caseFile": str(result.path),
        "cases": [_case_json(outcome) for outcome in result.outcomes],
        "counts": {state.value: sum(each.state is state for each in result.outcomes) for state in CaseState},
        "pairs": {
            **{state.value: result.ranking.count(state) for state in criterion_counts.PairState},
            "openPairs": [
                _pair_json(pair) for pair in result.ranking.pairs if pair.state is criterion_counts.PairState.OPEN
            ],
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
        **picked(outcome, "fails=case.fails.text", "case.reason", "case.quote", "case.by"),
        **picked(outcome, "test", "bounds", "carried_over"),
    }


def _pair_json(pair: criterion_counts.Pair) -> dict[str, Data]:
    named = picked(pair, "bad.case.prompt", "good=good.case.number", "bad=bad.case.number")
    if pair.state is criterion_counts.PairState.OPEN:
        texts = ((each, criterion_counts.open_text(each)) for each in (pair.good, pair.bad))
        return {**named, "why": [f"{each.case.name}: {text}" for each, text in texts if text]}
    return {**named, "favouringBad": [point_label(point) for point in pair.favouring_bad]}


def _points_json(counts: criterion_counts.RubricCounts) -> dict[str, Data]:
    return {
        "prompt": counts.name,
        "units": [_unit_json(each) for each in counts.units],
        "any": {"catches": _tally_json(counts.catches), "failsGood": _tally_json(counts.fails_good)},
        "testAnswers": [_test_answer_json(each) for each in counts.test_answers],
    }


def _unit_json(counts: criterion_counts.UnitCounts) -> dict[str, Data]:
    pairs = zip(counts.unit.places, counts.unit.points, strict=True)
    return {
        "points": [
            {
                "text": point_text(placed.point),
                **picked(placed, "rubric.block", "path_id"),
                "untested": place in counts.untested,
            }
            for place, placed in pairs
        ],
        "catches": _tally_json(counts.catches),
        "aloneCatches": None,
        "failsGood": _tally_json(counts.fails_good),
    }


def _tally_json(tally: criterion_counts.Tally) -> dict[str, Data]:
    return {**picked(tally, "count", "of=known", "unjudged"), "interval": None}


def _test_answer_json(answer: criterion_counts.ListedTestAnswer) -> dict[str, Data]:
    label = "bad" if answer.case.is_bad else "good"
    return {**picked(answer, "case=case.number", "kind"), "label": label, **picked(answer, "fails")}
