"""A studio in a process of its own: a session without a terminal, driven by orders, that tells what its author did.

An event is sent before what it tells of takes effect, or right after it is sure, so that a kill leaves no doubt.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from engine.evaluation.sources import ModelSource, WrittenSource
from engine.files import own_files
from engine.files.open_files import clear_all_temporaries
from engine.judging.panel import JudgesAs
from engine.scoring.assessment import Grade
from studio.session.host import Choose, DifferenceQuestion, EnterText, Question, RunDecision, RunQuestion
from studio.session.result_files import export_results
from studio.session.run_configuration import AnswerChoice
from tests.fire.deaths import Death, Dying
from tests.session.faces import Author, Face


class Deed(StrEnum):
    """What an author can be told to do."""

    OPEN = "open"
    TYPE = "type"
    """Write a line, and let the journal have it at once, as on blur."""
    TYPE_ON = "type on"
    """Write a line, and leave it to the journal when it writes."""
    DELETE = "delete"
    WRITE = "write"
    """Let the text be another, and let the journal have it at once."""
    SAVE = "save"
    SAVE_AS = "save as"
    RELOAD = "reload"
    RECOVER = "recover"
    RUN = "run"
    EXPORT = "export"
    ANSWER = "write an answer"
    GRADE = "grade"
    AGREE = "agree"
    """Agree to a recipient, which the settings remember."""
    LOOK = "look"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Order:
    """One deed.

    `text` is the line to write, the text, the answer or the recipient; `answers` are those to questions, by `kind_of`.
    Without `models` the answer chosen is run. `is_last`: the studio dies in it, as it was told at its start.
    """

    deed: Deed
    file: Path
    home: Path
    models: str
    text: str = ""
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_last: bool = False


# --- What is told


@dataclass(frozen=True, slots=True)
class Armed:
    """The studio dies from now on, as it was told at its start."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What is reported of the program's own files."""

    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The text of the editor is `text` now; `removed` are lines that the author deleted."""

    text: str
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Flushed:
    """The journal has `text`, or it is on disk."""

    text: str


@dataclass(frozen=True, slots=True)
class Chose:
    """The author answered a question, by which `given_up` are discarded; `offered` is a text that it offered."""

    question: str
    answer: str
    given_up: frozenset[str] = frozenset()
    offered: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run has its score, and its end is saved, with so many verdicts: none for a point that the author graded."""

    verdicts: int


@dataclass(frozen=True, slots=True)
class Graded:
    """The author graded the point in words with `grade`."""

    grade: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """The settings have this recipient."""

    recipient: str


