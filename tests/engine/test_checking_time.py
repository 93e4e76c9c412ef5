"""What hostile patterns and scripts may cost one check, and what is said of those that it did not try."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.functions.tasks import Budget, Killed, ScriptTask, TimedOut, Value
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker, checks
from engine.rules.checks import CHECKING_SECONDS
from engine.rules.fixes import FixTrial
from engine.text.diagnostics import Diagnostic, Severity

ENDLESS = "for (;;) {}"
NUMBERS = itertools.count()
"""Makes each script one that was never run before, as the outcomes of all checks are remembered."""


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_patience(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKING_SECONDS", 0.25)


def scripts(count: int, source: str = ENDLESS) -> list[ScriptTask]:
    return [ScriptTask(source, ()) for _ in range(count)]


def endless(points: int, name: str = "a") -> str:
    listed = "".join(f"    - $js: '{ENDLESS} // {next(NUMBERS)}'\n" for _ in range(points))
    return f"- id: {name}\n  prompt: b\n  should:\n{listed}"


def untried(found: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [each for each in found if "not all patterns and scripts" in each.message]


def test_tasks_run_until_the_budget_is_used_up(javascript: JavaScript) -> None:
    budget = Budget(0.25)
    outcomes = javascript.run_within(scripts(10), budget)
    assert (outcomes[0], outcomes[-5:]) == (TimedOut(100), [None] * 5)
    assert -0.3 < budget.seconds <= 0


def test_tasks_that_the_budget_covers_all_run(javascript: JavaScript) -> None:
    budget = Budget(5)
    assert javascript.run_within(scripts(3, "1"), budget) == [Value("number", 1)] * 3
    assert 0 < budget.seconds < 5


def test_a_task_that_takes_the_process_down_is_paid_for(javascript: JavaScript) -> None:
    budget = Budget(0.05)
    outcomes = javascript.run_within(scripts(8, "const a = []; for (;;) a.push(new Array(1e6).fill(1))"), budget)
    assert isinstance(outcomes[0], Killed | TimedOut)
    assert outcomes[-1] is None
    assert budget.seconds <= 0


def test_one_report_says_where_trying_ended(javascript: JavaScript) -> None:
    text = endless(9) + endless(9, "b")
    (one,) = untried(Checker().check(parse(text), javascript))
    assert (one.slug, one.severity, one.span.start) == ("js-returns", Severity.WARNING, text.index("id: a"))


def test_the_next_check_tries_what_was_left(javascript: JavaScript) -> None:
    checker, parsed = Checker(), parse(endless(3))
    first, *_, last = (checker.check(parsed, javascript) for _ in range(10))
    assert untried(first)
    assert not untried(last)
    assert [each.slug for each in last if each.slug == "js-returns"] == ["js-returns"] * 3


def test_on_a_keystroke_the_report_stays(javascript: JavaScript) -> None:
    checker, parsed = Checker(), parse(endless(9))
    before = untried(checker.check(parsed, javascript))
    assert untried(checker.check(parsed)) == before != []


def test_definitions_count_too(javascript: JavaScript) -> None:
    defined = "".join(f"  d{n}: {{$js: '{ENDLESS} // {next(NUMBERS)}'}}\n" for n in range(9))
    found = Checker().check(parse(f"point_defs:\n{defined}---\n- id: a\n  prompt: b\n"), javascript)
    assert [each.span.start for each in untried(found)] == [0]


def test_a_fix_is_not_blamed_for_what_was_left_untried(javascript: JavaScript) -> None:
    trial = FixTrial(f"titel: x\n---\n{endless(12)}", None, javascript)
    (slip,) = (each for each in trial.diagnostics if each.slug == "unknown-key")
    assert trial.outcome(slip, slip.fixes[0]).objection == ""


def test_a_suppression_is_not_called_unused_by_a_rule_that_did_not_try_everything(javascript: JavaScript) -> None:
    text = f"{endless(9)}    - $js: '{ENDLESS}' # studio: ignore[js-returns]\n"
    found = Checker().check(parse(text), javascript)
    assert untried(found)
    assert [each.slug for each in found if each.slug == "unused-suppression"] == []


def test_the_time_of_a_check_is_what_is_promised() -> None:
    assert CHECKING_SECONDS < 1


def test_the_prompts_of_a_file_share_their_batches_for_v8(
    javascript: JavaScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    run = javascript.run_within
    monkeypatch.setattr(javascript, "run_within", lambda tasks, *rest: batches.append(len(tasks)) or run(tasks, *rest))
    prompts = [
        f"- id: p{number}\n  prompt: b\n  ideal: In {number} days.\n  should:\n    - $matches: ^\\d+ {next(NUMBERS)}\n"
        f"    - $js: r.length > {next(NUMBERS)}\n  should_not:\n    - $matches: fee|{next(NUMBERS)}\n"
        for number in range(3)
    ]
    Checker().check(parse("".join(prompts)), javascript)
    assert len(batches) == 2  # the second one after the answers of the first
