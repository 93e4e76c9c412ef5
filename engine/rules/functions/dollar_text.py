"""# dollar-text

A text that begins with `$`, such as `- $100 is named as the fee`, is read as a function of that name.

There is no such function, so the point is never checked: it counts 0 here, and Weval leaves it out of the score. A text
that begins with the name of a function, such as `- $icontains notary`, was meant as a check: see quoted-function.

Bad:

    - id: fee
      prompt: What does the licence cost?
      should:
        - $100 is named as the fee

Good:

    - id: fee
      prompt: What does the licence cost?
      should:
        - text: $100 is named as the fee

Fix (safe): the full form with `text`, which is never read as a function.

Documents: Blueprint format, Point Definition Formats 3 and 4.
"""

from __future__ import annotations

from engine import functions
from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.patterns import lazy
from engine.rules.rule import Report, Rule
from engine.rules.source.check_texts import read_check_node
from engine.rules.source.layout import dash_before, quoted
from engine.rules.views import FileView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import ScalarNode, Style

_SIGNED = lazy(r"\$[^\w\s]{1,2}\s*(\w+)")


def _check(finding: Finding, view: FileView) -> Report | None:
    node = finding.node
    if isinstance(node, ScalarNode) and read_check_node(node) is not None:
        return None  # a check was meant: `quoted-function` reports it
    fixes = _fixes(node, view) if isinstance(node, ScalarNode) else ()
    return Report(
        finding.span,
        "this text begins with `$`, so it is read as a function, but no function has that name",
        fixes=fixes,
    )


def _names_a_check(text: str) -> bool:
    """Whether a check was meant, in a form that has no fix: `$!icontains: fee`."""
    named = _SIGNED.match(text)
    return named is not None and functions.find(named[1]) is not None


def _fixes(node: ScalarNode, view: FileView) -> tuple[Fix, ...]:
    if node.style in (Style.LITERAL, Style.FOLDED) or _names_a_check(node.text):
        return ()
    written = quoted(node.text) if node.style is Style.PLAIN else node.span.of(view.text)
    if view.is_json:
        whole = f'{{"text": {written}}}'
    elif dash_before(view.text, node.span.start) is None:
        whole = f"{{text: {written}}}"
    else:
        whole = f"text: {written}"
    return (Fix("make it text", True, (TextEdit(node.span, whole),)),)


RULES = (
    Rule(
        code="Y004",
        slug="dollar-text",
        title="Text that begins with `$`",
        severity=Severity.ERROR,
        why="The point is never checked: here it counts 0, and Weval leaves it out of the score.",
        kinds=(Kind.DOLLAR_TEXT,),
        on_finding=_check,
    ),
)
