"""The options that name an answer source, and the sources that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from studio.cli.frame import COLLECTIONS_HELP, FILE, Unusable, flag, option

_MAX_BYTES = 16 << 20
_LINE_END = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Where answers come from."""

    models: tuple[str, ...] = option(
        "--model",
        default=(),
        multiple=True,
        metavar="M",
        help="Ask this model, such as openai:gpt-4o-mini, or the models of a collection, such as CORE.",
    )
    ideal: bool = flag("--ideal", help="Use the ideal of each prompt.")
    response: Path | None = option(
        "--response", type=FILE, metavar="FILE", help="Use the text of FILE, for one --prompt."
    )
    control: str | None = option(
        "--control",
        type=click.Choice([kind.value for kind in ControlKind]),
        help="Use a test answer: an empty one, a refusal, an echo of the prompt, or all criteria pasted.",
    )
    fixtures: Path | None = option(
        "--fixtures",
        type=FILE,
        metavar="FILE",
        help="Use saved answers, as written by --record; with --model, those of that model.",
    )
    base_url: str | None = option(
        "--base-url", metavar="URL", help="The address of the server of --model, if it is not at its provider."
    )
    max_tokens: int | None = option(
        "--max-tokens",
        type=click.IntRange(1, MOST_MAX_TOKENS),
        metavar="N",
        help="The limit of tokens in an answer of --model. The default is `max_tokens` of the settings, else 1,500, as "
        "on Weval.",
    )
    collections: Path | None = option("--collections", type=FILE, metavar="FOLDER", help=COLLECTIONS_HELP)


def sources(chosen: SourceOptions, blueprint: Path, *, dry_run: bool = False) -> tuple[AnswerSource, ...]:
    """The sources that the options name for this blueprint: one, or one for each model and member of a collection.

    The server of --base-url is asked for its models where a name may begin with a provider, but for a `dry_run`.
    Raises `click.UsageError` unless there is exactly one kind of source, `Unusable` if one cannot be used.
    """
    kinds = [chosen.ideal, chosen.response is not None, chosen.control is not None, chosen.fixtures is not None]
    if sum(kinds) > 1 or (any(kinds[:3]) and chosen.models):
        raise click.UsageError("Name one source of answers, not several.")
    if chosen.base_url is not None and (any(kinds) or not chosen.models):
        raise click.UsageError("--base-url goes with --model.")
    if chosen.max_tokens is not None and (any(kinds) or not chosen.models):
        raise click.UsageError("--max-tokens goes with --model.")
    if chosen.collections is not None and not chosen.collections.is_dir():
        raise Unusable(f"There is no folder {chosen.collections} for collections of models.")
    if chosen.ideal:
        return (IdealSource(),)
    if chosen.response is not None:
        return (WrittenSource(_text_of(chosen.response)),)
    if chosen.control is not None:
        return (ControlSource(ControlKind(chosen.control)),)
    if chosen.fixtures is not None:
        _refuse_unless_readable(chosen.fixtures)
        return tuple(FixtureSource(chosen.fixtures, model) for model in chosen.models or (None,))
    if chosen.models:
        models = chosen.models
        if chosen.base_url is None:
            models = _expanded(models, blueprint, chosen.collections)
        elif not dry_run:
            models = _names_at(chosen.base_url, models)
        from engine.files.user_settings import Settings

        usual = Settings.load()
        limit = chosen.max_tokens or usual.max_tokens
        return tuple(ModelSource(model, chosen.base_url, limit, usual.answer_seconds) for model in models)
    raise click.UsageError("Say where answers come from: --model, --ideal, --response, --control or --fixtures.")


def _names_at(base_url: str, models: Sequence[str]) -> tuple[str, ...]:
    """What the server at `base_url` calls these models."""
    import asyncio

    from engine.models.http import close_clients
    from engine.models.provider_registry import name_at

    async def names() -> tuple[str, ...]:
        try:
            return tuple([await name_at(base_url, model) for model in models])
        finally:
            await close_clients()

    return asyncio.run(names())


def _refuse_unless_readable(fixtures: Path) -> None:
    """Raises `Unusable` if a file of saved answers cannot be read."""
    from engine.evaluation.fixtures import UnusableFixtures, read_fixtures
    from engine.files.atomic import NotRegular, check_regular

    try:
        check_regular(fixtures, fixtures.stat())
    except FileNotFoundError as error:
        raise Unusable(f"There is no file {fixtures}.") from error
    except NotRegular as error:
        raise Unusable(f"{fixtures} is {error.kind}, not a file.") from error
    except OSError as error:
        raise Unusable(f"{fixtures} cannot be read: {error.strerror}.") from error
    try:
        read_fixtures(fixtures)
    except UnusableFixtures as error:
        raise Unusable(f"The saved answers in {fixtures} cannot be used. {error}") from error


def _expanded(models: Sequence[str], blueprint: Path, folder: Path | None) -> tuple[str, ...]:
    from engine.parsing.model_collections import Collections, expand

    expansion = expand(models, Collections(blueprint, folder).members)
    if expansion.unusable:
        raise Unusable(" ".join(expansion.unusable.values()))
    if not expansion.models:
        raise Unusable(f"There is no model in {', '.join(models)}.")
    return tuple(model for model in expansion.models if isinstance(model, str))


def _text_of(path: Path) -> str:
    """The text of a file without the final newline. Raises `Unusable`."""
    from engine.files.atomic import NotRegular, read_regular

    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8-sig")
    except NotRegular as error:
        raise Unusable(f"{path} is {error.kind}, not a file.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text.") from error
    return _LINE_END.sub("\n", text).removesuffix("\n")
