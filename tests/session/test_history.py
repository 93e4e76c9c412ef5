"""Earlier runs: what is listed, how one is opened, what a file that is reopened shows, and what counts as shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, Candidate, IdealSource, ModelSource, WrittenSource
from engine.files.user_settings import SavedAnswers, Settings
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import DOCUMENTED_JUDGES, Approach, PanelJudge
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from engine.study.file_places import beside
from engine.text.record import replace, text_digest
from studio.session.host import NotDone
from studio.session.restored_answers import restored_run
from studio.session.run import Run
from studio.session.views import figures
from studio.session.views.figures import age_text
from tests.engine.provider_server import answers, sse, streamed
from tests.session.faces import Face, at_work, open_face
from tests.stored_answers import answered
from tests.studio.driving import QUOTED
from tests.studio.histories import IDEAL, NOW, prompt_of, ran
from tests.studio.text_files import text_file

RUBRIC = text_file("history.yml")
MODEL = ModelSource("openai:m")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.yml"
    path.write_text(RUBRIC, "utf-8")
    return path


async def opened(face: Face, number: int = 0) -> Run:
    """An earlier run, from the newest one, opened."""
    await face.runs.history.open((await face.earlier())[number])
    await face.settled()
    return face.run


async def test_runs_are_listed_newest_first_and_each_prompt_has_its_own(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25)
    ran(path, ago=timedelta(hours=2), score=0.5, bounds=(0.5, 1.0))
    async with at_work(path) as face:
        assert [run.score for run in await face.earlier()] == [0.5, 0.25]
        await face.at("- id: rent")
        assert await face.earlier() == ()


async def test_without_runs_the_next_step_is_told_and_a_run_appears_with_its_score(path: Path) -> None:
    async with at_work(path) as face:
        assert await face.earlier() == ()
        assert "F5 runs it" in face.told[-1]
        await face.f5()
        assert [(run.candidate.key, run.score) for run in await face.earlier()] == [("ideal", 1.0)]


async def test_an_earlier_run_is_opened_and_scored_by_the_rubric_of_today(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, rubric="another", answer="It is 30 days.")
    async with at_work(path) as face:
        await opened(face)
        assert (face.said, face.score) == ("It is 30 days.", 1.0)
        assert "it scored 25.0 then, by" in face.result.notice


async def test_opening_uses_the_grades_and_the_verdicts_that_are_kept_and_asks_nobody(path: Path) -> None:
    number = ran(path, ago=timedelta(days=3), score=0.25)
    store = Store()
    for judge in DOCUMENTED_JUDGES:
        attempt = Attempt(ChatRequest("judge", ()), "CLASS_ABSENT", Verdict(0.5, None, "Half."))
        store.save_run_judgement(number, Judgement(judge, "Names the lease", (attempt,), "nobody"))
    async with at_work(path) as face:
        await opened(face)
        assert face.score == 0.75
        place = PromptPlace.of(path, prompt_of(path))
        store.grade(place, "It is 30 days.", Criterion(Block.SHOULD, "Names the lease"), Grade.FULLY_PRESENT)
        await opened(face)
        assert face.score == 1.0


async def test_an_opened_run_changes_no_score_of_the_outline_and_gives_way_to_the_newest(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, answer="No idea.", candidate=IDEAL)
    async with at_work(path) as face:
        await face.f5()
        newest = face.run.started
        run = await opened(face, 1)
        assert (run.source, face.score, run.past is not None) == (IdealSource(), 0.0, True)
        assert face.figures == {"notice": "50–100"}
        face.runs.selection.close()
        await face.settled()
        assert face.run.started == newest


async def test_a_run_without_an_answer_says_why_and_is_not_opened(path: Path) -> None:
    ran(path, ago=timedelta(days=3), state=RunState.FAILED, answer="", words="The server said no. Ask again.")
    async with at_work(path) as face:
        (past,) = await face.earlier()
        assert past.error_message == "The server said no. Ask again."
        with pytest.raises(NotDone, match="There is no answer in this run"):
            await face.runs.history.open(past)


async def test_an_answer_to_other_messages_is_told(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, asked="What is the rent?")
    async with at_work(path) as face:
        await opened(face)
        assert "something else" in face.result.notice


# --- Answers that are not asked for twice


def served(httpserver: HTTPServer, path: Path, *texts: str) -> Callable[[], int]:
    """A model that says each of `texts` in turn is chosen for the file; how often it was asked."""
    said = [
        streamed(sse({"choices": [{"delta": {"content": text}}]}), sse({"choices": [{"finish_reason": "stop"}]}))
        for text in texts
    ]
    requests = answers(httpserver, *said)
    source = SavedAnswers(kind="model", value="tiny", base_url=httpserver.url_for("/v1"))
    Settings(answers={str(path): source}).save()
    return lambda: len(requests)


async def test_f5_sends_nothing_for_what_was_answered_before_and_ctrl_n_asks_anew(
    path: Path, httpserver: HTTPServer
) -> None:
    asked = served(httpserver, path, "It is 30 days.", "No idea.")
    async with at_work(path) as face:
        await face.f5()
        await face.f5()
        assert (asked(), face.run.response and face.run.response.reused, face.said) == (1, True, "It is 30 days.")
        await face.f5(fresh=True)
        assert (asked(), face.run.response and face.run.response.reused, face.said) == (2, False, "No idea.")


async def test_a_prompt_with_no_cache_is_asked_anew(path: Path, httpserver: HTTPServer) -> None:
    path.write_text(RUBRIC.replace("  ideal: It is 30 days.", "  noCache: true"), "utf-8")
    asked = served(httpserver, path, "It is 30 days.", "No idea.")
    async with at_work(path) as face:
        await face.f5()
        await face.f5()
    assert asked() == 2


# --- What cost something to have is there after a restart

OPEN = RUBRIC.partition("- id: rent")[0].replace("  ideal: It is 30 days.\n", "")


def save_answer(path: Path, *, asked: str = "What is the notice period?", source: AnswerSource = MODEL) -> None:
    """As if a model had answered in an earlier session, and its author had graded it."""
    prompt = parse(OPEN, path).blueprint.prompts[0]
    place = PromptPlace.of(path, prompt)
    thread = (ThreadTurn(Role.USER, asked, generated=False), ThreadTurn(Role.ASSISTANT, "30 days.", generated=True))
    store = Store()
    store.save_response(place, Candidate(source).key, Response("30 days.", thread, "m"))
    store.grade(place, "30 days.", Criterion(Block.SHOULD, "Names the lease"), Grade.PARTIALLY_PRESENT)
    store.close()
    Settings(answers={str(path): SavedAnswers(kind="model", value="openai:m")}).save()


async def test_a_models_answer_and_its_grades_are_there_after_a_restart(path: Path) -> None:
    save_answer(path)
    async with at_work(path, OPEN) as face:
        await face.until(lambda: face.shown)
        assert (face.run.source, face.run.restored, face.score) == (MODEL, True, 0.75)


async def test_a_models_answer_under_another_system_prompt_is_not_shown(path: Path) -> None:
    save_answer(path)
    briefly = parse(f"system: Be brief.\n---\n{OPEN}", path).blueprint
    (prompt,) = briefly.prompts
    run = Run(PromptPlace.of(path, prompt), prompt, "", Candidate(MODEL))
    assert restored_run(Store(), run, briefly.header) is None
    assert restored_run(Store(), run, parse(OPEN, path).blueprint.header) is not None


async def test_what_judges_said_of_it_is_there_as_well(path: Path) -> None:
    panel = "evaluationConfig: {llm-coverage: {judges: [{id: one, model: openai:judge, approach: standard}]}}\n"
    path.write_text(f"{panel}---\n{OPEN}", "utf-8")
    number = ran(path, ago=timedelta(days=1), candidate=Candidate(MODEL), answer="30 days.")
    judge = PanelJudge("one", "openai:judge", Approach.STANDARD)
    reading = Verdict(0.25, None, "Hardly.")
    said = Judgement(judge, "Names the lease", (Attempt(ChatRequest("judge", ()), "CLASS_ABSENT", reading),))
    store = Store()
    store.save_judgement(said)
    store.save_run_judgement(number, said)
    Settings(answers={str(path): SavedAnswers(kind="model", value="openai:m")}).save()
    async with at_work(path, at="notice") as face:
        await face.until(lambda: face.shown)
        assert (face.run.judgements, face.score) == ({1: (replace(said, reused=True),)}, 0.625)


@pytest.mark.parametrize("source", [MODEL, WrittenSource("30 days.")])
@pytest.mark.parametrize(("asked", "is_shown"), [("What is the notice period?", True), ("What is the rent?", False)])
async def test_an_answer_to_other_messages_is_not_taken_for_one_to_these(
    path: Path, source: AnswerSource, asked: str, is_shown: bool
) -> None:
    save_answer(path, asked=asked, source=source)
    blueprint = parse(OPEN, path).blueprint
    (prompt,) = blueprint.prompts
    run = Run(PromptPlace.of(path, prompt), prompt, "", Candidate(source))
    assert (restored_run(Store(), run, blueprint.header) is not None) == is_shown


# --- Opening again


@pytest.fixture
async def own(tmp_path: Path) -> Path:
    """A file whose first prompt was run in an earlier session."""
    path = tmp_path / "own.yml"
    async with at_work(path, QUOTED, at="ideal: It is") as face:
        await face.f5()
    return path


@pytest.fixture
def _three_hours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What began just now began three hours ago."""
    monkeypatch.setattr(figures, "now", lambda: datetime.now(UTC) + timedelta(hours=3, minutes=1))


