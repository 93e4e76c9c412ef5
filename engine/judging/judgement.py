"""The requests to one judge about one point, and its replies, complete enough to be saved and shown in full."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.judging.agreement import JudgedExtent
from engine.judging.judge_context import JudgeContext
from engine.judging.panel import PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Verdict
from engine.providers.chat import ChatRequest, Usage

_NOTHING_COUNTED = Usage()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and its outcome.

    `reply` is the raw text as far as it arrived, untrusted. `model` is the server's name of the model, None where it
    gave none. `milliseconds` is the total time, including the wait before sending. Where the judge could not be reached
    at all, `request` is the request that was not sent.
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

    `recipient` is who received the texts, "" where nothing was sent. `reused`: the judgement was cached, and nothing
    was sent. `key` is the `engine.providers.request_key` of its first request, its key in the cache, "" where it is not
    known. `shown` is the context that the judge saw, None where that was not recorded. `round` counts from 0 where a
    judge is asked the same question several times. `stands_in`: it is the backup's, in the place of judges that failed.
    `given` is when, in ISO 8601, "" where that is not known.
    """

    judge: PanelJudge
    criterion: str
    attempts: tuple[Attempt, ...]
    recipient: str = ""
    reused: bool = False
    key: str = ""
    shown: JudgeContext | None = None
    round: int = 0
    stands_in: bool = False
    given: str = field(default="", compare=False)

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
    def opens_point(self) -> bool:
        """Whether the point has no score until this judge has judged it: it is still to be asked, or chose no class."""
        return self.failure is not None and self.failure.reason.opens_point

    @property
    def compared(self) -> JudgedExtent:
        """The extent in the form that `agreement` compares."""
        return JudgedExtent(self.judge.label, None if self.verdict is None else self.verdict.extent)
