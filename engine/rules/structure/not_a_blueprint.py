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

# no-prompts

A finished header without any prompt, an empty `prompts:`, or an empty list.

Nothing is asked, so nothing is scored. A header is finished at its `---`, or with a title and a description or models.

Bad:

    title: Rent
    prompts: []

Good:

    title: Rent
    prompts:
      - id: due
        prompt: When is the rent due?
        should:
          - Names the first day of the month

Fix: none.

Documents: Blueprint format, Blueprint Structures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from engine.diagnostics import Severity
from engine.parsing.findings import Kind
from engine.parsing.recognition import FileKind, kind_of, lies_below_blueprints
from engine.patterns import lazy
from engine.rules.rule import Report, Rule
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import first_content_line
from engine.rules.views import FileView

_LOST = (Kind.BAD_STRUCTURE, Kind.PROMPT_LOST, Kind.STRAY_ITEM)


def _check(view: FileView) -> Iterator[Report]:
    path = view.path
    if path is None or not lies_below_blueprints(path) or any(each.rubrics for each in view.blueprint.prompts):
        return
    if any(view.findings_of(Kind.BAD_STRUCTURE)) or _is_without_prompts(view):  # reported there
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


_SEPARATOR = lazy(r"^---(?=\s|\Z)", re.MULTILINE)


def _no_prompts(view: FileView) -> Iterator[Report]:
    if _is_without_prompts(view):
        mapping = header_mapping(view)
        listed = None if mapping is None else mapping.pair("prompts")
        span = first_content_line(view.text) if listed is None else listed.key.span
        yield Report(span, "there is no prompt here yet: a prompt has an `id`, a question and a rubric")


def _is_without_prompts(view: FileView) -> bool:
    """Whether what should be a blueprint has no prompts, not even lost ones, and its header is finished."""
    if view.blueprint.prompts or view.tree.error is not None or any(view.findings_of(*_LOST)):
        return False
    kind, is_below = kind_of(view.parsed), view.path is not None and lies_below_blueprints(view.path)
    if kind not in (FileKind.BLUEPRINT, FileKind.UNDECIDED) and (kind is not FileKind.OTHER or is_below):
        return False
    mapping = header_mapping(view)
    if mapping is None or view.is_json or mapping.pair("prompts") is not None:
        return True
    is_described = mapping.pair("description") is not None or mapping.pair("models") is not None
    has_end = _SEPARATOR.search(view.text, mapping.span.end) is not None
    return has_end or (is_described and mapping.pair("title") is not None)


RULES = (
    Rule(
        code="S041",
        slug="no-prompts",
        title="Header without a prompt",
        severity=Severity.WARNING,
        why="Nothing is asked, so nothing is scored.",
        on_file=_no_prompts,
    ),
    Rule(
        code="S035",
        slug="not-a-blueprint",
        severity=Severity.WARNING,
        why="Weval runs and scores it like a blueprint, or refuses it. Keep it outside `blueprints/`.",
        on_file=_check,
        on_collection=_check,
    ),
)
