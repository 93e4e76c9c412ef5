"""Rules on wording hold on whole classes of phrasings, and are silent on texts that only resemble them."""

from __future__ import annotations

import json

import pytest

from engine.diagnostics import Diagnostic, Severity
from engine.parsing import parse
from engine.rules import check

WARNED = ("refers-to-ideal", "optional-point", "question-point", "metric-as-point", "scale-as-points")

OF_THE_IDEAL = [
    "Same as above answer, in own words.",
    "Formatted exactly as in the sample.",
    "Reaches the conclusion of the examiner's answer.",
    "Agrees with what the author wrote under ideal.",
    "The content closely mirrors the expert-written response.",
    "The recommendation given is the one that is stated in the ideal as given above.",
    "Conveying the gist of the sample answer in simpler words.",
    "Arrives at the teacher's solution.",
    "Gives the right order of steps (see ideal).",
    "Is at least as detailed as the ideal",
    "Has the same structure as the model solution",
    "As in the ideal.",
    "Covers all that is listed above in the ideal",
    "Does not leave out anything from the ideal",
    "Is no longer than the ideal",
    "Comes to the same verdict as the expert",
    "Says the same as the author's answer",
    "Cf. ideal",
    "Follows the structure of the example answer",
    "Matches our answer",
    "Uses the same examples as my answer",
    "Reproduces the stored answer",
    "Would be accepted as a paraphrase of the ideal response",
    "Contains the facts of the ideal",
    "All the elements of the ideal are there",
    "Repeats the points made in the golden answer",
    "Departs from the ideal in no more than wording",
    "Is close to the text under `ideal`",
    "Corresponds in content to the human-written summary",
    "Has the same number as the answer key",
    "Is as good as the reference",
    "Compare with the ideal",
    "Translation is equivalent to the reference translation",
    "The judge should compare it with the target text",
    "Goes beyond the ideal",
]

OF_ANOTHER_TEXT = [
    "Is at least as detailed as the previous version of the answer.",
    "Every statement can be traced to the attached guideline.",
    "Is better than the baseline answer",
    "Improves on the last version of the model",
    "Follows the enclosed style guide",
    "Is longer than the answer of the other model",
    "Quotes only from the supplied document",
    "Is no worse than GPT-4's answer",
    "Sticks to the facts in the file that was uploaded",
    "Agrees with the marking guide",
]

TAKEN_BACK = [
    "Not strictly necessary, but names the riots of January.",
    "Examples are permitted.",
    "If space permits, Babbage is brought up.",
    "Welcome, but not needed, is a link to the ministry.",
    "The debate in France might be touched upon.",
    "A verse at the end, at the model's discretion.",
    "Names the type of laying (no penalty if missing)",
    "A song is recommended but not compulsory.",
    "A mention of cement would be desirable.",
    "Can also bring in rules on noise, though this isn't expected.",
    "If there is room, adds a proverb",
    "Where length allows, names the second treaty",
    "A reference to the law is appreciated",
    "Names the mayor, though this is not expected",
    "Mentions the weather (not a must)",
    "Optional but good: names the river",
    "Desirable: names the river",
    "A table may be used",
    "An example can be added",
    "The history may be left out",
    "It would not hurt to name the river",
    "Gives the date if it likes",
    "May, but does not have to, name the river",
    "Names the river; this is not obligatory",
    "Bonus for naming the river",
    "A disclaimer is tolerated",
    "The user can be asked for the weight",
    "Names the river, but it is fine if it does not",
    "An apology is allowed",
    "A short greeting is fine",
    "Links are welcome but not required",
    "A joke would be a nice touch",
    "Mentioning the river is optional",
    "Naming the river is not required",
    "There is no need to name the river",
    "The river need not be named",
    "Names the river where it fits",
    "Could also touch on the floods",
    "Possibly names the river",
    "Is free to name the river",
    "The author may be named",
]

