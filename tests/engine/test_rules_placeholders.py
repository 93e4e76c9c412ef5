"""Placeholders of templates that were left in a blueprint, and bracketed names that are right where they stand."""

from __future__ import annotations

import json

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.rules.source.placeholders import placeholders_in
from tests.engine.rule_reports import found, only, should, underlined
from tests.processor_time import costs_less_than

SLUG = "unfilled-placeholder"


def asked(prompt: str, *points: str, ideal: str = "") -> str:
    written = f"  ideal: {json.dumps(ideal)}\n" if ideal else ""
    listed = "".join(f"    - {json.dumps(point)}\n" for point in points or ("Names the court",))
    return f"- id: p\n  prompt: {json.dumps(prompt)}\n{written}  should:\n{listed}"


@pytest.mark.parametrize(
    ("prompt", "placeholder"),
    [
        ("Translate {text} into French.", "{text}"),
        ("Sum up the following article: {{ article }}", "{{ article }}"),
        ("Who is {{user.name}}? And {{name}}?", "{{user.name}}"),
        ("What is the capital of ${country}?", "${country}"),
        ("Is {claim_1} true?", "{claim_1}"),
        ("Explain {topic of the day} to a child.", "{topic of the day}"),
        ("Convert {text} to JSON format.", "{text}"),
        ("Format the following text: {text}", "{text}"),
        ("Translate {0} into French.", "{0}"),
        ("Sum up: [INSERT ARTICLE]", "[INSERT ARTICLE]"),
        ("Sum up: [paste the article here]", "[paste the article here]"),
        ("Review this: <insert text>", "<insert text>"),
        ("My question is [your question here].", "[your question here]"),
        ("Translate: [Text goes here]", "[Text goes here]"),
        ("Sum up (insert abstract).", "(insert abstract)"),
        ("Tell me about the history of [country].", "[country]"),
        ("Sum up this: [ARTICLE TEXT]", "[ARTICLE TEXT]"),
        ('Which language is it? "[TEXT_SAMPLE_1]"', "[TEXT_SAMPLE_1]"),
        ("TODO: write the question", "TODO"),
        ("Tell me about <<topic>>.", "<<topic>>"),
        ("Tell me about <topic>.", "<topic>"),
        ("Translate %(text)s into French.", "%(text)s"),
        ("Sum up __ARTICLE__ in a line.", "__ARTICLE__"),
        ("Sum up: INSERT THE ARTICLE HERE", "INSERT THE ARTICLE HERE"),
        ("Who is {placeholder}?", "{placeholder}"),
        ("TBD", "TBD"),
        ("Sum up: Lorem ipsum dolor sit amet, consectetur elit.", "Lorem ipsum dolor sit amet, consectetur"),
        ("What is the dose of XXX for an adult?", "XXX"),
        ("Which law of ____ protects strikes?", "____"),
        ("Explain what the fungus %s does.", "%s"),
        ("Write three questions on $topic for a class.", "$topic"),
        ("Reply. {{#if late}}Apologise.{{/if}}", "{{#if late}}"),
        ("Greet {% if formal %} him.", "{% if formal %}"),
        ("Describe <%= product.name %> in a line.", "<%= product.name %>"),
        ("Is it legal in %COUNTRY%?", "%COUNTRY%"),
        ("My child is @@age@@ old.", "@@age@@"),
    ],
)
def test_a_placeholder_in_a_prompt_is_named_at_its_place(prompt: str, placeholder: str) -> None:
    assert underlined(asked(prompt), SLUG) == placeholder


@pytest.mark.parametrize(
    "prompt",
    [
        "Name a city in the format {city}, {country}.",
        "Answer in this format:\n\nName: {name}\nAge: {age}",
        "Reply with '{answer}' and nothing else.",
        "Tell me the ratio.\nFinal answer: {ratio}",
        "Write a cover letter for [Company], signed [Your Name].",
        "Draft an email that begins with Dear [insert name here].",
        'What does print(f"{name}") print?',
        "What does this do?\n```js\nconst a = `${name}`\n```",
        "What does `{name}` mean in Python?",
        "Explain what the placeholder {name} is for.",
        "Solve \\frac{numerator}{denominator} and x_{max}.",
        "Is the set {x} closed? And {a, b}?",
        'Return {"name": "Ann"}',
        "Fill in the blank: The capital of Kenya is ____.",
        "[QUESTION]\nWho wrote it?",
        "[Question]: Who wrote it?",
        "See [here](https://example.org) and [1].",
        "He said [in English] that [sic] it is so.",
        "The patient, [NAME], came on [DATE].",
        "Put it on my todo list, and make a TODO list.",
        "The venue is TBD, the date is fixed. Who decides?",
        "Options: [A] yes [B] no",
        "What does __init__ do, and __FILE__?",
        "Sum up <text>The king dies.</text>",
        "Is 1 << 2 >> 1 a number?",
        'Where does "Lorem ipsum dolor sit amet" come from?',
        "Fill in the missing word: the capital of ____ is Lima.",
        "The capital of ____ is Lima. A) Peru B) Chile",
        "What does $name mean in a shell script?",
        "It costs $five or $5 in the game; what does print %s?",
        "Which Olympics were the XXX?",
        "Is 5%s more?",
        "### Heading ###\nWho is it?",
    ],
)
def test_what_stands_in_brackets_rightly_is_no_placeholder(prompt: str) -> None:
    assert found(asked(prompt), SLUG) == []


