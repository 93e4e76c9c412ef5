"""What lies over a screen: dialogs take away themselves alone, and messages cover nothing that is read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual import events
from textual.widgets import Input, OptionList

from engine.asking.spending import Cap
from engine.evaluation.sources import ModelSource, WrittenSource
from engine.judging.panel import OneJudge
from engine.rules import ALL
from studio.session import run_configuration
from studio.session.criterion_loop import NO_POINT
from studio.session.host import (
    AnswerQuestion,
    Choice,
    Choose,
    EditQuestion,
    EnterText,
    FirstCaseQuestion,
    JudgeQuestion,
    MarkQuestion,
    Question,
    RunQuestion,
)
from studio.session.reference import ReferencePage
from studio.session.run_configuration import AnswerChoice, Offer
from studio.tui.dialogs.dialog_host import DialogHost, dialog_of
from studio.tui.dialogs.page import Block, RulePage, blocks
from tests.session.test_consent import planned
from tests.studio.driving import NARROW, QUOTED, WIDE, Asked, Page, opened
from tests.studio.text_files import text_file
from tests.thoroughness import one_in

TEXT = text_file("closing.yml")
OPENED = (
    ("ctrl+g", "2"),
    ("ctrl+f", "t"),
    ("ctrl+p", "w", "r", "a", "p"),
    ("f1",),
    ("f9",),
    ("f8", "f8", "f4"),
    ("f8", "ctrl+e"),
)
"""Go to a line, find, palette, help, answers, fixes, and the page of a rule."""


async def key_after(page: Page, turns: int, key: str) -> None:
    """A key that comes after so many turns of the event loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    page.app.post_message(events.Key(key, None))


@pytest.mark.parametrize("closing", ["enter", "escape"])
async def test_keys_that_come_at_once_close_nothing_below(tmp_path: Path, closing: str) -> None:
    async with opened(tmp_path, TEXT) as page:
        for keys in one_in(3, OPENED):
            await page.press(*keys)
            for _ in range(4):
                await key_after(page, 0, closing)
            await page.settle()
            assert page.has_file
            await page.press("escape", "escape", "ctrl+home")


