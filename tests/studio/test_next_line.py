"""What would help most now: each situation with its sentence, and no key but those that work where it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.text.record import replace
from studio.session.state import Where
from studio.session.views.next_view import SITUATIONS, Asks, Facts, NextView, WordingFacts, next_view, situation
from studio.tui.action import PANES, Place
from studio.tui.actions import ACTIONS, at
from studio.tui.footer import keys_at
from studio.tui.panes.status import CursorLine, NextLine
from tests.studio.driving import LARGE, NARROW, QUOTED, WIDE, Page, opened
from tests.studio.driving.alone import Alone
from tests.studio.pictures import differences, keep, kept, picture


def place_of(action: str) -> Place:
    """The place of an action."""
    return next(each.place for each in ACTIONS if each.id == action)


SIZES = (LARGE, WIDE, NARROW)
TEXT, OUTLINE, PROBLEMS = Place.EDITOR, Place.OUTLINE, Place.PROBLEMS
CRITERIA, ANSWERS, ANSWER = place_of("grade"), place_of("mark_answer"), place_of("edit_response")


def where(place: Place, *, sees_answer: bool = False, sees_answers: bool = False, idle: tuple[str, ...] = ()) -> Where:
    """The keys in a place; what `idle` names has nothing to act on there."""
    keys = keys_at(place, Place.BLUEPRINT, idle=frozenset(idle), is_typed=place is TEXT)
    return Where(keys, place is CRITERIA, sees_answer, sees_answers)


ALL_WELL = Facts()


class Told(NamedTuple):
    """Where and of what the sentence is said. `{judge}` is the key of an action whose letter may be another some day.

    `idle` actions have nothing to act on there.
    """

    place: Place
    sentence: str
    facts: Facts = ALL_WELL
    idle: tuple[str, ...] = ()
    sees_answer: bool = False
    sees_answers: bool = False

    @property
    def now(self) -> Facts:
        here = where(self.place, sees_answer=self.sees_answer, sees_answers=self.sees_answers, idle=self.idle)
        return replace(self.facts, where=here)


def wording(place: Place, sentence: str, facts: Facts = ALL_WELL, **about: object) -> Told:
    """The same while all answers are seen, with these facts of the criterion."""
    facts = replace(facts, wording=replace(WordingFacts(answers=3, judged=3), **about))
    return Told(place, sentence, facts, sees_answers=True)


NO_FIX = ("fix",)
NEW = Facts(is_run=False, is_new=True)
SIX = "6 requests, about $0.004"
TOLD = {
    "judging a criterion": wording(TEXT, "F5 stops it: 4 of 6 verdicts", going="4 of 6 verdicts"),
    "running": Told(TEXT, "F5 stops it: 3 of 8 · 12 s left", Facts(going="3 of 8 · 12 s left")),
    "running, all answers seen": wording(TEXT, "F6 stops the run: 1 prompt · 3 s", Facts(going="1 prompt · 3 s")),
    "what if": Told(
        place_of("apply_what_if"),
        "{apply_what_if} writes what you try into the text, Esc drops it",
        Facts(is_trying=True),
    ),
    "problem with a fix": Told(PROBLEMS, "f fixes the selected problem", Facts(problems=3)),
    "problem": Told(PROBLEMS, "Enter goes to the selected problem", Facts(problems=3), idle=("fix_problem",)),
    "cannot be read": Told(
        TEXT, "F3 says why part of the file cannot be read, from line 14 on", Facts(unread=14, errors=2, is_run=False)
    ),
    "no prompt": Told(
        TEXT,
        "Ctrl+Space lists what can stand at the cursor: the file has no prompt yet",
        Facts(prompts=0, number=None),
    ),
    "no prompt, outside": Told(OUTLINE, "Esc goes to the text: it has no prompt yet", Facts(prompts=0, number=None)),
    "new file": Told(
        TEXT,
        "write your question in the empty place, then over what the template says; F5 tries it",
        replace(NEW, asks_nothing=True),
    ),
    "no question": Told(
        TEXT,
        "write what prompt 2 asks: without a question nothing of it is scored",
        Facts(number=2, asks_nothing=True, is_run=False),
    ),
    "no question, outside": Told(
        CRITERIA, "Esc goes to the text: prompt 2 asks nothing yet", Facts(number=2, asks_nothing=True)
    ),
    "errors": Told(
        TEXT,
        "F3 lists 1 error of prompt 1: what is written there does not work",
        Facts(errors=1, is_run=False),
    ),
    "errors in the file": Told(
        OUTLINE, "F3 lists 1 error: what is written there does not work", Facts(number=None, errors=1, left=3)
    ),
    "no criteria": Told(
        TEXT,
        "write below `should:` what an answer must say, each criterion on a line with `- `",
        Facts(criteria=0, is_run=False),
    ),
    "no criteria, outside": Told(
        OUTLINE, "Esc goes to the text: prompt 1 has no criteria yet", Facts(criteria=0, is_run=False)
    ),
    "graded blind": wording(ANSWERS, "1…5 grades the answer, n goes on: 2 answers are left here", ungraded=2),
    "all graded blind": wording(
        ANSWERS, "all is graded here: n goes on in the file, h shows what the judges say", ungraded=0
    ),
    "graded blind, outside": wording(TEXT, "Ctrl+K goes back to grading blind", ungraded=2),
    "check not run": wording(TEXT, "F5 runs this check on 3 answers", is_check=True, judged=0),
    "wording not judged": wording(
        TEXT,
        f"F5 asks the judges about this wording on 3 answers ({SIX})",
        Facts(prices={Asks.CRITERION: SIX}),
        judged=0,
    ),
    "ideal fails the check": wording(
        ANSWERS,
        "the ideal fails this check: ease it, or change the ideal; F5 checks again",
        ideal_fails=True,
        is_check=True,
    ),
    "ideal fails the wording": wording(
        ANSWERS,
        "the ideal fails this wording: ease it, or grade the ideal 5 if the judges are wrong",
        ideal_fails=True,
        good_fail=1,
    ),
    "ideal fails the wording, outside": wording(
        TEXT, "the ideal fails this wording: ease it, then F5 asks the judges again", ideal_fails=True
    ),
    "good answer fails the wording": wording(
        TEXT, "2 good answers fail this wording: ease it, then F5 tries it again", good_fail=2
    ),
    "some answers not judged": wording(
        TEXT,
        f"F5 asks the judges about 2 answers that they have not judged ({SIX})",
        Facts(prices={Asks.CRITERION: SIX}),
        judged=1,
    ),
    "nothing to run": Told(
        TEXT,
        "F9 chooses where answers come from: prompt 1 has no ideal",
        Facts(is_run=False, lacks="no ideal"),
    ),
    "not run": Told(
        TEXT,
        f"F5 tries prompt 1 with its ideal (free; its judges {SIX})",
        Facts(is_run=False, prices={Asks.RUN: f"free; its judges {SIX}"}),
    ),
    "stopped": Told(
        TEXT,
        "F5 runs it again: it was stopped",
        Facts(is_stopped=True, failed="Stopped", prices={Asks.JUDGE: SIX}),
    ),
    "failed": Told(
        ANSWER,
        f"F5 asks again ({SIX}), F9 chooses other answers: The server did not answer",
        Facts(failed="The server did not answer", prices={Asks.RUN: SIX}),
    ),
    "open": Told(
        CRITERIA, f"{{judge}} asks the judges about 4 open criteria ({SIX})", Facts(open=4, prices={Asks.JUDGE: SIX})
    ),
    "open, outside": Told(
        TEXT, f"F5 asks the judges about 1 open criterion ({SIX})", Facts(open=1, prices={Asks.RUN: SIX})
    ),
    "no judges": Told(
        CRITERIA,
        "4 open criteria: w chooses who judges, or grade by hand",
        Facts(open=4, has_judges=False),
    ),
    "no judges, outside": Told(
        TEXT,
        "Ctrl+R goes to 1 open criterion: choose who judges, or grade by hand",
        Facts(open=1, has_judges=False),
    ),
    "ideal not judged": Told(
        CRITERIA,
        f"{{judge}} judges the ideal on this rubric ({SIX})",
        Facts(ideal_is_open=True, prices={Asks.IDEAL: SIX}),
    ),
    "judges differ here": Told(
        CRITERIA,
        "the judges differ by 75 here: read both, then 1…5 gives your own verdict",
        Facts(differ="75", differ_at=2, selected=2),
    ),
    "judges differ": Told(TEXT, "Ctrl+R shows where the judges differ by 75", Facts(differ="75", differ_at=2)),
    "fix here": Told(
        CRITERIA, "f fixes the selected criterion, once you have seen the change", Facts(gain="16.7", dearest="18.8")
    ),
    "fix": Told(TEXT, "Ctrl+R shows a fix that adds 16.7 to the score", Facts(gain="16.7", dearest="18.8")),
    "dearest": Told(TEXT, "Ctrl+R shows why the dearest criterion costs 18.8", Facts(dearest="18.8")),
    "passage": Told(
        CRITERIA, "Ctrl+R shows what the answer says on the selected criterion", Facts(dearest="18.8"), idle=NO_FIX
    ),
    "impostor": Told(
        CRITERIA,
        "ideal 92 · another prompt's ideal 75: this rubric does not tell them apart",
        Facts(dearest="8.0", impostor="ideal 92 · another prompt's ideal 75"),
        idle=NO_FIX,
        sees_answer=True,
    ),
    "no labelled answer": Told(
        ANSWER,
        "{make_case} keeps this answer as a good or a bad one: later changes are tried on it",
        Facts(labelled=0, unsaved=True),
    ),
    "open in the file": Told(
        OUTLINE,
        f"F6 asks the judges about 7 open criteria ({SIX})",
        Facts(number=None, open=7, prompts=8, prices={Asks.ALL: SIX}),
    ),
    "unsaved": Told(TEXT, "Ctrl+S saves the file", Facts(labelled=0, unsaved=True, left=3, prompts=8)),
    "prompts not run": Told(OUTLINE, "> shows the next prompt: 3 prompts are not run yet", Facts(left=3, prompts=8)),
    "prompts not run, outside": Told(
        TEXT, "F6 runs all 8 prompts (free)", Facts(left=3, prompts=8, prices={Asks.ALL: "free"})
    ),
    "all is well": Told(TEXT, "nothing is left to do here: Ctrl+P lists all actions"),
}
"""The sentence of each situation, where it is said."""


def test_every_situation_has_its_case_and_is_told_in_the_order_of_the_table() -> None:
    assert list(TOLD) == [row.name for row in SITUATIONS]


@pytest.mark.parametrize(("name", "told"), TOLD.items(), ids=list(TOLD))
def test_a_situation_is_told_in_a_sentence_with_its_key_and_its_price(name: str, told: Told) -> None:
    sentence = told.sentence.format_map(told.now.where.keys)
    assert (situation(told.now).name, next_view(told.now).forms[0]) == (name, sentence)


WORDS = st.sampled_from(["", "12.5"])
SOME = st.integers(0, 2)
FACTS = st.builds(
    Facts,
    going=WORDS,
    unread=SOME,
    problems=SOME,
    prompts=SOME,
    is_new=st.booleans(),
    unsaved=st.booleans(),
    number=st.none() | st.just(1),
    errors=SOME,
    asks_nothing=st.booleans(),
    criteria=SOME,
    lacks=WORDS,
    is_run=st.booleans(),
    failed=WORDS,
    is_stopped=st.booleans(),
    open=SOME,
    has_judges=st.booleans(),
    ideal_is_open=st.booleans(),
    dearest=WORDS,
    differ=WORDS,
    differ_at=st.none() | SOME,
    selected=st.none() | SOME,
    gain=WORDS,
    impostor=WORDS,
    labelled=SOME,
    left=SOME,
    is_trying=st.booleans(),
    wording=st.builds(WordingFacts, WORDS, SOME, SOME, st.booleans(), st.booleans(), SOME, st.none() | SOME),
    prices=st.dictionaries(st.sampled_from(Asks), st.just(SIX)),
)


@given(st.sampled_from(PANES[Place.BLUEPRINT]), st.booleans(), st.booleans(), st.booleans(), FACTS)
def test_every_key_that_is_named_is_bound_where_it_is_named(
    place: Place, sees_answer: bool, sees_answers: bool, is_idle: bool, facts: Facts
) -> None:
    idle = tuple(action.id for action in at(place)) if is_idle else ()
    now = replace(facts, where=where(place, sees_answer=sees_answer, sees_answers=sees_answers, idle=idle))
    row, view = situation(now), next_view(now)
    bound = {
        action.keys for each in (place, Place.BLUEPRINT, Place.APP) for action in at(each) if action.id in row.actions
    }
    assert set(view.keys) <= bound
    assert row.asks is None or (SIX in view.forms[0]) is (row.asks in now.prices)
    for form in view.forms:
        assert form
        assert not {"{", "}"} & set(form)
    assert all(key in view.forms[0] for key in view.keys)


@pytest.mark.parametrize("row", SITUATIONS, ids=[row.name for row in SITUATIONS])
def test_what_runs_the_prompt_is_not_named_where_it_runs_a_criterion(row: object) -> None:
    """`F5` does what is shown."""
    (told,) = (told for name, told in TOLD.items() if row is next(each for each in SITUATIONS if each.name == name))
    runs = "run" in situation(told.now).actions
    assert not runs or situation(told.now).of_wording is told.sees_answers


def test_what_costs_money_names_its_price() -> None:
    """Its sentence stands without one while that is not known."""
    for name, told in TOLD.items():
        row = situation(told.now)
        assert (row.asks is not None) is ("{price}" in row.text), name
        assert next_view(replace(told.now, prices={})).forms[0].count("(") == 0, name


# --- The line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (120, " Next F3 lists 2 errors of prompt 1: what is written there does not work"),
        (60, " Next F3 lists 2 errors of prompt 1"),
        (30, " Next F3 lists 2 errors of p…"),
    ],
)
async def test_a_line_that_is_too_long_has_its_shorter_form_and_then_its_beginning(width: int, line: str) -> None:
    shown = NextLine()
    async with Alone(shown).run_test(size=(width, 1)) as pilot:
        shown.show(next_view(Told(TEXT, "", Facts(errors=2, is_run=False)).now))
        await pilot.pause()
        assert shown.render().plain == line


async def test_the_keys_of_the_line_are_bright() -> None:
    shown = NextLine()
    async with Alone(shown).run_test(size=(100, 1)) as pilot:
        shown.show(NextView(("Ctrl+R shows it, F5 runs it",), ("Ctrl+R", "F5")))
        await pilot.pause()
        line = shown.render()
        bold = [line.plain[span.start : span.end] for span in line.spans if str(span.style) == "bold"]
        assert bold == ["Ctrl+R", "F5"]


async def test_every_situation_looks_as_in_its_picture(request: pytest.FixtureRequest) -> None:
    """All on one screen, in the order of the table, at the widths of the other pictures."""
    found: dict[str, list[str]] = {}
    for width, _ in SIZES:
        lines = [NextLine() for _ in TOLD]
        app: Any = Alone(*lines)
        async with app.run_test(size=(width, len(lines))) as pilot:
            for line, told in zip(lines, TOLD.values(), strict=True):
                line.show(next_view(told.now))
            await pilot.pause()
            found[f"{width} columns"] = picture(app)
    if request.config.getoption("--snapshot-update"):
        keep("next_step", found)
    assert differences(kept("next_step"), found) == []


@pytest.mark.parametrize("name", TOLD)
def test_at_80_columns_a_sentence_fits_but_for_words_of_others(name: str) -> None:
    """Beside a price there is room for it; why a run failed is said by a model or a server."""
    forms = next_view(TOLD[name].now).forms
    assert min(map(cell_len, forms)) <= NARROW[0] - len(" Next ") - 1


# --- On the screen


def bottom(page: Page) -> tuple[str, str]:
    """The line of the problem at the cursor, and the line of the next step; "" for one that is not there."""
    lines = (page.screen.query_one(each) for each in (CursorLine, NextLine))
    problem, step = (str(line.render()).strip() if line.display else "" for line in lines)
    return problem, step.removeprefix("Next ")


async def test_it_follows_the_keys_from_pane_to_pane(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="- id: second", keys=("f5",)) as page:
        for key, sentence in (
            ("escape", "Ctrl+R goes to 1 open criterion: choose who judges, or grade by hand"),
            ("ctrl+r", "1 open criterion: w chooses who judges, or grade by hand"),
            ("f3", "f fixes the selected problem"),
            ("escape", "1 open criterion: w chooses who judges, or grade by hand"),
            ("f2", "Ctrl+R goes to 1 open criterion: choose who judges, or grade by hand"),
        ):
            await page.press(key)
            assert (key, bottom(page)[1]) == (key, sentence)


async def test_on_a_low_screen_it_shares_its_line_with_the_problem_at_the_cursor(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="prompt: What") as page:
        assert [bool(line) for line in bottom(page)] == [True, True]
        await page.resize(*NARROW)
        assert bottom(page) == ("", "F3 lists 1 error of prompt 1: what is written there does not work")
        await page.at('"$icontains')
        problem, step = bottom(page)
        assert problem.startswith("● ")
        assert step == ""
        await page.press("f2")
        assert [bool(line) for line in bottom(page)] == [False, True]
