"""A database that cannot be read: commands go on without what it holds, and say so once."""

from __future__ import annotations

from collections.abc import Callable

import click

from engine.store import StoreUnavailable
from engine.text.spans import visible


def report_once(what: str) -> Callable[[StoreUnavailable], None]:
    """A function that prints on stderr that `what` cannot be read, and why: each reason once."""
    reported: set[str] = set()

    def report(error: StoreUnavailable) -> None:
        if str(error) not in reported:
            reported.add(str(error))
            click.echo(visible(f"{what} cannot be read: {error}"), err=True)

    return report