@pytest.mark.parametrize(
    ("point", "placeholder"),
    [
        ("Names the capital of {country}", "{country}"),
        ("Names the [name] of the minister", "[name]"),
        ("Mentions XXX", "XXX"),
        ("TODO", "TODO"),
        ("Gives the dose (TBD)", "TBD"),
        ("Says [insert fact]", "[insert fact]"),
        ("Names ____ as the author", "____"),
        ("Cites {{source}}", "{{source}}"),
        ("States about [X] mm", "[X]"),
        ("States about XX mm", "XX"),
        ("Names a fine of ?? dollars", "??"),
        ("States the fee (to be added)", "(to be added)"),
        ("Mentions ...", "..."),
        ("Says that <country> has a coast", "<country>"),
    ],
)
def test_a_placeholder_in_a_criterion_is_named_at_its_place(point: str, placeholder: str) -> None:
    assert underlined(asked("Who wrote it?", point), SLUG) == placeholder


@pytest.mark.parametrize(
    "point",
    [
        "Names Article 9 [cite: 848]",
        "Leaves no placeholder such as [Your Name] in the letter",
        "Says that XXXX-1234 is masked",
        "Uses `{name}` in the string",
        "Quotes “[the] court”",
        "Says that women have XX chromosomes",
        "[x] Says so",
        "Names rivers such as the Nile, the Tana, the Athi ...",
        "Uses an <article> element",
        "Asks “Really??”",
    ],
)
def test_a_criterion_that_quotes_or_cites_holds_no_placeholder(point: str) -> None:
    assert found(asked("Who wrote it?", point), SLUG) == []


def test_a_criterion_may_name_a_bracket_of_the_prompt() -> None:
    assert found(asked("Draft an email to [name].", "Addresses [name] politely"), SLUG) == []


def test_a_criterion_on_a_letter_may_have_gaps() -> None:
    assert found(asked("Draft a letter to my landlord.", "Signs with [name]"), SLUG) == []


def test_a_prompt_that_is_meant_to_be_incomplete_is_left_alone() -> None:
    assert found(asked("Translate {text}.", "Says that the text was not provided"), SLUG) == []
    assert len(found(asked("Translate {text}.", "Is in French"), SLUG)) == 1


def test_several_placeholders_of_a_prompt_are_one_report_with_their_places() -> None:
    one = only(asked("Compare {a_text} and {b_text}, then {a_text} again."), SLUG)
    assert one.message.startswith("`{a_text}`, `{b_text}` are still in this prompt")
    assert len(one.related) == 2


def test_an_unfinished_ideal_is_named() -> None:
    one = only(asked("Who wrote it?", ideal="TODO: look it up"), SLUG)
    assert one.message.startswith("`TODO` is still in the ideal")


def test_the_ideal_of_a_form_may_have_gaps() -> None:
    assert found(asked("Draft a letter.", ideal="Dear [insert name],"), SLUG) == []


def test_a_system_prompt_is_sent_as_it_stands_too() -> None:
    own = should("a").replace("  should:", "  system: Write in {language}.\n  should:")
    of_all = f"system: Write in {{{{language}}}}.\n---\n{should('a')}"
    assert underlined(own, SLUG) == "{language}"
    assert underlined(of_all, SLUG) == "{{language}}"


def test_an_earlier_answer_of_the_assistant_is_left_alone() -> None:
    text = "- id: p\n  messages: [{user: a}, {assistant: 'Send {text}.'}, {user: b}]\n  should: [c]\n"
    assert found(text, SLUG) == []


def test_a_text_about_templates_holds_no_placeholder() -> None:
    assert placeholders_in("Write a Jinja line with {{ name }}.") == ()


def test_the_gaps_of_one_long_line_are_found_in_time() -> None:
    with costs_less_than(3):
        check(parse(f"- prompt: x\n  should:\n    - {200 * ('_' * 900 + ' ')}\n"))
