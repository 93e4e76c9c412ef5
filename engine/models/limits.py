"""What a server takes: how many requests at once, and which fields of them.

The limit of parallel requests falls when the provider pushes back, and rises with success. A `Limit` is immutable; a
`RateLimiter` is the queue of the requests in one event loop that apply it. Times are seconds of a monotonic clock.

The fields that a model does not take are learned from its server and saved across sessions. A refusal is saved once the
request was answered without the refused field. The file is a small one beside the journals; an entry expires after a
month, as servers change. It holds no address and no key: a model is identified by a digest. Its content is not trusted:
what is not understood is skipped, and only fields that the wire format can omit (`Wire.adaptable`) are ever left out.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, ValidationError, convert, to_builtins

from engine.files.own_files import OwnFile, parse_as, state_dir
from engine.text.record import Record, data_digest, replace

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


_limiters: dict[tuple[asyncio.AbstractEventLoop, str], RateLimiter] = {}


@dataclass(eq=False)
class TooLongError(Exception):
    """The provider asks for a pause longer than `LONGEST_WAIT`, in seconds."""

    seconds: float


@dataclass(slots=True, eq=False)
class Place:
    """One request's turn."""

    limiter: RateLimiter
    began: float
    model: str

    def succeeded(self) -> None:
        """Note that the answer has arrived."""
        self.limiter.limit = self.limiter.limit.succeeded(self.limiter.now())

    def pushed_back(self, retry_after: float | None) -> None:
        """Note that the provider has too many requests. A pause that is too long ends all waits for the same model."""
        if retry_after is not None and retry_after > LONGEST_WAIT:
            self.limiter.limit = self.limiter.limit.pushed_back(self.limiter.now(), self.began, 0.0)
            self.limiter.send_away(self.model, retry_after)
        else:
            self.limiter.limit = self.limiter.limit.pushed_back(self.limiter.now(), self.began, retry_after)


@dataclass(slots=True, eq=False)
class _Waiting:
    turn: asyncio.Future[None]
    model: str


@dataclass(slots=True, eq=False)
class RateLimiter:
    """The requests of one provider that run or wait. Belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    limit: Limit
    _queue: deque[_Waiting] = field(default_factory=deque["_Waiting"])
    _next: asyncio.Handle | None = None

    def now(self) -> float:
        """The loop's clock."""
        return self.loop.time()

    @property
    def waiting(self) -> int:
        """The number of requests that wait for their turn."""
        return len(self._queue)

    @asynccontextmanager
    async def turn(
        self, model: str, *, again: bool, too_long: Callable[[float], Exception]
    ) -> AsyncGenerator[Place, None]:
        """A turn, given back at the end; repeated requests (`again`) go first. A cancelled wait leaves no trace.

        Where it would take too long, what `too_long` makes of the pause is raised.
        """
        waiting = _Waiting(self.loop.create_future(), model)
        if again:
            self._queue.appendleft(waiting)
        else:
            self._queue.append(waiting)
        self.let_in()
        try:
            await waiting.turn
        except TooLongError as wait:
            raise too_long(wait.seconds) from None
        except asyncio.CancelledError:
            if waiting.turn.done() and not waiting.turn.cancelled() and waiting.turn.exception() is None:
                self.limit = self.limit.ended()  # the turn came at the same moment
            else:
                self._forget(waiting)
            self.let_in()
            raise
        try:
            yield Place(self, self.now(), model)
        finally:
            self.limit = self.limit.ended()
            self.let_in()

    def let_in(self) -> None:
        """Start the next request as soon as the limit allows it.

        One starts per turn of the loop. If many started together, each would take its next step only after all others
        had taken theirs, and the first would be sent only when the last is ready.
        """
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._queue and self.limit.running < self.limit.allowed:
            pause = self.limit.not_before > self.now()
            self._next = (
                self.loop.call_at(self.limit.not_before, self._begin) if pause else self.loop.call_soon(self._begin)
            )

    def _begin(self) -> None:
        if self._queue and self.limit.may_begin(self.now()):
            waiting = self._queue.popleft()
            if not waiting.turn.done():
                self.limit = self.limit.started()
                waiting.turn.set_result(None)
        self.let_in()

    def send_away(self, model: str, seconds: float) -> None:
        """End the waits of all requests to `model`."""
        for waiting in [waiting for waiting in self._queue if waiting.model == model]:
            self._forget(waiting)
            if not waiting.turn.done():
                waiting.turn.set_exception(TooLongError(seconds))

    def gives_up(self, refusals: int) -> bool:
        """Whether a request with this many refusals fails rather than waits again."""
        return refusals >= MOST_REFUSALS or self.limit.exhausted

    def _forget(self, waiting: _Waiting) -> None:
        if waiting in self._queue:
            self._queue.remove(waiting)


def rate_limiter_of(provider: str, most: int) -> RateLimiter:
    """The limiter of a provider (a host) in the running event loop; a new one starts with the limit `most`."""
    loop = asyncio.get_running_loop()
    for old in [old for old in _limiters if old[0].is_closed()]:
        del _limiters[old]
    if (loop, provider) not in _limiters:
        _limiters[loop, provider] = RateLimiter(loop, Limit.starting_at(most))
    return _limiters[loop, provider]


def allowed_now(provider: str, most: int) -> int:
    """The current limit of parallel requests to a provider: `most` unless it has pushed back.

    May be called from any thread, as it only reads immutable values.
    """
    limiters = [one for (loop, name), one in list(_limiters.items()) if name == provider and not loop.is_closed()]
    return min((one.limit.allowed for one in limiters), default=most)


