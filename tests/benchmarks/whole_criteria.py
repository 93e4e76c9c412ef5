"""How much is read at once: criteria whole on the screen with the reasons of the selected one, prompts told apart.

Ten files of the corpus; each criterion in words has the verdicts of three judges with reasons of 150 characters. They
are shown by the panes of the running program, which is held against what a screen of this size can show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from textual.pilot import Pilot

from engine.blueprint import Prompt
from engine.evaluation.verdicts import consensus_assessment
from engine.files.open_files import new_file
from engine.judging.judgement import Consensus, Judgement
from engine.parsing import Parsed, parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from studio.example import EXAMPLE, read
from studio.session.analysis import Analysis
from studio.session.prompt_names import prompt_names
from studio.session.views.case_view import CasesView
from studio.session.views.outline_view import outline_view
from studio.session.views.result_view import ResultView
from studio.tui.app import Studio
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.outline import Outline
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.benchmarks.table import Row
from tests.studio.results import said, verdict
from tests.world import corpus_files

SIZES = ((80, 24), (120, 36), (140, 40), (160, 48), (200, 56))
JUDGES = ("gpt-4.1-mini", "qwen3-30b", "gemini-flash")
REASON = "Touches on it, but without saying so outright: a reader has to know it already. " + (
    "The second part of what the criterion asks for is said nowhere here ..."
)
TWELVE = "- id: twelve\n  prompt: What is the right of access?\n  should:\n" + "".join(
    f"    - Says in so many words what the {n} duty of a public authority is and demands\n"
    for n in [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ]
)


class Seen(NamedTuple):
    """What one prompt shows: its criteria in view, those of them that are whole, and lines of reasons out of view."""

    in_view: int
    whole: int
    reasons_hidden: int
    blank: int


def measure() -> Iterator[Row]:
    """By the size of the screen, over all prompts of the files."""
    parsed = [parse(path.read_text("utf-8"), path) for path in corpus_files()]
    chosen = [each for each in parsed if any(prompt.points() for prompt in each.blueprint.prompts)][::15][:10]
    for size in SIZES:
        yield from asyncio.run(_of_size(size, chosen))


async def _of_size(size: tuple[int, int], chosen: Sequence[Parsed]) -> list[Row]:
    app = Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))
    async with app.run_test(size=size) as pilot:
        await pilot.press("f8", "f5", "ctrl+r")
        while not app.screen.query(Criteria) or not app.screen.query_one(Criteria).rows:
            await pilot.pause(0.05)
        pane = app.screen.query_one(Criteria)
        await pilot.pause(1)
        assert isinstance(app.screen, BlueprintScreen)
        app.screen.draw_panes = _nothing  # the panes show what they are given here
        prompts = [prompt for each in chosen for prompt in each.blueprint.prompts if prompt.points()]
        seen = [await _seen(pane, pilot, prompt) for prompt in prompts]
        twelve = await _seen(pane, pilot, parse(TWELVE).blueprint.prompts[0])
        await pilot.press("f2")
        alike = [await _alike(app.screen.query_one(Outline), pilot, each) for each in chosen]
    of = f"{size[0]}×{size[1]}, {len(seen)} prompts"
    whole = 100 * sum(each.whole for each in seen) / sum(each.in_view for each in seen)
    reasons = 100 * sum(not each.reasons_hidden for each in seen) / len(seen)
    cut = sum(bool(each.reasons_hidden) and each.blank > 1 for each in seen)
    return [
        Row("criteria in view that are whole", of, "%", whole, goal="≥ 90", met=whole >= 90),
        Row("selected one with all reasons", of, "%", reasons, goal="100", met=reasons == 100),
        Row("rows blank while reasons are cut", of, "n", cut, goal="0", met=cut == 0),
        Row(
            "whole of a rubric of twelve", f"{size[0]}×{size[1]}", "n", twelve.whole, goal="≥ 6", met=twelve.whole >= 6
        ),
        Row("rows of the outline alike", of, "n", sum(alike), goal="0", met=sum(alike) == 0),
    ]


def _nothing() -> None:
    pass


async def _seen(pane: Criteria, pilot: Pilot[None], prompt: Prompt) -> Seen:
    """The prompt after a run, with its dearest criterion selected."""
    pane.show_view(_judged(prompt))
    await pilot.pause()
    while pane._is_laying_out:
        await pilot.pause(0.02)
    top, room = pane.scroll_offset.y, pane._room
    tops, drawn = pane._laid.tops, [pane.draw(row, pane._width, None) for row in pane.rows]
    spans = {at: (tops[at], tops[at + 1]) for at, row in enumerate(pane.rows) if row.point is not None}
    in_view = [at for at, (start, end) in spans.items() if start >= top and end <= top + room]
    whole = sum(len(drawn[at]) == tops[at + 1] - tops[at] for at in in_view)
    blank = max(pane.size.height - pane._top_lines - pane._laid.height - pane._foot_lines, 0)
    judges = [n for n, line in enumerate(pane._foot) if any(text.strip().endswith(REASON[-3:]) for text, _ in line)]
    return Seen(len(in_view), whole, max(max(judges, default=0) + 1 - pane._foot_lines, 0), blank)


def _judged(prompt: Prompt) -> ResultView:
    extents = cycle((0.25, 0.75, 1.0, 0.5, 0.0))
    judgements: dict[int, tuple[Judgement, ...]] = {}
    assessments: list[Assessment] = []
    for index, placed in enumerate(place(prompt)):
        if placed.point.function is not None:
            assessments.append(Assessment(placed, next(extents), AssessedBy.FUNCTION))
            continue
        judgements[index] = tuple(said(judge, verdict(next(extents), REASON)) for judge in JUDGES)
        assessments.append(consensus_assessment(placed, Consensus(judgements[index])))
    shown = explain(prompt, assessments)
    return ResultView(prompt, "gpt-4o", shown, tuple(assessments), judgements=judgements, started=1, newest=1)


async def _alike(outline: Outline, pilot: Pilot[None], parsed: Parsed) -> int:
    """How many rows of the outline of a file read like another."""
    prompts = parsed.blueprint.prompts
    starts = tuple(prompt.span.start for prompt in prompts)
    outline.show(outline_view(Analysis(1, parsed, starts, prompt_names(prompts)), cases=CasesView()))
    await pilot.pause()
    while outline._is_laying_out:
        await pilot.pause(0.02)
    drawn = [str([line[1:] for line in lines]) for lines in outline._laid.lines]
    return len(drawn) - len(set(drawn))
