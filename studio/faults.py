"""Faults of the program's own, printed without keys: a library may quote a header or an address in its message."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType


def masked(text: str) -> str:
    """A traceback, or any report of a fault, without keys and control characters."""
    from engine.models.secret import scrub_all
    from engine.text.spans import visible

    return visible(scrub_all(text))


def mask_faults() -> None:
    """Print the traceback of every exception that nobody catches, in any thread, without keys.

    The same holds for what `asyncio` reports through `logging`.
    """
    sys.excepthook = _print
    threading.excepthook = lambda fault: _print(fault.exc_type, fault.exc_value, fault.exc_traceback)
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_Masked())


class _Masked(logging.Formatter):
    """Reports without keys."""

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


def _print(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if issubclass(kind, SystemExit) or sys.stderr is None:
        return
    lines = traceback.format_exception(kind, error, trace)
    print(masked("".join(lines)), end="", file=sys.stderr)
