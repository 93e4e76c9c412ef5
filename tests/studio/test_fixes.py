"""Fixing in the studio: a fix is tried before it is applied, what changed is told, and one choice can go for all."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from engine.parsing import parse
from engine.rules.fixes import FixedText
from engine.text.diagnostics import Fix
from studio.session.questions import FixChoice, FixDetails, FixQuestion
from studio.tui.dialogs.applied_fixes import AppliedFixes
from studio.tui.dialogs.fix_dialog import ChooseFix
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, press, settle, slugs, studio_on, wait_until

QUOTED = "- id: p\n  prompt: When is it due?\n  should:\n    - \"$icontains: 'Article 19'\"\n    - Names the day\n"
LEFT = '- id: p\n  prompt: When is it due?\n  should:\n    - fn: contains\n      fnArgs: ""\n    - Names the day\n'
SEVERAL = (
    "- id: p\n  prompt: When is it due?\n  should:\n    - \"$icontains: 'Article 19'\"\n"
    "- id: q\n  prompt: Who says so?\n  should: Names the court\n"
    "- id: r\n  prompt: Why is it due?\n  should:\n    - {point: Names a reason, wieght: 2}\n"
)
OPTIONAL = "".join(
    f"- id: p{number}\n  prompt: What {number}?\n  should:\n    - Names it\n    - May mention {number}\n"
    for number in range(3)
)


def told(pilot: Pilot[Any]) -> list[str]:
    return [each.message for each in pilot.app._notifications]


async def dialog(pilot: Pilot[Any], kind: type[Any]) -> Any:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, kind) and bool(pilot.app.screen.query(OptionList)))
    await pilot.pause()
    return pilot.app.screen


def options(screen: Any) -> list[str]:
    listed = screen.query_one(OptionList)
    return [str(listed.get_option_at_index(number).prompt) for number in range(listed.option_count)]


async def all_fixed(pilot: Pilot[Any]) -> tuple[BlueprintScreen, AppliedFixes]:
    screen = await settle(pilot)
    screen.action_fix_all()
    return screen, await dialog(pilot, AppliedFixes)


async def test_one_fix_says_which_line_became_what(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "f8", "f4")
        assert told(pilot) == [
            "Line 4, quoted-function: - \"$icontains: 'Article 19'\" → - $icontains: 'Article 19'\nCtrl+Z undoes it."
        ]


async def test_all_safe_fixes_are_listed_place_by_place(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        _, listed = await all_fixed(pilot)
        assert options(listed) == [
            "line 4  quoted-function: make it a check\n"
            "  -     - \"$icontains: 'Article 19'\"\n  +     - $icontains: 'Article 19'",
            "line 7  rubric-not-a-list: make it a list\n"
            "  -   should: Names the court\n  +   should:\n  +     - Names the court",
            "line 12  unknown-key: write weight\n"
            "  -     - {point: Names a reason, wieght: 2}\n  +     - {point: Names a reason, weight: 2}",
        ]


async def test_from_the_list_the_author_goes_to_a_place(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await all_fixed(pilot)
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        assert screen.editor.cursor_location[0] + 1 == 12


async def test_from_the_list_one_fix_is_taken_back_alone(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await all_fixed(pilot)
        await pilot.press("down", "u")
        await wait_until(pilot, lambda: "should: Names the court" in screen.editor.text_out())
        assert "- $icontains: 'Article 19'" in screen.editor.text_out()


async def test_from_the_list_all_fixes_are_taken_back(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await all_fixed(pilot)
        await pilot.press("ctrl+z")
        await wait_until(pilot, lambda: screen.editor.text_out() == SEVERAL)


async def test_the_list_can_be_opened_again_and_follows_the_text(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await all_fixed(pilot)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is screen)
        screen.editor.go_to(0)
        await press(pilot, "enter")
        screen.action_fixes_applied()
        await dialog(pilot, AppliedFixes)
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        assert screen.editor.cursor_location[0] + 1 == 13


async def test_a_fix_is_not_taken_back_where_the_author_wrote_since(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SEVERAL)
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await all_fixed(pilot)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is screen)
        screen.editor.go_to(screen.editor.text_out().index("weight") + 2)
        await press(pilot, "x")
        written = screen.editor.text_out()
        screen.action_fixes_applied()
        await dialog(pilot, AppliedFixes)
        await pilot.press("down", "down", "u")
        await wait_until(pilot, lambda: any("changed since" in each for each in told(pilot)))
        assert screen.editor.text_out() == written


async def test_before_any_fix_there_is_nothing_to_list(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_fixes_applied()
        await wait_until(pilot, lambda: bool(told(pilot)))
        assert told(pilot) == ["No fix has been applied yet. F4 fixes the problem at the cursor."]


# --- A fix is tried first


async def test_what_a_fix_would_bring_is_said_before_it_is_applied(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", LEFT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(LEFT.index("fnArgs"))
        await pilot.press("f4")
        asked = await dialog(pilot, ChooseFix)
        await wait_until(pilot, lambda: "▲" in options(asked)[0])
        assert "▲ brings a new warning: line 5: always-matches" in options(asked)[0]
        assert screen.editor.text_out() == LEFT
        await pilot.press("enter")
        await wait_until(pilot, lambda: 'arg: ""' in screen.editor.text_out())


@pytest.mark.parametrize(("objection", "dismissed"), [("", True), ("brings a new error: line 1: x", False)])
async def test_enter_waits_until_a_fix_is_tried_and_applies_none_that_brings_something(
    tmp_path: Path, objection: str, dismissed: bool
) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    tried = threading.Event()

    def wait(_: Fix) -> str:
        tried.wait(60)
        return objection

    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        asked = ChooseFix(FixQuestion("x", "x", (Fix("do it", False, ()),), QUOTED, FixDetails(objection=wait)))
        app.push_screen(asked)
        await dialog(pilot, ChooseFix)
        await pilot.press("enter")
        assert app.screen is asked
        assert str(asked.query_one(".dialog").border_subtitle) == "Trying it … · Esc changes nothing"
        tried.set()
        await wait_until(pilot, lambda: app.screen is screen if dismissed else "▲ brings a new" in options(asked)[0])
        await pilot.pause()
        assert (app.screen is screen) is dismissed


async def test_apply_all_says_what_it_leaves(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", LEFT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_fix_all()
        await wait_until(pilot, lambda: bool(told(pilot)))
        assert told(pilot)[0].startswith("Nothing was changed. falsy-argument-lost: “write arg” brings a new warning")
        assert screen.editor.text_out() == LEFT


async def test_the_list_says_what_was_left(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED + LEFT.replace("id: p", "id: q"))
    async with app.run_test(size=WIDE) as pilot:
        _, listed = await all_fixed(pilot)
        assert "1 fix not applied: falsy-argument-lost" in str(listed.query_one(".dialog-text", Static).render())


async def test_apply_all_leaves_the_fixes_of_hints(tmp_path: Path) -> None:
    text = "- id: p\n  prompt: q\n  should:\n    - Says so # studio: ignore[stale-fact]\n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert slugs(screen) == ["unused-suppression"]
        screen.action_fix_all()
        await wait_until(pilot, lambda: bool(told(pilot)))
        assert screen.editor.text_out() == text


async def test_apply_all_leaves_a_file_that_is_no_blueprint(tmp_path: Path) -> None:
    text = "- health\n- 42\n"
    app = studio_on(tmp_path / "tags.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_fix_all()
        await wait_until(pilot, lambda: bool(told(pilot)))
        assert told(pilot)[0].startswith("Nothing was changed: this is not a blueprint.")
        assert screen.editor.text_out() == text


async def test_rules_that_the_project_ignores_speak_against_no_fix(tmp_path: Path) -> None:
    (tmp_path / "blueprint-studio.toml").write_text('ignore = ["always-matches"]\n')
    app = studio_on(tmp_path / "x.yml", LEFT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_fix_all()
        await wait_until(pilot, lambda: 'arg: ""' in screen.editor.text_out())


# --- One choice for all reports of a rule


async def test_one_choice_is_applied_to_all_reports_of_its_rule_with_one_diff(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", OPTIONAL)
    async with app.run_test(size=(120, 50)) as pilot:
        screen = await press(pilot, "f8")
        await pilot.press("f4")
        asked = await dialog(pilot, ChooseFix)
        assert "a: all 3 of this rule" in str(asked.query_one(".dialog").border_subtitle)
        await pilot.press("end", "a")
        await wait_until(pilot, lambda: "Applies to 3 of 3" in str(asked.query_one("#fix-text", Static).render()))
        diff = str(asked.query_one("#lines", Static).render())
        assert diff.count("+     - May mention") == 3
        await pilot.press("enter")
        await dialog(pilot, AppliedFixes)
        assert screen.editor.text_out().count("# studio: ignore[optional-point] as intended") == 3
        await pilot.press("ctrl+z")
        await wait_until(pilot, lambda: screen.editor.text_out() == OPTIONAL)


async def test_enter_applies_nothing_before_the_diff_of_all_is_shown(tmp_path: Path) -> None:
    shown = threading.Event()

    def everywhere(_: Fix) -> FixedText:
        shown.wait(60)
        return FixedText(parse(QUOTED), (), (), ())

    known = FixDetails(everywhere=everywhere, reports=2)
    answers: list[FixChoice | None] = []
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.push_screen(ChooseFix(FixQuestion("x", "x", (Fix("do it", False, ()),), QUOTED, known)), answers.append)
        asked = await dialog(pilot, ChooseFix)
        await pilot.press("a", "enter")
        assert app.screen is asked
        shown.set()
        await wait_until(pilot, lambda: "Applies to 0 of 2" in str(asked.query_one("#fix-text", Static).render()))
        await pilot.press("enter")
        await wait_until(pilot, lambda: bool(answers))
        assert [each and each.everywhere for each in answers] == [everywhere(Fix("", False, ()))]


async def test_a_long_diff_is_read_page_by_page(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", OPTIONAL)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "f8")
        await pilot.press("f4")
        asked = await dialog(pilot, ChooseFix)
        await pilot.press("end", "a")
        await wait_until(pilot, lambda: "Applies to 3" in str(asked.query_one("#fix-text", Static).render()))
        assert str(asked.query_one(".dialog").border_subtitle).startswith("PgDn: more · Enter applies all")
        await pilot.press("pagedown")
        await wait_until(pilot, lambda: asked.query_one("#diff").scroll_offset.y > 0)
        await pilot.press("pageup")
        await wait_until(pilot, lambda: asked.query_one("#diff").scroll_offset.y == 0)


async def test_the_choice_for_all_can_be_left_for_this_one_alone(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", OPTIONAL)
    async with app.run_test(size=(120, 50)) as pilot:
        screen = await press(pilot, "f8")
        await pilot.press("f4")
        asked = await dialog(pilot, ChooseFix)
        await pilot.press("end", "a")
        await wait_until(pilot, lambda: "Applies to 3" in str(asked.query_one("#fix-text", Static).render()))
        await pilot.press("a", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert screen.editor.text_out().count("# studio: ignore") == 1


async def test_a_rule_with_one_report_offers_no_choice_for_all(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", OPTIONAL.split("- id: p1")[0])
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "f8")
        await pilot.press("f4")
        asked = await dialog(pilot, ChooseFix)
        assert "of this rule" not in str(asked.query_one(".dialog").border_subtitle)
