"""The words with a fixed meaning: one table, from which the page and F1 are made."""

from __future__ import annotations

from pathlib import Path

from engine.text.glossary import Word, glossary
from tests.many_cases import every
from tests.studio.driving import opened
from tests.words_page import PAGE, page


def test_the_page_of_words_is_made_from_the_table() -> None:
    assert PAGE.read_text("utf-8") == page()


def test_the_table_defines_each_word_once() -> None:
    names = [word.name for word in glossary()]
    assert len(names) == len(set(names)) > 0


@every("word", glossary(), ids=lambda word: word.name)
def test_a_meaning_is_a_sentence(word: Word) -> None:
    assert word.meaning[0].isupper()
    assert word.meaning.endswith(".")


async def test_f1_defines_the_words(tmp_path: Path) -> None:
    async with opened(tmp_path, "- id: a\n  prompt: x\n  should: [Says y]\n", keys=("ctrl+r",)) as page:
        await page.hit("f1")
        asked = await page.asked()
        shown = [str(each.render()) for each in asked.screen.query(".word")]
        assert shown == [f"{word.name} · {word.of}\n{word.meaning}" for word in glossary()]
