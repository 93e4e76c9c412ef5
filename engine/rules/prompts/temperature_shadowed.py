"""# temperature-shadowed

A `temperature` that another one takes the place of: a header's beside `temperatures`, a prompt's own below a header's.

With `temperatures`, every prompt is asked at each of them and at no other, so a `temperature` beside it, or in a
prompt, changes no answer and no score. A header's single `temperature` gives way to a prompt's own here, as one would
expect; Weval goes by the header's, so the same prompt may score otherwise there.

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

Fix: none. Take the one away that is not meant.

Documents: 002, "Configuration Header Fields", `temperature`: "overridden if the `temperatures` array is present".
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
            "no prompt is asked at this temperature: `temperatures` takes its place",
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
            "this prompt is not asked at its"
            if count == 1
            else f"{count} prompts, from here on, are not asked at their"
        )
        message = f"{which} own temperature: the header's `temperatures` take its place"
    else:
        which = "this prompt at its" if count == 1 else f"{count} prompts, from here on, at their"
        message = f"Weval does not ask {which} own temperature: there the header's `temperature` takes its place"
    yield Report(
        pair.key.span, message, flagged=several is None, related=(Related(above.key.span, "this one of the header"),)
    )


def _pair(mapping: MappingNode | None, name: str) -> Pair | None:
    return None if mapping is None else mapping.pair(name)


RULES = (
    Rule(
        code="S029",
        slug="temperature-shadowed",
        severity=Severity.WARNING,
        why="What is written here changes no answer, so the score is that of another temperature.",
        on_file=_check,
    ),
)