@dataclass(frozen=True, slots=True)
class Faulted:
    """The studio failed: a traceback."""

    trace: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What the studio shows after an order: the end of it. `path` is None while no file is open.

    `moments` are those at which it could have died, since it was armed.
    """

    path: Path | None = None
    text: str = ""
    read_only: str | None = None
    unsaved: bool = False
    messages: tuple[str, ...] = ()
    moments: int = 0


Event: TypeAlias = "Armed | Reported | Typed | Flushed | Chose | Ran | Graded | Agreed | Faulted | Shown"


_LINE = re.compile(r"^# line-\S+$", re.MULTILINE)
_MOST_ASKED = 4
"""An author who is asked more often than this within one order cancels."""


Tell: TypeAlias = Callable[[Event], None]


def lines_of(text: str) -> frozenset[str]:
    """The lines that authors wrote."""
    return frozenset(_LINE.findall(text))


def kind_of(question: Question[Any]) -> str:
    """A name for a question, by which an order answers it."""
    match question:
        case EnterText():
            return "name"
        case RunQuestion():
            return "run"
        case Choose(choices=choices):
            ids = {choice.id for choice in choices}
            kinds = (
                ("take", "recovery"),
                ("take_over", "elsewhere"),
                ("later", "which"),
                ("discard", "leave"),
                ("reload", "changed" if "overwrite" in ids else "reload"),
                ("overwrite", "changed" if "save_as" in ids else "replace"),
                ("save_as", "not saved"),
            )
            return next((kind for each, kind in kinds if each in ids), "other")
        case _:
            return "other"


class OrderedAuthor(Author):
    """Answers as its order says, and tells what is given up by that before it answers."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell
        self.face: Face | None = None
        self.order: Order | None = None
        self._asked = 0

    def begin(self, order: Order) -> None:
        """Answer by `order` from now on."""
        self.order, self._asked, self.messages = order, 0, []

    def end(self) -> bool:
        """Answer nothing until the next order: who changes the file is not to be told apart then; whether it asked."""
        self.order = None
        return self._asked > 0

    async def ask(self, question: Question[Any]) -> Any:
        """The answer of the order."""
        self._asked += 1
        kind = kind_of(question)
        answer = None if self.order is None or self._asked > _MOST_ASKED else self.order.answers.get(kind)
        if isinstance(question, RunQuestion):
            return RunDecision(question.cap, remembered=True)
        if isinstance(question, EnterText):
            return None if answer is None else str(Path(question.value).parent / answer)
        if isinstance(question, Choose) and answer not in [choice.id for choice in question.choices]:
            answer = None
        offered = question.after if isinstance(question, DifferenceQuestion) else ""
        self._tell(Chose(kind, str(answer), self._given_up(question, kind, answer), offered))
        return answer

    def fail(self, error: BaseException) -> None:
        """Tell of the fault."""
        self._tell(Faulted("".join(traceback.format_exception(error))))

    def _given_up(self, question: Question[Any], kind: str, answer: str | None) -> frozenset[str]:
        assert self.face is not None
        path = self.face.session.state.path
        if kind in ("replace", "changed"):
            assert isinstance(question, Choose)
            path = path.with_name(question.title)  # that of the file to be written
        mine, there = lines_of(self.face.text), lines_of(_text_at(path))
        match kind, answer:
            case ("changed", "overwrite") | ("replace", "overwrite"):
                return there - mine
            case ("changed" | "reload", "reload") | ("leave", "discard"):
                return mine - there
            case "recovery", "drop":
                assert isinstance(question, DifferenceQuestion)
                return lines_of(question.after) - mine - there
            case "recovery", "take":  # the question says and shows what it takes from the file
                assert isinstance(question, DifferenceQuestion)
                return there - lines_of(question.after)
            case _:
                return frozenset()


class ToldFace(Face):
    """A face that tells of each text it has."""

    def __init__(self, path: Path, author: OrderedAuthor, tell: Tell) -> None:
        self._tell = tell
        super().__init__(path, author)

    def shows_loaded(self) -> bool:
        """Whether the text that was loaded last is shown."""
        return self._loaded == self.session.state.file.loaded.number

    def write(self, text: str) -> None:
        """Let the text be another, and tell of that."""
        super().write(text)
        self._tell(Typed(text))


