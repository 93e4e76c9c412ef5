"""The limit of parallel requests to one provider: it falls when the provider pushes back, and rises with success.

All of it is immutable. Times are seconds of a monotonic clock, passed as arguments. `rate_limiter` applies the limit.
"""

from __future__ import annotations

from engine.record import Record, replace

LOOPBACK_AT_ONCE = 64
USUAL_AT_ONCE = 15
LONGEST_WAIT = 60.0
"""The longest pause in seconds that is waited for; a longer one is reported as a failure."""
LONGEST_PAUSE = 60.0
"""The longest pause in seconds between two tries of a service, whatever its definition says."""
MOST_REFUSALS = 8
"""The number of refusals after which one request fails; from 64 parallel requests down to one takes six."""
MOST_ROUNDS = 3
"""The number of rounds in a row without any answer after which all requests to a provider fail."""
_QUIET = 60.0
_FORGOTTEN = 180.0


class Limit(Record):
    """The state of one provider.

    `most` is the start value and the ceiling, `allowed` the current limit (1 to `most`), `running` the number of
    running requests. No request starts before `not_before`. `fallen` is when the limit last fell, `falls` how often it
    fell since the last success. A round lasts from none running to none running; `rounds` counts those in a row that
    brought only refusals, and `refused` is whether the current one has brought one. `counted` are the successes since
    the limit last changed.
    """

    most: int
    allowed: int
    running: int = 0
    not_before: float = float("-inf")
    fallen: float = float("-inf")
    falls: int = 0
    rounds: int = 0
    refused: bool = False
    counted: int = 0

    @classmethod
    def starting_at(cls, most: int) -> Limit:
        """The limit of a provider before its first request."""
        return cls(most, most)

    def may_begin(self, now: float) -> bool:
        """Whether one more request may be sent."""
        return self.running < self.allowed and now >= self.not_before

    def started(self) -> Limit:
        """The limit after one more request has started."""
        return replace(self, running=self.running + 1)

    def ended(self) -> Limit:
        """The limit after a request has ended in any way. A round counts only once no request runs any more."""
        running = self.running - 1
        if running == 0 and self.refused:
            return replace(self, running=0, rounds=self.rounds + 1, refused=False)
        return replace(self, running=running)

    def succeeded(self, now: float) -> Limit:
        """The limit after an answer. It rises by one after as many answers as it allows at once; a minute after it last
        fell, each answer doubles it."""
        well = replace(self, falls=0, rounds=0, refused=False)
        if self.allowed >= self.most:
            return replace(well, counted=0)
        if now - self.fallen > _QUIET:
            return replace(well, allowed=min(self.most, self.allowed * 2), counted=0)
        if self.counted + 1 >= self.allowed:
            return replace(well, allowed=self.allowed + 1, counted=0)
        return replace(well, counted=self.counted + 1)

    def pushed_back(self, now: float, began: float, retry_after: float | None) -> Limit:
        """The limit after a refusal of a request, sent at `began`, because there were too many.

        The limit is halved, but only once for all requests sent before it last fell. `retry_after` is the pause that
        the provider asks for; without one (None) the pause is one second, and doubles each time.
        """
        known = self if now - self.fallen <= _FORGOTTEN else replace(self, falls=0, rounds=0)
        if began >= self.fallen:
            known = replace(known, allowed=max(1, self.allowed // 2), fallen=now, falls=known.falls + 1, counted=0)
        pause = min(2.0 ** max(known.falls - 1, 0), LONGEST_WAIT) if retry_after is None else retry_after
        return replace(known, not_before=max(self.not_before, now + pause), refused=True)

    @property
    def exhausted(self) -> bool:
        """Whether the provider has only pushed back for too many rounds."""
        return self.rounds >= MOST_ROUNDS
