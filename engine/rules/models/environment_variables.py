"""# missing-variable

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
from engine.parsing.fields import member, string
from engine.rules.rule import Report, file_rule
from engine.rules.source.named_models import list_items
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.patterns import lazy
from engine.text.spans import Span
from engine.yaml.layout import first_line
from engine.yaml.nodes import MappingNode, resolved

_VARIABLE = lazy(r"\$\{([A-Za-z_]\w*)\}")


@file_rule(
    "S033", Severity.HINT, why="A run from here sends an empty value, and the server usually refuses the request."
)
def missing_variable(view: FileView) -> Iterator[Report]:
    fields = view.blueprint.header.fields
    has_own = any(isinstance(model, dict) for model in view.blueprint.header.models)
    if not has_own and "externalServices" not in fields:
        return
    found: dict[str, list[Span]] = {}
    places = [item for item in list_items(member(view.header, "models")) if isinstance(resolved(item), MappingNode)]
    services = member(view.header, "externalServices")
    for node in (*places, *(() if services is None else (services,))):
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
