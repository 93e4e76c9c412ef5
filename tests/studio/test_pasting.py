"""A paste is text, whatever stands in it; of several lines, it goes to its place, and nothing is lost or joined."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from textual import events
from textual.events import Paste
from textual.message import Message
from textual.widgets import Input

from engine.files.journal import Journal
from engine.files.open_files import open_to_show
from engine.text import text_limits
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml.tree_loader import load
from studio.session.host import EditQuestion, EnterText
from studio.tui.app import Studio
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.editor.paste_placement import Placement, place_paste
from studio.tui.field_limit import MOST_CHARACTERS
from studio.tui.terminal import PasteSafeParser
from tests.engine.short_cases import assert_lines_say
from tests.processor_time import costs_less_than
from tests.studio.driving import Page, opened, running
from tests.thoroughness import one_in

START, END = "\x1b[200~", "\x1b[201~"


def parsed(*pieces: str) -> list[Message]:
    parser = PasteSafeParser()
    return [message for piece in pieces for message in parser.feed(piece)]


@pytest.mark.parametrize("text", ["plain", "ab \x1b]0;T\x07c", "\x11", "\x1b[A\x1b", "two\nlines"])
def test_a_paste_is_one_paste_and_no_key(text: str) -> None:
    (paste,) = parsed(START + text + END)
    assert isinstance(paste, events.Paste)
    assert paste.text == text.replace("\x1b", "␛")


@pytest.mark.parametrize("before", ["\x1b", "a", "\x1b[A", "\x1bO", "\x1b["])
def test_a_paste_after_an_unfinished_sequence_is_a_paste(before: str) -> None:
    messages = parsed(f"{before}{START}one{END}", f"{START}two{END}")
    assert [message.text for message in messages if isinstance(message, events.Paste)] == ["one", "two"]


def test_a_long_paste_takes_the_parser_no_time() -> None:
    pieces = [START, *(["one line of a long text\n" * 40] * 500), END]
    with costs_less_than(0.1):
        (paste,) = parsed(*pieces)
    assert isinstance(paste, events.Paste)
    assert len(paste.text) == 480_000


def test_keys_around_a_paste_stay_keys() -> None:
    messages = parsed(f"a{START}\x1bb{END}c")
    assert [type(message) for message in messages] == [events.Key, events.Paste, events.Key]


@given(st.sets(st.integers(1, 24)))
def test_a_paste_may_come_in_pieces(cuts: set[int]) -> None:
    whole = f"{START}ab\x1b[201x\x1bcd{END}e"
    places = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    messages = parsed(*(whole[start:end] for start, end in pairwise(places)))
    assert [message.text for message in messages if isinstance(message, events.Paste)] == ["ab␛[201x␛cd"]
    assert [message.key for message in messages if isinstance(message, events.Key)] == ["e"]


async def test_a_typed_space_or_joiner_of_another_script_reaches_the_text(tmp_path: Path) -> None:
    characters = "\u00a0\u3000\u200c\u200d\u200e\u00ad\ue000"
    async with opened(tmp_path / "own.yml", "title: ab\n") as page:
        driver = page.app._driver
        assert driver is not None
        for message in parsed(characters):
            driver.process_message(message)
        await page.settle()
        assert page.text == f"{characters}title: ab\n"


@pytest.mark.parametrize("character", ["\x00", "\x1c", "\x7f", "\x85"], ids=ascii)
def test_a_control_character_stays_a_key(character: str) -> None:
    assert [type(message) for message in parsed(character)] == [events.Key]


# --- A paste of several lines goes to its place: nothing that stood there is lost or joined, and nothing pasted is


def after_paste(text: str, paste: str) -> str | None:
    """`text` after `paste` at the place of ¦, with ¦ at the cursor; None if it goes in as it is."""
    at = text.index("¦")
    row, column = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
    lines = text.replace("¦", "").split("\n")
    made = place_paste(lines, row, column, paste)
    return None if made is None else "\n".join(placed(lines, made))


def placed(lines: Sequence[str], made: Placement, cursor: str = "¦") -> list[str]:
    new = [*lines[: made.first], *made.lines, *lines[made.after :]]
    row, column = made.cursor
    new[row] = new[row][:column] + cursor + new[row][column:]
    return new


def after_a_paste(line: str) -> Iterator[str]:
    """What comes of a line `TEXT ⇐ PASTE`, in which ⏎ is a line break."""
    text, _, paste = line.replace("⏎", "\n").partition(" ⇐ ")
    made = after_paste(text, paste)
    yield "goes in as it is" if made is None else made


def test_a_paste_goes_where_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "pastes.txt", after_a_paste, pytestconfig)


# --- The law

ROWS = (
    "Names o{} it",
    '"Says: o{}"',
    "'Says ''o{}'''",
    "$contains: o{}",
    "$icontains_any_of: [o{}, x]",
    "$contains_any_of:\n{pad}    - o{}\n{pad}    - x",
    "text: Why o{}\n{pad}  weight: 2",
    "Names o{} it\n{pad}  and why",
    "|\n{pad}  Says o{}\n{pad}  - so",
    "- Path o{}\n{pad}  - and more",
)
PROSE = ("Says p{} so", "says: p{}", "# p{} is one", "  p{} is in", "p{} 'it' [is] \"so\"", "*p{}* it is", "")
BULLETS = ("- ", "* ", "• ", "1. ", "12) ", "-   ", "  - ")
KEYED = (
    "should_not:\n  - p{}",
    "ideal: |\n  p{} is\n\n  so",
    "system: p{}",
    "- id: p{}\n  prompt: Why?",
    "- user: p{}",
)


@st.composite
def rubrics(draw: st.DrawFn) -> str:
    """A prompt with a rubric, in one of the usual layouts, with an empty item or line here and there."""
    number = iter(range(1000))
    dash, indent = draw(st.sampled_from([("", "  "), ("- ", "  "), ("- ", "    ")]))
    margin = " " * len(dash)
    lines = [
        f"{dash}prompt: Who is o{next(number)}?",
        draw(st.sampled_from(["ideal:", "ideal: It o1000", "weight: 2"])),
    ]
    for key in draw(st.sampled_from([("should:",), ("should:", "should_not:")])):
        lines.append(key)
        pad = draw(st.sampled_from(["", indent]))
        for row in draw(st.lists(st.sampled_from((*ROWS, "", "\0")), min_size=1, max_size=4)):
            written = row.format(next(number), pad=pad)
            lines += ["" if row == "\0" else f"{pad}- {written}".rstrip()]
    text = "\n".join([lines[0], *(margin + line for line in "\n".join(lines[1:]).split("\n"))])
    return text + draw(st.sampled_from(["", "\n"]))


@st.composite
def pastes(draw: st.DrawFn) -> str:
    """Prose, bullets, rows with keys, or a mixture; each row has a word of its own."""
    bullets = st.builds(
        lambda sign, text: sign + text, st.sampled_from(BULLETS), st.sampled_from((*PROSE[:2], *PROSE[4:6]))
    )
    mixed = st.one_of(bullets, st.sampled_from(PROSE))
    kind = draw(st.sampled_from([st.sampled_from(PROSE), bullets, mixed, st.sampled_from(KEYED)]))
    rows = draw(st.lists(kind, min_size=2, max_size=5, unique_by=lambda row: row if row in KEYED else object()))
    return "\n".join(row.format(number) for number, row in enumerate(rows)) + draw(st.sampled_from(["", "\n"]))


def leaves(node: Node | None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts of a tree with the keys that lead to them."""
    match node:
        case MappingNode():
            for pair in node.pairs:
                yield from leaves(pair.value, (*path, property_name(pair.key)))
        case SequenceNode():
            for item in node.items:
                yield from leaves(item, (*path, "-"))
        case ScalarNode(value=str()):
            yield path, str(node.value)
        case _:
            pass


