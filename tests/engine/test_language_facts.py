"""What changes with time, answers that are not given, polarity, and two demands in one criterion."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic
from engine.parsing import parse
from engine.rules import Checker, check
from engine.rules.language.faults_and_virtues import forbidden_virtue, wanted_fault
from engine.rules.language.missing_answers import missing_answer
from engine.rules.language.moments import stale_in, stale_in_ideal
from engine.rules.language.two_demands import two_demands
from engine.rules.registry import rule_named
from tests.engine.rule_reports import found, only, should
from tests.processor_time import costs_less_than
from tests.thoroughness import tried


def selected(text: str, slug: str) -> list[Diagnostic]:
    rule = rule_named(slug)
    assert rule is not None
    return list(Checker([rule]).check(parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Follows the latest WHO guideline",
        "Uses the figure of the most recent census",
        "Names the current president of Ruritania",
        "Gives up-to-date prices",
        "As of today, names the leader",
        "Names the incumbent mayor",
        "States today's exchange rate",
        "Says which version is currently the newest",
        "Names the reigning champion",
        "Names the winner of the last World Cup",
        "Mentions this month's inflation",
        "Names the oldest living person",
        "States what a stamp costs now",
        "Names the party in power",
        "Gives the price at present",
    ],
)
def test_what_changes_without_a_date_is_stale(text: str) -> None:
    assert stale_in(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Defines current as flow of charge",
        "Names the president as of 2024, the current one",
        "Advises to check the latest guideline",
        "Asks about the user's current status",
        "Says that the current information is insufficient",
        "Mentions the latest novel of the author",
        "Acknowledges how the user feels right now",
        "Says what the user should do now",
        "Names the last king of Romania",
        "Gives the serving size",
        "Refers the user to the current rate",
        "Sagt, welche die latest guideline der Behörde ist und was sie sagt",
    ],
)
def test_what_is_dated_or_belongs_to_the_user_is_not_stale(text: str) -> None:
    assert stale_in(text) is None


def test_an_ideal_is_stale_only_where_it_names_what_is_the_current_one() -> None:
    texts = [
        "The town is small. Ines Mota is currently the mayor.",
        "Almonds grow there. California is currently the leading state for them.",
        "You feel lost right now, at current rates.",
    ]
    assert [stale_in_ideal(text) for text in texts] == ["is currently the mayor", None, None]


def test_a_stale_fact_with_a_source_is_fine() -> None:
    assert found(should("{text: Names the current president, citation: Constitution}"), "stale-fact") == []


def test_the_stale_words_are_quoted_and_underlined() -> None:
    text = should("Follows the latest WHO guideline")
    report = only(text, "stale-fact")
    assert (report.span.of(text), "“the latest WHO guideline”" in report.message) == ("the latest WHO guideline", True)


@pytest.mark.parametrize(
    "text",
    [
        "Gives the correct dose.",
        "Names the right year",
        "Correctly identifies the author",
        "States the exact number of days",
    ],
)
def test_an_answer_that_is_wanted_and_not_given_is_found(text: str) -> None:
    assert missing_answer(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "States the correct answer, 42.2 km",
        "Gives the correct dose of 5 mg",
        "Correctly names Burkina Faso",
        "Explains the right to silence",
        "Corrects the year",
        "Gives the right of reply",
        "Nennt die right Antwort und die correct Zahl",
    ],
)
def test_an_answer_that_is_given_is_fine(text: str) -> None:
    assert missing_answer(text) is None


@pytest.mark.parametrize("text", ["Invents a court ruling", "The response insults the user", "Should misquote the law"])
def test_a_wanted_fault_is_found(text: str) -> None:
    assert wanted_fault(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Does not invent a ruling",
        "Avoids insulting the user",
        "Says who invented it",
        "Mock exams are named",
        "Refuses",
    ],
)
def test_a_fault_that_is_negated_or_content_is_fine(text: str) -> None:
    assert wanted_fault(text) is None


@pytest.mark.parametrize(
    "text", ["Politely declines the request", "Is helpful", "The answer accurately states the dose"]
)
def test_a_forbidden_virtue_is_found(text: str) -> None:
    assert forbidden_virtue(text) is not None


@pytest.mark.parametrize(
    "text",
    ["Is too polite", "Clearly states that she is to blame, without asking", "Does not politely decline", "Is rude"],
)
def test_a_fault_in_a_virtue_is_fine(text: str) -> None:
    assert forbidden_virtue(text) is None


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("Explains the right to silence and offers to find a lawyer", ("explains", "offers")),
        ("Lists three causes and compares them with those of 1914", ("lists", "compares")),
        ("Should name the court and then ask the user for the day", ("name", "ask")),
        ("Names the fee and clearly states that it is due", ("names", "states")),
    ],
)
def test_two_demands_are_found_with_both_verbs(text: str, verbs: tuple[str, str]) -> None:
    demands = two_demands(text)
    assert demands is not None
    assert (demands.first, demands.second) == verbs


@pytest.mark.parametrize(
    "text",
    [
        "Names the day and the place",
        "Says that he came and left the place",
        "Names causes and effects of the war",
        "Explains how to ask and offer a plea",
        "Says 'stop and ask the court'",
        "Offers to write and send the letter",
        "Does not name the fee and ask the user",
    ],
)
def test_one_demand_with_two_objects_or_a_clause_is_fine(text: str) -> None:
    assert two_demands(text) is None


@pytest.mark.parametrize("slug", ["answer-not-given", "polarity", "double-barrelled"])
def test_rules_whose_precision_is_not_shown_are_off(slug: str) -> None:
    text = should("Gives the correct dose", "Invents a ruling and gives the date", "Names the fee and asks the user")
    usual = {one.slug for one in check(parse(text))}
    assert (slug in usual, len(selected(text, slug)) > 0) == (False, True)


HOSTILE = [
    each * 3_000 for each in ("the latest ", "as of ", "gives the correct ", "and names the ", "accurately ", "x-y ")
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    with costs_less_than(1):
        for read in (stale_in, stale_in_ideal, missing_answer, wanted_fault, forbidden_virtue, two_demands):
            read(f"Names {text}")


PARTS = st.sampled_from(
    ["the latest", "guideline", "as of today", "gives", "the correct", "dose", "invents", "a ruling", "politely",
     "declines", "and", "asks", "the user", "is currently the", "2024", ",", ".", "'", "é", "\n", "is", "helpful"]
)  # fmt: skip


@settings(max_examples=tried(50, 200))
@given(st.lists(PARTS, max_size=10).map(" ".join))
def test_whatever_is_written_places_lie_within_the_text(text: str) -> None:
    places = [place for read in (stale_in, missing_answer, wanted_fault, forbidden_virtue) if (place := read(text))]
    demands = two_demands(text)
    places += [] if demands is None else [(demands.start, demands.end)]
    assert all(0 <= start < end <= len(text) for start, end in places)
