"""Which signs an edited text holds is known as if each text were searched from its start."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.words import SignPlaces
from tests.thoroughness import tried

TEXTS = st.text("ab", max_size=12)
SIGNS = ("a", "b", "ab", "ba", "aab", "bbb")


@settings(max_examples=tried(50, 2000))
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_each_sign_is_known_in_each_text(texts: list[str]) -> None:
    places = SignPlaces()
    for text in texts:
        places.update(text)
        assert [places.holds(sign) for sign in SIGNS] == [sign in text for sign in SIGNS]


@settings(max_examples=tried(50, 2000))
@given(TEXTS, TEXTS, TEXTS, st.sampled_from(SIGNS))
def test_a_sign_that_was_asked_for_long_ago_is_known_after_edits(first: str, then: str, last: str, sign: str) -> None:
    places = SignPlaces()
    places.update(first)
    places.holds(sign)
    places.update(then)
    places.update(last)
    assert places.holds(sign) is (sign in last)
