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

from engine.parsing.fields import member, string
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import excerpt, field_rule
from engine.rules.rule import Report
from engine.rules.source.named_models import PROVIDERS, joined_name, list_items
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.record import replace
from engine.text.spans import Span
from engine.yaml.layout import first_line
from engine.yaml.node_search import mapping_at
from engine.yaml.nodes import MappingNode, resolved

_NEEDED = ("id", "url", "modelName", "inherit")


def _lacking(finding: Finding, view: FileView) -> Report | None:
    span = first_line(view.text, finding.span)
    mapping = _custom_model(view, finding.span)
    if mapping is None:
        return Report(span, "a custom model must be a mapping with `id`, `url`, `modelName` and `inherit`")
    if joined_name(mapping) is not None:
        return None
    *others, last = [f"`{name}`" for name in _NEEDED if not string(member(mapping, name))]
    named = f"{', '.join(others)} and {last}" if others else last
    return Report(span, f"this custom model needs {named}, as text")


def _custom_model(view: FileView, span: Span) -> MappingNode | None:
    """The custom model in `models` that holds `span`."""
    for item in list_items(member(view.header, "models")):
        node = resolved(item)
        if isinstance(node, MappingNode) and node.span.start <= span.start and span.end <= node.span.end:
            return node
    return mapping_at(view.tree, span)


def _inherit(view: FileView) -> Iterator[Report]:
    for item in list_items(member(view.header, "models")):
        value = member(item, "inherit")
        name = string(value)
        if name and value is not None and name not in PROVIDERS:
            yield Report(
                value.span,
                f"`inherit` must be one of {', '.join(PROVIDERS)}, not {excerpt(value, view.text)}",
                "Weval does not know the format of the server, so the model gives no answer to score.",
                Severity.WARNING,
            )


_ADDRESS = "an address such as http://localhost:11434/v1/chat/completions"


custom_model_incomplete = replace(
    field_rule(
        "S023",
        Kind.CUSTOM_MODEL_INCOMPLETE,
        {
            "address": f"the `url` of a custom model must be {_ADDRESS}, not {{here}}",
            "format": "`format` must be `chat` or `completions`, not {here}",
            "promptFormat": "`promptFormat` must be `conversational` or `raw`, not {here}",
            "headers": "`headers` must be a mapping of names to strings, not {here}",
            "parameters": "`parameters` must be a mapping, not {here}",
            "parameterMapping": "`parameterMapping` must be a mapping of names to names, not {here}",
            "": _lacking,
        },
        why_accepted="Weval accepts it, but no request to this model succeeds, so there is no answer to score.",
    ),
    on_file=_inherit,
)
