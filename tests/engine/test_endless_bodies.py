"""An answer that does not end stops at a bound, with an error that says so, and takes little memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.http import BodyError, Bounds, keep_within, read_at_most
from tests.endless_server import KINDS, endless_server
from tests.thoroughness import one_in

ROOT = Path(__file__).parents[2]
MEGABYTES = 100
SECONDS = 30

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from")

SAID = {
    "line": "one event of the answer is longer than 2 MB",
    "event": "one event of the answer is longer than 2 MB",
    "id": "one event of the answer is longer than 2 MB",
    "comments": "the answer does not end: it is longer than 100 MB",
    "stream-bomb": "one event of the answer is longer than 2 MB",
    "bomb": "one event of the answer is longer than 2 MB",
    "bomb-in-bomb": "the answer is compressed as “gzip, gzip”, which was not asked for",
    "empty-gzip": "the answer does not end: it is longer than",
    "brotli": "the answer is compressed as “br”, which was not asked for",
    "body": "one event of the answer is longer than 2 MB",
    "nested": "the answer does not end: it is longer than 2 MB",
    "largest": "what came back is no chat answer",
    "answer": "the answer does not end",
    "binary": "one event of the answer is longer than 2 MB",
    "error": "the server failed (500)",
}
OF_MODELS = one_in(5, tuple(SAID))
OF_SERVICES = one_in(3, ("bomb", "empty-gzip", "line", "error"))


@dataclass(frozen=True)
class Reading:
    failure: str
    megabytes: float
    seconds: float


def readings(who: str, kinds: Iterable[str], home: Path) -> dict[str, Reading]:
    """What one process reads, of which each reading begins with the memory that the ones before it left."""
    with endless_server() as url:
        command = [sys.executable, "-m", "tests.endless_reader", who, *(f"{url}/{kind}" for kind in kinds)]
        environment = {**os.environ, "BLUEPRINT_STUDIO_HOME": str(home)}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True
        )
    return {kind: Reading(**each) for kind, each in zip(kinds, json.loads(done.stdout), strict=True)}


@pytest.fixture(scope="module")
def of_models(homes: Path) -> dict[str, Reading]:
    return readings("model", OF_MODELS, homes / "of-models")


@pytest.fixture(scope="module")
def of_services(homes: Path) -> dict[str, Reading]:
    return readings("service", OF_SERVICES, homes / "of-services")


@needs_proc
@pytest.mark.parametrize("kind", OF_MODELS)
def test_a_model_s_answer_without_end_stops(of_models: dict[str, Reading], kind: str) -> None:
    read = of_models[kind]
    assert SAID[kind] in read.failure
    assert read.megabytes < MEGABYTES
    assert read.seconds < SECONDS


@needs_proc
@pytest.mark.parametrize("kind", OF_SERVICES)
def test_a_service_s_answer_without_end_stops(of_services: dict[str, Reading], kind: str) -> None:
    read = of_services[kind]
    assert "it was answered" not in read.failure
    assert read.megabytes < MEGABYTES
    assert read.seconds < SECONDS


def test_each_kind_is_tried() -> None:
    assert {*KINDS, "error"} == set(SAID)


# --- The bounds themselves


def response(*pieces: bytes, coding: str = "") -> httpx.Response:
    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return httpx.Response(200, headers={"Content-Encoding": coding} if coding else {}, content=body())


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@given(st.binary(max_size=300_000), st.integers(1, 70_000))
async def test_gzip_within_the_bounds_is_read_whole(body: bytes, size: int) -> None:
    got = response(*cut(gzip.compress(body), size), coding="gzip")
    keep_within(got, Bounds(1_000_000, 1_000_000))
    assert await got.aread() == body


@pytest.mark.parametrize("count", [65_535, 65_536, 65_537, 131_072, 1_000_000])
async def test_blocks_of_the_size_of_the_decoder_s_are_read_whole(count: int) -> None:
    got = response(gzip.compress(b" " * count), coding="gzip")
    keep_within(got, Bounds(1_000_000, 1_000_000))
    assert len(await got.aread()) == count


async def test_a_body_that_is_read_in_part_is_cut() -> None:
    assert await read_at_most(response(b"abc", b"def"), 4) == b"abcd"


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n"])
@given(size=st.integers(1, 30))
async def test_events_are_bounded_one_by_one_however_they_are_cut(end: bytes, size: int) -> None:
    events = (b"data: x" + end) * 50
    got = response(*cut(events, size))
    keep_within(got, Bounds(10_000, 10_000, event=20))
    assert await got.aread() == events


async def test_an_event_past_its_bound_is_refused() -> None:
    got = response(b"data: x\n\n", b"data: " + b"x" * 30)
    keep_within(got, Bounds(10_000, 10_000, event=20))
    with pytest.raises(BodyError, match="one event"):
        await got.aread()


async def test_what_is_no_gzip_is_refused() -> None:
    got = response(b"plain", coding="gzip")
    keep_within(got, Bounds(100, 100))
    with pytest.raises(BodyError, match="no valid gzip"):
        await got.aread()
