"""Labels, sentences and marks by which prompts give their answer away, and look-alikes."""

from __future__ import annotations

import json

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker
from engine.text.spans import apply_edits

CHECKER = Checker(rule for rule in ALL if rule.slug == "answer-in-prompt")

GIVEN = [
    ("What is the capital of Chad?\nA: N'Djamena", "N'Djamena"),
    ("What is the capital of Chad? (Hint: the answer is N'Djamena)", "N'Djamena"),
    ("Which element has the symbol Fe?\n\nCorrect: Iron", "Iron"),
    ("Solve 3x = 12.\nAns: 4", "4"),
    ("Solve 3x = 12. Ans. 4", "4"),
    ('Is the sentence grammatical? "He go home."\nVerdict: no', "no"),
    ("Which word is the odd one out: cat, dog, table?\nSolution - table", "table"),
    ("Translate 'Hund' into English.\nTranslation: dog", "dog"),
    ("Classify the tweet: 'I hate Mondays'.\nSentiment: negative", "negative"),
    ("Which year did the wall fall?\nExpected: 1989", "1989"),
    ("Which year did the wall fall?\nExpected answer - 1989", "1989"),
    ("Who painted Guernica?\nCorrect answer is Picasso.", "Picasso"),
    ("Which planet is red? Answer = Mars", "Mars"),
    ("Answer: B\n\nWhich gas do plants take in? A) oxygen B) carbon dioxide", "B"),
    ("Which gas do plants take in? A) oxygen B) carbon dioxide (correct)", "B"),
    ("Which gas do plants take in?\nA) oxygen\nB) carbon dioxide ✓", "B"),
    ("How many legs has a spider? [Solution: 8]", "8"),
    ("How many legs has a spider? {answer: eight}", "eight"),
    ("How many legs has a spider?\nGround truth: eight", "eight"),
    ("How many legs has a spider?\nReference: eight", "eight"),
    ("How many legs has a spider?\nTarget: eight legs", "eight legs"),
    ("How many legs has a spider?\n# answer: eight", "eight"),
    ("How many legs has a spider? // answer: eight", "eight"),
    ("How many legs has a spider? -- Answer: eight", "eight"),
    ("How many legs has a spider?\nThe right answer would be eight.", "eight"),
    ("How many legs has a spider?\nANSWER KEY: eight", "eight"),
    ("How many legs has a spider?\nGold label: eight", "eight"),
    ("How many legs has a spider?\nExpected response: Eight legs.", "", {"$icontains": "eight legs"}),
    ("Q: How many legs has a spider? A: eight", "eight"),
    ("Spider legs? Model answer: A spider has eight legs.", "A spider has eight legs."),
    ("Spider legs? Ideal answer: eight.", "", "Says eight."),
    ("Spider legs? Ideal: eight", "eight"),
    ("Is it an insect?\nOutput: no", "no"),
    ("Does A entail B?\nRelation: contradiction", "contradiction"),
    ("Which intent has 'book a table'?\nIntent: reservation", "reservation"),
    ("Which of the four is prime: 4, 6, 7, 8?\nKey = 7", "7"),
    ("Who was first on the moon? Note for graders: Armstrong.", "Armstrong"),
    ("Who was first on the moon? (correct answer is Armstrong)", "Armstrong"),
    ("Was ist die Hauptstadt? Richtige Antwort: Bern", "Bern"),
    ("Quelle est la capitale ?\nBonne réponse : Berne", "Berne"),
    ("Reply with one letter. Which is a fruit? A kale B plum. Correct letter: B", "B"),
    ("Rate the essay from 1 to 5.\nEssay: Cats are nice.\nScore: 2", "2"),
]

