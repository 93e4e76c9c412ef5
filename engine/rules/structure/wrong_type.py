"""# wrong-type

A field of the wrong type: a `title` that is a number, an `ideal` that is a mapping, `tags` that are not a list,
`noCache: no`, which is a string and not false.

Weval refuses to run a file with a `title`, `description` or `tags` of another type. It accepts other fields as they
are: every string under `noCache` means true, and a `point_defs` or an `evaluationConfig` that is not a mapping is
ignored, so the default judges are used.

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

Fix (safe where only one thing can be meant): quotation marks, a list with the one string, `true` or `false`.

Documents: Blueprint format, Configuration Header Fields, `title`, `description`, `tags`, `point_defs`, `noCache`;
Blueprint format, Evaluation Configuration, `useExperimentalScale`; Blueprint format, Configuration Header Fields,
`toolUse`.

# prompt-id-type

An `id` that is not a string, on the second prompt or a later one: `id: 2`.

Weval sorts the prompts by id before it runs them and can only compare strings, so the run fails before it starts and
nothing is scored.

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

Documents: Blueprint format, Prompt Fields, `id`.

# refused-by-weval

A refusal of Weval, in Weval's own words. Reported by `studio check --for weval` where no other rule reports an error,
and when the rule is selected by name.

Most of what Weval refuses has a rule of its own, with a message for authors; this one covers the rest. Nothing in a
refused file is scored.

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

Documents: Blueprint format, Blueprint Structures. This is how Weval reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.parsing.demands import meant
from engine.parsing.fields import is_blank, is_null, is_truthy, string
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import excerpt
from engine.rules.rule import REFUSED, RUN_REFUSED, Report, Rule
from engine.rules.source.layout import first_line, is_one_line, line_end, quoted
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, Style, property_name, resolved

_FLAGS = frozenset(("noCache", "useExperimentalScale", "enabled", "cache"))
_WHY_ACCEPTED = {
    "title": "Weval drops it and shows the id of the blueprint instead.",
    "description": "Weval drops it.",
    "noCache": "Weval reads it as true, so models are asked again on every run.",
    "useExperimentalScale": "It is ignored: the default scale is used.",
    "ideal": "It is no ideal: nothing in it counts in a score.",
    "enabled": "It does not say whether tools may be used.",
    "cache": "It counts as true, so replies are cached for a day.",
    "point_defs": "No `$ref` finds a definition here.",
    "defs": "No `$ref` finds a definition here.",
    "evaluationConfig": "Weval ignores it and uses the default judges.",
    "llm-coverage": "Weval ignores it and uses the default judges.",
}


def _check(finding: Finding, view: FileView) -> Report:
    key, node = finding.detail, finding.node
    span = first_line(view.text, finding.span)
    here, why = excerpt(node, view.text), "" if finding.refused else _WHY_ACCEPTED.get(key, "")
    if key == "blank title":
        return Report(span, "the title is blank: write one, or remove the line")
    if key == "noCache" and isinstance(node, ScalarNode) and not is_truthy(node.value):
        why = "Weval reads it as false."
    if key in _FLAGS:
        return Report(span, f"`{key}` must be true or false; {_described(node, here)}", why, fixes=_as_flag(node))
    if key == "tags":
        return Report(span, _of_tags(node, here), why, fixes=_as_list(finding, view))
    if key in ("title", "description", "ideal"):
        return Report(span, f"`{key}` must be text; {_described(node, here)}", why, fixes=_as_text(node, view))
    return Report(span, f"`{key}` must be a mapping, not {here}", why)


def _of_tags(node: Node | None, here: str) -> str:
    if is_null(node):
        return "`tags` is empty: write a list of strings, or remove the line"
    return f"`tags` must be a list of strings, such as [health, law], not {here}"


def _described(node: Node | None, here: str) -> str:
    target = None if node is None else resolved(node)
    if isinstance(target, MappingNode) and target.pairs:
        return f"this is a mapping with {' and '.join(f'`{property_name(pair.key)}`' for pair in target.pairs)}"
    if not isinstance(target, ScalarNode):
        return f"this is {here}"
    match target.value:
        case str():
            return f"“{target.text.strip()}” is a string"
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
    """The fix that makes a list of a single tag, or of nothing; none for several tags in one string."""
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
            continue  # Weval compares later ids with the first, and only those must be strings
        here = excerpt(finding.node, view.text)
        span = first_line(view.text, finding.span)
        yield Report(
            span, f"an id must be a string; {_described(finding.node, here)}", fixes=_as_text(finding.node, view)
        )


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
        title="Prompt id that is not text",
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
