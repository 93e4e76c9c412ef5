"""What an author lives through at one blueprint, as stories: see `stories`."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.sources import AnswerSource, ControlKind, ControlSource, IdealSource, ModelSource
from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.scoring.assessment import Grade
from engine.scoring.explanation import Bounds
from engine.study.file_places import beside
from studio.session.host import FirstCase, FirstCaseQuestion
from studio.session.resources import save_author_name
from studio.session.views.criterion_view import CriterionRow
from tests.session.criterion_faces import CASES, RUBRIC, Opener, blueprint, view
from tests.session.faces import Face
from tests.session.test_next_step import at_keys
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

FILES = sorted((Path(__file__).parent / "stories").glob("*.txt"))
SOURCES: dict[str, AnswerSource] = {"the ideal": IdealSource()}
SOURCES |= {kind.value: ControlSource(kind) for kind in ControlKind}
ANSWERS = {
    "cancel": None,
    "nothing": "",
    "usual": FirstCase("usual"),
    "data folder": FirstCase("other"),
    "Ahmed": FirstCase("usual", "  Ahmed\tN. "),
}
"""What the author answers, where it is not the words themselves."""
PANELS = {"documented": JudgesAs.DOCUMENTED, "weval": JudgesAs.WEVAL_TODAY, "none": None}
REPLIES = {
    "declines": "I'm sorry, but I can't help with that.",
    "undecided": f"1. {verdict('CLASS_ABSENT', '')} 2. {verdict('CLASS_FULLY_PRESENT', '')}",
}


def stories(file: Path) -> list[str]:
    """What stands above the first story of a file, and each of them."""
    return re.split(r"^(?=## )", file.read_text("utf-8"), flags=re.MULTILINE)


STORIES = [
    pytest.param(file, number, id=f"{file.stem}: {story.splitlines()[0]}")
    for file in FILES
    for number, story in enumerate(stories(file))
    if number
]


def row_said(row: CriterionRow) -> str:
    """What a row of all answers says: verdicts now and before, what flipped, and the grade."""

    def figures(extents: tuple[float | None, ...]) -> str:
        return " ".join("–" if each is None else f"{each:g}" for each in extents)

    parts = [figures(row.now), f"before {figures(row.before)}" if any(each is not None for each in row.before) else ""]
    parts += [f"flips {row.flip.name.lower()}" if row.flip else "", "carried over" if row.is_carried else ""]
    if row.grade is not None:
        parts.append(f"graded {row.grade.grade.name.lower()}{'' if row.grade.counts else ', of an earlier wording'}")
    return f"{row.answer.label}: {', '.join(filter(None, parts)) or 'nothing yet'}"


def bounds_text(bounds: Bounds) -> str:
    """Bounds in points, to one decimal."""
    return f"{round(bounds.low * 100, 1)}–{round(bounds.high * 100, 1)}"


class Story:
    """An author at one blueprint, who answers each question with its first choice."""

    def __init__(self, opener: Opener, server: ModelServer) -> None:
        self._opener = opener
        self.folder = opener.folder
        self._server = server
        self._sent = 0
        self.face: Face

    async def _open(self, text: str, how: str) -> None:
        chosen = [lambda question: question.choices[0].id] * 9
        cases = text_file("what-if.yml.cases") if "what-if" in how else "" if ".yml" in how else CASES
        self.face = await self._opener(*chosen, text=text, judges="without judges" not in how, cases=cases)

    async def does(self, step: str, wanted: list[str]) -> Iterator[str]:
        """Do it; what is told of it. A price comes late: for `wanted` it is waited."""
        word, _, what = step.replace("⏎", "\n").partition(" ")
        old, _, new = what.partition(" => ")
        match word:
            case "open":
                rubric = next((text_file(each) for each in what.split() if each.endswith(".yml")), RUBRIC)
                approach = "holistic" if "holistic" in what else "standard"
                text = rubric if "as it is" in what else blueprint(self._server, approach, rubric)
                await self._open(text, what)
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
                self.face.apply(await self.face.obey(self.face.runs.criterion.take_back()))
                await self.face.settled()
            case "grade":
                label, _, number = what.rpartition(" ")
                (key,) = [row.key for row in view(self.face).rows if row.answer.label == label]
                await self.face.runs.criterion.grade(key, [None, *Grade][int(number)])
                await self.face.settled()
            case "write":
                await self.face.rewrite(what)
            case "save":
                await self.face.session.file.save()
                await self.face.settled()
            case "at":
                await self.face.at(what)
            case "keys":
                at_keys(self.face, in_criteria=what == "in the criteria", sees_answers=what == "at all answers")
            case "answers":
                await self.face.choose(SOURCES.get(what, ModelSource(what)))
                await self.face.settled()
            case "f5" if what:
                await self.face.at(what)
                await self.face.f5()
            case "f5":
                self.face.cursor_at("prompt: ")
                await self.face.f5()
            case "f6":
                await self.face.f6()
            case "judge-open":
                await self.face.judge()
            case "give":
                point, number = map(int, what.split())
                await self.face.grade(point, [None, *Grade][number])
            case "judge":
                self._server.said = lambda _: REPLIES.get(what) or f"Answer {len(self._server.bodies)}."
            case "model":
                await self.face.choose(self._server.source())
            case "edit":
                turn, _, text = what.partition(" ")
                self.face.author.answers = [text or None]
                await self.face.runs.edits.edit(self.face.turns[int(turn)])
                await self.face.settled()
            case "generate":
                await self.face.generate(int(what))
            case "forget":
                with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
                    connection.execute("UPDATE wording_verdict SET scale = '', form = ''")
            case "case":
                self.face.author.answers = [ANSWERS.get(each, each) for each in what.split(" | ")]
                self.face.author.asked.clear()
                await self.face.obey(self.face.runs.cases.make())
                await self.face.settled()
            case "case-of":
                subject, _, answers = what.partition(": ")
                self.face.author.answers = [ANSWERS.get(each, each) for each in answers.split(" | ")]
                await self.face.open_criterion("Names the lease")
                current = self.face.runs.criterion.current
                assert current is not None
                (found,) = [each for each in current.answers.every if each.subject == subject]
                await self.face.obey(self.face.runs.cases.make(found))
                await self.face.settled()
            case "name":
                await save_author_name(self.face.resources.settings, what)
            case "cases-are":
                beside(self.face.session.state.path).write_text(what, "utf-8")
            case "try":
                what_if = self.face.runs.what_if
                if self.face.runs.state.tried is None:
                    await what_if.begin()
                how, _, of = what.partition(" ")
                match how, of.split():
                    case "verdict", [point, grade]:
                        what_if.attempt(lambda tried: tried.with_point(int(point), grade=[None, *Grade][int(grade)]))
                    case "weight", [point, steps]:
                        what_if.attempt(lambda tried: tried.weighed(int(point), int(steps)))
                    case "switch", [point]:
                        what_if.attempt(lambda tried: tried.switched(int(point)))
                    case "flatten", [path]:
                        what_if.attempt(lambda tried: tried.flattened(path))
                    case "without", [point]:
                        what_if.attempt(lambda tried: tried.without(int(point)))
                    case "loosen", [point]:
                        await self.face.obey(what_if.loosen(int(point)))
                    case _:
                        pass
            case "apply":
                change = await self.face.obey(self.face.runs.what_if.apply())
                if change is not None:
                    self.face.apply(change)
                await self.face.settled()
            case "next":
                with suppress(TimeoutError):
                    async with asyncio.timeout(10):
                        await self.face.until(lambda: [*self._told(word)] == wanted)
                await self.face.settled()
                return self._told(word)
            case _:
                return self._told(word)
        return iter(())

    def _told(self, word: str) -> Iterator[str]:
        match word:
            case "shown":
                shown = view(self.face)
                state = re.sub(r", \d+ cached", ", the rest cached", shown.state)
                yield f"{shown.name or 'none'} · {shown.wording} · {state}"
                yield from map(row_said, shown.rows)
                yield from shown.foot
                if shown.selected is not None:
                    notes = [*(f"{line.judge}: {line.verdict}" for line in shown.selected.lines), shown.selected.note]
                    yield from filter(None, notes)
            case "result":
                yield " ".join("–" if each is None else f"{each:g}" for each in self.face.extents)
            case "file":
                file = beside(self.face.session.state.path)
                yield from file.read_text("utf-8").splitlines() if file.exists() else ["there is none"]
            case "told":
                yield from self.face.told[-1:]
            case "questions":
                for each in self.face.author.asked:
                    name = f" · {each.name}" if isinstance(each, FirstCaseQuestion) and each.name else ""
                    yield f"{getattr(each, 'title', '')}: {getattr(each, 'text', '')}{name}"
            case "tried":
                assert self.face.session.state.tried is not None
                shown = self.face.session.state.tried.changes
                yield f"{shown.count} changes: {bounds_text(shown.before.bounds)} → {bounds_text(shown.after.bounds)}"
                yield f"{shown.pairs[0]} pairs of a good and a bad answer"
                for each in shown.cases:
                    if each.case.number:
                        states = f"{each.before.state.name.lower()} → {each.after.state.name.lower()}"
                        bounds = f"{bounds_text(each.before.bounds)} → {bounds_text(each.after.bounds)}"
                        yield f"{each.case.name}: {bounds}, {states}"
            case "text":
                yield from self.face.text.splitlines()
            case "next":
                forms = self.face.runs.next_step.view().forms
                yield forms[0] if forms else "nothing"
            case "score":
                yield str(self.face.result.headline)
                assert self.face.run.explanation is not None
                yield from filter(None, [self.face.run.explanation.against_ideal])
            case "turns":
                yield f"{self.face.run.label}: {self.face.run.key}"
                yield from (f"{state}: {text}" for text, state in self.face.states)
            case "heard":
                for body in self._server.bodies[self._sent :]:
                    yield " | ".join(message["content"] for message in body["messages"])
                self._sent = len(self._server.bodies)
            case "sent":
                sent = len(self._server.bodies)
                yield f"{sent - self._sent} requests"
                self._sent = sent
            case "asked":
                question: Any = self.face.author.asked[-1]
                yield str(getattr(question, "title", ""))
                yield from (" · ".join(filter(None, (each.label, each.detail))) for each in question.choices)
            case _:
                raise ValueError(word)


@pytest.mark.parametrize(("file", "number"), STORIES)
async def test_a_story_goes_as_its_file_says(
    file: Path, number: int, opened: Opener, server: ModelServer, pytestconfig: pytest.Config
) -> None:
    texts = stories(file)
    story, told = Story(opened, server), list[str]()
    for step in filter(None, re.split(r"^(?!>)", texts[number], flags=re.MULTILINE)):
        line, *wanted = step.splitlines()
        told.append(line)
        if line and not line.startswith("## "):
            here = f"{story.folder}/"
            said = await story.does(line, [each.removeprefix("> ") for each in wanted])
            told += [f"> {each}".replace("\n", "⏎").replace(here, "") for each in said]
    now = "\n".join(told) + "\n"
    if pytestconfig.getoption("update_snapshots"):
        texts[number] = now
        file.write_text("".join(texts), "utf-8")
    else:
        assert now == texts[number]
