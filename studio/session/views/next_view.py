"""The one thing that would help most now: a table of situations, of which the first that holds is told.

To add a situation, add its row to `SITUATIONS`, what it must know to `Facts`, and its case to `test_next_line`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from string import Formatter

from engine.text.record import Record
from engine.text.spans import count, visible
from studio.session.state import EMPTY, Where


class Asks(StrEnum):
    """What may cost money: running the prompt or all, judging the answer or the ideal, running a criterion."""

    RUN = "run"
    ALL = "all"
    JUDGE = "judge"
    IDEAL = "ideal"
    CRITERION = "criterion"


class WordingFacts(Record):
    """The criterion whose answers are shown, in its present wording.

    `going` says how far its judges are, "" while none are asked. It has verdicts on `judged` of its `answers`. The
    ideal fails it, or so many other good answers do. `ungraded` answers are left while it is graded blind, else None.
    """

    going: str = ""
    answers: int = 0
    judged: int = 0
    is_check: bool = False
    ideal_fails: bool = False
    good_fail: int = 0
    ungraded: int | None = None

    @property
    def ungraded_answers(self) -> str:
        """`1 answer is left`, `3 answers are left`."""
        return count(self.ungraded or 0, "answer is left", "answers are left")

    @property
    def answer_count(self) -> str:
        """`1 answer`, `3 answers`."""
        return count(self.answers, "answer", "answers")

    @property
    def left(self) -> int:
        """How many answers have no verdict."""
        return self.answers - self.judged

    @property
    def left_answers(self) -> str:
        """`1 answer`, `3 answers`."""
        return count(self.left, "answer", "answers")

    @property
    def good_answers(self) -> str:
        """`1 good answer fails`, `2 good answers fail`."""
        return count(self.good_fail, "good answer fails", "good answers fail")


class Facts(Record):
    """What the table looks at, of the prompt that is shown. Scores and what they lose are in words, "" for none.

    `going` says what runs, how far and for how long. The file cannot be read from line `unread` on, from 1; 0 if it
    can. `number` is that of the prompt, from 1, None in the header; `errors` are its own, there those of the file. It
    `lacks` the answer that is to be run. `failed` is why its run has no score. `open` counts the criteria in words
    without a verdict on the present text; in the header, those of all prompts. The judges `differ` so far on the
    criterion `differ_at`, `selected` is the selected one. `gain` is what the best advice with a fix adds. `left`
    prompts have no run. `prices` are those that are known.
    """

    where: Where = Where()
    going: str = ""
    unread: int = 0
    problems: int = 0
    prompts: int = 1
    is_new: bool = False
    unsaved: bool = False
    number: int | None = 1
    errors: int = 0
    asks_nothing: bool = False
    criteria: int = 1
    answers: str = "its ideal"
    lacks: str = ""
    is_run: bool = True
    failed: str = ""
    is_stopped: bool = False
    open: int = 0
    has_judges: bool = True
    ideal_is_open: bool = False
    dearest: str = ""
    differ: str = ""
    differ_at: int | None = None
    selected: int | None = None
    gain: str = ""
    impostor: str = ""
    labelled: int = 1
    left: int = 0
    is_trying: bool = False
    wording: WordingFacts = WordingFacts()
    prices: Mapping[Asks, str] = EMPTY

    @property
    def left_prompts(self) -> str:
        """`1 prompt is`, `3 prompts are`."""
        return count(self.left, "prompt is", "prompts are")

    @property
    def open_criteria(self) -> str:
        """`1 open criterion`, `4 open criteria`."""
        return count(self.open, "open criterion", "open criteria")

    @property
    def error_count(self) -> str:
        """`1 error`, `3 errors`."""
        return count(self.errors, "error", "errors")


class Situation(Record, dict=True):
    """One row: what must hold of the facts, and the sentence, with a shorter one for where the room is missing.

    In the sentences `{run}` is the key of the action with this id, `{now.open}` a fact, and `{price}` what it costs to
    do what it `asks`. The actions that it names, and those that it `needs`, must work where the keys are. A row
    `of_wording` is told while all answers are seen: there the key that runs the prompt runs their criterion.
    """

    name: str
    holds: Callable[[Facts], object]
    text: str
    short: str = ""
    asks: Asks | None = None
    needs: tuple[str, ...] = ()
    of_wording: bool = False

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions that work where it is told: those that it names, and those that it needs."""
        fields = (name for _, name, _, _ in Formatter().parse(f"{self.text} {self.short}") if name)
        return tuple(dict.fromkeys((*(name for name in fields if "." not in name and name != "price"), *self.needs)))

    def applies(self, now: Facts) -> bool:
        """Whether it is what the facts are."""
        if self.of_wording is not now.where.sees_answers and (self.of_wording or "run" in self.actions):
            return False
        return all(action in now.where.keys for action in self.actions) and bool(self.holds(now))


class NextView(Record):
    """What would help most now, the longest form first, the price left out last. `keys` are those that it names."""

    forms: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


