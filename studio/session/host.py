"""The program around a session, which answers questions and shows messages; and the questions to the author."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import convert

from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.asking.planner import HostQuestion
    from engine.asking.run_plan import RunPlan
    from engine.asking.spending import Cap
    from engine.blueprint import Header
    from engine.judging.panel import JudgesAs, OneJudge
    from engine.models.service_client import Host as ServiceHost
    from engine.rules.fixes import FixedText
    from engine.text.diagnostics import Fix
    from engine.yaml.nodes import Data
    from studio.session.repeats import Repeats
    from studio.session.run_configuration import AnswerChoice, Offer

Answer = TypeVar("Answer")
Value = TypeVar("Value")


class Question(Record, Generic[Answer]):
    """A question to the author, as a value. The answer is None if the author cancels; nothing is done then."""


class Choice(Record):
    """One answer to choose: its id, its label, and what it does, or what it needs where it is not `is_ready`."""

    id: str
    label: str
    detail: str = ""
    is_ready: bool = True


class ChoiceQuestion(Question[Answer]):
    """A question that is answered among `choices`."""

    title: str
    text: str
    choices: Sequence[Choice]


class Choose(ChoiceQuestion[str]):
    """A question with a few choices; the answer is the id of one."""


def choose(name: str, title: str, *, without: Collection[str] = (), **words: str) -> Choose:
    """The question `name` of `questions.toml` with its `words`, and no choice that is `without`, by its id."""
    asked = _written()[name]
    rows = ([each.format(**words) for each in row] for row in asked.choices if row[0] not in without)
    return Choose(
        title, asked.text.format(**words), [Choice(key, label, "".join(detail)) for key, label, *detail in rows]
    )


class _Written(Record):
    """A question in `questions.toml`: each choice has its id, its label, and what it does. A line has none."""

    text: str
    choices: tuple[tuple[str, ...], ...] = ()


@cache
def _written() -> dict[str, _Written]:
    return convert(tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8")), dict[str, _Written])


class EnterText(Question[str]):
    """A question answered by one line. The field starts with `value`, or shows `placeholder` if empty.

    The line is not empty unless it is `optional`. It may be one of the `choices`, which are listed, or another one.
    """

    title: str
    text: str
    value: str = ""
    placeholder: str = ""
    optional: bool = False
    choices: Sequence[str] = ()


def enter(name: str, title: str, value: str = "", placeholder: str = "", *, optional: bool = False) -> EnterText:
    """The question `name` of `questions.toml`, answered by one line."""
    return EnterText(title, _written()[name].text, value, placeholder, optional)


class Severity(StrEnum):
    """The severity of a message."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


class Host(Protocol):
    """The terminal application, a command or a test. Called only on the event loop."""

    async def ask(self, question: Question[Answer]) -> Answer | None:
        """The author's answer; None if they cancel."""
        ...

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Show a message to the author."""
        ...

    def fail(self, error: BaseException) -> None:
        """Report an unexpected error of a task, which has ended."""
        ...


class NotDone(Exception):
    """A command ends here: the message says why it cannot be done. There is none where the author gave it up."""

    def __init__(self, why: str = "", severity: Severity = Severity.INFORMATION, *, seconds: float = 4) -> None:
        super().__init__(why)
        self.severity = severity
        self.seconds = seconds


def report(host: Host, error: BaseException) -> None:
    """Tell the author why a command was `NotDone`; any other error is unexpected."""
    if not isinstance(error, NotDone):
        host.fail(error)
    elif why := str(error):
        host.notify(why, error.severity, seconds=error.seconds)


@contextmanager
def telling(host: Host) -> Generator[None]:
    """End what is done within where it is `NotDone`, and tell the author why."""
    try:
        yield
    except NotDone as error:
        report(host, error)


async def answer_to(host: Host, question: Question[Answer]) -> Answer:
    """The author's answer. Raises `NotDone` if they cancel."""
    answer = await host.ask(question)
    if answer is None:
        raise NotDone
    return answer


class Unusable(Exception):
    """What the author wrote cannot be used; the message says what can."""


async def ask_until(host: Host, question: EnterText, read: Callable[[str], Awaitable[Value]]) -> Value:
    """What `read` makes of the author's line, who is asked again while it raises `Unusable`.

    Raises `NotDone` if they cancel.
    """
    asked = question
    while True:
        written = await answer_to(host, asked)
        try:
            return await read(written)
        except Unusable as error:
            asked = replace(question, text=f"{error}\n{question.text}", value=written)


# --- The questions with dialogs of their own; each holds all that its dialog shows


