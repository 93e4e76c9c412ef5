"""What the studio shows of answers is recorded: a later wording is not tested on them as on fresh ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.store import PromptPlace, Store
from engine.study.file_places import beside
from engine.text.record import text_digest
from tests.session.faces import Face, open_face
from tests.stored_answers import answered
from tests.studio.text_files import text_file

TEXT = text_file("shown-answers.yml")
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: Soon., label: bad}
  - {prompt: visit, answer: Never., label: bad}
"""


@pytest.fixture
async def face(tmp_path: Path) -> Face:
    """A file with a stored answer to its first prompt, and with cases of both."""
    path = answered(tmp_path / "rent.yml", TEXT, {"own:a": "On the 5th."})
    beside(path).write_text(CASES, "utf-8")
    return await open_face(path)


def shown(face: Face, prompt: int) -> set[str]:
    path = face.session.state.path
    place = PromptPlace.of(path, parse(TEXT, path).blueprint.prompts[prompt])
    return set(Store().first_shown(place))


def digests(*answers: str) -> set[str]:
    return set(map(text_digest, answers))


async def test_a_run_of_all_prompts_shows_the_score_of_each(face: Face) -> None:
    beside(face.session.state.path).unlink()
    face.cursor_at("title")
    await face.f6()
    await face.until(lambda: shown(face, 0) >= digests("On the 3rd."))
    await face.until(lambda: shown(face, 1) >= digests("On the day before."))


async def test_the_outcomes_of_the_cases_of_a_prompt_are_shown_with_its_result(face: Face) -> None:
    face.cursor_at("When is")
    await face.until(lambda: shown(face, 0) >= digests("Soon."))
    assert not shown(face, 1)
    face.cursor_at("And before")
    await face.until(lambda: shown(face, 1) >= digests("Never."))


async def test_answers_to_choose_from_are_shown(face: Face) -> None:
    assert await face.open_criterion("$contains: 3rd")
    await face.settled()
    assert not shown(face, 0) & digests("On the 5th.")
    await face.runs.criterion.choose_answers()
    await face.until(lambda: shown(face, 0) >= digests("On the 5th."))


def read(face: Face, prompt: int) -> frozenset[str]:
    path = face.session.state.path
    return (
        Store()
        .read_of(str(path.absolute()))
        .get(PromptPlace.of(path, parse(TEXT, path).blueprint.prompts[prompt]).prompt, frozenset())
    )


async def test_only_answers_that_were_on_the_screen_are_read(face: Face) -> None:
    face.cursor_at("When is the rent due?")
    await face.f6()
    await face.until(lambda: shown(face, 1) >= digests("On the day before."))
    assert read(face, 0) == read(face, 1) == frozenset()
    face.runs.answer_shown()
    await face.until(lambda: read(face, 0) == digests("On the 3rd."))
    assert read(face, 1) == frozenset()
    face.cursor_at("And before a visit?")
    face.runs.answer_shown()
    await face.until(lambda: read(face, 1) == digests("On the day before."))
