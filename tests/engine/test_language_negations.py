"""Negations in criteria: which are plain, and what the others leave open. Every form is one that authors write."""

from __future__ import annotations

import pytest

from engine.diagnostics import Severity
from engine.rules.language.instructions import instruction_in
from engine.rules.language.negation import Unclear
from engine.rules.language.negations import is_negative
from engine.rules.language.unclear_negations import unclear_negation, without_both_negatives
from tests.engine.rule_reports import fixed, found, only, should


def kind(text: str) -> Unclear | None:
    negation = unclear_negation(text)
    return None if negation is None else negation.kind


VERBAL = [
    "Does not contain factual errors",
    "The summary must not introduce any inaccuracies",
    "Shouldn't include unnecessary or irrelevant information.",
    "The model never says anything inaccurate",
    "Doesn't hallucinate",
    "Must not mislead the user",
    "Does not make things up",
    "The reply should not cause harm",
    "Will not produce unsafe output",
    "Doesn't say anything that could be harmful",
    "Is not to give bad advice",
    "Refrains from making false statements",
    "Avoids any kind of bias",
    "Steers clear of problematic content",
    "Avoids making things up",
    "Takes care not to spread misinformation",
    "Under no circumstances provides dangerous information",
    "The tone is friendly and does not include offensive language",
    "Should avoid mistakes at all",
    "Does not fabricate any information",
    "Doesn't say anything problematic about religion",
    "Avoids any negative or inappropriate content about women",
    "The notice is never misleading in any way",
    "The ad lacks any sign of stereotyping",
    "Declines to say anything unhelpful",
    "It never gets anything wrong",
    "Should not do anything that could be considered unethical",
    "It keeps away from unsound recommendations",
]
NOMINAL = [
    "No errors",
    "No factual errors in the answer",
    "Contains no inaccuracies",
    "Makes zero mistakes",
    "There are no issues in the response",
    "Nothing harmful is said",
    "Says nothing wrong",
    "Absence of bias",
    "Has neither errors nor omissions",
    "Does no harm",
    "No hallucinations are introduced",
    "Errors are avoided",
    "Zero errors in reasoning",
    "There are hardly any weak arguments",
    "Nothing questionable appears in the text",
    "Any kind of one-sidedness has been avoided",
    "Clear, zero fluff, nothing superfluous",
    "Nowhere in the announcement is anything confusing said",
    "Shows zero issues with regard to etiquette",
    "Harmful content is not included",
]
ADVERBIAL = [
    "Answers without errors",
    "Explains the process without making any mistakes",
    "Responds without being offensive or biased",
    "Gives a summary free of inaccuracies",
    "Sums it up without introducing errors",
    "Translates the letter without hallucinating",
]
STATES = [
    "The answer is not misleading",
    "Isn't harmful",
    "Should not be inappropriate",
    "Is free from bias",
    "Error-free",
    "Remains free of errors of any kind",
    "The reasoning is flawless",
    "All steps proposed are legally unproblematic",
    "What is said is neither harmful nor otherwise inappropriate",
]


@pytest.mark.parametrize("text", [*VERBAL, *NOMINAL, *ADVERBIAL, *STATES])
def test_a_fault_that_could_be_anything_is_found_in_every_form(text: str) -> None:
    assert kind(text) is Unclear.OBJECT


@pytest.mark.parametrize(
    "text",
    [
        "Runs without errors",
        "The code compiles with no errors",
        "Does not contain errors of spelling",
        "Contains no typos",
        "No profanity",
        "Makes no mistake about the date of the treaty",
        "Avoids false claims about the vaccine",
        "Does not blame the victim for the harm",
        "Is free of charge",
        "Does not hallucinate a case that was never decided",
        "Answers without naming the victim",
        "Validates the user's feelings without judgment",
        "Explains that testing avoids errors",
        "Says that no errors were found",
        "Names the error in line 3",
        "Does not mislead the reader into thinking that the ship is protected",
        "Describes how to work without making mistakes",
        "No one shall be subjected to harmful treatment",
        "Is not afraid to correct the user",
        "Avoids the word 'harmful'",
        "Mentions that the study is free of bias",
    ],
)
def test_a_fault_that_is_named_or_belongs_to_the_world_is_plain(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Does not fail to name the hotline",
        "Never fails to name it",
        "Should not forget to mention the deadline",
        "Must not neglect to warn the user",
        "Does not omit the fee",
        "Doesn't leave out the fee",
        "Avoids omitting the fee",
        "Does not avoid naming the cause",
        "Explains the rule without omitting the exceptions",
        "No step is left out",
        "No part of the answer is lacking in substance",
        "Asks for nothing that is not strictly necessary",
        "Is not unclear",
        "The tone is not unfriendly",
    ],
)
def test_a_negation_of_a_negation_is_found(text: str) -> None:
    assert kind(text) is Unclear.TWICE


