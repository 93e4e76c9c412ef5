"""Before a run: the dialog names every recipient, what it receives and what it costs, and holds the cap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from engine.asking.exchanges import Job
from engine.asking.planner import plan
from engine.asking.run_plan import RunPlan, agreements
from engine.asking.spending import Cap
from engine.evaluation.sources import Candidate, IdealSource, ModelSource
from engine.files.open_files import new_file
from engine.files.user_settings import SavedCap
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge, panel
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest, Usage
from engine.models.prices import OwnPrices, Price
from engine.models.provider_registry import resolve
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart
from engine.scoring.sums import place
from engine.store import PromptPlace
from engine.text.record import replace
from studio.session.allowed_services import NO_ACCESS
from studio.session.evaluator import job_of
from studio.session.questions import RunDecision, RunQuestion
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.session.run_consent import AuthorApproval
from studio.session.run_starts import Launch
from studio.session.views.figures import judges_cost
from studio.tui.app import Studio
from studio.tui.dialogs.before_run import BeforeRun
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.theme import DARK, THEMES
from tests.studio.driving import NARROW, WIDE, analysis_of, press, runs_of, see, settle, studio_on, wait_until

Snap = Callable[..., bool]

RIVERS = """\
title: Rivers
description: What pupils should know about rivers.
models:
  - id: school:river-guide
    url: https://models.school.example/v1/chat/completions
    modelName: river-guide
    inherit: openai
    headers: {Authorization: "Bearer ${RIVER_KEY}"}
evaluationConfig:
  llm-coverage:
    judges:
      - {id: strict, model: "openai:gpt-4o-mini", approach: standard}
      - {id: kind, model: "openrouter:qwen/qwen3-30b-a3b-instruct-2507", approach: holistic}
