"""Characters inside literals and ids that are not seen, or not typed: no-break spaces, joiners, curly quotes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.rule_reports import HEAD, fixed, found, only, should, underlined
from tests.thoroughness import tried

INVISIBLE = "invisible-character"
CURLY = "curly-quote-in-literal"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("90\u00a0km", "90 km"),
        ("90\u202fkm", "90 km"),
        ("Bundes\u00adtag", "Bundestag"),
        ("rent\u200b", "rent"),
        ("\ufeffrent", "rent"),
        ("re\u200dnt", "rent"),
        ("\u200erent\u200f", "rent"),
        ("re\u2060nt", "rent"),
        ("ren\U000e0074", "ren"),
        ("wide\u2003gap", "wide gap"),
    ],
)
@pytest.mark.parametrize("quotes", ["'{}'", '"{}"', "{}"])
def test_an_unseen_character_in_a_literal_is_replaced(text: str, plain: str, quotes: str) -> None:
    before = should("Names it", f"$contains: {quotes.format(text)} # c")
    assert fixed(before, INVISIBLE) == should("Names it", f"$contains: {quotes.format(plain)} # c")


@pytest.mark.parametrize(
    "point",
    [
        "$contains: '👩\u200d🌾'",
        "$contains: '🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f'",
        "$contains: 'می\u200cخواهم'",
        "$contains: 'क्\u200dष'",
        '$contains: "90\\u00a0km"',
        "$contains: '\u200b'",
        "$contains_any_of: ['90\u00a0km', '90 km']",
        r"$matches: '90[ \u00a0]km'",
        "$matches: '90[ \u00a0]km'",
        "$js: 'r.includes(\"\u00a0\")'",
        "Names 90\u00a0km",
    ],
)
def test_a_character_that_is_needed_or_meant_is_left_alone(point: str) -> None:
    assert found(should(point), INVISIBLE) == []


@pytest.mark.parametrize("written", ["- 'Names B'", "'Names B'", "[Names B]", "text: Names B"])
def test_a_sign_without_width_before_what_yaml_reads_is_told(written: str) -> None:
    assert "stands before this point" in only(should("Names A", f"\u200b{written}"), INVISIBLE).message


def test_the_message_shows_where_the_character_is_and_the_text_that_is_missed() -> None:
    assert only(should("$contains: '90\u00a0km'"), INVISIBLE).message == (
        "“90␣km” holds a no-break space (U+00A0): “90 km” in an answer is not found"
    )


def test_an_unseen_character_in_an_id_is_reported_and_removed() -> None:
    text = should("a").replace("id: p", "id: 'p\u200b' # c")
    assert fixed(text, INVISIBLE) == should("a").replace("id: p", "id: 'p' # c")


def test_an_unseen_character_in_a_definition_is_reported() -> None:
    text = f"point_defs:\n  far: {{$contains: '90\u00a0km'}}\n---\n{should('$ref: far')}"
    assert underlined(text, INVISIBLE) == "'90\u00a0km'"


def test_a_literal_in_json_is_repaired_as_json() -> None:
    text = json.dumps({"prompts": [{"id": "p", "prompt": "q", "should": ["a", {"$contains": "90\u00a0km"}]}]},
                      ensure_ascii=False)  # fmt: skip
    assert json.loads(fixed(text, INVISIBLE))["prompts"][0]["should"][1] == {"$contains": "90 km"}


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8))
def test_a_fix_leaves_no_unseen_character(text: str) -> None:
    before = f"{HEAD}  should:\n    - b\n    - $contains: {json.dumps('a' + text + 'z', ensure_ascii=False)}\n"
    for _ in found(before, INVISIBLE):
        assert found(fixed(before, INVISIBLE), INVISIBLE) == []


# curly quotes


@pytest.mark.parametrize(
    ("before", "number", "after"),
    [
        ("$icontains: “clear danger” # c", 0, "$icontains: 'clear danger' # c"),
        ("$contains: I’m", 0, "$matches: 'I[''’]m'"),
        ("$icontains: says “no” twice.", 0, r"""$imatches: 'says ["“”]no["“”] twice\.'"""),
        ("$starts_with: I’m", 0, "$matches: '^I[''’]m'"),
        ("$iends_with: I’m.", 0, r"$imatches: 'I[''’]m\.$'"),
        ("$matches: I’m+", 0, "$matches: 'I[''’]m+'"),
        ('$contains_all_of: ["I’m", so.]', 0, r"""$matches_all_of: ["I['’]m", 'so\.']"""),
        ('$contains_any_of: ["I’m", so]', 0, """$contains_any_of: ["I’m", "I'm", so]"""),
        ("$not_icontains: I can’t", 0, "$not_imatches: 'I can[''’]t'"),
    ],
)
def test_curly_quotes_are_straightened_or_either_is_accepted(before: str, number: int, after: str) -> None:
    assert fixed(should("Names it", before), CURLY, number) == should("Names it", after)


@pytest.mark.parametrize(
    "point",
    [
        '$contains_any_of: ["can\'t", "can’t"]',
        '$matches: "can[\'’]t"',
        "$matches: 'can’?t'",
        '$contains: "can\'t"',
        '$contains: "\\u201cyes\\u201d"',
        "Says “yes”",
        "$contains: «oui»",
    ],
)
def test_quotes_that_are_accepted_in_either_form_or_usual_are_left_alone(point: str) -> None:
    assert found(should(point), CURLY) == []


def test_curly_quotes_of_the_prompt_or_the_ideal_are_meant() -> None:
    asked = should("$contains: “yes”").replace("prompt: q", "prompt: Write “yes” like this")
    shown = should("$contains: I’m").replace("prompt: q", "prompt: q\n  ideal: I’m late")
    assert found(asked, CURLY) == []
    assert found(shown, CURLY) == []