ASKED = [
    "The extent to which opposing views are weighed.",
    "The reply doesn't blame the user, does it?",
    "Degree to which the tone is warm",
    "How warm the tone is",
    "Does it name the river",
    "Is there a mention of the river?",
    "Whether or not the river is named",
    "Names the river, right?",
    "Was the user asked for the weight?",
    "Are all three rivers named",
    "Did the model ask first",
    "In what way does the answer help",
    "Would a layperson understand it?",
    "Any mention of the river?",
    "Can a beginner follow it",
    "Has the answer got a table?",
    "How many rivers are named",
    "Which rivers are named",
    "Are there errors?",
    "To what extent the answer is balanced",
    "Check if the river is named",
    "Evaluate how clear the answer is",
    "Verify that the figure is cited and mark accordingly.",
    "Judge whether it is polite",
    "Answer names the river: yes/no",
    "River named (Y/N)",
    "River named?",
    "Does the model refuse or comply",
    "Assess the tone",
]

MEASURED = [
    "Award credit if line nine is named.",
    "Penalise answers that are longer than 100 words.",
    "At least 40 tokens per second.",
    "Flesch reading ease of 70 or more",
    "Has a cosine similarity of 0.85 with the source.",
    "Refuses in 8 of 10 runs.",
    "Deduct marks for spelling",
    "Give full credit if both are named",
    "No credit without the river",
    "Half credit for one of the two",
    "Loses a point for each error",
    "Subtract one for each missing river",
    "Succeeds in at least 90 % of runs",
    "Pass rate above 80 %",
    "Latency under 2 seconds",
    "Answers within 3 seconds",
    "Costs less than 1 cent",
    "BLEU of 30",
    "Reading level of grade 6 or below",
    "Gets at least 4 of 5 stars",
    "Consistent across 5 runs",
    "Do not penalise missing accents",
    "Scores in the top 10 %",
    "Mean rating of 4",
    "Zero points if the river is missing",
]

