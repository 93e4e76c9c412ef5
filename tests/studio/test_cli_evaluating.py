"""Commands run prompts by the parts of the session; what they do apart from the studio."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.evaluation.sources import IdealSource, WrittenSource
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from studio.cli import batch_runs
from studio.cli.batch_runs import evaluate_all, failed, is_for_judges, runs_of
from studio.cli.judge_options import Counted
from studio.cli.limit_options import Limits, OptionsApproval
from studio.cli.service_options import Permissions
from studio.session.run_queue import RunQueue, _Batch
from studio.session.run_starts import Approved, Launch, Planner
from tests.studio.command_line import studio

FILE = Path("a.yml")
IN_WORDS = "- id: a\n  prompt: Where?\n  ideal: Paris\n  should:\n    - $contains: Paris\n    - Names the river\n"
GRADED = Criterion(Block.SHOULD, "Names the river")


def file_at(folder: Path, text: str = IN_WORDS) -> Path:
    path = folder / "a.yml"
    path.write_text(text, "utf-8")
    return path


def graded(path: Path, answer: str, grade: Grade) -> None:
    [prompt] = parse(path.read_text("utf-8")).blueprint.prompts
    Store().grade(PromptPlace.of(path, prompt), answer, GRADED, grade)


def launch_of(parsed: Parsed, *answers: str) -> Launch:
    sources = [WrittenSource(answer) for answer in answers]
    return Launch(parsed.blueprint, runs_of(FILE, parsed, parsed.blueprint.prompts, sources), None)


def test_the_author_s_grades_of_an_answer_count(tmp_path: Path) -> None:
    path = file_at(tmp_path)
    (tmp_path / "answer.txt").write_text("Paris", "utf-8")
    graded(path, "Paris", Grade.FULLY_PRESENT)
    done = studio("run", path, "--prompt", "a", "--response", tmp_path / "answer.txt")
    assert done.stdout.splitlines()[0].endswith(": 100.0")


def test_the_author_s_grades_of_an_ideal_tell_what_it_scores(tmp_path: Path) -> None:
    path = file_at(tmp_path)
    graded(path, "Paris", Grade.ABSENT)
    done = studio("run", path, "--control", "refusal")
    assert "the ideal scores 50.0 on this rubric" in done.stdout


def test_outcomes_stand_in_the_order_of_the_prompts_and_sources() -> None:
    parsed = parse("".join(f"- {{id: p{number}, prompt: x, should: [$contains: a]}}\n" for number in range(40)))
    evaluated = evaluate_all(launch_of(parsed, "a", "b"), OptionsApproval(Limits(), Permissions()), Counted())
    assert evaluated is not None
    assert [entry.prompt_key for entry in evaluated.entries] == [f"p{number // 2}" for number in range(80)]


def test_prompts_that_share_an_id_have_each_their_own_outcome(tmp_path: Path) -> None:
    text = "- {id: a, prompt: x, ideal: one, should: [$contains: one]}\n"
    path = file_at(tmp_path, text + text.replace("one", "two").replace("prompt: x", "prompt: y"))
    done = studio("run", path, "--ideal")
    assert done.stdout.splitlines()[:3] == ["a.yml · ideal: 100.0", "  a · ideal: 100.0", "  a#2 · ideal: 100.0"]


def test_a_dry_run_begins_nothing() -> None:
    approval = OptionsApproval(Limits(dry_run=True), Permissions())
    assert evaluate_all(launch_of(parse(IN_WORDS), "Paris"), approval, Counted()) is None


def test_an_interruption_before_anything_began_does_not_speak_of_answers() -> None:
    class Interrupted:
        async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris"), Interrupted(), Counted())


def test_an_interruption_ends_the_runs_before_the_loop_ends_what_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled_by_the_loop: list[int] = []

    async def run() -> None:
        connecting = asyncio.create_task(asyncio.Event().wait())
        try:
            await asyncio.Event().wait()
        finally:
            cancelled_by_the_loop.append(connecting.cancelling())
            connecting.cancel()

    def start(queue: RunQueue, *_: object) -> None:
        interrupted = asyncio.current_task()
        assert interrupted is not None
        queue._batch = _Batch(1, 1)
        queue._tasks.start("runs", run())
        asyncio.get_running_loop().call_later(0.01, interrupted.cancel)

    monkeypatch.setattr(RunQueue, "start", start)
    with pytest.raises(asyncio.CancelledError):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris"), OptionsApproval(Limits(), Permissions()), Counted())
    assert cancelled_by_the_loop == [0]


def test_a_fault_of_the_program_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_runs, "answer_marks", lambda _response: [][0])
    with pytest.raises(IndexError):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris", "Lyon"), OptionsApproval(Limits(), Permissions()), Counted())


def test_a_prompt_without_an_ideal_has_nothing_of_it_to_judge() -> None:
    parsed = parse(IN_WORDS.replace("  ideal: Paris\n", ""))
    runs = runs_of(FILE, parsed, parsed.blueprint.prompts, [IdealSource(), WrittenSource("Paris")])
    assert [is_for_judges(run) for run in runs] == [False, True]


def test_an_answer_that_is_not_there_has_failed(tmp_path: Path) -> None:
    parsed = parse(IN_WORDS.replace("  ideal: Paris\n", ""))
    launch = Launch(parsed.blueprint, runs_of(FILE, parsed, parsed.blueprint.prompts, [IdealSource()]), None)
    evaluated = evaluate_all(launch, OptionsApproval(Limits(), Permissions()), Counted())
    assert evaluated is not None
    assert [failed(entry) for entry in evaluated.entries] == [True]


def test_where_no_point_was_open_the_judges_are_told_to_have_been_asked_nothing(tmp_path: Path) -> None:
    checked = "- {id: b, prompt: x, ideal: y, should: [$contains: y]}\n"
    done = studio("run", file_at(tmp_path, IN_WORDS + checked), "--ideal", "--judge", "configured", "--details")
    assert [line.strip() for line in done.stdout.splitlines()][-3:] == [
        "judges",
        "no judge was asked: no point was open",
        "agreement: unknown, as no point has two verdicts",
    ]