---
- {id: seine, prompt: Which river flows through Paris?, should: [Names the Seine, Is brief]}
- {id: nile, prompt: Which river flows through Cairo?, should: [Names the Nile]}
"""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "RIVER_KEY"):
        monkeypatch.setenv(name, "sk-of-a-test-123")


def planned(*models: str, judged: bool = True, prompts: int = 2) -> RunPlan:
    rivers = parse(RIVERS).blueprint
    jobs = [Job(prompt, ModelSource(model)) for prompt in rivers.prompts[:prompts] for model in models]
    judges = panel(rivers.header) if judged else None
    return plan(rivers, jobs, judges, providers=partial(resolve, custom=rivers.header.models))


class Asking:
    """The studio, and whether plans were approved."""

    def __init__(self) -> None:
        self.app = Studio(new_file(Path("rivers.yml"), RIVERS))
        self.answers: list[bool] = []

    async def ask(self, pilot: Pilot[Any], of: RunPlan, *, many: bool = False) -> None:
        """Ask whether it may run; wait until there is a dialog or an answer."""

        async def planned_runs(hosts: object, *, keyless: bool = False) -> Any:
            return SimpleNamespace(plan=of)

        async def asked() -> None:
            blueprint = parse(RIVERS).blueprint
            runs = [
                Run(PromptPlace("rivers.yml", prompt.id), prompt, "", 0, Candidate(IdealSource()))
                for prompt in blueprint.prompts[: 2 if many else 1]
            ]
            approval = AuthorApproval(DialogHost(self.app), self.app.resources.settings)
            approved = await approval.approve(Launch(blueprint, runs, None), planned_runs)
            self.answers.append(approved is not None and approved.access == NO_ACCESS)

        worker = self.app.run_worker(asked())
        await wait_until(pilot, lambda: worker.is_finished or self.dialog is not None)
        await pilot.pause()

    @property
    def dialog(self) -> BeforeRun | None:
        return self.app.screen if isinstance(self.app.screen, BeforeRun) else None


async def choose(pilot: Pilot[Any], id: str) -> None:
    options = pilot.app.screen.query_one(OptionList)
    options.focus()
    options.highlighted = options.get_option_index(id)
    await pilot.press("enter")
    await decided(pilot)


async def decided(pilot: Pilot[Any]) -> None:
    """Wait until the dialog took the decision and all that follows is done, or says what is wrong."""
    app = pilot.app

    def is_over() -> bool:
        if isinstance(app.screen, BeforeRun):
            return any("-shown" in each.classes for each in app.screen.query(".wrong"))
        return all(worker.is_finished for worker in app.workers)

    await wait_until(pilot, is_over)
    await pilot.pause()


async def test_a_new_recipient_is_asked_about_and_remembered_where_the_author_says_so() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
        assert asking.dialog is not None
        await choose(pilot, "remember")
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
        assert asking.answers == [True, True]
        assert asking.app.resources.settings.values.consented == ["api.openai.com"]


async def test_sending_once_asks_again_next_time() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        for _ in range(2):
            await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
            assert asking.dialog is not None
            await choose(pilot, "send")
        assert asking.answers == [True, True]
        assert asking.app.resources.settings.values.consented == []


@pytest.mark.parametrize("how", ["stay", "escape"])
async def test_nothing_is_sent_unless_it_is_chosen(how: str) -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("openai:gpt-4o-mini"))
        if how == "escape":
            await pilot.press("escape")
            await decided(pilot)
        else:
            await choose(pilot, how)
        assert (asking.answers, asking.app.resources.settings.values.consented) == ([False], [])


async def test_what_was_agreed_to_holds_for_that_kind_of_text_only() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        asking.app.resources.settings.values.consented = ["api.openai.com"]
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
        assert asking.answers == [True]
        await asking.ask(pilot, planned("openai:gpt-4o-mini"))
        assert asking.dialog is not None


async def test_all_prompts_are_agreed_to_apart() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        asking.app.resources.settings.values.consented = ["api.openai.com"]
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False), many=True)
        assert asking.dialog is not None
        await choose(pilot, "remember")
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False), many=True)
        assert asking.answers == [True, True]
        assert asking.app.resources.settings.values.consented == ["api.openai.com", "api.openai.com · all prompts"]


async def test_a_secret_in_a_header_is_agreed_to_by_its_name() -> None:
    assert list(agreements(planned("school:river-guide", judged=False), many=False)) == [
        "models.school.example (RIVER_KEY)"
    ]


async def test_a_run_that_may_get_dear_is_asked_about_though_nobody_is_new() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        asking.app.resources.settings.values.consented = ["api.openai.com"]
        asking.app.resources.settings.values.ask_above = 0.000_01
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
        assert asking.dialog is not None
        assert str(asking.dialog.query_one(".dialog").border_title) == "Before this run"


async def test_nothing_is_asked_about_what_stays_here() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("ollama:llama3", judged=False))
        assert asking.answers == [True]


async def test_the_cap_is_changed_in_the_dialog_and_kept() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("openai:gpt-4o-mini"))
        asking.app.screen.query_one("#dollars", Input).value = "0.50"
        asking.app.screen.query_one("#requests", Input).value = "200"
        await choose(pilot, "send")
        assert (
            asking.app.resources.settings.values.cap.dollars,
            asking.app.resources.settings.values.cap.requests,
        ) == (0.5, 200)


async def test_a_cap_in_dollars_alone_does_not_do_where_a_price_is_unknown() -> None:
    """It is asked about though nobody is new, and nothing is sent until requests are capped as well."""
    asking, of = Asking(), planned("openai:gpt-99", judged=False)
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        asking.app.resources.settings.values.consented = list(agreements(of, many=False))
        asking.app.resources.settings.values.cap = SavedCap(dollars=1.0)
        await asking.ask(pilot, of)
        await choose(pilot, "send")
        assert asking.dialog is not None
        wrong = str(asking.dialog.query_one(".wrong", Static).render())
        assert wrong == "A cap in dollars does not count openai:gpt-99: set a cap in requests as well."
        asking.dialog.query_one("#requests", Input).value = "5"
        await choose(pilot, "send")
        await wait_until(pilot, lambda: asking.answers == [True])


@pytest.mark.parametrize("wrong", ["much", "-1", "inf", "nan"])
async def test_a_cap_that_is_none_is_told_and_nothing_is_sent(wrong: str) -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("openai:gpt-4o-mini"))
        asking.app.screen.query_one("#dollars", Input).value = wrong
        await choose(pilot, "send")
        assert asking.dialog is not None
        assert asking.answers == []
        assert "-shown" in asking.dialog.query_one(".wrong").classes


# In the studio

TWO = """\
- {id: one, prompt: Which river flows through Paris?, ideal: The Seine., should: [Names it]}
- {id: two, prompt: Which river flows through Cairo?, ideal: The Nile., should: [Names it]}
"""


def shown(app: Studio) -> str:
    texts = (str(each.render()) for each in app.screen.query(Static))
    return " ".join(" ".join(texts).replace("\xa0", " ").split())


@pytest.mark.parametrize(
    ("action", "requests"), [("action_plan", "1 request"), ("action_plan_all", "2 requests")], ids=["one", "all"]
)
async def test_a_plan_can_be_looked_at_and_nothing_is_sent(tmp_path: Path, action: str, requests: str) -> None:
    app = studio_on(tmp_path / "two.yml", TWO)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("openai:gpt-4o-mini"),))
        getattr(screen, action)()
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert f"openai:gpt-4o-mini answers: gets the prompt's messages · {requests}" in shown(app)
        assert [option.id for option in app.screen.query_one(OptionList).options] == ["send"]
        await choose(pilot, "send")
        assert app.screen is screen
        assert not runs_of(screen).state.runs
        assert app.resources.settings.values.consented == []


async def test_what_was_answered_before_is_no_part_of_a_plan(tmp_path: Path, httpserver: HTTPServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "The Seine."}, "finish_reason": "stop"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"object": "chat.completion", "choices": [choice]}
    )
    app = studio_on(tmp_path / "two.yml", TWO)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("tiny", httpserver.url_for("/v1")),))
        await press(pilot, "f5")
        await settle(pilot)
        screen.action_plan_all()
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert "Requests 1 request Cached 1 of 2 answers is cached and not sent" in shown(app)


async def test_a_cap_ends_a_run_of_all_prompts_and_says_so(tmp_path: Path, httpserver: HTTPServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "The Seine."}, "finish_reason": "stop"}
    whole = {"object": "chat.completion", "choices": [choice]}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(whole)
    app = studio_on(tmp_path / "two.yml", TWO)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("tiny", httpserver.url_for("/v1")),))
        app.resources.settings.values.cap = SavedCap(requests=1)
        await press(pilot, "f6")
        runs = [runs_of(screen).selection.of(prompt) for prompt in analysis_of(screen).parsed.blueprint.prompts]
        failed = [run.failed.title for run in runs if run is not None and run.failed is not None]
        assert len(httpserver.log) == 1
        assert len(failed) == 1
        assert failed[0].startswith("The cap of 1 request is reached; ")


# After a run


def run_judged_by(model: str, *, reused: bool = False) -> Run:
    """A run whose one judge was sent a million tokens."""
    prompt = parse(RIVERS).blueprint.prompts[0]
    request, reading = ChatRequest("x", ()), Verdict(1.0, None, "")
    attempt = Attempt(request, "", reading, usage=Usage(1_000_000, 0))
    judge = PanelJudge("one", model, Approach.STANDARD)
    judgement = Judgement(judge, "Names it", (attempt,), "somewhere", reused=reused)
    return Run(PromptPlace.of(None, prompt), prompt, "", 0, Candidate(IdealSource()), judgements={0: (judgement,)})


@pytest.mark.parametrize(
    ("model", "reused", "told"),
    [
        ("openai:gpt-4o-mini", False, "$0.15"),
        ("openai:gpt-4o-mini", True, ""),
        ("openai:gpt-99", False, ""),
        ("school:river-guide", False, "$3.00"),
    ],
    ids=["listed", "kept from before", "not known", "the author's own price"],
)
def test_a_result_says_what_its_judges_cost(model: str, reused: bool, told: str) -> None:
    own = OwnPrices({"school:river-guide": Price(3.0, 0.0, is_own=True)})
    header = parse(RIVERS).blueprint.header
    assert judges_cost(run_judged_by(model, reused=reused), header, own) == told


@pytest.mark.parametrize(("changed", "settled"), [((), {0}), ((ChangedPart.CRITERIA,), set())])
def test_judging_again_plans_for_verdicts_that_are_carried_over(
    changed: tuple[ChangedPart, ...], settled: set[int]
) -> None:
    run = run_judged_by("openai:gpt-4o-mini")
    verdict = Assessment(place(run.prompt)[0], 1.0, AssessedBy.JUDGE, carried_over=changed)
    evaluating = SimpleNamespace(grades=lambda *_: {}, verdicts=lambda *_: ())
    header = parse(RIVERS).blueprint.header
    job = job_of(replace(run, assessments=(verdict,)), evaluating, header, None)  # pyright: ignore[reportArgumentType]
    assert job.settled == settled


# Pictures


class Alone(App[None]):
    """Nothing but the dialog: what is below it has pictures of its own."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK


