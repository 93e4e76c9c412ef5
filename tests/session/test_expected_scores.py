"""The score that the author expected: asked for, remembered for its prompt, and forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from studio.session.host import EnterText
from tests.session.faces import Face, open_face
from tests.studio.text_files import text_file

TEXT = text_file("expected-scores.yml")


async def scored(folder: Path, *answers: Any) -> Face:
    """A file with the answer of the ideal, and an author with these answers to questions."""
    face = await open_face(folder, *answers, text=TEXT, at="prompt")
    await face.f5()
    return face


async def test_it_is_remembered_until_it_is_asked_for_again(tmp_path: Path) -> None:
    face = await scored(tmp_path, "87,5 %")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.875
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None
    assert len(face.author.asked) == 1


async def test_it_is_asked_for_until_it_can_be_read(tmp_path: Path) -> None:
    face = await scored(tmp_path, "850", "good", "85")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.85
    texts = [each.text for each in face.author.asked if isinstance(each, EnterText)]
    assert [text.startswith("Write a number from 0 to 100, such as 85.") for text in texts] == [False, True, True]


async def test_nothing_is_expected_where_the_author_cancels(tmp_path: Path) -> None:
    face = await scored(tmp_path, None)
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None


async def test_it_needs_a_score(tmp_path: Path) -> None:
    face = await open_face(tmp_path, text=TEXT, at="prompt")
    await face.runs.expected.ask_or_clear()
    assert face.author.messages[-1] == "There is no score yet: F5 runs this prompt."
