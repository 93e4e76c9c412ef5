"""Collecting the reply of a judge's model while it arrives."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field

from engine.providers.chat import ChatRequest, Finished, Provider, Resent, StopReason, TextDelta, Usage


@dataclass(slots=True)
class StreamedReply:
    """The text of a reply as far as it has arrived (untrusted), and its end: `OTHER` and no counts until it ends."""

    pieces: list[str] = field(default_factory=list[str])
    stop: StopReason = StopReason.OTHER
    usage: Usage = field(default_factory=Usage)
    model: str | None = None

    @property
    def text(self) -> str:
        """All that has arrived."""
        return "".join(self.pieces)

    async def receive(self, provider: Provider, request: ChatRequest, max_length: int) -> None:
        """Receive the reply to `request` until it ends or has more than `max_length` code points.

        Raises `ProviderError`; the pieces that had arrived remain.
        """
        length = 0
        async with aclosing(provider.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self.pieces.append(text)
                        length += len(text)
                        if length > max_length:
                            return
                    case Finished():
                        self.end(event)
                    case Resent():
                        pass

    def end(self, finished: Finished) -> None:
        """Record how the reply ended."""
        self.stop, self.usage, self.model = finished.stop_reason, finished.usage, finished.model
