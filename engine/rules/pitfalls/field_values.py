"""# bad-render-as

`render_as` with another value than `markdown`, `html` or `plaintext`, in small letters.

Weval refuses the whole file for it, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: Markdown

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: markdown

Fix (safe where only the capitals differ): write it in small letters.

Documents: 002, "Prompt Fields", `render_as`.

# bad-temperature

A temperature that is no number, or `temperatures` that is no list of numbers.

Weval refuses the file or its run, so nothing in it is scored.

Bad:

    title: Capitals
    temperature: warm
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    temperature: 0.7
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe where it is a number in quotation marks): take them away.

Documents: 002, "Configuration Header Fields", `temperature`, `temperatures`.

# bad-author

An `author` that is neither a name nor a mapping with a `name`.

Weval refuses the whole file for it, so nothing in it is scored.

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

Documents: 002, "Configuration Header Fields", `author`.

# bad-reference

A reference that is neither a text nor a mapping with a `title` (or `name`), nor a list of these.

Weval refuses the whole file for it, so nothing in it is scored.

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

Documents: 002, "Configuration Header Fields", `references`.

# bad-tools

`tools` that is no list of tools with a `name` each, or a prompt's list of tools that is no list of names.

Weval refuses the whole file for it, so nothing in it is scored.

Bad:

    title: Sums
    tools:
      - calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: 002, "Configuration Header Fields", `tools`; "Prompt Fields", `requiredTools`.

# bad-tool-use

A `toolUse` that Weval does not know: its only `mode` is `trace-only`, its `maxSteps` a number from 1.

Weval refuses the whole file for it, so nothing in it is scored.

Bad:

    title: Sums
    toolUse:
      mode: auto
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    toolUse:
      mode: trace-only
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: 002, "Configuration Header Fields", `toolUse`.

# bad-service

A service of `externalServices` without a `url` that is one, or with a `method` or a time limit that cannot be.

Weval refuses the whole file for it. A `url` that is a variable, `${NAME}`, works here but is refused there as well.

Bad:

    title: Facts
    externalServices:
      checker:
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Facts
    externalServices:
      checker:
        url: https://example.org/check
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 000, "Part 1", 3, "External Services".

# bad-system

A `system` that is not a text: in a prompt a text or nothing, in the header also a list of texts.

Weval refuses the file or its run, so nothing in it is scored.

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

Documents: 002, "Prompt Fields", `system`.

# model-format

A model that is neither `provider:model` nor the name of a collection, or a list of models that is none.

Weval refuses the file, or asks a model that is not there.

Bad:

    title: Capitals
    models:
      - 5
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - openai:gpt-4o-mini
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 002, "Model Configuration".

# custom-model-incomplete

A model of one's own without one of the four things that it needs: `id`, `url`, `modelName`, `inherit`.

Weval refuses the whole file for it, so nothing in it is scored.

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

Documents: 002, "Custom Model Object Fields".

# not-written-yet

A prompt, an ideal or a text that is still empty.

Nothing is wrong with a draft; but Weval refuses to run a blueprint with an empty prompt.

Bad:

    - id: capital
      prompt: ""

Good:

    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 002, "Prompt Fields", `prompt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.blueprint import RenderAs
from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import line_end
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, resolved

_REFUSED = "Weval refuses the whole file: nothing in it is scored."


def _says(otherwise: str, by_key: Mapping[str, str] = MappingProxyType({})) -> Callable[[Finding, FileView], Report]:
    """A check with one sentence, or one for the key that the parser noted; `{here}` is what is written."""

    def check(finding: Finding, view: FileView) -> Report:
        span = Span(finding.span.start, min(finding.span.end, line_end(view.text, finding.span.start)))
        sentence = by_key.get(finding.detail, otherwise)
        return Report(span, sentence.format(here=_here(finding.node, view.text), key=finding.detail))

    return check


def _unwritten(finding: Finding, view: FileView) -> Report:
    """Weval refuses a file for some of these, so they are errors for Weval; here they are a draft."""
    what = {"prompt": "the prompt", "messages": "the conversation", "point": "this point"}.get(finding.detail, "this")
    return Report(
        Span(finding.span.start, min(finding.span.end, line_end(view.text, finding.span.start))),
        f"{what} is not written yet",
        severity=Severity.HINT,
        flagged=finding.refusal is not None,
    )


def _here(node: Node | None, text: str) -> str:
    """What is written, short enough for a message."""
    target = None if node is None else resolved(node)
    match target:
        case ScalarNode(value=None):
            return "nothing"
        case ScalarNode():
            written = " ".join(target.span.of(text).split())
            return written if len(written) <= 40 else f"{written[:39]}…"
        case SequenceNode():
            return "a list"
        case MappingNode():
            return "a mapping"
        case None:
            return "this"


def _render_as(finding: Finding, view: FileView) -> Report:
    node = finding.node
    known = ", ".join(f"`{value}`" for value in RenderAs)
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, ScalarNode) and node.text.strip().lower() in set(RenderAs):
        lower = node.text.strip().lower()
        fixes = (Fix(f"write {lower}", True, (TextEdit(node.span, lower),)),)
    return Report(finding.span, f"`render_as` is one of {known}, not {_here(node, view.text)}", fixes=fixes)


def _temperature(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    is_quoted = isinstance(node, ScalarNode) and node.style in (Style.SINGLE, Style.DOUBLE)
    if isinstance(node, ScalarNode) and is_quoted and re.fullmatch(r"\d+(\.\d+)?", node.text):
        fixes = (Fix("write it as a number", True, (TextEdit(node.span, node.text),)),)
    return Report(finding.span, f"a temperature is a number, not {_here(node, view.text)}", fixes=fixes)


def _refused(code: str, kind: Kind, otherwise: str, by_key: Mapping[str, str] = MappingProxyType({})) -> Rule:
    return Rule(
        code=code,
        slug=kind.value,
        severity=Severity.ERROR,
        why=_REFUSED,
        kinds=(kind,),
        on_finding=_says(otherwise, by_key),
    )


RULES = (
    Rule(
        code="S014",
        slug="bad-render-as",
        severity=Severity.ERROR,
        why=_REFUSED,
        kinds=(Kind.BAD_RENDER_AS,),
        on_finding=_render_as,
    ),
    Rule(
        code="S015",
        slug="bad-temperature",
        severity=Severity.ERROR,
        why="Weval refuses the file or its run: nothing in it is scored.",
        kinds=(Kind.BAD_TEMPERATURE,),
        on_finding=_temperature,
    ),
    _refused("S016", Kind.BAD_AUTHOR, "an author is a name, or a mapping with a `name`; this is {here}"),
    _refused("S017", Kind.BAD_REFERENCE, "a reference is a text, or a mapping with a `title`; this is {here}"),
    _refused(
        "S018",
        Kind.BAD_TOOLS,
        "`{key}` is a list of names; this is {here}",
        {
            "tools": "`tools` is a list of tools; this is {here}",
            "name": "a tool is a mapping with a `name`; this is {here}",
            "maxCalls": "`maxCalls` is a number from 0; this is {here}",
        },
    ),
    _refused(
        "S019",
        Kind.BAD_TOOL_USE,
        "`toolUse` is a mapping; this is {here}",
        {
            "mode": "the only `mode` there is, is trace-only; this is {here}",
            "outputFormat": "the only `outputFormat` there is, is json-line; this is {here}",
            "maxSteps": "`maxSteps` is a number from 1; this is {here}",
        },
    ),
    _refused(
        "S020",
        Kind.BAD_SERVICE,
        "a service is a mapping with a `url`; this is {here}",
        {
            "url": "a service needs a `url` such as https://example.org/check; this is {here}",
            "method": "a `method` is GET, POST or PUT; this is {here}",
            "timeout_ms": "a time limit is a number of milliseconds above 0; this is {here}",
        },
    ),
    _refused("S021", Kind.BAD_SYSTEM, "a system prompt is a text; this is {here}"),
    _refused(
        "S022",
        Kind.MODEL_FORMAT,
        "a model is `provider:model`, the name of a collection, or a mapping; this is {here}",
        {"models": "`models` is a list of models; this is {here}"},
    ),
    _refused(
        "S023",
        Kind.CUSTOM_MODEL_INCOMPLETE,
        "`{key}` of a custom model is {here}, which it cannot be",
        {
            key: f"a custom model needs `id`, `url`, `modelName` and `inherit`, each a text; `{key}` is none"
            for key in ("id", "url", "modelName", "inherit")
        },
    ),
    Rule(
        code="S024",
        slug="not-written-yet",
        severity=Severity.HINT,
        why="Weval refuses a blueprint with an empty prompt or point.",
        kinds=(Kind.NOT_WRITTEN,),
        on_finding=_unwritten,
    ),
)