_IN_TEXT = ("complete",)
"""What works in the text alone: sentences on what to write need it."""

SITUATIONS = (
    # What goes on
    Situation(
        "judging a criterion", lambda now: now.wording.going, "{run} stops it: {now.wording.going}", of_wording=True
    ),
    Situation("running", lambda now: now.going, "{run} stops it: {now.going}"),
    Situation("running, all answers seen", lambda now: now.going, "{run_all} stops the run: {now.going}"),
    # Where one thing alone is done
    Situation(
        "what if",
        lambda now: now.is_trying,
        "{apply_what_if} writes what you try into the text, {back_to_text} drops it",
    ),
    Situation("problem with a fix", lambda now: now.problems, "{fix_problem} fixes the selected problem"),
    Situation("problem", lambda now: now.problems, "{go_to_problem} goes to the selected problem"),
    # The text
    Situation(
        "cannot be read",
        lambda now: now.unread,
        "{problems} says why part of the file cannot be read, from line {now.unread} on",
    ),
    Situation(
        "no prompt",
        lambda now: not now.prompts,
        "{complete} lists what can stand at the cursor: the file has no prompt yet",
    ),
    Situation(
        "no prompt, outside", lambda now: not now.prompts, "{back_to_text} goes to the text: it has no prompt yet"
    ),
    Situation(
        "new file",
        lambda now: now.is_new and now.asks_nothing,
        "write your question in the empty place, then over what the template says; {run} tries it",
        "write your question in the empty place; {run} tries it",
        needs=_IN_TEXT,
    ),
    Situation(
        "no question",
        lambda now: now.asks_nothing,
        "write what prompt {now.number} asks: without a question nothing of it is scored",
        "write what prompt {now.number} asks: it has no question",
        needs=_IN_TEXT,
    ),
    Situation(
        "no question, outside",
        lambda now: now.asks_nothing,
        "{back_to_text} goes to the text: prompt {now.number} asks nothing yet",
    ),
    Situation(
        "errors",
        lambda now: now.errors and not now.is_run,
        "{problems} lists {now.error_count} of prompt {now.number}: what is written there does not work",
        "{problems} lists {now.error_count} of prompt {now.number}",
    ),
    Situation(
        "errors in the file",
        lambda now: now.number is None and now.errors,
        "{problems} lists {now.error_count}: what is written there does not work",
        "{problems} lists {now.error_count}",
    ),
    Situation(
        "no criteria",
        lambda now: not now.criteria,
        "write below `should:` what an answer must say, each criterion on a line with `- `",
        "write below `should:` what an answer must say",
        needs=_IN_TEXT,
    ),
    Situation(
        "no criteria, outside",
        lambda now: not now.criteria,
        "{back_to_text} goes to the text: prompt {now.number} has no criteria yet",
    ),
    # The wording of one criterion
    Situation(
        "graded blind",
        lambda now: now.wording.ungraded,
        "{grade_answer} grades the answer, {next_ungraded} goes on: {now.wording.ungraded_answers} here",
        of_wording=True,
    ),
    Situation(
        "all graded blind",
        lambda now: now.wording.ungraded == 0,
        "all is graded here: {next_ungraded} goes on in the file, {grade_blind} shows what the judges say",
        "{next_ungraded} goes on in the file, {grade_blind} shows what the judges say",
        of_wording=True,
    ),
    Situation(
        "graded blind, outside",
        lambda now: now.wording.ungraded is not None,
        "{all_answers} goes back to grading blind",
        of_wording=True,
    ),
    Situation(
        "check not run",
        lambda now: now.wording.is_check and now.wording.answers and not now.wording.judged,
        "{run} runs this check on {now.wording.answer_count}",
        of_wording=True,
    ),
    Situation(
        "wording not judged",
        lambda now: now.has_judges and now.wording.answers and not now.wording.judged,
        "{run} asks the judges about this wording on {now.wording.answer_count}{price}",
        "{run} asks the judges on {now.wording.answer_count}{price}",
        asks=Asks.CRITERION,
        of_wording=True,
    ),
    Situation(
        "ideal fails the check",
        lambda now: now.wording.ideal_fails and now.wording.is_check,
        "the ideal fails this check: ease it, or change the ideal; {run} checks again",
        of_wording=True,
    ),
    Situation(
        "ideal fails the wording",
        lambda now: now.wording.ideal_fails,
        "the ideal fails this wording: ease it, or grade the ideal 5 if the judges are wrong",
        "the ideal fails this wording: ease it, or grade it 5",
        needs=("grade_answer",),
        of_wording=True,
    ),
    Situation(
        "ideal fails the wording, outside",
        lambda now: now.wording.ideal_fails,
        "the ideal fails this wording: ease it, then {run} asks the judges again",
        of_wording=True,
    ),
    Situation(
        "good answer fails the wording",
        lambda now: now.wording.good_fail,
        "{now.wording.good_answers} this wording: ease it, then {run} tries it again",
        of_wording=True,
    ),
    Situation(
        "some answers not judged",
        lambda now: now.has_judges and not now.wording.is_check and now.wording.left,
        "{run} asks the judges about {now.wording.left_answers} that they have not judged{price}",
        "{run} asks the judges about {now.wording.left_answers}{price}",
        asks=Asks.CRITERION,
        of_wording=True,
    ),
    # The run
    Situation(
        "nothing to run",
        lambda now: not now.is_run and now.lacks,
        "{choose_answers} chooses where answers come from: prompt {now.number} has {now.lacks}",
    ),
    Situation(
        "not run",
        lambda now: not now.is_run,
        "{run} tries prompt {now.number} with {now.answers}{price}",
        "{run} tries prompt {now.number}{price}",
        asks=Asks.RUN,
    ),
    Situation("stopped", lambda now: now.is_stopped, "{run} runs it again: it was stopped{price}", asks=Asks.RUN),
    Situation(
        "failed",
        lambda now: now.failed,
        "{run} asks again{price}, {choose_answers} chooses other answers: {now.failed}",
        "{run} asks again{price}, {choose_answers} chooses other answers",
        asks=Asks.RUN,
    ),
    Situation(
        "open",
        lambda now: now.number and now.open and now.has_judges,
        "{judge} asks the judges about {now.open_criteria}{price}",
        asks=Asks.JUDGE,
    ),
    Situation(
        "open, outside",
        lambda now: now.number and now.open and now.has_judges,
        "{run} asks the judges about {now.open_criteria}{price}",
        asks=Asks.RUN,
    ),
    Situation(
        "no judges",
        lambda now: now.open and not now.has_judges,
        "{now.open_criteria}: {choose_judges} chooses who judges, or grade by hand",
    ),
    Situation(
        "no judges, outside",
        lambda now: now.open and not now.has_judges and not now.where.in_criteria,
        "{result} goes to {now.open_criteria}: choose who judges, or grade by hand",
    ),
    Situation(
        "ideal not judged",
        lambda now: now.ideal_is_open and now.has_judges,
        "{judge} judges the ideal on this rubric{price}",
        asks=Asks.IDEAL,
    ),
    Situation(
        "judges differ here",
        lambda now: now.differ and now.differ_at == now.selected and now.where.in_criteria,
        "the judges differ by {now.differ} here: read both, then {grade} gives your own verdict",
        "the judges differ by {now.differ} here: {grade} decides",
    ),
    Situation(
        "judges differ",
        lambda now: now.differ and not now.where.in_criteria,
        "{result} shows where the judges differ by {now.differ}",
    ),
    Situation(
        "fix here",
        lambda now: now.gain and now.where.in_criteria,
        "{fix} fixes the selected criterion, once you have seen the change",
    ),
    Situation(
        "fix",
        lambda now: now.gain and not now.where.in_criteria,
        "{result} shows a fix that adds {now.gain} to the score",
    ),
    Situation(
        "dearest",
        lambda now: now.dearest and not now.where.in_criteria,
        "{result} shows why the dearest criterion costs {now.dearest}",
    ),
    Situation(
        "passage",
        lambda now: now.dearest and now.where.in_criteria and not now.where.sees_answer,
        "{result} shows what the answer says on the selected criterion",
    ),
    # All of it
    Situation(
        "impostor",
        lambda now: now.impostor,
        "{now.impostor}: this rubric does not tell them apart",
        "{now.impostor}: not told apart",
    ),
    Situation(
        "no labelled answer",
        lambda now: not now.labelled,
        "{make_case} keeps this answer as a good or a bad one: later changes are tried on it",
        "{make_case} keeps this answer as a good or a bad one",
    ),
    Situation(
        "open in the file",
        lambda now: now.number is None and now.open and not now.left and now.has_judges,
        "{run_all} asks the judges about {now.open_criteria}{price}",
        asks=Asks.ALL,
    ),
    Situation("unsaved", lambda now: now.unsaved, "{save} saves the file"),
    Situation(
        "prompts not run",
        lambda now: now.left and now.number,
        "{next_prompt} shows the next prompt: {now.left_prompts} not run yet",
    ),
    Situation(
        "prompts not run, outside",
        lambda now: now.left,
        "{run_all} runs all {now.prompts} prompts{price}",
        asks=Asks.ALL,
    ),
    Situation("all is well", lambda _: True, "nothing is left to do here: {palette} lists all actions"),
)


def situation(now: Facts) -> Situation:
    """The first row that applies; the last where none does."""
    return next((row for row in SITUATIONS if row.applies(now)), SITUATIONS[-1])


def next_view(now: Facts) -> NextView:
    """What would help most now."""
    row, keys = situation(now), now.where.keys
    price = "" if row.asks is None else now.prices.get(row.asks, "")
    texts = [text for text in (row.text, row.short) if text]
    told = [*((text, f" ({price})") for text in texts if price), *((text, "") for text in texts[-1 if price else 0 :])]
    forms = (visible(text.format_map({**keys, "now": now, "price": price})) for text, price in told)
    return NextView(tuple(forms), tuple(keys[each] for each in row.actions if each not in row.needs))
