"""One criterion at a time: what is judged, what is sent, what flips, and what is remembered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from engine.evaluation.sources import IdealSource, ModelSource
from engine.scoring.assessment import Grade
from engine.study.case import Case, Label
from engine.study.case_reader import read_cases
from engine.study.wordings import Flip
from engine.text.record import text_digest
from engine.text.spans import NOWHERE
from studio.session.resources import save_author_name
from studio.session.views.criterion_view import CriterionRow
from tests.session.criterion_faces import (
    CASES,
    REWORDED,
    Opener,
    blueprint,
    held_after,
    reworded,
    run,
    says,
    view,
)
from tests.session.faces import Face
from tests.studio.model_server import ModelServer, verdict


def by_answer(rows: tuple[CriterionRow, ...]) -> dict[str, tuple[float | None, ...]]:
    return {row.answer.label: row.now for row in rows}


async def test_only_this_criterion_is_judged_on_the_ideal_and_the_cases(opened: Opener, server: ModelServer) -> None:
    shown = await run(await opened(), "Names the lease")
    assert by_answer(shown.rows) == {
        "the ideal": (1.0, 1.0),
        "case 1: wrong day": (0.0, 0.0),
        "case 2": (0.0, 0.0),
    }
    assert all("<criterion" in body["messages"][1]["content"] for body in server.bodies)
    assert len(server.bodies) == 3 * 2


async def test_an_unchanged_wording_sends_no_request(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    before = len(server.bodies)
    await face.again()
    assert len(server.bodies) == before
    assert "6 cached" in view(face).state


async def test_a_new_wording_sends_exactly_answers_times_judges(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    before = len(server.bodies)
    await reworded(face, "Names the lease", REWORDED)
    assert len(server.bodies) - before == 3 * 2


async def test_verdicts_that_flipped_stand_on_top_with_those_before(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    shown = await reworded(face, "Names the lease", REWORDED)
    first = shown.rows[0]
    assert (first.answer.label, first.now, first.before, first.flip) == ("case 2", (1.0, 1.0), (0.0, 0.0), Flip.UP)
    assert [row.flip for row in shown.rows[1:]] == [None, None]
    assert shown.wording == "2nd wording"


# --- Wordings


async def test_an_earlier_wording_is_written_back_with_its_verdicts(opened: Opener, server: ModelServer) -> None:
    face = await opened(lambda question: question.choices[0].id)
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    sent = len(server.bodies)
    face.apply(await face.runs.criterion.take_back())
    await face.settled()
    assert "    - Names the lease\n" in face.text
    shown = view(face)
    assert (shown.name, shown.wording, by_answer(shown.rows)["case 2"]) == (
        "Names the lease",
        "1st wording",
        (0.0, 0.0),
    )
    assert len(server.bodies) == sent


async def test_a_new_wording_waits_for_its_run_beside_the_verdicts_before(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("Names the lease", REWORDED)
    shown = view(face)
    assert (shown.name, shown.wording) == (REWORDED, "2nd wording, not run yet")
    assert [row.now for row in shown.rows] == [(None, None)] * 3
    assert [row.before for row in shown.rows] == [(1.0, 1.0), (0.0, 0.0), (0.0, 0.0)]


async def test_the_criterion_is_followed_while_points_are_added_around_it(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("    - $contains: 3rd\n", "    - Says when\n    - $contains: 3rd\n")
    await face.change("    - Is friendly\n", "    - Is kind\n    - Is friendly\n")
    await face.change("Names the lease", REWORDED)
    assert (view(face).name, view(face).has_before) == (REWORDED, True)


async def test_a_criterion_that_is_deleted_is_no_other_one(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("    - Names the lease\n", "")
    assert view(face).state == "It is not in the text at present."


async def test_a_criterion_that_is_moved_within_its_block_is_followed(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("    - Names the lease\n", "")
    await face.change("    - $contains: 3rd\n", "    - Names the lease\n    - $contains: 3rd\n")
    assert (view(face).wording, view(face).rows[0].now) == ("1st wording", (1.0, 1.0))


async def test_after_reopening_the_same_text_has_its_lineage(opened: Opener, server: ModelServer) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await reworded(first, "Names the lease", REWORDED)
    sent = len(server.bodies)
    await first.close()
    again = await opened(text=first.text)
    shown = await run(again, REWORDED)
    assert (shown.wording, shown.rows[0].flip, shown.has_before) == ("2nd wording", Flip.UP, True)
    assert len(server.bodies) == sent
    assert again.author.asked == []


async def test_after_reopening_a_new_text_asks_which_criterion_it_was(opened: Opener) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await first.close()
    again = await opened(lambda question: question.choices[0].id, text=first.text.replace("Names the lease", REWORDED))
    shown = await run(again, REWORDED)
    question: Any = again.author.asked[0]
    assert question.title == "Is this a rewording of an earlier criterion?"
    assert (shown.wording, shown.has_before) == ("2nd wording", True)


async def test_a_new_criterion_beside_those_that_are_there_asks_nothing(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    shown = await run(face, "Is friendly")
    assert (shown.name, shown.wording, face.author.asked) == ("Is friendly", "1st wording", [])


async def test_long_wordings_are_shown_from_where_they_differ(opened: Opener) -> None:
    face = await opened(judges=False)
    long = "Names " + "the lease or " * 20
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", f"{long}the first contract of the landlord")
    await reworded(face, "the first contract of", "the second contract of")
    await face.runs.criterion.take_back()
    question: Any = face.author.asked[-1]
    assert question.choices[0].label.endswith("the first contract of the landlord”")
    assert len(question.choices[0].label) < 160


# --- Grades


async def test_without_judges_the_answers_are_graded_by_hand(opened: Opener, server: ModelServer) -> None:
    face = await opened(judges=False)
    shown = await run(face, "Names the lease")
    assert (shown.judges, shown.state) == ((), "1 to 5 grade it: no judges are chosen.")
    await face.runs.criterion.grade(shown.rows[1].key, Grade.FULLY_PRESENT)
    await face.settled()
    assert [row.grade and row.grade.grade for row in view(face).rows] == [None, Grade.FULLY_PRESENT, None]
    assert server.bodies == []


async def test_a_grade_of_an_earlier_wording_counts_once_it_is_confirmed(opened: Opener) -> None:
    face = await opened(judges=False)
    shown = await run(face, "Names the lease")
    key = shown.rows[2].key
    await face.runs.criterion.grade(key, Grade.ABSENT)
    await reworded(face, "Names the lease", REWORDED)
    (grade,) = [row.grade for row in view(face).rows if row.key == key]
    assert grade is not None
    assert (grade.grade, grade.counts, view(face).foot) == (
        Grade.ABSENT,
        False,
        ("1 bad unjudged · 2 good unjudged",),
    )
    await face.runs.criterion.grade(key, grade.grade)
    await face.settled()
    assert view(face).foot == ("1 bad unjudged · fails 1 of 1 good (1 unjudged), all seen while wording",)


async def test_a_grade_in_the_result_is_the_same_grade(opened: Opener) -> None:
    face = await opened(judges=False)
    face.cursor_at("prompt: When")
    await face.f5()
    await run(face, "Names the lease")
    await face.grade(1, Grade.ABSENT)
    assert [row.grade and row.grade.grade for row in view(face).rows] == [Grade.ABSENT, None, None]


async def test_a_grade_by_hand_in_should_not_counts_as_in_the_result(opened: Opener) -> None:
    face = await opened(judges=False)
    shown = await run(face, "Names the king")
    await face.runs.criterion.grade(shown.rows[1].key, Grade.FULLY_PRESENT)
    await face.settled()
    assert view(face).foot[0] == "catches 1 of 1 bad · 2 good unjudged, all seen while wording"


# --- What the criterion is good for, and checks


async def test_the_foot_counts_the_labelled_answers(opened: Opener) -> None:
    face = await opened()
    shown = await run(face, "Names the lease")
    assert shown.foot == ("catches 1 of 1 bad · fails 1 of 2 good, all seen while wording",)


async def test_a_check_runs_on_the_same_answers_at_once(opened: Opener, server: ModelServer) -> None:
    shown = await run(await opened(), "$contains: 3rd")
    assert by_answer(shown.rows) == {"the ideal": (1.0,), "case 1: wrong day": (0.0,), "case 2": (1.0,)}
    assert (shown.foot, server.bodies) == (("catches 1 of 1 bad · fails 0 of 2 good, all seen while wording",), [])


async def when_opened(face: Face, criterion: str) -> tuple[CriterionRow, ...]:
    """All answers with what is known of a criterion that was opened and not run."""
    await face.open_criterion(criterion)
    await face.settled()
    return tuple(view(face).rows)


async def test_a_check_has_run_once_all_answers_are_shown(opened: Opener) -> None:
    rows = await when_opened(await opened(), "$contains: 3rd")
    assert by_answer(rows) == {"the ideal": (1.0,), "case 1: wrong day": (0.0,), "case 2": (1.0,)}


async def test_showing_all_answers_sends_nothing(opened: Opener, server: ModelServer) -> None:
    rows = await when_opened(await opened(), "Names the lease")
    assert ([row.mean for row in rows], server.bodies) == ([None] * 3, [])


async def test_all_answers_show_the_verdicts_that_are_stored_and_leave_the_others_open(
    opened: Opener, server: ModelServer
) -> None:
    face = await opened()
    face.cursor_at("prompt")
    face.runs.run_or_stop()
    await face.settled()
    sent = len(server.bodies)
    assert by_answer(await when_opened(face, "Names the lease")) == {
        "the ideal": (1.0, 1.0),
        "case 1: wrong day": (None, None),
        "case 2": (None, None),
    }
    assert len(server.bodies) == sent


async def test_a_check_in_other_words_has_its_results_before(opened: Opener) -> None:
    face = await opened()
    await run(face, "$contains: 3rd")
    shown = await reworded(face, "$contains: 3rd", "$contains: 5th")
    assert [(row.now, row.before, row.flip) for row in shown.rows] == [
        ((0.0,), (1.0,), Flip.DOWN),
        ((1.0,), (0.0,), Flip.UP),
        ((0.0,), (1.0,), Flip.DOWN),
    ]


# --- Answers


async def test_answers_can_be_left_out_and_stored_ones_added(opened: Opener, server: ModelServer) -> None:
    face = await opened(lambda question: question.marked - {question.choices[1].id})
    await run(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    await face.again()
    assert [row.answer.label for row in view(face).rows] == ["the ideal", "case 2"]


async def test_a_passage_that_a_judge_quotes_is_the_evidence(opened: Opener) -> None:
    face = await opened()
    shown = await run(face, "Names the lease")
    assert shown.selected is not None
    assert [span.of(shown.selected.answer.subject) for span in shown.selected.evidence] == ["lease"]


# --- What judges are shown


async def test_holistic_judges_see_all_criteria_as_in_a_full_run(opened: Opener, server: ModelServer) -> None:
    face = await opened(text=blueprint(server, "holistic"))
    await run(face, "Names the lease")
    sent = {body["messages"][1]["content"] for body in server.bodies}
    face.cursor_at("prompt")
    await face.f5()
    assert len(server.bodies) == 3 * 2 + 2 * 2
    assert all("Is friendly" in asked for asked in sent)


async def test_a_verdict_is_carried_over_once_another_criterion_changes(opened: Opener, server: ModelServer) -> None:
    face = await opened(text=blueprint(server, "holistic"))
    await run(face, "Names the lease")
    await face.change("Is friendly", "Is kind")
    assert [row.is_carried for row in view(face).rows] == [True] * 3
    assert view(face).has_earlier is False


# --- Grades of cases are in their file too


async def test_a_grade_of_a_case_is_written_into_its_file_and_taken_out_again(opened: Opener, tmp_path: Path) -> None:
    face = await opened(judges=False, cases=CASES.replace("version: 1", "# Mine\nversion: 1"))
    shown = await run(face, "Names the lease")
    await face.runs.criterion.grade(shown.rows[1].key, Grade.ABSENT)
    written = (tmp_path / "rent.yml.cases").read_text("utf-8")
    assert "    grades:\n      - criterion: Names the lease\n        block: should\n        grade: absent\n" in written
    await face.runs.criterion.grade(shown.rows[1].key, None)
    assert (tmp_path / "rent.yml.cases").read_text("utf-8") == CASES.replace("version: 1", "# Mine\nversion: 1")


GRADES = "    grades:\n      - criterion: Names the lease\n        grade: fully present\n"


async def test_a_grade_in_the_case_file_without_a_name_is_the_author_s_too(opened: Opener) -> None:
    shown = await run(await opened(judges=False, cases=CASES + GRADES), "Names the lease")
    assert shown.rows[2].grade is not None
    assert (shown.rows[2].grade.grade, shown.rows[2].grade.counts) == (Grade.FULLY_PRESENT, True)


async def test_a_grade_of_another_person_is_theirs_and_stays(opened: Any, tmp_path: Path) -> None:
    face = await opened(judges=False, cases=f"{CASES}{GRADES}        by: Maria\n")
    await save_author_name(face.resources.settings, "Ahmed")
    shown = await run(face, "Names the lease")
    assert shown.rows[2].grade is None
    face.runs.criterion.select(shown.rows[2].key)
    selected = face.runs.criterion.view().selected
    assert selected.note == "Maria graded it fully present, in the case file."
    await face.runs.criterion.grade(shown.rows[2].key, Grade.ABSENT)
    written = tmp_path / "rent.yml.cases"
    case = read_cases(written.read_text("utf-8"))[0].cases[1]
    assert [(each.by, each.grade) for each in case.grades] == [
        ("Maria", Grade.FULLY_PRESENT),
        ("Ahmed", Grade.ABSENT),
    ]
    await face.runs.criterion.grade(shown.rows[2].key, None)
    assert written.read_text("utf-8") == f"{CASES}{GRADES}        by: Maria\n"


async def test_a_grade_without_a_name_stays_beside_one_with_a_name(opened: Any, tmp_path: Path) -> None:
    face = await opened(judges=False, cases=CASES + GRADES)
    await save_author_name(face.resources.settings, "Ahmed")
    shown = await run(face, "Names the lease")
    await face.runs.criterion.grade(shown.rows[2].key, None)
    assert (tmp_path / "rent.yml.cases").read_text("utf-8") == CASES + GRADES
    assert "also has a grade of this criterion without a name, which stays" in face.author.messages[-1]


# --- Fresh answers


async def is_fresh(face: Face) -> bool:
    """Whether the answer of the model, as a labelled one, is fresh for the criterion that is shown."""
    current = face.runs.criterion.current
    assert current is not None
    assert current.found is not None
    case = Case(1, NOWHERE, "rent", NOWHERE, ("On the 1th, says the lease.",), Label.GOOD, model="own:strict")
    found = await face.runs.shown.freshness(current.place, current.found.prompt, current.analysis.header)
    assert found is not None
    return found(case, [current.found.placed])


async def answer_of_a_model(face: Face) -> None:
    """Run the prompt with a model, and wait until it is recorded that its answer was shown."""
    digest = text_digest("On the 1th, says the lease.")
    await face.choose(ModelSource("own:strict"))
    face.cursor_at("prompt")
    await face.f5()
    place = face.runs.state.place
    assert place is not None
    await face.until(lambda: digest in face.resources.store().first_shown(place))


async def test_an_answer_that_came_after_the_wording_is_fresh(opened: Opener) -> None:
    face = await opened(judges=False)
    await run(face, "Names the lease")
    await answer_of_a_model(face)
    assert await is_fresh(face)


async def test_an_answer_that_was_shown_before_the_wording_is_not(opened: Opener) -> None:
    face = await opened(judges=False)
    await answer_of_a_model(face)
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    assert not await is_fresh(face)


async def test_an_answer_is_not_fresh_for_a_wording_that_was_taken_back(opened: Opener) -> None:
    face = await opened(lambda question: question.choices[0].id, judges=False)
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    await answer_of_a_model(face)
    assert await is_fresh(face)
    face.apply(await face.runs.criterion.take_back())
    await face.settled()
    await face.again()
    assert not await is_fresh(face)


# --- Stored answers, stopping, and the closest sentence


async def test_a_stored_answer_of_a_model_can_be_added(opened: Opener) -> None:
    face = await opened(lambda question: question.marked | {question.choices[-1].id}, judges=False)
    await answer_of_a_model(face)
    await face.choose(IdealSource())
    shown = await run(face, "Names the lease")
    assert [row.answer.label for row in shown.rows] == ["the ideal", "case 1: wrong day", "case 2"]
    await face.runs.criterion.choose_answers()
    assert [row.answer.label for row in view(face).rows][-1] == "strict"


async def test_the_ideal_that_was_run_is_no_other_answer(opened: Opener) -> None:
    face = await opened(judges=False)
    face.cursor_at("Names the lease")
    await face.f5()
    seen = await run(face, "Names the lease")
    assert [row.answer.label for row in seen.rows] == ["the ideal", "case 1: wrong day", "case 2"]


async def test_a_new_ideal_takes_the_place_of_the_one_before(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("On the 3rd, by the lease.", "On the 3rd.")
    first = view(face).rows[0]
    assert (first.answer.label, first.answer.subject, first.now) == ("the ideal", "On the 3rd.", (None, None))


async def test_verdicts_on_another_question_are_carried_over(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.change("prompt: When is the rent due?", "prompt: When is rent due?")
    assert [row.is_carried for row in view(face).rows] == [True] * 3


async def test_the_answers_that_were_chosen_are_remembered(opened: Opener) -> None:
    first = await opened(lambda question: question.marked - {question.choices[0].id}, judges=False)
    await run(first, "Names the lease")
    await first.runs.criterion.choose_answers()
    await first.close()
    again = await opened(judges=False)
    shown = await run(again, "Is friendly")
    assert [row.answer.label for row in shown.rows] == ["case 1: wrong day", "case 2"]


async def test_a_run_can_be_stopped_and_asked_again(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    server.held = True
    await face.open_criterion("Names the lease")
    await face.runs.criterion.again()
    await face.until(lambda: server.bodies)
    assert view(face).is_running
    await face.again()
    assert (view(face).is_running, [row.now for row in view(face).rows]) == (False, [(None, None)] * 3)
    assert view(face).state.startswith("stopped · not judged yet")
    server.release()
    await face.again()
    assert by_answer(view(face).rows)["the ideal"] == (1.0, 1.0)


async def test_a_judge_that_declines_has_no_verdict_and_says_so(opened: Opener, server: ModelServer) -> None:
    server.said = lambda _: "I'm sorry, but I can't help with that."
    shown = await run(await opened(), "Names the lease")
    assert [row.now for row in shown.rows] == [(None, None)] * 3
    assert shown.selected is not None
    assert [line.verdict for line in shown.selected.lines] == ["declined to judge"] * 2
    assert shown.state.startswith("no judge could judge it · ")
    assert "6 without a verdict" in shown.state


async def test_a_turn_that_is_stopped_says_on_how_many_answers_a_verdict_came(
    opened: Opener, server: ModelServer
) -> None:
    face = await opened()
    server.said = lambda body: held_after(server, 4) or says(body)
    await face.open_criterion("Names the lease")
    await face.runs.criterion.again()
    await face.until(lambda: sum(each is not None for row in view(face).rows for each in row.now) == 4)
    await face.again()
    server.release()
    assert re.match(r"stopped · judged on (2 of 3|3) answers · ", view(face).state)


async def test_the_last_verdicts_stay_where_a_judge_is_asked_again_in_vain(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    server.said = lambda _: "I'm sorry, but I can't help with that."
    await face.change("Names the lease", REWORDED)
    await face.again()
    selected = view(face).selected
    assert selected is not None
    assert [line.verdict for line in selected.lines] == ["100 before, declined to judge"] * 2


async def test_without_a_quote_the_closest_sentence_is_marked(opened: Opener) -> None:
    cases = CASES.replace("On the 5th, says the king.", "On the 5th. No lease needs a landlord.")
    face = await opened(judges=False, cases=cases)
    await face.change("Names the lease", "Names the lease and the landlord")
    shown = await run(face, "Names the lease and")
    face.runs.criterion.select(shown.rows[1].key)
    await face.settled()
    selected = view(face).selected
    assert selected is not None
    assert ([span.of(selected.answer.subject) for span in selected.evidence], selected.is_closest) == (
        ["No lease needs a landlord."],
        True,
    )


async def test_classes_of_which_a_judge_chose_none_stand_beside_the_grades(opened: Opener, server: ModelServer) -> None:
    server.said = lambda _: f"1. {verdict('CLASS_ABSENT', '')} 2. {verdict('CLASS_FULLY_PRESENT', '')}"
    face = await opened()
    shown = await run(face, "Names the lease")
    assert shown.selected is not None
    assert shown.selected.note == "1 absent or 5 fully present?"
    await face.runs.criterion.grade(shown.selected.answer.key, Grade.ABSENT)
    await face.settled()
    selected = view(face).selected
    assert selected is not None
    assert (selected.note, selected.verdict) == ("", "you 1")
