"""# wrong-type

A field that holds something else than the documents give it: a `title` that is a number, `tags` that are no list,
`noCache: no`, which is a text and not false.

Weval refuses to run a file whose `title`, `description` or `tags` are of another type. Other fields it takes as they
are: every text under `noCache` means true to it, and of a `point_defs` or an `evaluationConfig` that is no mapping it
reads nothing, so that the judges stay what they are by default.

Bad:

    title: 2024
    tags: geography
    noCache: no
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: "2024"
    tags: [geography]
    noCache: false
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe where there is one thing that it can mean): quotation marks, a list of the one text, `true` or `false`.

Documents: 002, "Configuration Header Fields", `title`, `description`, `tags`, `point_defs`, `noCache`; "Evaluation
Configuration", `useExperimentalScale`; "Tool-Use", `toolUse.enabled`.

# prompt-id-type

An `id` that is no text, on the second prompt or a later one: `id: 2`.

Weval sorts the prompts by their ids before it runs them, and can compare only texts, so the run ends before it begins.

Bad:

    - id: 1
      prompt: What is the capital of Kenya?
    - id: 2
      prompt: What is the capital of Ghana?

Good:

    - id: 1
      prompt: What is the capital of Kenya?
    - id: "2"
      prompt: What is the capital of Ghana?

Fix (safe): put it in quotation marks.

Documents: 002, "Prompt Fields", `id`: a text.

# refused-by-weval

What Weval refuses, in Weval's own words. Reported by `studio check --for weval` where no other rule is an error there,
and where it is asked for by its name.

Most of what Weval refuses has a rule of its own that says it for authors; this one stands for the rest.

Bad:

    title: 2024
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: "2024"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 002, "Blueprint Structures", as Weval reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.parsing.fields import is_blank, is_null, is_truthy, string
from engine.parsing.findings import Finding, Kind
from engine.parsing.flags import meant
from engine.rules.refusals import excerpt
from engine.rules.rule import REFUSED, RUN_REFUSED, Report, Rule
from engine.rules.source.layout import first_line, is_one_line, line_end, quoted
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import Node, ScalarNode, Style, resolved

_FLAGS = frozenset(("noCache", "useExperimentalScale", "enabled", "cache"))
_TAKEN = {
    "title": "Weval drops it and calls the blueprint by its id.",
    "description": "Weval drops it.",
    "noCache": "Weval takes it for true, so the models are asked anew each time.",
    "useExperimentalScale": "It counts as neither: the scale stays what it is by default.",
    "enabled": "Nobody can tell whether tools are meant to be used.",
    "cache": "It counts as true, so replies are kept for a day.",
    "point_defs": "No `$ref` finds a point by a name of yours here.",
    "defs": "No `$ref` finds a point by a name of yours here.",
    "evaluationConfig": "Weval reads nothing of it: the judges stay what they are by default.",
    "llm-coverage": "Weval reads nothing of it: the judges stay what they are by default.",
}


def _check(finding: Finding, view: FileView) -> Report:
    key, node = finding.detail, finding.node
    span = first_line(view.text, finding.span)
    here, why = excerpt(node, view.text), "" if finding.refused else _TAKEN.get(key, "")
    if key == "blank title":
        return Report(span, "the title is blank: write one, or take the line away")
    if key == "noCache" and isinstance(node, ScalarNode) and not is_truthy(node.value):
        why = "Weval takes it for false."
    if key in _FLAGS:
        return Report(span, f"`{key}` is true or false; {_what(node, here)}", why, fixes=_as_flag(node))
    if key == "tags":
        return Report(span, _of_tags(node, here), why, fixes=_as_list(finding, view))
    if key in ("title", "description"):
        return Report(span, f"`{key}` is a text; {_what(node, here)}", why, fixes=_as_text(node, view))
    return Report(span, f"`{key}` is a mapping; this is {here}", why)


def _of_tags(node: Node | None, here: str) -> str:
    if is_null(node):
        return "`tags` is empty: write a list of texts, or take the line away"
    return f"`tags` is a list of texts, such as [health, law]; this is {here}"


def _what(node: Node | None, here: str) -> str:
    target = None if node is None else resolved(node)
    if not isinstance(target, ScalarNode):
        return f"this is {here}"
    match target.value:
        case str():
            return f"“{target.text.strip()}” is a text"
        case bool():
            return f"{here} is a yes-or-no value"
        case int() | float():
            return f"{here} is a number"
        case _:
            return f"{here} is a date"


def _as_flag(node: Node | None) -> tuple[Fix, ...]:
    value = meant(node)
    if value is None or not isinstance(node, ScalarNode):
        return ()
    word = "true" if value else "false"
    return (Fix(f"write {word}", True, (TextEdit(node.span, word),)),)


def _as_text(node: Node | None, view: FileView) -> tuple[Fix, ...]:
    if not isinstance(node, ScalarNode) or not is_one_line(view.text, node.span):
        return ()
    written = quoted(node.span.of(view.text), is_json=view.is_json)
    return (Fix("put it in quotation marks", True, (TextEdit(node.span, written),)),)


def _as_list(finding: Finding, view: FileView) -> tuple[Fix, ...]:
    """A list of the one tag that is written; of none where none is. Of several in one text, nobody knows where."""
    node = finding.node
    if not isinstance(node, ScalarNode):
        return ()
    if node.value is None:
        after = finding.span.start
        is_written = bool(finding.span.of(view.text))
        blank = "" if view.text[after - 1 : after] in (" ", "\n", "") else " "
        return (Fix("write an empty list", True, (TextEdit(finding.span, "[]" if is_written else f"{blank}[]"),)),)
    text = string(node)
    if text is None or is_blank(text) or "," in text or not is_one_line(view.text, node.span):
        return ()
    written = node.span.of(view.text)
    safe = written if node.style is not Style.PLAIN or text.replace(" ", "").isalnum() else quoted(text)
    return (Fix("write it as a list", True, (TextEdit(node.span, f"[{safe}]"),)),)


def _ids(view: FileView) -> Iterator[Report]:
    for finding in view.findings_of(Kind.NUMBERED_ID):
        if not finding.prompt:
            continue  # Weval never asks the first one to compare itself
        here = excerpt(finding.node, view.text)
        span = first_line(view.text, finding.span)
        yield Report(span, f"an id is a text; {_what(finding.node, here)}", fixes=_as_text(finding.node, view))


def _refused(view: FileView) -> Iterator[Report]:
    weval = view.parsed.weval
    if weval.refusal is not None:
        at = min(weval.refusal.offset, len(view.text))
        span = Span(at, line_end(view.text, at))
        why = REFUSED if weval.error is not None else RUN_REFUSED
        yield Report(span, f"Weval refuses this: {weval.refusal.message}", why)


RULES = (
    Rule(
        code="S060",
        slug="wrong-type",
        severity=Severity.ERROR,
        why=REFUSED,
        kinds=(Kind.WRONG_TYPE,),
        on_finding=_check,
    ),
    Rule(
        code="S061",
        slug="prompt-id-type",
        severity=Severity.ERROR,
        why=RUN_REFUSED,
        on_file=_ids,
    ),
    Rule(
        code="S062",
        slug="refused-by-weval",
        severity=Severity.ERROR,
        why=REFUSED,
        on_file=_refused,
        off=True,
    ),
)
