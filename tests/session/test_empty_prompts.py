"""Items of the list of prompts that are no prompts, as while an author begins one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.faces import open_face

PROMPT = "- id: a\n  prompt: b\n  ideal: c\n  should:\n    - $icontains: c\n"


@pytest.mark.parametrize("before", ["- \n", "- \n- \n", "- null\n", "- 5\n", "-\n  # not yet\n"])
async def test_an_item_before_a_prompt_leaves_the_prompt_its_place_and_number(tmp_path: Path, before: str) -> None:
    file = tmp_path / "x.yml"
    file.write_text(f"{before}{PROMPT}", "utf-8")
    face = await open_face(file, at="prompt:")
    await face.f5()
    row = face.session.outline()[-1]
    assert row.score.startswith("100")
    assert row.number == len(face.runs.overview.view().prompts)
