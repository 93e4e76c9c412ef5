"""A few random sequences of keys, and a model that notices what they must not do."""

from __future__ import annotations

from tests.fire import keys
from tests.fire.text_model import TextModel
from tests.many_cases import every
from tests.thoroughness import tried


def test_random_keys_leave_a_studio_that_works() -> None:
    assert keys.attack(0, tried(1, 6)) is None


@every(
    ("text", "cursor", "key", "after"),
    [
        ("ab", 1, "backspace", "b"),
        ("a\r\nb", 3, "backspace", "ab"),
        ("a\r\nb", 1, "delete", "ab"),
        ("a\nb\n", 0, "ctrl+shift+k", "b\n"),
        ("  a", 3, "shift+tab", "a"),
        ("a", 1, "tab", "a "),
        ("a\n  b", 0, "ctrl+underscore", "# a\n  b"),
        ("- prompt: x\n  should:\n    - Says it", 35, "enter", "- prompt: x\n  should:\n    - Says it\n    - "),
    ],
)
def test_the_model_knows_the_one_text_after_a_plain_key(text: str, cursor: int, key: str, after: str) -> None:
    model = TextModel(text, anchor=cursor, cursor=cursor)
    law = model.law(key)
    assert law(after) is not None
    assert law(text) is None
    assert law(after + "x") is None


def test_the_key_of_an_action_leaves_even_selected_text_alone_in_the_model() -> None:
    law = TextModel("ab", anchor=0, cursor=2).law("ctrl+k")
    assert law("ab") is not None
    assert law("") is None


def test_the_model_knows_undo_and_redo_to_the_last_state() -> None:
    model = TextModel("a", anchor=1, cursor=1)
    for key, after in (("x", "ax"), ("backspace", "a")):
        outcome = model.law(key, key if len(key) == 1 else None)(after)
        assert outcome is not None
        model.accept(outcome)
        model.anchor = model.cursor = len(after)
    assert model.law("ctrl+z")("ax") is not None
    assert model.law("ctrl+z")("a") is None


def test_an_automatic_dash_typed_again_counts_once_in_the_model() -> None:
    text = "- prompt: x\n  should:\n    - Says it"
    model = TextModel(text, anchor=len(text), cursor=len(text))
    for key, character, after in (
        ("enter", None, f"{text}\n    - "),
        ("", "-", f"{text}\n    - -"),
        ("", " ", f"{text}\n    - "),
    ):
        outcome = model.law(key, character)(after)
        assert outcome is not None
        model.accept(outcome)
        model.anchor = model.cursor = len(after)
    assert model.law("", "x")(f"{text}\n    - - x") is None