class Studio:
    """Serves orders with at most one open file."""

    def __init__(self, tell: Tell, death: Death) -> None:
        self._tell = tell
        self._author = OrderedAuthor(tell)
        self._face: ToldFace | None = None
        self._dying = Dying(death)

    async def does(self, order: Order) -> Shown:
        """Do what is ordered; what is shown then. A file that is not open is opened first."""
        self._author.begin(order)
        if order.is_last:
            self._dying.watch()
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())  # new threads, which are watched
            self._tell(Armed())
            self._dying.arm()
        if order.deed is Deed.LOOK:
            return self.shown()
        if self._face is None:
            if order.deed is Deed.CLOSE:
                return self.shown()
            self._face = await self._opened(order)
        await self._do(order, self._face)
        if self._face is not None:
            await self._face.until(self._face.shows_loaded)
            # What was given up by that, by an attempt to leave or by an answer leaves the journal within a second.
            if self._author.end() or order.deed in (Deed.SAVE, Deed.RELOAD, Deed.CLOSE):
                await self._face.session.file.write_journal()
        return self.shown()

    async def _opened(self, order: Order) -> ToldFace:
        os.environ["BLUEPRINT_STUDIO_HOME"] = str(order.home)
        await asyncio.to_thread(clear_all_temporaries)  # as the application does when it starts
        face = ToldFace(order.file, self._author, self._tell)
        self._author.face = face
        await face.settled()
        await face.until(face.shows_loaded)
        face.runs.configuration.set(judges_as=JudgesAs.DOCUMENTED)
        await asyncio.to_thread(face.resources.store)
        return face

    async def _do(self, order: Order, face: ToldFace) -> None:
        match order.deed:
            case Deed.OPEN | Deed.LOOK:
                pass
            case Deed.TYPE | Deed.TYPE_ON | Deed.DELETE | Deed.WRITE:
                await self._type(order, face)
            case Deed.SAVE:
                if await face.session.file.save():
                    self._tell(Flushed(face.text))
            case Deed.SAVE_AS:
                await face.session.file.save_as()
            case Deed.RELOAD:
                await face.session.file.reload()
            case Deed.RECOVER:
                before = face.text
                await face.session.file.recover()
                await face.settled()
                if face.text != before:  # a version that is taken up is in the journal before it is shown
                    self._tell(Flushed(face.text))
            case Deed.RUN:
                await self._run(face, order.models)
            case Deed.EXPORT:
                await face.obey(export_results(face.runs))
            case Deed.ANSWER:
                await self._answer(face, order.text)
            case Deed.GRADE:
                await self._grade(face, order.text)
            case Deed.AGREE:
                face.session.remember(lambda settings: settings.consented.append(order.text))
                await face.until(lambda: "settings" not in face.session.tasks.busy)
                self._tell(Agreed(order.text))
            case Deed.CLOSE:
                await self._close(face)

    async def _type(self, order: Order, face: ToldFace) -> None:
        if face.session.state.is_read_only:  # the editor takes no keys
            return
        own = sorted(lines_of(face.text))
        if order.deed is Deed.DELETE and own:
            line = own[crc32(order.text.encode()) % len(own)]
            self._tell(Typed(face.text.replace(f"{line}\n", ""), frozenset({line})))
            face.write(face.text.replace(f"{line}\n", ""))
        else:
            face.write(order.text if order.deed is Deed.WRITE else f"{face.text}# line-{order.text}\n")
        if order.deed is not Deed.TYPE_ON:
            text = face.text
            await face.session.file.write_journal()
            self._tell(Flushed(text))

    async def _run(self, face: ToldFace, models: str) -> None:
        face.cursor_at("prompt:")
        if models:
            await face.runs.configuration.choose(AnswerChoice((ModelSource("tiny", models),)))
        face.runs.run_or_stop(fresh=True)
        await face.settled()
        run = face.runs.selection.run
        if run is not None and run.headline is not None and run.judged and not run.restored:
            self._tell(Ran(sum(map(len, run.judgements.values()))))

    async def _answer(self, face: ToldFace, text: str) -> None:
        await face.runs.configuration.choose(AnswerChoice((WrittenSource(""),)))
        await face.at("prompt:")
        face.runs.selection.write(text)
        await face.runs.edits.save()

    async def _grade(self, face: ToldFace, chosen: str) -> None:
        run = face.runs.selection.run
        if run is None or run.response is None or len(run.assessments) < 2:
            return
        grade = (Grade.FULLY_PRESENT, Grade.ABSENT)[crc32(chosen.encode()) % 2]
        await face.runs.grade(1, grade)
        self._tell(Graded(str(grade)))
        await face.settled()

    async def _close(self, face: ToldFace) -> None:
        if await face.session.file.may_leave():
            await face.close()
            self._face = self._author.face = None

    def shown(self) -> Shown:
        """What is shown now."""
        face, messages, moments = self._face, tuple(self._author.messages), self._dying.moments
        if face is None:
            return Shown(messages=messages, moments=moments)
        state = face.session.state
        return Shown(state.path, face.text, state.file.read_only, state.unsaved, messages, moments)


def _text_at(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""


async def _serve(connection: Connection, death: Death) -> None:
    guard = threading.Lock()  # what is reported may be so by any thread

    def tell(event: Event) -> None:
        with guard:
            connection.send(event)

    own_files.listen(lambda text: tell(Reported(text)))
    studio = Studio(tell, death)
    while (order := await asyncio.to_thread(connection.recv)) is not None:
        try:
            tell(await studio.does(order))
        except Exception:  # noqa: BLE001 - the harness is to see each fault
            tell(Faulted(traceback.format_exc()))
            tell(studio.shown())


def serve(connection: Connection, death: Death) -> None:
    """Do what is ordered over `connection`, until None is, or until the order in which the studio dies."""
    asyncio.run(_serve(connection, death))
