"""Rules about patterns: what is unescaped, bounded, slow, or never matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Checked, Subject
from engine.functions.tasks import Budget, Killed, Outcome, ScriptTask, SyntaxTask, Task, TimedOut, Value
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules.checker import Checker
from engine.rules.checks import CachedRunner
from engine.rules.functions.literal_forms import plain_form
from tests.engine.rule_reports import HEAD, fixed, found, should
from tests.many_cases import every
from tests.thoroughness import tried

# ascii-boundary


@pytest.mark.parametrize(("answer", "score"), [("un café noir", True), ("deux cafés", False)])
def test_the_edge_that_is_offered_knows_accents(answer: str, score: bool, javascript: JavaScript) -> None:
    from engine import functions
    from engine.functions.point_function import Checked, Subject

    after = parse(fixed(should(r"$matches: '(?:un|deux) café\b'"), "ascii-boundary"))
    call = after.blueprint.prompts[0].points()[0].function
    assert call is not None
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    assert bool(result.extent) is score


# Literals that a right answer misses by its format alone


SLUG = "format-fragile-literal"


def asked(point: str, prompt: str = "q", ideal: str = "") -> str:
    written = f"  ideal: |\n    {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: {prompt}\n{written}  should:\n    - Says it\n    - {point}\n"


FORMS = [("30 days", "30 **days**"), ("1967-1970", "1967–1970"), ("KES 5000", "KES 5,000"), ("don't", "don’t"),
         ("x=5", "x = 5"), ("50%", "50 %"), ("CO2", "CO₂")]  # fmt: skip


@every(("literal", "form"), FORMS)
@every("name", ["contains", "icontains"])
def test_the_pattern_that_is_offered_finds_both_forms(
    name: str, literal: str, form: str, javascript: JavaScript
) -> None:
    after = parse(fixed(asked(f"${name}: {literal}", ideal=f"It is {form}."), SLUG))
    call = after.blueprint.prompts[0].points()[1].function
    assert isinstance(call, FunctionCall)
    for answer in (literal, form):
        [result] = functions.run([call], Subject(f"Say {answer} now"), javascript)
        assert isinstance(result, Checked)
        assert result.extent == 1


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(max_size=40))
def test_a_plain_form_has_a_place_for_each_character_and_is_plain(text: str) -> None:
    plain = plain_form(text)
    assert len(plain.text) == len(plain.places)
    assert list(plain.places) == sorted(plain.places)
    assert all(0 <= place < len(text) for place in plain.places)
    assert "  " not in plain.text


# js-syntax, js-returns


def test_what_a_script_was_told_of_stays_without_being_run_again(javascript: JavaScript) -> None:
    checker = Checker()
    parsed = parse(should("$js: '\"text\"'"))
    told = [one.slug for one in checker.check(parsed, javascript)]
    assert [one.slug for one in checker.check(parsed)] == told


# definitions are told of where they stand


# Characters inside literals and ids that are not seen, or not typed: no-break spaces, joiners, curly quotes


INVISIBLE = "invisible-character"


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8))
def test_a_fix_leaves_no_unseen_character(text: str) -> None:
    before = f"{HEAD}  should:\n    - b\n    - $contains: {json.dumps('a' + text + 'z', ensure_ascii=False)}\n"
    for _ in found(before, INVISIBLE):
        assert found(fixed(before, INVISIBLE), INVISIBLE) == []


# What rules remember of V8's answers: the same question only, and only what would be answered so again


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


@every(
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


@every("outcome", [Killed("it was stopped"), Killed("it used too much memory"), TimedOut(30_000)])
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
