"""What is asked before a text leaves this machine for the first time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.judging.panel import Panel
    from engine.yaml_nodes.nodes import Data
    from studio.app import Studio


async def may_judge(app: Studio, panel: Panel, custom: tuple[Data, ...] = ()) -> bool:
    """Name who judges, before they are first sent a conversation and its rubric. Whether to go on."""
    models = [judge.model for judge in (*panel.judges, *([panel.backup] if panel.backup is not None else []))]
    for model in dict.fromkeys(models):
        if not await may_send(app, model, None, custom):
            return False
    return True


async def may_send(app: Studio, model: str, base_url: str | None, custom: tuple[Data, ...] = ()) -> bool:
    """Name the recipient before a text, or a variable in a header, is first sent to it (DESIGN, law 7).

    `custom` are the blueprint's `header.models`. Whether to go on.
    """
    from engine.providers.chat import ProviderError
    from engine.providers.registry import definition_of, resolve
    from engine.providers.variables import variables_in
    from studio.dialogs.ask import Ask, Choice

    try:
        provider, _ = await asyncio.to_thread(resolve, model, base_url, custom)
    except ProviderError:
        return True  # the run ends with this very trouble, and shows it
    recipient = provider.recipient
    variables = variables_in(definition_of(model, custom)) if base_url is None else ()
    agreed = f"{recipient} ({', '.join(variables)})" if variables else recipient
    if recipient.startswith("this machine") or agreed in app.settings.consented:
        return True
    beside = f" With them goes what is in {', '.join(variables)}." if variables else ""
    said = (
        f"Running this prompt sends its messages to {recipient}, which answers as {model}.{beside} Nothing else is "
        "sent: not the rubric, not the ideal. Your provider may charge for it."
    )
    choices = [
        Choice("send", f"Send to {recipient}", "You are not asked about this recipient again."),
        Choice("stay", "Do not send"),
    ]
    if await app.push_screen_wait(Ask("A text would leave this machine", said, choices)) != "send":
        return False
    app.settings.consented.append(agreed)
    app.keep_settings()
    return True
