"""Writes to a terminal that may be gone, and takes it again after the process was stopped.

Textual writes in a thread that ends with the first write that fails. What is written from then on fills its queue, and
the application waits for room in it for ever. And SIGCONT, which comes with SIGHUP too, makes Textual take the terminal
a second time: it reads keys twice, and leaves the terminal in the state in which the studio itself had it.
"""

from __future__ import annotations

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from studio.tui.textual_internals import WriterThread


class TerminalWriter(WriterThread):
    """A writer that takes what is written to the end, also once the terminal is gone."""

    def run(self) -> None:
        """Write until the end."""
        try:
            super().run()
        except OSError:
            while self._queue.get() is not None:
                pass


class TerminalDriver(LinuxDriver):
    """A driver that takes the terminal once: before it takes it again, it gives it back."""

    def start_application_mode(self) -> None:
        """Take the terminal."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self.suspend_application_mode()
        super().start_application_mode()


def write_terminal_safely() -> None:
    """Make Textual write with `TerminalWriter`, and take the terminal with `TerminalDriver`."""
    linux_driver.WriterThread = TerminalWriter  # pyright: ignore[reportPrivateImportUsage]
    linux_driver.LinuxDriver = TerminalDriver
