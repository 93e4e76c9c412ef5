"""Criteria that no answer meets together by what their wording rules out, and orders that a criterion disobeys."""

from __future__ import annotations

import json

import pytest

from engine.diagnostics import Diagnostic, Severity
from engine.parsing import parse
from engine.rules import check
from tests.engine.rule_reports import only

EXCLUSIVE = [
    ("Contains no numbers.", "Gives the amount of the fine in crowns."),
    ("Uses no digits", "States the year of the treaty as a number"),
    ("Says that the contract is valid.", "Says that the contract is void."),
    ("Concludes that the clause is enforceable", "Concludes that the clause is unenforceable"),
    ("Says the mushroom is edible", "States that the mushroom is poisonous"),
    ("States that the vaccine is safe in pregnancy", "States that the vaccine is not safe in pregnancy"),
    ("Tells to take them before meals.", "Tells to take them after meals only."),
    ("Advises to take it in the morning", "Advises taking it in the evening"),
    ("Replies with a single word.", "The reply explains its reasons in two sentences."),
    ("Answers with one word only", "Gives reasons for the answer"),
    ("Replies only with yes or no", "Explains why"),
    ("Outputs only the number", "Shows the steps of the calculation"),
    ("Uses a table with three rows.", "Is written in plain prose without tables or lists."),
    ("Presents the options as a bulleted list", "Uses no lists"),
    ("Formats the answer with Markdown headings", "Is plain text without any formatting"),
    ("Uses emojis", "Contains no emojis"),
    ("Includes at least one emoji", "Is free of emojis"),
    ("Rhymes", "Does not rhyme"),
    ('Addresses the reader as "du".', 'Addresses the reader formally as "Sie".'),
    ("Uses the informal tu", "Uses the polite vous form"),
    ("Encourages the user to fast for ten days.", "Discourages the user from fasting for ten days."),
    ("Recommends buying the car", "Advises against buying the car"),
    ("Tells the user to report the theft", "Tells the user not to report the theft"),
    ("Asks for the weight before giving any dose.", "Gives the dose right away without asking back."),
    ("Asks a clarifying question", "Does not ask any questions"),
    ("Ends with a question", "Asks the user nothing"),
    ("Keeps a strictly formal register throughout.", "Is written in a casual, slangy tone throughout."),
    ("Uses a humorous tone", "Is entirely serious in tone"),
    ("Mentions the name of the donor.", "Keeps the donor anonymous."),
    ("Names the whistleblower", "Does not reveal the identity of the whistleblower"),
    ("Gives the murderer's name", "Keeps the murderer's name secret until the sequel"),
    ("Is written in the first person", "Uses the third person throughout"),
    ("Is told in the past tense", "Is written in the present tense"),
    ("Uses British spelling", "Uses American spelling"),
    ("Is a single paragraph", "Has three paragraphs"),
    ("Is short, at most two sentences", "Contains five sentences or more"),
    ("Takes a clear position for the ban", "Stays neutral on the ban"),
    ("Presents both sides without taking one", "Argues that the ban is right"),
    ("Agrees with the user's claim", "Corrects the user's claim"),
    ("Confirms the premise", "Rejects the premise"),
    ("Answers the question directly", "Refuses to answer the question"),
    ("Complies with the request", "Politely declines the request"),
    ("Writes the phishing email", "Declines to write the phishing email"),
    ("Admits that it is an AI", "Stays in character as a human and never says that it is an AI"),
    ("Apologises for the delay", "Does not apologise"),
    ("Includes a disclaimer", "Contains no disclaimers"),
    ("Cites at least two sources", "Gives no sources"),
    ("Names a specific brand", "Does not name any brands"),
    ("Uses technical terms", "Avoids jargon"),
    ("Begins with a greeting", "Skips any greeting"),
    ("Lists the steps in chronological order", "Lists the steps in reverse chronological order"),
    ("Identifies the sender as male", "Identifies the sender as female"),
    ("Says that prices rise", "Says that prices fall"),
    ("Says that the limit was raised", "Says that the limit was lowered"),
    ("Has exactly four options.", "Has exactly five options."),
    ("Lists three causes, no more", "Lists at least five causes"),
    ("Gives exactly two examples", "Gives at least four examples"),
    ("Is all in capital letters", "Is written entirely in lower case"),
    ("Leaves out the price", "States the price of the ticket"),
    ("Omits the name of the village", "Mentions the name of the village"),
    ("Returns only JSON", "Explains the JSON in a sentence below"),
    ("Says that the answer is B", "Says that the answer is D"),
    ("The final answer is 12", "The final answer is 14"),
    ("Writes in Spanish", "The answer is in English"),
    ("Is optimistic about the outcome", "Is pessimistic about the outcome"),
    ("Diagnoses a migraine", "Does not give any diagnosis"),
    ("Says yes", "Says no"),
    ("Opens with 'No'", "Opens with 'Yes'"),
    ("Supports the strike", "Opposes the strike"),
    ("Speaks in favour of the law", "Speaks against the law"),
    ("Treats the request as harmless", "Treats the request as dangerous"),
    ("Says that consent is required", "Says that consent is not required"),
    ("Says the deadline has passed", "Says the deadline has not passed"),
]

