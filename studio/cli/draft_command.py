"""`studio draft`: points for a prompt that has an ideal and none, drafted by a judge's model, as YAML to insert."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from engine.text.spans import visible
from studio.cli.frame import finish, option, takes, tell
from studio.cli.options import Counted, Limits, OptionsApproval, Permissions, panel_of

if TYPE_CHECKING:
    from engine.asking.planned import Wanted
    from engine.judging.judge_runner import Draft

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@dataclass(frozen=True)
class _Draft(Limits):
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

    The prompt's messages and its ideal go to the model of the first judge, which is named on stderr first, with the
    price. FILE is unchanged.

    Exit code: 0 for points, 1 for none, 2 for a usage or input error.
    """
    from engine.asking.planned import Wanted
    from engine.blueprint.conversation import conversation
    from engine.judging.judge_runner import Draft
    from engine.rules.rubric_edits import why_not
    from studio.cli.inputs import chosen_prompts, read_blueprint

    parsed = read_blueprint(file).parsed
    header = parsed.blueprint.header
    (prompt, *_) = chosen_prompts(parsed, (asked.prompt_id,))
    if (reason := why_not(prompt)) is not None:
        raise click.UsageError(visible(reason))
    model = panel_of(header, Counted(judges_as=asked.judges_as)).judges[0].model
    draft = Draft(prompt, model, conversation(prompt, header).system)
    asyncio.run(_print_draft(draft, Wanted(parsed.blueprint, draft=draft), asked))


async def _print_draft(draft: Draft, wanted: Wanted, limits: Limits) -> None:
    from engine.judging.judge_runner import DraftedPoints, DraftFailure, draft_points
    from engine.rules.rubric_edits import as_yaml

    planned = await OptionsApproval(limits, Permissions()).approve(wanted)
    if planned is None:
        return
    if planned.plan.unreachable:
        finish("", 2)
    match await draft_points(draft, providers=planned.models):
        case DraftedPoints(points):
            finish(visible(as_yaml(points)))
        case DraftFailure(message, advice):
            tell(f"{draft.model} {message}. {advice}".strip())
            finish("", 1)
