"""Text that is not drawn is shown wherever a blueprint or an answer is shown, and what an emoji needs stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import RenderAs
from engine.text.spans import visible
from studio.tui.editor.wrapping import line_cells
from studio.tui.panes.passages import Passage, Passages
from studio.tui.pieces import fit
from tests.studio.driving import opened
from tests.studio.driving.alone import Alone

HIDDEN_IN_ALL = """\
title: Soft\u00adly
---
- id: first
  prompt: What is the\u2060 notice period?
  ideal: It is 30\u200b days 👩\u200d👧.
  should:
    - Names\U000e0041 the lease
"""


def test_the_editor_draws_the_escape_in_cells_of_its_own() -> None:
    cells = line_cells("a\u200bb")
    assert (cells.shown, cells.width, [cells.cell(column) for column in range(4)]) == ("a\\u200bb", 8, [0, 1, 7, 8])


def test_the_editor_draws_an_emoji_of_several_as_one() -> None:
    cells = line_cells("a👩\u200d👧b")
    assert (cells.shown, cells.whole(2)) == ("a👩\u200d👧b", (1, 4))


def test_tabs_and_escapes_stop_where_they_should() -> None:
    assert line_cells("\u200b\tb\t\xad").shown == "\\u200b  b   \\u00ad"


@given(st.text(st.characters(exclude_characters="\t\n")))
def test_the_editor_shows_what_is_shown_elsewhere(line: str) -> None:
    assert line_cells(line).shown == visible(line)


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "hidden.yml"
    path.write_text(HIDDEN_IN_ALL, "utf-8")
    return path


async def test_a_blueprint_hides_nothing_in_the_editor(blueprint: Path) -> None:
    async with opened(blueprint) as page:
        await page.see("Soft\\u00adly", "the\\u2060 notice", "30\\u200b days 👩\u200d👧.", "Names\\U000e0041 the")


async def test_an_answer_hides_nothing() -> None:
    app = Alone(Passages())
    async with app.run_test(size=(50, 8)) as pilot:
        passages = app.query_one(Passages)
        passages.read((Passage("", "It is 30\u200b days 👩\u200d👧.", render_as=RenderAs.MARKDOWN),))
        await pilot.pause()
        assert passages.render_line(0).text.strip() == "It is 30\\u200b days 👩\u200d👧."


def test_a_row_of_a_list_hides_nothing() -> None:
    assert fit("30\u200b days", 20) == "30\\u200b days"