HOLDS_FOR = timedelta(days=30)
OTHER_NAME: Mapping[str, str] = MappingProxyType(
    {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
)
"""Fields that are sent under another name if they are refused."""

_LARGEST = 500_000
_MOST_MODELS = 500
_DIGEST = re.compile("[0-9a-f]{64}")
_Field: TypeAlias = Annotated[str, Meta(pattern=r"\A[A-Za-z_]+(\.[A-Za-z_]+)?\Z")]
_Fields: TypeAlias = Annotated[frozenset[_Field], Meta(max_length=16)]


class ParameterSupport(Record):
    """What a model does not take: `dropped` fields are not sent, `renamed` ones are sent under their `OTHER_NAME`."""

    dropped: frozenset[str] = frozenset()
    renamed: frozenset[str] = frozenset()

    def without(self, name: str) -> ParameterSupport:
        """The support after `name` was refused: it is sent under its other name, or dropped."""
        if name not in OTHER_NAME:
            return replace(self, dropped=self.dropped | {name})
        if OTHER_NAME[name] in self.renamed:
            return replace(self, renamed=self.renamed - {OTHER_NAME[name]})
        return replace(self, renamed=self.renamed | {name})

    def joined(self, other: ParameterSupport, refused: frozenset[str]) -> ParameterSupport:
        """Both combined; for `refused` fields, under either name, this one decides."""
        renamed = {name for name in other.renamed if name not in refused and OTHER_NAME[name] not in refused}
        return ParameterSupport(self.dropped | other.dropped, self.renamed | renamed)

    def applied(self, body: Mapping[str, Any], adaptable: Mapping[str, Any]) -> dict[str, Any]:
        """`body` without what the model does not take. Only `adaptable` fields change; a dot separates nested names."""
        adapted = dict(body)
        for path in sorted(self.dropped & adaptable.keys()):
            _drop(adapted, path)
        for name in self.renamed & adaptable.keys() & adapted.keys():
            adapted[OTHER_NAME[name]] = adapted.pop(name)
        return adapted


TAKES_ALL = ParameterSupport()


def model_key(place: str, model: str) -> str:
    """The key of a model at a place; `place` is any string that identifies the server."""
    return data_digest([place, model])


class _Entry(Record):
    """What the file says of a model, and the day of it."""

    dropped: _Fields
    renamed: _Fields
    day: date

    @property
    def support(self) -> ParameterSupport | None:
        """What the model does not take; None once that is too old."""
        if not timedelta(0) <= _today() - self.day <= HOLDS_FOR:
            return None
        return ParameterSupport(self.dropped - OTHER_NAME.keys(), self.renamed & OTHER_NAME.keys())


class _Saved(Record):
    format: Literal[1]
    models: dict[str, Any]


@dataclass(slots=True)
class _Memory:
    """The file and its content. Safe to use from several threads."""

    file: OwnFile[dict[str, _Entry]]
    is_loaded: bool = False
    known: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    presumed: dict[str, ParameterSupport] = field(default_factory=dict[str, ParameterSupport])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key: str) -> ParameterSupport | None:
        if not self.is_loaded:
            with self.lock:
                self.known = (self.file.load() or {}) | self.known
                self.is_loaded = True
        return self.known[key].support if key in self.known else None


_memories: dict[Path, _Memory] = {}


def _memory() -> _Memory:
    path = state_dir() / "parameter-support.json"
    return _memories.setdefault(path, _Memory(OwnFile(path, parse_support, _LARGEST)))


def support_of(key: str) -> ParameterSupport | None:
    """What is known of a model; None if it never answered, or not within `HOLDS_FOR`. Reads the file once."""
    return _memory().find(key)


def is_loaded() -> bool:
    """Whether `support_of` answers without reading a file."""
    return _memory().is_loaded


def remember(key: str, support: ParameterSupport) -> None:
    """Save what a model takes. Blocks; if the file cannot be written, it is known until the program ends."""
    memory = _memory()
    with memory.lock:
        memory.known[key] = _Entry(support.dropped, support.renamed, _today())
        # Another studio may have written the file meanwhile.
        known = (memory.file.load() or {}) | memory.known
        memory.known = dict(sorted(known.items(), key=lambda each: each[1].day)[-_MOST_MODELS:])
        with suppress(OSError):
            memory.file.write(json.dumps(to_builtins(_Saved(1, memory.known), order="sorted"), indent=1).encode())


def presume(key: str, support: ParameterSupport | None) -> None:
    """Tell parallel requests to the same model what it has just refused; None takes that back.

    Nothing is saved until an answer came without the refused fields.
    """
    if support is None:
        _memory().presumed.pop(key, None)
    else:
        _memory().presumed[key] = support


def presumed_of(key: str) -> ParameterSupport:
    """The support to assume now: what is known of a model, else what is presumed, else that it takes everything."""
    return support_of(key) or _memory().presumed.get(key, TAKES_ALL)


def _today() -> date:
    return datetime.now(UTC).date()


def parse_support(content: bytes) -> dict[str, _Entry]:
    """What a file says of each model, by key. Raises `Damaged`, `RecursionError`."""
    written = parse_as(_Saved, content, "its form is unknown").models
    found: dict[str, _Entry] = {}
    for key, entry in list(written.items())[-_MOST_MODELS:]:
        with suppress(ValidationError):
            if _DIGEST.fullmatch(key) and (read := convert(entry, _Entry)).support is not None:
                found[key] = read
    return found


def _drop(body: dict[str, Any], path: str) -> None:
    outer, dot, inner = path.partition(".")
    if not dot:
        body.pop(path, None)
    elif isinstance(body.get(outer), dict):
        body[outer] = {name: value for name, value in body[outer].items() if name != inner}
