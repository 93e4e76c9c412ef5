"""Prompts that speak of material that they do not hold, and prompts that look like these."""

from __future__ import annotations

import json

import pytest

from engine.text.diagnostics import Severity
from tests.engine.rule_reports import found, only, underlined

SLUG = "missing-material"

MISSING = [
    "Please read the attached PDF and list the three most serious findings.",
    "Rewrite the following letter from the job centre in plain language:",
    "Which rule does the road sign shown in the image above stand for?",
    "Describe the picture below.",
    "Look at the image below. What is it?",
    "Summarise the enclosed contract in five lines.",
    "Translate this sentence into Zulu:",
    "Use the uploaded spreadsheet to find the total.",
    "Find the law of growth. Data samples are provided.",
    "Identify the bird shown in the photo.",
    "Summarise the following article.",
    "Translate the following text into French.",
    "Summarize the text below.",
    "Based on the table below, which year had the highest sales?",
    "What does the attached contract say about notice?",
    "Paraphrase the passage above.",
    "Read the following passage and answer the question.",
]
HELD = [
    "What is the following article in the Constitution of Kenya after Article 43?",
    "How do I open the attached file in Outlook?",
    "What does the map below the stairs of the museum show?",
    'A mail says "see the attached invoice". Is it a scam?',
    "Sum up this text: The king is dead.",
    "What is provided by law? Is breakfast included?",
    "He is attached to his report. Explain the idiom.",
    "What do you see above all? Is the temperature below zero?",
    "Who uploaded the first video to the site?",
    "Write a mail to my landlord with the attached invoice.",
    "Draft a cover letter that mentions the attached CV.",
    "Give the text of the First Amendment:",
    "Which of the following sentences is correct?",
    "Is the following sentence correct? He go home.",
    "Translate the following sentence into French: Where is the station?",
    "Read the text below. Tom went home. Where did he go?",
    "Correct the sentence below. How is you?",
    "Summarise the following text.\n\nThe king is dead.",
    "What is an attached document in law?",
]


def asked(prompt: str, *points: str, header: str = "", **fields: object) -> str:
    return header + json.dumps([{"id": "p", "prompt": prompt, "should": points or ["Names it"], **fields}])


@pytest.mark.parametrize("prompt", MISSING)
def test_material_that_is_named_and_not_there_is_a_warning(prompt: str) -> None:
    assert only(asked(prompt), SLUG).severity is Severity.WARNING


@pytest.mark.parametrize("prompt", HELD)
def test_material_that_is_there_or_not_meant_is_left_alone(prompt: str) -> None:
    assert found(asked(prompt), SLUG) == []


def test_the_words_for_the_material_are_underlined() -> None:
    assert underlined(asked("Describe the picture below."), SLUG) == "the picture below"


@pytest.mark.parametrize(
    "text",
    [
        asked(MISSING[0], "Says that nothing was attached and asks the user to share it"),
        asked(MISSING[0], "Asks for the text"),
        asked(MISSING[0], "Says that there is no such document"),
        asked(MISSING[0], ideal="I can't see a PDF. Please paste its text."),
        asked(MISSING[0], system=f"You answer from this report. {'It says so. ' * 20}"),
        asked(MISSING[0], context="The report."),
        asked(MISSING[0], header=f"title: t\nsystem: {'It says so. ' * 20}\n---\n"),
        asked(MISSING[0], header="title: t\ntools: [{name: read_file}]\n---\n"),
    ],
)
def test_material_that_is_elsewhere_or_tested_for_is_left_alone(text: str) -> None:
    assert found(text, SLUG) == []
