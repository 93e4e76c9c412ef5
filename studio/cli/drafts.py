"""`studio draft`: points for a prompt that has an ideal and none, drafted by a judge's model, as YAML to insert."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from engine.asking.planner import Wanted
from engine.blueprint.conversation import conversation
from engine.judging.judge_runner import Draft, DraftFailure, draft_points
from engine.rules.rubric_edits import as_yaml, why_not
from engine.text.spans import visible
from studio.cli.frame import finish, tell
from studio.cli.inputs import chosen_prompts, read_blueprint
from studio.cli.options import Counted, Drafted, Limits, OptionsApproval, Permissions, panel_of


def drafted(file: Path, asked: Drafted) -> None:
    """Print the points that a model drafts; the exit code is 1 for none. Raises `Unusable`."""
    parsed = read_blueprint(file).parsed
    header = parsed.blueprint.header
    (prompt, *_) = chosen_prompts(parsed, (asked.prompt_id,))
    if (reason := why_not(prompt)) is not None:
        raise click.UsageError(visible(reason))
    model = panel_of(header, Counted(judges_as=asked.judges_as)).judges[0].model
    draft = Draft(prompt, model, conversation(prompt, header).system)
    asyncio.run(_ask(draft, Wanted(parsed.blueprint, draft=draft), asked))


async def _ask(draft: Draft, wanted: Wanted, limits: Limits) -> None:
    planned = await OptionsApproval(limits, Permissions()).approve(wanted)
    if planned is None:
        return
    if planned.plan.unreachable:  # the plan has said why
        finish("", 2)
    found = await draft_points(draft, providers=planned.models)
    if isinstance(found, DraftFailure):
        tell(f"{draft.model} {found.message}. {found.advice}".strip())
        finish("", 1)
    finish(visible(as_yaml(found)))
