"""The sentence encoder: texts → vectors, in a child process, so that a crash does not affect the studio.

The process starts with the first texts, restarts after a crash, and ends with the program. It sends nothing anywhere.
"""

from __future__ import annotations

import atexit
import base64
import importlib.util
import json
import subprocess
import sys
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from engine.child_environment import Child, child_environment
from engine.models.weights import INSTALL_LOCAL, MINILM

Vector: TypeAlias = "array[float]"
"""A unit vector of 384 numbers."""

CACHE_SIZE = 4096
"""The number of vectors in the cache: 6 MB."""
INSTALL_WEIGHTS = "Run `studio models install minilm`."
_BATCH = 64
"""Texts in one request. Between requests, another thread may go first."""
_START_SECONDS = 60.0
_SECONDS_A_TEXT = 2.0


class EncoderFailed(Exception):
    """Texts could not be encoded: what happened (the message) and what to do (`advice`)."""

    def __init__(self, title: str, advice: str = "") -> None:
        super().__init__(title)
        self.advice = advice


class Encoder(Protocol):
    """Turns texts into vectors whose product compares their meanings."""

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in their order. Blocks. Raises `EncoderFailed`."""
        ...


def closeness(one: Vector, other: Vector) -> float:
    """The product of two unit vectors, greater for closer meanings. Only comparisons of it are meaningful."""
    return sum(map(mul, one, other))


def runnable() -> bool:
    """Whether the extra `local`, which runs the weights, is installed."""
    return importlib.util.find_spec("numpy") is not None


def what_is_missing(*, with_content: bool = False) -> EncoderFailed | None:
    """The reason why the encoder cannot run, with `advice`; None if it can. Blocks.

    Damaged weights are set aside. `with_content` compares all of them with what they should be, which takes 0.1 s.
    """
    if not runnable():
        advice = f"{INSTALL_LOCAL}, and start again."
        return EncoderFailed("The part that runs the sentence encoder is not installed", advice)
    if not MINILM.usable(with_content=with_content):
        return EncoderFailed(f"The weights of {MINILM.label} are not installed", INSTALL_WEIGHTS)
    return None


class MiniLM:
    """all-MiniLM-L6-v2 in a child process. Cheap to construct. Several threads may use it; they take turns."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` has its two files; by default, the folder of `studio models install`."""
        self._folder = folder
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._cache: OrderedDict[str, Vector] = OrderedDict()

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it is not running."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in their order. Vectors are cached. Blocks.

        Raises `EncoderFailed` if the encoder is not installed, does not start, or ended; the next call restarts it.
        """
        found: dict[str, Vector] = {}
        unique = list(dict.fromkeys(texts))
        for first in range(0, len(unique), _BATCH):
            with self._turn:
                found |= self._encode_batch(unique[first : first + _BATCH])
        return [found[text] for text in texts]

    def close(self) -> None:
        """End the process. A waiting call fails; the next call restarts the process."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _encode_batch(self, texts: Sequence[str]) -> dict[str, Vector]:
        new = [text for text in texts if text not in self._cache]
        if new:
            seconds = _SECONDS_A_TEXT * len(new) + _START_SECONDS
            answers = self._exchange(self._running_process(), new, seconds)
            self._cache.update((text, _vector(answer)) for text, answer in zip(new, answers, strict=True))
        found = {text: self._cache[text] for text in texts}
        for text in texts:
            self._cache.move_to_end(text)
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return found

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        missing = what_is_missing(with_content=True) if self._folder is None else None
        if missing is not None:
            raise missing
        self._process = _start()
        answer = self._exchange(self._process, {"folder": str(self._folder or MINILM.folder)}, _START_SECONDS)
        if "error" in answer:
            self.close()
            advice = f"Try again. If it stays so, delete {MINILM.folder} and run `studio models install minilm`."
            raise EncoderFailed(f"The sentence encoder does not start: {answer['error']}", advice)
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], request: Any, seconds: float) -> Any:
        """Send one line and return its answer. The process is killed if that takes longer than `seconds`."""
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process has no pipes")
        overdue = threading.Timer(seconds, process.kill)
        overdue.start()
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        except (BrokenPipeError, ValueError):  # ValueError: an incomplete line, or a closed pipe
            self.close()
            raise EncoderFailed("The sentence encoder's process ended", "Try again: it restarts.") from None
        finally:
            overdue.cancel()


def _vector(answer: str) -> Vector:
    vector = array("f")
    vector.frombytes(base64.b64decode(answer))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-S", "-P", "-m", "engine.closest_sentence.encoder_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=child_environment(Child.PYTHON),
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # unwritten data has no reader any more


_the_encoder = MiniLM()
atexit.register(_the_encoder.close)


def the_encoder() -> MiniLM:
    """The shared encoder of this program."""
    return _the_encoder
