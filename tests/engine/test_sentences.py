"""An answer's sentences: where they end, where they do not, and that nothing of the answer goes unread."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence.passages import sentence_text, sentences


def said(text: str) -> list[str]:
    return [sentence_text(span, text) for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("Dr. Smith, e.g. here, vs. Mr. Lee. End.", ["Dr. Smith, e.g. here, vs. Mr. Lee.", "End."]),
        ("See Art. 19 and No. 5. No. That is all.", ["See Art. 19 and No. 5.", "No.", "That is all."]),
        ("The U.S. Supreme Court, J. R. Smith. Next.", ["The U.S. Supreme Court, J. R. Smith.", "Next."]),
        ("It is 3.5 m at example.org/a.b wide. Yes.", ["It is 3.5 m at example.org/a.b wide.", "Yes."]),
        (
            "“Really?” she asked. He said “No.” Then he left.",
            ["“Really?” she asked.", "He said “No.”", "Then he left."],
        ),
        ("(One.) [Two.] **Three.** Four.", ["(One.)", "[Two.]", "Three.", "Four."]),
        ("A line that\nis wrapped. Next.", ["A line that is wrapped.", "Next."]),
        ("First\n\nSecond\r\n\r\nThird", ["First", "Second", "Third"]),
        ("# Title\nText\n## More\n---\nEnd", ["Title", "Text", "More", "End"]),
        ("- one\n- *two*\n  goes on\n1. three\n2) four\n(a) five", ["one", "two goes on", "three", "four", "five"]),
        ("> - quoted\n> - list", ["quoted", "list"]),
        ("| a | b |\n|---|---|\n| c | d |", ["a b", "c d"]),
        ("Say:\n```py\nx = 'a. B'\ny = 1\n```\nDone", ["Say:", "x = 'a. B'", "y = 1", "Done"]),
        ("法律规定权利。「必要です。」はい！そう", ["法律规定权利。", "「必要です。」", "はい！", "そう"]),
        ("सभी मनुष्य। जन्म स्वतन्त्र।", ["सभी मनुष्य।", "जन्म स्वतन्त्र।"]),
        ("يولد جميع الناس. هل هذا؟ نعم.", ["يولد جميع الناس.", "هل هذا؟", "نعم."]),
        ("Все равны. Это так.", ["Все равны.", "Это так."]),
        ("", []),
        ("... --- !!! \n\n * * *", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_sentence_has_its_place_in_the_text() -> None:
    text = "One.\n\n- **Two** is here.  Three."
    assert [span.of(text) for span in sentences(text)] == ["One.", "**Two** is here.", "Three."]


@given(st.text(alphabet=st.sampled_from("aB1é法.!?。 \n\t-*#`|>()“”é\u2028\r"), max_size=120) | st.text(max_size=200))
def test_every_letter_is_in_exactly_one_sentence(text: str) -> None:
    spans = sentences(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    inside = {place for span in spans for place in range(span.start, span.end)}
    marks = {place for place, each in enumerate(text) if each.isalnum()} - inside
    assert all(_begins_an_item(text, place) for place in marks)


def _begins_an_item(text: str, place: int) -> bool:
    """Whether what stands at `place` numbers an item of a list, or names the language of a block of code."""
    line = text[: place + 1].splitlines()[-1].lstrip()
    return line.lstrip("> \t(").isalnum() or line.startswith(("```", "~~~"))


@given(st.text(max_size=300))
def test_a_sentence_is_one_line_of_meaning_within_the_text(text: str) -> None:
    assert all("\n" not in each and each == each.strip() for each in said(text))
    assert all(0 <= span.start < span.end <= len(text) for span in sentences(text))
