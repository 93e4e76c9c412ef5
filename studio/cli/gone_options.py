"""Options that were removed: each says so, and the command ends with 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def gone_option(name: str, message: str) -> Callable[[_Command], _Command]:
    """An option that `--help` does not list; `message` says what to do instead."""

    def refuse(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(message)

    return click.option(name, hidden=True, expose_value=False, callback=refuse)
