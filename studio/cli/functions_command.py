"""`studio functions [NAME]`: the reference pages of the point functions."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of point functions that begin so, with a `$` if that is typed."""
    from engine.functions import ALL

    sign = "$" if incomplete.startswith("$") else ""
    return [
        CompletionItem(f"{sign}{name}", help=function.summary)
        for function in ALL
        for name in function.names
        if name.startswith(incomplete.removeprefix("$"))
    ]


@click.command("functions")
@click.argument("name", required=False, shell_complete=_complete)
def functions_command(name: str | None) -> None:
    """List the point functions, or show the page of one.

    NAME is any of its names, with or without the $.
    """
    from engine.functions import find
    from engine.functions.pages import overview, page, similar
    from engine.text.spans import visible

    if name is None:
        click.echo(overview())
        return
    bare = name.removeprefix("$")
    function = find(bare)
    if function is not None:
        click.echo(page(function))
        return
    guesses = similar(bare)
    hint = f" Did you mean {' or '.join(f'${guess}' for guess in guesses)}?" if guesses else ""
    raise click.UsageError(f"There is no point function “{visible(bare)}”.{hint}")
