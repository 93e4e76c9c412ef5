"""The difference of two answers by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.study.two_runs import Edit, WordEdit, word_difference, words_summary
from tests.processor_time import costs_less_than

TEXT = st.text(alphabet="ab .\nä'", max_size=40)


def marked(edits: tuple[WordEdit, ...]) -> str:
    signs = {Edit.SAME: "{}", Edit.REMOVED: "[-{}-]", Edit.ADDED: "[+{}+]"}
    return "".join(signs[each.edit].format(each.text) for each in edits)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("within 14 days", "within 30 days", "within [-14-][+30+] days"),
        ("It is due.", "It is due in writing.", "It is due[+ in writing+]."),
        ("a b c d", "a x y d", "a [-b c-][+x y+] d"),
        ("state-of-the-art", "state-of-the-union", "[-state-of-the-art-][+state-of-the-union+]"),
        ("", "new", "[+new+]"),
        ("same", "same", "same"),
    ],
)
def test_whole_words_are_marked(old: str, new: str, difference: str) -> None:
    assert marked(word_difference(old, new)) == difference


@given(TEXT, TEXT)
def test_both_answers_can_be_read_from_their_difference(old: str, new: str) -> None:
    edits = word_difference(old, new)
    assert "".join(each.text for each in edits if each.edit is not Edit.ADDED) == old
    assert "".join(each.text for each in edits if each.edit is not Edit.REMOVED) == new


def test_changed_words_are_counted() -> None:
    edits = word_difference("within 14 days", "within 30 working days")
    assert words_summary(edits) == "1 word removed, 2 added"


def test_very_long_answers_that_repeat_themselves_take_no_long_time() -> None:
    old = "a b\n" * 20_000
    with costs_less_than(2):
        assert words_summary(word_difference(old + "x", old + "y")) == "1 word removed, 1 added"
