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
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.parsing.fields import is_null, string
from engine.parsing.keys import Part, find_key
from engine.rules.refusals import excerpt
from engine.rules.rule import Report, file_rule
from engine.rules.source.named_models import coverage_of, rename_fixes
from engine.rules.views import FileView
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix, Severity
from engine.yaml.edit import set_key
from engine.yaml.layout import first_line, quoted
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved

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
    written = resolved(judges)
    if not isinstance(written, SequenceNode):
        here = excerpt(judges, view.text)
        yield Report(first_line(view.text, judges.span), f"`judges` must be a list of judges, not {here}")
        return
    for item in written.items:
        judge = resolved(item)
        if isinstance(judge, MappingNode):
            yield from _of_judge(item, judge, view)
        else:
            here = excerpt(item, view.text)
            yield Report(
                first_line(view.text, item.span),
                f"a judge must be a mapping with a `model` and an `approach`, not {here}",
            )


def _of_judge(item: Node, judge: MappingNode, view: FileView) -> Iterator[Report]:
    model = judge.pair("model")
    if model is None:
        yield Report(first_line(view.text, item.span), "this judge has no `model`, so nothing can be judged by it")
    elif not string(resolved(model.value)):
        here = excerpt(model.value, view.text)
        at = model.value if model.value.span.start < model.value.span.end else model.key
        yield Report(first_line(view.text, at.span), f"the `model` of a judge must be `provider:model`, not {here}")
    if not judge.pairs:
        return
    approach = judge.pair("approach")
    value = None if approach is None else resolved(approach.value)
    if approach is None or value is None or is_null(value):
        holistic = quoted("holistic", is_json=view.is_json)
        edits = set_key(view.text, judge, "approach", holistic)
        at = first_line(view.text, item.span if approach is None else approach.key.span)
        message = f"this judge has no `approach`, which is required: one of {_NAMED}"
        yield Report(at, message, fixes=(Fix("write `approach: holistic`", False, edits),))
        return
    if string(value) in _APPROACHES:
        return
    span = value.span if isinstance(value, ScalarNode) else first_line(view.text, approach.value.span)
    message = f"`approach` must be one of {_NAMED}, not {excerpt(value, view.text)}"
    if not isinstance(value, ScalarNode):
        yield Report(span, message)
        return
    plain = re.sub(r"[\s_]+", "-", value.text.strip().lower())
    near = (plain,) if plain in _APPROACHES else nearest_names(plain, _APPROACHES)[:1]
    yield Report(span, message, fixes=rename_fixes(value, view.text, near, safe=plain in _APPROACHES))
