"""The sentence encoder: texts → vectors, in a process of its own that a crash takes down alone.

It starts with the first texts, ends with the program, is started anew after a crash, and sends nothing anywhere.
"""

from __future__ import annotations

import atexit
import base64
import importlib.util
import json
import os
import subprocess
import sys
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from engine.providers.model_weights import INSTALL_LOCAL, MINILM

Vector: TypeAlias = "array[float]"
"""384 numbers of length 1 together."""

KEPT = 4096
"""How many texts' vectors are remembered: 6 MB."""
INSTALL_WEIGHTS = "Run `studio models install minilm`."
_AT_ONCE = 64
"""Texts in one request, after which another thread has its turn."""
_START_SECONDS = 60.0
_SECONDS_A_TEXT = 2.0
_KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class EncoderFailed(Exception):
    """Texts that could not be encoded: what happened (the message), and what to do (`advice`)."""

    def __init__(self, title: str, advice: str = "") -> None:
        super().__init__(title)
        self.advice = advice


class Encoder(Protocol):
    """Whatever turns texts into vectors by which their meanings can be compared."""

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in their order. Blocks. Raises `EncoderFailed`."""
        ...


def closeness(one: Vector, other: Vector) -> float:
    """The product of two unit vectors: the greater, the nearer their meanings are. Only its order counts."""
    return sum(map(mul, one, other))


def runnable() -> bool:
    """Whether what runs the weights is installed: the extra `local`."""
    return importlib.util.find_spec("numpy") is not None


def what_is_missing() -> EncoderFailed | None:
    """Why the encoder cannot run, with what to do about it in `advice`; None where it can."""
    if not runnable():
        advice = f"{INSTALL_LOCAL}, and start again."
        return EncoderFailed("The part that runs the sentence encoder is not installed", advice)
    if not MINILM.installed():
        return EncoderFailed(f"The weights of {MINILM.label} are not installed", INSTALL_WEIGHTS)
    return None


class MiniLM:
    """all-MiniLM-L6-v2 in a child process. Cheap to construct; safe to use from several threads, which take turns."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds its two files; where `studio models install` puts them, unless given."""
        self._folder = folder
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._known: OrderedDict[str, Vector] = OrderedDict()

    @property
    def pid(self) -> int | None:
        """The id of the process, None where none runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in their order; a text met before costs nothing. Blocks.

        Raises `EncoderFailed` where it is not installed, does not start, or ended; the next call starts it anew.
        """
        found: dict[str, Vector] = {}
        wanted = list(dict.fromkeys(texts))
        for first in range(0, len(wanted), _AT_ONCE):
            with self._turn:
                found |= self._some(wanted[first : first + _AT_ONCE])
        return [found[text] for text in texts]

    def close(self) -> None:
        """Ends the process; the next call starts it anew. A call that waits for it fails."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _some(self, texts: Sequence[str]) -> dict[str, Vector]:
        new = [text for text in texts if text not in self._known]
        if new:
            seconds = _SECONDS_A_TEXT * len(new) + _START_SECONDS
            answers = self._exchange(self._running(), new, seconds)
            self._known.update((text, _vector(answer)) for text, answer in zip(new, answers, strict=True))
        found = {text: self._known[text] for text in texts}
        for text in texts:
            self._known.move_to_end(text)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return found

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        trouble = what_is_missing() if self._folder is None else None
        if trouble is not None:
            raise trouble
        self._process = _start()
        answer = self._exchange(self._process, {"folder": str(self._folder or MINILM.folder)}, _START_SECONDS)
        if "error" in answer:
            self.close()
            again = f"Delete {MINILM.folder}, run `studio models install minilm`, and try again."
            raise EncoderFailed(f"The sentence encoder does not start: {answer['error']}", again)
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], order: Any, seconds: float) -> Any:
        """The answer to one line. One that takes longer than `seconds` ends the process."""
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the pipes were asked for")
        overdue = threading.Timer(seconds, process.kill)
        overdue.start()
        try:
            process.stdin.write(json.dumps(order).encode("ascii") + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        except (BrokenPipeError, ValueError):  # ValueError: an answer that is no whole line, or a pipe that was closed
            self.close()
            raise EncoderFailed("The sentence encoder's process ended", "Try again: it is started anew.") from None
        finally:
            overdue.cancel()


def _vector(answer: str) -> Vector:
    vector = array("f")
    vector.frombytes(base64.b64decode(answer))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def _start() -> subprocess.Popen[bytes]:
    # Nothing of our environment goes over but where Python and its modules lie: there may be keys in the rest.
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-S", "-P", "-m", "engine.closest_sentence.encoder_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
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
                continue  # what was still to be written has no reader any more


_the_encoder = MiniLM()
atexit.register(_the_encoder.close)


def the_encoder() -> MiniLM:
    """The one of this program."""
    return _the_encoder