def read(text: str) -> list[tuple[tuple[str, ...], str]] | None:
    tree = load(text)
    if tree.error is not None:
        return None
    return [leaf for document in tree.documents for leaf in leaves(document.root)]


def is_within(words: str, text: str) -> bool:
    """Whether all of `words` are in `text`, in their order."""
    letters = iter(text)
    return all(letter in letters for letter in words if not letter.isspace())


@given(rubrics(), pastes(), st.data())
def test_a_paste_loses_and_joins_nothing(text: str, paste: str, data: st.DataObject) -> None:
    before = read(text)
    lines = text.split("\n")
    row = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.sampled_from(sorted({0, len(lines[row]) - len(lines[row].lstrip()), len(lines[row])})))
    made = place_paste(lines, row, column, paste)
    event("as it is" if made is None else "placed")
    if made is None or before is None:
        return
    new = "\n".join(placed(lines, made, ""))
    after = read(new)
    if after is None:  # the author is told
        assert "duplicated" in str(load(new).error) or read(paste) is None, new
        return
    old = [leaf for leaf in after if not re.search(r"p\d", leaf[1])]
    changed = [leaf for leaf in before if leaf not in old]
    assert [leaf for leaf in old if leaf not in before] == [leaf for leaf in old if "Why?" in leaf[1]], new
    assert len(changed) <= 1, new
    for _, words in changed:  # the text that the cursor is in
        assert any(is_within(words, leaf) for _, leaf in after), new
    for word in re.findall(r"p\d", paste):
        holders = [leaf for leaf in after if word in leaf[1]]
        assert len(holders) == 1 or re.search(rf"^ *# .*{word}", new, re.MULTILINE), new


