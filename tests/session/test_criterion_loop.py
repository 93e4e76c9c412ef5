"""One criterion beside its stories: answers, grades in case files, what is fresh, and which one is the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from engine.evaluation.sources import IdealSource, ModelSource
from engine.scoring.assessment import Grade
from engine.study.case import Case, Label
from engine.study.case_reader import read_cases
from engine.text.record import text_digest
from engine.text.spans import NOWHERE
from studio.session.criterion_loop import NO_POINT, NO_WORDS
from studio.session.host import ServiceAnswer, ServiceQuestion
from studio.session.resources import save_author_name
from studio.session.run_configuration import AnswerChoice
from studio.session.views.criterion_view import CriterionRow, CriterionView
from tests.engine.provider_server import answers, said
from tests.session.criterion_faces import (
    CASES,
    REWORDED,
    RUBRIC,
    Opener,
    blueprint,
    held_after,
    reworded,
    run,
    says,
    view,
)
from tests.session.faces import Face, open_face
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file


def by_answer(rows: tuple[CriterionRow, ...]) -> dict[str, tuple[float | None, ...]]:
    return {row.answer.label: row.now for row in rows}


# --- Wordings


async def test_long_wordings_are_shown_to_their_ends(opened: Opener) -> None:
    face = await opened(judges=False)
    long = "Names " + "the lease or " * 20
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", f"{long}the first contract of the landlord")
    await reworded(face, "the first contract of", "the second contract of")
    await face.obey(face.runs.criterion.take_back())
    question: Any = face.author.asked[-1]
    assert question.choices[0].label.endswith("the first contract of the landlord”")


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


def is_fresh(face: Face) -> bool:
    """Whether the answer of the model, as a labelled one, is fresh for the criterion that is shown."""
    current = face.runs.criterion.current
    assert current is not None
    assert current.found is not None
    case = Case(1, NOWHERE, "rent", NOWHERE, ("On the 1th, says the lease.",), Label.GOOD, model="own:strict")
    found = face.session.cache.freshness(current.place, current.found.prompt, current.analysis.header)
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
    assert is_fresh(face)


async def test_an_answer_that_was_shown_before_the_wording_is_not(opened: Opener) -> None:
    face = await opened(judges=False)
    await answer_of_a_model(face)
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    assert not is_fresh(face)


async def test_an_answer_is_not_fresh_for_a_wording_that_was_taken_back(opened: Opener) -> None:
    face = await opened(lambda question: question.choices[0].id, judges=False)
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    await answer_of_a_model(face)
    assert is_fresh(face)
    face.apply(await face.runs.criterion.take_back())
    await face.settled()
    await face.again()
    assert not is_fresh(face)


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


# --- Which criterion is the same one after an edit, and verdicts of judges that were asked in different ways


LEASE = "    - Names the lease\n"
NOT_THERE = "It is not in the text at present."


async def edited(face: Face, old: str, new: str) -> None:
    await face.change(old, new)


async def run_first(face: Face, criterion: str) -> None:
    """Run the first of the points with this text."""
    await face.open_criterion(criterion)
    await face.again()


async def test_of_two_points_with_the_same_text_the_first_has_the_older_wordings(opened: Opener) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await reworded(first, "Names the lease", REWORDED)
    await edited(first, f"    - {REWORDED}\n", f"    - {REWORDED}\n    - {REWORDED}\n")
    offset = first.text.rindex(REWORDED)
    first.session.move(offset)
    await first.runs.criterion.open(None, offset)
    await first.again()
    assert view(first).wording == "1st wording"
    await first.close()
    again = await opened(text=first.text)
    await run_first(again, REWORDED)
    assert view(again).wording == "2nd wording"


async def test_a_criterion_that_is_deleted_is_not_its_namesake_of_another_prompt(
    opened: Opener, server: ModelServer
) -> None:
    other = RUBRIC.replace("id: rent", "id: other")
    face = await opened(text=f"{blueprint(server)}{other}")
    await run_first(face, "Names the lease")
    await face.rewrite(face.text.replace(LEASE, "", 1))
    assert view(face).state == NOT_THERE


async def test_an_empty_criterion_is_sent_to_nobody(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    sent = len(server.bodies)
    shown = await reworded(face, "Names the lease", "''")
    assert (shown.state, len(server.bodies), face.author.messages) == ("It has no words yet.", sent, [NO_WORDS])
    assert not await face.open_criterion("''")


async def test_a_command_that_cannot_be_done_is_told_and_is_no_fault(opened: Opener) -> None:
    face = await opened()
    face.session.with_runs(lambda runs: runs.criterion.choose_answers())
    await face.settled()
    assert (face.told, face.author.faults) == ([NO_POINT], [])


# --- A check by a service in the criterion loop: asked under consent, open with the reason without it


BLUEPRINT = text_file("criterion-services.yml")
CHECK = "$call"


@pytest.fixture
def service() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as service:
        yield service


@pytest.fixture
def asked(service: HTTPServer) -> list[Request]:
    return answers(service, said({"score": 0.5, "explain": "Half of it is so."}))


@pytest.fixture
def opened_with_service(tmp_path: Path, service: HTTPServer) -> Callable[..., Any]:
    return partial(open_face, tmp_path, text=BLUEPRINT.format(host=f"127.0.0.1:{service.port}"))


async def checked(face: Face) -> CriterionView:
    await face.open_criterion(CHECK)
    await face.again()
    return view(face)


async def test_a_check_by_a_service_is_asked_once_the_author_agrees(
    opened_with_service: Any, asked: list[Request]
) -> None:
    face = await opened_with_service(ServiceAnswer.ALWAYS, ServiceAnswer.ALWAYS)
    shown = await checked(face)
    assert isinstance(face.author.asked[0], ServiceQuestion)
    assert [row.now for row in shown.rows] == [(0.5,)]
    assert len(asked) == 1


async def test_without_consent_it_says_why_it_is_open_and_what_to_do(
    opened_with_service: Any, asked: list[Request]
) -> None:
    face = await opened_with_service(None)
    shown = await checked(face)
    assert [row.now for row in shown.rows] == [(None,)]
    assert shown.state == "checked on 1 answer · 1 is open: F5 asks the service, once you agree"
    assert shown.selected is not None
    assert "not called again: no reply of" in shown.selected.lines[0].reflection
    assert not asked


async def test_a_reply_of_today_is_not_asked_for_again(opened_with_service: Any, asked: list[Request]) -> None:
    face = await opened_with_service(ServiceAnswer.ALWAYS, ServiceAnswer.ALWAYS)
    await checked(face)
    await face.again()
    assert len(asked) == 1


async def test_a_local_check_asks_nobody(opened_with_service: Any, asked: list[Request]) -> None:
    face = await opened_with_service()
    await face.open_criterion("$contains")
    await face.again()
    assert not face.author.asked
    assert not asked


# --- What a turn of the criterion loop leaves in the result that is shown, and what it says it did


ONE_RUBRIC = text_file("criterion-verdicts-in-result.yml")
ONE_CASE = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 5th, says the king.', label: bad}
"""
OTHER_WORDING = "Names the lease or contract"


