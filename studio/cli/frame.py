"""What all commands share: options as fields of records, which of them exclude each other, and how a command ends."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

import click
from click.core import ParameterSource

from engine.text.diagnostics import Severity
from engine.text.spans import visible

if TYPE_CHECKING:
    from engine.store import StoreUnavailable

FILE = click.Path(path_type=Path)
"""A path that need not be there."""

_Command = TypeVar("_Command", bound=Callable[..., Any])
Contradiction = tuple[str, str, str]
"""Two options that do not go together, by the names of their fields, and the sentence for whoever gives both."""


class Unusable(click.ClickException):
    """Ends the command with exit code 2 and this message, without the usage line of a `click.UsageError`."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


def option(*names: str, default: Any = None, **declared: Any) -> Any:
    """A field of a dataclass that is an option of the command: all but its name as `click.option` takes it."""
    return field(default=default, metadata={"names": names, "declared": declared})


def flag(*names: str, help: str) -> bool:
    """A field that is an option without a value."""
    return option(*names, default=False, is_flag=True, help=help)


def gone(name: str, message: str) -> Callable[[_Command], _Command]:
    """An option that was removed: `--help` does not list it, and `message` says what to do instead."""

    def refuse(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(message)

    return click.option(name, hidden=True, expose_value=False, callback=refuse)


def takes(*groups: type, without: Sequence[Contradiction] = ()) -> Callable[[_Command], _Command]:
    """Declares the options of `groups` on a command, which gets one record of each, in this order, before all else.

    Options of the table `without` that do not go together end the command with 2.
    """

    def declare(command: _Command) -> Any:
        @functools.wraps(command)
        def call(**values: Any) -> Any:
            refuse(click.get_current_context(), without)
            records = [_read(each, values) for each in groups]
            return command(*records, **values)

        declared: Any = call
        for each in reversed([each for taken in groups for each in _options_of(taken)]):
            decorate = click.option(
                each.name, *each.metadata["names"], default=each.default, **each.metadata["declared"]
            )
            declared = decorate(declared)
        return declared

    return declare


def _options_of(taken: type) -> Iterator[Field[Any]]:
    return (each for each in fields(taken) if each.metadata)


def _read(taken: type, values: dict[str, Any]) -> Any:
    """The record of a group, whose values are taken out of `values`."""
    return taken(**{each.name: values.pop(each.name) for each in _options_of(taken)})


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether an option stands on the command line."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse(ctx: click.Context, contradictions: Sequence[Contradiction]) -> None:
    """Raises `click.UsageError` for options that do not go together."""
    for one, other, message in contradictions:
        if is_given(ctx, one) and is_given(ctx, other):
            raise click.UsageError(message)


@dataclass(frozen=True, slots=True)
class Output:
    """Text for people, or JSON."""

    form: Literal["text", "json"] = option(
        "--format", type=click.Choice(["text", "json"]), default="text", help="The form of the output."
    )

    @property
    def is_json(self) -> bool:
        """Whether a program reads it."""
        return self.form == "json"


LEVEL = click.Choice([level.value for level in Severity])
PROMPTS = click.option("--prompt", "prompt_ids", multiple=True, metavar="ID", help="Only this prompt. Can be repeated.")
BLUEPRINT_HELP = "The blueprint of a result file. By default, it is found by its name, beside or above the file."
OWN_VERDICTS = "A result file has its own verdicts: --judges-as and --no-stored go with a blueprint."
COLLECTIONS_HELP = "Look for collections of models in FOLDER instead of models/."


def tell(message: str) -> None:
    """Print a line for people on stderr."""
    click.echo(visible(message), err=True)


def finish(text: str, code: int = 0) -> NoReturn:
    """Print the result on stdout, and end: with 1 if something was found or failed, with 2 for unusable input."""
    click.echo(text, nl=False)
    raise SystemExit(code)


def report_once(what: str) -> Callable[[StoreUnavailable], None]:
    """A function that prints on stderr that `what` cannot be read, and why: each reason once."""

    @functools.cache
    def report(reason: str) -> None:
        tell(f"{what} cannot be read: {reason}")

    return lambda error: report(str(error))
