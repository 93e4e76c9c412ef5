"""# quoted-function

A check in quotation marks, `- "$icontains: 'Article 19'"`, is one text: the name of a function that does not exist.

It is never checked. Weval leaves the point out of the score, so the rest decides alone; where all points of a prompt
are written this way, the prompt scores 0 whatever the answer says. Here it counts as an error, with 0.

Bad:

    - id: article-19
      prompt: Which article protects freedom of expression?
      should:
        - "$icontains: 'Article 19'"

Good:

    - id: article-19
      prompt: Which article protects freedom of expression?
      should:
        - $icontains: 'Article 19'

Fix (safe): take the outer quotation marks away, so that it is a check again.

Documents: 002, "Point Definition Formats", 3: "All idiomatic function calls must be prefixed with a `$`" and are
objects, `- $contains: "fiduciary duty"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import dash_before, is_one_line, quoted
from engine.text import TextEdit
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode
from engine.yaml_nodes.values import to_data

_CALL = re.compile(r"(\$\w+)\s*:\s*(\S.*)", re.DOTALL)
_CALL_IN_BRACKETS = re.compile(r"(\$\w+)\(\s*(['\"\d].*\S)\s*\)", re.DOTALL)


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes = _fixes(node, view) if isinstance(node, ScalarNode) else ()
    shown = finding.span.of(view.text) if is_one_line(view.text, finding.span) else " ".join(finding.detail.split())
    return Report(finding.span, f"{_shortened(shown)} is one unknown name: never checked", fixes=fixes)


def _fixes(node: ScalarNode, view: FileView) -> tuple[Fix, ...]:
    replacement = as_check(node, view)
    return () if replacement is None else (Fix("make it a check", True, (TextEdit(node.span, replacement),)),)


def as_check(node: ScalarNode, view: FileView) -> str | None:
    """What makes a check of the text at `node`, in its place; None where it is no call on one line."""
    mapping = _as_mapping(node.text.strip())
    if mapping is None:
        return None
    if view.is_json:
        root = load(mapping).documents[0].root
        return None if root is None else json.dumps(to_data(root), ensure_ascii=False)
    return f"{{{mapping}}}" if dash_before(view.text, node.span.start) is None else mapping


def _as_mapping(written: str) -> str | None:
    """`$name: argument` as YAML that reads as a check; None where `written` is no such text on one line."""
    if "\n" in written:
        return None
    for candidate in _candidates(written):
        tree = load(candidate)
        root = tree.documents[0].root if tree.documents else None
        if tree.error is None and _is_whole_call(root, candidate):
            return candidate
    return None


def _candidates(written: str) -> Iterator[str]:
    """What the text can mean, the likeliest first."""
    bracketed = _CALL_IN_BRACKETS.fullmatch(written)
    if bracketed is not None:
        yield f"{bracketed[1]}: {bracketed[2]}"
        return
    call = _CALL.fullmatch(written)
    if call is None:
        return
    name, argument = call[1], call[2]
    is_quoted = len(argument) > 1 and argument[0] == argument[-1] == '"'
    if is_quoted and "match" in name and "\\" in argument:
        yield f"{name}: {quoted(_pattern_in_double_quotes(argument))}"
    yield f"{name}: {argument}"
    if is_quoted:
        yield f"{name}: {quoted(_pattern_in_double_quotes(argument))}"
    yield f"{name}: {quoted(argument)}"


def _pattern_in_double_quotes(argument: str) -> str:
    """What was meant by a pattern between double quotes: `\\d` and `\\\\d` are both the digit class."""
    return re.sub(r"\\([\\\"])", r"\1", argument[1:-1])


def _is_whole_call(root: Node | None, written: str) -> bool:
    """Whether it is one pair, with an argument that was read to its end (a `#` would cut it)."""
    return isinstance(root, MappingNode) and len(root.pairs) == 1 and root.span.end == len(written)


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


RULES = (
    Rule(
        code="Y003",
        slug="quoted-function",
        severity=Severity.ERROR,
        why="The check never runs: it counts 0 here, and Weval leaves it out, so a wrong answer may still score full.",
        kinds=(Kind.QUOTED_FUNCTION,),
        on_finding=_check,
    ),
)
