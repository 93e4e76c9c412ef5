"""The harnesses under `tests/fire` are found and run by name, and a missed figure is an exit code."""

from __future__ import annotations

import asyncio
from types import ModuleType

import pytest

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Subject
from engine.functions.tasks import RegexTask
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from tests.fire import __main__ as fire
from tests.fire import latency
from tests.fire.figures import Figure, Figures, table
from tests.loop_io import watched_loop


def harness(*, met: bool | None) -> ModuleType:
    made = ModuleType("harness")
    made.__dict__.update(
        ROUNDS=7, run=lambda seed, rounds: Figures("harness", seed, rounds, (Figure("all", "0 lost", "0 lost", met),))
    )
    return made


def test_every_harness_says_how_often_it_runs() -> None:
    assert all(module.ROUNDS > 0 for module in fire.harnesses().values())


def test_a_harness_runs_with_its_own_rounds() -> None:
    (figures,) = fire.run({"harness": harness(met=True)}, 3, None)
    assert (figures.seed, figures.rounds) == (3, 7)


def test_a_harness_runs_with_the_rounds_given() -> None:
    (figures,) = fire.run({"harness": harness(met=True)}, 3, 2)
    assert (figures.seed, figures.rounds) == (3, 2)


@pytest.mark.parametrize(("met", "code"), [(True, 0), (None, 0), (False, 1)])
def test_a_missed_figure_is_the_exit_code(
    met: bool | None, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fire, "harnesses", lambda: {"harness": harness(met=met)})
    assert fire.main(["harness", "--seed", "5"]) == code
    assert "| harness | 5 | 7 | all | 0 lost | 0 lost |" in capsys.readouterr().out


def test_an_unknown_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        fire.main(["nothing"])
    assert "no harness nothing" in capsys.readouterr().err


def test_the_table_says_which_figure_was_missed() -> None:
    rows = table([Figures("h", 1, 2, (Figure("w", "3 ms", "≤ 1 ms", met=False),))]).splitlines()
    assert rows[2:] == ["| h | 1 | 2 | w | 3 ms | ≤ 1 ms | NO |"]


def test_the_files_of_the_attacks_are_typed_in_where_they_ought_to_be() -> None:
    texts = [situation.text for situation in latency.situations() if situation.text]
    assert {text.splitlines()[latency.TYPED_ROW - 1] for text in texts} == {"  prompt: Say it"}


def test_a_file_of_the_attacks_does_attack() -> None:
    (situation,) = (each for each in latency.situations() if each.name == "looping $js")
    with JavaScript() as javascript:
        found = check(parse(situation.text), javascript)
    assert "js-returns" in {each.slug for each in found}


def test_v8_on_the_event_loop_is_noticed() -> None:
    async def on_the_loop(javascript: JavaScript) -> None:
        functions.run([FunctionCall("matches", "^z")], Subject("z"), javascript)

    with JavaScript() as javascript, watched_loop() as seen:
        asyncio.run(on_the_loop(javascript))
    assert any("V8" in line for line in seen)


def test_v8_in_a_thread_is_not() -> None:
    with JavaScript() as javascript, watched_loop() as seen:
        asyncio.run(asyncio.to_thread(javascript.run, [RegexTask("a", "", "a")]))
    assert seen == []
