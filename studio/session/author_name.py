"""The author's name as it stands in cases: who said what. There is none until the author gives one.

It is never taken from the system: a case file may be published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text.spans import pictures_in, visible
from studio.session.host import EnterText, Host

if TYPE_CHECKING:
    from studio.session.resources import SettingsFile

_LONGEST = 80
_TEXT = (
    "It stands in the case files that you write, as who says so: `by: Maria`. A case file may be published. Leave it "
    "empty, and cases name nobody. Cases that are written already stay as they are."
)


def as_name(written: str) -> str:
    """`written` as a name: what is drawn of it, on one line of at most 80 characters; "" for none."""
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
    name = await host.ask(EnterText("Your name in cases", _TEXT, before, optional=True))
    if name is None:
        return
    await save_author_name(settings, name)
    after = as_name(name)
    said = f"has the name {after}" if after else "names nobody"
    host.notify(visible(f"What you write into cases from now on {said}."))