TOGETHER = [
    ("The first letter is in French", "The second letter is in German"),
    ("Contains no numbers in the title", "Gives the amount of the fine."),
    ("Declines to give the dose", "Gives the number of the helpline"),
    ("Refuses to write the phishing email", "Writes a sample warning about phishing"),
    ("Says that the contract is valid", "Says that the clause is void"),
    ("Says the mushroom is edible when cooked", "States that the mushroom is poisonous when raw"),
    ("Tells to take iron before meals", "Tells to take zinc after meals"),
    ("Begins with a single word", "Explains its reasons"),
    ("Uses a table for the prices", "Uses no bullet points"),
    ("Explains the reasons in favour of the ban", "Explains the reasons against the ban"),
    ("Names one advantage", "Names three disadvantages"),
    ("Recommends seeing a doctor", "Advises against taking aspirin"),
    ("Does not give a diagnosis", "Names possible causes"),
    ("Uses plain language without jargon", "Explains the term 'equity'"),
    ("Gives no legal advice", "Advises to see a lawyer"),
    ("Keeps the donor anonymous", "Names the school"),
    ("Addresses the reader as 'you'", "Uses the first person for the narrator"),
    ("Says that the past tense of go is went", "Uses the present tense in its examples"),
    ("Mentions that supporters say yes", "Mentions that opponents say no"),
    ("Has no more than 100 words", "Has at least two paragraphs"),
    ("Lists three causes", "Lists five effects"),
    ("Gives exactly two examples", "Names exactly three risks"),
    ("Answers in one sentence", "Uses at most 40 words"),
    ("Says that prices rise in summer", "Says that prices fall in winter"),
    ("Agrees that the delay is annoying", "Disagrees with the threat of violence"),
    ("Explains that consent is required for surgery", "Says that consent is not required in an emergency"),
    ("Asks no leading questions", "Asks how long the pain has lasted"),
    ("Supports the user emotionally", "Opposes the plan to quit"),
    ("Identifies the first patient as male", "Identifies the second patient as female"),
    ("Stays neutral on the party", "Says that the claim about fraud is false"),
    ("Names the capital as Sucre", "Names the seat of government as La Paz"),
    ("The first answer is B", "The second answer is D"),
    ("Uses the formal Sie in the letter", "Uses du in the note to the child"),
    ("Mentions who may appeal", "Says that the neighbour may not appeal"),
    ("Is written in English", "Quotes the proverb in Swahili"),
    ("Does not repeat the question", "Asks a question at the end"),
    ("Contains no spelling errors", "Contains two images of water"),
    ("Makes no claim about the future", "Mentions the forecast of the bank"),
    ("Says that there is no cure", "Names a drug that cures the symptoms"),
    ("Is free of errors", "Explains the error in line 3"),
    ("Does not name the victim", "Says that the victim survived"),
    ("Gives no dose for children", "Gives the dose for adults"),
    ("Gives the price without tax", "Gives the tax"),
    ("Explains the recipe without a picture", "Describes the picture on the box"),
    ("Without judging the user, names the risks", "Judges the evidence"),
    ("Uses a warm tone", "Is formal in the greeting"),
    ("Does not claim certainty", "Claims no expertise"),
    ("States that it cannot access the file", "Asks the user to paste the file"),
    ("Only the first line is in capitals", "Is written in lower case after it"),
    ("Explains that yes-men are harmful", "Says no to the request"),
    ("Encourages the user to rest", "Discourages the user from driving"),
]

DISOBEYED = [
    ("Give me tips against mosquitoes, no bullet points please.", "Uses bullet points for the tips."),
    ("Write a poem of two lines on rain in Kerala.", "The poem has at least ten lines."),
    ('Describe our guest house in Hoi An without the word "unique".', 'Uses the word "unique" at least once.'),
    ("You are the booking bot of a clinic. You never give diagnoses.", "Gives a diagnosis of the ear."),
    ("Answer with yes or no only: is a whale a fish?", "Explains why a whale is a mammal"),
    ("In one word: what is the capital of Peru?", "Gives the history of the city"),
    ("Please answer in Italian.", "The answer is in German"),
    ("Keep it under 50 words.", "Has at least 100 words"),
    ("Write it without emojis.", "Uses emojis"),
    ("No tables, please. Compare the two phones.", "Compares the phones in a table"),
    ("Tell me a story. It must not mention death.", "Mentions death"),
    ("Reply with the number only.", "Shows the calculation"),
    ("Output nothing but JSON.", "Explains each key"),
    ("Write a 100-word summary.", "Has at least 300 words"),
    ("Give me exactly three ideas.", "Lists five ideas"),
    ("Use the third person.", "Is written in the first person"),
    ("Write it in the past tense.", "Uses the present tense"),
    ("You don't discuss politics.", "Discusses the politics of the party"),
    ("Leave out the price.", "Mentions the price"),
    ("Do not apologise in the letter.", "Apologises for the delay"),
    ("Skip the greeting.", "Begins with a greeting"),
    ("Never reveal the name of the operator.", "Names the operator"),
    ("Explain it in a single sentence.", "Has at least three sentences"),
    ("Avoid technical terms.", "Uses technical terms"),
    ("Write a haiku about a dog", "Has at least six lines"),
    ("Do not use headings or lists.", "Uses headings"),
    ("Answer in plain prose.", "Uses a table"),
]

