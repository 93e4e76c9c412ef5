"""A verdict whose judge saw something else than is there now is carried over: marked, counted, and asked for anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Header, Message, Prompt, Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import JudgingBegan, Response, Scored
from engine.evaluation.headline import headline
from engine.evaluation.prompt_evaluation import rescore
from engine.evaluation.result_json import coverage_result
from engine.evaluation.sources import Candidate, WrittenSource
from engine.evaluation.verdicts import Judges, KnownVerdicts, as_machines_read
from engine.functions.v8 import JavaScript
from engine.judging.judge_prompt import Question, context_of, first_request, questions
from engine.judging.judgement import Attempt, Consensus, Judgement, judgement_of, judgement_text
from engine.judging.panel import FIVE_STEPS, Approach, Panel, PanelJudge
from engine.judging.verdict import Verdict
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, Criterion, Grade
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, RunState, Store
from engine.study.case import response_of
from engine.study.case_reader import read_cases
from engine.study.case_scoring import questions_of, scored_case
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import check, prompt, text
from tests.engine.test_judging_evaluation import Says

THREAD = (
    ThreadTurn(Role.USER, "Why are there tides?", generated=False),
    ThreadTurn(Role.ASSISTANT, "The Moon pulls.", generated=True),
)
ANSWER = Response("The Moon pulls.", THREAD)
HEADER = Header(NOWHERE, description="On the sea.")
RUBRIC = prompt([text("the Moon"), text("the Sun"), check("contains", "Moon")], [text("a joke")])
CRITERIA, DESCRIPTION, TRANSCRIPT, UNKNOWN = ChangedPart


def panel(*approaches: Approach) -> Panel:
    judges = tuple(PanelJudge(f"{approach}", f"here:{approach}", approach) for approach in approaches)
    return Panel(judges, FIVE_STEPS, custom=True)


HOLISTIC = panel(Approach.HOLISTIC)


async def judged(javascript: JavaScript, by: Panel = HOLISTIC, of: Prompt = RUBRIC, header: Header = HEADER) -> Scored:
    """All criteria judged from nothing."""
    judges = Judges(by, Says(the_Moon="CLASS_FULLY_PRESENT").resolve)
    return ended(await events_of(javascript, of, ANSWER, header, judges=judges))


async def events_of(
    javascript: JavaScript,
    of: Prompt,
    answer: Response,
    header: Header,
    *,
    earlier: Mapping[str, Consensus] | None = None,
    judges: Judges | None = None,
    grades: Mapping[Criterion, Grade] | None = None,
    by: Panel = HOLISTIC,
) -> list[object]:
    given = [each for consensus in (earlier or {}).values() for each in consensus.judgements]

    def known(response: Response) -> KnownVerdicts:
        return KnownVerdicts.on(of, header, response, by, more=given)

    again = rescore(
        of,
        WrittenSource(answer.subject),
        answer,
        javascript=javascript,
        header=header,
        verdicts=None if earlier is None else known,
        judges=judges,
        grades=grades,
    )
    return [event async for event in again]


def ended(events: list[object]) -> Scored:
    assert isinstance(events[-1], Scored)
    return events[-1]


def by_criterion(done: Scored, of: Prompt = RUBRIC) -> dict[str, Consensus]:
    return {of.points()[index].text or "": consensus for index, consensus in done.verdicts.items()}


async def again(
    javascript: JavaScript,
    by: Panel = HOLISTIC,
    of: Prompt = RUBRIC,
    answer: Response = ANSWER,
    header: Header = HEADER,
    grades: Mapping[Criterion, Grade] | None = None,
) -> Scored:
    """The answer held against `of` with the verdicts on `RUBRIC` by `by`."""
    earlier = by_criterion(await judged(javascript, by))
    return ended(await events_of(javascript, of, answer, header, earlier=earlier, grades=grades, by=by))


def carried(scored: Scored) -> dict[str, tuple[ChangedPart, ...]]:
    return {each.point.text: each.carried_over for each in scored.assessments if each.point.text and each.assessed}


MOON_KEPT = prompt([text("the Moon"), text("the stars"), check("contains", "Moon")], [text("a joke")])
MOVED = prompt([text("a joke"), text("the Sun")], [text("the Moon"), check("contains", "Moon")])
HEAVIER = prompt([text("the Moon", 3), [text("the Sun")], check("contains", "Sea")], [text("a joke")])
MOON_HEADER = Header(NOWHERE, description="On the moon.")
ASKED_OTHERWISE = replace(ANSWER, thread=(replace(THREAD[0], content="Why do tides come?"), THREAD[1]))


@pytest.mark.parametrize(
    ("of", "answer", "header", "changed"),
    [
        (RUBRIC, ANSWER, HEADER, ()),
        (MOON_KEPT, ANSWER, HEADER, (CRITERIA,)),
        (RUBRIC, ANSWER, MOON_HEADER, (DESCRIPTION,)),
        (RUBRIC, ANSWER, Header(NOWHERE), (DESCRIPTION,)),
        (RUBRIC, ANSWER, Header(NOWHERE, description=" On the sea.\n", title="Other"), ()),
        (RUBRIC, ASKED_OTHERWISE, HEADER, (TRANSCRIPT,)),
        (MOON_KEPT, ASKED_OTHERWISE, MOON_HEADER, (CRITERIA, DESCRIPTION, TRANSCRIPT)),
        (MOVED, ANSWER, HEADER, ()),
        (HEAVIER, ANSWER, HEADER, ()),
    ],
    ids=["nothing", "criteria", "description", "none", "spaces", "transcript", "all", "moved", "weights and checks"],
)
async def test_a_holistic_verdict_is_carried_over_where_what_its_judge_saw_differs(
    of: Prompt, answer: Response, header: Header, changed: tuple[ChangedPart, ...], javascript: JavaScript
) -> None:
    assert carried(await again(javascript, HOLISTIC, of, answer, header))["the Moon"] == changed


async def test_a_verdict_is_carried_over_where_a_description_came_since(javascript: JavaScript) -> None:
    earlier = by_criterion(await judged(javascript, header=Header(NOWHERE)))
    scored = ended(await events_of(javascript, RUBRIC, ANSWER, HEADER, earlier=earlier))
    assert carried(scored)["the Moon"] == (DESCRIPTION,)


async def test_one_judge_of_several_that_saw_something_else_is_enough(javascript: JavaScript) -> None:
    scored = await again(javascript, panel(Approach.STANDARD, Approach.HOLISTIC), MOON_KEPT)
    assert carried(scored) == {"the Moon": (CRITERIA,), "a joke": (CRITERIA,)}


async def test_an_edit_that_is_taken_back_makes_the_verdict_one_of_today(javascript: JavaScript) -> None:
    earlier = by_criterion(await judged(javascript))
    once = ended(await events_of(javascript, MOON_KEPT, ANSWER, HEADER, earlier=earlier))
    assert carried(once) == {"the Moon": (CRITERIA,), "a joke": (CRITERIA,)}
    back = ended(await events_of(javascript, RUBRIC, ANSWER, HEADER, earlier=earlier))
    assert set(carried(back).values()) == {()}


async def test_what_the_author_graded_is_not_carried_over(javascript: JavaScript) -> None:
    moon = Criterion(RUBRIC.rubrics[0].block, "the Moon")
    scored = await again(javascript, HOLISTIC, MOON_KEPT, grades={moon: Grade.ABSENT})
    assert carried(scored) == {"the Moon": (), "a joke": (CRITERIA,)}


async def test_a_grade_replaces_a_verdict_which_comes_back_when_it_is_taken_back(javascript: JavaScript) -> None:
    moon = Criterion(RUBRIC.rubrics[0].block, "the Moon")
    graded = await again(javascript, grades={moon: Grade.ABSENT})
    found = next(each for each in graded.assessments if each.point.text == "the Moon")
    assert (found.by, found.extent) == (AssessedBy.HUMAN, 0.0)
    back = await again(javascript, grades={})
    found = next(each for each in back.assessments if each.point.text == "the Moon")
    assert (found.by, found.extent) == (AssessedBy.JUDGE, 1.0)


async def test_the_explanation_counts_verdicts_that_are_carried_over(javascript: JavaScript) -> None:
    explanation = (await again(javascript, HOLISTIC, MOON_KEPT)).explanation
    assert explanation.carried_over == 2
    assert (
        "2 verdicts are from before this edit: their judges saw other criteria. The score is exact arithmetic on old "
        "verdicts, not a forecast of a new run." in explanation.notes
    )


@pytest.mark.parametrize(("of", "message"), [(MOON_KEPT, "2 verdicts before this edit"), (RUBRIC, "")])
async def test_the_headline_counts_them(of: Prompt, message: str, javascript: JavaScript) -> None:
    told_here = headline((await again(javascript, HOLISTIC, of)).explanation)
    assert ", ".join(told_here.remark_texts) == message
    assert told_here.marked_whole_figure.endswith("*") == bool(message)


async def test_json_names_what_differs(javascript: JavaScript) -> None:
    result = coverage_result(await again(javascript, HOLISTIC, MOON_KEPT))
    points, explanation = result["pointAssessments"], result["explanation"]
    assert isinstance(points, list)
    assert [each.get("carriedOver") for each in points if isinstance(each, dict)] == [
        ["criteria"],
        None,
        None,
        ["criteria"],
    ]
    assert isinstance(explanation, dict)
    assert explanation["carriedOver"] == 2


async def test_judges_are_asked_again_about_what_is_carried_over_and_about_nothing_else(javascript: JavaScript) -> None:
    earlier = by_criterion(await judged(javascript))
    says = Says(the_Moon="CLASS_SLIGHTLY_PRESENT")
    events = await events_of(
        javascript, MOON_KEPT, ANSWER, HEADER, earlier=earlier, judges=Judges(HOLISTIC, says.resolve)
    )
    began = next(event for event in events if isinstance(event, JudgingBegan))
    done = ended(events)
    assert began.waiting == (0, 1, 3)
    assert began.scored.assessments[0].extent == 1
    assert len(says.requests) == 3
    assert done.assessments[0].extent == 0.25
    assert done.explanation.carried_over == 0


async def test_a_verdict_of_today_is_not_requested_again(javascript: JavaScript) -> None:
    earlier = by_criterion(await judged(javascript))
    says = Says()
    await events_of(javascript, RUBRIC, ANSWER, HEADER, earlier=earlier, judges=Judges(HOLISTIC, says.resolve))
    assert says.requests == []


async def test_a_verdict_stays_carried_over_where_its_judge_now_declines(javascript: JavaScript) -> None:
    earlier = by_criterion(await judged(javascript))
    declines = Says(the_Moon="Sorry, I can't help with that.", a_joke="CLASS_ABSENT", the_stars="CLASS_ABSENT")
    judges = Judges(HOLISTIC, declines.resolve)
    done = ended(await events_of(javascript, MOON_KEPT, ANSWER, HEADER, earlier=earlier, judges=judges))
    moon = done.assessments[0]
    assert (moon.extent, moon.carried_over) == (1, (CRITERIA,))
    assert [each.verdict is None for each in done.verdicts[0].judgements] == [False, True]


async def test_what_a_judge_saw_is_there_after_a_restart(javascript: JavaScript, tmp_path: Path) -> None:
    (judgement,) = (await judged(javascript)).verdicts[0].judgements
    store = Store(tmp_path / "studio.sqlite3")
    store.save_judgement(judgement)
    store.close()
    kept = Store(tmp_path / "studio.sqlite3").judgement(judgement.key)
    assert kept is not None
    assert (kept.shown, kept.shown is None) == (judgement.shown, False)


@pytest.mark.parametrize(("of", "changed"), [(RUBRIC, ()), (MOON_KEPT, (UNKNOWN,))])
async def test_where_it_was_not_noted_the_request_is_compared(
    of: Prompt, changed: tuple[ChangedPart, ...], javascript: JavaScript
) -> None:
    earlier = {
        criterion: Consensus(tuple(replace(each, shown=None) for each in consensus.judgements))
        for criterion, consensus in by_criterion(await judged(javascript)).items()
    }
    assert carried(ended(await events_of(javascript, of, ANSWER, HEADER, earlier=earlier)))["the Moon"] == changed


# Left out of agreement and comparisons

TWO = panel(Approach.HOLISTIC, Approach.HOLISTIC)


async def test_verdicts_of_today_are_compared(javascript: JavaScript) -> None:
    done = await rejudged(javascript, RUBRIC)
    assert done.agreement is not None
    assert done.agreement.items == 3


async def test_verdicts_carried_over_are_left_out_of_the_agreement(javascript: JavaScript) -> None:
    assert (await rejudged(javascript, MOON_KEPT)).agreement is None


async def test_after_judging_again_only_new_verdicts_are_compared(javascript: JavaScript) -> None:
    declines = Says(the_Moon="Sorry, I can't help with that.", a_joke="CLASS_ABSENT", the_stars="CLASS_ABSENT")
    done = await rejudged(javascript, MOON_KEPT, Judges(TWO, declines.resolve))
    assert done.agreement is not None
    assert (done.agreement.items, done.explanation.carried_over) == (2, 1)


async def rejudged(javascript: JavaScript, of: Prompt, judges: Judges | None = None) -> Scored:
    """The verdicts of two judges on `RUBRIC`, held against `of`."""
    earlier = by_criterion(await judged(javascript, TWO))
    return ended(await events_of(javascript, of, ANSWER, HEADER, earlier=earlier, judges=judges, by=TWO))


def test_a_run_with_verdicts_carried_over_is_no_step_of_a_trend(tmp_path: Path) -> None:
    store = Store(tmp_path / "studio.sqlite3")
    spot, candidate = PromptPlace("a.yml", "tides"), Candidate(WrittenSource("x"))
    for changed in ((), (CRITERIA,), ()):
        moon = Assessment(place(RUBRIC)[0], 1.0, AssessedBy.JUDGE, carried_over=changed)
        number = store.begin_run(spot, candidate, "")
        explanation = explain(RUBRIC, [moon, *map(Assessment, place(RUBRIC)[1:])])
        store.end_run(number, RunState.SCORED, explanation=explanation)
    assert [each.scores for each in store.past_runs(spot).scores()] == [(1.0, 1.0)]


DROPPED = "- id: a\n  prompt: x\n  should:\n    - the Moon\n    - the Sun\n"


@pytest.mark.parametrize(("description", "extents"), [(None, [1.0, 1.0]), ("On the sea.", [None, None])])
def test_a_verdict_that_is_carried_over_is_unjudged_in_a_case(
    description: str | None, extents: list[float | None], javascript: JavaScript
) -> None:
    of = parse(DROPPED).blueprint.prompts[0]
    (case,) = read_cases("cases:\n  - {prompt: a, answer: The Moon pulls., label: good}\n")[0].cases
    asked = questions_of(case, of, Header(NOWHERE))
    given = tuple(kept_judgement(Approach.HOLISTIC, each) for each in asked.values())
    header, by = Header(NOWHERE, description=description), Panel((given[0].judge,), FIVE_STEPS)
    known = KnownVerdicts.on(of, header, response_of(case, of, header), by, lambda _, __: given, ())
    scored = as_machines_read(of, scored_case(case, of, header, javascript, known))
    assert [each.extent for each in scored.assessments] == extents


# The law: exactly what a judge of an approach sees


@dataclass(frozen=True)
class Sight:
    """What there is to be seen."""

    criteria: tuple[str, ...]
    description: str
    asked: str

    @property
    def prompt(self) -> Prompt:
        message = Message(NOWHERE, Role.USER, self.asked)
        return prompt([text("the Moon"), *map(text, self.criteria)], messages=(message,))

    @property
    def thread(self) -> tuple[ThreadTurn, ...]:
        return (replace(THREAD[0], content=self.asked), THREAD[1])


sights = st.builds(
    Sight,
    st.lists(st.sampled_from(["the Sun", "the stars", "a joke"]), max_size=2).map(tuple),
    st.sampled_from(["", "On the sea.", "On the moon."]),
    st.sampled_from(["Why?", "How?"]),
)


def kept_judgement(approach: Approach, asked: Question) -> Judgement:
    """A judgement as it comes back from where it was kept."""
    request = first_request(asked, approach, FIVE_STEPS, "m")
    attempt = Attempt(request, "", Verdict(1.0, None, ""))
    judge = PanelJudge("j", "here:m", approach)
    kept = judgement_of(
        judgement_text(Judgement(judge, asked.criterion, (attempt,), shown=context_of(approach, asked)))
    )
    assert kept is not None
    return kept


def expected(approach: Approach, then: Sight, now: Sight) -> set[ChangedPart]:
    seen = {TRANSCRIPT: then.asked != now.asked}
    if approach is Approach.HOLISTIC:
        seen |= {
            CRITERIA: sorted(then.criteria) != sorted(now.criteria),
            DESCRIPTION: then.description != now.description,
        }
    return {part for part, differs in seen.items() if differs}


@given(then=sights, now=sights, approach=st.sampled_from(list(Approach)))
def test_a_verdict_is_carried_over_exactly_where_its_judge_would_see_something_else(
    then: Sight, now: Sight, approach: Approach
) -> None:
    asked_then = questions(then.prompt, then.thread, then.description)[0]
    asked_now = questions(now.prompt, now.thread, now.description)
    judgement = kept_judgement(approach, asked_then)
    known = KnownVerdicts(Panel((judgement.judge,), FIVE_STEPS), HEADER, asked_now, (judgement,))
    moon, *_ = known.assessed([Assessment(placed) for placed in place(now.prompt)])
    assert set(moon.carried_over) == expected(approach, then, now)
    assert explain(now.prompt, [moon, *map(Assessment, place(now.prompt)[1:])]).carried_over == bool(moon.carried_over)
