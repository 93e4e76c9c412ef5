"""Rules for fields that Weval refuses: what it expects there, and what the file has instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.diagnostics import Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.node_search import value_of
from engine.rules.views import FileView
from engine.text import in_quotes
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, resolved

ROLES = ("system", "user", "assistant")
_NONE: Mapping[str, str] = MappingProxyType({})


def refused_field(
    code: str,
    kind: Kind,
    message: str,
    by_key: Mapping[str, str] = _NONE,
    missing_message: str = "",
    why_accepted: str = "",
) -> Rule:
    """The rule for one kind of field that Weval refuses, with one message, or with one for each key in `by_key`.

    In a message, `{here}` is replaced by what is written and `{key}` by the key. The message for `KEY flagged` is used
    where the value works here. `missing_message` is used where the field is a mapping that lacks a required key.
    `why_accepted` replaces the reason where Weval accepts the value all the same.
    """
    return Rule(
        code=code,
        slug=kind.value,
        severity=Severity.ERROR,
        why=REFUSED,
        why_accepted=why_accepted,
        kinds=(kind,),
        on_finding=_reporter(message, by_key, missing_message),
    )


def _reporter(message: str, by_key: Mapping[str, str], missing_message: str) -> Callable[[Finding, FileView], Report]:
    def check(finding: Finding, view: FileView) -> Report:
        template = by_key.get(finding.detail, message)
        if finding.flagged:
            template = by_key.get(f"{finding.detail} flagged", template)
        if missing_message and finding.refused and isinstance(finding.node, MappingNode):
            template = missing_message
        span = first_line(view.text, finding.span)
        return Report(span, template.format(here=excerpt(finding.node, view.text), key=finding.detail))

    return check


def excerpt(node: Node | None, text: str) -> str:
    """The source of `node`, short enough for a message."""
    target = None if node is None else resolved(node)
    match target:
        case ScalarNode(value=None):
            return "nothing"
        case ScalarNode(value=str(), style=Style.PLAIN):
            return in_quotes(cut(target.text))
        case ScalarNode():
            return cut(target.span.of(text))
        case SequenceNode(items=items):
            return next((f"a list of {kind}s" for each in items if (kind := _kind(resolved(each)))), "a list")
        case MappingNode():
            return f"one {kind}" if (kind := _kind(target)) else "a mapping"
        case None:
            return "this"


def _kind(node: Node) -> str:
    """What a mapping is in the programs that send messages to models: a message, or a part of one."""
    keys = set(node.keys()) if isinstance(node, MappingNode) else set[str]()
    if "content" in keys or len(keys.intersection(ROLES)) == 1:
        return "message"
    return "message part" if "text" in keys else ""


def text_alone(node: Node) -> tuple[str, bool]:
    """The first text of messages or of their parts, and whether it is all that they say; "" without one."""
    target = resolved(node)
    parts = target.items if isinstance(target, SequenceNode) else (node,)
    values = (value_of(part, key) for part in parts for key in ("text", "content", "user"))
    texts = [each.text for each in values if isinstance(each, ScalarNode)]
    return next(iter(texts), ""), len(texts) == len(parts) == 1


def cut(text: str) -> str:
    """`text` on one line, cut after 40 code points."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"
