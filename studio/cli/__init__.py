"""The command line. A command is declared as `NAME_command`, and imported only when it is called; so is its work.

`studio FILE` opens the studio; everything else is a command by name. Exit codes are DESIGN's: 0 fine, 1 something was
found or failed, 2 unusable arguments.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click
from click.shell_completion import CompletionItem

from engine.files.own_files import listen
from engine.text.spans import visible
from studio.cli.frame import tell
from studio.commands import COMMANDS, names_file, no_such_command

_SHOWING = ("check", "functions", "models", "open", "parse", "rules")
"""The commands that are declared among `show_commands`; the others are among `score_commands`."""


class _Commands(click.Group):
    """Loads a command's module when it is needed; a first argument that names a file opens the studio on it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = "show_commands" if cmd_name in _SHOWING else "score_commands"
        command: click.Command = getattr(importlib.import_module(f"studio.cli.{module}"), f"{cmd_name}_command")
        command.short_help = COMMANDS[cmd_name]
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _visible_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _visible_errors():
            return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and files: `studio FILE` opens a file."""
        return [*super().shell_complete(ctx, incomplete), CompletionItem(incomplete, type="file")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and (not args or (args[0] not in COMMANDS and not names_file(args[0]))):
            return super().parse_args(ctx, args)  # the shell completes what is not written yet
        first = args[0] if args else "--"
        if first in COMMANDS or first in ("--help", "-h", "--version"):
            return super().parse_args(ctx, args)
        if not first.startswith("-") and not names_file(first):
            raise click.UsageError(visible(no_such_command(first)), ctx)
        return super().parse_args(ctx, ["open", *args])


@contextmanager
def _visible_errors() -> Generator[None]:
    """Make what was written on the command line visible in click's own messages, which repeat it."""
    try:
        yield
    except click.UsageError as error:
        message = error.format_message()
        if visible(message) == message:
            raise
        raise click.UsageError(visible(message), error.ctx) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blueprint-studio", prog_name="studio")
def main() -> None:
    """Write, check, try and understand Weval evaluation blueprints.

    `studio FILE` opens a blueprint, `studio --example` the bundled example, and `studio` alone the start screen.
    `studio COMMAND --help` lists the options of a command.
    """
    listen(lambda message: tell(message))
