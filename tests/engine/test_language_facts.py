"""What changes with time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.language.moments import stale_in, stale_in_ideal
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


HOSTILE = [each * 3_000 for each in ("the latest ", "as of ", "gives the correct ", "x-y ")]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    with costs_less_than(1):
        for read in (stale_in, stale_in_ideal):
            read(f"Names {text}")


PARTS = st.sampled_from(
    ["the latest", "guideline", "as of today", "gives", "the correct", "dose", "invents", "a ruling", "politely",
     "declines", "and", "asks", "the user", "is currently the", "2024", ",", ".", "'", "é", "\n", "is", "helpful"]
)  # fmt: skip


@settings(max_examples=tried(50, 200))
@given(st.lists(PARTS, max_size=10).map(" ".join))
def test_whatever_is_written_places_lie_within_the_text(text: str) -> None:
    place = stale_in(text)
    assert place is None or 0 <= place[0] < place[1] <= len(text)
