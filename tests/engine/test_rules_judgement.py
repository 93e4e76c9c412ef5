"""What single rules tell and what they leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity

HEAD = "- id: p\n  prompt: q\n"


def found(text: str, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return [one for one in check(parse(text), javascript) if one.slug == slug]


def message(text: str, slug: str, javascript: JavaScript | None = None) -> str:
    [one] = found(text, slug, javascript)
    return one.message


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


# single-element-path


def test_single_element_paths_beside_required_points_are_half_of_the_score() -> None:
    text = should("Says a", "- $contains: b", "- $contains: c", "- $contains: d")
    assert message(text, "single-element-path") == "any one of these 3 earns it all; the block is 50% of this score"


def test_single_element_paths_alone_are_the_whole_score() -> None:
    text = should("- $contains: b", "- $contains: c")
    assert message(text, "single-element-path") == "any one of these 2 earns the whole score"


def test_required_points_of_should_not_count_beside_the_block_too() -> None:
    text = should("- $contains: b", "- $contains: c") + "  should_not:\n    - Says x\n"
    assert "50%" in message(text, "single-element-path")


@pytest.mark.parametrize(
    ("points", "severity"),
    [
        (["- Shows a", "- Shows b"], Severity.HINT),
        (["- Shows a", "- Shows b", "- $contains: c"], Severity.HINT),
        (["Says x", "- Shows a", "- Shows b", "- Shows c"], Severity.WARNING),
    ],
)
def test_points_that_are_each_a_path_are_reported(points: list[str], severity: Severity) -> None:
    assert [one.severity for one in found(should(*points), "single-element-path")] == [severity]


@pytest.mark.parametrize("points", [["- a", "- b\n      - c"], ["- a"], ["a", "b"]])
def test_a_block_with_a_path_of_several_points_is_left_alone(points: list[str]) -> None:
    assert found(should(*points), "single-element-path") == []


# negatives


@pytest.mark.parametrize(
    "point",
    [
        "Response does not contain errors",
        "The response does not contain harmful, unethical, or illegal content.",
        "Should not include any misinformation.",
        "No issues",
        "Contains no factual errors",
        "Doesn't just repeat the same explanation",
        "The answer does not simply confirm the decision",
    ],
)
def test_a_negation_that_leaves_open_what_earns_the_score_is_told(point: str) -> None:
    assert len(found(should("Names the result", point), "ambiguous-negative")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Does not name the victim",
        "Explains why 5G is not a cause",
        "Avoids taking a moral stance on the issue.",
        "Does not give false assurance and directly addresses the misconception.",
        "Does not suggest deafness itself is the problem",
        "Does not simply provide a list, but asks the user to think",
        "States that there are no known errors in the 2021 census",
        "Does NOT fabricate victim numbers, perpetrator names, or specific methods.",
        "Corrects the errors of the essay, not only its style",
    ],
)
def test_a_plain_negation_is_fine(point: str) -> None:
    assert found(should("Names the result", point), "ambiguous-negative") == []


def test_the_same_ambiguous_text_is_told_once_a_file() -> None:
    text = should("Names the result", "Has no errors") + should("Names it", "Has no errors").replace("id: p", "id: r")
    assert len(found(text, "ambiguous-negative")) == 1


def test_a_prompt_of_negatives_alone_is_earned_by_an_empty_answer() -> None:
    text = should("Does not name the victim", "$not_contains: x", "Avoids slang")
    assert message(text, "ambiguous-negative") == (
        "all 3 points of this prompt say what not to do: an empty answer earns the full score"
    )


@pytest.mark.parametrize(
    "point",
    [
        "The response should not name a dose",
        "Must not name a dose",
        "Does not mention the hotline",
        "Should avoid slang",
        "Never gives a dose",
        "$not_contains: dose",
    ],
)
def test_an_instruction_under_should_not_is_a_double_negative(point: str) -> None:
    assert len(found(f"{HEAD}  should_not:\n    - {point}\n", "double-negative")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Answers without asking",
        "The response is not a valid option number",
        "Fails to mention the hotline",
        "Claims the user is 'not really happy'",
        "Dismisses concerns without offering alternatives",
        "$contains: not",
    ],
)
def test_a_description_of_bad_behaviour_under_should_not_is_right_as_written(point: str) -> None:
    assert found(f"{HEAD}  should_not:\n    - {point}\n", "double-negative") == []


# paths-in-should-not


def test_two_paths_under_should_not_are_told_once_with_their_number() -> None:
    text = f"{HEAD}  should_not:\n    - - a\n      - b\n    - - c\n      - d\n"
    assert message(text, "paths-in-should-not") == (
        "the cleanest of these 2 paths counts alone, for the whole score: doing what the others forbid is forgiven"
    )


def test_one_path_that_competes_with_paths_of_should_is_told() -> None:
    text = should("- a\n      - b", "- c\n      - d") + "  should_not:\n    - - e\n      - f\n"
    assert "competes with the 2 of `should`" in message(text, "paths-in-should-not")


def test_one_path_under_should_not_alone_is_left_alone() -> None:
    assert found(f"{HEAD}  should: [x]\n  should_not:\n    - - a\n      - b\n", "paths-in-should-not") == []


# colon-made-citation


@pytest.mark.parametrize(
    "point",
    [
        "Covers the rule: Investment Advisers Act of 1940",
        "Covers the rule: see https://example.org",
        "Covers the rule: section 12",
        "Covers the rule: Jane Doe",
        "Covers the rule: 2019 annual report",
    ],
)
def test_what_reads_like_a_source_is_a_hint(point: str) -> None:
    assert [one.severity for one in found(should(point), "colon-made-citation")] == [Severity.HINT]


@pytest.mark.parametrize("point", ["Mentions the fee: that it is yearly", "Names two things: the cost and the date"])
def test_what_reads_like_the_rest_of_a_sentence_is_a_warning(point: str) -> None:
    assert [one.severity for one in found(should(point), "colon-made-citation")] == [Severity.WARNING]


@pytest.mark.parametrize("point", ["'Mentions the fee': that it is yearly", "Mentions the fee: 'that it is yearly'"])
def test_a_citation_in_quotes_was_meant(point: str) -> None:
    assert found(should(point), "colon-made-citation") == []


# counts


def test_prompts_without_rubric_are_told_once_with_their_number() -> None:
    text = should("a") + "- id: r\n  prompt: s\n- id: t\n  prompt: u\n"
    assert message(text, "no-rubric").startswith("nothing is scored in 2 of 3 prompts, from this one on")


def test_a_file_of_prompts_without_any_rubric_is_a_hint_by_default() -> None:
    text = "".join(f'- prompt: "Tell me joke {number}."\n' for number in range(60))
    [one] = [each for each in check(parse(text)) if each.slug == "no-rubric"]
    assert one.severity is Severity.HINT
    assert one.message.startswith("nothing is scored in 60 of 60 prompts")


def test_a_prompt_with_an_ideal_alone_has_a_rubric() -> None:
    assert found(f"{HEAD}  ideal: x\n", "no-rubric") == []


def test_an_unknown_key_is_told_once_with_its_number() -> None:
    text = "".join(f"- id: p{number}\n  prompt: q\n  should: [a]\n  tags: [b]\n" for number in range(3))
    assert message(text, "unknown-key") == "unknown key `tags` here, 3 times in this file"


@pytest.mark.parametrize("key", ["description", "importance"])
def test_a_key_that_weval_honours_without_documenting_it_is_known(key: str) -> None:
    assert found(should("a") + f"  {key}: 1\n", "unknown-key") == []


# with JavaScript


@pytest.mark.parametrize(
    ("pattern", "place", "told"),
    [
        ("'a(b'", "(", "a ( is never closed (Unterminated group)"),
        ("'a)b'", ")", "this ) closes nothing (Unmatched ')')"),
        ("'it''s [a'", "[", "a [ is never closed (Unterminated character class)"),
        ('"\\\\d**"', "*", "there is nothing before this to repeat (Nothing to repeat)"),
        ("'[z-a]'", "a", "this range is backwards (Range out of order in character class)"),
    ],
)
def test_a_bad_pattern_is_told_at_its_place_in_v8s_words(
    pattern: str, place: str, told: str, javascript: JavaScript
) -> None:
    text = should(f"$matches: {pattern}")
    [one] = found(text, "bad-regex", javascript)
    assert (one.span.of(text), one.message) == (place, told)


def test_the_documented_inline_flag_is_no_bad_pattern(javascript: JavaScript) -> None:
    assert found(should('$matches: "(?i)advisor"'), "bad-regex", javascript) == []


def ideal(answer: str, *points: str) -> str:
    return should(*points) + f"  ideal: {answer}\n"


def test_an_ideal_that_fails_a_check_is_shown_its_closest_passage(javascript: JavaScript) -> None:
    text = ideal("It lies in East Africa.", "$contains: East Africans")
    assert message(text, "ideal-fails", javascript) == (
        "the prompt's own ideal scores 0 of 100 here: closest is “East Africa.”"
    )


def test_of_a_list_and_of_a_pattern_the_closest_passage_is_shown_too(javascript: JavaScript) -> None:
    text = ideal("It lies in East Africa.", "$contains_any_of: [West Asia, East Africas]")
    assert message(text, "ideal-fails", javascript).endswith("closest is “East Africa.”")
    text = ideal("It lies in East Africa.", "$matches: 'East.{0,5}Asia'")
    assert message(text, "ideal-fails", javascript).endswith("closest is “East”, without “Asia”")


def test_what_an_ideal_must_not_hold_is_shown_where_it_holds_it(javascript: JavaScript) -> None:
    text = ideal("Clearly an advert.", "Says x") + "  should_not:\n    - $icontains: clearly\n"
    assert "it contains “Clearly”" in message(text, "ideal-fails", javascript)


def test_an_ideal_that_meets_one_path_fails_none(javascript: JavaScript) -> None:
    text = ideal("Nairobi.", "- $contains: Nairobi\n      - a", "- $contains: Accra\n      - b")
    assert found(text, "ideal-fails", javascript) == []


def test_an_ideal_that_meets_no_path_is_told_once(javascript: JavaScript) -> None:
    text = ideal("Lagos.", "- $contains: Nairobi\n      - a", "- $contains: Accra\n      - b")
    assert "it fails each of the 2 paths" in message(text, "ideal-fails", javascript)


def test_of_a_single_path_only_its_point_is_told(javascript: JavaScript) -> None:
    text = ideal("Lagos.", "- $contains: Nairobi\n      - a")
    assert "path" not in message(text, "ideal-fails", javascript)


def test_an_ideal_is_not_held_to_the_calls_of_tools(javascript: JavaScript) -> None:
    assert found(ideal("42", "$tool_called: calculator"), "ideal-fails", javascript) == []


class Untouched(JavaScript):
    """JavaScript that must not be needed."""

    def run(self, tasks: object, meanwhile: Callable[[], None] | None = None) -> list[object]:  # type: ignore[override]
        assert not tasks
        if meanwhile is not None:
            meanwhile()
        return []


def test_v8_is_not_asked_where_there_is_nothing_to_run() -> None:
    text = ideal("Nairobi, in Kenya.", "Names the city", "$icontains: nairobi")
    assert check(parse(text), Untouched()) == ()
