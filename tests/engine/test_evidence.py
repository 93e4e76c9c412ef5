"""What a check finds: matches, groups, list entries, nearest misses and arguments that differ."""

from __future__ import annotations

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
from tests.many_cases import every

# What a check finds: matches, groups, list entries, nearest misses and arguments that differ


TEXT, WORD = SearchTraits(Target.TEXT), SearchTraits(Target.WORD)


def lines(javascript: JavaScript, name: str, args: Data, answer: str) -> list[str]:
    (found,) = evidence_of([FunctionCall(name, args)], Subject(answer), javascript)
    return [] if found is None else list(evidence_lines(found, answer))


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


def test_every_match_of_a_text_is_listed_with_the_words_around_it(javascript: JavaScript) -> None:
    assert lines(javascript, "contains", "law", "the law of law") == ["the ⟦law⟧ of law", "the law of ⟦law⟧"]


def test_more_matches_than_evidence_holds_are_counted(javascript: JavaScript) -> None:
    assert lines(javascript, "contains", "a", "a " * 40)[-1] == "and 35 more"


def test_beyond_the_most_that_evidence_holds_the_count_is_a_lower_bound(javascript: JavaScript) -> None:
    assert lines(javascript, "contains", "a", "a " * 900)[-1] == "and at least 195 more"


def test_a_word_is_matched_by_its_boundaries(javascript: JavaScript) -> None:
    assert lines(javascript, "contains_word", "law", "lawful law") == ["lawful ⟦law⟧"]


def test_the_groups_of_a_pattern_are_named_or_numbered(javascript: JavaScript) -> None:
    found = lines(javascript, "matches", r"(?<day>\d+)(st|nd|rd)?( of May)?", "On the 3rd.")
    assert found == ["On the ⟦3rd⟧.   groups day: “3” · 2: “rd” · 3: –"]


def test_a_pattern_without_groups_lists_its_matches(javascript: JavaScript) -> None:
    assert lines(javascript, "imatches", "LAW", "the law") == ["the ⟦law⟧"]


def test_a_pattern_that_cannot_run_has_no_miss(javascript: JavaScript) -> None:
    assert lines(javascript, "matches", "(law", "the laws") == []


def test_a_pattern_that_finds_nothing_shows_what_is_most_similar(javascript: JavaScript) -> None:
    assert lines(javascript, "matches", r"proportional\b", "It is proportionate.") == [
        "most similar is “proportionate”"
    ]


def test_each_entry_of_a_list_is_found_or_missed(javascript: JavaScript) -> None:
    found = lines(javascript, "contains_all_of", ["lawful", "Necessary", "covenant"], "It is lawful and necessary.")
    assert found == [
        "● “lawful” once",
        "  It is ⟦lawful⟧ and necessary.",
        "○ “Necessary” not found",
        "  found “necessary”, which differs in upper and lower case",
        "○ “covenant” not found",
    ]


def test_the_number_of_an_at_least_check_is_no_entry(javascript: JavaScript) -> None:
    found = lines(javascript, "contains_at_least_n_of", [2, ["one", "two"]], "one")
    assert found == ["● “one” once", "  ⟦one⟧", "○ “two” not found"]


def test_the_negated_twin_shows_what_it_found(javascript: JavaScript) -> None:
    assert lines(javascript, "not_contains", "law", "the law") == ["the ⟦law⟧"]


CALL = 'TOOL_CALL {"name": "search", "arguments": {"q": "rent", "filters": {"year": 2019, "tags": ["a", "b"]}}}'
FAR = 'TOOL_CALL {"name": "search", "arguments": {"x": 1}}'


def arguments(javascript: JavaScript, where: Data, answer: str) -> list[str]:
    return lines(javascript, "tool_args_match", {"name": "search", "where": where}, answer)


def test_the_arguments_that_differ_are_those_of_the_nearest_call(javascript: JavaScript) -> None:
    where: Data = {"q": "rent", "filters": {"year": 2020, "tags": ["a", "c"]}, "limit": 5}
    assert arguments(javascript, where, f"{FAR}\n{CALL}") == [
        "argument filters.year is 2019, wanted 2020",
        'argument filters.tags.1 is "b", wanted "c"',
        "argument limit is missing, wanted 5",
    ]


def test_an_argument_of_another_shape_differs_as_a_whole(javascript: JavaScript) -> None:
    assert arguments(javascript, {"q": {"text": "rent"}}, CALL) == ['argument q is "rent", wanted {"text": "rent"}']


def test_no_argument_differs_where_a_call_matches(javascript: JavaScript) -> None:
    assert arguments(javascript, {"q": "rent"}, f"{FAR}\n{CALL}") == []


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


DEPOSIT = "Says that the deposit must be protected in a scheme"
COURT = "Mentions the county court"
CLOSE_ANSWER = (
    "Bake the cake. A judge of the county court can hear it. Your money has to be held in a **protection** scheme."
)


def closest(criterion: str, answer: str) -> str | None:
    found = closest_sentence(criterion, answer)
    return None if found is None else found.of(answer)


@every(
    ("criterion", "answer", "sentence"),
    [
        (DEPOSIT, CLOSE_ANSWER, "Your money has to be held in a **protection** scheme."),
        (COURT, CLOSE_ANSWER, "A judge of the county court can hear it."),
        ("Names three leases in Paraná", "None.\n\n- The lease: 3, from Parana.\n", "The lease: 3, from Parana."),
        ("Называет старое дерево", "Привет. Это старое дерево.", "Это старое дерево."),
    ],
)
def test_the_sentence_that_shares_the_rarest_words_is_closest(criterion: str, answer: str, sentence: str) -> None:
    assert closest(criterion, answer) == sentence


def test_a_word_that_stands_in_few_sentences_counts_more() -> None:
    answer = "The county court sits here. The county court sits there. A deposit scheme of the court."
    assert closest("A court of the county keeps the deposit in a scheme", answer) == "A deposit scheme of the court."


def test_of_two_that_are_as_close_the_first_is_shown() -> None:
    assert closest(COURT, "A county court. The county court.") == "A county court."


@every(
    "answer",
    [
        "The court.",
        "Mentions that which others mention.",
        "Bake the cake.",
        " … ",
        "The county court. " * 4000,
    ],
)
def test_with_fewer_than_two_shared_rare_words_there_is_none(answer: str) -> None:
    assert closest(COURT, answer) is None


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


@every(
    ("found", "is_met", "said"),
    [
        (
            MetBy(6, 8, True),
            False,
            "evidence: 6 of 8 other models meet this and the ideal meets it, so look at the answer",
        ),
        (MetBy(0, 8), False, "evidence: 0 of 8 other models meet this, so look at the rubric"),
        (MetBy(0, 8, True), False, "evidence: 0 of 8 other models meet this and the ideal meets it"),
        (MetBy(0, 0, False), False, "evidence: the ideal does not meet it, so look at the rubric"),
        (MetBy(3, 8), False, "evidence: 3 of 8 other models meet this"),
        (MetBy(1, 1), True, "evidence: 1 of 1 other model meets this"),
        (MetBy(0, 0), False, ""),
    ],
)
def test_evidence_points_somewhere_only_where_it_agrees(found: MetBy, is_met: bool, said: str) -> None:
    assert met_by_text(found, is_met=is_met) == said


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
