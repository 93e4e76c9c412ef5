"""Hands input to the application in order: the next only once all that the one before led to is done.

Textual forwards a key at once to the widget that has the focus when the key arrives. Keys that arrive together would
all go to that widget, although the first of them closes its dialog or opens another. While many wait, letters are
inserted together, and a frame is drawn at intervals and not after each key.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ScreenStackError
from textual.message import Message
from textual.widgets import Input

from engine.text import pacing

if TYPE_CHECKING:
    from textual.app import App

_LONGEST = 1.0
"""Seconds that input waits for what came before it, at most: the queues may be full for another reason."""

_LOOKS_AGAIN = 0.005
"""Seconds between two looks at an action that is being prepared: its thread computes meanwhile."""

_TURNS = 4
"""Turns of the event loop without a message, after which a key counts as handled. What waited for the answer of a
dialog has gone on by then."""

_FOCUS_CHANGE = events.AppFocus | events.AppBlur
_FOCUS_CHANGES = 3
"""So many in a row are handled: among these is one of each kind, and the last."""

_MANY = 8
"""So many waiting messages are worked off without a frame after each."""

_UNPAINTED = 0.15
"""Seconds without a frame while many messages wait."""

_FRAME = 0.25
"""Seconds that a frame may take before input goes on."""

_RUN = 1000
"""Letters that are inserted together at most: what a screen shows at a time."""


class TypedText(Message, bubble=False):
    """Letters that were typed one after the other and waited together: printable, on one line. They go to a widget that
    has `on_typed_text`, and handles them there as it handles the keys one by one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class TypeAhead:
    """The input of one application that waits for its turn."""

    def __init__(self, app: App[Any], deliver: Callable[[Message], bool]) -> None:
        """`deliver` hands a message to the application, as Textual does."""
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Message] = deque()
        self._delivery: asyncio.Task[None] | None = None
        self._answer: asyncio.Task[None] | None = None
        self._preparing_since: float | None = None

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self._waiting)

    def add(self, message: Message) -> None:
        """Deliver `message` in its turn. Call it on the event loop."""
        if not self._is_repeated_focus(message):
            self._waiting.append(message)
        if self._delivery is None or self._delivery.done():
            self._delivery = asyncio.create_task(self._deliver_all())
        if isinstance(message, events.Key | events.Paste) and (self._answer is None or self._answer.done()):
            pacing.hold()
            self._answer = asyncio.create_task(self._answered())

    async def _answered(self) -> None:
        """Let other threads work on once the input is on the screen."""
        try:
            while self._delivery is not None and not self._delivery.done():
                await asyncio.wait([self._delivery])
            await self._calm()
            await self._frame()
        finally:
            pacing.release()

    def _is_repeated_focus(self, message: Message) -> bool:
        """Whether `message` is one more of many changes of the terminal's focus. Then the last of these is dropped,
        unless it is the same change again."""
        last = [each for each in islice(reversed(self._waiting), _FOCUS_CHANGES) if isinstance(each, _FOCUS_CHANGE)]
        if not isinstance(message, _FOCUS_CHANGE) or len(last) < _FOCUS_CHANGES:
            return False
        if type(self._waiting[-1]) is not type(message):
            self._waiting.pop()
        return True

    async def _deliver_all(self) -> None:
        while self._waiting:
            if len(self._waiting) < _MANY:
                await self._deliver_next()
            else:
                with self._app.batch_update():
                    await self._deliver_for(_UNPAINTED)
                await self._frame()

    async def _deliver_for(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self._waiting and loop.time() < deadline:
            await self._deliver_next()
        await self._all_handled()

    async def _frame(self) -> None:
        """Wait until a frame is drawn."""
        drawn = asyncio.Event()
        screen = self._screen()
        if screen is not None and screen.call_after_refresh(drawn.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(drawn.wait(), _FRAME)

    async def _deliver_next(self) -> None:
        await self._all_handled()
        screen = self._screen()
        if not self._app.is_running:
            self._waiting.clear()
            return
        focused = None if screen is None or not self._app.app_focus else screen.focused
        typed = self._typed_run() if _takes_runs(focused) else ""
        if focused is None or len(typed) < 2:
            self._deliver(self._waiting.popleft())
            return
        for _ in typed:
            self._waiting.popleft()
        focused.post_message(events.Paste(typed) if isinstance(focused, Input) else TypedText(typed))

    def _typed_run(self) -> str:
        """The letters that wait before anything else."""
        keys = takewhile(_is_letter, islice(self._waiting, _RUN))
        return "".join(key.character or "" for key in keys if isinstance(key, events.Key))

    async def _all_handled(self) -> None:
        await self._calm()
        if not self._is_preparing():
            self._preparing_since = None
            return
        await self._prepared()
        await self._calm()

    async def _calm(self) -> None:
        loop = asyncio.get_running_loop()
        deadline, calm = loop.time() + _LONGEST, 0
        while calm < _TURNS and loop.time() < deadline:
            await asyncio.sleep(0)
            calm = 0 if self._is_busy() else calm + 1

    async def _prepared(self) -> None:
        """Wait until the last action has changed the text, or opened its dialog or pane; for each action once."""
        loop = asyncio.get_running_loop()
        while self._is_preparing():
            self._preparing_since = self._preparing_since or loop.time()
            if loop.time() > self._preparing_since + _LONGEST:
                return
            await asyncio.sleep(_LOOKS_AGAIN)

    def _is_preparing(self) -> bool:
        """Whether an action was begun that will change the text of the screen, or open a dialog or a pane."""
        return getattr(self._screen(), "is_preparing", False)

    def _is_busy(self) -> bool:
        """Whether a message waits for a widget that the last input may have led to, or the screen to be mounted."""
        screen = self._screen()
        if screen is None or not screen.is_mounted or self._app.message_queue_size:
            return True
        return any(node.message_queue_size for node in (screen.focused or screen).ancestors_with_self)

    def _screen(self) -> Any:
        try:
            return self._app.screen
        except ScreenStackError:  # before the first one, and after the last
            return None


def is_input(message: Message) -> bool:
    """Whether `message` is new input of the terminal, and not on its way from one widget to another."""
    return isinstance(message, events.InputEvent | events.Paste | _FOCUS_CHANGE) and not message.is_forwarded


def _is_letter(message: Message) -> bool:
    """Whether a key types one character that stays on its line."""
    return isinstance(message, events.Key) and message.is_printable and len(message.character or "") == 1


def _takes_runs(widget: object) -> bool:
    """Whether letters inserted together in `widget` do what they do one by one."""
    if isinstance(widget, Input):  # which takes a paste as it takes letters, unless it checks each
        return widget.type == "text" and widget.restrict is None and not widget.max_length
    return hasattr(widget, "on_typed_text")
