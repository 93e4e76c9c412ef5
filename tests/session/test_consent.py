"""Before anything is sent: every recipient is asked about once, with what it receives, services before their calls."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from engine.asking.exchanges import Amount, Job, Requests
from engine.asking.planner import PlannedRuns, Wanted, plan
from engine.asking.run_plan import Part, RunPlan, Share, agreements, plan_lines
from engine.asking.spending import Cap
from engine.evaluation.sources import Candidate, IdealSource, ModelSource
from engine.files.user_settings import SavedCap, Settings
from engine.functions.v8 import JavaScript
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge, panel
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest, Usage
from engine.models.prices import OwnPrices, Price
from engine.models.provider_registry import resolve
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, Grade
from engine.scoring.sums import place
from engine.store import PromptPlace, Store
from engine.text.record import replace
from studio.session.evaluator import Cache, Evaluator, Launch
from studio.session.host import CriterionQuestion, RunDecision, RunQuestion, ServiceAnswer, ServiceQuestion
from studio.session.resources import SettingsFile
from studio.session.run import Run
from studio.session.run_consent import AuthorApproval, CriterionConsent
from studio.session.views.answer_cost import judges_cost
from tests.engine.provider_server import answers, said
from tests.held_replies import held
from tests.session.faces import Author, at_work
from tests.studio.blueprints import CAPITALS, RIVERS
from tests.studio.model_server import ModelServer


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "RIVER_KEY", "FACTS_KEY"):
        monkeypatch.setenv(name, "sk-of-a-test-123")


def planned(*models: str, judged: bool = False, prompts: int = 2) -> RunPlan:
    rivers = parse(RIVERS).blueprint
    jobs = [Job(prompt, ModelSource(model)) for prompt in rivers.prompts[:prompts] for model in models]
    judges = panel(rivers.header) if judged else None
    return plan(rivers, jobs, judges, providers=partial(resolve, custom=rivers.header.models))


def mini() -> RunPlan:
    return planned("openai:gpt-4o-mini")


OPENAI = "api.openai.com"


class Known(Wanted):
    """What is asked for, with this plan."""

    of: RunPlan | None = None

    async def plan(self, allowed: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        planned = await super().plan(allowed, keyless=keyless)
        planned.plan = self.of or planned.plan
        return planned


class Asking:
    """An author who is asked whether plans may run, and answers with one decision after the other."""

    def __init__(self, *decisions: RunDecision | None, **settings: Any) -> None:
        Settings(**settings).save()
        self.settings = SettingsFile()
        self.author = Author(*decisions)

    async def approves(self, of: RunPlan, *, many: bool = False) -> bool:
        blueprint = parse(RIVERS).blueprint
        jobs = [Job(prompt, IdealSource()) for prompt in blueprint.prompts[: 2 if many else 1]]
        approved = await AuthorApproval(self.author, self.settings).approve(Known(blueprint, jobs, of=of))
        return approved is not None and not approved.access.hosts

    @property
    def times(self) -> int:
        """How often the author was asked."""
        return len(self.author.asked)


SEND, REMEMBER = RunDecision(Cap()), RunDecision(Cap(), remembered=True)


async def test_a_new_recipient_is_asked_about_and_remembered_where_the_author_says_so() -> None:
    asking = Asking(REMEMBER)
    assert [await asking.approves(mini()), await asking.approves(mini())] == [True, True]
    assert (asking.times, Settings.load().consented) == (1, [OPENAI])


async def test_sending_once_asks_again_next_time() -> None:
    asking = Asking(SEND, SEND)
    assert [await asking.approves(mini()), await asking.approves(mini())] == [True, True]
    assert (asking.times, Settings.load().consented) == (2, [])


async def test_nothing_is_sent_unless_it_is_chosen() -> None:
    asking = Asking(None)
    assert not await asking.approves(planned("openai:gpt-4o-mini", judged=True))
    assert (asking.times, Settings.load().consented) == (1, [])


async def test_what_was_agreed_to_holds_for_that_kind_of_text_only() -> None:
    asking = Asking(SEND, consented=[OPENAI])
    assert await asking.approves(mini())
    assert asking.times == 0
    await asking.approves(planned("openai:gpt-4o-mini", judged=True))
    assert asking.times == 1


async def test_all_prompts_are_agreed_to_apart() -> None:
    asking = Asking(REMEMBER, consented=[OPENAI])
    assert [await asking.approves(mini(), many=True), await asking.approves(mini(), many=True)] == [True, True]
    assert (asking.times, Settings.load().consented) == (1, [OPENAI, f"{OPENAI} · all prompts"])


async def test_a_secret_in_a_header_is_agreed_to_by_its_name() -> None:
    assert agreements(planned("school:river-guide"), many=False) == ("models.school.example (RIVER_KEY)",)


async def test_a_run_that_may_get_dear_is_asked_about_though_nobody_is_new() -> None:
    asking = Asking(SEND, consented=[OPENAI], ask_above=0.000_01)
    assert await asking.approves(mini())
    (question,) = asking.author.asked
    assert isinstance(question, RunQuestion)
    assert list(question.new) == []


async def test_nothing_is_asked_about_what_stays_here() -> None:
    asking = Asking()
    assert await asking.approves(planned("ollama:llama3"))
    assert asking.times == 0


async def test_the_cap_of_the_decision_is_kept() -> None:
    asking = Asking(RunDecision(Cap(0.5, 200)))
    assert await asking.approves(mini())
    assert Settings.load().cap == SavedCap(dollars=0.5, requests=200)


async def test_a_cap_in_dollars_alone_does_not_do_where_a_price_is_unknown() -> None:
    """It is asked about though nobody is new."""
    of = planned("openai:gpt-99")
    asking = Asking(SEND, consented=list(agreements(of, many=False)), cap=SavedCap(dollars=1.0))
    assert await asking.approves(of)
    assert asking.times == 1


# --- Plans that are only shown

TWO = """\
- {id: one, prompt: Which river flows through Paris?, ideal: The Seine., should: [Names it]}
- {id: two, prompt: Which river flows through Cairo?, ideal: The Nile., should: [Names it]}
"""


@pytest.mark.parametrize(("all_prompts", "requests"), [(False, "1 request"), (True, "2 requests")], ids=["one", "all"])
async def test_a_plan_can_be_looked_at_and_nothing_is_sent(tmp_path: Path, all_prompts: bool, requests: str) -> None:
    async with at_work(tmp_path, TWO, SEND) as face:
        await face.choose(ModelSource("openai:gpt-4o-mini"))
        await face.runs.preview(all_prompts=all_prompts)
        question = face.asked_to_send
        assert question.only_show
        assert f"openai:gpt-4o-mini answers: gets the prompt's messages · {requests}" in "\n".join(
            plan_lines(question.plan)
        )
        assert not face.runs.state.runs
    assert Settings.load().consented == []


async def test_what_was_answered_before_is_no_part_of_a_plan(tmp_path: Path, httpserver: HTTPServer) -> None:
    server = ModelServer(httpserver, lambda _: "The Seine.")
    async with at_work(tmp_path, TWO) as face:
        await face.choose(server.source())
        await face.f5()
        await face.runs.preview(all_prompts=True)
        found = face.asked_to_send.plan
        assert (found.requests.most, found.cached.answers, found.cached.answers_of) == (1, 1, 2)


# --- After a run


def run_judged_by(model: str, *, reused: bool = False) -> Run:
    """A run whose one judge was sent a million tokens."""
    prompt = parse(RIVERS).blueprint.prompts[0]
    request, reading = ChatRequest("x", ()), Verdict(1.0, None, "")
    attempt = Attempt(request, "", reading, usage=Usage(1_000_000, 0))
    judge = PanelJudge("one", model, Approach.STANDARD)
    judgement = Judgement(judge, "Names it", (attempt,), "somewhere", reused=reused)
    return Run(PromptPlace.of(None, prompt), prompt, "", Candidate(IdealSource()), judgements={0: (judgement,)})


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
    evaluator = Evaluator(Cache(Store, lambda error: pytest.fail(str(error))), JavaScript)
    launch = Launch(parse(RIVERS).blueprint, [replace(run, assessments=(verdict,))], None)
    (job,) = evaluator.wanted(launch).jobs
    assert job.settled == settled


# --- Services


@pytest.fixture
def asked(httpserver: HTTPServer) -> list[Request]:
    return answers(httpserver, said({"score": 0.5, "explain": "Half \x1b[31mof it is so."}))


def host_of(server: HTTPServer) -> str:
    return f"127.0.0.1:{server.port}"


def consent_to(server: HTTPServer) -> str:
    return f"service at this machine ({host_of(server)}) (FACTS_KEY)"


def capitals(server: HTTPServer) -> str:
    return CAPITALS.format(host=host_of(server))


FRANCE = "What is the capital"


async def test_before_the_first_call_the_host_and_the_variables_are_named_and_a_yes_is_remembered(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    async with at_work(tmp_path, capitals(httpserver), ServiceAnswer.ALWAYS, at=FRANCE) as face:
        await face.f5()
        (question,) = face.author.asked
        assert isinstance(question, ServiceQuestion)
        assert f"The service facts on this machine ({host_of(httpserver)}) gets the answer" in question.text
        assert "With it goes what is in FACTS_KEY." in question.text
        assert "It is on this machine" in question.text
        assert face.extents == [1.0, 0.5, None]
        await face.f5()
        assert len(face.author.asked) == 1
    assert [each.headers["X-Key"] for each in asked] == ["sk-of-a-test-123"] * len(asked)
    assert Settings.load().consented == [consent_to(httpserver)]


async def test_all_prompts_ask_once_about_one_host(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    async with at_work(tmp_path, capitals(httpserver), ServiceAnswer.ALWAYS, at=FRANCE) as face:
        await face.f6()
        assert [[each.extent for each in face.run_of(number).assessments] for number in (0, 1)] == [
            [1.0, 0.5, None],
            [0.5],
        ]
        assert (len(face.author.asked), len(asked)) == (1, 2)


async def test_a_host_that_is_refused_leaves_its_point_open(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    async with at_work(tmp_path, capitals(httpserver), ServiceAnswer.NEVER, None, at=FRANCE) as face:
        await face.f5()
        assert (face.extents, asked) == ([1.0, None, None], [])
    assert Settings.load().consented == []


async def test_to_turn_away_from_the_question_runs_nothing(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    async with at_work(tmp_path, capitals(httpserver), None, at=FRANCE) as face:
        await face.f5()
        assert (face.shown, asked) == (None, [])


async def test_a_verdict_stands_while_points_are_graded_and_the_rubric_is_edited(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    Settings(consented=[consent_to(httpserver)]).save()
    async with at_work(tmp_path, capitals(httpserver), at=FRANCE) as face:
        await face.f5()
        assert face.author.asked == []
        await face.grade(2, Grade.FULLY_PRESENT)
        assert face.extents == [1.0, 0.5, 1.0]
        await face.change("Names the river", "Names the rivers")
        assert (face.extents, len(asked)) == ([1.0, 0.5, None], 1)


async def test_f5_again_ends_a_call_at_once(tmp_path: Path) -> None:
    with HTTPServer(threaded=True) as server:
        Settings(consented=[consent_to(server)]).save()
        async with at_work(tmp_path, capitals(server), at=FRANCE) as face:
            with held(lambda: said({"score": 1})) as holding:
                server.expect_request("/check").respond_with_handler(holding)
                face.runs.run_or_stop()
                await face.until(holding.arrived.is_set)
                face.runs.run_or_stop()
                await face.until(lambda: not face.runs.queue.is_running)
            await face.settled()
            assert face.extents == [1.0, None, None]


async def test_a_new_model_and_a_new_service_are_one_question(tmp_path: Path) -> None:
    text = CAPITALS.format(host="facts.example").replace("http:", "https:")
    async with at_work(tmp_path, text, at=FRANCE) as face:
        await face.choose(ModelSource("openai:gpt-4o-mini"))
        await face.f6()
        question = face.asked_to_send
        assert sorted(question.new) == [OPENAI, "facts.example"]
        assert [(each.recipient, each.calls) for each in question.hosts] == [("facts.example", 2)]
        assert "FACTS_KEY" in "\n".join(plan_lines(question.plan))
        assert face.shown is None
    assert Settings.load().consented == []


@pytest.mark.parametrize(
    ("decision", "calls", "kept"),
    [(SEND, 2, False), (REMEMBER, 2, True), (RunDecision(Cap(), services=False), 0, False)],
    ids=["send", "remember", "apart"],
)
async def test_the_one_question_speaks_for_the_service_too(
    decision: RunDecision, calls: int, kept: bool, tmp_path: Path, httpserver: HTTPServer, asked: list[Request]
) -> None:
    Settings(ask_above=-1).save()
    with HTTPServer(threaded=True) as server:
        models = ModelServer(server, lambda _: "It is Paris.")
        text = capitals(httpserver).replace("title: Capitals\n", f"title: Capitals\nmodels: [{models.model('tiny')}]\n")
        async with at_work(tmp_path, text, decision, at=FRANCE) as face:
            await face.choose(ModelSource("own:tiny"))
            await face.f6()
            assert (len(models.bodies), len(asked)) == (2, calls)
    assert (consent_to(httpserver) in Settings.load().consented) is kept


# --- In the criterion loop: one consent covers the same recipients up to the amount that the author set


def turn_plan(recipient: str = "openrouter.ai", *, dollars: float | None = 0.1, requests: int = 6) -> RunPlan:
    """A plan of one judge that costs at most so much."""
    price, amount = (None, None) if dollars is None else (Price(1, 1), Amount(dollars / 2, dollars / 2, dollars))
    share = Share(
        Part.JUDGE,
        "judge",
        "x:judge",
        ("criteria",),
        recipient,
        Requests(requests, requests),
        price=price,
        dollars=amount,
    )
    return RunPlan(points=3, shares=(share,))


class Consent(CriterionConsent):
    """What was allowed, by plan."""

    last: PlannedRuns

    async def cap(self, of: RunPlan) -> Cap | None:
        """The cap of a turn that has this plan; None if it is not approved."""
        approved = await self.approve(Known(parse("").blueprint, (), of=of))
        if approved is None:
            return None
        self.last = approved
        return approved.spending.cap

    def spend(self, dollars: float, requests: int = 6) -> None:
        """Let the last turn send so much."""
        self.last.spending.dollars = dollars
        self.last.spending.requests = requests


def consent(*answers: Any) -> tuple[Consent, Author]:
    author = Author(*answers)
    return Consent(author, SettingsFile()), author


async def test_the_first_turn_asks_for_an_amount() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)))
    assert await given.cap(turn_plan()) == Cap(dollars=0.5)
    (asked,) = author.asked
    assert isinstance(asked, CriterionQuestion)
    assert (asked.new, asked.cap.dollars) == ({"openrouter.ai"}, 0.5)


async def test_later_turns_to_the_same_recipients_are_not_asked_about_and_have_what_is_left() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)))
    await given.cap(turn_plan())
    given.spend(0.125)
    assert await given.cap(turn_plan()) == Cap(dollars=0.375)
    assert len(author.asked) == 1


async def test_a_turn_that_may_exceed_the_amount_asks_again_with_what_was_spent() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)), RunDecision(Cap(dollars=1.0)))
    await given.cap(turn_plan())
    given.spend(0.45)
    assert await given.cap(turn_plan()) == Cap(dollars=0.55)
    assert author.asked[1].so_far == "6 requests, $0.45 so far of $0.50"  # pyright: ignore[reportAttributeAccessIssue]
    assert author.asked[1].cap.dollars == 1.0  # pyright: ignore[reportAttributeAccessIssue]


async def test_another_recipient_needs_a_consent_of_its_own() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)), None)
    await given.cap(turn_plan())
    assert await given.cap(turn_plan("api.example.com")) is None
    assert len(author.asked) == 2


async def test_without_consent_nothing_may_be_sent() -> None:
    given, _ = consent(None)
    assert await given.cap(turn_plan()) is None


@pytest.mark.parametrize("amount", [Cap(dollars=0.5), Cap()])
async def test_an_unknown_price_is_not_covered_by_dollars(amount: Cap) -> None:
    given, author = consent(RunDecision(amount), RunDecision(amount))
    await given.cap(turn_plan(dollars=None))
    await given.cap(turn_plan(dollars=None))
    assert len(author.asked) == 2


async def test_an_unknown_price_is_covered_by_a_number_of_requests() -> None:
    given, author = consent(RunDecision(Cap(requests=20)), None)
    await given.cap(turn_plan(dollars=None))
    given.spend(0.0)
    assert await given.cap(turn_plan(dollars=None)) == Cap(requests=14)
    given.spend(0.0, 12)
    assert await given.cap(turn_plan(dollars=None)) is None
    assert len(author.asked) == 2


async def test_what_stays_on_this_machine_needs_no_consent() -> None:
    given, author = consent()
    assert await given.cap(turn_plan("this machine (127.0.0.1)")) == Cap()
    assert author.asked == []
