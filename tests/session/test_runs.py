"""Running prompts: with each kind of answer, in variants and again, graded, stopped, failed, and asked about before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from pytest_httpserver import HTTPServer

from engine.asking.run_plan import plan_lines
from engine.asking.spending import Cap
from engine.blueprint import Block
from engine.evaluation.fixtures import FixturesFile
from engine.evaluation.sources import ControlKind, ControlSource, FixtureSource, IdealSource, ModelSource, WrittenSource
from engine.files.user_settings import SavedAnswers, SavedCap, Settings
from engine.scoring.assessment import Criterion, Grade
from engine.store import Store
from studio.session.evaluator import AT_ONCE, Progress
from studio.session.host import AnswerQuestion, Choose, NotDone, RunDecision, RunQuestion
from studio.session.result_files import models_in
from studio.session.run_configuration import AnswerChoice, from_saved, saved_form
from tests.session.faces import Face, at_work
from tests.session.test_next_step import at_keys, told
from tests.studio.model_server import ModelServer
from tests.studio.test_cli_run_repeat import Bench
from tests.studio.text_files import text_file

RUBRIC = text_file("runs.yml")
REFUSAL, EMPTY = ControlSource(ControlKind.REFUSAL), ControlSource(ControlKind.EMPTY)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that says which one it is, at which temperature, and that it is 30 days."""
    with HTTPServer(threaded=True) as several_at_once:
        server = ModelServer(several_at_once, lambda body: f"{body['model']} at {body['temperature']:g} says 30 days")
        yield server
        server.release()


async def test_f5_runs_the_ideal_and_its_score_is_known_of_the_prompt_and_of_the_file(tmp_path: Path) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.f5()
        assert (face.run.source, face.score, face.figures) == (IdealSource(), 1.0, {"notice": "50–100"})
        assert face.total == "50–100, 1 of 2 criteria judged, from 1 of 2 prompts"
        await face.at("no-ideal")
        assert face.shown is None
        await face.at("- id: notice")
        assert face.bounds == (0.5, 1.0)


async def test_without_an_ideal_the_first_f5_asks_where_answers_come_from(tmp_path: Path) -> None:
    async with at_work(tmp_path, RUBRIC, at="no-ideal") as face:
        await face.f5()
        assert [type(each) for each in face.author.asked] == [AnswerQuestion]


async def test_what_is_chosen_is_run_and_remembered_for_the_file(tmp_path: Path) -> None:
    chosen = AnswerChoice((REFUSAL,))
    async with at_work(tmp_path, RUBRIC, chosen) as face:
        assert face.session.footer().answers == ("the ideal",)
        await face.runs.configuration.ask()
        assert face.session.footer().answers == ("test answer: refusal", "test answer")
        await face.f5()
        assert (face.run.source, face.score) == (REFUSAL, 0.0)
    async with at_work(tmp_path) as face:
        assert face.answers == chosen


async def test_saved_answers_are_read_from_a_fixtures_file(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"responses": {"notice": {"default": "Thirty days."}}}), "utf-8")
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(FixtureSource(fixtures))
        await face.f5()
        assert (face.said, face.score) == ("Thirty days.", 0.0)


@pytest.mark.parametrize(
    ("by_model", "models"),
    [
        ({}, []),
        ({"openai:tiny": "a"}, [("openai:tiny", 1)]),
        ({"openai:*": "a"}, [("openai:tiny", 1)]),
        ({"other": "a", "*": "b"}, [("other", 1), ("openai:tiny", 1), ("google:flash", 1)]),
    ],
)
def test_models_are_those_named_in_the_file_and_those_that_a_star_speaks_for(
    by_model: dict[str, str], models: list[tuple[str, int]]
) -> None:
    saved = FixturesFile.model_validate({"responses": {"p": {"byModel": by_model}, "q": {"default": "x"}}})
    assert models_in(saved, ["openai:tiny", "google:flash"]) == models


