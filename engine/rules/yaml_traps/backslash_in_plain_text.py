r"""# backslash-in-plain-text

A line break or a tab that was typed as `\n` or `\t` in a text without quotes or in single quotes, where it stays a
backslash and a letter.

The model is sent the two characters. A check for a literal with them never finds a real line break, so every right
answer loses the point.

Only double quotes read such escapes. Nothing is reported in patterns, in code, in paths and formulas (`C:\new`, `\nu`),
and where `\n` stands alone and is what the text is about.

Bad:

    - id: rewrite
      prompt: Rewrite this politely.\n\nSend it now.
      should:
        - Asks for it with a please

Good:

    - id: rewrite
      prompt: |
        Rewrite this politely.

        Send it now.
      should:
        - Asks for it with a please

Fix (unsafe): double quotes. A block text (`|`) does the same.

Documents: Blueprint format, Troubleshooting 5, "Forgot to escape special characters".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine import functions
from engine.diagnostics import Fix, Severity
from engine.parsing.normalised_form import POINT_KEYS, normal_function_name
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.node_search import nodes_around, value_of
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, Style, property_name

_PLACE = re.compile(r"\\[nt]")
_TYPED = re.compile(
    r"(?:^|[^\s\\\"'`(]|[.!?:;,]\ )\\[nt](?![a-z])|[.!?:]\\[nt]|\\n\\n(?=[^\s\"'`).,;\\])",
)
"""Where a break is meant: not before a letter, as in `\\nu` and `\\text`, and not alone, as what the text is about."""
_CODE = re.compile(
    r"""\\(?!n|t|r\\n|")|\b[A-Za-z]:\\|\w\(\s*[a-z]?["'][^"']*\\[nt]|[=+,\[{]\s*["'][^"']*\\[nt]|["']\s*:\s*["']"""
    r"|(?<!`)`(?!`)[^`]*\\[nt][^`]*`"
)
"""A pattern, a formula, a path, or a program: there, a backslash is right."""
_TEXT_KEYS = frozenset(
    ("prompt", "promptText", "system", "systemPrompt", "systems", "content", "user", "assistant", "ai")
    + ("ideal", "idealResponse", "text", "point", "should_not", *POINT_KEYS)
)


def _in_prompt(view: PromptView) -> Iterable[Report]:
    return _within(view.file, view.prompt.span)


def _outside(view: FileView) -> Iterator[Report]:
    for part in view.outside_prompts():
        yield from _within(view, part)


def _within(view: FileView, part: Span) -> Iterator[Report]:
    end = part.start if not view.is_json and view.holds("\\n", "\\t") else part.end
    while place := _PLACE.search(view.text, end, part.end):
        around = list(nodes_around(view.tree, Span(*place.span())))
        node = around[-1] if around else None
        end = place.end() if not isinstance(node, ScalarNode) else max(place.end(), node.span.end)
        if isinstance(node, ScalarNode) and _is_meant(node) and _holds_text(around):
            sign = _PLACE.search(node.text)
            assert sign is not None
            inner = re.sub(r'(?<!\\)"', r"\"", node.text).replace("\n", r"\n")
            yield Report(
                first_line(view.text, node.span),
                f"`{sign[0]}` stays two characters here: a line break or tab needs double quotes, or a block text (`|`)",
                fixes=(Fix("write it in double quotes", False, (TextEdit(node.span, f'"{inner}"'),)),),
            )


def _is_meant(node: ScalarNode) -> bool:
    is_raw = node.style in (Style.PLAIN, Style.SINGLE)
    return is_raw and _TYPED.search(node.text) is not None and _CODE.search(node.text) is None


def _holds_text(around: Sequence[Node]) -> bool:
    """Whether the innermost of these nodes is sent, judged, or looked for as a literal."""
    mapping = next((node for node in reversed(around) if isinstance(node, MappingNode)), None)
    pairs = () if mapping is None else mapping.pairs
    at = around[-1].span.start
    name = next((property_name(pair.key) for pair in pairs if pair.value.span.start <= at < pair.value.span.end), "")
    if name in ("arg", "fnArgs") and isinstance(named := value_of(mapping, "fn"), ScalarNode):
        name = f"${named.text}"
    function = functions.find(normal_function_name(name[1:])) if name.startswith("$") else None
    return name in _TEXT_KEYS or (function is not None and function.search is not None and function.search.is_literal)


RULES = (
    Rule(
        code="Y025",
        slug="backslash-in-plain-text",
        title="Typed `\\n` that is no line break",
        severity=Severity.WARNING,
        why="A model is sent a backslash and a letter, and a check for them never finds a line break.",
        on_prompt=_in_prompt,
        on_file=_outside,
    ),
)
