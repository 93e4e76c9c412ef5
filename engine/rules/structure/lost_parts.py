"""# header-lost: Header read as a prompt

The first document looks like a header, but has a key (`ideal`, `points`) that makes Weval read it as a prompt.

Its title, its models and all its settings are lost, and one more prompt is run and scored.

Bad:

    title: Capitals of Africa
    ideal: Short answers
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals of Africa
    description: Short answers
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Move the key to the prompts that it was meant for.

Documents: Blueprint format, How the Parser Interprets Structures. It says the opposite; this is what Weval does.

# prompt-lost: Prompt read as a header

The first document looks like a prompt, but has none of the keys by which Weval recognises one, so it is read as the
header.

This prompt is never run, and its rubric never counts.

Bad:

    promptText: What is the capital of Kenya?
    should_not:
      - Names Mombasa
    ---
    prompt: What is the capital of Ghana?

Good:

    prompt: What is the capital of Kenya?
    should_not:
      - Names Mombasa
    ---
    prompt: What is the capital of Ghana?

Fix: none. Write `prompt:`.

Documents: Blueprint format, How the Parser Interprets Structures.

# bad-structure

The file, or a part of it, has none of the four structures that a blueprint can have.

Weval refuses it, or finds no prompt in it.

Bad:

    just a sentence

Good:

    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Blueprint Structures.

# stray-item: Document that holds no prompt

An item in the list of prompts that is not a prompt: text, a number, a list, or nothing.

Weval turns it into an empty prompt and refuses to run the blueprint; an empty item is refused at once.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
    - What is the capital of Ghana?

Good:

    - id: capital
      prompt: What is the capital of Kenya?
    - prompt: What is the capital of Ghana?

Fix: write `prompt:` before it (unsafe), the missing space after `prompt:`, or a plain colon for a wide one.
Below a prompt that ends in an empty `should:`, indent it.

Documents: Blueprint format, Blueprint Structures.

# not-a-blueprint

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

# no-prompts: Header without a prompt

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

from engine.parsing.findings import Finding, Kind
from engine.parsing.recognition import FileKind, kind_of, lies_below_blueprints
from engine.rules.refusals import Row, field_rule
from engine.rules.rule import Report, Rule, file_rule
from engine.rules.source.spoilt_blocks import spoilt_keys
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.text.text_limits import ALIAS_VALUES, DEPTH
from engine.yaml.layout import dash_before, first_content_line, first_line, is_one_line
from engine.yaml.margin_slips import lost_points
from engine.yaml.nodes import ScalarNode, Style

_NOT_READ = "The file is not read any further, so nothing in it is checked or scored."
_TOO_MANY = "with this, the aliases (`*name`) repeat too much: they may add up to"
_TOO_DEEP = f"this is nested over {DEPTH} levels deep"
_MOST_RELATED = 9


def _stray_item(finding: Finding, view: FileView) -> Report | None:
    node = finding.node
    is_text = isinstance(node, ScalarNode) and isinstance(node.value, str)
    dash = None if node is None else dash_before(view.text, node.span.start)
    points = None if dash is None or not is_text else lost_points(view.text, dash)
    if points is not None:
        if points.span.start != dash:
            return None  # reported with the first of them
        return Report(first_line(view.text, finding.span), points.message, fixes=points.fixes)
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and (keys := spoilt_keys(view.text, node.span)):
        first, *others = keys.slips
        message = f"{first.message}; as it stands, this is text and not a key"
        related = tuple(Related(slip.span, slip.message) for slip in others[:_MOST_RELATED])
        count = f" in these {len(keys.slips)} lines" if others else ""
        fixes = (Fix(f"{first.title}{count}", True, keys.edits),)
        return Report(first_line(view.text, finding.span), message, related=related, fixes=fixes)
    fixes: tuple[Fix, ...] = ()
    if node is not None and is_text and (dash is not None or view.is_json) and is_one_line(view.text, node.span):
        before, after = ('{"prompt": ', "}") if view.is_json else ("prompt: ", "")
        start, end = node.span.start, node.span.end
        edits = (TextEdit(Span(start, start), before), TextEdit(Span(end, end), after))
        fixes = (Fix("make it a prompt", False, edits),)
    span = first_line(view.text, finding.span)
    if span.start == span.end and view.text[span.start - 1 : span.start] == "-":
        span = Span(span.start - 1, span.start)
    what = "this text" if is_text else "this item"
    return Report(span, f"{what} is in the list of prompts but is not a prompt", fixes=fixes)


_LOST = (Kind.BAD_STRUCTURE, Kind.PROMPT_LOST, Kind.STRAY_ITEM)


def _not_a_blueprint(view: FileView) -> Iterator[Report]:
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


@file_rule("S041", Severity.WARNING, why="Nothing is asked, so nothing is scored.")
def no_prompts(view: FileView) -> Iterator[Report]:
    if _is_without_prompts(view):
        listed = view.header.pair("prompts")
        span = first_content_line(view.text) if listed is None else listed.key.span
        yield Report(span, "there is no prompt here yet: a prompt has an `id`, a question and a rubric")


def _is_without_prompts(view: FileView) -> bool:
    """Whether what should be a blueprint has no prompts, not even lost ones, and its header is finished."""
    if view.blueprint.prompts or view.tree.error is not None or any(view.findings_of(*_LOST)):
        return False
    kind, is_below = kind_of(view.parsed), view.path is not None and lies_below_blueprints(view.path)
    if kind not in (FileKind.BLUEPRINT, FileKind.UNDECIDED) and (kind is not FileKind.OTHER or is_below):
        return False
    mapping = view.header
    if not mapping.pairs or view.is_json or mapping.pair("prompts") is not None:
        return True
    is_described = mapping.pair("description") is not None or mapping.pair("models") is not None
    has_end = _SEPARATOR.search(view.text, mapping.span.end) is not None
    return has_end or (is_described and mapping.pair("title") is not None)


header_lost = field_rule(
    "S001",
    Kind.HEADER_LOST,
    {
        "": "`{source}` is lost: because of `{key}` beside it, this header is read as a prompt",
    },
    why="Title, models and settings are lost, and the header is run and scored as a prompt.",
)
prompt_lost = field_rule(
    "S002",
    Kind.PROMPT_LOST,
    {
        "prompts": "the prompts under `prompts` are lost: those after `---` replace them",
        "": "this prompt is lost: `{key}` does not mark it as one, so it is read as the header",
    },
    why="The prompt is never run, and its rubric never counts.",
)
bad_structure = field_rule(
    "S003",
    Kind.BAD_STRUCTURE,
    {
        "nothing": "this blueprint is still empty",
        "prompts": "`prompts` must be a list of prompts",
        "too many": Row(f"{_TOO_MANY} {ALIAS_VALUES:,} values", why=_NOT_READ),
        "too deep": Row(f"{_TOO_DEEP}, or contains itself through an alias (`*name`)", why=_NOT_READ),
        "": "a blueprint has a header and a list of prompts; this is neither",
    },
    why="Weval finds no prompt here, so nothing is scored.",
)
stray_item = field_rule(
    "S004",
    Kind.STRAY_ITEM,
    {"": _stray_item},
    why="Weval turns it into an empty prompt and refuses to run the blueprint.",
)
not_a_blueprint = Rule(
    code="S035",
    slug="not-a-blueprint",
    severity=Severity.WARNING,
    why="Weval runs and scores it like a blueprint, or refuses it. Keep it outside `blueprints/`.",
    on_file=_not_a_blueprint,
    on_collection=_not_a_blueprint,
)
