"""A judgement in full, as plain text: what was sent to whom, the replies, and how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.judging.judgement import Attempt, Judgement
from engine.judging.verdict import NoVerdict, Reading, Verdict
from engine.providers.chat import Usage
from engine.scoring.assessment import Grade
from engine.text import visible


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
