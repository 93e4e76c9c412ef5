"""F5 with the cursor in no prompt runs one, and says which: the one that ran last, else the first."""

from __future__ import annotations

from pathlib import Path

from tests.session.faces import open_face

HEADER = "title: Two\n---\n"
PROMPTS = "".join(f"- id: {name}\n  prompt: x\n  ideal: {name}\n  should: [$contains: {name}]\n" for name in ("a", "b"))


async def test_in_the_header_the_first_prompt_runs_and_then_the_last_one_again(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text(HEADER + PROMPTS, "utf-8")
    face = await open_face(file, at="title")
    await face.f5()
    assert [run.prompt.id for run in face.runs.state.runs.values()] == ["a"]
    assert face.author.messages[-1] == "The cursor is in no prompt: F5 runs prompt 1, a."
    face.cursor_at("id: b")
    await face.f5()
    first = {run.prompt.id: run.started for run in face.runs.state.runs.values()}
    face.cursor_at("title")
    await face.f5()
    again = {run.prompt.id: run.started for run in face.runs.state.runs.values()}
    assert (again["a"], again["b"] > first["b"]) == (first["a"], True)
    assert face.author.messages[-1] == "The cursor is in no prompt: F5 runs prompt 2, b."


async def test_a_file_without_prompts_says_so(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text(HEADER, "utf-8")
    face = await open_face(file)
    await face.f5()
    assert face.author.messages[-1] == "This file has no prompt to run."
