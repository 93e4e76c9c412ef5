"""A file that is opened again: the cursor, and the scores of the last runs with their age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from studio.session.views import figures
from studio.session.views.figures import age_text
from tests.studio.driving import QUOTED, WIDE, press, runs_of, screen_lines, see, settle, studio_on

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def _three_hours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What began just now began three hours ago."""
    monkeypatch.setattr(figures, "now", lambda: datetime.now(UTC) + timedelta(hours=3, minutes=1))


async def ran_before(path: Path) -> None:
    """A session on a file that runs its first prompt, and closes with the cursor in the second."""
    async with studio_on(path, QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal: It is"))
        await press(pilot, "f5")
        screen.editor.go_to(QUOTED.index("Names the lease"))
        await settle(pilot)


async def test_the_cursor_is_where_it_was(tmp_path: Path) -> None:
    await ran_before(tmp_path / "own.yml")
    async with studio_on(tmp_path / "own.yml").run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert screen.editor.cursor_offset == QUOTED.index("Names the lease")
        prompt = screen.session.state.prompt
        assert prompt is not None
        assert prompt.id == "second"


async def test_the_cursor_is_in_its_line_where_the_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "own.yml"
    await ran_before(path)
    changed = f"# one\n# two\n{QUOTED}"
    async with studio_on(path, changed).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert screen.editor.cursor_offset == changed.index("Names the lease")


async def test_a_long_file_is_shown_where_the_cursor_is(tmp_path: Path) -> None:
    path, text = tmp_path / "own.yml", "# a comment\n" * 200 + QUOTED
    async with studio_on(path, text).run_test(size=WIDE) as pilot:
        (await settle(pilot)).editor.go_to(text.index("Names the lease"))
        await settle(pilot)
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        top = screen.editor.scroll_offset.y
        assert top <= 200 + QUOTED[: QUOTED.index("Names the lease")].count("\n") < top + screen.editor.size.height


@pytest.mark.usefixtures("_three_hours_later")
async def test_the_last_scores_are_shown_with_their_age(tmp_path: Path) -> None:
    await ran_before(tmp_path / "own.yml")
    async with studio_on(tmp_path / "own.yml").run_test(size=WIDE) as pilot:
        await settle(pilot)
        lines = screen_lines(pilot.app)
        assert lines[0].endswith("50, 1 check could not run, from 1 of 2 prompts, 3 h ago")
        assert "1 first" in lines[3]
        assert " 50" in lines[3][:29]


@pytest.mark.usefixtures("_three_hours_later")
async def test_the_last_result_is_shown_again_with_its_age(tmp_path: Path) -> None:
    await ran_before(tmp_path / "own.yml")
    async with studio_on(tmp_path / "own.yml").run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal: It is"))
        await see(pilot, "the ideal, 3 h ago", "The last run, 3 h ago: it scored 50.0")
        assert runs_of(screen).queue.is_running is False


async def test_what_was_never_run_is_said_to_be_so(tmp_path: Path) -> None:
    await ran_before(tmp_path / "own.yml")
    async with studio_on(tmp_path / "own.yml").run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        states = {each.id: each.state for each in runs_of(screen).views.overview().prompts if each.headline is None}
        assert states == {"second": "not run"}


OTHER_RUBRIC = QUOTED.replace("    - $icontains: days\n", "    - $icontains: weeks\n")


async def test_an_answer_of_before_has_its_score_by_the_present_rubric(tmp_path: Path) -> None:
    path = tmp_path / "own.yml"
    await ran_before(path)
    async with studio_on(path, OTHER_RUBRIC).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert runs_of(screen).views.overview().prompts[0].figure == "0"


async def test_a_score_of_another_ideal_by_another_rubric_is_marked_and_in_no_total(tmp_path: Path) -> None:
    path = tmp_path / "own.yml"
    await ran_before(path)
    other = OTHER_RUBRIC.replace("It is 30 days.", "It is a month.")
    async with studio_on(path, other).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        overview = runs_of(screen).views.overview()
        assert (overview.prompts[0].figure, overview.total.headline) == ("≠50", None)


async def test_another_ideal_is_not_shown_as_what_was_run(tmp_path: Path) -> None:
    path = tmp_path / "own.yml"
    await ran_before(path)
    async with studio_on(path, QUOTED.replace("It is 30 days.", "It is a month.")).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal: It is"))
        await see(pilot, "The last run, just now, scored 50.0")
        assert runs_of(screen).selection.run is None


async def test_after_a_run_its_prompt_has_no_age(tmp_path: Path) -> None:
    await ran_before(tmp_path / "own.yml")
    async with studio_on(tmp_path / "own.yml").run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal: It is"))
        await press(pilot, "f5")
        assert screen_lines(pilot.app)[0].endswith("50, 1 check could not run, from 1 of 2 prompts")


@pytest.mark.parametrize(
    ("hours", "text"), [([], ""), ([3], "3 h ago"), ([3, 3], "3 h ago"), ([2, 50], "2 h ago and earlier")]
)
def test_ages_in_words(hours: list[int], text: str) -> None:
    assert age_text([NOW - timedelta(hours=each) for each in hours], NOW) == text
