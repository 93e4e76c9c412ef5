"""The score that the author expected: asked for, remembered for its prompt, and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.session.host import EnterText
from tests.session.faces import Face, open_face

TEXT = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Opens a file with the answer of the ideal, and an author with these answers to questions."""

    async def opened(*answers: Any) -> Face:
        return await open_face(tmp_path, *answers, text=TEXT, at="prompt")

    return opened


async def scored(run: Callable[..., Any], *answers: Any) -> Face:
    face = await run(*answers)
    await face.f5()
    return face


async def test_it_is_remembered_until_it_is_asked_for_again(run: Callable[..., Any]) -> None:
    face = await scored(run, "87,5 %")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.875
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None
    assert len(face.author.asked) == 1


async def test_it_is_asked_for_until_it_can_be_read(run: Callable[..., Any]) -> None:
    face = await scored(run, "850", "good", "85")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.85
    texts = [each.text for each in face.author.asked if isinstance(each, EnterText)]
    assert [text.startswith("Write a number from 0 to 100, such as 85.") for text in texts] == [False, True, True]


async def test_nothing_is_expected_where_the_author_cancels(run: Callable[..., Any]) -> None:
    face = await scored(run, None)
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None


async def test_it_needs_a_score(run: Callable[..., Any]) -> None:
    face = await run()
    await face.runs.expected.ask_or_clear()
    assert face.author.messages[-1] == "There is no score yet: F5 runs this prompt."
