"""# no-question

A prompt without a question: no `prompt` and no `messages`, or nothing written in them.

No model can be asked. Weval refuses to run the blueprint, so nothing in it is scored.

Bad:

    - id: capital
      prompt: ""
      should:
        - Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: Blueprint format, Prompt Fields, `prompt`.

# not-written-yet

An ideal or a point that is still empty.

A draft is fine, but Weval refuses a file with an empty point, and then nothing is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - ""

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.parsing.fields import is_blank, is_null, string
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.node_search import mapping_at
from engine.rules.source.unread_keys import misspells_question
from engine.rules.views import FileView, PromptView
from engine.text import Span
from engine.yaml_nodes.nodes import Node, resolved


def _unasked(finding: Finding, view: FileView) -> Report | None:
    """A warning on a prompt that asks nothing, flagged because Weval refuses the file for it."""
    if finding.prompt == 0 and any(view.findings_of(Kind.HEADER_LOST)):
        return None  # this was meant as the header, and `header-lost` reports it
    if misspells_question(view, finding.prompt):
        return None  # `unknown-key` reports it
    return Report(_place(finding, view), "this prompt asks nothing: write its question", flagged=finding.refused)


def _unwritten(finding: Finding, view: FileView) -> Report:
    """A hint on an empty point, flagged where Weval refuses the file because of it."""
    message = "this point is not written yet"
    return Report(_place(finding, view), message, severity=Severity.HINT, flagged=finding.refused)


def _place(finding: Finding, view: FileView) -> Span:
    """The first line of what is empty; its dash where nothing is written behind that."""
    start, end = finding.span.start, finding.span.end
    is_dash = start == end and view.text[start - 1 : start] == "-"
    return Span(start - 1, start) if is_dash else first_line(view.text, finding.span)


def _ideal(view: PromptView) -> Iterator[Report]:
    """A hint on an `ideal` without text, which Weval ignores."""
    prompt = view.prompt
    if prompt.ideal and not is_blank(prompt.ideal):
        return
    if view.text.find("ideal", prompt.span.start, prompt.span.end) < 0 or view.is_cut_off:
        return
    mapping = mapping_at(view.tree, prompt.span)
    for name in ("ideal", "idealResponse"):
        pair = None if mapping is None else mapping.pair(name)
        if pair is not None and _is_empty(pair.value):
            why = "Without an ideal there is no answer to test the rubric with."
            yield Report(pair.key.span, "the ideal is not written yet", why)


def _is_empty(node: Node) -> bool:
    written = string(resolved(node))
    return is_null(node) or (written is not None and is_blank(written))


RULES = (
    Rule(
        code="S040",
        slug="no-question",
        title="Prompt without a question",
        severity=Severity.WARNING,
        why=REFUSED,
        kinds=(Kind.NO_QUESTION,),
        on_finding=_unasked,
    ),
    Rule(
        code="S024",
        slug="not-written-yet",
        severity=Severity.HINT,
        off=True,
        why=REFUSED,
        why_accepted="It asks for nothing, so it cannot be scored.",
        kinds=(Kind.NOT_WRITTEN,),
        on_finding=_unwritten,
        on_prompt=_ideal,
    ),
)
