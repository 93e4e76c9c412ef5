"""One judge's judgement: as a record, as JSON for the cache and the history, and word for word as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from engine.judging.judge_prompt import JudgeContext
from engine.judging.panel import PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Verdict
from engine.models.chat import ChatRequest, Usage
from engine.scoring.assessment import Grade
from engine.text.spans import visible

if TYPE_CHECKING:
    from pydantic import TypeAdapter

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
    was sent. `key` is the `engine.models.chat` of its first request, its key in the cache, "" where it is not
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


def judgement_text(judgement: Judgement) -> str:
    """One judgement as JSON in ASCII, lone surrogates included."""
    return json.dumps(_shape().dump_python(judgement))


def judgement_of(text: str) -> Judgement | None:
    """The judgement that `judgement_text` wrote; None where another version wrote the text, or it is damaged."""
    try:
        return _shape().validate_python(json.loads(text))
    except (ValueError, RecursionError):
        return None


@cache
def _shape() -> TypeAdapter[Judgement]:
    from pydantic import TypeAdapter  # here, as it is slow to load, and only saved judgements need it

    return TypeAdapter(Judgement)


def word_for_word(judgement: Judgement) -> str:
    """Every request of a judgement and the raw reply to each. Control characters are made visible."""
    return visible("\n\n".join(_parts(judgement))) + "\n"


def named_classes(judgements: Iterable[Judgement]) -> str:
    """The classes between which judges did not choose, with the keys of the grades: `1 absent or 5 fully present?`."""
    failures = [each.failure for each in judgements if each.failure is not None]
    named = sorted({(each.extent, each.label) for failure in failures for each in failure.named})
    keys = {grade.extent: f"{number} " for number, grade in enumerate(Grade, 1)}
    return " or ".join(f"{keys.get(extent, '')}{label}" for extent, label in named) + "?" * bool(named)


def _parts(judgement: Judgement) -> Iterator[str]:
    judge = judgement.judge
    sent = f"sent to {judgement.recipient}" if judgement.recipient else "nothing was sent"
    cached = ", cached" if judgement.reused else ""
    yield f"{judge.id}: {judge.model}, {judge.approach}; {sent}{cached}\nCriterion: {judgement.criterion}"
    for number, attempt in enumerate(judgement.attempts, 1):
        yield _request_line(attempt, number, len(judgement.attempts))
        for turn in attempt.request.turns:
            yield f"[{turn.role}]\n{turn.content}"
        yield f"=== {_reply_line(attempt)}\n{attempt.reply or '(nothing)'}"
        yield f"=== Read as: {_read(attempt.reading)}"


def _request_line(attempt: Attempt, number: int, of: int) -> str:
    which = "Request" if of == 1 else f"Request {number} of {of}"
    request = attempt.request
    temperature = "the server's" if request.temperature is None else f"{request.temperature:g}"
    return f"=== {which} to {request.model}, temperature {temperature}, at most {request.max_tokens} tokens"


def _reply_line(attempt: Attempt) -> str:
    by = f" of {attempt.model}" if attempt.model else ""
    return f"Reply{by} after {attempt.milliseconds} ms{_tokens(attempt.usage)}"


def _tokens(usage: Usage) -> str:
    counted = [(usage.input_tokens, "read"), (usage.output_tokens, "written")]
    return "".join(f", {count} tokens {what}" for count, what in counted if count is not None)


def _read(reading: Reading) -> str:
    weval = "" if reading.on_weval is None else f"\n=== Weval reads: {reading.on_weval}"
    match reading:
        case Verdict():
            return f"{reading.label} ({reading.extent:g}){weval}"
        case NoVerdict():
            return " ".join(filter(None, (f"no verdict, as it {reading.message}.", reading.advice))) + weval
