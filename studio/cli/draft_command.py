"""`studio draft`: points for a prompt that has an ideal and none, drafted by a judge's model, as YAML to insert."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import click

from engine.text.spans import visible
from studio.cli.frame import Unusable, finish, option, takes, tell

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@dataclass(frozen=True)
class _Draft:
    """For which prompt, and by whom."""

    prompt_id: str = option("--prompt", "The prompt, which has an ideal and no points.", "ID", required=True)
    judges_as: Literal["documented", "weval"] = option(
        "--judges-as", "Whose model is asked if the blueprint names no judges.", default="documented", show_default=True
    )


@click.command("draft")
@click.argument("file", type=_FILE)
@takes(_Draft)
def command(asked: _Draft, file: Path) -> None:
    """Draft points for a prompt from its ideal, and print them as YAML to insert.

    The prompt's messages and its ideal go to the model of the first judge, which is named on stderr first. FILE is
    unchanged.

    Exit code: 0 for points, 1 for none, 2 for a usage or input error.
    """
    from engine.blueprint.conversation import conversation
    from engine.judging.judge_runner import DraftedPoints, DraftFailure, draft_points
    from engine.models.chat import ProviderError
    from engine.models.provider_registry import resolve
    from engine.rules.rubric_edits import as_yaml, why_not
    from studio.cli.inputs import chosen_prompts, read_blueprint
    from studio.cli.options import Counted, panel_of

    parsed = read_blueprint(file).parsed
    header = parsed.blueprint.header
    (prompt, *_) = chosen_prompts(parsed, (asked.prompt_id,))
    if (reason := why_not(prompt)) is not None:
        raise click.UsageError(visible(reason))
    model = panel_of(header, Counted(judges_as=asked.judges_as)).judges[0].model
    providers = partial(resolve, custom=header.models)
    try:
        recipient = providers(model, None)[0].recipient
    except ProviderError as error:
        raise Unusable(f"{model}: {error.title} {error.advice}".strip()) from error
    tell(f"The messages of {prompt.id} and its ideal go to {recipient}, asked as {model}.")
    system = conversation(prompt, header).system
    match asyncio.run(draft_points(prompt, model, providers=providers, system=system)):
        case DraftedPoints(points):
            finish(visible(as_yaml(points)))
        case DraftFailure(message, advice):
            tell(f"{model} {message}. {advice}".strip())
            finish("", 1)