@pytest.fixture
def one_judge(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda body: verdict("CLASS_FULLY_PRESENT"))


@pytest.fixture
async def face(tmp_path: Path, one_judge: ModelServer) -> Face:
    """The result of the ideal is shown, which nobody judged."""
    path = tmp_path / "rent.yml"
    path.write_text(ONE_RUBRIC.format(model=one_judge.model("strict")), "utf-8")
    (tmp_path / "rent.yml.cases").write_text(ONE_CASE, "utf-8")
    opened = await open_face(path, lambda question: question.marked - {question.choices[-1].id}, at="Names the lease")
    await opened.f5()
    opened.judged()
    return opened


async def judged(face: Face, criterion: str) -> None:
    await face.open_criterion(criterion)
    await face.again()


async def test_an_answer_that_is_left_out_later_was_judged_all_the_same(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    assert view(face).state.startswith("judged on 2 answers · ")


async def test_what_a_turn_did_is_not_said_of_another_wording(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    await face.change("Names the lease", OTHER_WORDING)
    await judged(face, OTHER_WORDING)
    await face.change(OTHER_WORDING, "Names the lease")
    assert view(face).state == "judged on 1 answer"


async def reopened(face: Face) -> Face:
    """The same file, closed and opened again, with the ideal run without judges."""
    path = face.session.state.path
    path.write_text(face.text, "utf-8")
    await face.close()
    again = await open_face(path, lambda question: question.choices[0].id, at="- id: rent")
    await again.f5()
    again.judged()
    return again


async def test_it_has_none_there_if_judges_would_be_asked_something_else_today(face: Face) -> None:
    await judged(face, "Names the lease")
    face.replace("Names the lease", OTHER_WORDING)
    await face.change("Is friendly", "Is kind")
    await judged(face, OTHER_WORDING)
    again = await reopened(face)
    await judged(again, OTHER_WORDING)
    again.apply(await again.runs.criterion.take_back())
    await again.settled()
    assert again.extents == [None, None]
    assert [row.is_carried for row in view(again).rows] == [True, True]


async def test_verdicts_on_answers_of_other_candidates_count_in_their_results(
    face: Face, one_judge: ModelServer
) -> None:
    face.judged(None)
    await face.runs.configuration.choose(AnswerChoice((IdealSource(), ModelSource("own:strict"))))
    await face.f5()
    face.author.answers = [lambda question: {each.id for each in question.choices}]
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    face.judged()
    await face.again()
    found = {run.label: [each.extent for each in run.assessments] for run in face.runs.state.runs.values()}
    assert found == {"the ideal": [1.0, None], "strict": [1.0, None]}
