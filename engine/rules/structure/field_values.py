"""# bad-render-as

A `render_as` other than `markdown`, `html` or `plaintext`, in lower case.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: Markdown

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: markdown

Fix (safe where only the case differs): write it in lower case.

Documents: Blueprint format, Prompt Fields, `render_as`.

# bad-temperature

A `temperature` that is not a number, or `temperatures` that is not a list of numbers.

Weval refuses to read or to run the file, so nothing in it is scored.

Bad:

    title: Capitals
    temperature: "0.7"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    temperature: 0.7
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe for a number in quotation marks): remove the quotation marks. A single number under `temperatures` becomes a
list.

Documents: Blueprint format, Configuration Header Fields, `temperature`, `temperatures`.

# bad-author

An `author` that is neither a name nor a mapping with a `name`.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    author:
      url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    author:
      name: Jane Doe
      url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `author`.

# bad-reference

A reference that is neither text nor a mapping with a `title` (or `name`), nor a list of these.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    references:
      - url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    references:
      - title: An atlas
        url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `references`.

# bad-system

A `system` that is not text. The header may also have a list of texts.

Weval refuses to read or to run the file, so nothing in it is scored.

Bad:

    - id: capital
      system:
        - Be brief.
        - Be kind.
      prompt: What is the capital of Kenya?

Good:

    - id: capital
      system: Be brief.
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Prompt Fields, `system`.
"""

from __future__ import annotations

import re

from engine.blueprint import RenderAs
from engine.diagnostics import Fix, Severity
from engine.parsing.fields import is_null
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import excerpt, refused_field
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.header_fields import header_value
from engine.rules.views import FileView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import ScalarNode, SequenceNode, Style


def _render_as(finding: Finding, view: FileView) -> Report:
    node = finding.node
    known = ", ".join(f"`{value}`" for value in RenderAs)
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, ScalarNode) and node.text.strip().lower() in set(RenderAs):
        lower = node.text.strip().lower()
        mark = node.span.of(view.text)[0] if node.style in (Style.SINGLE, Style.DOUBLE) else ""
        fixes = (Fix(f"write {lower}", True, (TextEdit(node.span, f"{mark}{lower}{mark}"),)),)
    return Report(finding.span, f"`render_as` must be one of {known}, not {excerpt(node, view.text)}", fixes=fixes)


def _temperature(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    is_quoted = isinstance(node, ScalarNode) and node.style in (Style.SINGLE, Style.DOUBLE)
    if isinstance(node, ScalarNode) and is_quoted and re.fullmatch(r"\d+(\.\d+)?", node.text):
        fixes = (Fix("write it as a number", True, (TextEdit(node.span, node.text),)),)
    here = excerpt(node, view.text)
    if is_null(node) and finding.detail and not _is_in_list(finding, view):
        return Report(finding.span, f"`{finding.detail}` is empty: write a number, or remove the line")
    if finding.detail == "temperatures" and not _is_in_list(finding, view):
        if isinstance(node, ScalarNode) and (fixes or type(node.value) in (int, float)):
            fixes = (Fix("write it as a list", True, (TextEdit(node.span, f"[{node.text}]"),)),)
        return Report(
            finding.span, f"`temperatures` must be a list of numbers, such as [0.0, 0.7], not {here}", fixes=fixes
        )
    return Report(finding.span, f"a temperature must be a number, not {here}", fixes=fixes)


def _is_in_list(finding: Finding, view: FileView) -> bool:
    return isinstance(header_value(view, "temperatures"), SequenceNode)


_SYSTEM = {
    "own": "Weval refuses a prompt's `system` when the header has several system prompts; here it is used",
    "systems": "`systems` must be a list of texts, not {here}",
    "second null": "only one of the system prompts may be null, for none at all; this is the second",
}


RULES = (
    Rule(
        code="S014",
        slug="bad-render-as",
        severity=Severity.ERROR,
        why=REFUSED,
        kinds=(Kind.BAD_RENDER_AS,),
        on_finding=_render_as,
    ),
    Rule(
        code="S015",
        slug="bad-temperature",
        severity=Severity.ERROR,
        why=REFUSED,
        kinds=(Kind.BAD_TEMPERATURE,),
        on_finding=_temperature,
    ),
    refused_field(
        "S016",
        Kind.BAD_AUTHOR,
        "an author must be a name or a mapping with a `name`, not {here}",
        missing_message="this author needs a `name`, as text",
    ),
    refused_field(
        "S017",
        Kind.BAD_REFERENCE,
        "a reference must be text or a mapping with a `title`, not {here}",
        missing_message="this reference needs a `title`, as text",
    ),
    refused_field(
        "S021",
        Kind.BAD_SYSTEM,
        "a system prompt must be text, not {here}",
        _SYSTEM,
        why_accepted="Weval sends it unchanged and no provider accepts it, so there is no answer to score.",
    ),
)
