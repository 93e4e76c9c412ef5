"""Each sentence of an ideal is deleted in turn: which checks notice, and what that says of sentences and checks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.closest_sentence import whole_sentences, without_sentence
from engine.deletion_test import CheckTrial, DeletionTest, SentenceState, deletion_test
from engine.deletion_test.deletion_text import check_text, numbers_text, sentence_text, summary_text
from engine.evaluation.point_assessment import assess
from engine.javascript import JavaScript
from engine.parsing import parse
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

IDEAL = "A landlord must give 24 hours of notice. The notice is in writing. The tenant may ask for another day."


def deleted(javascript: JavaScript, should: str, ideal: str = IDEAL, more: str = "") -> DeletionTest:
    text = f"- id: p\n  prompt: How much notice?\n  ideal: {ideal!r}\n  should: {should}\n{more}"
    blueprint = parse(text).blueprint
    found = deletion_test(blueprint.prompts[0], blueprint.header, javascript)
    assert found is not None
    return found


def sole_check(javascript: JavaScript, should: str, ideal: str = IDEAL, more: str = "") -> CheckTrial:
    (check,) = deleted(javascript, should, ideal, more).checks
    return check


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It is Paris. It is big.", ["It is big.", "It is Paris."]),
        ("- One.\n- Two. Three.\n", ["- Two. Three.\n", "- One.\n- Three.\n", "- One.\n- Two.\n"]),
        ("1. One\r\n2. Two\r\n", ["2. Two\r\n", "1. One\r\n"]),
        ("# Head\nBody here.", ["Body here.", "# Head"]),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", ["| --- | --- |\n| 1 | 2 |", "| a | b |\n| --- | --- |"]),
        ("A line that\ngoes on. And more.", ["And more.", "A line that\ngoes on."]),
        ("Only this.", [""]),
        ("これは犬です。それは猫です。", ["それは猫です。", "これは犬です。"]),
        ("…", []),
    ],
)
def test_a_sentence_goes_with_what_only_it_needs(text: str, left: list[str]) -> None:
    assert [without_sentence(text, span) for span in whole_sentences(text)] == left


@settings(max_examples=tried(30, 500), deadline=None)
@given(st.text(st.sampled_from("ab .!\n-|#`1。"), max_size=60))
def test_without_one_sentence_all_others_are_still_there(text: str) -> None:
    spans = whole_sentences(text)
    for span in spans:
        left, place = without_sentence(text, span), 0
        assert len(left) <= len(text) - (span.end - span.start)
        for other in spans:
            if other != span:
                found = left.find(other.of(text), place)
                assert found >= 0
                place = found + len(other.of(text))


def test_a_check_notices_the_sentence_that_it_needs(javascript: JavaScript) -> None:
    assert sole_check(javascript, '[{$icontains: "in writing"}]').noticed == (1,)


def test_what_two_sentences_say_is_not_noticed_in_either(javascript: JavaScript) -> None:
    assert sole_check(javascript, "[{$icontains: notice}]").noticed == ()


def test_a_part_mark_that_falls_is_noticed(javascript: JavaScript) -> None:
    assert sole_check(javascript, '[{$contains_all_of: [give, writing]}, "a criterion"]').noticed == (0, 1)


def test_a_forbidden_text_is_better_met_without_its_sentence(javascript: JavaScript) -> None:
    check = sole_check(javascript, "[a criterion]", more="  should_not: [{$contains: another day}]\n")
    assert (check.noticed, check.raised, check.extent) == ((), (2,), 0)


def test_a_script_sees_the_conversation_without_the_sentence(javascript: JavaScript) -> None:
    script = "[{$js: \"context.messages.at(-1).content.includes('another day') && r.length > 0\"}]"
    assert sole_check(javascript, script).noticed == (2,)


def test_all_points_tried_leave_a_sentence_unassessed(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$contains: give}, {$contains: writing}]")
    assert [test.state(number) for number in range(3)] == [
        SentenceState.NOTICED,
        SentenceState.NOTICED,
        SentenceState.UNASSESSED,
    ]
    assert sentence_text(test, 2) == "unassessed: every point was tried without it, and none notices"
    assert summary_text(test) == "2 of 3 sentences noticed by a check; 1 unassessed"


@pytest.mark.parametrize(
    ("should", "words"),
    [
        ("[{$contains: give}, is kind, is clear]", "no check notices it, 2 criteria not tried"),
        ("[{$contains: give}, is kind]", "no check notices it, 1 criterion not tried"),
        ("[{$contains: give}, {$factcheck: {}}]", "no check notices it, 1 check by a service not tried"),
        ("[{$contains: give}, {$matches: '(['}]", "no check notices it, 1 check that cannot run not tried"),
        ("[is kind, {$call: {}}]", "no check notices it, 1 criterion and 1 check by a service not tried"),
    ],
)
def test_a_point_that_is_not_tried_keeps_a_sentence_from_being_unassessed(
    javascript: JavaScript, should: str, words: str
) -> None:
    test = deleted(javascript, should)
    assert test.state(2) is SentenceState.UNNOTICED
    assert sentence_text(test, 2) == words


def test_checks_that_notice_exactly_the_same_are_redundant(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$contains: give}, {$contains: hours}, {$contains: writing}]")
    first, second, third = test.checks
    assert [test.same_as(each) for each in (first, second, third)] == [(second,), (first,), ()]
    assert check_text(test, second) == (
        "notices sentence 1; redundant on this ideal: $contains: give notices exactly the same"
    )


def test_checks_on_different_paths_are_alternatives(javascript: JavaScript) -> None:
    test = deleted(javascript, "[[{$contains: give}], [{$contains: hours}]]")
    assert [check.noticed for check in test.checks] == [(0,), (0,)]
    assert [test.same_as(check) for check in test.checks] == [(), ()]


def test_checks_of_one_path_can_be_redundant(javascript: JavaScript) -> None:
    test = deleted(javascript, "[[{$contains: give}, {$contains: hours}], [{$contains: day}]]")
    assert [len(test.same_as(check)) for check in test.checks] == [1, 1, 0]


def test_one_sentence_tells_no_two_checks_apart(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$contains: It}, {$contains: hours}]", "It is 24 hours.")
    assert [test.same_as(check) for check in test.checks] == [(), ()]


def test_checks_that_notice_nothing_are_not_redundant(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$contains: notice}, {$contains: an}, {$contains: x}, {$contains: z}]")
    assert [len(test.same_as(check)) for check in test.checks] == [0, 0, 0, 0]


def test_the_prompt_echoed_back_passes_a_check_for_its_words(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$icontains: how much}, {$icontains: notice}, {$not_contains: lawyer}]")
    assert [check.rewards_echo for check in test.checks] == [True, True, False]
    assert [check.passes_echo for check in test.checks] == [True, True, True]
    assert check_text(test, test.checks[1]) == "notices no sentence; passes the prompt echoed back"
    assert check_text(test, test.checks[2]) == "notices no sentence: an empty answer passes it too"


def test_a_check_that_the_ideal_fails_can_notice_nothing(javascript: JavaScript) -> None:
    test = deleted(javascript, "[{$contains: lawyer}]")
    assert check_text(test, test.checks[0]) == "the ideal fails it, so no deletion can lower it"


def test_a_prompt_without_an_ideal_has_no_deletion_test(javascript: JavaScript) -> None:
    blueprint = parse("- id: p\n  prompt: x\n  should: [{$contains: x}]\n").blueprint
    assert deletion_test(blueprint.prompts[0], blueprint.header, javascript) is None


@pytest.mark.parametrize(
    ("numbers", "of", "words"),
    [
        ((0,), 3, "sentence 1"),
        ((0, 2, 3, 4), 9, "sentences 1, 3–5"),
        ((0, 1), 2, "all 2 sentences"),
        ((0,), 1, "sentence 1"),
        (tuple(range(0, 20, 2)), 30, "10 of 30 sentences"),
    ],
)
def test_sentences_are_named_by_numbers_from_one(numbers: tuple[int, ...], of: int, words: str) -> None:
    assert numbers_text(numbers, of) == words


@needs_corpus
def test_all_at_once_gives_what_one_by_one_does(javascript: JavaScript) -> None:
    path = next(each for each in corpus_files() if each.name == "geneva-conventions-interleaved-mcq.yml")
    blueprint = parse(path.read_text("utf-8"), path).blueprint
    prompt = next(each for each in blueprint.prompts if each.ideal and any(point.function for point in each.points()))
    found = deletion_test(prompt, blueprint.header, javascript)
    assert found is not None
    for number, deletion in enumerate(found.deletions):
        alone = {
            place
            for place, (before, after) in enumerate(
                zip(
                    assess(prompt, found.ideal, javascript, model="ideal"),
                    assess(prompt, deletion.without, javascript, model="ideal"),
                    strict=True,
                )
            )
            if before.extent is not None and after.extent is not None and after.extent < before.extent
        }
        assert {check.place for check in found.noticing(number)} == alone
