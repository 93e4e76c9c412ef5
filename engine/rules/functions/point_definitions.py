"""# undefined-ref: Reference to a definition that does not exist

A `$ref` to a name that `point_defs` does not define, or a definition that cannot be a point.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: breif

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Fix (safe if only one name is close): the name of the definition.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.

# circular-ref: Definitions that refer to each other

A definition that leads back to itself.

It never reaches a point, so nothing is checked.

Bad:

    title: Capitals
    point_defs:
      brief:
        $ref: short
      short:
        $ref: brief
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.

# ref-attributes-ignored: Fields beside a reference that have no effect

A weight or a citation beside a `$ref` whose definition is a full point, or a definition that Weval cannot follow.

Here both count, as documented. Weval ignores them and uses the weight of the definition. It copies a definition
unchanged: in it, `weight` must be `multiplier`, `point` must be `text`, and a `$ref` has no effect.

Bad:

    title: Capitals
    point_defs:
      brief:
        $word_count_between: [1, 20]
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - $ref: brief
          weight: 3

Good:

    title: Capitals
    point_defs:
      brief:
        $word_count_between: [1, 20]
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - $ref: brief

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`, "full point objects".

# unused-definition

A definition of `point_defs` that no `$ref` names.

It is never checked. Either it is a leftover, or a `$ref` to it is missing and the score lacks a point.

Bad:

    title: Capitals
    point_defs:
      brief: r.length < 100
      polite: /please/.test(r)
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
      polite: /please/.test(r)
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief
        - $ref: polite

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.parsing.findings import Finding, Kind
from engine.rules.checks import definitions
from engine.rules.rule import REFUSED, Report, file_rule, finding_rule
from engine.rules.views import FileView
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.yaml.edit import rename
from engine.yaml.layout import first_line
from engine.yaml.nodes import Data, MappingNode, ScalarNode, resolved

_REFERENCE = lazy(
    r"""\$ref["']?[ \t]*:[ \t]*(?:\{[ \t]*["']?name["']?[ \t]*:[ \t]*)?"""
    r"""(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',}#](?:[^\n,}#]*[^\s,}#])?))"""
)
"""A reference and its name, quoted or not."""


def _names(view: FileView) -> list[str]:
    fields = view.blueprint.header.fields
    definitions: Data = fields.get("point_defs", fields.get("defs"))
    return list(definitions) if isinstance(definitions, dict) else []


@finding_rule(
    "F006",
    Severity.ERROR,
    Kind.UNDEFINED_REF,
    why=REFUSED,
    why_accepted="Weval reads an empty point, which it cannot evaluate.",
)
def undefined_ref(finding: Finding, view: FileView) -> Report:
    node = None if finding.node is None else resolved(finding.node)
    if isinstance(node, MappingNode) and (value := node.get("$ref")) is not None:
        node = resolved(value)
    if not finding.detail or not isinstance(node, ScalarNode) or not isinstance(node.value, str):
        span = first_line(view.text, finding.span)
        return Report(span, "a `$ref` must be the name of a definition")
    names = _names(view)
    near = nearest_names(node.value, names)
    if not near:
        are = "is" if len(names) == 1 else "are"
        there = f"there {are} {', '.join(f'`{name}`' for name in names[:5])}" if names else "there are no definitions"
        return Report(node.span, f"`{node.value}` is not defined in `point_defs`: {there}")
    fixes = tuple(Fix(f"use {name}", len(near) == 1, rename(view.text, node, name)) for name in near)
    named = " or ".join(f"`{name}`" for name in near)
    return Report(node.span, f"`{node.value}` is not defined in `point_defs`: did you mean {named}?", fixes=fixes)


@finding_rule(
    "F007", Severity.ERROR, Kind.CIRCULAR_REF, why="The definition never reaches a point, so nothing is checked."
)
def circular_ref(finding: Finding, view: FileView) -> Report:
    return Report(finding.span, f"the definition `{finding.detail}` leads back to itself and never reaches a point")


_IN_A_DEFINITION = {
    "$ref": "Weval does not follow a `$ref` in a definition and leaves the check out; here it is followed",
    "point": "Weval does not know `point` in a definition and fails; write `text`",
    "weight": "Weval ignores `weight` in a definition; here it counts. Write `multiplier`",
}


@finding_rule(
    "F008",
    Severity.WARNING,
    Kind.REF_ATTRIBUTES_IGNORED,
    Kind.DEFINITION_COPIED,
    why="The point counts differently on Weval.",
)
def ref_attributes_ignored(finding: Finding, view: FileView) -> Report:
    if finding.kind is Kind.DEFINITION_COPIED:
        return Report(finding.span, _IN_A_DEFINITION[finding.detail])
    return Report(finding.span, f"Weval ignores `{finding.detail}` beside a `$ref` to a full point; here it counts")


@file_rule("F020", Severity.HINT, why="A definition that no `$ref` names is never checked and does not count.")
def unused_definition(view: FileView) -> Iterator[Report]:
    defined = definitions(view)
    if not defined or any(finding.kind is Kind.UNDEFINED_REF for finding in view.parsed.findings):
        return
    used = {name for found in _REFERENCE.finditer(view.text) for name in found.groups() if name is not None}
    for name, span, _ in defined:
        if name not in used:
            yield Report(span, f"no `$ref` names the definition `{name}`: it is never checked")