@given(rubrics(), st.lists(st.sampled_from(BULLETS), min_size=2, max_size=5), st.data())
def test_rows_under_a_rubric_become_points_of_it(text: str, bullets: list[str], data: st.DataObject) -> None:
    lines = text.split("\n")
    row = data.draw(st.sampled_from([at for at, line in enumerate(lines) if line.strip() == "-"] or [None]))
    if row is None or read(text) is None:
        return
    paste = "\n".join(f"{bullet}Says p{number}: so" for number, bullet in enumerate(bullets))
    made = place_paste(lines, row, len(lines[row]), paste)
    assert made is not None
    after = read("\n".join(placed(lines, made, ""))) or []
    points = [words for path, words in after if path[-2:-1] in (("should",), ("should_not",)) and path[-1] == "-"]
    assert [words for words in points if "Says p" in words] == [f"Says p{number}: so" for number in range(len(bullets))]


def test_a_long_paste_is_placed_quickly() -> None:
    lines = ["- prompt: a", "  should:", *["    - b"] * 2_000, "    - "]
    with costs_less_than(0.5):
        made = place_paste(lines, len(lines) - 1, 6, "1. Names it: by name\n- Says who it is\n" * 500)
    assert made is not None
    assert len(made.lines) == 1000


# --- What is too long for a field or a text, and keys that would change a read-only one: refused, and said so once


TEXT = "- id: a\n  prompt: b\n"

# --- Fields of one line

LONG = "x" * 3_000_000
MESSAGE = "This field takes at most 4,000 characters. The paste has 3,000,000: nothing is inserted."


def question(page: Page) -> None:
    page.app.run_worker(DialogHost(page.app).ask(EnterText("Save", "Where?")))


async def field(page: Page, key: str) -> Input:
    """The field that a key opens, or a question."""
    await page.hit(key) if key else question(page)
    await page.until(lambda: isinstance(page.app.focused, Input))
    return page.app.focused


@pytest.mark.parametrize("key", one_in(3, ["ctrl+f", "ctrl+g", "ctrl+p", ""]), ids=str)
async def test_a_paste_of_megabytes_is_refused_in_words(key: str, tmp_path: Path) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        found = await field(page, key)
        page.app.post_message(Paste(LONG))
        await page.until(lambda: page.told)
        assert (page.told, found.value) == ([MESSAGE], "")


async def test_pastes_that_are_too_long_together_are_refused_also_from_the_clipboard(tmp_path: Path) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        found = await field(page, "ctrl+f")
        page.app.post_message(Paste("title"))
        await page.until(lambda: found.value == "title")
        assert page.told == []
        found.value = ""
        for _ in range(2):
            page.app.post_message(Paste("y" * (MOST_CHARACTERS - 1)))
        await page.until(lambda: page.told)
        assert found.value == "y" * (MOST_CHARACTERS - 1)
        found.value = ""
        page.app.copy_to_clipboard(LONG)
        await page.hit("ctrl+v", until=lambda: page.told[-1] == MESSAGE)
        assert found.value == ""


