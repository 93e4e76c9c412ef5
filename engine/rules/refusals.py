"""Rules that say of one field what Weval expects there and what stands there instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.diagnostics import Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.views import FileView
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved

_NONE: Mapping[str, str] = MappingProxyType({})


def refused(
    code: str, kind: Kind, otherwise: str, by_key: Mapping[str, str] = _NONE, lacking: str = "", taken: str = ""
) -> Rule:
    """The rule of one kind of field that Weval refuses, with its sentence, or one for each key that the parser notes.

    In a sentence, `{here}` stands for what is written and `{key}` for the key. `lacking` is the message on a mapping,
    for a field that may be one and whose every mapping has to hold something. A sentence for `KEY flagged` is for what
    works here. `taken` says what comes of what Weval takes all the same.
    """
    return Rule(
        code=code,
        slug=kind.value,
        severity=Severity.ERROR,
        why=REFUSED,
        taken=taken,
        kinds=(kind,),
        on_finding=_says(otherwise, by_key, lacking),
    )


def _says(otherwise: str, by_key: Mapping[str, str], lacking: str) -> Callable[[Finding, FileView], Report]:
    def check(finding: Finding, view: FileView) -> Report:
        span = first_line(view.text, finding.span)
        sentence = by_key.get(finding.detail, otherwise)
        if finding.flagged:
            sentence = by_key.get(f"{finding.detail} flagged", sentence)
        if lacking and finding.refused and isinstance(finding.node, MappingNode):
            sentence = lacking
        return Report(span, sentence.format(here=what_is_written(finding.node, view.text), key=finding.detail))

    return check


def what_is_written(node: Node | None, text: str) -> str:
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
