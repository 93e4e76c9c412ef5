"""The conversation of one prompt: written turns, turns to be generated, and generated ones, told apart."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.blueprint import Prompt, Role
from engine.evaluation.events import Response
from engine.text import visible

_SPEAKERS = {Role.SYSTEM: "system prompt", Role.USER: "user", Role.ASSISTANT: "assistant"}


def prompt_thread(prompt: Prompt, system: str | None) -> Content:
    """The conversation as written, before anything ran; `system` is the system prompt that applies."""
    turns = list(_written(prompt, system))
    if prompt.messages and prompt.messages[-1].role is Role.USER:
        turns.append(_turn(Role.ASSISTANT, None, generated=True))
    return Content("\n\n").join(turns)


def response_thread(response: Response) -> Content:
    """The conversation as it went."""
    return Content("\n\n").join([_turn(turn.role, turn.content, generated=turn.generated) for turn in response.thread])


def _written(prompt: Prompt, system: str | None) -> Iterator[Content]:
    if system:
        yield _turn(Role.SYSTEM, system, generated=False)
    for message in prompt.messages:
        yield _turn(message.role, message.content, generated=message.content is None)


def _turn(role: Role, content: str | None, *, generated: bool) -> Content:
    kind = "to be generated" if content is None else "generated" if generated else "written"
    head = Content.assemble((_SPEAKERS[role], "bold"), (f"  {kind}", "$ink-yours" if generated else "$ink-dim"))
    return head if content is None else Content.assemble(head, "\n", visible(content.rstrip("\n")))


class ConversationPane(VerticalScroll):
    """Shows one conversation."""

    DEFAULT_CSS = """
    ConversationPane { height: 1fr; padding: 0 1 0 1; scrollbar-size-vertical: 1; }
    """

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield Static(id="conversation-text")

    def show(self, thread: Content) -> None:
        """Show a thread made by `prompt_thread` or `response_thread`."""
        self.query_one("#conversation-text", Static).update(thread)
