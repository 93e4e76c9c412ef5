"""What commands read: blueprints with their selected prompts, result files, standard input, and what is stored here."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from engine.files.atomic import NotRegular, read_regular
from engine.files.open_files import CannotOpen, open_content, open_file
from engine.text.record import Record
from engine.text.spans import positions
from engine.text.text_limits import FILE_BYTES
from studio.cli.frame import Unusable, tell

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.results import StoredResult
    from engine.parsing import Parsed
    from engine.store import StoreUnavailable
    from studio.session.evaluator import Cache
    from studio.session.resources import Resources

_Arguments = ParamSpec("_Arguments")
_Read = TypeVar("_Read")
_SHARED_ID = (
    "{count} prompts share the id {id}: Weval judges the last one's answer by the first one's criteria. "
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

    def not_run(self, ids: Sequence[str]) -> list[tuple[Prompt, str]]:
        """The prompts with these ids that a YAML error cuts off, and why they are not run."""
        return [(prompt, _CUT_OFF) for prompt in chosen_prompts(self.parsed, ids) if prompt.is_cut_off]

    def unread(self) -> dict[str, str]:
        """The lines of the parts that cannot be read, and what that does to a result."""
        places = positions(self.parsed.text, self.parsed.broken.unread)
        return {f"line {place.line + 1}": _UNREAD for place in places}


def read_blueprint(path: Path, content: bytes | None = None, name: str | None = None) -> NamedBlueprint:
    """The blueprint at `path`. Prints on stderr why Weval refuses it, and which parts cannot be read.

    `content` is read in place of the file, and messages call it `name`. Raises `Unusable` if no prompt can be read.
    """
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
        (found,) = parsed.tree.diagnostics
        raise Unusable(f"{name}:{parsed.line(found.span.start)}: {found.message}. {found.why}")
    refusal = parsed.weval.refusal
    reasons = [] if refusal is None else [(refusal.offset, f"Weval refuses this file: {refusal.message}")]
    if refusal is not None and parsed.tree.error is not None:
        unread = (each for each in parsed.tree.diagnostics if each.slug != "duplicate-key")
        reasons += [(each.span.start, f"This part cannot be read: {each.message}.") for each in unread]
    for offset, message in reasons:
        tell(f"{name}:{parsed.line(offset)}: {message}")
    for prompt_id, count in Counter(prompt.id for prompt in parsed.blueprint.prompts).items():
        if count > 1:
            tell(_SHARED_ID.format(count=count, id=prompt_id))
    if not parsed.blueprint.prompts:
        raise Unusable(f"There is no prompt in {name}.")
    return NamedBlueprint(parsed, refusal is not None)


def chosen_prompts(parsed: Parsed, ids: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts with these ids, in the order of the file; all if none is named. Raises `Unusable`."""
    prompts = parsed.blueprint.prompts
    known = {prompt.id for prompt in prompts}
    for prompt_id in ids:
        if prompt_id not in known:
            raise Unusable(f"There is no prompt {prompt_id}. There are: {', '.join(sorted(known))}.")
    return tuple(prompt for prompt in prompts if not ids or prompt.id in ids)


def of_result(read: Callable[_Arguments, _Read], *arguments: _Arguments.args, **more: _Arguments.kwargs) -> _Read:
    """What `read` makes of a result file, whose path is its first argument. Raises `Unusable`."""
    from engine.evaluation.results import UnusableResult

    try:
        return read(*arguments, **more)
    except UnusableResult as error:
        raise Unusable(f"{arguments[0]}: {error}") from error


def read_named(path: Path, most_bytes: int) -> bytes:
    """The content of a file that the author named. Raises `Unusable`."""
    try:
        return read_regular(path, most_bytes)
    except NotRegular as error:
        raise Unusable(f"{path} is {error.kind}, not a file.") from error
    except FileNotFoundError as error:
        raise Unusable(f"There is no file {path}.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from error


STANDARD_INPUT = Path("-")
"""The path that stands for standard input."""


def read_standard_input() -> bytes:
    """Standard input, up to the limit of a blueprint and one byte more; nothing if it is closed."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read(FILE_BYTES + 1)


# --- What is stored on this machine


@contextmanager
def stored(report: Callable[[StoreUnavailable], None], *, without: bool = False) -> Generator[tuple[Resources, Cache]]:
    """V8 and the database, and its cache, until the end of the block. `report` is called with errors of the database.

    `without`: no stored verdict or grade is found.
    """
    from studio.session.evaluator import Cache
    from studio.session.resources import Resources

    resources = Resources()
    try:
        yield resources, Cache(resources.store, report, without_stored=without)
    finally:
        resources.close()


def mark_results_shown(results: Iterable[StoredResult]) -> None:
    """Record that these results are shown now, for every prompt on this machine that has their answers. Blocks."""
    if texts := [each.response for each in results if each.response is not None]:
        with stored(report_unrecorded) as (_, cache):
            cache.mark_texts_shown(texts)


def report_unrecorded(error: StoreUnavailable) -> None:
    """Print that the database does not take what was shown."""
    tell(f"It cannot be recorded which answers were shown: {error}")
