"""What holds for every rule on the wording of points: fixes, the signs they look for, and other languages."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import check
from engine.rules.phrases import words_span
from engine.text.spans import apply_edits
from engine.yaml.layout import quoted as quoted_text
from tests.engine.wordings import should
from tests.thoroughness import tried

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
