"""The law of conservation: after a safe fix every row begins what it began, where it stood, with all its words."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.spans import TextEdit, edits_between
from engine.yaml.trial import conserves, levels, lost_row, part_around, works
from tests.many_cases import every

HEAD = "- id: a\n  prompt: What is the cap?\n"

KEPT = {
    "a dash": ("    - Names A\n    Says B\n", "    - Names A\n    - Says B\n"),
    "a bullet": ("    - Names A\n    * Says B\n", "    - Names A\n    - Says B\n"),
    "quotes": ("    - Names A\n    - > 3 words\n", '    - Names A\n    - "> 3 words"\n'),
    "a key one column off": (
        "    - text: Names A\n       citation: Act 1\n    - Says B\n",
        "    - text: Names A\n      citation: Act 1\n    - Says B\n",
    ),
    "text before a key": ("    - Names A\n      weight: 2\n", "    - text: Names A\n      weight: 2\n"),
    "a check": ('    - "$icontains: A"\n', "    - $icontains: A\n"),
    "a flag in the name": ('    - $matches: "(?i)fee"\n', '    - $imatches: "fee"\n'),
    "a comment removed": ("    - Names A # studio: ignore[]\n", "    - Names A\n"),
    "a bullet above a key without its space": ("    * Says B\n    - text:A\n", "    - Says B\n    - text:A\n"),
    "an unindented sentence": ("    - Names the\n    cap\n    - B\n", "    - Names the\n      cap\n    - B\n"),
}
LOST = {
    "a key that becomes text": (
        "    - text: Names A\n       citation: Act 1\n    - Says B\n",
        '    - text: "text: Names A"\n      citation: Act 1\n    - Says B\n',
        "    - text: Names A",
    ),
    "a point joined to the one above": (
        "    - Names A\n    - > 3 words\n    - B\n",
        "  - Names A\n    - > 3 words\n    - B\n",
        "    - > 3 words",
    ),
    "a block text behind a no-break space joined to the one above": (
        "    - >-\n      Names A\n    -\u00a0>-\n      Says B\n",
        "    - >-\n      Names A\n      -\u00a0>-\n      Says B\n",
        "      Says B",
    ),
    "a block text behind a bullet joined to the one above": (
        "    - >\n      Names A\n   + >\n      Says B\n",
        "    - >\n      Names A\n      + >\n      Says B\n",
        "      Says B",
    ),
    "a line of a rubric that reads as one text joined to a block text": (
        '    5) Names A\n    - >\n      Says B\n    "Cites C.",\n    - Names D\n',
        '    - Names A\n    - >\n      Says B\n      "Cites C.",\n    - Names D\n',
        '    "Cites C.",',
    ),
    "a line below a blank one joined to the point above it": (
        "    - Names the\n\n    4. Says B\n\ncap of A\n    - Names D\n",
        "    - Names the\n\n    - Says B\n\n      cap of A\n    - Names D\n",
        "cap of A",
    ),
    "a point behind a tab that enters the path above": (
        "    - - Names A\n\t    - Says B\n",
        "    - - Names A\n      - Says B\n",
        "\t    - Says B",
    ),
    "a check that takes the place of the text above": (
        "    - text: Names A\n      $icontains cap\n",
        '    - text: Names A\n      $icontains: "cap"\n',
        "      $icontains cap",
    ),
    "OR": ("    - Names A\n    OR\n    - Says B\n", "    - Names A\n    - OR\n    - Says B\n", "    OR"),
    "a word": ("    - Names A and B\n", "    - Names A\n", "    - Names A and B"),
    "two paths joined": (
        "    - - $contains: cap\n    - - $contains: limit\n",
        "    - $contains_any_of:\n        - cap\n        - limit\n",
        None,
    ),
    "a point that becomes an argument": (
        "    - $contains_any_of:\n        - five\n   - Says B\n",
        "    - $contains_any_of:\n        - five\n        - Says B\n",
        "   - Says B",
    ),
    "a point that becomes a part of another": (
        "    - $contains: five\n   Says B\n    - C\n",
        "    - $contains: five\n        Says B\n    - C\n",
        "   Says B",
    ),
    "a path": (
        "    - - Names A\n      - Says B\n    - C\n",
        "    - Names A\n      - Says B\n    - C\n",
        "      - Says B",
    ),
    "a citation that becomes one of the prompt": (
        "    - text: Names A\n\tcitation: Act 1\n",
        "    - text: Names A\n  citation: Act 1\n",
        "\tcitation: Act 1",
    ),
    "the second point of a path one column off": (
        "     - - Names A\n      - Says B\n    - C\n",
        "    - - Names A\n    - Says B\n    - C\n",
        "      - Says B",
    ),
    "the second point of a path, with its citation": (
        "     - - Names A\n      - Says B\n   citation: Act 1\n",
        "    - - Names A\n    - text: Says B\n      citation: Act 1\n",
        "      - Says B",
    ),
    "the last point of a path one column left": (
        "    - - text: Names A\n        citation: Act 1\n     - Says B\n",
        "    - - text: Names A\n        citation: Act 1\n    - Says B\n",
        "     - Says B",
    ),
    "a block that becomes an item": (
        "  - Names A\n  should_not: Says B\n  - C\n",
        "  - Names A\n  - should_not: Says B\n  - C\n",
        "  should_not: Says B",
    ),
    "a block without its colon": (
        "    - Names A\n should_not\n    - C\n",
        "    - Names A\n    - should_not\n    - C\n",
        " should_not",
    ),
    "a sentence in brackets that becomes a path": (
        "    - [Names A\n    - Says B\n",
        "    - [Names A]\n    - Says B\n",
        "    - [Names A",
    ),
    "an item within a text that is joined": (
        '   - $icontains "C"\n    - Says B\n',
        "   - $icontains: '\"C\" - Says B'\n",
        "    - Says B",
    ),
    "a quoted line joined to the second point of a path": (
        '    - - Names A\n      "Says B",2\n    - C\n',
        '    - - Names A\n        "Says B",2\n    - C\n',
        '      "Says B",2',
    ),
    "a key without its colon that becomes text": (
        "  - Names A\n  ideal: B\n should\n    - C\n",
        "  - Names A\n  ideal: B\n   should\n    - C\n",
        " should",
    ),
    "a prompt among points that leaves them": (
        "  - Names A\n   - id: b\n    prompt: Why?\n  - Says B\n",
        "  - Names A\n- id: b\n  prompt: Why?\n  - Says B\n",
        "   - id: b",
    ),
    "a path whose lines all lost their indentation": (
        "- - Names A\n- Says B\n",
        "    - - Names A\n    - Says B\n",
        "- Says B",
    ),
    "a path whose first line is moved to the column of its others": (
        "      - A\n    - - Names B\n      - Says C\n",
        "      - A\n      - - Names B\n      - Says C\n",
        "      - Says C",
    ),
    "a line that is joined to what is no criterion": (
        "  - Names A\n  - (weight 3)\nof B\n",
        "  - Names A\n  - (weight 3)\n    of B\n",
        "of B",
    ),
    "a point that enters a path": (
        "    - - $contains: cap\n      $icontains: limit\n    - Says B\n",
        "  - - $contains: cap\n    - $icontains: limit\n    - Says B\n",
        None,
    ),
    "a check that becomes an argument": (
        "    - - $contains_any_of:\n          - five\n        - $icontains: cap\n",
        "    - - $contains_any_of:\n          - five\n          - $icontains: cap\n",
        "        - $icontains: cap",
    ),
    "an argument that becomes a point": (
        "    - $contains:\n    five\n    - B\n",
        "    - $contains:\n    - five\n    - B\n",
        "    five",
    ),
    "OR in another language": ("    - A\n    OU\n    - B\n", "    - A\n    - OU\n    - B\n", "    OU"),
    "OR with signs around": ("    - A\n    -or-\n    - B\n", "    - A\n    - or-\n    - B\n", "    -or-"),
    "OR in bold": ("    - A\n    - **OR**\n    - B\n", '    - A\n    - "**OR**"\n    - B\n', "    - **OR**"),
    "a separator that becomes a point": ("    - A\n    ---\n    - B\n", "    - A\n    - ---\n    - B\n", None),
    "a separator that is joined": ("    - A\n    ---\n    - B\n", "    - A\n      ---\n    - B\n", None),
    "the bullet of a block text that is joined": (
        "\xa0   - >\n\xa0     Names A\n\xa0   · >\n\xa0     Says B\n",
        "    - >\n      Names A\n          · >\n            Says B\n",
        None,
    ),
    "a key in bold that is joined to the text above": (
        "    - Names A\n  ideal: B\n  **should_not:**\n  Says B,\n",
        "    - Names A\n  ideal: B\n    **should_not:**\n    Says B,\n",
        "  **should_not:**",
    ),
    "a dash within a text": ("    -\xa0Names A\n    - Says B\n", "    - - Names A\n    - Says B\n", None),
}
FIXED = {
    "a block sign in a path": (
        "    - - A\n      - > 3 words\n    - - B\n      - C\n",
        '    - - A\n      - "> 3 words"\n',
    ),
    "a pipe among arguments": (
        "    - $contains_any_of:\n        - five\n        - |x| y\n",
        '        - five\n        - "|x| y"\n',
    ),
    "a citation one column right": ("    - text: A\n       citation: B\n", "    - text: A\n      citation: B\n"),
    "a weight one column left": ("    - text: A\n     weight: 2\n", "    - text: A\n      weight: 2\n"),
    "half a sentence below a bullet": ("  - – Names the\n  law\n", "  - – Names the\n    law\n"),
    "a prompt below an argument": (
        '    - $contains:\n    "cap"\n - id: b\n  prompt: Why?\n',
        '    - $contains:\n        "cap"\n- id: b\n  prompt: Why?\n',
    ),
    "a block text one column right": (
        "    - >\n      Names A\n     - >\n      Says B\n",
        "    - >\n      Names A\n    - >\n     Says B\n",
    ),
    "a no-break space behind the first dash": ("    -\xa0Names A\n    - B\n", "    - Names A\n    - B\n"),
}
LEFT = {
    "a weight below a point": "    - Names A\n      (weight: 2)\n    - Says B\n",
    "a table below a block text": "    - >-\n      Names A\n      or B\n    | Says C |\n    - Says D\n",
    "a number below a block text": "    - >-\n      Names A\n      or B\n1\tSays C\n    - Says D\n",
    "prose between prompts": "    - Names A\nHere are further prompts\n- id: b\n  prompt: Why?\n",
    "prose with a colon between prompts": "    - Names A\nA note: here\n- id: b\n  prompt: Why?\n",
    "bullets at the margin": "    - Names A\n  ideal: Two things\n• the cap\n• the price\n",
    "a prompt at the margin": "    - Names A\nprompt: Why?\nshould:\n    - Says B\n",
    "a check within a text": "    - Check: $icontains: cap\n    - Says B\n",
    "a weight within an argument": '    - $icontains: "cap", weight: 2\n',
    "a weight in brackets": "    - $contains: cap (weight: 2)\n",
    "numbers with thousands": "    - $contains_any_of: [1,038, 2,000]\n",
    "half a sentence above the mark of a conflict": "    - Names the\nlaw\n>>>>>>> other\n    - Says B\n",
    "a heading below an ideal": "    - Says B\n  ideal: Five.\n  **should_not:**\n    - Names A\n    - Says C\n",
    "an alias alone": "    - *polite\n    - Says B\n",
    "OR": "    - Names A\n    OR\n    - Says B\n",
    "a boolean": "    - Names A\n    - true\n",
    "single paths": "    - - $matches: cap\n    - - $matches: limit\n",
    "points at the margin": "    - Names A\n- It is kept safe\n- It is returned\n",
    "a weight in words": "    - Names A\n    - (weight 3)\n",
    "a sentence in a bracket": "    - Names A\n    - [Says B\n",
    "a check below which items went": '   - $icontains "C"\n    - Says B\n',
    "a rubric behind a dash": "    - Names A\n- id: b\n  prompt: Why?\n  - should:\n    - Says B\n",
    "a sentence at the margin below a quoted half of it": "    - 'Names the law'\nof 2000\n    - Says B\n",
    "half a sentence at the margin below a tag or braces": (
        "    - Says B\n    - {text: Asks about}\nthird parties\n    - Names C\n"
    ),
    "half a sentence at the margin below a mark of emphasis": (
        "    - Says B\n    - '*must* name'\n    the law\n    - Names C\n"
    ),
    "an equals sign before a script of several lines": (
        "    - $js = |\n        const ok = {a: 1}; // x: y\n        return ok\n    - Says B\n"
    ),
    "a key of points at the margin": "- point: Names A\n  weight: 2\n",
    "two checks and a weight": "    - $contains: A\n      $icontains: B\n      weight: 2\n",
}


@every(("before", "after"), KEPT.values())
def test_what_only_signs_and_layout_say_may_change(before: str, after: str) -> None:
    before, after = f"{HEAD}  should:\n{before}", f"{HEAD}  should:\n{after}"
    assert conserves(before, edits_between(before, after))


@every(("before", "after", "line"), LOST.values())
def test_a_row_that_is_lost_joined_or_taken_for_another_is_named(before: str, after: str, line: str | None) -> None:
    before, after = f"{HEAD}  should:\n{before}", f"{HEAD}  should:\n{after}"
    lost = lost_row(before, after)
    assert lost is not None
    assert line is None or lost.of(before) == line


def test_a_readable_point_stays_in_its_block() -> None:
    before = f"{HEAD}  should:\n    - A\n    - B\n  should_not:\n    - C\n"
    assert not conserves(
        before, edits_between(before, before.replace("    - B\n  should_not:\n", "  should_not:\n    - B\n"))
    )


def test_a_block_text_below_should_becomes_no_points() -> None:
    before = f"{HEAD}  should: |\n    - Names A\n    - Says B\n"
    assert lost_row(before, before.replace(": |", ":")) is not None
    assert fix_text(before, None).text == before


def test_only_a_row_with_a_key_of_prompts_becomes_a_prompt() -> None:
    before = f"{HEAD}  ideal: It is five.\n  - It is kept: safe: x\n"
    after = before.replace("  - It is kept: safe: x", '- "It is kept: safe: x"')
    assert lost_row(before, after) is not None


def test_a_prompt_becomes_no_point() -> None:
    before = f"{HEAD}  should:\n    - A\n\t- id: b\n"
    assert lost_row(before, before.replace("\t- id", "    - id")) is not None


def test_a_prompt_becomes_no_item_of_the_list_above_it_that_is_moved() -> None:
    before = f"{HEAD}  tags:\n    - rent\n  - \u200bid: b\n  prompt: Why?\n"
    moved = before.replace("    - rent", "  - rent").replace("  prompt: Why?", "- prompt: Why?")
    assert lost_row(before, moved) is not None


def test_a_separator_stays() -> None:
    before = f"title: T\n---\n{HEAD}"
    assert lost_row(before, before.replace("---\n", "prompts:\n")) is not None


def test_edits_that_overlap_do_not_work() -> None:
    edits = [TextEdit(span, "") for span in (check(parse("- a: [\n"))[0].span,) * 2]
    assert not works("- a: [\n", edits, lambda _: True)


def test_texts_of_the_same_levels_mean_the_same() -> None:
    one, other = f"{HEAD}  should:\n    - A\n", f"{HEAD}  should:\n  - A\n"
    assert levels(one) == levels(other) != levels(f"{HEAD}  should:\n  - - A\n  prompt2: b\n")


@every(("written", "fixed"), FIXED.values())
def test_a_safe_fix_keeps_each_row(written: str, fixed: str) -> None:
    assert fixed in fix_text(f"{HEAD}  should:\n{written}", None).text


@every("written", LEFT.values())
def test_no_safe_fix_says_what_the_author_did_not(written: str) -> None:
    text = f"{HEAD}  should:\n{written}"
    result = fix_text(text, None)
    assert result.text == text
    assert not any(fix.safe for each in result.remaining for fix in each.fixes)


def test_no_line_is_moved_safely_in_a_text_that_is_torn_apart() -> None:
    prompts = "  id: a\n  prompt: b\n  should:\n    - Names A\nThen there is more.\n- id: c\n  prompt: d\n"
    assert fix_text(f"title: T\n---\n{prompts}", None).text == f"title: T\n---\n{prompts}"


def test_a_line_is_moved_safely_in_a_text_whose_pieces_a_fix_joins() -> None:
    moved = "title: T\n- id: a\n  prompt: b\n  should:\n    - Names A\n   - Says B\n"
    assert "    - Says B\n" in fix_text(moved, None).text


def test_a_weight_in_words_is_joined_unasked_by_nobody() -> None:
    text = f"{HEAD}  should:\n    - Names A\n    - (weight 3)\n"
    [found] = [each for each in check(parse(text)) if each.slug == "weight-as-point"]
    assert [(fix.title, fix.safe) for fix in found.fixes] == [("join it with the point above", False)]


def test_the_sum_of_safe_fixes_is_held_to_the_law() -> None:
    first = f"{HEAD}  ideal: |\n    It is five.\n  should：\n    - Names A\n"
    second = HEAD.replace("id: a", "id: b") + "  should:\n    - Says B\n    - > 3 words\n    -Says C\n"
    after = fix_text(first + second, None).parsed.blueprint.prompts
    assert [[point.text for point in prompt.points()] for prompt in after] == [
        ["Names A"],
        ["Says B", "> 3 words", "Says C"],
    ]


def test_a_quoted_text_that_ends_at_a_later_quote_becomes_no_keys_unasked() -> None:
    text = f'{HEAD}  should:\n    - "Says that it is due\n  citation: "Act: section 3"\n'
    assert fix_text(text, None).text == text


def test_what_other_prompts_hold_is_no_concern_of_an_edit() -> None:
    before = f"{HEAD}  should:\n    * Says A\n{HEAD}  should:\n    - Says B\n" * 20
    part = part_around(before, edits_between(before, before.replace("* Says A", "- Says A", 1)))
    assert part.end < 5 * len(before) // 40
    named = f"- &c Says C\n{before}"
    assert part_around(named, edits_between(named, f"{named}- Says D\n")).start == 0


def test_a_point_with_its_text_is_not_told_to_need_it() -> None:
    points = '  - "Explains the consent in\n    item"\n  - text: "States it"\n    citation: FOIA\n'
    told = {one.slug for one in check(parse(f"{HEAD}  should:\n{points} - id: b\n  prompt: c\n"))}
    assert told == {"yaml-syntax"}
