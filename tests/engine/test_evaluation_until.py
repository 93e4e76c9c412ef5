"""Events of a stream until the wish to stop: together what is there at once, and nothing of it lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from engine.evaluation.answer_stream import until


class Pieces:
    """Numbers from 0 on, with a pause after every third."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.count = count
        self.error = error
        self.closed = False

    async def stream(self) -> AsyncGenerator[int]:
        try:
            for number in range(self.count):
                yield number
                if number % 3 == 2:
                    await asyncio.sleep(0.01)
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


async def told(pieces: Pieces, stop: asyncio.Event | None = None) -> list[list[int]]:
    async with aclosing(until(stop or asyncio.Event(), pieces.stream())) as arriving:
        return [together async for together in arriving]


async def test_what_is_there_without_waiting_comes_together() -> None:
    assert await told(Pieces(7)) == [[0, 1, 2], [3, 4, 5], [6]]


async def test_a_stream_without_anything_yields_nothing() -> None:
    assert await told(Pieces(0)) == []


async def test_what_came_before_an_error_is_reported_before_it() -> None:
    arriving = until(asyncio.Event(), Pieces(2, ValueError("broken")).stream())
    assert await anext(arriving) == [0, 1]
    with pytest.raises(ValueError, match="broken"):
        await anext(arriving)


async def test_a_wish_to_stop_ends_a_stream_that_waits() -> None:
    pieces, stop = Pieces(1_000_000), asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, stop.set)
    came = await asyncio.wait_for(told(pieces, stop), 30)
    assert 0 < len(came) < 20
    assert pieces.closed


async def test_what_came_with_the_wish_to_stop_is_reported() -> None:
    stop = asyncio.Event()
    stop.set()
    assert await told(Pieces(3), stop) == [[0, 1, 2]]


async def test_who_stops_listening_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    async with aclosing(until(asyncio.Event(), pieces.stream())) as arriving:
        await anext(arriving)
    assert pieces.closed


async def test_a_cancelled_listener_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    listening = asyncio.create_task(told(pieces))
    await asyncio.sleep(0.02)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    assert pieces.closed
