"""The families of phrases, measured on sentences that were written before the phrases."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from engine.rules.phrases import OF_PROMPTS, Phrases, family, family_slugs, found_in, places_of, read_phrases, words_in
from tests.engine.short_cases import assert_lines_say
from tests.many_cases import every

FOLDER = Path(__file__).parent / "phrases"
ENOUGH = 40
LEAST_FOUND = 24
SETS = {"who": ["the? answer|response", "it"], "deed": ["name|names", "points out"]}


def sentences(slug: str) -> dict[str, list[str]]:
    return tomllib.loads((FOLDER / f"{slug}.toml").read_text(encoding="utf-8"))


def is_found(slug: str, text: str) -> bool:
    return bool(places_of(slug, text, 2_000)) if slug == OF_PROMPTS else slug in found_in(text)


def words(phrase: str, text: str) -> str | None:
    found = next(Phrases(read_phrases([phrase], SETS)).found(words_in(text)), None)
    return None if found is None else text[slice(*found[1])]


@every("slug", family_slugs())
def test_each_family_has_enough_sentences_and_look_alikes(slug: str) -> None:
    found, clean = sentences(slug)["found"], sentences(slug)["clean"]
    assert len(found) == len(clean) == ENOUGH
    assert len({*found, *clean}) == 2 * ENOUGH


@every("slug", family_slugs())
def test_a_family_finds_most_of_its_sentences(slug: str) -> None:
    assert sum(is_found(slug, text) for text in sentences(slug)["found"]) >= LEAST_FOUND


@every("slug", family_slugs())
def test_a_family_warns_of_no_look_alike(slug: str) -> None:
    assert [text for text in sentences(slug)["clean"] if is_found(slug, text)] == []


@every("slug", family_slugs())
def test_a_file_is_named_after_its_family(slug: str) -> None:
    assert re.match(rf"# {slug}(?:: \S.*)?\n\n", family(slug).row.page)


def test_a_phrase_is_declared_once() -> None:
    declared = Counter(phrase for slug in family_slugs() for kind in family(slug).kinds for phrase in kind.row.phrases)
    assert [phrase for phrase, number in declared.items() if number > 1] == []


@every("slug", family_slugs())
def test_all_phrases_of_a_family_can_be_read(slug: str) -> None:
    for kind in family(slug).kinds:
        assert len(kind.phrases) == len(kind.row.phrases)
        assert not kind.is_refused(words_in(""))
        assert not kind.is_settled(lambda: "", "")


def test_a_phrase_is_found_by_its_slots(pytestconfig: pytest.Config) -> None:
    def found(line: str) -> list[str]:
        return [str(words(*line.split(" || ")))]

    assert_lines_say(Path(__file__).parent / "engine" / "line_cases" / "phrases-in-texts.txt", found, pytestconfig)


@every("phrase", ["^ <word> $", "~3 the?", "<unknown> fee"])
def test_a_phrase_that_cannot_be_looked_for_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match=r"no word|no set"):
        read_phrases([phrase], SETS)
