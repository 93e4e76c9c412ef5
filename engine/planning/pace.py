"""How long a run takes, at the limits in force: how many requests run at once, and how fast models speak.

Nobody tells beforehand how fast a model is, so the range is wide: from the quickest servers to those that one still
waits for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from engine.planning.amounts import Amount
from engine.planning.run_plan import Part, Share


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the first word, and tokens in a second."""

    first_word: float
    speed: float

    def seconds(self, tokens: float) -> float:
        """How long so many tokens take."""
        return self.first_word + tokens / self.speed


_QUICK, _USUAL, _SLOW = Pace(0.1, 300.0), Pace(1.0, 80.0), Pace(5.0, 20.0)
_STAGES = ((Part.ANSWER,), (Part.SERVICE,), (Part.JUDGE,), (Part.BACKUP,))


def duration(shares: Iterable[Share], longest_talk: int) -> Amount:
    """The seconds of a run; `longest_talk` is the most turns that one answer waits for, one after the other.

    Answers come before what judges say of them. At least the stages run side by side for different prompts, at most one
    after the other.
    """
    shares = [share for share in shares if share.requests.most and not share.trouble]
    stages = [_stage([share for share in shares if share.part in parts], longest_talk) for parts in _STAGES]
    return Amount(
        max((stage.least for stage in stages), default=0.0),
        sum(stage.usual for stage in stages),
        sum(stage.most for stage in stages),
    )


def _stage(shares: list[Share], longest_talk: int) -> Amount:
    """The slowest of the recipients that are asked at the same time."""
    by_recipient = sorted(shares, key=lambda share: share.recipient)
    found = [_at_one(list(group), longest_talk) for _, group in groupby(by_recipient, lambda share: share.recipient)]
    return Amount(*(max((getattr(each, end) for each in found), default=0.0) for end in ("least", "usual", "most")))


def _at_one(shares: list[Share], longest_talk: int) -> Amount:
    services = [share for share in shares if share.each is not None]
    if services:
        return _calls(services)
    at_once = max(1, min(share.at_once for share in shares))
    least = sum(share.requests.least for share in shares)
    most = sum(share.requests.most for share in shares)
    chain = longest_talk if shares[0].part is Part.ANSWER else 1
    tokens = [sum(getattr(share.tokens_out, end) for share in shares) for end in ("least", "usual", "most")]
    return Amount(
        _waves(least, at_once, chain) * _QUICK.seconds(tokens[0] / max(1, least)),
        _waves(least, at_once, chain) * _USUAL.seconds(tokens[1] / max(1, least)),
        _waves(most, at_once, chain) * _SLOW.seconds(tokens[2] / max(1, most)),
    )


def _calls(shares: list[Share]) -> Amount:
    """The calls of services at one host, the slowest of them at the limit of requests that run at once."""
    waves = _waves(sum(share.requests.least for share in shares), max(1, min(share.at_once for share in shares)), 1)
    each = [share.each for share in shares if share.each is not None]
    return Amount(
        waves * max(one.least for one in each),
        waves * max(one.usual for one in each),
        waves * max(one.most for one in each),
    )


def _waves(requests: int, at_once: int, chain: int) -> int:
    return max(ceil(requests / at_once), chain) if requests else 0
