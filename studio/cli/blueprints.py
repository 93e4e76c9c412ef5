"""A blueprint named on the command line, and the prompts of it that are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import LineIndex, visible
from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.parsing import Parsed

_SHARED_ID = (
    "{count} prompts share the id {id}: Weval judges the last one's answer by the first one's points. "
    "Here each is judged by its own; in results the later ones are named {id}#2 and so on."
)


def read_blueprint(path: Path) -> Parsed:
    """The blueprint at `path`; what cannot be read of it is told on stderr. Raises `Unusable`."""
    from engine.parsing import parse
    from engine.workspace import CannotOpen, open_file

    try:
        opened = open_file(path)
    except CannotOpen as error:
        raise Unusable(f"{path}: {error.title} {error.advice}".strip()) from error
    if not opened.text.strip():
        raise Unusable(f"{path} is empty: a blueprint has at least one prompt.")
    if "\0" in opened.text:
        raise Unusable(f"{path} is no text, so it is no blueprint. Name a file that ends in .yml, .yaml or .json.")
    parsed = parse(opened.text, path)
    if parsed.weval.error is not None:
        line = LineIndex(opened.text).position(parsed.weval.error.offset).line + 1
        click.echo(visible(f"{path}:{line}: Weval refuses this file: {parsed.weval.error.message}"), err=True)
    for prompt_id, count in Counter(prompt.id for prompt in parsed.blueprint.prompts).items():
        if count > 1:
            click.echo(visible(_SHARED_ID.format(count=count, id=prompt_id)), err=True)
    if not parsed.blueprint.prompts:
        raise Unusable(f"There is no prompt in {path}.")
    return parsed


def chosen_prompts(parsed: Parsed, ids: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts with these ids, in the order of the file; all where none is named. Raises `Unusable`."""
    prompts = parsed.blueprint.prompts
    known = {prompt.id for prompt in prompts}
    for prompt_id in ids:
        if prompt_id not in known:
            raise Unusable(f"There is no prompt {prompt_id}. There are: {', '.join(sorted(known))}.")
    return tuple(prompt for prompt in prompts if not ids or prompt.id in ids)