RIGHT = [
    ("Which organ? A) liver B) pancreas\nAnswer:", "B"),
    ("Is this right? Question: capital of Chad. Answer: N'Djamena", "yes"),
    ("The survey asked for the religion. Answer: none. What does that tell us?", "none"),
    ("Explain why the answer to 2+2 is 4.", "4"),
    ("My teacher says the answer is 12. Show me the steps for 3x4.", "12"),
    ("Write a riddle. Its answer: shadow", "shadow"),
    ("Write a riddle whose answer is shadow.", "shadow"),
    ("Make a quiz question with this key: B", "B"),
    ("Here are the facts. Name: Ana. Age: 7. How old is Ana?", "7"),
    ("Passage: Ana has 7 eggs.\nQuestion: How many eggs has Ana?", "7"),
    ("From: Bob\nSubject: Rent\nAmount: 900\nWhat is the amount?", "900"),
    ("Translate into French: The key: B is in the drawer.", "La clé"),
    ("Transpose to the key: C", "C"),
    ("Which is right?\nA: Paris\nB: Rome", "A: Paris"),
    ("Sort these labels: b, a. Output: a JSON list", "a"),
    ("What is the label of the box? Label: fragile. Contents: cups.", "fragile"),
    ("Read the nutrition label: fat 3 g. How much fat is in it?", "3 g"),
    ("Invoice total: 90\nWhat is the total with 10% tax?", "99"),
    ("Input: [3,1,2]. Expected output: sorted ascending.", "[1,2,3]"),
    ("Example. Q: 2+2? A: 4\nQ: 3+3? A:", "6"),
    ("Target audience: teenagers\nWrite a slogan for milk.", "Milk"),
    ("Write a slogan for milk.\nTarget: teenagers", "Milk is cool, teenagers"),
    ("Translate to German.\nText: dog\nTarget: German", "Hund"),
    ("Choose.\nOutput: one word", "one"),
    ("Convert 3 km to miles.\nOutput: miles", "1.86 miles"),
    ("Source: English\nTarget: French\nText: dog", "chien"),
    ("Was the verdict: guilty?", "yes"),
    ("Grade this: Q: capital of Chad? A: N'Djamena", "correct"),
    ("Student: 8. Spider legs? Is 8 right?", "8"),
    ("Score: 3:1. Who won, the home team with 3 or the guests with 1?", "home team"),
    ("He answered: no. What could he have meant?", "no"),
    ("How do you say 'answer: yes' in Swahili?", "jibu: ndiyo"),
    ("Reference: Smith 2004\nIs this citation complete?", "no"),
    ("Sentiment: how do you define it?", "a feeling"),
    ("Is the answer yes or no: is a tomato a fruit?", "yes"),
]

GIVEN += [
    ("How large is the force?\nAns.: 3.2 kN", "3.2 kN"),
    ("Which is no part of it?\na) heat\nb) nitrogen (correct)\nc) fuel", "b) nitrogen"),
    ("Rewrite in the active voice.\nSource: It was rejected by them.\nTarget: They rejected it.", "They rejected it."),
    ("Which body can be a member? (a) you (b) a branch (c) a company. The correct choice is (c).", "(c)"),
    ("Solve V = 4/3 r³ for r.\nRearranged form (solved for r): r = (3V / 4)^(1/3)", "r = (3V / 4)^(1/3)"),
    ("Geese come closer. He\na) throws corn. (100 %)\nb) paints. (0 %)\nReply with the letter.", "a"),
]
RIGHT += [
    ("Write a slogan.\nProduct: an account\nTarget: single parents", "", "Speaks to single parents"),
    ("Repeat the word.\nWord: umbrella", "umbrella"),
    ("Correct this if needed.\nSentence: She goes home.", "She goes home."),
    ("a) one half (50 %)\nb) one third (33 %)\nWhich is more?", "a"),
]


def reports(prompt: str, ideal: str, *points: object) -> list[str]:
    item = {"id": "p", "prompt": prompt, "ideal": ideal or None, "should": points or ("Names it.",)}
    text = json.dumps([{key: value for key, value in item.items() if value is not None}])
    return [one.message for one in CHECKER.check(parse(text))]


@pytest.mark.parametrize("case", GIVEN)
def test_an_answer_that_is_given_away_is_found(case: tuple[str, ...]) -> None:
    assert reports(*case) != []


@pytest.mark.parametrize("case", RIGHT)
def test_labels_that_give_nothing_away_are_left_alone(case: tuple[str, ...]) -> None:
    assert reports(*case) == []


def test_a_mark_at_an_option_is_removed_by_the_fix() -> None:
    text = "- {id: p, prompt: 'Which? A) oxygen B) carbon dioxide (correct)', ideal: B, should: [Names it]}\n"
    [one] = CHECKER.check(parse(text))
    [fix] = one.fixes
    assert apply_edits(text, fix.edits) == text.replace(" (correct)", "")


def test_a_key_in_the_system_prompt_is_found() -> None:
    messages = [{"system": "You take a test. Answer key: 7 B, 8 D"}, {"user": "Question 8: A, B, C or D?"}]
    text = json.dumps([{"id": "p", "messages": messages, "ideal": "D", "should": ["Picks it"]}])
    assert [one.slug for one in CHECKER.check(parse(text))] == ["answer-in-prompt"]
