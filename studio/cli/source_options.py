"""The options by which a command says where answers come from, and the sources that they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from engine.evaluation.sources import (
    MOST_MAX_TOKENS,
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from studio.cli.unusable import Unusable

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Asked:
    """The source options as given."""

    models: tuple[str, ...] = ()
    ideal: bool = False
    response: Path | None = None
    control: str | None = None
    fixtures: Path | None = None
    base_url: str | None = None
    collections: Path | None = None
    max_tokens: int | None = None


NOTHING_ASKED = Asked()


_OPTIONS = (
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="M",
        help="Ask this model, such as openai:gpt-4o-mini, or the models of a collection, such as CORE.",
    ),
    click.option("--ideal", is_flag=True, help="Use the ideal of each prompt."),
    click.option("--response", type=_FILE, metavar="FILE", help="Use the text of FILE, for one --prompt."),
    click.option(
        "--control",
        type=click.Choice([kind.value for kind in ControlKind]),
        help="Use a test answer: an empty one, a refusal, an echo of the prompt, or all criteria pasted.",
    ),
    click.option(
        "--fixtures",
        type=_FILE,
        metavar="FILE",
        help="Use saved answers, as written by --record; with --model, those of that model.",
    ),
    click.option(
        "--base-url", metavar="URL", help="The address of the server of --model, if it is not at its provider."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1, MOST_MAX_TOKENS),
        metavar="N",
        help="The most tokens of an answer of --model. The default is `max_tokens` of the settings, else 1,500, as "
        "on Weval.",
    ),
    click.option(
        "--collections",
        type=_FILE,
        metavar="FOLDER",
        help="Look for collections of models in FOLDER instead of models/.",
    ),
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that name an answer source; the command takes them by the names of `Asked`'s fields."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def sources(asked: Asked, blueprint: Path) -> tuple[AnswerSource, ...]:
    """What the options name for this blueprint: one source, or one per model, those of collections included.

    Raises `click.UsageError` unless it is exactly one kind.
    """
    kinds = [asked.ideal, asked.response is not None, asked.control is not None, asked.fixtures is not None]
    if sum(kinds) > 1 or (any(kinds[:3]) and asked.models):
        raise click.UsageError("Name one source of answers, not several.")
    if asked.base_url is not None and (any(kinds) or not asked.models):
        raise click.UsageError("--base-url goes with --model.")
    if asked.max_tokens is not None and (any(kinds) or not asked.models):
        raise click.UsageError("--max-tokens goes with --model.")
    if asked.collections is not None and not asked.collections.is_dir():
        raise Unusable(f"There is no folder {asked.collections} for collections of models.")
    if asked.ideal:
        return (IdealSource(),)
    if asked.response is not None:
        return (WrittenSource(_text_of(asked.response)),)
    if asked.control is not None:
        return (ControlSource(ControlKind(asked.control)),)
    if asked.fixtures is not None:
        _refuse_unless_readable(asked.fixtures)
        return tuple(FixtureSource(asked.fixtures, model) for model in asked.models or (None,))
    if asked.models:
        models = asked.models if asked.base_url is not None else _expanded(asked.models, blueprint, asked.collections)
        most = asked.max_tokens or _usual_tokens()
        return tuple(ModelSource(model, asked.base_url, most) for model in models)
    raise click.UsageError("Say where answers come from: --model, --ideal, --response, --control or --fixtures.")


def _usual_tokens() -> int | None:
    """The most tokens of an answer by the settings; None for as many as on Weval."""
    from engine.workspace.user_settings import Settings

    return Settings.load().max_tokens


def _refuse_unless_readable(fixtures: Path) -> None:
    """Raises `Unusable` where a file of saved answers cannot be used: no prompt would get any."""
    from engine.evaluation.fixtures import UnusableFixtures, read_fixtures

    if not fixtures.is_file():
        raise Unusable(f"{fixtures} is a folder, not a file." if fixtures.is_dir() else f"There is no file {fixtures}.")
    try:
        read_fixtures(fixtures)
    except UnusableFixtures as error:
        raise Unusable(f"The saved answers in {fixtures} cannot be used. {error}") from error


def _expanded(models: Sequence[str], blueprint: Path, folder: Path | None) -> tuple[str, ...]:
    from engine.model_collections import Collections, expand

    expansion = expand(models, Collections(blueprint, folder).members)
    if expansion.problems:
        raise Unusable(" ".join(expansion.problems))
    if not expansion.models:
        raise Unusable(f"There is no model in {', '.join(models)}.")
    return tuple(model for model in expansion.models if isinstance(model, str))


def _text_of(path: Path) -> str:
    """The text of a file without the line end that editors put behind the last line."""
    if path.is_dir():
        raise Unusable(f"{path} is a folder, not a file.")
    try:
        return path.read_text("utf-8-sig").removesuffix("\n")
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text.") from error
