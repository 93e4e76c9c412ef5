"""A case passes only if every score that is still possible is right, and fails only if none is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.judging.judge_prompt import Question, context_of, first_request
from engine.judging.judge_runner import with_pending
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import Panel, panel
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict
from engine.parsing import parse
from engine.study.case import CaseOutcome, CaseState, outcome_of
from engine.study.case_reader import read_cases
from engine.study.case_scoring import CaseCheck, questions_of, recorded_verdicts, verdicts_to_record
from engine.study.case_writer import with_verdicts
from engine.study.criterion_counts import PairState, ranking_of
from engine.text.record import replace
from tests.many_cases import every

RUBRIC = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
    - {text: Is friendly, weight: 2}
  should_not:
    - $icontains: lawyer
"""
GRADED = "grades: [{criterion: Names the lease, grade: absent}, {criterion: Is friendly, grade: fully present}]"


Tested = Callable[..., list[CaseOutcome]]


@pytest.fixture(scope="module")
def tested(javascript: JavaScript) -> Tested:
    def outcomes(*cases: str, rubric: str = RUBRIC) -> list[CaseOutcome]:
        blueprint = parse(rubric).blueprint
        file, problems = read_cases(
            "version: 1\ncases:\n" + "".join(f"  - {{prompt: rent, {each}}}\n" for each in cases)
        )
        assert problems == ()
        check = CaseCheck(blueprint, javascript, panel(blueprint.header))
        return list(check.outcomes(file.cases))

    return outcomes


def test_a_check_that_cannot_run_fails_no_answer(tested: Tested) -> None:
    rubric = "- id: rent\n  prompt: When?\n  should: [{$matches: '(['}]\n"
    (outcome,) = tested("answer: x, fails: 'Function: matches(\"([\")'", rubric=rubric)
    assert outcome.state is CaseState.UNDECIDED
    assert outcome.why.endswith("cannot be checked")


def test_a_grade_of_an_earlier_wording_does_not_count(tested: Tested) -> None:
    (outcome,) = tested(
        f"answer: On the 3rd., score: [70, 90], {GRADED}", rubric=RUBRIC.replace("Is fri", "Sounds fri")
    )
    assert outcome.state is CaseState.UNDECIDED


def test_an_orphaned_case_is_neither(tested: Tested) -> None:
    (outcome,) = tested("answer: x, label: bad", rubric=RUBRIC.replace("id: rent", "id: due"))
    assert outcome.state is CaseState.ORPHANED


def test_a_prompt_without_points_decides_nothing(tested: Tested) -> None:
    (outcome,) = tested("answer: x, score: [0, 100]", rubric="- id: rent\n  prompt: When?\n")
    assert (outcome.state, outcome.why) == (CaseState.UNDECIDED, "the prompt has no criteria")


CHECKS = "- id: rent\n  prompt: When?\n  should: [{$contains: a}, {$contains: b}, {$contains: c}]\n"


def test_pairs_are_ranked_by_their_scores(tested: Tested) -> None:
    outcomes = tested(*(f"answer: {answer}, label: {label}" for answer, label in PAIRED), rubric=CHECKS)
    ranking = ranking_of(outcomes)
    assert str(ranking) == "ranks 2 of 4 good–bad pairs rightly, 1 wrongly, 1 tie"


PAIRED = (("a b c", "good"), ("a", "good"), ("x a", "bad"), ("c b", "bad"))


def test_test_answers_are_in_no_pair_that_counts(tested: Tested) -> None:
    refusal = "answer: No., label: bad, test: refusal"
    empty = "answer: '', label: good"
    ranking = ranking_of(tested("answer: a, label: good", "answer: b c, label: bad", refusal, empty, rubric=CHECKS))
    assert str(ranking) == "ranks 0 of 1 good–bad pair rightly, 1 wrongly"
    assert [each.case.number for each in ranking.test_answers] == [3, 4]
    assert [(pair.good.case.number, pair.bad.case.number) for pair in ranking.test_pairs] == [(1, 3), (4, 2)]
    assert [pair.bad.case.number for pair in ranking.wrong] == [2, 2]


def test_a_wrong_pair_names_the_points_that_favour_the_bad_answer(tested: Tested) -> None:
    ranking = ranking_of(tested("answer: a, label: good", "answer: b c, label: bad", rubric=CHECKS))
    (pair,) = ranking.pairs
    assert pair.state is PairState.WRONG
    assert [point.function and point.function.args for point in pair.favouring_bad] == ["b", "c"]