@pytest.mark.usefixtures("_three_hours_later")
async def test_the_last_scores_and_results_are_shown_with_their_age_until_the_prompt_is_run(own: Path) -> None:
    async with at_work(own) as face:
        assert face.total == "50, 1 check could not run, from 1 of 2 prompts, 3 h ago"
        states = {each.id: each.state for each in face.runs.overview.view().prompts if each.headline is None}
        assert states == {"second": "not run"}
        await face.at("ideal: It is")
        assert face.result.answers == "the ideal, 3 h ago"
        assert face.result.notice.startswith("The last run, 3 h ago: it scored 50.0")
        await face.f5()
        assert face.total == "50, 1 check could not run, from 1 of 2 prompts"


OTHER_RUBRIC = QUOTED.replace("    - $icontains: days\n", "    - $icontains: weeks\n")
OTHER_IDEAL = OTHER_RUBRIC.replace("It is 30 days.", "It is a month.")


async def test_an_answer_of_before_has_its_score_by_the_present_rubric(own: Path) -> None:
    async with at_work(own, OTHER_RUBRIC) as face:
        assert face.runs.overview.view().prompts[0].figure == "0"


async def test_a_score_of_another_ideal_by_another_rubric_is_marked_and_in_no_total(own: Path) -> None:
    async with at_work(own, OTHER_IDEAL) as face:
        overview = face.runs.overview.view()
        assert (overview.prompts[0].figure, overview.total.headline) == ("≠50", None)


