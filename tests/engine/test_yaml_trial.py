"""The law of conservation: after a safe fix every row begins what it began, where it stood, with all its words."""

from __future__ import annotations

import re
from pathlib import Path

from engine.parsing import parse
from engine.rules import Checker, check
from engine.rules.fixes import fix_text
from engine.rules.registry import rules_of
from engine.rules.yaml_traps import text_signs
from engine.text.spans import TextEdit, edits_between
from engine.yaml.trial import conserves, levels, lost_row, part_around, works
from tests.engine.short_cases import text_of
from tests.many_cases import every
from tests.processor_time import costs_less_than

# The law of conservation: after a safe fix every row begins what it began, where it stood, with all its words


CASES = Path(__file__).with_name("conservation_cases.txt")
HEAD = "- id: a\n  prompt: What is the cap?\n"


def cases(kind: str) -> dict[str, list[str]]:
    """The rows of `conservation_cases.txt` under `#### KIND: NAME`, by name: the texts that `====` parts."""
    rows = re.findall(r"^#### (\w+): (.*)\n((?:(?!####).*\n)*)", CASES.read_text("utf-8"), re.MULTILINE)
    return {name: [text_of(part) for part in texts.split("====\n")] for of, name, texts in rows if of == kind}


@every(("before", "after"), cases("kept").values())
def test_what_only_signs_and_layout_say_may_change(before: str, after: str) -> None:
    before, after = f"{HEAD}  should:\n{before}", f"{HEAD}  should:\n{after}"
    assert conserves(before, edits_between(before, after))


@every(("before", "after", "line"), cases("lost").values())
def test_a_row_that_is_lost_joined_or_taken_for_another_is_named(before: str, after: str, line: str) -> None:
    before, after = f"{HEAD}  should:\n{before}", f"{HEAD}  should:\n{after}"
    lost = lost_row(before, after)
    assert lost is not None
    assert line == "" or lost.of(before) == line


@every(("before", "after"), cases("whole").values())
def test_no_prompt_block_or_separator_is_lost_or_made(before: str, after: str) -> None:
    assert lost_row(before, after) is not None


def test_edits_that_overlap_do_not_work() -> None:
    edits = [TextEdit(span, "") for span in (check(parse("- a: [\n"))[0].span,) * 2]
    assert not works("- a: [\n", edits, lambda _: True)


def test_texts_of_the_same_levels_mean_the_same() -> None:
    one, other = f"{HEAD}  should:\n    - A\n", f"{HEAD}  should:\n  - A\n"
    assert levels(one) == levels(other) != levels(f"{HEAD}  should:\n  - - A\n  prompt2: b\n")


@every(("written", "fixed"), cases("fixed").values())
def test_a_safe_fix_keeps_each_row(written: str, fixed: str) -> None:
    assert fixed in fix_text(f"{HEAD}  should:\n{written}", None).text


@every("written", [written for [written] in cases("left").values()])
def test_no_safe_fix_says_what_the_author_did_not(written: str) -> None:
    text = f"{HEAD}  should:\n{written}"
    result = fix_text(text, None)
    assert result.text == text
    assert not any(fix.safe for each in result.remaining for fix in each.fixes)


def test_a_weight_in_words_is_joined_unasked_by_nobody() -> None:
    text = f"{HEAD}  should:\n    - Names A\n    - (weight 3)\n"
    [found] = [each for each in check(parse(text)) if each.slug == "weight-as-point"]
    assert [(fix.title, fix.safe) for fix in found.fixes] == [("join it with the criterion above", False)]


def test_the_sum_of_safe_fixes_is_held_to_the_law() -> None:
    first = f"{HEAD}  ideal: |\n    It is five.\n  should：\n    - Names A\n"
    second = HEAD.replace("id: a", "id: b") + "  should:\n    - Says B\n    - > 3 words\n    -Says C\n"
    after = fix_text(first + second, None).parsed.blueprint.prompts
    assert [[point.text for point in prompt.points()] for prompt in after] == [
        ["Names A"],
        ["Says B", "> 3 words", "Says C"],
    ]


def test_what_other_prompts_hold_is_no_concern_of_an_edit() -> None:
    before = f"{HEAD}  should:\n    * Says A\n{HEAD}  should:\n    - Says B\n" * 20
    part = part_around(before, edits_between(before, before.replace("* Says A", "- Says A", 1)))
    assert part.end < 5 * len(before) // 40
    named = f"- &c Says C\n{before}"
    assert part_around(named, edits_between(named, f"{named}- Says D\n")).start == 0


# Anchors by the ten thousands: which of them are used is found in one walk over the text


def test_ten_thousand_anchors_are_checked_in_time() -> None:
    text = "- id: a\n  prompt: b\n  should:\n" + "".join(f"    - &a{number} x\n" for number in range(10_000))
    parsed = parse(text)
    with costs_less_than(2):
        assert len(Checker(rules_of(text_signs)).check(parsed)) == 10_000
