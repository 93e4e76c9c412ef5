"""Estimates of how long a run takes, from the limit of parallel requests and the speed of models.

The speed of a model is not known in advance, so the range is wide: from the fastest servers to the slowest usable ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from math import ceil

from engine.planning.amounts import Amount
from engine.planning.run_plan import Part, Share
from engine.record import Record


class Pace(Record):
    """Seconds until the first word, and tokens per second."""

    first_word: float
    speed: float

    def seconds(self, tokens: float) -> float:
        """The time that this many tokens take."""
        return self.first_word + tokens / self.speed


_QUICK, _USUAL, _SLOW = Pace(0.1, 300.0), Pace(1.0, 80.0), Pace(5.0, 20.0)
_STAGES = ((Part.ANSWER,), (Part.SERVICE,), (Part.JUDGE,), (Part.BACKUP,))


def duration(shares: Iterable[Share], longest_talk: int) -> Amount:
    """The seconds of a run; `longest_talk` is the largest number of requests that one answer needs in sequence.

    Each answer is complete before it is judged. At best the stages of different prompts overlap completely, at worst
    they run one after the other.
    """
    shares = [share for share in shares if share.requests.most and not share.problem]
    stages = [_stage([share for share in shares if share.part in parts], longest_talk) for parts in _STAGES]
    return Amount(
        max((stage.least for stage in stages), default=0.0),
        sum(stage.usual for stage in stages),
        sum(stage.most for stage in stages),
    )


def _stage(shares: list[Share], longest_talk: int) -> Amount:
    """The time of the slowest recipient, as all of them work at the same time."""
    by_recipient = sorted(shares, key=lambda share: share.recipient)
    found = [
        _at_one_recipient(list(group), longest_talk)
        for _, group in groupby(by_recipient, lambda share: share.recipient)
    ]
    return Amount(*(max((getattr(each, end) for each in found), default=0.0) for end in ("least", "usual", "most")))


def _at_one_recipient(shares: list[Share], longest_talk: int) -> Amount:
    services = [share for share in shares if share.each is not None]
    if services:
        return _service_calls(services)
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


def _service_calls(shares: list[Share]) -> Amount:
    """The time of all calls to one host, as if each took as long as the slowest."""
    waves = _waves(sum(share.requests.least for share in shares), max(1, min(share.at_once for share in shares)), 1)
    each = [share.each for share in shares if share.each is not None]
    return Amount(
        waves * max(one.least for one in each),
        waves * max(one.usual for one in each),
        waves * max(one.most for one in each),
    )


def _waves(requests: int, at_once: int, chain: int) -> int:
    return max(ceil(requests / at_once), chain) if requests else 0