def test_overlapping_intervals_are_open(tested: Tested) -> None:
    ranking = ranking_of(tested("answer: On the 3rd., label: good", "answer: Soon., label: bad"))
    assert [pair.state for pair in ranking.pairs] == [PairState.OPEN]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans(), st.sampled_from(["x", "a", "ab", "abc"])), max_size=6))
def test_every_good_answer_is_paired_with_every_bad_one_of_its_prompt(
    javascript: JavaScript, given_cases: list[tuple[str, bool, str]]
) -> None:
    rubric = "".join(CHECKS.replace("rent", name) for name in "ab")
    blueprint = parse(rubric).blueprint
    listed = "".join(
        f"  - {{prompt: {name}, label: {'bad' if bad else 'good'}, answer: {answer}}}\n"
        for name, bad, answer in given_cases
    )
    check = CaseCheck(blueprint, javascript, panel(blueprint.header))
    ranking = ranking_of(check.outcomes(read_cases(f"version: 1\ncases:\n{listed}")[0].cases))
    expected = sum(
        sum(not bad for name, bad, _ in given_cases if name == each)
        * sum(bad for name, bad, _ in given_cases if name == each)
        for each in "ab"
    )
    assert len(ranking.pairs) == expected == sum(map(ranking.count, PairState))


JUDGED = f"evaluationConfig: {{llm-coverage: {{judges: [{{model: 'own:j', approach: holistic}}]}}}}\n---\n{RUBRIC}"


def judgement(question: Question, judges: Panel, extent: float) -> Judgement:
    judge = judges.judges[0]
    attempt = Attempt(first_request(question, judge.approach, judges.scale, "j"), "", Verdict(extent, None, "Because."))
    return Judgement(judge, question.criterion, (attempt,), shown=context_of(judge.approach, question))


def with_recorded(rubric: str = JUDGED, answer: str = "On the 3rd.") -> str:
    """A case file with the verdicts of the judge of `rubric` on its case."""
    blueprint = parse(rubric).blueprint
    text = f"version: 1\ncases:\n  - {{prompt: rent, answer: {answer}, score: [60, 100]}}\n"
    (case,) = read_cases(text)[0].cases
    asked = questions_of(case, blueprint.prompts[0], blueprint.header)
    judges = panel(blueprint.header)
    points = {index: Consensus((judgement(question, judges, 0.5),)) for index, question in asked.items()}
    return with_verdicts(text, {1: verdicts_to_record(asked, points, judges.scale)})


def recorded_outcome(cases: str, rubric: str, javascript: JavaScript) -> CaseOutcome:
    blueprint = parse(rubric).blueprint
    (case,) = read_cases(cases)[0].cases
    recorded = {verdict.digests.answer: case.verdicts for verdict in case.verdicts}
    return CaseCheck(blueprint, javascript, panel(blueprint.header), recorded=lambda: recorded).outcome(case)


def test_recorded_verdicts_count(javascript: JavaScript) -> None:
    outcome = recorded_outcome(with_recorded(), JUDGED, javascript)
    assert (outcome.state, outcome.why) == (CaseState.PASSED, "scores 70.0, within 60–100")


@every(
    ("before", "after"),
    [
        ("Names the lease", "Names the contract"),
        ("When is", "On which day is"),
        ("own:j", "own:k"),
        ("approach: holistic", "approach: standard"),
        ("---\n", "description: Tenancy\n---\n"),
    ],
)
def test_a_recorded_verdict_counts_no_more_once_what_its_judge_saw_has_changed(
    before: str, after: str, javascript: JavaScript
) -> None:
    outcome = recorded_outcome(with_recorded(), JUDGED.replace(before, after), javascript)
    assert outcome.state is CaseState.UNDECIDED


def test_a_changed_answer_has_no_recorded_verdicts(javascript: JavaScript) -> None:
    cases = with_recorded().replace("answer: On the 3rd.", "answer: On the 3rd!")
    assert recorded_outcome(cases, JUDGED, javascript).state is CaseState.UNDECIDED


