"""# model-format

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
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused

RULES = (
    refused(
        "S022",
        Kind.MODEL_FORMAT,
        "a model is `provider:model`, the name of a collection, or a mapping; this is {here}",
        {"models": "`models` is a list of models; this is {here}"},
    ),
    refused(
        "S023",
        Kind.CUSTOM_MODEL_INCOMPLETE,
        "`{key}` of a custom model is {here}, which it cannot be",
        {
            key: f"a custom model needs `id`, `url`, `modelName` and `inherit`, each a text; `{key}` is none"
            for key in ("id", "url", "modelName", "inherit")
        },
    ),
)
