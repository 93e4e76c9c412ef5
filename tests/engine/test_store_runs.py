"""Runs are kept as they go, and are found again with what they scored then."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import Stop, StopReason, Variant
from engine.evaluation.events import (
    Delta,
    Event,
    Failed,
    JudgingBegan,
    Responded,
    Response,
    Scored,
    ThreadTurn,
)
from engine.evaluation.headline import Remark
from engine.evaluation.sources import (
    Candidate,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.judging.judge_runner import JudgeAnswered
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason, Verdict
from engine.models.chat import ChatRequest, Turn
from engine.parsing import parse
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PastRun, PromptPlace, RunState, Store, StoreUnavailable, recorded, rubric_digest
from engine.text.record import replace
from tests.many_cases import every

PLACE = PromptPlace("a.yml", "p1")
MODEL = Candidate(ModelSource("openai:m"), Variant(1, 0.7, suffix="[temp:0.7]"))
IDEAL = Candidate(IdealSource())
RUBRIC = """\
- id: p1
  prompt: x
  should:
    - Is kind
    - - Is brief
      - $contains: x
"""


def prompt_of(text: str) -> Prompt:
    return parse(text).blueprint.prompts[0]


PROMPT = prompt_of(RUBRIC)
ANSWER = Response("Hello.", (ThreadTurn(Role.ASSISTANT, "Hello.", generated=True),), "m", 1.5)
OPEN = explain(PROMPT, [Assessment(placed) for placed in place(PROMPT)])
SAID = Judgement(
    PanelJudge("one", "here:m", Approach.STANDARD),
    "Is kind",
    (Attempt(ChatRequest("m", (Turn(Role.USER, "Is it kind?"),)), "CLASS_ABSENT", Verdict(0.0, None, "No.")),),
    "this machine",
)
SILENT = replace(SAID, attempts=(Attempt(SAID.last.request, "", NoVerdict(Reason.EMPTY, "answered nothing")),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "studio.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as opened:
        yield opened


async def follow(store: Store, *events: Event, stop: asyncio.Event | None = None) -> list[Event]:
    """What is heard of a run of these events that is kept in `store`."""
    troubles: list[StoreUnavailable] = []
    told = recorded(stream(*events), store, PLACE, PROMPT, MODEL, stop=stop, on_error=troubles.append)
    heard = [event async for event in told]
    assert not troubles
    return heard


async def stream(*events: Event) -> AsyncGenerator[Event]:
    for event in events:
        yield event


def scored(score: float, low: float, high: float) -> Scored:
    return Scored(ANSWER, (), replace(OPEN, score=score, bounds=Bounds(low, high)))


def only(store: Store) -> PastRun:
    [run] = store.past_runs(PLACE)
    return run


async def test_a_run_is_kept_with_its_answer_and_what_it_scored(store: Store) -> None:
    events = Responded(ANSWER), scored(0.375, 0.25, 0.5)
    assert await follow(store, *events) == list(events)
    run = only(store)
    assert (run.state, run.score, run.bounds) == (RunState.SCORED, 0.375, Bounds(0.25, 0.5))
    assert str(run.headline) == "25–50, 0 of 3 criteria judged"
    assert run.candidate.key == "openai:m[temp:0.7]"
    assert run.candidate.label == MODEL.label
    assert run.rubric == rubric_digest(PROMPT)
    assert run.ended is not None
    assert run.ended >= run.began
    assert store.past_response(run.number) == ANSWER


async def test_the_remarks_of_a_headline_are_kept_with_the_run(store: Store) -> None:
    turn = ThreadTurn(Role.ASSISTANT, "Yes, bec", generated=True, stop=Stop(StopReason.LENGTH))
    cut = Response("Yes, bec", (turn,))
    await follow(store, Responded(cut), replace(scored(1.0, 1.0, 1.0), response=cut))
    [run] = store.past_runs(PLACE)
    assert run.remarks == ((Remark.CUT_OFF, 1),)


def test_a_remark_of_a_later_version_is_passed_over(store: Store) -> None:
    store.end_run(store.begin_run(PLACE, IDEAL, ""), RunState.SCORED, explanation=OPEN)
    with store.writing() as connection:
        connection.execute("""UPDATE run SET remarks = '{"cut-off": 1, "of-tomorrow": 3}'""")
    assert store.past_runs(PLACE)[0].remarks == ((Remark.CUT_OFF, 1),)


async def test_runs_come_newest_first_after_a_restart_and_each_prompt_has_its_own(store: Store, path: Path) -> None:
    await follow(store, Responded(ANSWER), scored(0.25, 0.25, 0.25))
    await follow(store, Responded(ANSWER), scored(0.75, 0.75, 0.75))
    store.close()
    again = Store(path)
    assert [run.score for run in again.past_runs(PLACE)] == [0.75, 0.25]
    assert not again.past_runs(PromptPlace("a.yml", "p2"))
    assert not again.past_runs(PromptPlace("b.yml", "p1"))


async def test_the_scores_of_each_candidate_are_told_from_its_earliest_to_its_newest(store: Store) -> None:
    for score in (0.25, 0.5):
        await follow(store, Responded(ANSWER), scored(score, score, score))
    store.end_run(store.begin_run(PLACE, IDEAL, ""), RunState.SCORED, explanation=replace(OPEN, score=1.0))
    store.end_run(store.begin_run(PLACE, MODEL, ""), RunState.FAILED)
    found = store.past_runs(PLACE).scores()
    assert [(each.newest.candidate.key, each.scores) for each in found] == [
        ("ideal", (1.0,)),
        (MODEL.key, (0.25, 0.5)),
    ]


def test_runs_are_listed_the_newest_first(store: Store) -> None:
    numbers = [store.begin_run(PLACE, MODEL, "") for _ in range(5)]
    runs = store.past_runs(PLACE)
    assert [run.number for run in runs[1:3]] == [numbers[3], numbers[2]]


def test_the_newest_runs_alone_know_how_many_there_are(store: Store) -> None:
    numbers = [store.begin_run(PLACE, MODEL, "") for _ in range(5)]
    newest = store.past_runs(PLACE, 2)
    assert ([run.number for run in newest], newest.total) == ([numbers[4], numbers[3]], 5)


async def test_a_run_that_failed_is_kept_with_its_words_and_what_had_arrived(store: Store) -> None:
    partial = replace(ANSWER, complete=False)
    await follow(store, Delta(0, "Hello."), Failed("It failed.", "why", "Do this.", partial))
    run = only(store)
    assert (run.state, run.error_message, run.answered) == (RunState.FAILED, "It failed. why Do this.", True)
    assert store.past_response(run.number) == partial


async def test_a_run_that_was_stopped_is_told_from_one_that_failed(store: Store) -> None:
    stop = asyncio.Event()
    stop.set()
    await follow(store, Failed("Stopped."), stop=stop)
    assert only(store).state is RunState.STOPPED


async def test_judges_that_were_stopped_leave_the_score_and_bounds_so_far(store: Store) -> None:
    stop = asyncio.Event()
    stop.set()
    await follow(store, Responded(ANSWER), replace(scored(0.5, 0.0, 1.0), judged=True), stop=stop)
    run = only(store)
    assert (run.state, run.score, run.bounds) == (RunState.STOPPED, 0.5, Bounds(0.0, 1.0))


async def test_while_a_run_goes_on_what_it_has_is_on_disk(store: Store, path: Path) -> None:
    events = recorded(
        stream(Responded(ANSWER), JudgingBegan(scored(0.5, 0.0, 1.0), (0,)), scored(1.0, 1.0, 1.0)),
        store,
        PLACE,
        PROMPT,
        MODEL,
        on_error=print,
    )
    async with aclosing(events):
        await anext(events)
        await anext(events)
        run = only(Store(path))
        assert (run.state, run.score) == (RunState.RUNNING, 0.5)
        assert store.past_response(run.number) == ANSWER


async def test_a_run_that_is_closed_before_its_end_keeps_what_had_arrived(store: Store) -> None:
    events = recorded(stream(Delta(0, "Hel"), Delta(0, "lo")), store, PLACE, PROMPT, MODEL, on_error=print)
    async with aclosing(events):
        await anext(events)
        await anext(events)
    run = only(store)
    assert (run.state, run.answered) == (RunState.STOPPED, True)
    assert store.past_response(run.number) == Response("Hello", (), complete=False)


async def test_pieces_that_stream_in_are_kept_while_they_do(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.SECONDS_BETWEEN_SAVES", 0.0)
    events = recorded(stream(Delta(0, "One"), Delta(1, "Two")), store, PLACE, PROMPT, MODEL, on_error=print)
    async with aclosing(events):
        await anext(events)
        await anext(events)
        kept = Store(path).past_response(only(store).number)
        assert kept is not None
        assert kept.subject == "One\n\nTwo"


async def test_the_verdicts_of_a_run_are_found_by_their_criteria(store: Store) -> None:
    store.save_judgement(SAID)
    await follow(store, Responded(ANSWER), JudgeAnswered(0, SAID), JudgeAnswered(1, SILENT), scored(0.0, 0.0, 0.0))
    number = only(store).number
    assert store.past_judgements(number) == (SAID, SILENT)
    assert store.past_judgements(number + 1) == ()


async def test_a_judge_asked_again_changes_no_earlier_run(store: Store) -> None:
    later = replace(SAID, attempts=(replace(SAID.attempts[0], reading=Verdict(1.0, None, "After all.")),))
    await follow(store, Responded(ANSWER), JudgeAnswered(0, SAID), scored(0.0, 0.0, 0.0))
    await follow(store, Responded(ANSWER), JudgeAnswered(0, later), scored(1.0, 1.0, 1.0))
    newest, earlier = store.past_runs(PLACE)
    assert store.past_judgements(earlier.number) == (SAID,)
    assert store.past_judgements(newest.number) == (later,)
    assert store.judgement(SAID.key) == later


async def test_verdicts_from_before_are_kept_with_the_run_that_has_them(store: Store) -> None:
    all_judged = replace(scored(0.0, 0.0, 0.0), verdicts={0: Consensus((SAID,))}, judged=True)
    await follow(store, Responded(ANSWER), all_judged)
    assert store.past_judgements(only(store).number) == (SAID,)


async def test_trouble_with_the_database_is_told_once_and_stops_no_run(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE run_judge_reply; DROP TABLE run;")
    told: list[StoreUnavailable] = []
    events = Responded(ANSWER), scored(1.0, 1.0, 1.0)
    heard = recorded(stream(*events), store, PLACE, PROMPT, MODEL, on_error=told.append)
    assert [event async for event in heard] == list(events)
    assert len(told) == 1


# Interruption


def test_a_run_of_a_program_that_is_gone_was_interrupted(store: Store, path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom tests.engine.test_store_runs import MODEL, PLACE\n"
        "from engine.store import Store\nStore(Path(sys.argv[1])).begin_run(PLACE, MODEL, '')\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert only(store).state is RunState.INTERRUPTED


def test_a_run_of_another_studio_that_lives_goes_on(store: Store, path: Path) -> None:
    store.begin_run(PLACE, MODEL, "")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET process = ?", (os.getppid(),))
    assert only(store).state is RunState.RUNNING


def test_a_run_of_an_earlier_program_with_our_number_was_interrupted(store: Store, path: Path) -> None:
    store.begin_run(PLACE, MODEL, "")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET began = '2001-01-01T00:00:00.000+00:00'")
    assert only(store).state is RunState.INTERRUPTED


async def test_many_threads_write_one_database(store: Store) -> None:
    await asyncio.gather(*(follow(store, Responded(ANSWER), scored(1.0, 1.0, 1.0)) for _ in range(40)))
    assert len(store.past_runs(PLACE)) == 40


# What is kept of a candidate and a rubric

TEXTS = st.text(st.characters(exclude_categories=()))
SOURCES = st.one_of(
    st.just(IdealSource()),
    st.sampled_from(ControlKind).map(ControlSource),
    st.builds(FixtureSource, TEXTS.map(Path), st.none() | TEXTS),
    st.builds(ModelSource, TEXTS.filter(bool), st.none() | st.just("http://127.0.0.1:8080/v1")),
)


@given(TEXTS, TEXTS, SOURCES, st.none() | st.floats(0, 2), TEXTS, TEXTS)
def test_every_run_comes_back_as_it_was(
    blueprint: str, prompt: str, source: IdealSource, temperature: float | None, answer: str, words: str
) -> None:
    place = PromptPlace(blueprint, prompt)
    candidate = Candidate(source, Variant(0, temperature, suffix="[sp_idx:1]"))
    response = Response(answer, (ThreadTurn(Role.ASSISTANT, answer, generated=True),))
    number = IN_MEMORY.begin_run(place, candidate, "")
    IN_MEMORY.save_run_answer(number, place, candidate, response)
    IN_MEMORY.end_run(number, RunState.FAILED, error_message=words)
    run = IN_MEMORY.past_runs(place)[0]
    assert (run.number, run.candidate.key, run.error_message) == (number, candidate.key, words)
    assert run.candidate.source == source
    assert IN_MEMORY.past_response(number) == response


def test_an_authors_answer_is_kept_once_as_the_answer(store: Store) -> None:
    number = store.begin_run(PLACE, Candidate(WrittenSource("My own words.")), "")
    assert store.past_runs(PLACE)[0].candidate.key == "response"
    assert store.past_runs(PLACE)[0].number == number


def test_a_password_in_an_address_is_not_kept(store: Store, path: Path) -> None:
    store.begin_run(PLACE, Candidate(ModelSource("m", "https://me:hunter2@host/v1?key=hunter2")), "")
    store.close()
    assert b"hunter2" not in b"".join(each.read_bytes() for each in path.parent.iterdir())


@every(
    "other",
    [
        RUBRIC.replace("Is kind", "Is rude"),
        RUBRIC.replace("    - Is kind", "    - text: Is kind\n      weight: 2"),
        RUBRIC.replace("$contains: x", "$contains: y"),
        RUBRIC.replace("$contains: x", "$contains"),
        RUBRIC.replace("    - - Is brief", "    - Is brief").replace("      - $c", "    - $c"),
        RUBRIC.replace("should:", "should_not:"),
    ],
)
def test_a_rubric_that_scores_otherwise_has_another_digest(other: str) -> None:
    assert rubric_digest(prompt_of(other)) != rubric_digest(PROMPT)


def test_what_no_score_depends_on_leaves_the_digest_as_it_is() -> None:
    other = RUBRIC.replace("  prompt: x", "  prompt: x\n  ideal: y").replace("    - Is kind", "\n    - 'Is kind'")
    assert rubric_digest(prompt_of(other)) == rubric_digest(PROMPT)


IN_MEMORY = Store(Path(":memory:"))
