"""# bad-judge

A judge without a model, or without one of the approaches `standard`, `prompt-aware` and `holistic`.

Weval cannot use such a judge, so only the other judges grade the points in words, or none does.

Bad:

    title: Capitals
    evaluationConfig:
      llm-coverage:
        judges:
          - model: openai:gpt-4o-mini
            approach: wholistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    evaluationConfig:
      llm-coverage:
        judges:
          - model: openai:gpt-4o-mini
            approach: holistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (unsafe): the approach with the most similar name, safe where only case or the hyphen differs; `holistic`, as for
Weval's own judges, where none is written.

Documents: Blueprint format, Judge Configuration.

# custom-model-incomplete

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

# missing-variable

A `${NAME}` in a custom model or a service that is not set in this environment.

The request is sent without the key or address that was meant, and the server usually refuses it, so there is no answer
to score. If you run the blueprint elsewhere, only the environment there matters. Reported once per file and name.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
        inherit: openai
        headers:
          Authorization: Bearer ${KEY_OF_A_LLAMA_THAT_NOBODY_SET}
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

Fix: none. Set the variable before a run.

Documents: Blueprint format, Environment Variable Substitution.

# variable-in-host: Environment variable in a host name

A `${NAME}` inside the host of a `url`, of a custom model or a service.

The studio shows the host before anything is sent, and saves it with your consent. A variable may hold a key, and would
then be shown, so no request is sent to such an address and there is nothing to score. Weval sends it. A variable may
hold the whole address, or be part of its path and query.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: https://${HOME}.example.org/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - id: local:llama
        url: https://models.example.org/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Write the host out, or put the whole address into the variable.

Documents: Blueprint format, Environment Variable Substitution.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from engine.models.definitions import has_variable_in_host
from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import is_null, member, string
from engine.parsing.keys import Part, find_key
from engine.rules.refusals import excerpt, field_rule
from engine.rules.rule import FileView, Report, file_rule
from engine.rules.source.named_models import PROVIDERS, coverage_of, joined_name, list_items, rename_fixes
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import replace
from engine.text.spans import Span
from engine.yaml.edit import set_key
from engine.yaml.layout import first_line, quoted
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import mapping_at

_APPROACH = find_key(Part.JUDGE, "approach")
_APPROACHES = () if _APPROACH is None else tuple(sorted(_APPROACH.values))
_NAMED = ", ".join(f"`{name}`" for name in _APPROACHES)


@file_rule(
    "S034", Severity.ERROR, why="Weval cannot use this judge: the points in words are graded without it, or not at all."
)
def bad_judge(view: FileView) -> Iterator[Report]:
    judges = coverage_of(view.header).get("judges")
    if judges is None or is_null(judges):
        return
    if not isinstance(resolved(judges), SequenceNode):
        yield _other(view, judges, "`judges` must be a list of judges")
    for item in list_items(judges):
        judge = resolved(item)
        if isinstance(judge, MappingNode):
            yield from _of_judge(item, judge, view)
        else:
            yield _other(view, item, "a judge must be a mapping with a `model` and an `approach`")


def _other(view: FileView, node: Node, demand: str, fixes: tuple[Fix, ...] = (), at: Node | None = None) -> Report:
    """The report on a value that is something else than a demand says."""
    return Report(first_line(view.text, (at or node).span), f"{demand}, not {excerpt(node, view.text)}", fixes=fixes)


def _of_judge(item: Node, judge: MappingNode, view: FileView) -> Iterator[Report]:
    model, approach = judge.pair("model"), judge.pair("approach")
    if model is None:
        yield Report(first_line(view.text, item.span), "this judge has no `model`, so nothing can be judged by it")
    elif not string(resolved(model.value)):
        at = model.value if model.value.span.start < model.value.span.end else model.key
        yield _other(view, model.value, "the `model` of a judge must be `provider:model`", at=at)
    if approach is None or is_null(approach.value):
        edits = set_key(view.text, judge, "approach", quoted("holistic", is_json=view.is_json)) if judge.pairs else ()
        at = first_line(view.text, item.span if approach is None else approach.key.span)
        message = f"this judge has no `approach`, which is required: one of {_NAMED}"
        if judge.pairs:
            yield Report(at, message, fixes=(Fix("write `approach: holistic`", False, edits),))
        return
    value = resolved(approach.value)
    if string(value) in _APPROACHES:
        return
    fixes: tuple[Fix, ...] = ()
    if isinstance(value, ScalarNode):
        plain = re.sub(r"[\s_]+", "-", value.text.strip().lower())
        near = (plain,) if plain in _APPROACHES else nearest_names(plain, _APPROACHES)[:1]
        fixes = rename_fixes(value, view.text, near, safe=plain in _APPROACHES)
    yield _other(view, value, f"`approach` must be one of {_NAMED}", fixes)


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


_VARIABLE = lazy(r"\$\{([A-Za-z_]\w*)\}")


@file_rule(
    "S033", Severity.HINT, why="A run from here sends an empty value, and the server usually refuses the request."
)
def missing_variable(view: FileView) -> Iterator[Report]:
    models = [item for item in list_items(member(view.header, "models")) if isinstance(resolved(item), MappingNode)]
    services = member(view.header, "externalServices")
    found: dict[str, list[Span]] = {}
    for node in filter(None, (*models, services)):
        for variable in _VARIABLE.finditer(view.text, node.span.start, node.span.end):
            found.setdefault(variable[1], []).append(Span(*variable.span()))
    for name, spans in found.items():
        if name not in os.environ and not _is_comment(view.text, spans[0].start):
            times = "" if len(spans) == 1 else f", {len(spans)} times in this file"
            yield Report(spans[0], f"the variable {name} is not set here{times}")


@file_rule(
    "S036",
    Severity.WARNING,
    why="The host is shown and saved, and a variable may hold a key: no request is sent to this address from here.",
)
def variable_in_host(view: FileView) -> Iterator[Report]:
    services = member(view.header, "externalServices")
    entries = [pair.value for pair in services.pairs] if isinstance(services, MappingNode) else []
    for node in (*list_items(member(view.header, "models")), *entries):
        value = member(node, "url")
        written = string(value)
        if value is not None and written and has_variable_in_host(written):
            yield Report(first_line(view.text, value.span), "a variable is part of the host in this `url`")


def _is_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return re.search(r"(?:^|\s)#", line) is not None
