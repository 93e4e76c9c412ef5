"""A whole story of an author at one blueprint, told to a session without a terminal, and how long it took.

Run as a program, with the address of a model server on loopback, in a process that refuses to import Textual.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from engine.evaluation.sources import ModelSource
from engine.scoring.assessment import Grade
from tests.session.faces import Author, Face
from tests.studio.text_files import text_file

BLUEPRINT = text_file("story.yml")


def figure(face: Face) -> str:
    """The score that is shown, or its bounds."""
    headline = face.result.headline
    return "" if headline is None else headline.figure


async def story(folder: Path, url: str) -> None:
    """Open, edit, see problems, fix, run, stream, cancel, grade, look back, save, and meet a conflict."""
    path = folder / "tenants.yml"
    path.write_text(BLUEPRINT, "utf-8")
    author = Author()
    face = Face(path, author)
    session = face.session

    # Open: the problems are there, and nothing is unsaved.
    await face.settled()
    problems = session.problems()
    assert problems is not None
    assert [row.diagnostic.slug for row in problems.problems] == ["quoted-function"]
    assert not session.state.unsaved

    # Edit: what is typed is checked, and counts as unsaved.
    await face.change("Names the lease", "Names the lease\n    - $icontians: lease")
    problems = session.problems()
    assert problems is not None
    assert [row.diagnostic.slug for row in problems.problems] == ["quoted-function", "unknown-function"]
    assert session.state.unsaved

    # Fix: the safe one at the cursor, then the other by the author's choice.
    face.cursor_at("icontains: '30")
    face.apply(await session.fixes.at())
    assert "- $icontains: '30 days'" in face.text
    await face.settled()
    await face.change("\n    - $icontians: lease", "")
    problems = session.problems()
    assert problems is not None
    assert problems.problems == ()

    # Run: the ideal, at once; a point in words is open.
    await face.at("notice period")
    assert not face.result.is_scored
    await face.f5()
    assert figure(face) == "50–100"

    # Grade: the score is closed.
    await face.grade(1, Grade.FULLY_PRESENT)
    assert figure(face) == "100.0"

    # Stream: a model's answer arrives in pieces, and is stopped; what had arrived stays.
    await face.choose(ModelSource("tiny", url))
    face.runs.run_or_stop()
    await face.until(lambda: face.session.state.arriving)
    assert face.runs.selection.run is not None
    assert [turns[0] for turns in face.session.state.arriving.values()] == ["It "]
    await face.f5()
    assert face.runs.selection.run.state == "stopped"
    assert face.runs.selection.run.response is not None
    assert face.runs.selection.run.response.subject == "It "

    # Look back: both runs are in the history, and the first can be opened.
    history = await face.runs.history.view()
    assert len(history.runs) == 2
    await face.runs.history.open(history.runs[1])
    await face.settled()
    assert face.result.notice.startswith("From just now")

    # Save; then something else writes the file, and saving asks.
    assert await session.file.save()
    assert path.read_text("utf-8") == face.text
    assert not session.state.unsaved
    path.write_text("title: Another\n", "utf-8")
    face.replace("Names the lease", "Names the lease and its date")
    author.answers = ["overwrite"]
    assert await session.file.save()
    assert "and its date" in path.read_text("utf-8")
    await face.settled()


def main() -> None:
    """Tell the story, and print how long it took."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(story(Path(folder), sys.argv[1]))
    imported = [name for name in sys.modules if name.split(".")[0] == "textual"]
    assert not imported, imported
    print(f"the story took {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