class AnswerQuestion(Question["AnswerChoice"]):
    """Where do answers come from?

    `models` are the blueprint's names and definitions, `offers` the models to choose from, beside those of the author's
    `servers`. `usual_tokens` is the limit in the settings.
    """

    current: AnswerChoice | None
    has_ideal: bool
    models: Sequence[Data]
    offers: Sequence[Offer]
    servers: Sequence[str]
    header: Header
    path: Path
    usual_tokens: int | None = None


class JudgeChoice(Record):
    """Which judges grade points in words; None for the author alone."""

    judges_as: JudgesAs | OneJudge | None


class JudgeQuestion(Question[JudgeChoice]):
    """Which judges grade points in words? `offers`, and the models of the author's `servers`, can judge alone."""

    header: Header
    current: JudgesAs | OneJudge | None
    offers: Sequence[Offer]
    servers: Sequence[str]


class RunDecision(Record):
    """The author agrees to send, within this cap.

    `remembered`: do not ask again about these recipients. `services`: send to the new services too.
    """

    cap: Cap
    remembered: bool = False
    services: bool = True


class RunQuestion(Question[RunDecision]):
    """May `plan` be sent to its recipients, within `cap`?

    `new` are the recipients that the author has not agreed to yet, and `hosts` the services among them. A run that may
    cost more than `ask_above` dollars always needs an answer. `only_show`: show the plan, nothing is to be run.
    `note` stands above the plan.
    """

    plan: RunPlan
    cap: Cap
    new: Collection[str]
    hosts: Collection[ServiceHost]
    ask_above: float
    only_show: bool = False
    note: str = ""


class CriterionQuestion(RunQuestion):
    """May a criterion be judged by `plan`, and what comes `later` by the same recipients, up to `cap` in all?

    `so_far` is what was sent of that already, in words.
    """

    so_far: str = ""
    title: str = "Judge this criterion"
    later: str = "Rewordings"


class ClosingQuestion(CriterionQuestion):
    """May the verdicts that a comparison lacks be asked for by `plan`, and those of later comparisons?"""

    title: str = "Have the missing verdicts judged"
    later: str = "Later comparisons"


class MarkQuestion(ChoiceQuestion[frozenset[str]]):
    """Which of `choices`? `marked` are the ids of those that are chosen now."""

    marked: frozenset[str]


class ServiceAnswer(StrEnum):
    """Whether checks may send to a service: the ids of the answers to a `ServiceQuestion`."""

    ALWAYS = "always"
    NEVER = "never"


class ServiceQuestion(Choose):
    """May checks send requests to this service?"""

    about: HostQuestion


class DifferenceQuestion(Choose):
    """What to do with the text `after`? It is shown by what it changes in `before`."""

    before: str
    after: str


class FirstCase(Record):
    """Where the first case of a blueprint is written, the id of a choice, and the author's name in it, "" for none."""

    place: str
    name: str = ""


class FirstCaseQuestion(ChoiceQuestion[FirstCase]):
    """Where is the first case written, and under which name? `text` says what the file holds and who would see it."""

    name: str


class RepeatsQuestion(Question[None]):
    """How far have `repeats` come, and how far do scores vary?"""

    repeats: Repeats


class FixChoice(Record):
    """The chosen fix; `everywhere` is the text after the same choice for all reports of its rule."""

    fix: Fix
    everywhere: FixedText | None = None


class FixDetails(Record):
    """What trying a fix tells about it. Each call may block, so call it off the event loop.

    `objection` says what speaks against a fix; "" if it cures the problem. `effect` describes what it does to the
    score; None if that is unknown. `everywhere` applies the same choice to all `reports` of the rule.
    """

    objection: Callable[[Fix], str] = lambda _fix: ""
    effect: Callable[[Fix], str | None] = lambda _fix: None
    everywhere: Callable[[Fix], FixedText] | None = None
    reports: int = 1


class FixQuestion(Question[FixChoice]):
    """Which of `fixes` to apply to `source`? `text` describes the problem.

    With `for_all`, the author is to see first what a fix changes for all reports of the rule.
    """

    title: str
    text: str
    fixes: Sequence[Fix]
    source: str
    known: FixDetails
    for_all: bool = False


class EditQuestion(Question[str]):
    """What should this text be instead of `value`?

    `draft` is what the author typed before the studio ended. `typed` is called on the event loop with each text that
    the author types, and with `value` if that is given up. `accepting` says what accepting the text does.
    """

    title: str
    value: str
    draft: str | None = None
    typed: Callable[[str], None] = lambda _text: None
    accepting: str = "accepts the text and scores it again"
