"""The app as an author uses it: opening, typing, problems, fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from engine.files.open_files import CannotOpen, open_file
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import ProblemList
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.start_screen import StartScreen
from tests.studio.driving import NARROW, QUOTED, WIDE, analysis_of, press, settle, slugs, studio_on, wait_until
from tests.world import CORPUS, needs_corpus

PATHS = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  ideal: The largest are Lagos and Kinshasa.
  should:
    - $icontains: largest
    - - $icontains: Lagos
    - - $icontains: Cairo
"""

OPTIONAL = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  should:
    - Names the three
    - May mention Lagos
"""


@needs_corpus
@pytest.mark.parametrize("name", ["sydney/original.yml", "compass/cautious.yml", "ai-spiral-safety.yml"])
async def test_a_file_of_the_corpus_opens_with_its_prompts_in_the_outline(name: str) -> None:
    app = studio_on(CORPUS / name)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        prompts = analysis_of(screen).parsed.blueprint.prompts
        assert [row.name for row in screen.query_one(Outline).rows[1:]] == [prompt.id for prompt in prompts]


async def test_the_outline_tells_how_many_models_the_header_s_collections_hold(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "TEAM.json").write_text('["openai:a", "openai:b"]', "utf-8")
    app = studio_on(tmp_path / "x.yml", "models: [TEAM, openai:c]\n---\n- id: one\n  prompt: x\n")
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert [row.name for row in screen.query_one(Outline).rows] == ["header · 3 models", "one"]


async def test_collections_are_taken_from_the_folder_that_was_named(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "TEAM.json").write_text('["openai:a", "openai:b", "openai:c"]', "utf-8")
    (tmp_path / "x.yml").write_text("models: [TEAM]\n---\n- id: one\n  prompt: x\n", "utf-8")
    app = Studio(open_file(tmp_path / "x.yml"), collections=folder)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert [row.name for row in screen.query_one(Outline).rows] == ["header · 3 models", "one"]


_ODD = {
    "latin.yml": ("title: caf\xe9\n".encode("latin-1"), "Latin-1"),
    "binary.yml": (bytes(range(256)) * 20, "binary"),
    "utf16.yml": ("title: x\n".encode("utf-16"), "UTF-16"),
}


@pytest.mark.parametrize("name", _ODD)
async def test_what_cannot_be_edited_safely_opens_read_only_with_the_reason(name: str, tmp_path: Path) -> None:
    content, reason = _ODD[name]
    (tmp_path / name).write_bytes(content)
    app = studio_on(tmp_path / name)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert screen.editor.read_only
        assert reason in str(screen.query_one("#banner").render())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a: &x\n  b: *x\n",
        "title: a\r\n---\n- id: x\r  prompt: a\u2028b\x1b[31m\n".encode(),
        b"- id: '[red]'\n  prompt: '[/]'\n  should: ['$nope: [x']\n",
        b'- id: "a\\u202eb"\n  prompt: x\n',
        b"should: [unclosed\n- id: y\n",
    ],
    ids=["empty", "cyclic anchor", "mixed line ends", "markup", "bidi", "broken"],
)
async def test_odd_text_opens_is_checked_and_keeps_its_bytes(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: not screen.session.file.unsaved)
    assert path.read_bytes() == content


async def test_control_characters_of_the_file_never_reach_the_screen(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", "- id: \"a\\e]0;x\\a\"\n  prompt: x\n  should: ['$\x9bq: x']\n")
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        drawn = app.export_screenshot()
    assert "\x1b" not in drawn
    assert "\x9b" not in drawn


async def test_a_folder_brings_the_start_screen_that_says_so(tmp_path: Path) -> None:
    app = Studio(problem=CannotOpen(tmp_path, "This is a folder.", "Name a file in it."))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, StartScreen)
        assert "This is a folder." in str(app.screen.query_one("#start-problem").render())


async def test_a_missing_file_can_be_begun_there_and_is_not_written_before_it_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "new.yml"
    app = Studio(problem=CannotOpen(path, "There is no such file.", missing=True))
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, BlueprintScreen))
        await settle(pilot)
        assert not path.exists()
        await pilot.press("ctrl+s")
        await wait_until(pilot, path.exists)


async def test_problems_follow_what_is_typed(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n  should:\n    - Says it\n")
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        before = slugs(screen)
        screen.editor.go_to(len(screen.editor.text_out()))
        await pilot.press(*'    - "$icontains: x"')
        assert "quoted-function" not in before
        assert "quoted-function" in slugs(screen)


async def test_f8_and_f7_walk_the_problems_round_the_file(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        lines = []
        for key in ("f8", "f8", "f8", "f7"):
            await press(pilot, key)
            lines.append(screen.editor.cursor_location[0] + 1)
    assert lines == [7, 14, 7, 14]


async def test_a_safe_fix_is_applied_at_once_and_undone_as_one_step(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8", "f4")
        assert "- $icontains: '30 days'" in screen.editor.text_out()
        assert "quoted-function" not in slugs(screen)
        await press(pilot, "ctrl+z")
        assert screen.editor.text_out() == QUOTED


async def test_an_unsafe_fix_is_shown_as_a_diff_first(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8", "f8")
        await pilot.press("f4")
        await wait_until(pilot, lambda: app.screen is not screen)
        await pilot.pause()
        assert "- - $icontains: lease" in str(app.screen.query_one("#lines").render())
        assert screen.editor.text_out() == QUOTED
        await pilot.press("escape")
        await settle(pilot)
        assert screen.editor.text_out() == QUOTED
        await pilot.press("f4")
        await wait_until(pilot, lambda: app.screen is not screen)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert "single-element-path" not in slugs(screen)


async def test_a_choice_of_fixes_tells_what_each_does_to_the_score_of_the_ideal(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", PATHS)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8", "f8", "f4")
        await wait_until(pilot, lambda: app.screen is not screen)
        options = app.screen.query_one(OptionList)
        await wait_until(pilot, lambda: "→" in str(options.get_option_at_index(0).prompt))
        told = [str(options.get_option_at_index(number).prompt) for number in range(options.option_count)]
        assert "100.0 → 66.7   with the ideal" in next(one for one in told if one.startswith("all are needed"))


async def test_all_safe_fixes_are_applied_as_one_step(tmp_path: Path) -> None:
    text = "- id: p\n  prompt: q\n  should:\n    - \"$contains: 'the lease'\"\n    - 42\n    - May mention it\n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_fix_all()
        await wait_until(pilot, lambda: screen.editor.text_out() != text)
        assert screen.editor.text_out() == text.replace("\"$contains: 'the lease'\"", "$contains: 'the lease'").replace(
            "42", "'42'"
        )
        screen.editor.action_undo()
        assert screen.editor.text_out() == text


async def test_a_warning_without_a_fix_can_be_said_to_be_as_intended(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", OPTIONAL)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8")
        assert slugs(screen) == ["optional-point"]
        await pilot.press("f4")
        await wait_until(pilot, lambda: app.screen is not screen)
        assert "a comment: nothing else changes" in str(app.screen.query_one(OptionList).get_option_at_index(-1).prompt)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert "- May mention Lagos # studio: ignore[optional-point] as intended" in screen.editor.text_out()
        assert slugs(screen) == []


async def test_enter_in_the_problems_goes_there_and_f_fixes_there(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "down", "enter")
        assert screen.editor.has_focus
        assert screen.editor.cursor_location[0] + 1 == 14
        await press(pilot, "f3", "up", "f")
        assert "quoted-function" not in slugs(screen)


async def test_a_refresh_keeps_the_selected_problem(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "down")
        problems = screen.query_one(ProblemList)
        assert problems.row is not None
        assert problems.row.diagnostic.slug == "single-element-path"
        screen.editor.insert("# a line above\n", (0, 0))
        await settle(pilot)
        assert problems.row.diagnostic.slug == "single-element-path"
        assert problems.problem is not None
        assert problems.problem.place == "15:5"


async def test_the_outline_follows_the_cursor_and_enter_goes_to_the_prompt(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8")
        outline = screen.query_one(Outline)
        assert outline.row is not None
        assert outline.row.name == "first"
        await press(pilot, "f2", "down", "enter")
        assert screen.editor.cursor_location[0] + 1 == 9


async def test_a_prompt_that_one_goes_to_is_seen_as_far_as_there_is_room(tmp_path: Path) -> None:
    app = studio_on(
        tmp_path / "x.yml", "# a comment\n" * 20 + QUOTED.replace("  ideal: It", "  # more\n" * 8 + "  ideal: It")
    )
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await press(pilot, "f2", "down", "enter")
        editor = screen.editor
        last = editor.location_of(editor.text_out().index("- id: second") - 1)
        assert editor.row_layout.location_to_offset(last).y < editor.scroll_offset.y + editor.size.height
        assert editor.scroll_offset.y <= editor.cursor_location[0]


async def test_the_outline_counts_the_problems_of_each_prompt(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        counts = [(row.tally.errors, row.tally.warnings) for row in screen.query_one(Outline).rows]
    assert counts == [(0, 0), (1, 0), (0, 1)]


@pytest.mark.parametrize(("key", "pane"), [("f2", "#outline-pane"), ("f3", "#problems-pane"), ("ctrl+r", "#side")])
async def test_on_a_narrow_screen_a_pane_comes_with_its_key_and_goes_with_it(
    key: str, pane: str, tmp_path: Path
) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        screen = await settle(pilot)
        assert not screen.query_one(pane).display
        await press(pilot, key)
        assert screen.query_one(pane).display
        await press(pilot, "escape")
        assert not screen.query_one(pane).display
        assert screen.editor.has_focus


async def test_on_a_narrow_screen_the_result_replaces_the_editor_then_shares_the_height(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        screen = await press(pilot, "f8", "ctrl+r")
        assert (screen.editor.display, screen.side.display) == (False, True)
        await press(pilot, "ctrl+r")
        assert (screen.editor.display, screen.side.display) == (True, True)
        await press(pilot, "ctrl+r")
        assert (screen.editor.display, screen.side.display) == (True, False)


async def test_on_a_narrow_screen_one_line_says_what_is_wrong_at_the_cursor(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        screen = await settle(pilot)
        assert "unknown name" not in str(screen.query_one("CursorLine").render())
        await pilot.press("f8")
        await settle(pilot)
        assert "is one unknown name: remove the quotes" in str(screen.query_one("CursorLine").render())


async def test_on_a_narrow_screen_the_problems_leave_the_cursors_line_in_sight(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", "# a comment\n" * 40 + QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        screen = await settle(pilot)
        await pilot.press("f8", "f3")
        await settle(pilot)
        editor = screen.editor
        assert 0 <= editor.cursor_screen_offset.y - editor.region.y < editor.region.height