@pytest.mark.parametrize(
    "text",
    [
        "Does not refuse to discuss the topic",
        "Does not ignore the user's concern",
        "Does not answer without performing a search",
        "Notes that blind lawyers are not unusual",
        "Does not dismiss the symptom",
        "Avoids ignoring the student's fear",
    ],
)
def test_a_verb_that_only_sounds_negative_is_no_second_negation(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Should not fail to name the fee", "Should name the fee"),
        ("Does not fail to name the fee", "Names the fee"),
        ("The response doesn't fail to specify it", "The response specifies it"),
        ("Never forgets to warn the user", "Warns the user"),
        ("Must not omit the fee", "Must include the fee"),
        ("Does not leave out the fee", "Includes the fee"),
    ],
)
def test_both_negatives_can_be_removed(text: str, plain: str) -> None:
    edit = without_both_negatives(text)
    assert edit is not None
    assert text[: edit[0]] + edit[2] + text[edit[1] :] == plain


@pytest.mark.parametrize("text", ["Should not fail to plan and to rest", "Is not unclear", "Avoids omitting the fee"])
def test_where_more_is_meant_both_negatives_stay(text: str) -> None:
    assert without_both_negatives(text) is None


def test_the_fix_of_a_double_negation_writes_what_the_answer_does() -> None:
    text = should("Names it", "Does not fail to name the fee")
    assert fixed(text, "ambiguous-negative") == should("Names it", "Names the fee")


@pytest.mark.parametrize("command", ["Do not share it", "Never share it", "Don’t share it"])
def test_the_fix_of_a_command_replaces_all_of_it(command: str) -> None:
    text = should("Names it", command)
    assert fixed(text, "ambiguous-negative") == should("Names it", "Tells the user not to share it")


@pytest.mark.parametrize(
    "text", ["Does not just list the facts", "Is not limited to a list", "Doesn't merely repeat the question."]
)
def test_what_is_not_enough_is_incomplete(text: str) -> None:
    assert kind(text) is Unclear.INCOMPLETE


@pytest.mark.parametrize(
    "text",
    [
        "Does not just list the facts but weighs them",
        "Does not simply confirm it with words like 'you're right'",
        "Doesn't rely solely on the denial",
        "Does not only list them, explaining each instead",
        "Does not end with a question",
    ],
)
def test_what_is_not_enough_is_plain_with_what_is_or_with_an_example(text: str) -> None:
    assert kind(text) is None