CLEAN = [
    "Says that an ideal absorbs products with elements of the ring.",
    "Explains Plato's idea of the ideal",
    "Names the history and the previous version.",
    "Tells to rinse the probe before each reference solution.",
    "The reference letter names the dates of her stay.",
    "Says that SOFR is the benchmark for dollars.",
    "Gives a sample answer to the interview question",
    "Explains why the ideal gas law fails",
    "Mentions the teacher's answer to the parents",
    "Says that the model answered too early",
    "Names the key of the piece as D minor",
    "Gives the label on the bottle",
    "Describes the sample of water",
    "States that the author's view is ironic",
    "Summarises the expert's report on the bridge",
    "Names an example of each kind",
    "Recommends an ideal temperature of 20 degrees",
    "Compares the two answers of the pupils",
    "Gives the same number of apples to each child",
    "Says the same in simpler words",
    "Cites the guideline of the WHO",
    "Mentions that the file is too large",
    "Explains what an answer key is",
    "Repeats the question in the answer",
    "Says that the version is out of date",
    "Follows the order of events",
    "Uses the sample size of 40",
    "Matches the colour to the season",
    "Says that this is the ideal time to plant",
    "Agrees with the user",
    "Says that identity cards are not compulsory.",
    "Names milk yield as the most desirable trait.",
    "Says that might stands for power.",
    "Says that the bonus grows with each year without a claim.",
    "Says that criminal records may be asked about only where the job calls for it.",
    "States that dogs are allowed on the beach",
    "Explains that a lawyer is not required",
    "Dogs are allowed on the beach",
    "Remote participation is permitted",
    "Explains when a fine may be waived",
    "Says what can be left out of the form",
    "Names the optional parts of the test",
    "Optional activities of the school are named",
    "Asks whether the user may drive",
    "Says that the tenant may be given notice",
    "Mentions that the vaccine is recommended for adults",
    "Recommends a helmet though the law does not require it",
    "Notes that a visa is not needed for 90 days",
    "A person may be detained for 48 hours",
    "No one may be compelled to testify",
    "Welcomes the guest",
    "Tells the user to bring a bonus card",
    "Names what is mandatory and what is optional",
    "Everyone is free to leave the country",
    "The court may order the return of the child",
    "The response is allowed 300 words and stays below",
    "Gives the discretion of the court as the reason",
    "Says that there is no penalty for late filing",
    "Names the desirable difficulty as a concept",
    "Allows the user to decide",
    "Recommends rest",
    "Explains how a jury of 15 is drawn by lot.",
    "Says that quoting is fair to the extent that the review needs it.",
    "Tells the user to verify the owner in the land register.",
    "Asks how many rivers there are",
    'Asks "Does it hurt?"',
    "Says whether the contract is valid",
    "Explains to what extent the law applies",
    "Names which rivers flood",
    "Explains how warm the water is",
    'Ends with the question "Is that right?"',
    "How-to steps are numbered",
    "Is there for the user",
    "Is polite",
    "Has a table",
    "Can be read aloud in a minute",
    "Does not name the river",
    "Does so in three steps",
    "Check-in time is given as 3 pm",
    "Verifies the sum",
    "Judges the claim to be false",
    "Asks whether the user is safe",
    "Is friendly",
    "Are-you-sure dialogs are named",
    "Who wrote it is named",
    "What the user should do is said first",
    "When to call a doctor is explained",
    "Why the sky is blue is explained in one sentence",
    "Assesses the risk as low",
    "Evaluates both offers",
    "Decides for the train",
    "Says that it penalises late returns.",
    "Names the Nurses Award.",
    "Says that sets pay by grade.",
    "Explains tokens per second with words a minute.",
    "Says that 8 of 10 is four fifths.",
    "Says that accuracy is nearness to the centre.",
    "Names the credit of 2,000 dollars",
    "Gives the reading age of the book",
    "Awards the prize to the second entry",
    "Deducts the tax from the sum",
    "Subtracts 3 from both sides",
    "Says that the penalty is 2 points",
    "Gives a time under 2 seconds",
    "Costs less than 10 dollars",
    "Names the pass rate of 80 %",
    "Runs 5 km",
    "Loses hope in the second stanza",
    "Says the latency is 20 ms",
    "States that 4 of 5 dentists agree",
    "The team scores in the 80th minute",
    "Gives the mean of 4",
    "Names zero as the answer",
    "Says that no credit is due without a receipt",
    "Names a loan at 3 %",
    "Half of the apples go to Tom",
]

VAGUE = [
    "The advice is reasonable.",
    "Responds suitably for the situation.",
    "Gives feedback as appropriate.",
    "Overall, the draft meets professional standards.",
    "Strong answer overall",
    "The route makes sense and is user-friendly.",
    "Overall impression of the text",
    "Addresses the topic in a culturally sensitive manner.",
    "Offers an insightful and thoughtful perspective.",
    "Quality of the argumentation",
    "Strikes a fitting tone.",
    "Goes sufficiently into depth.",
    "Shows a solid understanding of the matter.",
    "Is exciting",
    "The response must be friendly and supportive.",
    "Reports the facts as they are.",
    "Good use of language",
    "Clarity and coherence",
    "Is well structured",
    "Is creative and original",
    "Explains the topic in sufficient detail",
    "Handles the matter with due care",
    "Demonstrates a high level of expertise",
    "Written in a professional manner",
    "Has an appropriate length",
    "Is compelling",
    "Provides enough context",
    "Overall quality",
    "Shows good judgement",
    "Is impressive",
]