def test_a_grade_wins_over_a_recorded_verdict(javascript: JavaScript) -> None:
    cases = with_recorded().replace(
        "score: [60, 100]", "score: [60, 100], grades: [{criterion: Is friendly, grade: absent}]"
    )
    outcome = recorded_outcome(cases, JUDGED, javascript)
    assert outcome.why == "scores 50.0, not 60–100"


def test_the_outcome_does_not_depend_on_noise_of_binary_fractions(tested: Tested) -> None:
    rubric = "- id: rent\n  prompt: x\n  should:\n" + "".join(f"    - $contains: {each}\n" for each in "abcdefghij")
    (outcome,) = tested("answer: a b c d e f g, score: [0, 70]", rubric=rubric)
    assert outcome.state is CaseState.PASSED


def test_an_outcome_is_of_the_case_it_was_made_from(javascript: JavaScript) -> None:
    blueprint = parse(RUBRIC).blueprint
    check = CaseCheck(blueprint, javascript, panel(blueprint.header))
    (ideal,) = check.ideals(["rent", "gone"])
    assert ideal.case.name == "the ideal"
    assert ideal.scored is not None
    assert outcome_of(ideal.case, blueprint.prompts[0], ideal.scored) == ideal


def test_an_ideal_that_a_case_has_too_is_paired_once(javascript: JavaScript) -> None:
    blueprint = parse(CHECKS.replace("should:", "ideal: |\n    a b c\n  should:")).blueprint
    check = CaseCheck(blueprint, javascript, panel(blueprint.header))
    listed = "".join(
        f"  - {{prompt: rent, label: {label}, answer: {answer}}}\n"
        for answer, label in (("a b c", "good"), ("a", "bad"))
    )
    outcomes = check.outcomes(read_cases(f"version: 1\ncases:\n{listed}")[0].cases)
    assert str(ranking_of((*outcomes, *check.ideals(["rent"])))) == "ranks 1 of 1 good–bad pair rightly"


SEVERAL = "<classification>CLASS_ABSENT</classification> or <classification>CLASS_FULLY_PRESENT</classification>"
OTHERWISE = "<reflection>Not CLASS_ABSENT.</reflection><class>CLASS_FULLY_PRESENT</class>"


@every(
    ("reply", "reading"),
    [
        ("", NoVerdict(Reason.FAILED, "gave no verdict (500)")),
        ("I'm sorry, but I can't evaluate this response.", None),
        (SEVERAL, None),
        (OTHERWISE, None),
    ],
)
def test_what_is_recorded_of_a_judge_reads_back_as_it_was(reply: str, reading: Reading | None) -> None:
    blueprint = parse(JUDGED).blueprint
    judges = panel(blueprint.header)
    (case,) = read_cases("cases:\n  - {prompt: rent, answer: On the 3rd., label: good}\n")[0].cases
    asked = questions_of(case, blueprint.prompts[0], blueprint.header)
    reading = reading or read_verdict(reply, judges.scale)
    said = {place: judgement(question, judges, 0.5) for place, question in asked.items()}
    attempt = Attempt(next(iter(said.values())).last.request, reply, reading)
    points = {
        place: Consensus((replace(each, attempts=(attempt,), given="2026-01-01T00:00:00.000+00:00"),))
        for place, each in said.items()
    }
    text = "version: 1\ncases:\n  - {prompt: rent, answer: On the 3rd., label: good}\n"
    file, problems = read_cases(with_verdicts(text, {1: verdicts_to_record(asked, points, judges.scale)}))
    assert problems == ()
    recorded = {each.digests.answer: file.cases[0].verdicts for each in file.cases[0].verdicts}
    found = list(recorded_verdicts(recorded, asked.values(), judges))
    assert [each.last.reading for each in found] == [reading] * len(asked)
    assert {each.given for each in found} == {"2026-01-01T00:00:00.000+00:00"}


def test_a_judge_that_is_still_to_be_asked_is_not_recorded() -> None:
    blueprint = parse(JUDGED).blueprint
    judges = panel(blueprint.header)
    (case,) = read_cases("cases:\n  - {prompt: rent, answer: On the 3rd., label: good}\n")[0].cases
    asked = questions_of(case, blueprint.prompts[0], blueprint.header)
    points = {place: Consensus(with_pending((), each, judges)) for place, each in asked.items()}
    assert verdicts_to_record(asked, points, judges.scale) == ()
