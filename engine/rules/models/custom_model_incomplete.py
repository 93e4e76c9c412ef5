"""# custom-model-incomplete

A custom model without one of its four required keys: `id`, `url`, `modelName`, `inherit`.

Weval refuses the whole file, so nothing in it is scored. An `inherit` that is not one of Weval's providers is only a
warning: Weval reads the file, but gets no answer from the model.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Custom Model Object Fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.parsing.fields import string
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import excerpt
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.header_fields import header_value
from engine.rules.source.layout import first_line
from engine.rules.source.named_models import PROVIDERS, joined_name, list_items
from engine.rules.source.node_search import mapping_at, value_of
from engine.rules.views import FileView
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, resolved

_NEEDED = ("id", "url", "modelName", "inherit")
_ALLOWED = {
    "address": "the `url` of a custom model must be an address such as http://localhost:11434/v1/chat/completions",
    "format": "`format` must be `chat` or `completions`",
    "promptFormat": "`promptFormat` must be `conversational` or `raw`",
    "headers": "`headers` must be a mapping of names to strings",
    "parameters": "`parameters` must be a mapping",
    "parameterMapping": "`parameterMapping` must be a mapping of names to names",
}


def _check(finding: Finding, view: FileView) -> Report | None:
    key, span = finding.detail, first_line(view.text, finding.span)
    if key in _ALLOWED:
        return Report(span, f"{_ALLOWED[key]}, not {excerpt(finding.node, view.text)}")
    mapping = _custom_model(view, finding.span)
    if mapping is None:
        return Report(span, "a custom model must be a mapping with `id`, `url`, `modelName` and `inherit`")
    if joined_name(mapping) is not None:
        return None
    lacking = [name for name in _NEEDED if not string(value_of(mapping, name))]
    named = _and(f"`{name}`" for name in lacking)
    return Report(span, f"this custom model needs {named}, as text")


def _custom_model(view: FileView, span: Span) -> MappingNode | None:
    """The custom model in `models` that holds `span`."""
    for item in list_items(header_value(view, "models")):
        node = resolved(item)
        if isinstance(node, MappingNode) and node.span.start <= span.start and span.end <= node.span.end:
            return node
    return mapping_at(view.tree, span)


def _and(names: Iterator[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _inherit(view: FileView) -> Iterator[Report]:
    for item in list_items(header_value(view, "models")):
        value = value_of(item, "inherit")
        name = string(value)
        if name and value is not None and name not in PROVIDERS:
            yield Report(
                value.span,
                f"`inherit` must be one of {', '.join(PROVIDERS)}, not {excerpt(value, view.text)}",
                "Weval does not know the format of the server, so the model gives no answer to score.",
                Severity.WARNING,
            )


RULES = (
    Rule(
        code="S023",
        slug="custom-model-incomplete",
        severity=Severity.ERROR,
        why=REFUSED,
        why_accepted="Weval accepts it, but no request to this model succeeds, so there is no answer to score.",
        kinds=(Kind.CUSTOM_MODEL_INCOMPLETE,),
        on_finding=_check,
        on_file=_inherit,
    ),
)
