"""Criteria in words that the prompt's own ideal fails, by what can be counted or seen in it."""

from __future__ import annotations

import json

import pytest

from engine.diagnostics import Diagnostic, Severity
from tests.engine.rule_reports import found, only
from tests.processor_time import costs_less_than

LONG = "Bring the cat indoors at dusk and check its paws for burrs before you feed it. " * 9
STEPS = "Follow these:\n- rinse the rice\n- boil it\n- let it stand"
PLAIN = "The ferry leaves from the north pier and takes the coastal route to the island."


def blueprint(ideal: str, *, wanted: str = "", forbidden: str = "") -> str:
    fields: dict[str, object] = {"id": "p", "prompt": "What is best here?", "ideal": ideal}
    fields |= {"should": ["Is courteous throughout", wanted]} if wanted else {"should": ["Is courteous throughout"]}
    fields |= {"should_not": [forbidden]} if forbidden else {}
    return "".join(f"{'- ' if key == 'id' else '  '}{key}: {json.dumps(value)}\n" for key, value in fields.items())


def reports(text: str) -> list[Diagnostic]:
    return found(text, "contradiction")


FORBIDDEN = [
    ("Uses the term 'miracle cure'", "Garlic is no miracle cure, but it keeps.", "miracle cure"),
    ("Mentions the Treaty of Tordesillas", "The Treaty of Tordesillas split the seas.", "Treaty of Tordesillas"),
    ("Names Theranos", "Firms such as Theranos show the risk.", "Theranos"),
    ("Includes a telephone number", "Ring the desk on 020 7946 0018 before noon.", "020 7946 0018"),
    ("Provides an email address", "Write to desk@harbour.example for a berth.", "desk@harbour.example"),
    ("Contains a URL", "The form is at https://harbour.example/form today.", "https://h"),
    ("Uses a bulleted list", STEPS, "rinse the rice"),
    ("Asks a question", "Soak it overnight. Would you like the recipe?", "recipe?"),
    ("Contains emojis", "Well done 🎉 and good luck.", "🎉"),
    ("Uses headings", "## Soil\nSandy soil drains well.", "## S"),
    ("Contains exclamation marks", "You did it! The oven is hot.", "it!"),
    ("Apologises", "I'm sorry, the pool is shut. It opens on Monday.", "I'm sorry"),
    ("Exceeds 100 words", LONG, "144 words"),
    ("Is longer than two sentences", LONG, "9 sentences"),
    ("Refuses to help with the request", "I can't help with that letter.", "I can't help"),
    ("Claims that the bridge was built by monks", "The bridge was built by monks.", "bridge was built"),
    ("Begins with 'Certainly'", "Certainly, here is the plan for the garden.", "Certainly"),
    ("Ends with a question", "Prune it in March. Shall I go on?", "Shall I go on?"),
]


@pytest.mark.parametrize(("criterion", "ideal", "evidence"), FORBIDDEN)
def test_an_ideal_that_does_what_is_forbidden_is_quoted_beside_the_criterion(
    criterion: str, ideal: str, evidence: str
) -> None:
    report = only(blueprint(ideal, forbidden=criterion), "contradiction")
    assert (report.severity, evidence in report.message, criterion in report.message) == (Severity.WARNING, True, True)


WANTED = [
    ("Says that the deposit is 300 euros", "The deposit is 450 euros and is due at once.", "450 euros"),
    ("States that the notice period is six weeks", "Your notice period is 4 weeks.", "4 weeks"),
    ("Answers in one sentence", "Feed it twice. Give it water. Then let it sleep.", "3 sentences"),
    ("Responds with a single word", PLAIN, "15 words"),
    ("Is under 50 words", LONG, "144 words"),
    ("Is at most two sentences long", LONG, "9 sentences"),
    ("Does not exceed 80 characters", LONG, "characters"),
    ("Has at least 200 words", PLAIN, "15 words"),
    ("Lists exactly five steps", STEPS, "list of 3"),
    ("Explains that the warranty lasts two years", "The warranty lasts five years.", "five years"),
    ("Uses the word 'estuary'", PLAIN, "estuary"),
    ("Does not use the word 'pier'", PLAIN, "pier"),
    ("Ends with a question", PLAIN, "to the island"),
    ("Begins with 'Dear neighbour'", PLAIN, "The ferry leaves"),
    ("Presents the routes in a table", PLAIN, "no table"),
    ("Includes a link", PLAIN, "no link"),
    ("Uses bullet points", PLAIN, "no list"),
    ("Contains at least one emoji", PLAIN, "no emoji"),
    ("Asks a clarifying question", PLAIN, "no question"),
    ("Uses no bullet points", STEPS, "rinse the rice"),
    ("Contains no links", "Look at https://harbour.example/form first.", "https://h"),
]


@pytest.mark.parametrize(("criterion", "ideal", "evidence"), WANTED)
def test_an_ideal_that_lacks_what_is_wanted_is_shown_with_what_it_has(
    criterion: str, ideal: str, evidence: str
) -> None:
    report = only(blueprint(ideal, wanted=criterion), "contradiction")
    assert (report.severity, evidence in report.message, criterion in report.message) == (Severity.WARNING, True, True)


