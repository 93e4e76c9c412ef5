"""Fixing on the screen: tried before it is applied, shown as a diff, told, listed, taken back, and once for all."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.parsing import parse
from engine.rules.fixes import FixedText
from engine.text.diagnostics import Fix
from studio.session.host import FixChoice, FixDetails, FixQuestion
from studio.tui.dialogs.dialog_host import DialogHost
from tests.repeated_problems import quoted_checks
from tests.studio.driving import NARROW, QUOTED, Asked, Page, opened
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file
from tests.thoroughness import one_in

ONE = "- id: p\n  prompt: When is it due?\n  should:\n    - \"$icontains: 'Article 19'\"\n    - Names the day\n"
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
PATHS = text_file("paths.yml")
AS_INTENDED = "# studio: ignore[optional-point] as intended"


async def test_a_safe_fix_is_applied_at_once_told_and_undone_as_one_step(tmp_path: Path) -> None:
    async with opened(tmp_path, ONE, keys=("f8", "f4")) as page:
        assert page.told == ["Line 4: - \"$icontains: 'Article 19'\" → - $icontains: 'Article 19'\nCtrl+Z undoes it."]
        assert page.slugs == []
        await page.press("ctrl+z")
        assert page.text == ONE


async def test_the_message_of_a_fix_in_a_long_line_quotes_none_of_it(tmp_path: Path) -> None:
    text = f"- id: a\n  prompt: Which?\n  idexal: {'It is in Article 19. ' * 20}\n  should: [Says 19]\n"
    async with opened(tmp_path, text, keys=("f8", "f4")) as page:
        (told,) = page.told
        assert (told.startswith("Line 3: "), told.endswith("\nCtrl+Z undoes it.")) == (True, True)
        assert "Article" not in told


async def test_an_unsafe_fix_is_shown_as_a_diff_first(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f8")) as page:
        for key in ("escape", "enter"):
            await page.hit("f4")
            asked = await page.asked()
            assert "- - $icontains: lease" in asked.diff
            assert "of this rule" not in asked.keys  # one report offers no choice for all
            assert page.text == QUOTED
            await page.reply(key)
            assert (page.text == QUOTED) is (key == "escape")
        assert "single-element-path" not in page.slugs


async def test_a_choice_of_fixes_tells_what_each_does_to_the_score_of_the_ideal(tmp_path: Path) -> None:
    async with opened(tmp_path, PATHS, keys=("f8", "f8", "f4")) as page:
        asked = await page.asked("→")
        assert "100.0 → 66.7   with the ideal" in next(one for one in asked.choices if one.startswith("all are needed"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (QUOTED, "There is no problem on this line. F8 goes to the next."),
        ("- id: a\n  prompt: x\n  should:\n    - Says y\n", "There is none in the whole file."),
    ],
)
async def test_f4_says_where_there_is_nothing_to_fix(text: str, told: str, tmp_path: Path) -> None:
    async with opened(tmp_path, text, keys=("f4",)) as page:
        assert told in page.told[-1]


# --- A fix is tried first


async def test_what_a_fix_would_bring_is_said_before_it_is_applied_and_apply_all_leaves_it(tmp_path: Path) -> None:
    async with opened(tmp_path, LEFT, at="fnArgs") as page:
        await page.do("fix_all")
        await page.until(lambda: page.told)
        assert page.told[0].startswith("Nothing was changed. falsy-argument-lost: “write arg” brings a new warning")
        await page.hit("f4", asks="▲ brings a new warning: line 5: always-matches")
        assert page.text == LEFT
        await page.hit("enter", until=lambda: 'arg: ""' in page.text)


async def asked_by(page: Page, known: FixDetails, answers: list[FixChoice | None]) -> Asked:
    """A question about one fix, asked apart from any problem."""

    async def ask() -> None:
        answers.append(await DialogHost(page.app).ask(FixQuestion("x", "x", (Fix("do it", False, ()),), ONE, known)))

    page.app.run_worker(ask())
    return await page.asked("do it")


@pytest.mark.parametrize(("objection", "dismissed"), [("", True), ("brings a new error: line 1: x", False)])
async def test_enter_waits_until_a_fix_is_tried_and_applies_none_that_brings_something(
    tmp_path: Path, objection: str, dismissed: bool
) -> None:
    tried = threading.Event()
    answers: list[FixChoice | None] = []

    def wait(_: Fix) -> str:
        tried.wait(60)
        return objection

    async with opened(tmp_path, ONE) as page:
        asked = await asked_by(page, FixDetails(objection=wait), answers)
        await page.hit("enter")
        assert asked.keys == "Trying it … · Esc changes nothing"
        assert asked.is_there
        tried.set()
        await page.until(lambda: answers if dismissed else "▲ brings a new" in asked.choices[0])
        await page.pilot.pause()
        assert asked.is_there is not dismissed


async def test_enter_applies_nothing_before_the_diff_of_all_is_shown(tmp_path: Path) -> None:
    shown = threading.Event()
    answers: list[FixChoice | None] = []

    def everywhere(_: Fix) -> FixedText:
        shown.wait(60)
        return FixedText(parse(ONE), (), (), ())

    async with opened(tmp_path, ONE) as page:
        asked = await asked_by(page, FixDetails(everywhere=everywhere, reports=2), answers)
        await page.hit("a", "enter")
        assert asked.is_there
        shown.set()
        await page.asked("Applies to 0 of 2")
        await page.hit("enter", until=lambda: answers)
        assert [each and each.everywhere for each in answers] == [everywhere(Fix("", False, ()))]


# --- All safe fixes


async def all_fixed(page: Page) -> Asked:
    """The list of what was fixed."""
    await page.do("fix_all")
    return await page.asked("line 4")


async def test_all_safe_fixes_are_listed_place_by_place_and_taken_back_one_by_one_or_together(tmp_path: Path) -> None:
    async with opened(tmp_path, SEVERAL) as page:
        assert (await all_fixed(page)).choices == [
            "line 4  quoted-function: make it a check\n"
            "  -     - \"$icontains: 'Article 19'\"\n  +     - $icontains: 'Article 19'",
            "line 7  rubric-not-a-list: make it a list\n"
            "  -   should: Names the court\n  +   should:\n  +     - Names the court",
            "line 12  unknown-key: write weight\n"
            "  -     - {point: Names a reason, wieght: 2}\n  +     - {point: Names a reason, weight: 2}",
        ]
        await page.hit("ctrl+z", until=lambda: page.text == SEVERAL)
        await page.answered()
        await all_fixed(page)
        await page.hit("down", "u", until=lambda: "should: Names the court" in page.text)
        assert "- $icontains: 'Article 19'" in page.text


async def test_the_list_of_fixes_leads_to_each_place_follows_the_text_and_takes_nothing_back_that_was_rewritten(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, SEVERAL) as page:
        await all_fixed(page)
        await page.reply("down", "down", "enter")
        assert page.number == 12
        await page.write("\n")
        await page.do("fixes_applied")
        await page.asked("unknown-key")
        await page.reply("down", "down", "enter")
        assert page.number == 13
        await page.at("wei", behind=True)
        await page.press("x")
        written = page.text
        await page.do("fixes_applied")
        await page.asked()
        await page.hit("down", "down", "u", until=lambda: any("changed since" in each for each in page.told))
        assert page.text == written


# --- One choice for all reports of a rule


async def test_one_choice_is_applied_to_all_reports_of_its_rule_with_one_diff_that_is_read_page_by_page(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, OPTIONAL, keys=("f8",), size=NARROW) as page:
        await page.hit("f4")
        asked = await page.asked("a comment: nothing else changes")
        assert "a: all 3 of this rule" in asked.keys
        await page.hit("end", "a")
        asked = await page.asked("Applies to 3 of 3")
        assert asked.diff.count("+     - May mention") == 3
        assert asked.keys.startswith("PgDn: more · Enter applies all")
        await page.hit("pagedown", until=lambda: asked.scrolled("#diff") > 0)
        await page.hit("pageup", until=lambda: asked.scrolled("#diff") == 0)
        await page.hit("enter", asks="line")
        assert page.text.count(AS_INTENDED) == 3
        await page.hit("ctrl+z", until=lambda: page.text == OPTIONAL)


async def test_the_choice_for_all_can_be_left_for_this_one_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, OPTIONAL, keys=("f8",)) as page:
        await page.hit("f4", asks="")
        await page.hit("end", "a", asks="Applies to 3")
        await page.reply("a", "enter")
        assert page.text.count(AS_INTENDED) == 1
        assert f"- May mention 0 {AS_INTENDED}" in page.text
        assert page.slugs == ["optional-point"] * 2


FOUR = quoted_checks(4)
FIXED = FOUR.replace('"$icontains', "$icontains").replace("'\"", "'")
NUMBER_3 = "$icontains: 'Number 3'"


async def by_the_key(page: Page) -> None:
    await page.at(NUMBER_3)
    await page.hit("ctrl+l")


async def by_the_palette(page: Page) -> None:
    await page.at(NUMBER_3)
    await page.hit("ctrl+p", asks="")
    await page.hit(*"fix all of this rule")
    await page.see("Fix all of this rule in the file  (Ctrl+L)")
    await page.hit("enter")


async def by_the_row(page: Page) -> None:
    await page.press("f3", "home")
    await page.hit("a")


async def by_the_key_on_the_row(page: Page) -> None:
    await page.press("f3", "home")
    await page.hit("ctrl+l")


async def by_the_choice_on_the_row(page: Page) -> None:
    await page.press("f3", "home")
    await page.hit("f", asks="")
    await page.hit("a")


WAYS = [by_the_key, by_the_palette, by_the_row, by_the_key_on_the_row, by_the_choice_on_the_row]


@pytest.mark.parametrize("way", one_in(3, WAYS), ids=lambda way: way.__name__)
async def test_all_of_a_rule_are_fixed_with_one_diff_and_then_listed(
    way: Callable[[Page], Awaitable[None]], tmp_path: Path
) -> None:
    async with opened(tmp_path, FOUR) as page:
        await way(page)
        asked = await page.asked("Applies to")
        assert asked.diff.count("+     - $icontains") == 4
        assert page.text == FOUR
        await page.hit("enter", asks="line 15")
        assert page.text == FIXED
        await page.reply("down", "down", "enter")
        assert page.number == 15


async def test_another_fix_that_is_highlighted_is_shown_for_all_too_and_escape_changes_nothing(tmp_path: Path) -> None:
    text = "".join(
        f"- id: p{number}\n  prompt: What {number}?\n  should:\n    - - Names {number}\n    - - Says {number}\n"
        for number in range(3)
    )
    async with opened(tmp_path, text, keys=("f3", "home")) as page:
        for key in ("escape", "enter"):
            await page.hit("a")
            asked = await page.asked("Applies to")
            await page.hit("end", until=lambda asked=asked: "studio: ignore" in asked.diff)
            await page.hit(key)
            await page.asked("line") if key == "enter" else await page.answered()
            assert page.text.count("# studio: ignore[single-element-path]") == 3 * (key == "enter")


async def test_points_drafted_from_an_ideal_are_shown_as_a_diff_and_undo_takes_them_back(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    server = ModelServer(httpserver, lambda _: "<points><point>Names the period</point></points>")
    text = f"{server.judging()}- id: notice\n  prompt: How long is the notice?\n  ideal: It is 30 days.\n"
    async with opened(tmp_path, text, keys=("ctrl+end",)) as page:
        await page.do("draft_points")
        asked = await page.asked("Names the period")
        assert "+   should:" in asked.diff
        await page.reply("enter")
        assert page.text == f"{text}  should:\n    - Names the period\n"
        await page.press("ctrl+z")
        assert page.text == text
