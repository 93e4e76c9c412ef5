"""A case passes only if every score that is still possible is right, and fails only if none is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import dumps
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Blueprint
from engine.evaluation.sources import REFUSAL
from engine.functions.v8 import JavaScript
from engine.judging.judge_prompt import Question, context_of, first_request
from engine.judging.judge_runner import with_pending
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import Panel, panel
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict
from engine.parsing import parse
from engine.scoring.assessment import Bounds, Criterion, Grade
from engine.scoring.explanation import point_label
from engine.study.case import Case, CaseOutcome, CaseState, outcome_of, prompt_names
from engine.study.case_reader import read_cases
from engine.study.case_scoring import (
    NEAR,
    BesideIdeal,
    CaseCheck,
    beside_ideal,
    impostors,
    questions_of,
    recorded_verdicts,
    verdicts_to_record,
)
from engine.study.case_writer import with_verdicts
from engine.study.criterion_counts import PairState, ranking_of
from engine.text.record import replace
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.pieces import whole_text

RUBRIC = whole_text("rent-with-many-points.yml")
GRADED = "grades: [{criterion: Names the lease, grade: absent}, {criterion: Is friendly, grade: fully present}]"


def told(should: str, listed: str, javascript: JavaScript) -> Iterator[str]:
    """The outcome of each case of a rubric, and how the good ones are ranked among the bad ones."""
    blueprint = parse(f"- {{id: rent, prompt: When?, should: {should}}}\n").blueprint
    cases = listed.replace("- {", "- {prompt: rent, ").replace("prompt: rent, prompt:", "prompt:")
    file, problems = read_cases(f"version: 1\ncases:\n{indent(cases, '  ')}")
    assert problems == ()
    outcomes = list(CaseCheck(blueprint, javascript, panel(blueprint.header)).outcomes(file.cases))
    yield from (f"{each.case.number}: {each.state}, {each.why or 'no reason'}" for each in outcomes)
    ranking = ranking_of(outcomes)
    if ranking.pairs:
        yield f"{ranking}; test answers {[each.case.number for each in ranking.test_answers]}"
    for pair in (*ranking.pairs, *ranking.test_pairs):
        favouring = ", ".join(point_label(point) for point in pair.favouring_bad) or "nothing"
        yield f"  {pair.good.case.number} over {pair.bad.case.number}: {pair.state}, {favouring} for the bad one"


def test_cases_are_scored_as_their_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    cases = Path(__file__).with_name("scored_cases.txt")
    assert_says(cases, lambda should, listed: told(should, listed, javascript), pytestconfig)


CHECKS = "- id: rent\n  prompt: When?\n  should: [{$contains: a}, {$contains: b}, {$contains: c}]\n"


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


# The best impostor beside an ideal: named only where it is near whatever is not judged, and never a right answer


RENT = """\
- id: rent
  prompt: When is the rent due, on the 3rd or on the 5th?
  ideal: It is due on the 3rd.
  should: {should}
- id: notice
  prompt: What is the notice?
  ideal: A month, so until the 3rd of the next.
  should: [$contains: month]
