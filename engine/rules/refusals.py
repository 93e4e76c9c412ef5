"""Rules for fields that do not meet a demand, by the rows of `refusals.toml`, and words for values that are no text."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias, Unpack

from msgspec import convert

from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import is_truthy, member
from engine.rules.rule import FileView, Further, OnFinding, Report, Rule, rule_of
from engine.text import Fix, Record, Span, in_quotes
from engine.text.text_limits import ALIAS_VALUES, DEPTH
from engine.yaml.layout import first_line
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name, resolved

ROLES = ("system", "user", "assistant")
Fixes: TypeAlias = Callable[[Finding, FileView], tuple[Fix, ...]]


class _Row(Record):
    """What is said of a value that does not meet a demand, and the reason where it is not that of the rule."""

    message: str
    accepted: str = ""
    why: str = ""

    def report(self, finding: Finding, view: FileView, fixes: tuple[Fix, ...]) -> Report:
        """The report on `finding`."""
        here, source = excerpt(finding.node, view.text), finding.span.of(view.text).strip("'\"")
        known = {"here": here, "source": source, "key": finding.detail, "described": _described(finding.node, here)}
        message = self.message.format(**known, depth=DEPTH, values=f"{ALIAS_VALUES:,}")
        why = self.why or ("" if finding.refused else self.accepted)
        return Report(first_line(view.text, finding.span), message, why, fixes=fixes)


@cache
def _rows() -> Mapping[str, Mapping[str, str | _Row]]:
    """The rows of each rule in `refusals.toml`, by their names."""
    text = Path(__file__).with_name("refusals.toml").read_text("utf-8")
    return convert(tomllib.loads(text), dict[str, dict[str, str | _Row]])


def field_rule(
    kind: Kind,
    own: Mapping[str, OnFinding] | None = None,
    *,
    fixes: Mapping[str, Fixes] | None = None,
    **further: Unpack[Further],
) -> Rule:
    """The rule for one kind of finding on fields: its rows are in `refusals.toml`, or its `own` functions.

    The fixes are by the detail of the finding, too; "" is for all others.
    """
    own, fixes = own or {}, fixes or {}

    def check(finding: Finding, view: FileView) -> Report | None:
        rows = _rows().get(kind.value, {})
        name = next(name for name in _names(finding) if name in own or name in rows)
        if name in own:
            return own[name](finding, view)
        row, fix = rows[name], fixes.get(finding.detail) or fixes.get("")
        row = _Row(row) if isinstance(row, str) else row
        return row.report(finding, view, () if fix is None else fix(finding, view))

    further.update(kinds=(kind,), on_finding=check)
    return rule_of(kind.value, **further)


def _names(finding: Finding) -> Iterator[str]:
    """The names of the rows that may be for `finding`, the most particular first."""
    node = None if finding.node is None else resolved(finding.node)
    value = node.value if isinstance(node, ScalarNode) else True
    states = {
        "flagged": finding.flagged,
        "mapping": finding.refused and isinstance(node, MappingNode),
        "empty": value is None,
        "false": not is_truthy(value),
    }
    for detail in (finding.detail, ""):
        yield from (f"{detail} {state}".strip() for state, applies in states.items() if applies)
        yield detail


def _described(node: Node | None, here: str) -> str:
    target = None if node is None else resolved(node)
    if isinstance(target, MappingNode) and target.pairs:
        return f"this is a mapping with {' and '.join(f'`{property_name(pair.key)}`' for pair in target.pairs)}"
    if not isinstance(target, ScalarNode):
        return f"this is {here}"
    if isinstance(target.value, str):
        return f"“{target.text.strip()}” is a string"
    return f"{here} is {kind_of_value(target)}"


def kind_of_value(node: Node | None) -> str:
    """What a value is that is no text."""
    match node.value if isinstance(node, ScalarNode) else "":
        case bool():
            return "a yes-or-no value"
        case int() | float():
            return "a number"
        case None:
            return "nothing"
        case str():
            return "something else"
        case _:
            return "a date"


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
    values = (member(part, key) for part in parts for key in ("text", "content", "user"))
    texts = [each.text for each in values if isinstance(each, ScalarNode)]
    return next(iter(texts), ""), len(texts) == len(parts) == 1


def empty_place(text: str, span: Span) -> Span:
    """The first line of what is empty; its dash where nothing is written behind that."""
    is_dash = span.start == span.end and text[span.start - 1 : span.start] == "-"
    return Span(span.start - 1, span.start) if is_dash else first_line(text, span)


def cut(text: str, most: int = 40) -> str:
    """`text` on one line of at most so many code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
