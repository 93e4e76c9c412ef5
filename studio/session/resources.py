"""What all sessions of one program share: V8, the database and the settings, each opened at its first use."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import TYPE_CHECKING

from engine.files.own_files import report, settings_path
from engine.files.user_settings import Change, Settings, change_saved
from engine.text.spans import pictures_in, visible
from studio.session.host import Host, enter

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.store import Store


class SettingsFile:
    """The settings of the author, in memory once they are loaded; each change is written off the event loop."""

    def __init__(self) -> None:
        self._values: Settings | None = None
        self._written: Settings | None = None
        self._unwritten: list[Change] = []
        self._lock = asyncio.Lock()

    @property
    def values(self) -> Settings:
        """The settings, which are loaded."""
        assert self._values is not None
        return self._values

    @property
    def known(self) -> Settings | None:
        """The settings; None before they are loaded."""
        return self._values

    async def load(self) -> Settings:
        """The settings, read once."""
        async with self._lock:
            if self._values is None:
                self._values = await asyncio.to_thread(Settings.load)
                self._written = self._values.copied()
            return self._values

    async def change(self, change: Change) -> None:
        """Apply `change` to the settings and write them. What other studios have written meanwhile stays.

        Settings that cannot be written are reported once, and hold until the program ends.
        """
        await self.load()
        async with self._lock:
            self._unwritten.append(change)
            try:
                self._values = await asyncio.to_thread(change_saved, self._written, self._unwritten)
                self._written = self._values.copied()
                self._unwritten = []
            except OSError as error:
                change(self.values)
                report(f"The settings cannot be saved in {settings_path()}: {error.strerror or error}.")


class Resources:
    """V8, the database and the settings. All may be called from any thread; `store` and `close` block."""

    def __init__(self) -> None:
        self._making = Lock()
        self._opening = Lock()
        """A lock of its own, so that a call for V8 on the event loop never waits for the disk."""
        self._javascript: JavaScript | None = None
        self._store: Store | None = None
        self.settings = SettingsFile()

    def javascript(self) -> JavaScript:
        """V8, shared by checks and runs; its process starts with the first task. Blocks no longer than an import."""
        from engine.functions.v8 import JavaScript

        with self._making:
            if self._javascript is None:
                self._javascript = JavaScript()
            return self._javascript

    def store(self) -> Store:
        """Answers, runs and grades. Raises `engine.store.StoreUnavailable`; the next call tries again."""
        from engine.store import Store

        with self._opening:
            if self._store is None:
                self._store = Store()
            return self._store

    def close(self) -> None:
        """Close all that was opened. Blocks."""
        with self._making:
            if self._javascript is not None:
                self._javascript.close()
        with self._opening:
            if self._store is not None:
                self._store.close()


# --- The author's name

_LONGEST = 80


def as_name(written: str) -> str:
    """`written` as the author's name in cases: what is drawn of it, on one line of at most 80 characters; "" for none.

    It is never taken from the system: a case file may be published.
    """
    hidden = {at for at, _ in pictures_in(written)}
    drawn = "".join(" " if at in hidden else character for at, character in enumerate(written))
    return " ".join(drawn.split())[:_LONGEST].rstrip()


async def author_name(settings: SettingsFile) -> str | None:
    """The author's name; None if they gave none."""
    return as_name((await settings.load()).name) or None


async def save_author_name(settings: SettingsFile, name: str) -> None:
    """Save the author's name; "" for none. The same name writes nothing."""
    new = as_name(name)
    if new != (await author_name(settings) or ""):
        await settings.change(lambda values: setattr(values, "name", new))


async def ask_author_name(host: Host, settings: SettingsFile) -> None:
    """Ask for the author's name, and save it."""
    before = await author_name(settings) or ""
    name = await host.ask(enter("name", "Your name in cases", before, optional=True))
    if name is None:
        return
    await save_author_name(settings, name)
    after = as_name(name)
    said = f"has the name {after}" if after else "names nobody"
    host.notify(visible(f"What you write into cases from now on {said}."))
