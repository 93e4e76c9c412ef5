"""The pane of the answer: untrusted text shown as data, its evidence lit up, its turns, and the author's own answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import ComposeResult
from textual.events import Paste
from textual.pilot import Pilot

from engine.blueprint import RenderAs, Role
from engine.blueprint.conversation import (
    Stop,
    StopReason,
    Variant,
    conversation,
    subject_text,
    variants,
    with_turn_edited,
)
from engine.evaluation.events import Response, ThreadTurn
from engine.models.chat import Usage
from engine.parsing import parse
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.run_selection import turns_before
from studio.session.views.answer_view import (
    AnswerView,
    OwnAnswer,
    ShownTurn,
    TurnState,
    described,
    shown_turns,
    with_evidence,
)
from studio.tui.panes.answer import AnswerPane
from studio.tui.session_screen import SessionScreen
from tests.studio.driving.alone import Alone
from tests.studio.text_files import text_file

CUT = Response("one", (ThreadTurn(Role.ASSISTANT, "one", generated=True, stop=Stop(StopReason.LENGTH, "length")),))
ALOUD = "<think>Hm.</think> Paris."


@pytest.mark.parametrize(
    ("response", "known", "said"),
    [
        (Response("one two", ()), {}, ["2 words"]),
        (
            Response("one", (), "m", 1.84, Usage(3, 3)),
            {"temperature": 0.0, "dollars": 0.0041},
            ["temp 0", "1 word", "1.8 s", "$0.0041"],
        ),
        (Response("one", ()), {"temperature": 0.7, "dollars": 0.00000041}, ["temp 0.7", "1 word", "less than $0.001"]),
        (Response("one", ()), {"dollars": 0.0}, ["1 word"]),
        (CUT, {}, ["1 word", "cut off at the token limit"]),
        (Response(ALOUD, ()), {}, ["2 words", "with a <think> block"]),
        (Response("one", (), complete=False), {}, ["1 word", "stopped before its end"]),
        (Response("one", (), seconds=1.0), {"restored": True}, ["1 word", "saved earlier"]),
        (Response("a\u0085b\ufeffc", ()), {}, ["2 words"]),
        (Response("a\x1cb c\n", ()), {}, ["2 words"]),
    ],
)
def test_an_answer_says_how_it_came_about(response: Response, known: dict[str, Any], said: list[str]) -> None:
    assert [*described(response, **known)] == said


_TURNS = st.lists(st.tuples(st.sampled_from([*Role]), st.text("ab\n", max_size=6), st.booleans()), min_size=1)


@given(_TURNS, st.data())
def test_what_is_lit_in_the_turns_is_what_is_lit_in_the_text_that_is_judged(
    drawn: list[tuple[Role, str, bool]], data: st.DataObject
) -> None:
    thread = [ThreadTurn(role, text, generated=generated) for role, text, generated in drawn]
    turns = [
        ShownTurn(turn.role, turn.content, TurnState.GENERATED, generated=number if turn.generated else None)
        for number, turn in enumerate(thread)
    ]
    subject = subject_text(thread)
    start = data.draw(st.integers(0, len(subject)))
    span = Span(start, data.draw(st.integers(start, len(subject))))
    lit = [part.of(turn.text) for turn in with_evidence(turns, [span]) for part in turn.evidence]
    assert "".join(lit).replace("\n", "") == span.of(subject).replace("\n", "")


# --- The pane alone


class Screen(SessionScreen):
    """The pane on a screen whose session tells what is written."""

    AUTO_FOCUS = ""

    def __init__(self, pane: AnswerPane, told: list[str]) -> None:
        super().__init__()
        runs: Any = SimpleNamespace(selection=SimpleNamespace(write=told.append))
        self.session: Any = SimpleNamespace(with_runs=lambda act: act(runs))
        self._pane = pane

    def compose(self) -> ComposeResult:
        yield self._pane


class Shown:
    """The pane with an answer on the screen."""

    def __init__(self, pane: AnswerPane, pilot: Pilot[None], told: list[str]) -> None:
        self.pane, self.pilot, self.told = pane, pilot, told

    async def show(self, view: AnswerView) -> None:
        self.pane.show(view)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        self.pane.screen.set_focus(self.pane.target)
        await self.pilot.press(*keys)
        await self.pilot.pause()

    @property
    def lines(self) -> list[str]:
        thread = self.pane.thread
        return [thread.render_line(y).text.rstrip().replace("\xa0", " ") for y in range(thread.size.height)]


@asynccontextmanager
async def shown(view: AnswerView, size: tuple[int, int] = (50, 8)) -> AsyncIterator[Shown]:
    pane, told = AnswerPane(), list[str]()
    pane.show(view)  # before it is composed
    async with Alone().run_test(size=size) as pilot:
        await pilot.app.push_screen(Screen(pane, told))
        await pilot.pause()
        yield Shown(pane, pilot, told)
        await pane.remove()
        pane.show(replace(view, title="gone"))


def answer(text: str, *evidence: str, row: object = None, key: str = "a") -> AnswerView:
    spans = tuple(Span(text.index(each), text.index(each) + len(each)) for each in evidence)
    asked = ShownTurn(Role.USER, "How long?", TurnState.WRITTEN, Span(0, 1))
    said = ShownTurn(Role.ASSISTANT, text, TurnState.GENERATED, None, 0, 1, evidence=spans)
    return AnswerView(key, ("temp 0", "3 words"), "gpt-4o", (asked, said), RenderAs.MARKDOWN, row)


def thread(*texts: str) -> AnswerView:
    roles = [Role.USER, Role.ASSISTANT] * len(texts)
    turns = (
        ShownTurn(
            role,
            text,
            TurnState.WRITTEN if role is Role.USER else TurnState.GENERATED,
            Span(0, 1),
            None if role is Role.USER else number // 2,
            number,
        )
        for number, (role, text) in enumerate(zip(roles, texts, strict=False))
    )
    return AnswerView("t", ("8 words",), "gpt-4o", tuple(turns))


async def test_one_answer_stands_alone_below_what_is_known_of_it() -> None:
    async with shown(replace(answer("It is **30** days."), can_step=True)) as it:
        assert it.lines[:2] == [" gpt-4o · temp 0 · 3 words   v next", " It is 30 days."]


async def test_a_conversation_shows_its_turns_and_selects_the_last_answer() -> None:
    async with shown(thread("One?", "First.", "Two?", "Second."), (50, 14)) as it:
        assert it.lines[1:12] == [
            " user",
            " One?",
            "",
            " answer  generated",
            " First.",
            "",
            " user",
            " Two?",
            "",
            "▏answer  generated",
            "▏Second.",
        ]
        await it.press("up")
        assert (it.lines[7:9], it.pane.thread.turn) == (["▌user", "▌Two?"], it.pane.thread.view.turns[2])


async def test_an_answer_hides_nothing_and_sends_nothing_to_the_terminal() -> None:
    async with shown(answer("\x1b[31m30\u200b days")) as it:
        assert it.lines[1] == " ␛[31m30\\u200b days"


LONG = "\n\n".join(f"Line {number}." for number in range(30))
"""Longer than the pane."""


async def test_evidence_comes_into_view_where_another_row_is_selected_and_not_where_verdicts_arrive() -> None:
    async with shown(answer(LONG)) as it:
        thread = it.pane.thread
        await it.show(answer(LONG, "Line 20.", row=1))
        assert any("⟦Line 20.⟧" in line for line in it.lines)
        thread.scroll_to(y=5, animate=False, immediate=True)
        await it.show(answer(LONG, "Line 25.", row=1))
        assert thread.scroll_offset.y == 5
        await it.press()
        await it.show(answer(LONG, "Line 25.", row=2))
        assert thread.scroll_offset.y == 5


async def test_evidence_that_is_in_view_moves_nothing() -> None:
    async with shown(answer(LONG)) as it:
        await it.show(answer(LONG, "Line 2.", row=1))
        assert it.lines[1] == " Line 0."


async def test_another_answer_is_read_from_its_start_and_an_edited_one_from_where_it_was() -> None:
    async with shown(answer(LONG)) as it:
        await it.press("end")
        end = it.pane.thread.scroll_offset.y
        await it.show(answer(f"{LONG}!"))
        assert it.pane.thread.scroll_offset.y == end > 0
        await it.show(answer(LONG, key="b"))
        assert it.pane.thread.scroll_offset.y == 0


@pytest.mark.parametrize(("up", "follows"), [(0, True), (1, False)])
async def test_the_end_of_a_growing_answer_is_followed_while_it_is_in_view(up: int, follows: bool) -> None:
    async with shown(replace(answer(LONG), grows=True)) as it:
        thread = it.pane.thread
        await it.press("end", *["up"] * up)
        before = thread.scroll_offset.y
        await it.show(replace(answer(f"{LONG}\n\nMore.\n\nMore."), grows=True))
        assert thread.scroll_offset.y == (thread.max_scroll_y if follows else before)
        assert thread.max_scroll_y > before


@pytest.mark.parametrize("size", [1_000, 200_000])
async def test_a_long_answer_is_shown_as_it_grows(size: int) -> None:
    text = "So it is, says the lease. " * (size // 26)
    async with shown(replace(answer(text), grows=True)) as it:
        for more in ("More.", "More. And more."):
            it.pane.show(replace(answer(f"{text}\n\n{more}"), grows=True))
        await it.pilot.app.workers.wait_for_complete()
        await it.press("end")
        assert it.lines[-1] == " More. And more."


async def test_words_are_found_and_enter_goes_from_place_to_place() -> None:
    async with shown(answer(LONG.replace("Line 2", "line 2"))) as it:
        await it.press("slash", *"line 2")
        assert it.lines[0] == " / line 2▌  1 of 11   Enter next · ↑ back · Esc e"
        assert "▌line 2." in it.lines
        await it.press("enter")
        assert "▌line 20." in it.lines
        await it.press("up", "up")
        assert (it.lines[0][12:20], "▌line 29." in it.lines) == ("11 of 11", True)
        await it.press("x")
        assert it.lines[0].startswith(" / line 2x▌  not found")
        await it.press("escape")
        assert (it.lines[0][:8], any("▌" in line for line in it.lines)) == (" gpt-4o ", False)


async def test_the_price_of_an_answer_is_said_where_the_key_is() -> None:
    async with shown(replace(answer("30 days."), again="about $0.0043")) as it:
        thread = it.pane.thread
        assert thread.footer_labels["generate_turn"] == "generate again (about $0.0043)"
        assert "generate_turn" not in thread.idle_actions
        await it.show(answer("30 days.", key="b"))
        assert {"generate_turn", "original", "go_to_turn"} <= thread.idle_actions


# --- The author's own


def own(text: str) -> AnswerView:
    return replace(answer(""), own=OwnAnswer("a", text, 0))


async def test_an_answer_is_told_as_the_author_writes_it_and_not_when_it_is_put_there() -> None:
    async with shown(own("Yes")) as it:
        assert it.told == []
        await it.press("end", "!")
        assert (it.told, it.pane.own) == (["Yes!"], "Yes!")


async def test_letters_that_are_keys_for_readers_are_letters_for_who_writes() -> None:
    async with shown(own("")) as it:
        await it.press(*"evRm", "slash")
        assert it.pane.own == "evRm/"
        assert "edit_response" in it.pane.idle_actions


async def test_an_answer_with_control_characters_is_judged_as_pasted_and_shown_without_them() -> None:
    async with shown(own("")) as it:
        it.pane.editor.post_message(Paste("\x1b]0;title\x07 thirty days"))
        await it.pilot.pause()
        assert it.pane.own == "\x1b]0;title\x07 thirty days"
        assert it.pane.editor.render_line(0).text.rstrip() == "␛]0;title␇ thirty days"


async def test_another_answer_takes_the_place_of_the_editor_and_its_keys() -> None:
    async with shown(own("")) as it:
        await it.press("a")
        await it.show(answer("30 days."))
        assert (it.pane.own, it.pane.screen.focused) == (None, it.pane.thread)


# --- A conversation as turns to show: written, to be generated, generated, edited; and where the system prompt is from


TALK = text_file("thread.yml")


def turns_of(text: str, number: int = 0, **more: object) -> tuple[ShownTurn, ...]:
    blueprint = parse(text).blueprint
    variant = variants(blueprint.header)[number]
    return shown_turns(blueprint.prompts[0], blueprint.header, variant, **more)  # pyright: ignore[reportArgumentType]


def words(turns: tuple[ShownTurn, ...]) -> list[str]:
    return [f"{turn.text}|{(turn.origin or turn.state).value}" for turn in turns]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system: A\n---\n- prompt: b\n", "A|from the header"),
        ("system: A\n---\n- prompt: b\n  system: C\n", "C|from this prompt"),
        ("system: A\n---\n- prompt: b\n  system: null\n", "|none: this prompt clears it with system: null"),
        ("systems: [A, null]\n---\n- prompt: b\n", "A|from this variant"),
        ("systems: [null, A]\n---\n- prompt: b\n", "|none in this variant"),
        ("title: t\n---\n- prompt: b\n", "b|written"),
        ("title: t\n---\n- prompt: b\n  system: null\n", "b|written"),
    ],
)
def test_a_thread_begins_with_the_system_prompt_and_where_it_is_from(text: str, said: str) -> None:
    assert words(turns_of(text))[0] == said


def test_what_arrived_is_generated_and_the_newest_turn_is_being_generated() -> None:
    assert words(turns_of(TALK, arrived=("a", "b"), running=True))[1:] == [
        "One?|written",
        "a|generated",
        "Two?|written",
        "Fixed.|written",
        "Three?|written",
        "b|being generated …",
    ]


def test_a_turn_that_stood_before_is_generated_while_the_next_one_is_waited_for() -> None:
    turns = turns_of(TALK, prefilled=("a",), running=True)
    assert [turn.state for turn in turns if turn.generated is not None] == [TurnState.GENERATED, TurnState.GENERATING]


def test_turns_know_their_place_in_the_blueprint() -> None:
    spans = [turn.span for turn in turns_of(TALK)[1:]]
    assert ["" if span is None else span.of(TALK) for span in spans] == [
        "user: One?",
        "assistant: null",
        "user: Two?",
        "ai: Fixed.",
        "user: Three?",
        "",
    ]


def test_a_thread_that_was_kept_is_laid_beside_the_messages() -> None:
    blueprint = parse(TALK).blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header)
    went = turns_of(TALK, thread=talk.answered(["a", "b"]))
    kept = tuple(turn.__class__(turn.role, turn.content, turn.generated) for turn in talk.answered(["a", "b"]))
    assert turns_of(TALK, thread=kept) == went


def test_an_edited_turn_says_so() -> None:
    blueprint = parse(TALK).blueprint
    thread = with_turn_edited(conversation(blueprint.prompts[0], blueprint.header).answered(["a", "b"]), 2, "mine")
    assert words(turns_of(TALK, thread=thread))[2] == "mine|edited by you"


def test_a_conversation_that_was_stopped_shows_what_is_left_of_it() -> None:
    blueprint = parse(TALK).blueprint
    thread = conversation(blueprint.prompts[0], blueprint.header).answered(["a", "b"])[:3]
    assert words(turns_of(TALK, thread=thread, complete=False))[2:] == [
        "a|stopped before its end",
        "Two?|written",
        "Fixed.|written",
        "Three?|written",
        "|to be generated",
    ]


_MESSAGES = st.lists(st.sampled_from(["user: q", "assistant: null", "ai: w", "system: s"]), min_size=1, max_size=7).map(
    lambda lines: "- messages:\n" + "".join(f"    - {line}\n" for line in lines) + "    - user: last\n"
)


@given(_MESSAGES, st.lists(st.text("ab", min_size=1), min_size=8, max_size=8))
def test_a_whole_thread_has_the_turns_of_the_thread_as_written_in_their_places(text: str, said: list[str]) -> None:
    before = turns_of(text)
    blueprint = parse(text).blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header, Variant())
    after = turns_of(text, thread=talk.answered(said[: talk.pending]))
    assert [(turn.role, turn.span, turn.generated) for turn in after] == [
        (turn.role, turn.span, turn.generated) for turn in before
    ]


@given(_MESSAGES, st.lists(st.text("ab", min_size=1), max_size=8))
def test_while_it_grows_a_thread_never_loses_or_moves_a_turn(text: str, arrived: list[str]) -> None:
    before, now = turns_of(text), turns_of(text, arrived=tuple(arrived), running=True)
    assert [(turn.role, turn.span) for turn in now] == [(turn.role, turn.span) for turn in before]
    assert sum(turn.state is TurnState.GENERATING for turn in now) <= 1


@given(st.lists(st.text("ab"), max_size=4), st.integers(0, 5))
def test_what_stood_before_a_turn_is_there_as_a_whole_or_not_at_all(said: list[str], number: int) -> None:
    blueprint = parse("- messages: [{user: a}, {ai: null}, {user: b}, {ai: null}, {user: c}, {ai: null}]\n").blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header)
    thread = talk.answered(said) if said else ()
    before = turns_before(Response("", thread), number)
    assert before is None or len(before) == number
