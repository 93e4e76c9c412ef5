"""A blueprint named on the command line, and its selected prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.text.record import Record
from engine.text.spans import LineIndex, positions
from studio.cli.frame import Unusable, tell

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.parsing import Parsed

_SHARED_ID = (
    "{count} prompts share the id {id}: Weval judges the last one's answer by the first one's points. "
    "Here each is judged by its own; in results the later ones are named {id}#2 and so on."
)


_CUT_OFF = "Its rubric is cut off, so a score would cover only a part of it. `studio check` shows the place."
_UNREAD = (
    "This part of the file cannot be read, so a prompt is missing here, and in the blueprint's score. "
    "`studio check` shows why."
)


class NamedBlueprint(Record):
    """A blueprint named on the command line. `refused`: Weval does not run it, so the exit code is 1."""

    parsed: Parsed
    refused: bool

    def chosen(self, ids: Sequence[str]) -> tuple[Prompt, ...]:
        """The prompts with these ids that can be run, in the order of the file. Raises `Unusable`."""
        return tuple(prompt for prompt in chosen_prompts(self.parsed, ids) if not prompt.is_cut_off)

    def not_run(self, ids: Sequence[str]) -> dict[str, str]:
        """The prompts with these ids that a YAML error cuts off, and why they are not run."""
        return {prompt.id: _CUT_OFF for prompt in chosen_prompts(self.parsed, ids) if prompt.is_cut_off}

    def unread(self) -> dict[str, str]:
        """The lines of the parts that cannot be read, and what that does to a result."""
        places = positions(self.parsed.text, self.parsed.broken.unread)
        return {f"line {place.line + 1}": _UNREAD for place in places}


def read_blueprint(path: Path, content: bytes | None = None, name: str | None = None) -> NamedBlueprint:
    """The blueprint at `path`. Prints on stderr why Weval refuses it, and which parts cannot be read.

    `content` is read in place of the file, and messages call it `name`. Raises `Unusable` if no prompt can be read.
    """
    from engine.files.open_files import CannotOpen, open_content, open_file
    from engine.parsing import parse

    name = name or str(path)
    try:
        opened = open_file(path) if content is None else open_content(path, content)
    except CannotOpen as error:
        raise Unusable(f"{name}: {error.title} {error.advice}".strip()) from error
    if not opened.text.strip():
        raise Unusable(f"{name} is empty: a blueprint has at least one prompt.")
    if "\0" in opened.text:
        raise Unusable(f"{name} is not a text file. Name a file that ends in .yml, .yaml or .json.")
    parsed = parse(opened.text, path)
    if parsed.tree.is_refused:
        raise Unusable(_too_large(name, parsed))
    refused = _report_refusal(name, parsed)
    for prompt_id, count in Counter(prompt.id for prompt in parsed.blueprint.prompts).items():
        if count > 1:
            tell(_SHARED_ID.format(count=count, id=prompt_id))
    if not parsed.blueprint.prompts:
        raise Unusable(f"There is no prompt in {name}.")
    return NamedBlueprint(parsed, refused)


def _too_large(name: str, parsed: Parsed) -> str:
    (found,) = parsed.tree.diagnostics
    line = LineIndex(parsed.text).position(found.span.start).line + 1
    return f"{name}:{line}: {found.message}. {found.why}"


def _report_refusal(name: str, parsed: Parsed) -> bool:
    """Whether Weval refuses the file. Prints the reason, and the parts that cannot be read."""
    refusal = parsed.weval.refusal
    if refusal is None:
        return False
    lines = LineIndex(parsed.text)
    reasons = [(refusal.offset, f"Weval refuses this file: {refusal.message}")]
    if parsed.tree.error is not None:
        unread = [each for each in parsed.tree.diagnostics if each.slug != "duplicate-key"]
        reasons += [(each.span.start, f"This part cannot be read: {each.message}.") for each in unread]
    for offset, message in reasons:
        tell(f"{name}:{lines.position(offset).line + 1}: {message}")
    return True


def chosen_prompts(parsed: Parsed, ids: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts with these ids, in the order of the file; all if none is named. Raises `Unusable`."""
    prompts = parsed.blueprint.prompts
    known = {prompt.id for prompt in prompts}
    for prompt_id in ids:
        if prompt_id not in known:
            raise Unusable(f"There is no prompt {prompt_id}. There are: {', '.join(sorted(known))}.")
    return tuple(prompt for prompt in prompts if not ids or prompt.id in ids)