async def test_a_long_paste_into_the_text_is_inserted_and_a_long_selected_line_is_not_searched_for(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        page.app.post_message(Paste("# " + "y" * MOST_CHARACTERS + "\n"))
        await page.until(lambda: len(page.text) > MOST_CHARACTERS)
        assert page.told == []
        page.screen.editor.move_cursor((0, 0))
        page.screen.editor.move_cursor((0, MOST_CHARACTERS + 2), select=True)
        assert (await field(page, "ctrl+f")).value == ""


# --- Beyond the limit of a text

LIMIT = 4096
ROOM = LIMIT - len(TEXT)


@pytest.fixture
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the real limit takes seconds to check."""
    monkeypatch.setattr(text_limits, "FILE_BYTES", LIMIT)


async def pasted(page: Page, editor: Any, text: str) -> str:
    """The text of `editor` after a paste."""
    editor.post_message(Paste(text))
    await page.pilot.pause()
    return editor.text_out()


def refusals(page: Page) -> list[str]:
    return [message for message in page.told if message.startswith("Not inserted: the text would have")]


@pytest.mark.usefixtures("_small_limit")
async def test_a_paste_beyond_the_limit_changes_nothing_and_says_why_unless_it_replaces_more(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        editor = page.screen.editor
        for text in ("x" * (ROOM + 1), "é" * (ROOM // 2 + 1), "x\n" * (16 << 20)):
            page.app.clear_notifications()
            assert await pasted(page, editor, text) == TEXT
            assert len(refusals(page)) == 1
        fits = "#" * (ROOM - 1) + "\n"
        assert await pasted(page, editor, fits) == fits + TEXT
        editor.load("#" * (LIMIT + 10))
        editor.select_all()
        assert await pasted(page, editor, "#" * (LIMIT + 5)) == "#" * (LIMIT + 5)


@pytest.mark.usefixtures("_small_limit")
async def test_replacing_all_and_an_answer_have_the_same_limit(tmp_path: Path) -> None:
    text = "a\n" * 100
    async with opened(tmp_path, text) as page:
        await page.hit("ctrl+f", "a")
        (await page.asked()).field("#replace").value = "b" * 100
        await page.hit("ctrl+r", until=lambda: refusals(page))
        assert page.text == text
        await page.reply("escape")
        page.app.clear_notifications()
        page.app.run_worker(DialogHost(page.app).ask(EditQuestion("Edit the answer", "It is 30 days.")))
        editor = (await page.asked("Edit the answer")).screen.query_one("PlainEditor")
        assert await pasted(page, editor, "x" * LIMIT) == "It is 30 days."
        assert len(refusals(page)) == 1


# --- A text that is read-only

EDITS = ("x", "space", "enter", "tab", "shift+tab", "backspace", "delete", "ctrl+x", "ctrl+v", "ctrl+z", "ctrl+y")
OTHERS = ("down", "right", "home", "ctrl+c", "ctrl+a", "pagedown", "f8", "f7")


def said(page: Page) -> int:
    return page.told.count("This file is open read-only.")


async def test_each_key_that_edits_says_so_once_in_a_while_and_those_that_move_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, TEXT) as page:
        page.screen.editor.read_only = True
        await page.press(*OTHERS)
        assert said(page) == 0
        await page.hit(*"xyz", until=lambda: said(page))
        assert said(page) == 1
        monkeypatch.setattr("studio.tui.editor.source_area._SECONDS_BETWEEN_REFUSALS", 0.0)
        for key in EDITS:
            page.app.clear_notifications()
            await page.hit(key, until=lambda: said(page))
            assert (said(page), page.text) == (1, TEXT), key
        page.app.clear_notifications()
        page.screen.editor.post_message(Paste("pasted"))
        await page.until(lambda: said(page))
        assert (said(page), page.text) == (1, TEXT)


@pytest.mark.usefixtures("_small_limit")
async def test_a_file_that_is_too_large_or_that_another_studio_took_over_says_so(tmp_path: Path) -> None:
    large = tmp_path / "large.yml"
    large.write_text(TEXT + "# " + "x" * LIMIT, "utf-8")
    async with running(Studio(open_to_show(large)), keys=()) as page:
        await page.hit("x", until=lambda: said(page))
    path = tmp_path / "x.yml"
    async with opened(path, TEXT) as page:
        other = Journal()
        other.claim(path)
        page.screen.session.tasks.start("other", taken_over(other, path))
        await page.until(lambda: page.read_only)
        await page.hit("x", until=lambda: said(page))
        other.release()


async def taken_over(other: Journal, path: Path) -> None:
    await asyncio.to_thread(other.take_over, path)


async def test_replacing_all_says_so_and_so_does_its_field(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        page.screen.editor.read_only = True
        await page.hit("ctrl+f")
        assert (await page.asked()).field("#replace").placeholder == "read-only"
        await page.hit("b", "enter", "ctrl+r", until=lambda: said(page))
        assert (said(page), page.text) == (1, TEXT)
