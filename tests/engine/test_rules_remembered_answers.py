"""What rules remember of V8's answers: the same question only, and only what would be answered so again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from engine.functions.tasks import Budget, Killed, Outcome, ScriptTask, SyntaxTask, Task, TimedOut, Value
from engine.functions.v8 import JavaScript
from engine.rules.checks import CachedRunner


@dataclass
class Answering:
    """Answers every task with `outcome`, and counts them."""

    outcome: Outcome
    asked: list[Task] = field(default_factory=list[Task])

    def run_within(
        self, tasks: Sequence[Task], budget: Budget, meanwhile: Callable[[], None] | None = None
    ) -> list[Outcome | None]:
        self.asked += tasks
        return [self.outcome] * len(tasks)


@pytest.mark.parametrize(
    "source",
    [
        r"\u0072 === 'x'",
        "eval('con' + 'text').a === 'x'",
        "[]['fla' + 't']['const' + 'ructor']('return con' + 'text.a')() === 'x'",
        "const {context: seen} = globalThis; seen.a === 'x'",
    ],
)
def test_a_script_that_reaches_what_it_is_given_by_another_name_is_run_again(source: str) -> None:
    with JavaScript() as javascript:
        rules = CachedRunner(javascript)
        given = [ScriptTask(source, (("r", value), ("context", {"a": value}))) for value in "xy"]
        assert [rules.run([task]) for task in given] == [[Value("boolean", True)], [Value("boolean", False)]]


@pytest.mark.parametrize("outcome", [Killed("it was stopped"), Killed("it used too much memory"), TimedOut(30_000)])
def test_what_the_machine_failed_is_asked_again(outcome: Outcome) -> None:
    behind = Answering(outcome)
    task = SyntaxTask(f"a script that meets {outcome}")
    CachedRunner(behind).run([task])
    CachedRunner(behind).run([task])
    assert behind.asked == [task, task]


@pytest.mark.parametrize("outcome", [Value("boolean", True), TimedOut(100)])
def test_what_would_be_answered_so_again_is_not(outcome: Outcome) -> None:
    behind = Answering(outcome)
    task = SyntaxTask(f"a script that is answered by {outcome}")
    CachedRunner(behind).run([task])
    CachedRunner(behind).run([task])
    assert behind.asked == [task]