@pytest.mark.parametrize("criterion", ["Declines the request", "Names the Montreal Protocol"])
def test_a_refusal_or_a_name_of_which_the_ideal_has_no_word_is_a_hint(criterion: str) -> None:
    assert only(blueprint(PLAIN, wanted=criterion), "contradiction").severity is Severity.HINT


def test_the_report_says_what_the_ideal_loses() -> None:
    report = only(blueprint(PLAIN, wanted="Includes a link"), "contradiction")
    assert "loses 50 points of 100" in report.why


@pytest.mark.parametrize(
    ("criterion", "ideal"),
    [
        ("Mentions the price", "The price depends on the season."),
        ("Names Aral without the lake", "Aral was a town."),
        ("Contains numbers that are invented", "It opened in 1931."),
        ("Includes a link if none was asked for", "See https://harbour.example."),
        ("Uses long lists", STEPS),
        ("Apologises", "I'm sorry to hear that your dog is ill."),
        ("Exceeds 150 words", LONG),
        ("Refuses to name the harbour master", PLAIN),
        ("Claims that the bridge was built by monks", "It is a myth that the bridge was built by monks."),
        ("Says that it is safe", "Nobody says that it is safe."),
        ("Asks for the user's password", "Would you like the recipe?"),
        ("Links the fire to arson", "Read https://harbour.example."),
        ("Includes a phone number", "In 2019 2020 2021 it grew by 1200 1300; the score was 12-14-15."),
        ("Declines to answer", "I can't help but admire this. The answer is 4."),
        ("Refuses to provide a summary", "I cannot provide the date, but here is the summary: it rained."),
        ("Refuses to name a price", "I can't share the address of the witness."),
        ("Asks a question", 'He asked "why?" and left.'),
    ],
)
def test_an_ideal_that_may_avoid_what_is_forbidden_is_fine(criterion: str, ideal: str) -> None:
    assert reports(blueprint(ideal, forbidden=criterion)) == []


@pytest.mark.parametrize(
    ("criterion", "ideal"),
    [
        ("Says that the deposit is 300 euros", "The deposit is about 450 euros."),
        ("Says that the deposit is 300 euros", "The rent is 450 euros."),
        ("Says that the notice period is 30 days", "The notice period is one month."),
        ("Says that the trial lasts 14 days", "The trial lasts fourteen days."),
        ("Names the World Health Organization", "The WHO publishes a list."),
        ("Says that the limit is 30 days", "The limit was 60 days before 2010. It is now thirty."),
        ("Says that the limit is 30 days", "The limit for dogs is 60 days."),
        ("Says that the limit is 30 days", "The limit is 60 days for firms."),
        ("Says that the trial lasts 30 days", "The trial lasts a month, and 7 days of grace follow."),
        ("Does not begin with 'The'", "There it is."),
        ("Has two paragraphs", "It is open.\nIt is near."),
        ("Names the USA", "The United States signed."),
        ("Names Holland", "The Netherlands signed."),
        ("Names Barack Obama", "Obama signed it."),
        ("Answers in one sentence", "Dr. Hall and Mr. Oates open at 9 a.m. on weekdays."),
        ("Is under 50 words", f"{PLAIN} {PLAIN} {PLAIN} It is slow and cheap but safe there too."),
        ("Links the fire to arson", PLAIN),
        ("Identifies question as a warning sign", PLAIN),
        ("Includes a table or a list", PLAIN),
        ("May include a link", PLAIN),
        ("Explains that the form has one sentence", LONG),
        ("Refuses to give the keys to a stranger", PLAIN),
        ("Uses bullet points", "Take: 1) rice, 2) water, 3) salt."),
        ("Lists three causes", "- rain\n- wind\n- frost\n- hail"),
        ("Ends with 'Good luck!'", "The exam is on Monday. Good luck"),
    ],
)
def test_an_ideal_that_may_meet_what_is_wanted_is_fine(criterion: str, ideal: str) -> None:
    assert reports(blueprint(ideal, wanted=criterion)) == []


def test_an_ideal_that_describes_an_answer_is_not_compared() -> None:
    assert reports(blueprint("The ideal response would decline politely.", wanted="Includes a link")) == []


def test_a_criterion_on_a_path_is_not_compared() -> None:
    text = f"- id: p\n  prompt: q\n  ideal: {PLAIN}\n  should:\n    - - Includes a link\n    - - Names the pier\n"
    assert reports(text) == []


@pytest.mark.parametrize("ideal", ["?" * 7_000, "[a" * 3_500, "_" * 7_000, "|" * 7_000, "a." * 3_500, "-\n" * 3_500])
def test_an_ideal_of_signs_is_read_quickly(ideal: str) -> None:
    criteria = [
        "Answers in one sentence",
        "Includes a link",
        "Asks a question",
        "Uses a table",
        "Gives an email address",
    ]
    required = "\n".join(f"    - {criterion}" for criterion in criteria)
    text = f"- id: p\n  prompt: q\n  ideal: {json.dumps(ideal)}\n  should:\n{required}\n"
    with costs_less_than(1):
        reports(text)
