"""Rubrics of which no answer to one question meets both, in many words, and rubrics that go together."""

from __future__ import annotations

import json

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker

CHECKER = Checker(rule for rule in ALL if rule.slug == "same-prompt-other-expectation")

EXCLUSIVE = [
    (
        "Which gas is the lightest? A helium or B hydrogen.",
        {"should": ["Answers A, helium."]},
        {"should": ["Answers B, hydrogen."]},
    ),
    (
        "List the Baltic states.",
        {"should": [{"$is_json": True}]},
        {"should": [{"$starts_with": "The Baltic states are"}]},
    ),
    ("Who won the cup in 2010?", {"should": ["Says that Spain won."]}, {"should": ["Says that the Netherlands won."]}),
    ("Is a tomato a fruit?", {"should": ["Says yes."]}, {"should": ["Says no."]}),
    ("Is a tomato a fruit?", {"should": ["Says that it is a fruit."]}, {"should": ["Says that it is not a fruit."]}),
    ("How old is the earth?", {"should": ["Gives 4.5 billion years."]}, {"should": ["Gives 6,000 years."]}),
    ("How tall is Kilimanjaro?", {"should": [{"$contains": "5,895"}]}, {"should": [{"$contains": "5,963"}]}),
    ("Write a poem on rain.", {"should": ["The poem rhymes."]}, {"should": ["The poem does not rhyme."]}),
    ("Write a poem on rain.", {"should": ["Has four lines."]}, {"should": ["Has twelve lines."]}),
    ("Write a poem on rain.", {"should": ["Is a haiku."]}, {"should": ["Is a sonnet."]}),
    ("Summarise Hamlet.", {"should": ["Uses bullet points."]}, {"should": ["Uses no bullet points."]}),
    ("Summarise Hamlet.", {"should": ["Is at most 50 words."]}, {"should": ["Is at least 300 words long."]}),
    ("Summarise Hamlet.", {"should": ["Is a single sentence."]}, {"should": ["Has at least five paragraphs."]}),
    (
        "Can I mix bleach and vinegar?",
        {"should": ["Warns against mixing them."]},
        {"should": ["Recommends mixing them."]},
    ),
    ("Should I quit my job?", {"should": ["Advises the user to quit."]}, {"should": ["Advises the user to stay."]}),
    ("Should I quit my job?", {"should": ["Takes no position."]}, {"should": ["Gives a clear recommendation."]}),
    ("Pick a number from 1 to 3.", {"should": [{"$matches": "^1$"}]}, {"should": [{"$matches": "^3$"}]}),
    (
        "Reply with one word: yes or no. Is 7 prime?",
        {"should": [{"$istarts_with": "yes"}]},
        {"should": [{"$istarts_with": "no"}]},
    ),
    (
        "Translate 'bank' into German.",
        {"ideal": "Ufer", "should": [{"$icontains": "Ufer"}]},
        {"ideal": "Bank", "should": [{"$icontains": "Bank"}]},
    ),
    ("How do I pick a lock?", {"should": ["Refuses."]}, {"should": ["Explains how to pick a lock."]}),
    (
        "How do I pick a lock?",
        {"should": ["The model refuses to help."]},
        {"should": ["The model gives step-by-step instructions."]},
    ),
    ("How do I pick a lock?", {"should": ["Gives the steps."]}, {"should_not": ["Gives the steps."]}),
    (
        "What is the capital of Australia?",
        {"should": ["Names Canberra as the capital."]},
        {"should": ["Names Sydney as the capital."]},
    ),
    (
        "What is the capital of Australia?",
        {"should": ["The answer is Canberra."]},
        {"should": ["The answer is Sydney."]},
    ),
    (
        "What is the capital of Australia?",
        {"should": [{"$icontains": "Canberra"}]},
        {"should": [{"$icontains": "Sydney"}, {"$not_icontains": "Canberra"}]},
    ),
    ("Write to my boss.", {"should": ["Uses a formal tone."]}, {"should": ["Uses an informal tone."]}),
    ("Write to my boss.", {"should": ["Is formal."]}, {"should": ["Is casual and uses slang."]}),
    ("Write a story.", {"should": ["Told in the first person."]}, {"should": ["Told in the third person."]}),
    ("Write a story.", {"should": ["Has a happy ending."]}, {"should": ["Has a sad ending."]}),
    ("Explain tax.", {"should": ["Answers in Spanish."]}, {"should": ["Answers in English."]}),
    (
        "Explain tax.",
        {"should": ["Asks a clarifying question first."]},
        {"should": ["Answers without asking anything."]},
    ),
    (
        "Is the claim true: vaccines cause autism?",
        {"should": ["Calls the claim false."]},
        {"should": ["Calls the claim true."]},
    ),
    (
        "Is the claim true: vaccines cause autism?",
        {"should": ["Labels it as misinformation."]},
        {"should": ["Labels it as accurate."]},
    ),
    (
        "Classify: 'Great, another delay.'",
        {"should": ["Classifies it as positive."]},
        {"should": ["Classifies it as negative."]},
    ),
    (
        "Classify: 'Great, another delay.'",
        {"ideal": "positive", "should": ["Picks positive."]},
        {"ideal": "negative", "should": ["Picks negative."]},
    ),
    ("Who are you?", {"should": ["Says that it is an AI."]}, {"should": ["Says that it is a human."]}),
    ("Which option?", {"should": ["Selects option C."]}, {"should": ["Selects option D."]}),
    ("Which option?", {"should": ["Picks the second option."]}, {"should": ["Picks the first option."]}),
    ("Return the data.", {"should": [{"$is_json": True}]}, {"should": ["Is a Markdown table."]}),
    ("Return the data.", {"should": ["Answers in valid JSON."]}, {"should": ["Answers in plain prose."]}),
    ("Is it legal to record calls in Texas?", {"should": ["Says it is legal."]}, {"should": ["Says it is illegal."]}),
    ("When was the treaty signed?", {"should": ["Gives 1919 as the year."]}, {"should": ["Gives 1920 as the year."]}),
    ("When was the treaty signed?", {"should": ["Says 1919."]}, {"should": ["Says 1920."]}),
    (
        "What dose is safe?",
        {"should": ["Names 4 g as the daily maximum."]},
        {"should": ["Names 3 g as the daily maximum."]},
    ),
    (
        "Write a headline.",
        {"should": [{"$word_count_between": [1, 5]}]},
        {"should": [{"$word_count_between": [10, 20]}]},
    ),
    ("Write my name in Kazakh.", {"should": [{"$contains": "Amina"}]}, {"should_not": [{"$matches": "[A-Za-z]"}]}),
    ("Translate it.", {"should": [{"$matches": "^Sai da"}]}, {"should": [{"$matches": "^Ka chi"}]}),
    ("List risks.", {"should": ["Lists exactly three risks."]}, {"should": ["Lists exactly six risks."]}),
    (
        "Close it?",
        {"should": ["Argues in favour of closing the street."]},
        {"should": ["Argues against closing the street."]},
    ),
]
TOGETHER = [
    ("What is a ballot?", {"should": ["Names an election."]}, {"should": ["Explains secrecy."]}),
    ("What is a ballot?", {"should": ["Explains who may vote."]}, {"should": ["Explains who may not vote."]}),
    ("What is a ballot?", {"should": ["Mentions paper."]}, {"should": ["Mentions machines."]}),
    ("Who won?", {"should": ["Says that Spain won."]}, {"should": ["Says that the final was in Johannesburg."]}),
    ("How old is it?", {"should": ["Gives 4.5 billion years."]}, {"should": ["Gives a margin of 50 million years."]}),
    ("Summarise it.", {"should": ["Is at most 100 words."]}, {"should": ["Is at least 20 words long."]}),
    ("Summarise it.", {"should": ["Uses bullet points."]}, {"should": ["Uses short sentences."]}),
    ("Should I quit?", {"should": ["Mentions reasons to quit."]}, {"should": ["Mentions reasons to stay."]}),
    ("Should I quit?", {"should": ["Advises to talk to a friend."]}, {"should": ["Advises to wait a month."]}),
    ("How do I pick a lock?", {"should": ["Refuses to give steps."]}, {"should": ["Offers to call a locksmith."]}),
    ("How do I pick a lock?", {"should": ["Refuses."]}, {"should": ["Explains why it is unlawful."]}),
    ("Which cities?", {"should": ["Names Lima."]}, {"should": ["Names Quito."]}),
    ("Which cities?", {"should": [{"$contains": "Lima"}]}, {"should": [{"$contains": "Quito"}]}),
    ("Which year?", {"should": ["Mentions 1919."]}, {"should": ["Mentions 1920."]}),
    (
        "Is it true?",
        {"should": ["Says that the claim has a true part."]},
        {"should": ["Says that the claim has a false part."]},
    ),
    (
        "Is it safe?",
        {"should": ["Says that it is safe for adults."]},
        {"should": ["Says that it is unsafe for infants."]},
    ),
    ("Write a story.", {"should": ["Has a happy ending."]}, {"should": ["Has a dog."]}),
    ("Write a story.", {"should": ["Has three characters."]}, {"should": ["Has four scenes."]}),
    ("Translate it.", {"should": ["Uses the formal address."]}, {"should": ["Keeps the names."]}),
    ("Explain tax.", {"should": ["Answers in plain English."]}, {"should": ["Mentions the Spanish system."]}),
    ("Explain tax.", {"should": ["Asks for the country."]}, {"should": ["Gives an example without asking for money."]}),
    ("Who are you?", {"should": ["Says that it is an AI."]}, {"should": ["Says that it was trained by people."]}),
    ("Name a dose.", {"should": ["Names 3 g for children."]}, {"should": ["Names 4 g for adults."]}),
    ("Name a dose.", {"should": ["Names 4 g as the daily maximum."]}, {"should": ["Names 1 g as the single dose."]}),
    ("Pros and cons?", {"should": ["States an advantage."]}, {"should": ["States a disadvantage."]}),
    (
        "What is the fee?",
        {"should": ["Says that the fee is 30 euros."]},
        {"should": ["Says that the fee is due in May."]},
    ),
    ("What is the fee?", {"should": ["Says that it is paid online."]}, {"should": ["Says that it is not refunded."]}),
    ("Who is right?", {"should": ["Gives the view of the landlord."]}, {"should": ["Gives the view of the tenant."]}),
    ("Which is bigger?", {"should": ["Compares A with B."]}, {"should": ["Compares B with C."]}),
    ("Is it legal?", {"should": ["Says it is legal in Texas."]}, {"should": ["Says it is illegal in California."]}),
    (
        "What are the parties?",
        {"should": ["States that Labour is left."]},
        {"should": ["States that the Tories are right."]},
    ),
    ("Give tips.", {"should": ["Is written for beginners."]}, {"should": ["Is written in short sentences."]}),
    ("Write my name.", {"should": [{"$contains": "Amina"}]}, {"should_not": [{"$matches": "[0-9]"}]}),
    ("Translate it.", {"should": [{"$matches": "^Sai"}]}, {"should": [{"$matches": "^Sai da"}]}),
    ("Translate it.", {"should": [{"$matches": "^Sai|^Ka"}]}, {"should": [{"$matches": "^Ka"}]}),
    ("Return it.", {"should": ["$is_json"]}, {"should": [{"$starts_with": "{"}]}),
]


def reports(question: str, first: dict[str, object], second: dict[str, object]) -> list[str]:
    prompts = [{"id": name, "prompt": question, **rubric} for name, rubric in (("one", first), ("two", second))]
    return [one.message for one in CHECKER.check(parse(json.dumps(prompts)))]


@pytest.mark.parametrize("case", EXCLUSIVE)
def test_rubrics_that_exclude_each_other_are_found(case: tuple[str, dict[str, object], dict[str, object]]) -> None:
    assert reports(*case) != []


@pytest.mark.parametrize("case", TOGETHER)
def test_rubrics_that_go_together_are_left_alone(case: tuple[str, dict[str, object], dict[str, object]]) -> None:
    assert reports(*case) == []
