"""The causes of problems: what is one cause, what it is called, and that no problem is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
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


def test_names_in_backticks_belong_to_the_cause() -> None:
    assert shown("unknown key `a`", "unknown key `b`", "unknown key `c`") == [
        ("unknown key `a`", 1),
        ("unknown key `b`", 1),
        ("unknown key `c`", 1),
    ]


LEVELS = "".join(
    f"- id: p{count}\n  prompt: q\n  should:\n" + "".join(f"    - 'Score {n}: it is {n}'\n" for n in range(1, count))
    for count in (4, 5, 6)
)
NEGATIONS = "".join(
    f"- id: p{number}\n  prompt: q\n  should: [Names a court]\n  should_not:\n    - {text}\n"
    for number, text in enumerate(("It should not hedge", "The model must not give a dose", "Must never name Ann"))
)
NEGATED_CHECKS = "".join(
    f"- id: p{number}\n  prompt: q\n  should: [Names a court]\n  should_not:\n    - {name}: a guess\n"
    for number, name in enumerate(("$not_contains", "$not_icontains", "$not_matches"))
)
FORBIDDEN_PATHS = "".join(
    f"- id: p{count}\n  prompt: q\n  should_not:\n"
    + "".join(f"    - - Names place {n}\n      - Gives date {n}\n" for n in range(count))
    for count in (2, 3, 4)
)
PLACEHOLDERS = "".join(
    f"- id: p{number}\n  prompt: 'Compare {text} briefly.'\n  should: [Names a court]\n"
    for number, text in enumerate(("{{first}}", "{{first}} and {{second}}", "{{a1}}, {{b2}}, {{c3}}, {{d4}}, {{e5}}"))
)
DESCRIBED = "".join(
    f"- id: p{count}\n  prompt: q\n  ideal: A JSON object with two keys\n  should:\n"
    + "".join(f"    - $contains: place {n}\n" for n in range(count))
    for count in (1, 2, 3)
)
GIVEN_AWAY = "".join(
    f"- id: p{count}\n  prompt: q\n  should: [Names a court]\n  should_not:\n"
    + "".join(f"    - Names place {n}\n" for n in range(count))
    for count in (2, 3, 4)
)


@every(
    ("slug", "text"),
    [
        ("scale-as-points", LEVELS),
        ("double-negative", NEGATIONS),
        ("unfilled-placeholder", PLACEHOLDERS),
        ("double-negative", NEGATED_CHECKS),
        ("paths-in-should-not", FORBIDDEN_PATHS),
        ("vacuous-point", GIVEN_AWAY),
        ("ideal-fails", DESCRIBED),
    ],
)
def test_a_mistake_that_three_prompts_repeat_is_one_row(slug: str, text: str, javascript: JavaScript) -> None:
    found = [each for each in check(parse(text), javascript) if each.slug == slug]
    assert [cause.reports for cause in by_cause(found)] == [(0, 1, 2)]


def test_two_problems_of_one_cause_stay_two() -> None:
    assert shown("“a” is short", "“b” is short") == [("“a” is short", 1), ("“b” is short", 1)]


def test_causes_are_in_the_order_of_their_first_problem() -> None:
    assert shown("“a” is short", "alone", "“b” is short", "“c” is short", "alone too") == [
        ("“…” is short", 3),
        ("alone", 1),
        ("alone too", 1),
    ]


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
