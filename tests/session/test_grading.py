"""Grades that follow each other quickly."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from engine.scoring.assessment import Grade
from engine.store import Store
from tests.session.faces import open_face

TEXT = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - Names it\n"


async def test_the_last_of_two_grades_counts_however_long_the_first_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = await open_face(tmp_path, text=TEXT, at="prompt")
    await face.f5()
    stored = Store.grade

    def slowly(self: Store, *given: object) -> None:
        if given[-1] is Grade.FULLY_PRESENT:
            time.sleep(0.2)
        stored(self, *given)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Store, "grade", slowly)
    await asyncio.gather(face.runs.grade(0, Grade.FULLY_PRESENT), face.runs.grade(0, Grade.ABSENT))
    await face.settled()
    run = face.run
    assert run.assessments[0].extent == 0.0


async def test_grades_of_two_prompts_given_quickly_both_count(tmp_path: Path) -> None:
    face = await open_face(tmp_path, text=TEXT + TEXT.replace("id: a", "id: b").replace("prompt: x", "prompt: z"))
    for prompt in ("prompt: x", "prompt: z"):
        face.cursor_at(prompt)
        await face.f5()
    for prompt in ("prompt: x", "prompt: z"):
        face.cursor_at(prompt)
        await face.runs.grade(0, Grade.ABSENT)
    await face.settled()
    assert [run.assessments[0].extent for run in face.runs.selection.all] == [0.0, 0.0]
