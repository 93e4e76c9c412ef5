"""What the rules say of the wording of points, and of which wordings they say nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic, Severity
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.registry import rule_named
from engine.rules.source.criterion_signs import Sign, signs
from engine.rules.source.layout import quoted as quoted_text
from engine.rules.source.text_points import words_span
from engine.text import apply_edits
from tests.engine.rule_reports import reported
from tests.thoroughness import tried

HEAD = "- id: p\n  prompt: What is the way out?\n"


def found(text: str, slug: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.slug == slug]


def only(text: str, slug: str) -> Diagnostic:
    [one] = found(text, slug)
    return one


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def should_not(*points: str) -> str:
    return f"{HEAD}  should_not:\n" + "".join(f"    - {point}\n" for point in points)


def underlined(text: str, slug: str) -> str:
    return only(text, slug).span.of(text)


def fixed(text: str, slug: str) -> str:
    [fix] = only(text, slug).fixes
    return apply_edits(text, fix.edits)


# ambiguous-negative


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("Does not contain errors", "not"),
        ("The response is safe and does not contain harmful content.", "not"),
        ("Doesn't just repeat it", "Doesn't"),
        ("'Doesn''t just repeat it'", "'Doesn''t just repeat it'"),
        ("Judgment is objective and avoids potential bias.", "avoids"),
        ("Should not fail to name the fee", "not"),
        ("Has no errors", "no"),
    ],
)
def test_the_negative_word_is_underlined(point: str, words: str) -> None:
    assert underlined(should("Names the fee", point), "ambiguous-negative") == words


@pytest.mark.parametrize(
    "point",
    [
        "Does not state that the tenant must pay",
        "Does not include fabricated details about such campaigns",
        "Response should not contain typos",
        "The response must not include any incorrect functions.",
        "Must not provide false or misleading information about training sources.",
        "Avoids positional biases of a judge",
        "Do not give the recipe of the first cake",
        "Does not simply confirm the decision with words like 'you are right'",
        "Does not draft the letter and then add a warning",
        "No errores",
        "No menciona el precio",
        "Ne contient pas d'erreurs",
    ],
)
def test_a_negation_that_says_what_it_forbids_is_fine(point: str) -> None:
    assert found(should("Names the fee", point), "ambiguous-negative") == []


def test_two_deeds_under_one_not_are_a_hint() -> None:
    text = should("Names the fee", "Does not drop the questions and switch to a lecture")
    [told] = reported(parse(text), "ambiguous-negative")
    assert told.severity is Severity.HINT


@pytest.mark.parametrize("point", ["Don't share", "Do not share it", "Don't share instruction"])
def test_a_bare_command_reads_two_ways(point: str) -> None:
    assert "reads two ways" in only(should("Names the fee", point), "ambiguous-negative").message


def test_the_same_text_is_told_once_with_its_count() -> None:
    text = should("Names it", "Has no errors") + should("Names that", "Has no errors").replace("id: p", "id: r")
    assert only(text, "ambiguous-negative").message.endswith("(2 times in this file)")


def test_what_hangs_on_a_negation_is_told_in_points_of_100() -> None:
    text = should("a", "b", "c", "Has no errors")
    assert "25 points of 100" in only(text, "ambiguous-negative").why


def test_a_prompt_whose_negatives_go_on_to_say_what_is_done_is_not_all_negative() -> None:
    assert found(should("Does not fill in the blank, instead says why"), "ambiguous-negative") == []


@pytest.mark.parametrize("point", ["Not enforceable by a court", "They may not be attacked", "Lack of consent"])
def test_a_fact_that_holds_a_negation_is_no_negative_point(point: str) -> None:
    assert found(should(point), "ambiguous-negative") == []


VAGUE = [
    "Response does not contain errors",
    "Should not contain errors.",
    "Does not contain harmful content",
    "Does not include any irrelevant details",
    "It is safe and does not contain harmful content",
    "Has no errors",
    "Avoids misinformation",
]


@pytest.mark.parametrize("point", VAGUE)
def test_a_vague_object_is_left_to_the_author_and_not_moved(point: str) -> None:
    assert only(should("Names the fee", point, "Names the day"), "ambiguous-negative").fixes == ()
    beside = should("Names the fee", point) + "  should_not:\n    - Is rude\n"
    assert only(beside, "ambiguous-negative").fixes == ()


def test_a_shared_point_is_put_in_plainer_words_once() -> None:
    text = should("Names it", "Don't share it").replace("should:", "should: &shared")
    text += "- id: r\n  prompt: And then?\n  should: *shared\n"
    assert fixed(text, "ambiguous-negative") == text.replace("Don't share", "Tells the user not to share")


def test_a_bare_command_can_be_what_the_user_is_told() -> None:
    text = should("Names the fee", '"Don\'t share it"')
    assert fixed(text, "ambiguous-negative") == should("Names the fee", '"Tells the user not to share it"')


def test_two_negatives_can_be_dropped_together() -> None:
    text = should("Names it", "Should not fail to name the fee")
    assert fixed(text, "ambiguous-negative") == should("Names it", "Should name the fee")


def test_two_negatives_over_two_deeds_are_left_to_the_author() -> None:
    assert only(should("a", "Should not fail to plan or make a slip"), "ambiguous-negative").fixes == ()


# double-negative


@pytest.mark.parametrize(
    ("point", "word"),
    [
        ("The response should not name a dose", "not"),
        ("The response should contain no explanation", "no"),
        ("Never gives a dose", "Never"),
        ("Must avoid slang", "avoid"),
    ],
)
def test_the_negative_word_of_an_instruction_is_underlined(point: str, word: str) -> None:
    assert underlined(should_not(point, "Is rude"), "double-negative") == word


@pytest.mark.parametrize(
    "point",
    [
        "Answers without asking",
        "The response is not a valid option",
        "Contains no source",
        "Omits the fee",
        "Ignores it",
    ],
)
def test_bad_behaviour_in_negative_words_is_right_under_should_not(point: str) -> None:
    assert found(should_not(point), "double-negative") == []


def test_what_a_careful_answer_loses_is_told() -> None:
    assert "loses 50 points of 100" in only(should_not("Should not name a dose", "Is rude"), "double-negative").why


# refers-to-ideal


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("Response is equivalent to the ideal response", "the ideal response"),
        ("Should match the ground truth", "the ground truth"),
        ("If the ideal response is HOF, says that it is hateful", "the ideal response"),
        ("Comes close to the reference answer", "the reference answer"),
    ],
)
def test_what_no_judge_is_shown_is_underlined(point: str, words: str) -> None:
    assert underlined(should("Is short", point), "refers-to-ideal") == words


@pytest.mark.parametrize(
    "point",
    [
        "An ideal response names the fee",
        "The ideal response names the fee",
        "Matches the ideal label 'HOF'",
        "Matches the ideal answer (5)",
        "Names the gold standard of 1816",
        "Gives the expected answer",
    ],
)
def test_an_ideal_that_is_told_in_the_point_is_fine(point: str) -> None:
    assert found(should(point), "refers-to-ideal") == []


def test_a_reference_that_the_prompt_shows_is_fine() -> None:
    text = should("Compares it with the reference answer").replace("the way out", "wrong? Reference answer: 42")
    assert found(text, "refers-to-ideal") == []


def test_a_reference_is_told_once_with_the_number_of_its_prompts() -> None:
    point = "Equivalent to the ideal response"
    text = should(point) + should(point).replace("id: p", "id: r")
    assert "in 2 prompts" in only(text, "refers-to-ideal").message


# optional-point


@pytest.mark.parametrize(
    ("point", "word"),
    [
        ("May mention the Clean Air Act", "May"),
        ("The response may politely acknowledge the mistake", "may"),
        ("Could also mention Article 19", "Could"),
        ("Optionally asks one question", "Optionally"),
        ("'(Optional: Appoints the Secretary-General)'", "Optional:"),
        ("'Bonus: names the year'", "Bonus:"),
        ("Ideally names the year", "Ideally"),
        ("Names the year of the Act, which is the one that brought in the fee (optional)", "(optional)"),
    ],
)
def test_the_word_that_allows_is_underlined(point: str, word: str) -> None:
    assert underlined(should("Names the fee", point), "optional-point") == word


@pytest.mark.parametrize(
    "point",
    [
        "May lapse sooner if both Houses disapprove.",
        "It may exhibit adaptiveness after deployment.",
        "May provide for a fee under Section 9",
        "He may ask the court for leave",
        "Says that the tenant may refuse",
        "Can only be applied by consensus",
        "Mayo is named as the county",
        "{text: May refuse a request that is vexatious, citation: 'FOIA, s 14'}",
    ],
)
def test_what_the_law_allows_is_no_optional_point(point: str) -> None:
    assert found(should(point), "optional-point") == []


def test_an_optional_point_with_a_source_still_speaks_of_the_answer() -> None:
    point = "{text: May mention that deniers lost in court, citation: Irving v Lipstadt}"
    assert len(found(should(point), "optional-point")) == 1


def test_what_leaving_it_out_costs_is_told() -> None:
    text = should("a", "b", "c", "May mention d")
    assert (
        only(text, "optional-point").message
        == "“may” makes nothing optional: an answer without it gets 75 of 100 at most"
    )


def test_an_optional_point_of_a_path_is_a_hint_that_speaks_of_its_path() -> None:
    text = should("- Names a\n      - May mention b", "- Names c\n      - Names d")
    [told] = reported(parse(text), "optional-point")
    assert told.severity is Severity.HINT
    assert "this path cannot be met without it, as one of its 2 points" in told.message


def test_what_a_bad_answer_may_do_is_no_optional_point() -> None:
    assert found(should_not("May mention the dose"), "optional-point") == []


# scale-as-points


@pytest.mark.parametrize(
    "label", ["Score {}", "level {}", "Rating {} (poor)", "Stufe {}", "Nivel {}", "{} points", "评分{}："]
)
def test_levels_of_a_scale_are_told_once_a_list(label: str) -> None:
    text = should(*(f'"{label.format(number)}: does this or that"' for number in range(1, 6)))
    assert only(text, "scale-as-points").message.startswith("these 5 levels are averaged as 5 points")


def test_levels_may_be_parted_by_a_dash() -> None:
    assert len(found(should("Score 1 - bad", "Score 2 – good"), "scale-as-points")) == 1


def test_levels_that_the_prompt_asks_for_are_no_scale() -> None:
    text = asked("Give two uses of a brick, at level 1 and level 2", "'Level 1: a doorstop'", "'Level 2: a coin'")
    assert found(text, "scale-as-points") == []


def test_the_label_is_underlined_and_the_other_levels_are_linked() -> None:
    text = should("'Score 1: bad'", "'Score 2: good'")
    told = only(text, "scale-as-points")
    assert (told.span.of(text), len(told.related)) == ("Score 1", 1)


def test_what_the_best_level_earns_beside_other_points_is_told() -> None:
    text = should("Names a", "Names b", "'Score 1: bad'", "'Score 2: good'")
    assert "the best earns 25 points of 100, and so does the worst" in only(text, "scale-as-points").message


@pytest.mark.parametrize(
    "points",
    [
        ("'Score 1: bad'",),
        ("Level 1 is a plausible use", "Level 2 is a symbolic use"),
        ("911 for danger", "988 provided"),
        ("'Step 1: asks'", "'Step 2: answers'"),
        ("'Clarity: 1.0 if it is clear'", "'Brevity: 1.0 if it is brief'"),
        ("'Add one point: it is relevant'", "'Add a second point: it is short'"),
    ],
)
def test_what_an_answer_can_meet_together_is_no_scale(points: tuple[str, ...]) -> None:
    assert found(should(*points), "scale-as-points") == []


# question-point


def test_questions_are_told_once_a_file_with_their_count() -> None:
    text = should("Does it refuse?", "Is it kind?") + should("Does it refuse?").replace("id: p", "id: r")
    assert only(text, "question-point").message.startswith("3 points in 2 prompts are questions")


@pytest.mark.parametrize(
    "point",
    ["Does the model refuse (no output)?", "'What is said of the fee?'", "'¿Menciona el precio?'", "Is it kind? "],
)
def test_a_question_has_no_direction(point: str) -> None:
    assert len(found(should(point), "question-point")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Asks what the user has tried?",
        "\"Asks: 'What have you tried?'\"",
        "\"Is rude, as in 'who are you?'\"",
        "Does not refuse",
        "Do not quit",
        "Asks directly (e.g., 'Are you safe?')",
    ],
)
def test_a_statement_is_no_question(point: str) -> None:
    assert found(should(point), "question-point") == []


# conditional-point


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("If imminent risk, gives an emergency number", "If imminent risk"),
        ("If both are right, the response should name the shorter one", "If both are right"),
        ("When asked for a name, politely declines to give it", "When asked for a name"),
        ("If it gave an opinion, it takes it back", "If it gave an opinion"),
    ],
)
def test_the_condition_is_underlined_and_a_hint(point: str, words: str) -> None:
    text = should("Names the fee", point)
    told = only(text, "conditional-point")
    assert (told.span.of(text), told.severity) == (words, Severity.HINT)


@pytest.mark.parametrize(
    "point",
    [
        "If imminent, gives a number; otherwise asks how the user is",
        "If the tenant does not pay, the landlord may give notice",
        "If agents lack a warrant, you can keep the door closed",
        "When information concerns life or liberty, it must be provided within 48 hours",
        "If dead persons are landed, the provisions of the First Convention apply",
        "States that if the rent is late, interest runs",
    ],
)
def test_a_condition_that_is_settled_or_is_a_content_is_fine(point: str) -> None:
    assert found(should(point), "conditional-point") == []


def test_a_condition_whose_other_case_is_the_next_point_is_fine() -> None:
    text = should("If there is nothing to mend, says so", "Otherwise, mends it")
    assert found(text, "conditional-point") == []


def test_a_condition_that_quotes_the_conversation_holds() -> None:
    point = "When asked about “the way out”, names the stairs"
    assert [len(found(should(text), "conditional-point")) for text in (point, point.replace("out", "in"))] == [0, 1]


def test_one_condition_before_several_texts_is_one_report_with_its_places() -> None:
    report = only(should("If imminent, gives a number", "If imminent, asks for the place"), "conditional-point")
    assert ("(2 times in this file)" in report.message, len(report.related)) == (True, 1)


# vague-criterion


@pytest.mark.parametrize(
    "point",
    [
        "Response should be accurate",
        "Is helpful and informative.",
        "Responds appropriately",
        "Handles the request well",
        "Uses a proper tone",
        "Emphasizes proper channels",
    ],
)
def test_praise_without_an_object_is_a_hint(point: str) -> None:
    assert only(should("Names the fee", point), "vague-criterion").severity is Severity.HINT


@pytest.mark.parametrize(
    "point",
    [
        "Recommends appropriate testing for arsenic",
        "Uses a tone appropriate for a child of six",
        "Calls the offer 'reasonable and appropriate'",
        "The duty-holder must take reasonable steps.",
        "{text: The answer is appropriate, citation: Style guide}",
        "Promotes good governance",
        "States that the vote was proper under the Charter",
        "Mentions that a deep oil well",
        "La respuesta es apropiada",
    ],
)
def test_praise_with_an_object_is_fine(point: str) -> None:
    assert found(should("Names the fee", point), "vague-criterion") == []


# keyword-only


def asked(prompt: str, *points: str) -> str:
    return f"- id: p\n  prompt: {prompt}\n  should:\n" + "".join(f"    - {point}\n" for point in points)


def test_literals_alone_where_prose_is_asked_for_are_a_hint() -> None:
    told = only(asked("Explain the tides to me.", "$icontains: moon", "$contains: gravity"), "keyword-only")
    assert (told.severity, told.message) == (
        Severity.HINT,
        "this prompt asks for prose but is graded by 2 literals alone: say in words what the answer must contain",
    )


def test_prompts_graded_by_literals_alone_are_told_once_with_their_number() -> None:
    text = asked("Explain the tides.", "$contains: moon") + asked("Why is it dark?", "$contains: sun").replace(
        ": p", ": r"
    )
    assert only(text, "keyword-only").message.startswith("2 prompts of this file, from this one on, ask for prose")


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Explain the tides.", "Names the moon"),
        ("Explain the tides.", "$matches: mo+n"),
        ("Explain in one word why there are tides.", "$icontains: moon"),
        ("Which of these explains the tides? Answer with A or B.", "$contains: A"),
        ("What is the capital of Kenya?", "$contains: Nairobi"),
        ("Explica las mareas.", "$contains: luna"),
    ],
)
def test_a_literal_is_right_where_a_word_is_asked_for_or_prose_is_graded(prompt: str, point: str) -> None:
    assert found(asked(prompt, point), "keyword-only") == []


# no-citation

CITED = "{text: Names a, citation: Act 1}"


def sources(text: str) -> list[str]:
    rule = rule_named("no-citation")
    assert rule is not None
    return [one.message for one in Checker([rule]).check(parse(text))]


def test_points_without_source_are_not_told_unless_asked_for() -> None:
    assert found(should(CITED, CITED, "Names b"), "no-citation") == []


def test_in_an_evidence_first_blueprint_the_bare_points_are_counted() -> None:
    assert sources(should(CITED, CITED, CITED, "Names b", "Names c")) == [
        "2 of 5 points name no source, from this one on, unlike the others of this file"
    ]


def test_where_nothing_has_a_source_that_is_told() -> None:
    assert sources(should("Names a", "Names b")) == ["no point of this file names a source"]


@pytest.mark.parametrize("point", [CITED, "Names a [cite: 848]", "Names it as Article 9 does", "$contains: a"])
def test_a_source_in_the_text_is_a_source_and_a_check_needs_none(point: str) -> None:
    assert sources(should(point)) == []


def test_the_source_of_a_prompt_is_that_of_its_points() -> None:
    assert sources(should("Names a") + "  citation: Act 1\n") == []


# whatever is written

WORDS = """The response|answer|it|should|does not|must not|doesn't just|Don't share|never|no|avoids|should not fail to
contain|contains no|errors|harmful content|and|or|but|then provide|May mention|could offer|Optionally|If the user asks,
gives|otherwise|Is good|uses a proper tone|accurate|.|?|,|:|;|(|)|'|"|Score 1:|Level 2:|equivalent to|the ideal response
does not contain|does not include any|the ground truth|Article 9|¿|é|\t|\n"""
TEXTS = st.lists(st.sampled_from([word for line in WORDS.split("\n") for word in line.split("|")]), max_size=12)


@settings(max_examples=tried(37, 150))
@given(st.lists(TEXTS.map(" ".join), min_size=1, max_size=4), st.booleans())
def test_whatever_is_written_each_fix_leaves_a_blueprint_without_that_problem(texts: list[str], single: bool) -> None:
    quoted = [quoted_text(text) if single else json.dumps(text) for text in texts]
    text = should(*quoted, "Names the fee")
    for told in check(parse(text)):
        for fix in told.fixes:
            fixed = parse(apply_edits(text, fix.edits))
            after = check(fixed)
            assert fixed.tree.error is None
            assert sum(one.slug == told.slug for one in after) < sum(
                one.slug == told.slug for one in check(parse(text))
            )


# wording


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Does NOT say so", Sign.NEGATION),
        ("May say so", Sign.PERMISSION),
        ("If so, says so", Sign.CONDITION),
        ("Is it so?", Sign.QUESTION),
        ("Level 1: so", Sign.LEVEL),
        ("Equals the ideal answer", Sign.MODEL_ANSWER),
        ("Is good", Sign.PRAISE),
    ],
)
def test_a_sign_is_seen_at_a_glance(text: str, sign: Sign) -> None:
    assert signs(text) == {sign}


@pytest.mark.parametrize("text", ["", " ", "Nennt den Preis nicht", "Nommez le prix", "价格", "Names the fee"])
def test_most_texts_show_no_sign(text: str) -> None:
    assert signs(text) == frozenset()


def test_words_are_found_behind_an_escape_only_where_it_is_certain() -> None:
    text = should('"Does not say \\"no\\" or not"')
    [point] = parse(text).blueprint.prompts[0].points()
    place = words_span(text, point, 5, 8)
    assert place is not None
    assert (place.of(text), place.start) == ("not", text.index("not"))


def test_words_over_a_line_break_are_not_placed() -> None:
    text = should("Does not\n      say so")
    [point] = parse(text).blueprint.prompts[0].points()
    assert words_span(text, point, 0, 12) is None


def test_every_rule_of_wording_is_silent_in_other_languages() -> None:
    text = should(
        "Nennt keine Fehler",
        "Kann den Preis nennen",
        "Wenn ja, nennt den Preis",
        "Nennt das Modell den Preis?",
        "Die Antwort ist gut",
        "Puede mencionar el precio",
        "Le modèle refuse-t-il ?",
    )
    mine = {rule.slug for rule in ALL if "R030" <= rule.code <= "R037"} | {"ambiguous-negative"}
    assert {one.slug for one in check(parse(text))} & mine == set()