"""


def of_rent(should: str) -> Blueprint:
    """A file in which the first of two prompts has these points."""
    return parse(RENT.replace("{should}", should)).blueprint


def labelled(*answers: str) -> tuple[Case, ...]:
    """Cases of that prompt that call these answers good."""
    return read_cases("cases:\n" + "".join(f"  - {{prompt: rent, answer: {each}, label: good}}\n" for each in answers))[
        0
    ].cases


def found(javascript: JavaScript, blueprint: Blueprint, graded: Iterable[tuple[str, str, Grade]] = ()) -> BesideIdeal:
    """What comes nearest to the first ideal; people graded answers on criteria."""

    def grades(prompt: object, subject: str) -> dict[Criterion, Grade]:
        block = blueprint.prompts[0].rubrics[0].block
        return {Criterion(block, criterion): grade for answer, criterion, grade in graded if answer == subject}

    check = CaseCheck(blueprint, javascript, panel(blueprint.header), grades=grades)
    beside = beside_ideal(check, prompt_names(blueprint)[0])
    assert beside is not None
    return beside


@pytest.mark.parametrize(
    ("should", "figures"),
    [
        ("[$contains: 3rd, $contains: due]", "ideal 100 · the prompt repeated 100"),
        ("[$contains: It is due]", "ideal 100 · the criteria pasted 100"),
        ("[$matches: '^It', $not_contains: 5th]", ""),
        ("[$not_contains: notice]", "ideal 100 · an empty answer 100"),
        ("[$matches: '3rd(?! or)', $not_contains: 5th]", "ideal 100 · another prompt's ideal 100"),
        ("[$matches: '^It is due']", ""),
        ("[Names the day, $not_contains: notice]", ""),
    ],
)
def test_the_impostor_that_comes_nearest_is_named_where_it_is_near(
    javascript: JavaScript, should: str, figures: str
) -> None:
    assert found(javascript, of_rent(should)).figures == figures


def test_in_words_a_grade_of_this_very_answer_counts_and_nothing_else(javascript: JavaScript) -> None:
    blueprint = of_rent("[Names the day, Is polite]")
    ideal, refusal = blueprint.prompts[0].ideal or "", REFUSAL
    met = [(ideal, "Names the day", Grade.FULLY_PRESENT), (ideal, "Is polite", Grade.ABSENT)]
    assert found(javascript, blueprint, met).figures == ""
    half = [*met, (refusal, "Is polite", Grade.MAJORLY_PRESENT)]
    assert found(javascript, blueprint, half).figures == "ideal 50 · a refusal at least 38"


SCORES = st.floats(0, 1)


@given(SCORES, SCORES, SCORES, SCORES)
def test_a_named_impostor_is_near_whatever_the_missing_verdicts_will_be(
    one: float, two: float, three: float, four: float
) -> None:
    ideal, best = Bounds(*sorted((one, two))), Bounds(*sorted((three, four)))
    beside = BesideIdeal(ideal, "a refusal", best)
    furthest = max(score - other for score in (ideal.low, ideal.high) for other in (best.low, best.high))
    assert beside.is_near is (furthest <= NEAR + 1e-9)
    assert bool(beside.figures) is beside.is_near


TEXTS = st.sampled_from(["It is due on the 3rd.", "A month.", REFUSAL, "I'm sorry, no.", "", "Names the day"])


@given(TEXTS, TEXTS, TEXTS, st.lists(TEXTS.filter(bool), max_size=2))
def test_what_may_be_right_is_no_impostor(ideal: str, question: str, other: str, good: list[str]) -> None:
    own, asked, others = map(dumps, (ideal, question, other))
    prompts = parse(
        f"- {{id: rent, prompt: When?, ideal: {own}, should: [Names the day, Is polite]}}\n"
        f"- {{id: notice, prompt: {asked}, ideal: {others}, should: [Is short]}}\n"
        "- {id: same, prompt: When?, ideal: The same., should: [Is short]}\n"
        "- {id: alike, prompt: Who?, ideal: Alike., should: [Names the day, Is polite]}\n"
    ).blueprint.prompts
    texts = [text for _, text in impostors(prompts[0], prompts, labelled(*map(dumps, good)))]
    assert len(texts) == len({text.strip() for text in texts})
    assert not {text.strip() for text in texts} & {ideal.strip(), "The same.", "Alike.", *good}
    assert not (ideal in (REFUSAL, "I'm sorry, no.") and REFUSAL in texts)


def test_without_an_ideal_or_a_criterion_there_is_no_impostor(javascript: JavaScript) -> None:
    for written in ("- {prompt: When?, should: [$contains: x]}\n", "- {prompt: When?, ideal: Now.}\n"):
        blueprint = parse(written).blueprint
        check = CaseCheck(blueprint, javascript, panel(blueprint.header))
        assert beside_ideal(check, prompt_names(blueprint)[0]) is None