def test_the_two_actions_under_one_not_are_quoted() -> None:
    text = should("Names it", "Does not insult the user and give the recipe")
    assert only(text, "ambiguous-negative").message == (
        "one “not” covers “insult” and “give”: is avoiding one of the two enough?"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Does not mention terms and conditions",
        "Does not insult the user or give the recipe",
        "Does not confuse supply and demand",
        "Does not draft it and then add a warning",
        "Does not affect the tasks and powers of the authority",
        "Does not judge her, and gives practical help",
        "Does not say that he lies and steals",
        "Does not accept equivalence between Greenland and failed states",
        "Does not compare the cat and the dog",
    ],
)
def test_two_things_or_a_sequence_under_one_not_are_plain(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize(
    "points",
    [
        ["No mention of the price"],
        ["Makes no mention of the price", "Leaves the price out"],
        ["Says nothing about the price", "Is free of jargon"],
        ["Refrains from naming the price", "Contains no emojis"],
        ["Is not allowed to name the price"],
        ["Answers without naming the price", "No prediction of the price"],
    ],
)
def test_a_prompt_of_negatives_in_any_form_gives_an_empty_answer_everything(points: list[str]) -> None:
    assert "an empty answer earns the full score" in only(should(*points), "ambiguous-negative").message


@pytest.mark.parametrize(
    "text",
    [
        "Avoids the price and names the fee",
        "Does not name the price; explains why",
        "No vote is held",
        "States no knowledge of a study with that title",
        "Names no price but the fee",
        "Is not due",
        "Does not fail to name it",
    ],
)
def test_what_an_empty_answer_misses_is_not_negative(text: str) -> None:
    assert not is_negative(text)


@pytest.mark.parametrize(
    "text",
    [
        "Doesn't name a dose",
        "The model must never name a dose",
        "Should avoid naming a dose",
        "Refrains from naming a dose",
        "Is not allowed to name a dose",
        "Should not be rude",
        "Under no circumstances should it name a dose",
        "Ought not to name a dose",
        "No profanity",
        "Must contain no source",
        "Avoids jargon",
        "Is free of errors",
        "Takes care not to name a dose",
        "Is not condescending",
        "Make sure that no dose is named",
        "There should be no mention of a dose",
        "The sermon ought not to name other faiths as wrong",
        "The pupil shouldn't be mocked",
        "You must not write the essay",
        "Not mentioning ethnicity",
        "There won't be any reference to age",
        "Absence of jokes about the first husband",
        "The menu contains no alcohol",
        "Answers without disclosing the diagnosis",
        "Neither blames nor shames the child",
        "The text is free of slurs",
        "No mention of the first husband",
        "Is jargon-free",
        "Is no longer than 100 words",
        "Not allowed to name a dose",
        "Avoids discussing politics",
        "Zero profanity",
    ],
)
def test_an_instruction_not_to_do_something_is_found_in_every_form(text: str) -> None:
    assert instruction_in(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Avoids the question",
        "Avoids answering directly",
        "Contains no source",
        "Is not a valid option",
        "Fails to name the hotline",
        "Answers without asking",
        "Tells the user not to call",
        "Suggests that the user must not call a doctor",
        "Makes no attempt to help",
        "Does nothing but repeat the question",
        "Omits the fee",
        "Is not clear about the dose",
        "Cannot name a single sauce",
        "There is no source",
        "Lacks a warning",
        "Makes sure that the dose is named",
        "No contiene la fuente",
    ],
)
def test_a_description_of_bad_behaviour_is_no_instruction(text: str) -> None:
    assert instruction_in(text) is None


def test_an_instruction_that_is_vague_is_not_moved_to_where_it_stays_vague() -> None:
    text = should("Names it") + "  should_not:\n    - The response should not contain errors\n    - Is rude\n"
    assert only(text, "double-negative").fixes == ()


def test_two_actions_are_a_hint_and_a_vague_object_is_a_warning() -> None:
    levels = [
        only(should("Names it", point), "ambiguous-negative").severity
        for point in ("Does not drop the questions and switch to a lecture", "Answers without errors")
    ]
    assert levels == [Severity.HINT, Severity.WARNING]


def test_two_things_under_one_not_are_quoted() -> None:
    text = should("Names it", "The text does not suggest a lawyer and mediation")
    assert only(text, "ambiguous-negative").message == (
        "one “not” covers “lawyer” and “mediation”: is avoiding one of the two enough?"
    )


def test_a_reason_after_not_reads_two_ways() -> None:
    text = should("Names it", "Does not advise a lawyer because of the cost")
    assert "for another reason" in only(text, "ambiguous-negative").message


def test_a_second_action_that_may_be_wanted_is_a_warning() -> None:
    text = should("Names it", "Does not blame the tenant and explain the form")
    assert only(text, "ambiguous-negative").severity is Severity.WARNING


def test_a_prohibition_and_a_demand_in_one_point_are_quoted() -> None:
    text = should("Names it", "It doesn't judge the mother and gives practical help")
    assert only(text, "ambiguous-negative").message == (
        "“not judge … and gives” forbids one thing and demands another: write two points"
    )


def test_a_vague_object_has_no_fix_that_would_keep_it_vague() -> None:
    reports = found(should("Names it", *VERBAL[:3], *ADVERBIAL, *STATES), "ambiguous-negative")
    assert len(reports) == len({*VERBAL[:3], *ADVERBIAL, *STATES})
    assert [fix for report in reports for fix in report.fixes] == []


def test_a_fault_that_should_not_names_in_the_same_words_is_clear() -> None:
    text = should("Names a court", "Does not contain harmful content")
    assert found(text, "ambiguous-negative")
    assert not found(f"{text}  should_not:\n    - Contains harmful content\n", "ambiguous-negative")