def before(of: RunPlan, cap: Cap, new: set[str], shows: tuple[str, ...]) -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        decisions: list[RunDecision | None] = []
        pilot.app.push_screen(BeforeRun(RunQuestion(of, cap, new, (), 0.5)), decisions.append)
        await see(pilot, *shows)

    return run


def pictures() -> Iterator[Any]:
    for size in (WIDE, NARROW):
        yield pytest.param(size, id="wide" if size == WIDE else "narrow")


@pytest.mark.parametrize("size", pictures())
def test_one_model_and_nobody_else(snap_compare: Snap, size: tuple[int, int]) -> None:
    of = planned("openai:gpt-4o-mini", judged=False, prompts=1)
    run = before(of, Cap(), {"api.openai.com"}, ("api.openai.com", "1 request", "Send", "Do not send"))
    assert snap_compare(Alone(), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", pictures())
def test_models_judges_a_secret_and_an_unknown_price(snap_compare: Snap, size: tuple[int, int]) -> None:
    of = planned("openai:gpt-4o-mini", "school:river-guide")
    shows = ("models.school.example", "RIVER_KEY", "Do not send") + (("not known",) if size == WIDE else ())
    run = before(of, Cap(0.5, 200), {"models.school.example", "openrouter.ai"}, shows)
    assert snap_compare(Alone(), terminal_size=size, run_before=run)
