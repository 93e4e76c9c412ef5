"""# header-lost

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

# prompt-lost

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

# stray-item

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
"""

from __future__ import annotations

from engine.diagnostics import Fix, Related, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import dash_before, first_line, is_one_line
from engine.rules.source.spoilt_blocks import spoilt_keys
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.text_limits import ALIAS_VALUES, DEPTH
from engine.yaml_nodes.lost_points import lost_points
from engine.yaml_nodes.nodes import ScalarNode, Style

_NOT_READ = "The file is not read any further, so nothing in it is checked or scored."
_QUOTES = "'\""
_MOST_RELATED = 9


def _header_lost(finding: Finding, view: FileView) -> Report:
    key = finding.span.of(view.text).strip(_QUOTES)
    cause = f"`{finding.detail}`" if finding.detail else "a key of a prompt"
    return Report(finding.span, f"`{key}` is lost: because of {cause} beside it, this header is read as a prompt")


def _prompt_lost(finding: Finding, view: FileView) -> Report:
    key = finding.detail
    if key == "prompts":
        return Report(finding.span, "the prompts under `prompts` are lost: those after `---` replace them")
    return Report(finding.span, f"this prompt is lost: `{key}` does not mark it as one, so it is read as the header")


def _bad_structure(finding: Finding, view: FileView) -> Report:
    match finding.detail:
        case "empty":
            message = "this blueprint is still empty"
        case "prompts":
            message = "`prompts` must be a list of prompts"
        case "too many":
            message = f"with this, the aliases (`*name`) repeat too much: they may add up to {ALIAS_VALUES:,} values"
        case "too deep":
            message = f"this is nested over {DEPTH} levels deep, or contains itself through an alias (`*name`)"
        case _:
            message = "a blueprint has a header and a list of prompts; this is neither"
    why = _NOT_READ if finding.detail.startswith("too ") else ""
    return Report(first_line(view.text, finding.span), message, why)


def _stray_item(finding: Finding, view: FileView) -> Report | None:
    node = finding.node
    is_text = isinstance(node, ScalarNode) and isinstance(node.value, str)
    dash = None if node is None else dash_before(view.text, node.span.start)
    points = None if dash is None or not is_text else lost_points(view.text, dash)
    if points is not None:
        if points.first.start != dash:
            return None  # reported with the first of them
        return Report(
            first_line(view.text, finding.span), points.message, fixes=(Fix(points.title, True, points.edits),)
        )
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


RULES = (
    Rule(
        code="S001",
        slug="header-lost",
        title="Header read as a prompt",
        severity=Severity.ERROR,
        why="Title, models and settings are lost, and the header is run and scored as a prompt.",
        kinds=(Kind.HEADER_LOST,),
        on_finding=_header_lost,
    ),
    Rule(
        code="S002",
        slug="prompt-lost",
        title="Prompt read as a header",
        severity=Severity.ERROR,
        why="The prompt is never run, and its rubric never counts.",
        kinds=(Kind.PROMPT_LOST,),
        on_finding=_prompt_lost,
    ),
    Rule(
        code="S003",
        slug="bad-structure",
        severity=Severity.ERROR,
        why="Weval finds no prompt here, so nothing is scored.",
        kinds=(Kind.BAD_STRUCTURE,),
        on_finding=_bad_structure,
    ),
    Rule(
        code="S004",
        slug="stray-item",
        title="Document that holds no prompt",
        severity=Severity.ERROR,
        why="Weval turns it into an empty prompt and refuses to run the blueprint.",
        kinds=(Kind.STRAY_ITEM,),
        on_finding=_stray_item,
    ),
)