async def test_another_ideal_is_not_shown_as_what_was_run(own: Path) -> None:
    async with at_work(own, QUOTED.replace("It is 30 days.", "It is a month."), at="ideal: It is") as face:
        view = face.runs.views.result()
        assert "The last run, just now, scored 50.0" in str(view)
        assert face.shown is None


@pytest.mark.parametrize(
    ("hours", "text"), [([], ""), ([3], "3 h ago"), ([3, 3], "3 h ago"), ([2, 50], "2 h ago and earlier")]
)
def test_ages_in_words(hours: list[int], text: str) -> None:
    assert age_text([NOW - timedelta(hours=each) for each in hours], NOW) == text


# --- What the studio shows of answers is recorded: a later wording is not tested on them as on fresh ones


TEXT = text_file("shown-answers.yml")
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: Soon., label: bad}
  - {prompt: visit, answer: Never., label: bad}
"""


@pytest.fixture
async def face(tmp_path: Path) -> Face:
    """A file with a stored answer to its first prompt, and with cases of both."""
    path = answered(tmp_path / "rent.yml", TEXT, {"own:a": "On the 5th."})
    beside(path).write_text(CASES, "utf-8")
    return await open_face(path)


def shown(face: Face, prompt: int) -> set[str]:
    path = face.session.state.path
    place = PromptPlace.of(path, parse(TEXT, path).blueprint.prompts[prompt])
    return set(Store().first_shown(place))


def digests(*answers: str) -> set[str]:
    return set(map(text_digest, answers))


async def test_a_run_of_all_prompts_shows_the_score_of_each(face: Face) -> None:
    beside(face.session.state.path).unlink()
    face.cursor_at("title")
    await face.f6()
    await face.until(lambda: shown(face, 0) >= digests("On the 3rd."))
    await face.until(lambda: shown(face, 1) >= digests("On the day before."))


async def test_the_outcomes_of_the_cases_of_a_prompt_are_shown_with_its_result(face: Face) -> None:
    face.cursor_at("When is")
    await face.until(lambda: shown(face, 0) >= digests("Soon."))
    assert not shown(face, 1)
    face.cursor_at("And before")
    await face.until(lambda: shown(face, 1) >= digests("Never."))


async def test_answers_to_choose_from_are_shown(face: Face) -> None:
    assert await face.open_criterion("$contains: 3rd")
    await face.settled()
    assert not shown(face, 0) & digests("On the 5th.")
    await face.obey(face.runs.criterion.choose_answers())
    await face.until(lambda: shown(face, 0) >= digests("On the 5th."))


def read(face: Face, prompt: int) -> frozenset[str]:
    path = face.session.state.path
    return (
        Store()
        .read_of(str(path.absolute()))
        .get(PromptPlace.of(path, parse(TEXT, path).blueprint.prompts[prompt]).prompt, frozenset())
    )


async def test_only_answers_that_were_on_the_screen_are_read(face: Face) -> None:
    face.cursor_at("When is the rent due?")
    await face.f6()
    await face.until(lambda: shown(face, 1) >= digests("On the day before."))
    assert read(face, 0) == read(face, 1) == frozenset()
    face.runs.answer_shown()
    await face.until(lambda: read(face, 0) == digests("On the 3rd."))
    assert read(face, 1) == frozenset()
    face.cursor_at("And before a visit?")
    face.runs.answer_shown()
    await face.until(lambda: read(face, 1) == digests("On the day before."))
