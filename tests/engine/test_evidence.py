"""What a check finds: matches, groups, list entries, nearest misses and arguments that differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import FunctionCall
from engine.evidence.passages import (
    closest_sentence,
    closest_substring,
    nearest_miss,
    quotes_found,
    sentences,
)
from engine.evidence.prompt_evidence import evidence_lines, evidence_of
from engine.functions.point_function import SearchTraits, Subject, Target
from engine.functions.v8 import JavaScript
from engine.judging.judge_prompt import MOST_DRAFTED, circularity, drafted_digest, remembered
from engine.parsing import parse
from engine.scoring.assessment import ChangedPart
from engine.study.criterion_counts import MetBy, met_by, met_by_text
from engine.text.record import replace
from engine.yaml.nodes import Data
from tests.engine.builders import assessed, prompt, text
from tests.engine.short_cases import assert_lines_say, assert_says
from tests.many_cases import every

# What a check finds: matches, groups, list entries, nearest misses and arguments that differ


TEXT, WORD = SearchTraits(Target.TEXT), SearchTraits(Target.WORD)


def lines(javascript: JavaScript, name: str, args: Data, answer: str) -> list[str]:
    (found,) = evidence_of([FunctionCall(name, args)], Subject(answer), javascript)
    return [] if found is None else list(evidence_lines(found, answer))


def shown(javascript: JavaScript, mark: str, answer: str) -> Iterator[str]:
    """What a check, `{NAME: ARGUMENT}` in JSON, is shown to have found in an answer."""
    [(name, args)] = json.loads(mark).items()
    yield from lines(javascript, name, args, answer)


def test_what_a_check_found_is_shown_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("evidence_cases.txt"), partial(shown, javascript), pytestconfig)


WORDS = st.text(alphabet="aábB1 -’'ß\u0130", max_size=12)


@given(WORDS, WORDS)
def test_a_miss_is_a_place_in_the_answer(wanted: str, answer: str) -> None:
    found = nearest_miss(wanted, answer, TEXT)
    assert found is None or 0 <= found.within.start <= found.span.start < found.span.end <= found.within.end <= len(
        answer
    )


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, character in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, there in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != there))
    return row[-1]


SHORT = st.text(alphabet="ab", min_size=1, max_size=8)


@given(SHORT, SHORT)
def test_the_closest_substring_has_the_least_edit_distance(wanted: str, text: str) -> None:
    parts = {text[start:end] for start in range(len(text) + 1) for end in range(start, len(text) + 1)}
    found = closest_substring(wanted, text, len(wanted))
    assert found is not None
    least = min(distance(wanted, part) for part in parts)
    span, far = found
    assert (far, distance(wanted, span.of(text))) == (least, least)


def test_a_long_answer_is_searched_in_the_time_of_a_keystroke() -> None:
    assert closest_substring("proportionate", "x" * 50_000, 3) is None


def test_more_matches_than_evidence_holds_are_counted(javascript: JavaScript) -> None:
    assert lines(javascript, "contains", "a", "a " * 40)[-1] == "and 35 more"


def test_beyond_the_most_that_evidence_holds_the_count_is_a_lower_bound(javascript: JavaScript) -> None:
    assert lines(javascript, "contains", "a", "a " * 900)[-1] == "and at least 195 more"


ANSWER = "The measure must be *lawful* and necessary.\nIt names Article 19."


@every(
    ("reflection", "found"),
    [
        ("It says “lawful and necessary”, so it is met.", ["lawful* and necessary"]),
        ('The answer states "names article 19."', ["names Article 19"]),
        ("Quote: 'must be lawful ... names Article 19'", ["must be *lawful", "names Article 19"]),
        ("It doesn't say that the author's law is met.", []),
        ("The criterion “names a covenant” is not met.", []),
    ],
)
def test_quotes_of_judges_are_found_in_the_answer(reflection: str, found: list[str]) -> None:
    assert [span.of(ANSWER) for span in quotes_found([reflection], ANSWER)] == found


def test_a_quote_of_two_judges_is_one_place() -> None:
    assert len(quotes_found(["“lawful and necessary”", "“LAWFUL and necessary.”"], ANSWER)) == 1


# The closest sentence of an answer for a criterion: a place in the text, and no number


COURT = "Mentions the county court"


def test_of_a_very_long_answer_no_sentence_is_closest() -> None:
    assert closest_sentence(COURT, "The county court. " * 4_000) is None


@given(st.lists(st.sampled_from(["The county court.", "A court!", "County.", "Hello?"]), max_size=6).map(" ".join))
def test_the_closest_sentence_is_one_of_the_answer(answer: str) -> None:
    assert closest_sentence(COURT, answer) in {*sentences(answer), None}


# How many other models meet a point, where that points, and rubrics drafted from their ideal


TWO = prompt([text("A"), text("B")])


def test_each_model_counts_where_its_verdict_is_known() -> None:
    models = [assessed(TWO, each) for each in ([1.0, None], [0.5, 0.0], [0.25, 0.0])]
    assert met_by(models, assessed(TWO, [1.0, None]), 2) == (MetBy(2, 3, ideal=True), MetBy(0, 2, ideal=None))


def test_a_verdict_that_is_carried_over_is_not_known() -> None:
    carried = tuple(replace(each, carried_over=(ChangedPart.CRITERIA,)) for each in assessed(TWO, [1.0, 1.0]))
    assert met_by([carried], None, 2) == (MetBy(0, 0), MetBy(0, 0))


def test_evidence_points_somewhere_only_where_it_agrees(pytestconfig: pytest.Config) -> None:
    def told(line: str) -> list[str]:
        *found, is_met = json.loads(line)
        return [met_by_text(MetBy(*found), is_met=is_met)]

    assert_lines_say(Path(__file__).parent / "line_cases" / "evidence-of-other-models.txt", told, pytestconfig)


SOURCE = "- prompt: x\n  ideal: y\n  should:\n    - Names the notice\n    - Says when\n    - $contains: z\n"


def test_drafted_criteria_are_recognised_by_their_wording() -> None:
    some = parse(SOURCE).blueprint.prompts[0]
    drafted = {drafted_digest(some, "Names  the notice"), drafted_digest(some, "Another")}
    assert circularity(some, drafted).startswith("circular: 1 of 3 criteria was drafted from the ideal")
    reworded = parse(SOURCE.replace("the notice", "a notice")).blueprint.prompts[0]
    assert circularity(reworded, drafted) == ""


def test_the_criteria_of_another_prompt_are_not_drafted() -> None:
    some, other = (parse(each).blueprint.prompts[0] for each in (SOURCE, SOURCE.replace("prompt: x", "prompt: w")))
    assert circularity(other, {drafted_digest(some, "Says when")}) == ""


def test_the_sentence_says_that_all_of_a_rubric_was_drafted() -> None:
    some = parse(SOURCE.replace("    - $contains: z\n", "")).blueprint.prompts[0]
    drafted = {drafted_digest(some, text) for text in ("Names the notice", "Says when")}
    assert circularity(some, drafted) == (
        "circular: all criteria were drafted from the ideal, so its score says little about the rubric"
    )


def test_only_the_newest_are_remembered() -> None:
    kept = remembered([str(number) for number in range(MOST_DRAFTED)], ["1", "new"])
    assert (len(kept), kept[-1], kept[0]) == (MOST_DRAFTED, "new", "1")
