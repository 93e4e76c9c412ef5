"""# temperature-shadowed

A `temperature` that another setting overrides: a header's beside `temperatures`, or a prompt's below a header's.

With `temperatures`, every prompt is run at each of them and at no other, so a `temperature` beside them or in a prompt
changes no answer and no score. A prompt's own temperature overrides a single `temperature` of the header here, as one
would expect. Weval uses the header's, so the same prompt may score differently there.

Bad:

    title: Capitals
    temperature: 0.2
    temperatures: [0.0, 0.7]
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    temperatures: [0.0, 0.7]
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Remove the one that you do not want.

Documents: Blueprint format, Configuration Header Fields, `temperature`, "overridden if the `temperatures` array is
present".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Related, Severity
from engine.rules.rule import Report, Rule
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.node_search import mapping_at
from engine.rules.views import FileView
from engine.yaml_nodes.nodes import MappingNode, Pair


def _check(view: FileView) -> Iterator[Report]:
    header = view.blueprint.header
    if header.temperature is None and not header.temperatures:
        return
    mapping = header_mapping(view)
    several = _pair(mapping, "temperatures") if header.temperatures else None
    single = _pair(mapping, "temperature") if header.temperature is not None else None
    if several is not None and single is not None:
        yield Report(
            single.key.span,
            "no prompt is run at this temperature: `temperatures` overrides it",
            related=(Related(several.key.span, "these are used"),),
        )
    above = several or single
    own = [
        pair
        for prompt in view.blueprint.prompts
        if prompt.temperature is not None
        and (several is not None or prompt.temperature != header.temperature)
        and (pair := _pair(mapping_at(view.tree, prompt.span), "temperature"))
    ]
    if above is None or not own:
        return
    pair = own[0]
    count = len(own)
    if several is not None:
        which = (
            "this prompt is not run at its" if count == 1 else f"{count} prompts, from here on, are not run at their"
        )
        message = f"{which} own temperature: the header's `temperatures` override it"
    else:
        which = "this prompt at its" if count == 1 else f"{count} prompts, from here on, at their"
        message = f"Weval does not run {which} own temperature: there the header's `temperature` overrides it"
    yield Report(pair.key.span, message, flagged=several is None, related=(Related(above.key.span, "the header's"),))


def _pair(mapping: MappingNode | None, name: str) -> Pair | None:
    return None if mapping is None else mapping.pair(name)


RULES = (
    Rule(
        code="S029",
        slug="temperature-shadowed",
        title="Temperature that another setting overrides",
        severity=Severity.WARNING,
        why="This value has no effect: the score is that of another temperature.",
        on_file=_check,
    ),
)
