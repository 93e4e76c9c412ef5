"""A character that is not drawn is shown, unless an emoji or a script needs it where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.spans import pictures_in, visible
from tests.world import CORPUS, needs_corpus

DEFAULT_IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""The ranges of Default_Ignorable_Code_Point in DerivedCoreProperties.txt."""
ANNOTATIONS = (0xFFF9, 0xFFFB)
HIDDEN = [chr(code) for start, end in (*DEFAULT_IGNORABLE, ANNOTATIONS) for code in range(start, end + 1)]

SCRIPTS = {
    "persian": "می\u200cخواهم",
    "arabic joiner at the end": "ه\u200d",
    "arabic joiner at the start": " \u200dه",
    "hindi": "क्\u200dष क्\u200cष",
    "bengali": "র\u200d্য",
    "sinhala": "ශ්\u200dරී",
    "malayalam": "ന്\u200d",
    "kannada": "ರ್\u200cಕ",
    "mongolian vowel": "ᠨᠠᠭ\u180eᠠ",
    "mongolian form": "ᠠ\u180b",
    "ideograph": "葛\U000e0100 都\ufe00",
    "slashed zero": "0\ufe00",
    "mathematics": "∪\ufe00",
    "hieroglyph": "\U00013091\ufe00",
    "chinese comma": "\uff0c\ufe01",
}
EMOJI = {
    "family": "👩\u200d👩\u200d👧\u200d👦",
    "shrug": "🤷🏽\u200d♂\ufe0f",
    "rainbow flag": "🏳\ufe0f\u200d🌈",
    "pirate flag": "🏴\u200d☠\ufe0f",
    "eye in a bubble": "👁\ufe0f\u200d🗨\ufe0f",
    "heart as an emoji": "❤\ufe0f",
    "heart as text": "❤\ufe0e",
    "keycap": "1\ufe0f\u20e3",
    "copyright": "©\ufe0f",
    "England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "Wales": "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "new emoji": "🫨 \U0001fae9",
}


def tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def shown(text: str) -> str:
    """The characters in `text` that are replaced."""
    return "".join(text[at] for at, _ in pictures_in(text))


# --- Shown


def test_every_character_that_is_not_drawn_is_shown_between_letters() -> None:
    assert not [ascii(each) for each in HIDDEN if not visible(f"a{each}b").isascii()]


@pytest.mark.parametrize(
    ("hidden", "picture"),
    [
        ("\u200b", "\\u200b"),
        ("\u2060", "\\u2060"),
        ("\xad", "\\u00ad"),
        (tags("A"), "\\U000e0041"),
        ("\ufff9", "\\ufff9"),
    ],
    ids=ascii,
)
def test_the_escape_is_the_one_that_yaml_knows(hidden: str, picture: str) -> None:
    assert visible(f"a{hidden}b") == f"a{picture}b"


@given(st.text(st.sampled_from(["a", "Z", " ", "é", *HIDDEN])))
def test_no_text_hides_between_latin_letters(text: str) -> None:
    assert not set(visible(text)) & set(HIDDEN)


@pytest.mark.parametrize(
    ("text", "hidden"),
    {
        "a joiner between Latin letters": ("a\u200db", "\u200d"),
        "a non-joiner between Latin letters": ("a\u200cb", "\u200c"),
        "a second joiner": ("👩\u200d\u200d👧", "\u200d\u200d"),
        "a second non-joiner": ("می\u200c\u200cخ", "\u200c\u200c"),
        "a joiner after an emoji": ("👩\u200d ", "\u200d"),
        "a second selector": ("❤\ufe0f\ufe0f", "\ufe0f"),
        "bytes behind an emoji": ("😀\U000e0101\U000e0120", "\U000e0101\U000e0120"),
        "a second ideographic selector": ("葛\U000e0100\U000e0101", "\U000e0101"),
        "a selector without a base": ("\ufe0f", "\ufe0f"),
        "a text in tags": (f"🏴{tags('ignore')}\U000e007f", tags("ignore") + "\U000e007f"),
        "a flag without its end": (f"🏴{tags('gbeng')}", tags("gbeng")),
        "a tag behind a flag": (EMOJI["England"] + tags("x"), tags("x")),
        "a filler": ("가\u3164나", "\u3164"),
        "a Mongolian separator elsewhere": ("a\u180eb", "\u180e"),
    }.values(),
    ids=ascii,
)
def test_what_nothing_needs_is_shown(text: str, hidden: str) -> None:
    assert shown(text) == hidden


# --- Left


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_what_a_script_needs_stays(text: str) -> None:
    assert visible(f"a {text} b") == f"a {text} b"


@pytest.mark.parametrize("text", EMOJI.values(), ids=EMOJI)
def test_what_an_emoji_needs_stays(text: str) -> None:
    assert visible(f"a{text}b {text}") == f"a{text}b {text}"


@needs_corpus
def test_nothing_in_the_corpus_is_changed() -> None:
    files = [path.read_text("utf-8") for path in Path(CORPUS).glob("**/*.yml")]
    assert files
    assert not [each for each in files if visible(each) != each]


# --- Laws


@given(st.text(st.one_of(st.characters(), st.sampled_from([*HIDDEN[:60], "👩", "♂", "ه", "क", "्", "葛", "🏴"]))))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text())
def test_only_what_is_replaced_differs(text: str) -> None:
    assert len(visible(text)) == len(text) + sum(len(picture) - 1 for _, picture in pictures_in(text))
