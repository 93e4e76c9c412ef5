"""One criterion at a time, in stories that an author lives through: see `criterion_stories.txt`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.scoring.assessment import Grade
from studio.session.views.criterion_view import CriterionRow
from tests.session.criterion_faces import Opener, blueprint, view
from tests.session.faces import Face
from tests.studio.model_server import ModelServer, verdict

FILE = Path(__file__).with_name("criterion_stories.txt")
PANELS = {"documented": JudgesAs.DOCUMENTED, "weval": JudgesAs.WEVAL_TODAY, "none": None}
REPLIES = {
    "declines": "I'm sorry, but I can't help with that.",
    "undecided": f"1. {verdict('CLASS_ABSENT', '')} 2. {verdict('CLASS_FULLY_PRESENT', '')}",
}


def stories() -> list[str]:
    """What stands above the first story, and each of them."""
    return re.split(r"^(?=## )", FILE.read_text("utf-8"), flags=re.MULTILINE)


def row_said(row: CriterionRow) -> str:
    """What a row of all answers says: verdicts now and before, what flipped, and the grade."""

    def figures(extents: tuple[float | None, ...]) -> str:
        return " ".join("–" if each is None else f"{each:g}" for each in extents)

    parts = [figures(row.now), f"before {figures(row.before)}" if any(each is not None for each in row.before) else ""]
    parts += [f"flips {row.flip.name.lower()}" if row.flip else "", "carried over" if row.is_carried else ""]
    if row.grade is not None:
        parts.append(f"graded {row.grade.grade.name.lower()}{'' if row.grade.counts else ', of an earlier wording'}")
    return f"{row.answer.label}: {', '.join(filter(None, parts)) or 'nothing yet'}"


class Story:
    """An author at one blueprint, who answers each question with its first choice."""

    def __init__(self, opener: Opener, server: ModelServer) -> None:
        self._opener = opener
        self._server = server
        self._sent = 0
        self.face: Face

    async def _open(self, text: str, how: str) -> None:
        chosen = [lambda question: question.choices[0].id] * 9
        self.face = await self._opener(*chosen, text=text, judges="without judges" not in how)

    async def does(self, step: str) -> Iterator[str]:
        """Do it; what is told of it."""
        word, _, what = step.replace("⏎", "\n").partition(" ")
        old, _, new = what.partition(" => ")
        match word:
            case "open":
                approach = "holistic" if "holistic" in what else "standard"
                await self._open(blueprint(self._server, approach), what)
            case "reopen":
                text = self.face.text.replace(old, new) if new else self.face.text
                await self.face.close()
                await self._open(text, what)
            case "show":
                await self.face.open_criterion(what)
                await self.face.settled()
            case "run":
                await self.face.open_criterion(what)
                await self.face.again()
            case "again":
                await self.face.again()
            case "change":
                await self.face.rewrite(self.face.text.replace(old, new, 1))
            case "judges":
                self.face.judged(PANELS[what])
            case "take-back":
                self.face.apply(await self.face.runs.criterion.take_back())
                await self.face.settled()
            case "grade":
                label, _, number = what.rpartition(" ")
                (key,) = [row.key for row in view(self.face).rows if row.answer.label == label]
                await self.face.runs.criterion.grade(key, [None, *Grade][int(number)])
                await self.face.settled()
            case "f5":
                self.face.cursor_at("prompt: ")
                await self.face.f5()
            case "judge":
                self._server.said = lambda _: REPLIES[what]
            case "forget":
                with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
                    connection.execute("UPDATE wording_verdict SET scale = '', form = ''")
            case _:
                return self._told(word)
        return iter(())

    def _told(self, word: str) -> Iterator[str]:
        match word:
            case "shown":
                shown = view(self.face)
                yield f"{shown.name or 'none'} · {shown.wording} · {shown.state}"
                yield from map(row_said, shown.rows)
                yield from shown.foot
                if shown.selected is not None:
                    notes = [*(f"{line.judge}: {line.verdict}" for line in shown.selected.lines), shown.selected.note]
                    yield from filter(None, notes)
            case "result":
                yield " ".join("–" if each is None else f"{each:g}" for each in self.face.extents)
            case "sent":
                sent = len(self._server.bodies)
                yield f"{sent - self._sent} requests"
                self._sent = sent
            case "asked":
                question: Any = self.face.author.asked[-1]
                yield question.title
                yield from (" · ".join(filter(None, (each.label, each.detail))) for each in question.choices)
            case _:
                raise ValueError(word)


@pytest.mark.parametrize("number", range(1, len(stories())), ids=[each.splitlines()[0] for each in stories()[1:]])
async def test_a_story_goes_as_its_file_says(
    number: int, opened: Opener, server: ModelServer, pytestconfig: pytest.Config
) -> None:
    texts = stories()
    story, told = Story(opened, server), list[str]()
    for line in texts[number].splitlines():
        if line.startswith(">"):
            continue
        told.append(line)
        if line and not line.startswith("## "):
            told += [f"> {said}" for said in await story.does(line)]
    now = "\n".join(told) + "\n"
    if pytestconfig.getoption("update_snapshots"):
        texts[number] = now
        FILE.write_text("".join(texts), "utf-8")
    else:
        assert now == texts[number]