async def test_a_dialog_closed_while_it_opens_leaves_the_screen_below(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(3, range(2, 30, 3)):
            await key_after(page, 0, "f9")
            await key_after(page, turns, "escape")
            await page.settle()
            await page.press("escape")
            assert page.question is None


async def test_a_replacement_just_before_the_bar_closes_is_submitted(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(3, range(5, 14, 2)):
            await page.rewrite(TEXT)
            await page.press("ctrl+home", "ctrl+f", *"hot", "tab", "x")
            await key_after(page, 0, "ctrl+r")
            await key_after(page, turns, "escape")
            await page.answered()
            assert page.screen.session.state.text.text == TEXT.replace("hot", "x")


async def test_what_a_dialog_learns_while_it_closes_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = asyncio.Event()

    async def on_loopback() -> list[Offer]:
        await learnt.wait()
        return []

    monkeypatch.setattr(run_configuration, "on_loopback", on_loopback)
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(2, range(4, 16, 3)):
            learnt.clear()
            await page.hit("f9")
            asked = await page.asked("Where do answers come from?")
            asked.screen.dismiss(None)
            for _ in range(turns):
                await asyncio.sleep(0)
            learnt.set()
            await page.answered()


# --- Where messages are shown: at the top, where they cover neither the problems nor the detail of a point


SIZES = {"wide": WIDE, "narrow": NARROW, "low": (120, 24), "tall": (160, 60)}
FIXED = "Line 4, quoted-function: one → another\nCtrl+Z undoes it."


async def told(page: Page, message: str = FIXED) -> None:
    """Show a message, alone."""
    page.app.clear_notifications()
    await page.until(lambda: page.toasts() == [])
    page.screen.notify(message, markup=False)
    await page.until(lambda: page.toasts() == [message])
    await page.settle()


@pytest.mark.parametrize("size", one_in(2, [*SIZES.values()][::-1]), ids=str)
async def test_a_message_leaves_problems_score_and_details_uncovered(size: tuple[int, int], tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f3"), size=size, messages=True) as page:
        await told(page)
        toast = page.region("Toast")
        assert toast.height > 0
        assert toast.bottom <= page.region("Problems").y
        await page.press("escape", "f5", "ctrl+r")
        await told(page)
        toast = page.region("Toast")
        assert toast.y >= page.region("PaneStrip").bottom  # that has the score
        await page.press("escape", "f8")
        await told(page, "Saved.")
        assert size is not NARROW or not page.region("Toast").overlaps(page.region("CursorLine"))


@pytest.mark.parametrize("key", ["f5", "f6"])
async def test_a_message_goes_once_the_author_runs_a_prompt(key: str, tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",), messages=True) as page:
        await told(page)
        await page.press(key)
        await page.until(lambda: page.toasts() == [])


async def test_the_same_message_is_on_the_screen_once_as_long_as_a_new_one_and_others_stand_below(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, QUOTED, keys=("ctrl+home", *["ctrl+k"] * 3), messages=True) as page:
        await page.until(lambda: page.toasts() == [NO_POINT])
        assert len(page.screen.query("ToastHolder")) == 1
        await told(page, "Saved.")
        page.screen.notify("Saved.", timeout=6000)
        await page.until(lambda: [each.timeout for each in page.app._notifications] == [6000])
        await page.until(lambda: page.toasts() == ["Saved."])
        page.screen.notify("Saved.", severity="warning")
        await page.until(lambda: page.toasts() == ["Saved.", "Saved."])


# --- Dialogs: models chosen by keys, another size of the terminal while one is open, and the page of a rule


LIST = {"data": [{"id": "tiny"}, {"id": "large"}]}


@pytest.fixture
def address(httpserver: HTTPServer) -> str:
    """A server that lists two models."""
    httpserver.expect_request("/v1/models").respond_with_json(LIST)
    return f"http://127.0.0.1:{httpserver.port}/v1"


async def test_f9_lists_what_can_answer_now_before_what_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    models = "models: [anthropic:claude-x, 'openai:gpt-x', ollama:llama, anthropic:claude-y]\n---\n"
    async with opened(tmp_path, models + QUOTED.partition("---\n")[2].replace("  ideal: It is 30 days.\n", "")) as page:
        await page.at("id: first")
        await page.hit("f9")
        asked = await page.asked("Where do answers come from?")
        rows = [each.strip().split("  ")[0] for each in asked.choices]
        last = rows.index("Cannot answer yet")
        assert {"Your answer", "Empty", "gpt-x", "OpenAI …", "A server …"} <= set(rows[:last])
        assert rows[last + 1 :] == ["The ideal", "claude-x", "claude-y", "llama", "smollm2"]
        assert asked.text.count("no key: set ANTHROPIC_API_KEY") == 1


async def test_a_model_of_a_server_is_chosen_by_a_part_of_its_name(tmp_path: Path, address: str) -> None:
    async with opened(tmp_path, QUOTED) as page:
        await page.hit("f9")
        await (await page.asked()).choose("server")
        await (await page.asked("The address")).fill(address)
        await page.asked("A model of", "large")
        await page.hit(*"lar", until=lambda: page.question and page.question.choices[0] == "large")
        await page.reply("enter")
        assert page.answers == AnswerChoice((ModelSource("large", address),))
        await page.hit("f9")  # its models are listed from now on
        await (await page.asked("On servers", "tiny")).choose("tiny")
        await page.answered()
        assert page.answers == AnswerChoice((ModelSource("tiny", address),))


async def test_w_lets_one_model_judge(tmp_path: Path, address: str) -> None:
    async with opened(tmp_path, QUOTED, at="id: second", keys=("f5", "ctrl+r")) as page:
        await page.hit("w")
        await (await page.asked("One model alone")).choose("server")
        await (await page.asked("The address")).fill(address)
        await page.asked("A model of")
        await page.reply("down", "enter")
        assert page.judges == OneJudge("large", address)


async def test_where_the_chosen_answer_is_not_there_the_first_that_is_can_be_chosen_at_once(tmp_path: Path) -> None:
    text = "temperatures: [0, 1]\n---\n- id: a\n  prompt: Which?\n  should: [one]\n"
    async with opened(tmp_path, text, at="Which", keys=("f5",)) as page:
        await page.asked("Where do answers come from?")
        await page.hit("enter")
        await page.answered()
        assert page.answers is not None
        assert page.answers.sources == (WrittenSource(),)


# --- Another size of the terminal

CHOICES = [Choice(f"c{number}", f"Choice {number}", "What it does, in some words. " * 3) for number in range(12)]


def questions(page: Page) -> Iterator[Question[Any]]:
    """One of each dialog with something to fill in, or with more rows than a small window has."""
    header = page.analysis.header
    yield EnterText(
        "A line", "A text that explains it, over more than one row of a small window. " * 2, choices=("a", "b")
    )
    yield FirstCaseQuestion("The first case", "Where is it?", CHOICES[:3], "Ada")
    yield MarkQuestion("Which of these?", "Mark some.", CHOICES, frozenset({"c1"}))
    yield Choose("Which of these?", "Choose one.", CHOICES)
    yield RunQuestion(planned("openai:x"), Cap(0.5), (), (), 0.5)
    yield EditQuestion("An answer", "It is 30 days.")
    yield AnswerQuestion(None, True, (), (), (), header, page.path)
    yield JudgeQuestion(header, None, (), ())


async def test_a_dialog_is_laid_out_anew_and_keeps_its_input(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        for question in questions(page):
            page.app.push_screen(dialog_of(question, DialogHost(page.app)))
            asked = await page.asked()
            for field in asked.screen.query(Input):
                field.value = "7"
            await page.pilot.pause()
            for options in asked.screen.query(OptionList):
                options.action_last()
            before = state(asked)
            for size in ((60, 18), (160, 48), (80, 24)):
                await page.pilot.resize_terminal(*size)
                await page.until(lambda asked=asked: is_within(asked))
                assert state(asked) == before
            asked.screen.dismiss(None)
            await page.answered()


def state(asked: Asked) -> list[object]:
    """What is filled in, and which choices are highlighted."""
    return [
        *(field.value for field in asked.screen.query(Input)),
        *(options.highlighted for options in asked.screen.query(OptionList)),
    ]


def is_within(asked: Asked) -> bool:
    """Whether the frame is on the screen, all its parts in it, and what is highlighted among the rows that are seen."""
    (frame,) = asked.screen.query(".dialog")
    parts = [each for each in frame.children if each.display]
    seen = all(frame.region.contains_region(part.region) and part.region.area for part in parts)
    return (
        seen and asked.screen.region.contains_region(frame.region) and all(map(is_seen, asked.screen.query(OptionList)))
    )


def is_seen(options: OptionList) -> bool:
    """Whether the highlighted option is seen."""
    assert options.highlighted is not None
    top = options._index_to_line[options.highlighted] - options.scroll_offset.y
    return 0 <= top < options.scrollable_content_region.height


# --- The page of a rule: its blocks, of which no word is lost, as data on the screen


def test_a_page_is_paragraphs_and_examples() -> None:
    said = "# slug\n\nOne\nsentence.\n\n- a\n- b\n  c\n\n"
    page = f"{said}Bad:\n\n    - x:\n\n        y\n\nFix (safe): it.\nDocuments: 002.\n"
    assert list(blocks(page)) == [
        Block("One sentence."),
        Block("- a"),
        Block("- b c"),
        Block("Bad:"),
        Block("- x:\n\n    y", is_code=True),
        Block("Fix (safe): it."),
        Block("Documents: 002."),
    ]


def test_no_word_of_a_page_is_lost() -> None:
    for rule in ALL:
        words = " ".join(block.text for block in blocks(rule.page)).split()
        assert words == rule.page.split("\n", 1)[1].split(), rule.slug


async def test_in_the_list_of_problems_the_key_of_the_text_explains_the_selected_one(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "end")) as page:
        await page.hit("question_mark")
        said = (await page.asked("Fix")).text
        await page.reply("escape")
        await page.hit("ctrl+e")
        assert (await page.asked()).text == said


async def test_a_page_is_data_and_steers_nothing_and_the_help_scrolls_to_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, size=NARROW) as page:
        page.app.push_screen(RulePage(ReferencePage("[b]x", "[red]said \x1b[31m", "# x\n\n[link='y']page[/\n", "z")))
        assert (await page.asked()).text.endswith("[b]x [red]said ␛[31m [link='y']page[/ z")
        await page.reply("escape")
        await page.hit("f1", asks="", until=lambda: page.app.screen.focused and page.app.screen.focused.max_scroll_y)
        assert page.app.screen.focused.region.bottom < NARROW[1]