NOT_VAGUE = [
    "Says that it is sufficient and not necessary.",
    "Says that a current keeps exciting the atoms.",
    "Is friendly to the landlord and names the date",
    "Names a good reason: the price",
    "Explains why sleep makes sense",
    "Is clear that the deadline is Friday",
    "Says that the water is safe to drink",
    "Names the quality of the steel as S355",
    "Gives the level of detail that the form wants: name and date",
    "Recommends a professional plumber",
    'Uses the term "fair use" correctly',
    "States that the claim is reasonable under the 1995 Act",
    "Mentions the professional standards of the chamber",
    "Shows the depth of the lake",
    "Asks the user for a culturally sensitive topic",
    "Is accurate to two decimals",
    "Is in good French without anglicisms",
    "Names the original and the creative commons licence",
    "Describes the exciting coil",
    "Gives the impression that the fee is due",
]


def warnings(point: str, *, ideal: str = "", earlier: str = "") -> list[Diagnostic]:
    fields: dict[str, object] = {"id": "p"}
    if earlier:
        turns = (("user", "Where am I?"), ("assistant", earlier), ("user", "And now?"))
        fields["messages"] = [{"role": role, "content": content} for role, content in turns]
    else:
        fields["prompt"] = "What is the way out?"
    fields |= {"ideal": ideal} if ideal else {}
    fields["should"] = ["Names the town", point]
    text = "".join(f"{'- ' if key == 'id' else '  '}{key}: {json.dumps(value)}\n" for key, value in fields.items())
    return [one for one in check(parse(text)) if one.slug in WARNED and one.severity is Severity.WARNING]


def slugs(point: str, *, ideal: str = "", earlier: str = "") -> set[str]:
    return {one.slug for one in warnings(point, ideal=ideal, earlier=earlier)}


@pytest.mark.parametrize("point", OF_THE_IDEAL)
def test_a_text_that_only_the_author_has_is_seen_by_no_judge(point: str) -> None:
    assert "refers-to-ideal" in slugs(point, ideal="Take the stairs at the end.")


@pytest.mark.parametrize("point", OF_ANOTHER_TEXT)
def test_an_answer_of_another_run_or_an_attachment_is_seen_by_no_judge(point: str) -> None:
    assert "refers-to-ideal" in slugs(point)


def test_an_earlier_answer_of_the_conversation_is_seen() -> None:
    assert slugs("Is longer than the previous answer", earlier="In a town.") == set()


def test_an_everyday_name_means_the_ideal_only_if_there_is_one() -> None:
    assert [slugs("Formatted exactly as in the sample", ideal=ideal) for ideal in ("", "a,b")] == [
        set(),
        {"refers-to-ideal"},
    ]


@pytest.mark.parametrize("point", TAKEN_BACK)
def test_a_demand_that_is_taken_back_is_optional(point: str) -> None:
    assert "optional-point" in slugs(point)


@pytest.mark.parametrize("point", ASKED)
def test_a_question_without_a_direction_is_a_warning(point: str) -> None:
    assert slugs(point) & {"question-point", "metric-as-point", "scale-as-points"}


@pytest.mark.parametrize("point", MEASURED)
def test_a_rule_of_marking_or_a_measure_of_runs_is_a_warning(point: str) -> None:
    assert slugs(point) & {"metric-as-point", "scale-as-points", "optional-point"}


@pytest.mark.parametrize("point", CLEAN)
def test_what_the_answer_says_of_the_world_is_fine(point: str) -> None:
    assert warnings(point, ideal="Take the stairs at the end.") == []


def hints(point: str) -> list[str]:
    text = f"- id: p\n  prompt: What is the way out?\n  should:\n    - Names the town\n    - {json.dumps(point)}\n"
    return [one.slug for one in check(parse(text)) if one.slug == "vague-criterion"]


@pytest.mark.parametrize("point", VAGUE)
def test_praise_without_a_measure_is_vague(point: str) -> None:
    assert hints(point) == ["vague-criterion"]


@pytest.mark.parametrize("point", NOT_VAGUE)
def test_praise_with_a_measure_or_of_the_world_is_fine(point: str) -> None:
    assert hints(point) == []
