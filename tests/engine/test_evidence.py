"""What a check finds: matches, groups, list entries, nearest misses and arguments that differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import FunctionCall
from engine.evidence.passages import MissKind, closest_substring, nearest_miss, quotes_found
from engine.evidence.prompt_evidence import evidence_lines, evidence_of, miss_text
from engine.functions.point_function import SearchTraits, Subject, Target
from engine.functions.v8 import JavaScript
from engine.yaml.nodes import Data

TEXT, WORD = SearchTraits(Target.TEXT), SearchTraits(Target.WORD)
ANY_CASE = SearchTraits(Target.TEXT, ignores_case=True)


def lines(javascript: JavaScript, name: str, args: Data, answer: str) -> list[str]:
    (found,) = evidence_of([FunctionCall(name, args)], Subject(answer), javascript)
    return [] if found is None else list(evidence_lines(found, answer))


@pytest.mark.parametrize(
    ("wanted", "answer", "search", "text"),
    [
        ("Paraná", "The Paranáense basin", WORD, "found “Paraná” inside “Paranáense”"),
        ("cat", "concatenate", WORD, "found “cat” inside “concatenate”"),
        ("Yes", "I say Yes.", SearchTraits(Target.START), "found “Yes”, but not at the start"),
        ("home", "Back home it is.", SearchTraits(Target.END), "found “home”, but not at the end"),
        ("lawful", "It is Lawful.", TEXT, "found “Lawful”, which differs in upper and lower case"),
        ("Paraná", "The Parana river", TEXT, "found “Parana”, which differs in accents"),
        ("caf\u00e9", "a Cafe\u0301.", ANY_CASE, "found “Cafe”, which is stored in another form of Unicode"),
        ("cafe\u0301", "a caf\u00e9.", TEXT, "found “caf\u00e9”, which is stored in another form of Unicode"),
        ("são paulo", "Sao Paulo", ANY_CASE, "found “Sao Paulo”, which differs in accents"),
        ("don't", "They don’t pay.", TEXT, "found “don’t”, which differs in punctuation or spacing"),
        ("“fair” trial", 'a "fair" trial', TEXT, 'found `"fair" trial`, which differs in punctuation or spacing'),
        ("10000", "about 10,000 people", TEXT, "found “10,000”, which differs in punctuation or spacing"),
        ("fair trial", "a **fair** trial", TEXT, "found “fair** trial”, which differs in punctuation or spacing"),
        (
            "New York",
            "in new-york",
            TEXT,
            "found “new-york”, which differs in upper and lower case and in punctuation or spacing",
        ),
        ("covenants", "the covenant says", TEXT, "found “covenant”, which differs in singular and plural"),
        ("two parties", "a party; two party system", TEXT, "found “two party”, which differs in singular and plural"),
        ("30 days", "within thirty days", TEXT, "found “thirty days”, which differs in digits"),
        ("24 hours", "a case of twenty-four hours", TEXT, "found “twenty-four hours”, which differs in digits"),
        ("forty five", "after 45 days", TEXT, "found “45”, which differs in digits"),
        ("23rd", "on the Twenty-third", TEXT, "found “Twenty-third”, which differs in digits"),
        ("third", "on the 3rd", TEXT, "found “3rd”, which differs in digits"),
        ("1948", "in 1949", TEXT, "found “1949”, which differs in digits"),
        ("2 March 2024", "by 1 March 2024.", TEXT, "found “1 March 2024”, which differs in digits"),
        ("租賃合同", "租赁合同是出租人的合同。", TEXT, "found “租赁合同”, which differs by 1 character"),
        ("14 days", "within 30 days", TEXT, "found “30 days”, which differs in digits"),
        ("proportionate", "It is proportionnate.", TEXT, "found “proportionnate”, which differs by 1 character"),
        ("judgement", "the judgment stands", TEXT, "found “judgment”, which differs by 1 character"),
    ],
)
def test_the_nearest_miss_says_by_what_it_misses(wanted: str, answer: str, search: SearchTraits, text: str) -> None:
    found = nearest_miss(wanted, answer, search)
    assert found is not None
    assert miss_text(found, answer) == text


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("covenant", "Nothing of the sort."),
        ("", "x"),
        ("abc", ""),
        ("xy", "ab"),
        ("24 hours", "It takes hours."),
        ("colours", "their colourisation"),
    ],
)
def test_nothing_is_near_what_has_nothing_like_it(wanted: str, answer: str) -> None:
    assert nearest_miss(wanted, answer, TEXT) is None


def test_case_is_no_difference_where_it_is_ignored() -> None:
    found = nearest_miss("PARANÁ", "the parana", ANY_CASE)
    assert found is not None
    assert found.kinds == (MissKind.ACCENT,)


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


@pytest.mark.parametrize(
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
