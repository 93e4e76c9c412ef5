"""What is asked before a text leaves this machine for the first time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.app import Studio


async def may_send(app: Studio, model: str, base_url: str | None) -> bool:
    """Name the recipient before a text is first sent to it (DESIGN, law 7). Whether to go on."""
    from engine.providers.chat import ProviderError
    from engine.providers.registry import resolve
    from studio.dialogs.ask import Ask, Choice

    try:
        provider, _ = await asyncio.to_thread(resolve, model, base_url)
    except ProviderError:
        return True  # the run ends with this very trouble, and shows it
    recipient = provider.recipient
    if recipient.startswith("this machine") or recipient in app.settings.consented:
        return True
    said = (
        f"Running this prompt sends its messages to {recipient}, which answers as {model}. Nothing else is sent: "
        "not the rubric, not the ideal. Your provider may charge for it."
    )
    choices = [
        Choice("send", f"Send to {recipient}", "You are not asked about this recipient again."),
        Choice("stay", "Do not send"),
    ]
    if await app.push_screen_wait(Ask("A text would leave this machine", said, choices)) != "send":
        return False
    app.settings.consented.append(recipient)
    app.keep_settings()
    return True
