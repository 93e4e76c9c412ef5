"""# not-written-yet

A prompt, an ideal, a message or a point that is still empty.

A draft is fine, but Weval refuses to run a blueprint with an empty prompt, and then nothing is scored. So
`studio check --for weval` reports it, as an error.

Bad:

    - id: capital
      prompt: ""

Good:

    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Prompt Fields, `prompt`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.parsing.fields import is_blank, is_null, string
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.layout import line_end
from engine.rules.source.node_search import mapping_at
from engine.rules.views import FileView, PromptView
from engine.text import Span
from engine.yaml_nodes.nodes import Node, resolved


def _unwritten(finding: Finding, view: FileView) -> Report | None:
    """A hint on an empty part, flagged where Weval refuses the file because of it."""
    if finding.prompt == 0 and finding.detail == "prompt" and any(view.findings_of(Kind.HEADER_LOST)):
        return None  # this was meant as the header, and `header-lost` reports it
    what = {"prompt": "the prompt", "messages": "the conversation", "point": "this point"}.get(finding.detail, "this")
    start, end = finding.span.start, finding.span.end
    dash = start - 1 if start == end and view.text[start - 1 : start] == "-" else None
    return Report(
        Span(start, min(end, line_end(view.text, start))) if dash is None else Span(dash, dash + 1),
        f"{what} is not written yet",
        severity=Severity.HINT,
        flagged=finding.refused,
    )


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
