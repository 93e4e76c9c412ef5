"""What one judge was asked about one point, and what came back: ready to be kept and to be shown word for word."""

from __future__ import annotations

from dataclasses import dataclass

from engine.judging.agreement import JudgedExtent
from engine.judging.judge_context import JudgeContext
from engine.judging.panel import PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Verdict
from engine.providers.chat import ChatRequest, Usage

_NOTHING_COUNTED = Usage()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and what came of it.

    `reply` is the raw text as far as it arrived, untrusted. `model` is the name under which the server answered, None
    where it did not say. `milliseconds` is the whole time, waiting for a turn included. Where the judge could not be
    reached at all, `request` is what it would have been sent.
    """

    request: ChatRequest
    reply: str
    reading: Reading
    model: str | None = None
    usage: Usage = _NOTHING_COUNTED
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge on one point: at least one attempt, the last of which counts.

    `recipient` is who received the texts, "" where nothing was sent. `reused` tells a judgement that was kept from
    before: nothing was sent for it now. `key` is the `engine.providers.request_key` of its first request, under which
    it is found again, "" where it is not known. `shown` is what the judge saw, None where that was not noted.
    """

    judge: PanelJudge
    criterion: str
    attempts: tuple[Attempt, ...]
    recipient: str = ""
    reused: bool = False
    key: str = ""
    shown: JudgeContext | None = None

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[-1]

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, None where the judge has not judged."""
        return self.last.reading if isinstance(self.last.reading, Verdict) else None

    @property
    def failure(self) -> NoVerdict | None:
        """Why the judge has not judged, None where it has."""
        return self.last.reading if isinstance(self.last.reading, NoVerdict) else None

    @property
    def compared(self) -> JudgedExtent:
        """What `agreement` compares."""
        return JudgedExtent(self.judge.label, None if self.verdict is None else self.verdict.extent)
