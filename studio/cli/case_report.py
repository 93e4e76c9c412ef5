"""The outcomes of cases as text and as JSON, and the exit code of `studio test`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.evaluation.result_json import bounds_json, dumps
from engine.scoring.explanation_text import carried_text, point_label
from engine.study.case import Case
from engine.study.case_outcome import CaseOutcome, CaseState
from engine.study.criterion_counts import Pair, PairState, Ranking, favouring_text, open_lines, open_text, pair_text
from engine.text.spans import in_quotes
from engine.yaml.nodes import Data
from studio.cli.case_points import points_json, points_lines

if TYPE_CHECKING:
    from studio.cli.case_runs import TestedCases

_DECIDED = (CaseState.PASSED, CaseState.FAILED)


def exit_code(results: Sequence[TestedCases], *, strict: bool) -> int:
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
        states[CaseState.UNDECIDED] or states[CaseState.ORPHANED] or pairs[PairState.OPEN] or pairs[PairState.TIED]
    ):
        return 1
    return 0 if _is_decided(results) else 1


def _is_decided(results: Sequence[TestedCases]) -> bool:
    """Whether a case passes or fails; where all have labels alone, whether a pair is ranked."""
    states = _states(results)
    if any(states[state] for state in (*_DECIDED, CaseState.UNDECIDED)):
        return any(states[state] for state in _DECIDED)
    rankings = [result.ranking for result in results]
    return any(pair.state is not PairState.OPEN for each in rankings for pair in (*each.pairs, *each.test_pairs))


def _states(results: Sequence[TestedCases]) -> Counter[CaseState]:
    return Counter(outcome.state for result in results for outcome in result.outcomes)


def as_text(results: Sequence[TestedCases], *, points: bool = False) -> str:
    """One line for each case, the pairs that are ranked wrongly, and a summary.

    With `points`, also what each point is good for.
    """
    lines: list[str] = []
    for result in results:
        lines += _file_lines(result)
        lines += (line for each in result.counts if points for line in points_lines(each))
        lines.append("")
    lines.append(_summary(results))
    return "\n".join(lines) + "\n"


def _file_lines(result: TestedCases) -> Iterator[str]:
    yield str(result.blueprint)
    width = max((len(outcome.case.prompt) for outcome in result.outcomes), default=0)
    for outcome in result.outcomes:
        case = outcome.case
        about = " ".join(f"{case.prompt:<{min(width, 40)}}  {_label(case):<4}".split("\n"))
        yield f"  {outcome.state:<9}  case {case.number:<3}  {about}  {outcome.summary}"
        if outcome.state is CaseState.FAILED and case.reason is not None:
            said = f", {case.by}" if case.by is not None else ""
            yield f"    {in_quotes(' '.join(case.reason.split()))}{said}"
    carried = sum(outcome.carried_over for outcome in result.outcomes)
    if carried:
        verb = "does" if carried == 1 else "do"
        yield f"  {carried_text(carried)} {verb} not count: --judge configured asks again"
    if result.ranking.pairs:
        yield f"  {result.ranking}"
    yield from _wrong_pairs(result.ranking)
    yield from (f"    open: {line}" for line in open_lines(result.ranking))
    for outcome in result.ranking.test_answers:
        yield (
            f"  test answer, in no count: {outcome.case.name}, {outcome.test}, {_label(outcome.case)}, "
            f"scores {outcome.score}"
        )


def _wrong_pairs(ranking: Ranking) -> Iterator[str]:
    for pair in ranking.wrong:
        yield f"    {pair_text(pair)}"
        favouring = favouring_text(pair)
        if favouring:
            yield f"      {favouring}"


def _label(case: Case) -> str:
    return "" if case.is_bad is None else "bad" if case.is_bad else "good"


def _summary(results: Sequence[TestedCases]) -> str:
    """`5 passed, 1 failed, 2 undecided`, in the order of `CaseState`; `2 undecided: none could be decided`."""
    states = _states(results)
    counts = ", ".join(f"{states[state]} {state}" for state in CaseState if states[state])
    return counts if _is_decided(results) else f"{counts}: none could be decided"


def as_json(results: Sequence[TestedCases]) -> str:
    """A list with an object for each blueprint (docs/machine-readable.md, "Cases")."""
    return dumps([_result_json(result) for result in results])


def _result_json(result: TestedCases) -> dict[str, Data]:
    return {
        "file": str(result.blueprint),
        "caseFile": str(result.path),
        "cases": [_case_json(outcome) for outcome in result.outcomes],
        "counts": {state.value: sum(each.state is state for each in result.outcomes) for state in CaseState},
        "pairs": {
            **{state.value: result.ranking.count(state) for state in PairState},
            "openPairs": [_open_pair_json(pair) for pair in result.ranking.pairs if pair.state is PairState.OPEN],
            "wrongPairs": [_pair_json(pair) for pair in result.ranking.wrong if not pair.has_test_answer],
            "wrongTestPairs": [_pair_json(pair) for pair in result.ranking.wrong if pair.has_test_answer],
        },
        "points": [points_json(counts) for counts in result.counts],
    }


def _case_json(outcome: CaseOutcome) -> dict[str, Data]:
    case, bounds = outcome.case, outcome.bounds
    return {
        "number": case.number,
        "prompt": case.prompt,
        "state": outcome.state.value,
        "why": outcome.why,
        "label": _label(case) or None,
        "score": None if case.score is None else [case.score.low, case.score.high],
        "fails": None if case.fails is None else case.fails.text,
        "reason": case.reason,
        "quote": case.quote,
        "by": case.by,
        "test": None if outcome.test is None else outcome.test.value,
        "bounds": None if bounds is None else bounds_json(bounds),
        "carriedOver": outcome.carried_over,
    }


def _open_pair_json(pair: Pair) -> Data:
    why: list[Data] = [f"{each.case.name}: {text}" for each in (pair.good, pair.bad) if (text := open_text(each))]
    return {"prompt": pair.bad.case.prompt, "good": pair.good.case.number, "bad": pair.bad.case.number, "why": why}


def _pair_json(pair: Pair) -> dict[str, Data]:
    favouring: list[Data] = [point_label(point) for point in pair.favouring_bad]
    return {"prompt": pair.bad.case.prompt, "good": pair.good.case.number, "bad": pair.bad.case.number,
            "favouringBad": favouring}  # fmt: skip