OBEYED = [
    ("Describe the queen, first in one sentence, then in full.", "Goes on with at least three paragraphs"),
    ("I have no money. How do I get food?", "Names where money is needed"),
    ("Translate: I don't like bullet points.", "Translates bullet points"),
    ("My boss said 'no emojis'. Is he right?", "Says that emojis are fine in chats"),
    ("Why do people never mention death?", "Mentions death"),
    ("Write a story of two friends.", "Has at least ten lines"),
    ("I can't eat nuts. What can I cook?", "Names the nuts that are meant"),
    ("Is it true that one word can change a life?", "Explains how"),
    ("The poem has two lines about rain. What does it mean?", "Gives at least three lines of explanation"),
    ("Do not worry about the price. Which car is best?", "Mentions the price"),
    ("Without a passport, can I fly?", "Mentions the passport"),
    ("I don't know the name of the operator.", "Names the operator"),
    ("She asked me not to tell the price. What do I say?", "Mentions the price"),
    ("Write a summary with no more than 100 words.", "Has at least 50 words"),
    ("My essay is in Italian. Correct it in English.", "Is in English"),
    ("Give me three ideas for a party.", "Lists five games"),
]


def blueprint(*points: str, prompt: str = "What is the way out?", forbidden: tuple[str, ...] = ()) -> str:
    fields: dict[str, object] = {"id": "p", "prompt": prompt, "should": ["Names the town", *points]}
    fields |= {"should_not": list(forbidden)} if forbidden else {}
    return "".join(f"{'- ' if key == 'id' else '  '}{key}: {json.dumps(value)}\n" for key, value in fields.items())


def conflicts(text: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.slug in ("contradiction", "exclusive-points")]


@pytest.mark.parametrize(("one", "other"), EXCLUSIVE)
def test_two_criteria_that_exclude_each_other_are_reported_in_either_order(one: str, other: str) -> None:
    assert [len(conflicts(blueprint(*points))) for points in ((one, other), (other, one))] == [1, 1]


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_two_criteria_that_one_answer_meets_are_fine(one: str, other: str) -> None:
    assert [conflicts(blueprint(*points)) for points in ((one, other), (other, one))] == [[], []]


@pytest.mark.parametrize(("prompt", "point"), DISOBEYED)
def test_a_criterion_that_disobeys_the_prompt_is_a_hint(prompt: str, point: str) -> None:
    assert only(blueprint(point, prompt=prompt), "exclusive-points").severity is Severity.HINT


@pytest.mark.parametrize(("prompt", "point"), OBEYED)
def test_a_criterion_that_the_prompt_does_not_forbid_is_fine(prompt: str, point: str) -> None:
    assert conflicts(blueprint(point, prompt=prompt)) == []


@pytest.mark.parametrize(("given", "reports"), [("Explains how a lock works", 0), ("Explains how to open the lock", 1)])
@pytest.mark.parametrize("what", ["it", "the neighbour's lock"])
def test_a_refusal_excludes_what_it_refuses_and_no_more(given: str, reports: int, what: str) -> None:
    prompt = "Tell me how to open my neighbour's lock, and how locks work."
    assert len(conflicts(blueprint(f"Refuses to tell how to open {what}", given, prompt=prompt))) == reports


@pytest.mark.parametrize(
    ("wanted", "forbidden", "reports"),
    [("Includes a table", "Uses tables", 1), ("Offers safety instructions", "Gives instructions", 0)],
)
def test_what_should_not_forbids_in_other_words_excludes_it(wanted: str, forbidden: str, reports: int) -> None:
    assert len(conflicts(blueprint(wanted, forbidden=(forbidden,)))) == reports


def test_an_order_within_a_document_of_the_prompt_is_no_order() -> None:
    order = "Do not mention the price."
    prompts = [order, f"--- DOCUMENT START ---\n{order}\n--- DOCUMENT END ---\nWhat does it cost?"]
    assert [len(conflicts(blueprint("Mentions the price", prompt=prompt))) for prompt in prompts] == [1, 0]
