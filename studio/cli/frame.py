"""What all commands share: options as fields of records, which of them exclude each other, and how a command ends."""

from __future__ import annotations

import functools
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NoReturn, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from engine.text.spans import visible

FILE = click.Path(path_type=Path)
"""A path that need not be there."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Unusable(click.ClickException):
    """Ends the command with exit code 2 and this message, without the usage line of a `click.UsageError`."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


# --- Options


def option(names: str, help: str, metavar: str | None = None, default: Any = None, **declared: Any) -> Any:
    """A field of a record that is an option of the command, with these `names`.

    Its annotation says what it takes: `bool` nothing, a tuple several, an enum or `Literal` one of these, a `Path` one
    that need not be there. All else is declared as for `click.option`.
    """
    metadata = {"names": names.split(), "declared": {"help": help, "metavar": metavar, **declared}}
    return field(default=default, metadata=metadata)


def flag(names: str, help: str) -> bool:
    """A field that is an option without a value."""
    return option(names, help, default=False)


def gone(name: str, message: str) -> Callable[[_Command], _Command]:
    """An option that was removed: `--help` does not list it, and `message` says what to do instead."""

    def refuse(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(message)

    return click.option(name, hidden=True, expose_value=False, callback=refuse)


def takes(group: type) -> Callable[[_Command], _Command]:
    """Declares the options of a record on a command, which gets a record of it before all else."""

    def declare(command: _Command) -> Any:
        @functools.wraps(command)
        def call(**values: Any) -> Any:
            record = group(**{name: values.pop(name) for name, _, _ in _options_of(group)})
            return command(record, **values)

        declared: Any = call
        for name, kind, each in reversed([*_options_of(group)]):
            names, more = each.metadata["names"], each.metadata["declared"]
            declared = click.option(name, *names, **{"default": each.default, **_declared(kind), **more})(declared)
        return declared

    return declare


def _options_of(taken: type) -> Iterator[tuple[str, Any, Field[Any]]]:
    """The name, the kind and the field of each option."""
    kinds = get_type_hints(taken)
    for each in fields(taken):
        if each.metadata:
            kind = kinds[each.name]
            if NoneType in get_args(kind):
                (kind,) = (one for one in get_args(kind) if one is not NoneType)
            yield each.name, kind, each


def _declared(kind: Any) -> dict[str, Any]:
    """What the annotation of a field says of its option."""
    if kind is bool:
        return {"is_flag": True}
    if get_origin(kind) in (tuple, frozenset):
        return {"multiple": True}
    if get_origin(kind) is Literal or issubclass(kind, StrEnum):
        return {"type": _Choice(get_args(kind) or kind)}
    return {"type": FILE if kind is Path else kind}


class _Choice(click.Choice[Any]):
    """A choice among texts, or among the members of an enum by their values."""

    def normalize_choice(self, choice: Any, ctx: click.Context | None) -> str:
        return str(choice)


@dataclass_transform(frozen_default=True)
class Options:
    """The base class of the records of options that commands take."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Prompts(Options):
    """The prompts that are chosen: all if none is."""

    prompt_ids: tuple[str, ...] = option("--prompt", "Only this prompt. Can be repeated.", "ID", default=())


class Output(Options):
    """Text for people, or JSON."""

    form: Literal["text", "json"] = option("--format", "The form of the output.", default="text")

    @property
    def is_json(self) -> bool:
        """Whether a program reads it."""
        return self.form == "json"


BLUEPRINT_HELP = "The blueprint of a result file. By default, it is found by its name, beside or above the file."
COLLECTIONS_HELP = "Look for collections of models in FOLDER instead of models/."


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The slugs and codes of rules that begin with the last of several names, each with what the rule looks for.

    Names are separated by commas. Those that stand there already are left out; codes are offered once a capital letter
    is typed.
    """
    from engine.rules.registry import ALL

    before, comma, start = incomplete.rpartition(",")
    earlier = ctx.params.get(param.name or "")
    several = [before, *(earlier if isinstance(earlier, tuple | list) else ())]
    taken = {name.strip().lower() for each in several for name in str(each).split(",")}
    by_code = start[:1].isupper()
    return [
        CompletionItem(f"{before}{comma}{rule.code if by_code else rule.slug}", help=rule.summary)
        for rule in ALL
        if (rule.code if by_code else rule.slug).startswith(start) and not taken & {rule.slug, rule.code.lower()}
    ]


# --- Options that do not go together

_SEVERAL = "Name one source of answers, not several."
_IN_RESULT = "A result file has its answers in it: only --prompt and --model choose among them."
_READ_ALONE = "--read takes grades back, and cannot be combined with --sheet, --size or --seed."
_JUDGED_AS_NAMED = "--less and --judge go with one result file; with NEW, --judge can be configured."
_LIMITS = "--most-usd|--most-requests|--dry-run"

CONTRADICTIONS = (
    # check
    ("STDIN PATHS !PATHS=1", "- reads standard input and is checked alone: leave out the other paths."),
    ("!STDIN --stdin-filename", "--stdin-filename names what - reads from standard input: leave out the other paths."),
    ("--fix --diff", "--fix writes the changes and --diff only shows them: give one of the two."),
    ("--diff --statistics", "--diff shows changes and reports no problems: leave out --statistics."),
    ("--diff --baseline", "--diff shows changes and reports no problems: leave out --baseline."),
    ("--watch --fix", "--watch only reports: leave out --fix."),
    ("--watch --diff", "--watch reports problems: leave out --diff."),
    ("--watch --write-baseline", "--watch only reports: leave out --write-baseline."),
    ("--watch --fail-on", "--watch ends with Ctrl+C and exits with 0: leave out --fail-on."),
    ("--watch --exit-zero", "--watch ends with Ctrl+C and exits with 0: leave out --exit-zero."),
    ("--watch --format !--format=text", "--watch prints text: leave out --format."),
    ("--watch STDIN", "--watch is for files: standard input is read once."),
    ("--fail-on --exit-zero", "--exit-zero exits with 0 whatever is found: leave out --fail-on."),
    ("--write-baseline !--baseline", "--write-baseline needs the file: --baseline FILE --write-baseline."),
    ("--write-baseline STDIN", "--write-baseline is for files: it does not go with standard input."),
    (
        "--baseline STDIN !--stdin-filename",
        "--baseline knows problems by their file: name standard input with --stdin-filename.",
    ),
    # of a result file: explain, report
    ("RESULT --ideal|--response|--control|--fixtures|--base-url|--max-tokens|--collections", _IN_RESULT),
    ("RESULT --allow-host|--allow-private", "Nothing is sent for a result file, so there is no host to allow."),
    (
        "RESULT --judges-as|--no-stored",
        "A result file has its own verdicts: --judges-as and --no-stored go with a blueprint.",
    ),
    ("BLUEPRINT --blueprint", "--blueprint goes with a result file: it names the blueprint that was run."),
    # sources of answers: run, explain
    ("--ideal --response|--control|--fixtures|--model", _SEVERAL),
    ("--response --control|--fixtures|--model", _SEVERAL),
    ("--control --fixtures|--model", _SEVERAL),
    ("--base-url !--model|--fixtures", "--base-url goes with --model."),
    ("--max-tokens !--model|--fixtures", "--max-tokens goes with --model."),
    (
        "run|explain BLUEPRINT !--model !--ideal !--response !--control !--fixtures",
        "Say where answers come from: --model, --ideal, --response, --control or --fixtures.",
    ),
    ("explain BLUEPRINT !--prompt", "Name the prompt to explain with --prompt."),
    ("run --response !--prompt=1", "--response is the answer to one prompt: name it with --prompt."),
    ("--repeat !--repeat=1 !--model|--fixtures", "--repeat goes with --model: only a model gives another answer."),
    # judges: run, test
    ("--judge-again !--judge=configured", "--judge-again goes with --judge configured."),
    ("--judge-repeat !--judge-repeat=1 !--judge=configured", "--judge-repeat goes with --judge configured."),
    # compare
    (f"compare !NEW {_LIMITS}", "Nothing is sent for one result file, so there is nothing to limit."),
    ("compare !NEW --old-model", "--old-model goes with two result files."),
    ("compare NEW --less", _JUDGED_AS_NAMED),
    ("compare NEW --judge !--judge=off !--judge=configured", _JUDGED_AS_NAMED),
    (
        f"compare NEW !--judge=configured {_LIMITS}",
        "Nothing is sent without --judge configured, so there is nothing to limit.",
    ),
    (
        "compare NEW --judge=configured --no-stored",
        "--judge configured stores verdicts, which --no-stored leaves out: choose one.",
    ),
    # diff
    ("OLD=- NEW=-", "Only one of OLD and NEW can be standard input."),
    # grading
    ("--read --sheet|--size|--seed", _READ_ALONE),
    ("--read !--by", "--read needs --by NAME: the grades are saved under the name of who gave them."),
    ("--by !--read", "--by goes with --read."),
)
"""What does not go together, and the sentence for whoever gives it; the first that holds is shown.

Each word is an option that is given, also with its value (of one that is repeated, how often), an argument in capitals,
the name of a command, or a fact in capitals that it knows. `!` denies one, `|` stands between several of which one is
enough.
"""


def refuse(*facts: str) -> None:
    """Raises `click.UsageError` if options of the running command, of which these facts hold, do not go together."""
    context = click.get_current_context()
    known = {context.command.name, *facts, *_given(context)}
    for together, message in CONTRADICTIONS:
        words = (each.split("|") for each in together.split())
        if all(any((word[0] == "!") != (word.lstrip("!") in known) for word in each) for each in words):
            raise click.UsageError(message)


def _given(context: click.Context) -> Iterator[str]:
    """The options and arguments on the command line; a blank value is none."""
    for each in context.command.params:
        value = context.params.get(each.name or "")
        is_blank = value == () or (isinstance(value, str) and not value.strip())
        if each.name and not is_blank and context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE:
            name = each.opts[-1] if isinstance(each, click.Option) else each.name.upper()
            yield from (name, f"{name}={len(value) if isinstance(value, tuple) else value}")


# --- How a command ends


def tell(message: str) -> None:
    """Print a line for people on stderr."""
    click.echo(visible(message), err=True)


def finish(text: str, code: int = 0) -> NoReturn:
    """Print the result on stdout, and end: with 1 if something was found or failed, with 2 for unusable input."""
    click.echo(text, nl=False)
    raise SystemExit(code)


def write(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a file that the author named. Raises `Unusable`."""
    from engine.files.open_files import write_author_file

    try:
        write_author_file(path, text.encode(encoding))
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror or error}.") from error


def report_once(*sentences: str) -> Callable[[Exception], None]:
    """A function that prints these on stderr, each with the reason behind a colon: each reason once."""

    @functools.cache
    def report(reason: str) -> None:
        for sentence in sentences:
            tell(f"{sentence}: {reason}")

    return lambda error: report(str(error))


_BEFORE_LAST_COLUMN = re.compile(r".* {2,}(?=\S)")
"""All of a line up to its last gap of two blanks or more, its indentation included."""
_HANGING = 2


def wrapped(text: str) -> str:
    """`text` for stdout: in a terminal each line is wrapped below its last column; on a pipe it stays one line.

    Keys in it are starred out.
    """
    from engine.models.secret import without_keys

    text = without_keys(text)
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(piece for line in text.split("\n") for piece in _pieces(line, width))


def _pieces(line: str, width: int) -> list[str]:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    if cell_len(line) <= width:
        return [line]
    found = _BEFORE_LAST_COLUMN.match(line)
    lead = "" if found is None else found[0]
    if not 0 < (margin := cell_len(lead)) <= width // 2:
        margin, lead = len(line) - len(line.lstrip()) + _HANGING, ""
    console = Console(width=width)
    pieces = [each.plain.rstrip() for each in Text(line[len(lead) :]).wrap(console, width - margin)]
    return [f"{' ' * margin if number else lead}{each}" for number, each in enumerate(pieces)]
