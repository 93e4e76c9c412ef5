"""How many requests of one provider run at once: it falls when the provider pushes back, and rises by success.

Everything is a value and takes the time, in seconds of a clock that only goes forward; `rate_limiter` applies it.
"""

from __future__ import annotations

from engine.record import Record, replace

LOOPBACK_AT_ONCE = 64
USUAL_AT_ONCE = 15
LONGEST_WAIT = 60.0
"""Seconds. A longer pause that a provider asks for is reported, and not waited for."""
LONGEST_PAUSE = 60.0
"""Seconds between two tries of a service, however long its own pauses are."""
MOST_REFUSALS = 8
"""How often one request is pushed back before it fails; from 64 at once down to one takes six."""
MOST_ROUNDS = 3
"""How many rounds in a row a provider pushes back, with no answer between, before its requests fail."""
_QUIET = 60.0
_FORGOTTEN = 180.0


class Limit(Record):
    """The state of one provider.

    `most` is the start value and the ceiling, `allowed` what may run now (1 to `most`), `running` what does. Nothing
    begins before `not_before`. `fallen` is when it last fell, `falls` how often since the last success. A round is the
    time from none running to none running; `rounds` counts those in a row that brought only refusals, `refused` tells
    whether this one did so far. `counted` are successes since the limit last changed.
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
        """A provider of which nothing is known yet."""
        return cls(most, most)

    def may_begin(self, now: float) -> bool:
        """Whether one more request may be sent."""
        return self.running < self.allowed and now >= self.not_before

    def begun(self) -> Limit:
        """One more runs."""
        return replace(self, running=self.running + 1)

    def ended(self) -> Limit:
        """One less runs, however it ended. While others run, a refusal says no more than that they were too many."""
        running = self.running - 1
        if running == 0 and self.refused:
            return replace(self, running=0, rounds=self.rounds + 1, refused=False)
        return replace(self, running=running)

    def succeeded(self, now: float) -> Limit:
        """An answer came. As many answers as are allowed at once raise the limit by one; after a quiet minute since it
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
        """A request that `began` then was refused for being one too many.

        The limit is halved, but once only for all that were sent before it last fell. `retry_after` is the pause that
        the provider asks of everyone, None where it names none: then one second, and twice as long each time.
        """
        known = self if now - self.fallen <= _FORGOTTEN else replace(self, falls=0, rounds=0)
        if began >= self.fallen:
            known = replace(known, allowed=max(1, self.allowed // 2), fallen=now, falls=known.falls + 1, counted=0)
        pause = min(2.0 ** max(known.falls - 1, 0), LONGEST_WAIT) if retry_after is None else retry_after
        return replace(known, not_before=max(self.not_before, now + pause), refused=True)

    @property
    def exhausted(self) -> bool:
        """Whether the provider only pushes back."""
        return self.rounds >= MOST_ROUNDS