async def test_a_grade_changes_the_score_and_is_there_after_a_restart(tmp_path: Path) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.f5()
        await face.grade(1, Grade.PARTIALLY_PRESENT)
        assert (face.score, face.bounds) == (0.75, (0.75, 0.75))
        await face.grade(1, None)
        assert face.bounds == (0.5, 1.0)
        await face.grade(1, Grade.FULLY_PRESENT)
        place = face.run.place
    store = Store()
    grades = store.grades(place, "It is 30 days, by the lease.")
    store.close()
    assert grades == {Criterion(Block.SHOULD, "Names the lease"): Grade.FULLY_PRESENT}
    async with at_work(tmp_path) as face:
        await face.f5()
        assert face.bounds == (1.0, 1.0)


async def test_a_result_says_when_the_question_changed_since(tmp_path: Path) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.f5()
        await face.change("notice period?", "notice period indeed?")
        view = face.result
        assert view.stale


async def test_while_the_rubric_is_mended_the_score_follows_without_another_run_or_request(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(server.source())
        await face.f5()
        assert face.score == 1.0
        await face.change("$icontains: 30 days", "$icontains: 30 days exactly")
        view = face.result
        assert (face.score, view.stale, len(server.bodies)) == (0.0, False, 1)


async def test_a_model_on_this_machine_streams_its_answer_and_it_is_kept(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(server.source())
        await face.f5()
        assert face.said == "tiny at 0 says 30 days"
        kept = face.resources.store().latest_response(face.run.place, "tiny")
        assert kept is not None
        assert kept.subject == face.said


async def test_a_failing_model_is_told_with_advice_and_no_score(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("no", status=401)
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(ModelSource("some-model", httpserver.url_for("/v1")))
        await face.f5()
        assert (face.run.explanation, face.run.state) == (None, "failed")
        assert face.run.failed is not None
        assert face.run.failed.title


def declined(face: Face) -> str:
    """The plan that the author was asked about and declined: nothing ran."""
    assert (face.shown, face.resources.settings.values.consented) == (None, [])
    return "\n".join(plan_lines(face.asked_to_send.plan))


async def test_before_a_text_first_leaves_this_machine_its_recipient_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(ModelSource("openai:gpt-4o-mini"))
        await face.f5()
        assert "api.openai.com" in declined(face)


async def test_a_blueprint_s_own_model_is_named_with_the_variables_that_go_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_MODEL_KEY", "not-a-real-key")
    headers = "headers: {Authorization: 'Bearer ${OWN_MODEL_KEY}'}"
    own = f"{{id: 'own:one', url: 'https://models.invalid/v1', modelName: x, inherit: openai, {headers}}}"
    async with at_work(tmp_path, f"models: [{own}]\n---\n{RUBRIC}", at="no-ideal") as face:
        await face.choose(ModelSource("own:one"))
        await face.f5()
        said = declined(face)
        assert ("models.invalid" in said, "OWN_MODEL_KEY" in said, "not-a-real-key" in said) == (True, True, False)


@pytest.mark.parametrize(
    "source",
    [
        IdealSource(),
        WrittenSource(""),
        ControlSource(ControlKind.ECHO),
        FixtureSource(Path("/tmp/f.yml"), "m"),
        ModelSource("openai:x"),
        ModelSource("x", "http://127.0.0.1:1/v1"),
    ],
    ids=str,
)
def test_what_the_settings_keep_gives_the_same_answers_again(source: Any) -> None:
    answers = AnswerChoice((source, IdealSource()), ("[temp:0.7]",))
    assert from_saved(saved_form(answers)) == answers


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("- {id: a, prompt: b, ideal: c, should: [Says c, Says it kindly]}\n", "not judged yet, from 1 of 1 prompt"),
        (
            "".join(f"- {{id: p{number}, prompt: Why?, ideal: So., should: [a, b]}}\n" for number in range(3)),
            "not judged yet, from 3 of 3 prompts",
        ),
    ],
)
async def test_where_nothing_is_judged_the_total_says_so(text: str, scores: str, tmp_path: Path) -> None:
    async with at_work(tmp_path, text) as face:
        await face.f6()
        assert face.total == scores


async def test_running_all_prompts_of_a_file_without_any_says_so(tmp_path: Path) -> None:
    async with at_work(tmp_path, "") as face:
        await face.f6()
        assert face.told == ["This file has no prompt to run."]


# --- Variants

PROMPTS = text_file("three-prompts.yml")
SMALL, LARGE = ModelSource("own:small"), ModelSource("own:large")


def two_models(server: ModelServer, temperatures: str = "[0, 0.7]", prompts: str = PROMPTS) -> str:
    models = f"models: [{server.model('small')}, {server.model('large')}]"
    return f"{models}\ntemperatures: {temperatures}\n---\n{prompts}"


def asked(server: ModelServer) -> list[tuple[str, float]]:
    return sorted((body["model"], body["temperature"]) for body in server.bodies)


async def test_f5_runs_every_variant_that_was_chosen_and_f6_the_one_that_is_shown(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, two_models(server), at="- id: notice") as face:
        await face.choose(SMALL, LARGE, at=("[temp:0]", "[temp:0.7]"))
        await face.f5()
        assert asked(server) == [("large", 0), ("large", 0.7), ("small", 0), ("small", 0.7)]
        face.runs.configuration.show_next()
        await face.settled()
        assert face.said == "small at 0.7 says 30 days"
        face.runs.show_cell("notice", "own:large[temp:0]")
        await face.settled()
        assert (face.said, face.run.candidate.key) == ("large at 0 says 30 days", "own:large[temp:0]")


def beside(face: Face) -> list[tuple[str, str]]:
    """The variants that are listed beside each other, with their figures."""
    found = face.result.beside
    return [(each.label, "" if each.headline is None else each.headline.whole_figure) for each in found]


async def test_the_result_lists_the_variants_with_their_scores(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, two_models(server), at="- id: notice") as face:
        await face.choose(SMALL, EMPTY, at=("[temp:0.7]",))
        await face.f5()
        assert beside(face) == [("small, temp 0.7", "100"), ("test answer: empty", "0")]
        await face.change("$icontains: 30 days", "Names the 30 days")
        await face.f5()
        assert [figure for _, figure in beside(face)] == ["0–100"] * 2  # waits for its judge


async def test_a_temperature_that_is_gone_from_the_header_gives_way_to_the_first(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, two_models(server, "[0.2, 0.4]"), at="- id: notice") as face:
        await face.choose(SMALL, at=("[temp:0.7]",))
        await face.f5()
    assert asked(server) == [("small", 0.2)]


async def test_f6_runs_every_prompt_and_the_score_weighs_them_and_says_how_many_it_is_from(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, two_models(server), at="- id: notice") as face:
        await face.choose(SMALL)
        await face.f6()
        assert face.figures == {"notice": "100", "court": "0", "last": "0"}
        assert face.total == "20, from 3 of 3 prompts"


async def test_f6_with_the_ideal_leaves_out_prompts_without_one(tmp_path: Path) -> None:
    async with at_work(tmp_path, PROMPTS) as face:
        await face.f6()
        assert face.total == "25, from 2 of 3 prompts"


async def test_while_all_prompts_run_the_next_line_says_how_far_they_are_until_f6_stops_them(
    tmp_path: Path, server: ModelServer
) -> None:
    server.held = True
    async with at_work(tmp_path, two_models(server), at="- id: notice") as face:
        await face.choose(SMALL)
        face.runs.run_all_or_stop()
        await face.until(lambda: len(face.runs.state.arriving) == 3)
        at_keys(face)
        assert told(face) == "RUN stops it: 0 of 3"
        await face.f6()
        assert (face.said, face.run.response and face.run.response.complete) == ("small ", False)
        assert "stops" not in told(face)


async def test_prompts_that_wait_for_their_turn_are_not_asked_after_a_stop(tmp_path: Path, server: ModelServer) -> None:
    server.held = True
    many = "\n".join(f"- {{id: p{number}, prompt: 'Question {number}?', should: [a]}}" for number in range(40))
    async with at_work(tmp_path, two_models(server, "[0]", many), at="- {id") as face:
        await face.choose(SMALL)
        face.runs.run_all_or_stop()
        await face.until(lambda: server.bodies)
        await face.f6()
    assert len(server.bodies) <= AT_ONCE


def test_progress_reckons_with_what_the_others_took() -> None:
    assert str(Progress(done=3, total=12, seconds=60.0)) == "3 of 12 · 3 min left"
    assert str(Progress(done=0, total=12, seconds=60.0)) == "0 of 12"


# --- What a run may cost


async def test_the_same_at_two_temperatures_that_a_model_ignores_is_asked_about_once(
    tmp_path: Path, server: ModelServer
) -> None:
    text = two_models(server).replace("modelName: small", "modelName: small, parameters: {temperature: 0.3}")
    async with at_work(tmp_path, text, RunDecision(Cap()), at="- id: notice") as face:
        await face.choose(SMALL, at=("[temp:1]",))
        await face.f5()
        assert (face.author.asked, len(server.bodies)) == ([], 1)
        await face.choose(SMALL, at=("[temp:0]", "[temp:0.7]"))
        await face.f5(fresh=True)
        (same,) = face.asked_to_send.plan.same
        assert same.sentence.startswith("own:small ignores temperature: at 0 and 0.7")
        assert len(server.bodies) == 3
        await face.f5(fresh=True)
        assert len(face.author.asked) == 1


async def test_a_cap_ends_a_run_of_all_prompts_and_says_so(tmp_path: Path, server: ModelServer) -> None:
    Settings(cap=SavedCap(requests=1)).save()
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(server.source())
        await face.f6()
        failed = [run.failed.title for run in (face.run_of(0), face.run_of(1)) if run.failed is not None]
    assert [title.startswith("The cap of 1 request is reached; ") for title in failed] == [True]
    assert len(server.bodies) == 1


async def test_the_settings_say_how_many_tokens_are_usual_and_a_choice_is_sent(
    tmp_path: Path, server: ModelServer
) -> None:
    Settings(max_tokens=3000).save()
    async with at_work(tmp_path, two_models(server), at="- id: notice") as face:
        await face.choose(SMALL)
        await face.f5()
        await face.runs.configuration.choose(AnswerChoice((SMALL,), max_tokens=4000))
        await face.f5(fresh=True)
    assert [body["max_tokens"] for body in server.bodies] == [3000, 4000]


def test_the_choice_of_tokens_is_there_again_the_next_time() -> None:
    chosen = AnswerChoice((SMALL,), max_tokens=4000)
    assert from_saved(saved_form(chosen)) == chosen
    earlier = convert({"kind": "model", "value": "own:small"}, SavedAnswers)  # of a version without a limit
    assert from_saved(earlier) == AnswerChoice((SMALL,))
    assert ModelSource("own:small", max_tokens=4000) == SMALL  # the limit is no part of who answers


# --- A file with a YAML error

SOUND = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - $icontains: y\n"
HEAD = "- id: b\n  prompt: x\n  ideal: y\n"
CUT = {
    "an open bracket": f"{HEAD}  should:\n    - $icontains: y\n    - [{{$icontains: y}}\n",
    "an open quote": f'{HEAD}  should:\n    - $icontains: y\n    - $icontains: "z\n',
    "no criterion is left": f"{HEAD}  should:\n\t- y\n",
}
LOST = "- [b\n"
"""An item that cannot be read at all."""


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
async def test_the_score_of_a_prompt_that_cannot_be_read_to_its_end_is_open(tmp_path: Path, cut: str) -> None:
    async with at_work(tmp_path, SOUND + cut, at="- id: b") as face:
        await face.f6()
        view = face.result
        assert view.headline is not None
        assert (view.headline.whole_figure, face.figures) == ("0–100", {"a": "100", "b": "0–100"})
        assert "part of the rubric cannot be read" in str(view.headline)
        assert face.total.startswith("50–100, ")


async def test_the_total_of_a_file_with_an_unreadable_prompt_says_so_and_lists_its_line(tmp_path: Path) -> None:
    async with at_work(tmp_path, f"title: T\n---\n{SOUND}{LOST}") as face:
        await face.f6()
        assert face.total.startswith("100, part of the file cannot be read, from 1 of 2 prompts")
        assert face.runs.overview.view().unread == (8,)


# --- Repeats: asked how often and for consent, then the variation of generation and of judging, told apart


SEND = RunDecision(Cap())


@pytest.fixture
def bench(httpserver: HTTPServer) -> Bench:
    return Bench(httpserver)


@asynccontextmanager
async def ready(folder: Path, text: str, models: tuple[str, ...], *answers: Any) -> AsyncIterator[Face]:
    """The cursor is in the prompt; these models answer, and the blueprint's judge judges."""
    async with at_work(folder, text, *answers) as face:
        face.judged()
        await face.choose(*(ModelSource(f"own:{name}") for name in models) if models else (IdealSource(),))
        face.session.move(face.analysis.starts[0])
        await face.settled()
        yield face


async def repeated(face: Face) -> str:
    """What is said once the repeats are done."""
    await face.runs.repeats.ask(all_prompts=False)
    await face.settled()
    shown = face.session.state.repeated
    assert shown is not None
    return "\n".join(shown.lines)


async def test_generation_and_judging_are_told_apart_and_the_last_result_is_shown_again(
    tmp_path: Path, bench: Bench
) -> None:
    bench.verdicts = ["CLASS_FULLY_PRESENT", "CLASS_UNMET"]

    def again(question: Choose) -> str:
        return next(each.id for each in question.choices if "Show the last result" in each.label)

    async with ready(tmp_path, bench.blueprint(), ("mixed",), "4", "2", SEND, again) as face:
        text = await repeated(face)
        assert "generation  ±" in text
        assert "judging     ±" in text
        asked = [question.text for question in face.author.asked[:2]]  # pyright: ignore[reportAttributeAccessIssue]
        assert ["How often is the prompt answered" in asked[0], "How often does each judge" in asked[1]] == [True, True]
        assert (bench.sent["mixed"], bench.sent["judge"]) == (4, 8)
        assert await repeated(face) == text
    assert bench.sent["mixed"] == 4


async def test_the_plan_is_shown_although_everything_stays_here_and_can_be_declined(
    tmp_path: Path, bench: Bench
) -> None:
    async with ready(tmp_path, bench.blueprint(), ("steady",), "3", "2", None) as face:
        with pytest.raises(NotDone):
            await face.runs.repeats.ask(all_prompts=False)
        question = face.author.asked[-1]
        assert isinstance(question, RunQuestion)
        assert "Each prompt is answered 3 times, and each answer is judged 2 times by each judge" in question.note
    assert not bench.sent


async def test_two_models_are_compared(tmp_path: Path, bench: Bench) -> None:
    async with ready(tmp_path, bench.blueprint(checks=True), ("steady", "bad"), "4", SEND) as face:
        assert "exact permutation test, 70 splits" in await repeated(face)


async def test_without_a_model_and_judges_it_says_what_repeats(tmp_path: Path) -> None:
    text = "- {id: a, prompt: When?, ideal: Now., should: [{$contains: Now}]}\n"
    async with ready(tmp_path, text, ()) as face:
        with pytest.raises(NotDone, match="Only a model gives another answer"):
            await face.runs.repeats.ask(all_prompts=False)


async def test_the_plan_of_all_prompts_is_shown(tmp_path: Path, bench: Bench) -> None:
    async with ready(tmp_path, bench.blueprint(3, checks=True), ("steady",), "2", None) as face:
        with pytest.raises(NotDone):
            await face.runs.repeats.ask(all_prompts=True)
        question = face.author.asked[-1]
        assert isinstance(question, RunQuestion)
        assert "own:steady answers: gets the prompt's messages · 6 requests" in "\n".join(plan_lines(question.plan))
    assert not bench.sent
