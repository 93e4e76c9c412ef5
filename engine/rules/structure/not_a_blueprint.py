"""# not-a-blueprint

A file below `blueprints/` that is not a blueprint.

Weval reads every `.yml`, `.yaml` and `.json` file below a folder `blueprints/` as a blueprint and runs it on a
schedule. A result file, a recording of answers, a list of tags or a settings file there is run and scored like one, or
refused. A blueprint is, as for `studio check FOLDER`, a list of prompts, or a header with prompts.

Bad:

    # blueprints/rent.yml
    title: Rent

Good:

    # blueprints/rent.yml
    title: Rent
    ---
    - id: due
      prompt: When is the rent due?
      should:
        - Names the first day of the month

Fix: none. Move the file out of `blueprints/`, or write its prompts.

Documents: Blueprint format, How the Parser Interprets Structures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine.diagnostics import Severity
from engine.parsing.findings import Kind
from engine.parsing.recognition import FileKind, kind_of, lies_below_blueprints
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_content_line
from engine.rules.views import FileView


def _check(view: FileView) -> Iterator[Report]:
    path = view.path
    if path is None or not lies_below_blueprints(path) or any(each.rubrics for each in view.blueprint.prompts):
        return
    if any(view.findings_of(Kind.BAD_STRUCTURE)):  # reported there, in more detail
        return
    kind = kind_of(view.parsed)
    message = _message(kind)
    if message is not None:
        severity = Severity.HINT if kind is FileKind.UNDECIDED else None
        yield Report(first_content_line(view.text), message, severity=severity, flagged=True)


def _message(kind: FileKind) -> str | None:
    match kind:
        case FileKind.BLUEPRINT:
            return None
        case FileKind.UNDECIDED:
            return "there are no prompts here yet, but Weval runs every file below `blueprints/`"
        case FileKind.OTHER:
            return "this is not a blueprint, but Weval runs every file below `blueprints/` as one"
        case FileKind.COLLECTION | FileKind.RESULT | FileKind.RECORDING:
            return f"this is a {kind.value}, but Weval runs every file below `blueprints/` as a blueprint"
        case _:
            assert_never(kind)


RULES = (
    Rule(
        code="S035",
        slug="not-a-blueprint",
        severity=Severity.WARNING,
        why="Weval runs and scores it like a blueprint, or refuses it. Keep it outside `blueprints/`.",
        on_file=_check,
        on_collection=_check,
    ),
)
