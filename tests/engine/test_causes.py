"""The causes of problems: what is one cause, what it is called, and that no problem is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.rules.causes import by_cause
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import replace
from engine.text.spans import Span
from tests.checked_corpus import checked_corpus
from tests.many_cases import every
from tests.world import needs_shared


def problem(
    message: str, code: str = "S1", severity: Severity = Severity.WARNING, *, flagged: bool = False
) -> Diagnostic:
    return Diagnostic(code, "rule", severity, Span(0, 1), message, "why", flagged)


def shown(*messages: str) -> list[tuple[str, int]]:
    return [(cause.message, len(cause.reports)) for cause in by_cause([problem(message) for message in messages])]


@every(
    "other",
    [
        problem("“a” is short", "S2"),
        problem("“a” is short", severity=Severity.HINT),
        problem("“a” is short", severity=Severity.ERROR),
        problem("“a” is short", flagged=True),
        problem("“a” is long"),
        problem("4 is short"),
    ],
)
def test_another_cause_has_a_row_of_its_own(other: Diagnostic) -> None:
    assert [cause.reports for cause in by_cause([problem("“a” is short")] * 3 + [other])] == [(0, 1, 2), (3,)]


@every(
    ("reasons", "shared"),
    [
        (("It costs 5 points.", "It costs 5 points.", "It costs 5 points."), "It costs 5 points."),
        (("It costs 5 points.", "It costs 12 points.", "It costs 9 points."), "It costs 5 to 12 points."),
        (("It costs 5 points.", "It costs nothing.", "It costs 5 points."), ""),
    ],
)
def test_a_repeated_cause_gives_the_reason_that_all_share(reasons: tuple[str, ...], shared: str) -> None:
    (cause,) = by_cause([replace(problem("“a” is short"), why=why) for why in reasons])
    assert cause.why == shared


AUTHORS_WORDS = st.text(st.characters(exclude_characters="“”\0", exclude_categories=["Cs"]), max_size=20)
AMOUNTS = st.integers(0, 1000) | st.floats(0, 100).map(lambda number: round(number, 1))
MESSAGES = st.builds(lambda words, amount: f"“{words}” earns {amount} of 100", AUTHORS_WORDS, AMOUNTS)


@given(st.lists(MESSAGES, min_size=3))
def test_whatever_the_author_wrote_the_cause_is_one(messages: list[str]) -> None:
    assert [count for _, count in shown(*messages)] == [len(messages)]


@needs_shared
def test_over_the_corpus_each_problem_is_in_one_row_with_its_own_rule_and_level() -> None:
    for _, found in checked_corpus():
        causes = by_cause(found)
        assert sorted(number for cause in causes for number in cause.reports) == list(range(len(found)))
        for cause in causes:
            assert {(found[number].code, found[number].severity) for number in cause.reports} == {cause.key[:2]}
