"""Running on the screen: what the keys of a run do, and what status, footer, outline and panes say of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.spending import Cap
from engine.blueprint.conversation import Variant
from engine.evaluation.events import Event, Failed
from engine.evaluation.sources import Candidate, ControlKind, ControlSource, ModelSource, WrittenSource
from engine.files.user_settings import Settings
from engine.judging.panel import JudgesAs
from engine.parsing import parse
from engine.store import PromptPlace
from engine.study.file_places import beside
from studio.session.evaluator import AT_ONCE, RunQueue
from studio.session.host import RunDecision, RunQuestion
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.session.state import Tasks
from studio.tui.action import Place
from studio.tui.dialogs.dialog_host import DialogHost
from tests.session.test_consent import planned
from tests.session.test_runs import RUBRIC
from tests.session.test_what_if import CASES as WHAT_IF_CASES
from tests.session.test_what_if import TEXT as WHAT_IF
from tests.studio.blueprints import CAPITALS, RIVERS
from tests.studio.driving import opened
from tests.studio.model_server import ModelServer, verdict
from tests.studio.test_cli_run_repeat import Bench
from tests.studio.text_files import text_file


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with HTTPServer(threaded=True) as several_at_once:
        server = ModelServer(several_at_once, lambda body: f"{body['model']} says 30 days")
        yield server
        server.release()


async def test_f5_shows_the_score_in_outline_status_and_head_and_the_footer_names_what_runs(tmp_path: Path) -> None:
    async with opened(tmp_path, RUBRIC) as page:
        assert "F5 run the ideal" in page.footer()
        await page.press("f5")
        assert page.status().endswith("‹ 1 of 2 · 50–100 ›")
        assert "1 of 2 criteria judged" in page.head()
        assert "50–100" in page.outline()[1]
        await page.write(" indeed", (1, len("  prompt: What is the notice period?")))
        assert "changed since" in page.head()
        await page.at("no-ideal")
        assert "not run yet" in page.head()
        await page.choose(ControlSource(ControlKind.REFUSAL))
        await page.settle()
        assert "F5 run test answer: refusal" in page.footer()


async def test_enter_on_a_point_goes_to_its_line_though_lines_were_added_since(tmp_path: Path) -> None:
    async with opened(tmp_path, RUBRIC, keys=("f5",)) as page:
        await page.write("# one line more\n")
        await page.press("ctrl+r", "enter")
        assert page.line == "    - Names the lease"


# --- Choosing what answers


async def test_a_test_answer_is_chosen_by_keys(tmp_path: Path) -> None:
    async with opened(tmp_path, RUBRIC) as page:
        await page.hit("f9", asks="Where do answers come from?")
        await page.reply(*["down"] * 5, "enter")
        assert page.answers == AnswerChoice((ControlSource(ControlKind.REFUSAL),))


async def test_an_answer_typed_in_its_place_is_judged(tmp_path: Path) -> None:
    async with opened(tmp_path, RUBRIC) as page:
        await page.hit("f9")
        await (await page.asked()).choose("Your answer")
        await page.answered()
        await page.press(*"30 days", "f5")
        assert (page.run.source, page.score) == (WrittenSource("30 days"), 1.0)
        await page.press("ctrl+r")
        assert page.place is Place.RESULT


async def test_a_blueprint_s_own_models_can_be_chosen_once_their_variables_are_set(tmp_path: Path) -> None:
    own = "{id: 'own:one', url: 'http://127.0.0.1:9/v1', modelName: x, inherit: openai}"
    lacks = "{id: 'own:two', url: 'http://127.0.0.1:9/${NOWHERE_SET}', modelName: x, inherit: openai}"
    async with opened(tmp_path, f"models: [{own}, {lacks}]\n---\n{RUBRIC}") as page:
        await page.hit("f9")
        asked = await page.asked("Where do answers come from?")
        assert [asked.is_idle("this blueprint's own"), asked.is_idle("NOWHERE_SET is not set")] == [False, True]


async def test_several_are_marked_with_space(tmp_path: Path, server: ModelServer) -> None:
    models = f"models: [{server.model('small')}, {server.model('large')}]\ntemperatures: [0, 0.7]\n---\n"
    async with opened(tmp_path, models + RUBRIC, at="- id: notice") as page:
        await page.hit("f9")
        asked = await page.asked("temp 0.7")
        asked.highlight("small")
        await page.hit("space", "down", "space")
        asked.highlight("temp 0.7")
        await page.reply("space", "enter")
        own = tuple(ModelSource(f"own:{name}") for name in ("small", "large"))
        assert page.answers == AnswerChoice(own, ("[temp:0]", "[temp:0.7]"))


async def test_a_token_limit_is_chosen_there_and_what_is_no_number_changes_nothing(
    tmp_path: Path, server: ModelServer
) -> None:
    async with opened(tmp_path, RUBRIC) as page:
        await page.choose(server.source())
        for written in ("many", "9999999", "4000"):
            await page.hit("f9")
            await (await page.asked("Token limit")).choose("tokens")
            await (await page.asked()).fill(written)
            await page.settle()
            if written != "4000":
                assert "Where do answers come from?" in (await page.asked()).title
                await page.reply("escape")
                assert page.answers == AnswerChoice((server.source(),))
        await page.answered()
        assert page.answers == AnswerChoice((server.source(),), max_tokens=4000)


# --- While it runs


async def test_f5_again_stops_the_run_and_what_had_arrived_is_shown_and_counts_as_read_once_it_is_seen(
    tmp_path: Path, server: ModelServer
) -> None:
    server.held = True
    async with opened(tmp_path, RUBRIC) as page:
        await page.choose(server.source())
        await page.hit("f5", until=lambda: page.runs.state.arriving)
        await page.until(lambda: "F5 stop" in page.footer())
        await page.press("f5")
        server.release()
        assert (page.run.explanation, page.said, page.run.state) == (None, "tiny ", "stopped")
        assert not (page.run.response and page.run.response.complete)
        assert page.head().endswith("Stopped.\nWhat came: tiny")
        assert page.runs.state.read == {}
        await page.show("Answer")
        await page.until(lambda: page.runs.state.read)


# --- Variants


async def test_keys_show_the_variants_of_a_result(tmp_path: Path, server: ModelServer) -> None:
    async with opened(tmp_path, RUBRIC) as page:
        server.finish_of = {"large": "length"}
        await page.choose(server.source("small"), server.source("large"))
        await page.press("f5", "ctrl+r", "home")
        assert "large  50–100, 1 of 2 criteria judged, cut off at the token limit" in page.detail()
        await page.press("v")
        assert page.said == "large says 30 days"
        await page.press("v")
        assert page.said == "small says 30 days"


# --- Judges


async def test_who_judges_is_chosen_in_the_result_and_a_point_is_graded_and_judged_by_key(
    tmp_path: Path, server: ModelServer
) -> None:
    server.said = lambda _: verdict("CLASS_FULLY_PRESENT")
    header = server.judging("holistic")
    rubric = RUBRIC.replace("    - Names the lease\n", "    - Names the lease\n    - Is friendly\n")
    async with opened(tmp_path, header + rubric, at="- id: notice", keys=("f5", "ctrl+r")) as page:
        await page.hit("w", asks="")
        await page.reply("down", "enter")
        assert page.judges is JudgesAs.DOCUMENTED
        await page.press("J")
        assert page.extents == [1.0, 1.0, 1.0]
        await page.select("point:1")
        await page.press("1")
        assert page.extents == [1.0, 0.0, 1.0]
        await page.press("0")
        await page.replace("Is friendly", "Is very friendly")
        assert page.criteria()["point:1"].startswith("● 100 before this edit: Names the lease")
        assert "1 verdict before this edit" in page.head()
        await page.press("J")
        assert "before this edit" not in page.criteria()["point:1"]


# --- Before anything is sent


async def test_before_a_run_a_wrong_cap_is_told_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    async with opened(tmp_path, RIVERS, at="Which river") as page:
        await page.choose(ModelSource("openai:gpt-99"))
        await page.hit("f5")
        asked = await page.asked("api.openai.com · new recipient")
        for dollars in ("much", "-1", "inf", "nan", "1"):
            asked.field("#dollars").value = dollars
            await asked.choose("send")
            await page.until(lambda: asked.wrong)
            assert asked.is_there
        assert asked.wrong == "A cap in dollars does not count openai:gpt-99: set a cap in requests as well."
        asked.field("#dollars").value, asked.field("#requests").value = "0.50", "200"
        await page.reply("escape")
        assert page.shown is None
    assert Cap(Settings.load().cap.dollars, Settings.load().cap.requests) == Cap(None, None)


async def test_a_plan_that_is_only_shown_keeps_the_cap_and_sends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    async with opened(tmp_path, RIVERS, at="Which river") as page:
        await page.choose(ModelSource("openai:gpt-4o-mini"))
        await page.do("plan")
        asked = await page.asked("openai:gpt-4o-mini answers: gets the prompt's messages · 1 request")
        assert asked.ids == ["send"]
        asked.field("#dollars").value, asked.field("#requests").value = "0.50", "200"
        await asked.choose("send")
        await page.answered()
        assert not page.runs.state.runs
    assert (Settings.load().cap.dollars, Settings.load().cap.requests) == (0.5, 200)
    assert Settings.load().consented == []


async def test_each_choice_before_a_run_is_a_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    decisions: list[RunDecision | None] = []

    async def ask() -> None:
        new = RunQuestion(planned("openai:x"), Cap(), ("api.openai.com",), (), 0.5)
        decisions.append(await DialogHost(page.app).ask(new))

    async with opened(tmp_path, RUBRIC) as page:
        for choice in ("send", "remember", "stay"):
            page.app.run_worker(ask())
            asked = await page.asked("openai:x")
            await asked.choose(choice)
            await page.answered()
    assert [each and each.remembered for each in decisions] == [False, True, None]


async def test_a_service_is_asked_or_not_by_the_choice_of_its_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-of-a-test-123")
    async with opened(tmp_path, CAPITALS.format(host="127.0.0.1:9"), at="What is the capital") as page:
        await page.hit("f5")
        asked = await page.asked("The service facts on this machine (127.0.0.1:9) gets the answer")
        assert "It is on this machine: allow it only if you know this service." in asked.text
        assert [each.split()[0] for each in asked.choices] == ["Ask", "Do"]
        await page.reply("down", "enter")
        assert page.extents == [1.0, None, None]


# --- In the result


async def test_f_on_a_criterion_mends_the_blueprint(tmp_path: Path) -> None:
    quoted = RUBRIC.replace("$icontains: 30 days", "\"$icontains: '30 days'\"")
    async with opened(tmp_path, quoted, keys=("f5",)) as page:
        await page.select("point:0")
        await page.hit("f", until=lambda: "- $icontains: '30 days'" in page.text)


async def test_changes_that_are_tried_are_applied_as_one_step_of_undo_or_dropped(tmp_path: Path) -> None:
    beside(tmp_path / "x.yml").write_text(WHAT_IF_CASES, "utf-8")
    async with opened(tmp_path, WHAT_IF, at="ideal", keys=("f5", "ctrl+r", "i", "o")) as page:
        assert "changes" in page.head() or "1 change" in page.head()
        await page.press("escape")
        assert (page.place, page.text) == (Place.RESULT, WHAT_IF)
        await page.press("i")
        await page.select("point:0")
        await page.press("5", "right")
        await page.select("point:1")
        await page.press("o", "a")
        after = "    - text: Names the lease\n      weight: 1.25\n    # - $contains: 3rd   # the day\n"
        assert (page.place, after in page.text) == (Place.RESULT, True)
        await page.press("ctrl+z")
        assert (page.place, page.text) == (Place.RESULT, WHAT_IF)


CLOSEST = text_file("closest.yml")


async def test_a_point_in_words_names_its_closest_sentence_without_a_number_and_lights_it_up_and_no_check_does(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, CLOSEST, at="Who says", keys=("f5", "ctrl+r")) as page:
        await page.select("point:0")
        await page.until(lambda: "closest sentence" in page.detail())
        (line,) = [line for line in page.detail().splitlines() if "closest" in line]
        assert line.strip() == "closest sentence  ⟦The old lease says so.⟧"
        assert not any(each.isdigit() or each in "%≈" for each in line)
        assert (page.extents, page.bounds) == ([None, 1.0], (0.5, 1.0))  # the score does not know of it
        await page.press("ctrl+r")
        assert (page.lit(), page.is_closest()) == (["The old lease says so."], True)
        await page.select("point:1")
        assert "closest" not in page.detail()
        await page.show("Answer")
        assert not page.is_closest()
        await page.replace("Names the old lease", "Names the new statute")
        await page.show("Text")
        await page.select("point:0")
        await page.until(lambda: "So does the new statute." in page.detail())


# --- Runs are begun together, so many at once, and stopped together; without a terminal


MANY = AT_ONCE + 3


class Queued:
    """Runs that last until `go_on` is set, and what was begun and changed of them."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended = 0
        self.go_on = asyncio.Event()
        self.newest: dict[str, Run] = {}
        self.faults: list[BaseException] = []
        self.tasks = Tasks(self.faults.append)
        self.queue = RunQueue(self.tasks, self._went_on, self._all_ended)

    def _went_on(self, run: Run, _event: Event | None) -> None:
        self.newest[run.prompt.id] = run

    def _all_ended(self) -> None:
        self.ended += 1

    async def evaluate(self, run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
        self.begun.append(run.prompt.id)
        waiting = [asyncio.create_task(event.wait()) for event in (self.go_on, stop)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        yield Failed("It ended.", stopped=stop.is_set())

    async def all_begun(self, count: int) -> None:
        while len(self.begun) < count:
            await asyncio.sleep(0)

    async def all_over(self) -> None:
        await self.tasks.settle()


def runs(count: int) -> Sequence[Run]:
    text = "".join(f"- id: p{number}\n  prompt: x\n" for number in range(count))
    prompts = parse(text).blueprint.prompts
    candidate = Candidate(WrittenSource("x"), Variant())
    return [Run(PromptPlace.of(Path("a.yml"), each), each, "", candidate) for each in prompts]


async def test_what_waits_is_never_begun_after_a_stop() -> None:
    bench = Queued()
    bench.queue.start(runs(MANY), bench.evaluate)
    await bench.all_begun(AT_ONCE)
    bench.queue.stop()
    await bench.all_over()
    assert len(bench.begun) == AT_ONCE


async def test_nothing_begins_while_others_go_on() -> None:
    bench = Queued()
    bench.queue.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.queue.start(runs(2), bench.evaluate)
    bench.go_on.set()
    await bench.all_over()
    assert bench.begun == ["p0", "p1"]


async def test_of_what_is_abandoned_nothing_is_told() -> None:
    bench = Queued()
    bench.queue.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.tasks.close()
    await bench.all_over()
    assert (bench.ended, bench.queue.is_running) == (0, False)


# --- *Repeat this prompt…* on the screen: two numbers and a consent are asked for, then the variation is shown


async def test_repeats_are_asked_for_and_shown(tmp_path: Path, httpserver: HTTPServer) -> None:
    bench = Bench(httpserver)
    async with opened(tmp_path, bench.blueprint()) as page:
        page.judged()
        await page.choose(ModelSource("own:steady"))
        page.screen.editor.go_to(page.analysis.starts[0])
        await page.settle()
        await page.do("repeat")
        await (await page.asked("How often is the prompt answered")).fill("2")
        await (await page.asked("How often does each judge")).fill("2")
        await page.asked("Send: ")
        await page.hit("enter", asks="100.0 over 2 answers: 100.0, 100.0")
        await page.reply("escape")
        await page.do("repeat")
        await page.asked("Show the last result")
        await page.hit("enter", asks="100.0 over 2 answers: 100.0, 100.0")
    assert bench.sent["steady"] == 2
