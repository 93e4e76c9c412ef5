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
from collections.abc import Iterator

from engine import functions
from engine.diagnostics import Fix, Severity
from engine.parsing.normalised_form import normal_function_name
from engine.patterns import lazy
from engine.rules.checks import hooks_of_parts
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.written_texts import SENT_KEYS, written_with
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import ScalarNode, Style

_PLACE = lazy(r"\\[nt]")
_TYPED = lazy(
    r"(?:^|[^\s\\\"'`(]|[.!?:;,]\ )\\[nt](?![a-z])|[.!?:,;]\\[nt]|\\n\\n(?=[^\s\"'`).,;\\])"
    r"|(?:^|\s)\w+\\n(?!(?:abla|eg|eq?|eq?slant|i|leq|geq|mid|ot|otin|u|ewline|onumber)\b)[a-z]\w*\s",
)
"""Where a break is meant: not in `\\nu` and `\\text`, and not alone, as what the text is about."""
_CODE = lazy(
    r"""\\(?!n|t|r\\n|")|\b[A-Za-z]:\\|\w\(\s*[a-z]?["'][^"']*\\[nt]|[=+,\[{]\s*["'][^"']*\\[nt]|["']\s*:\s*["']"""
    r"|(?<!`)`(?!`)[^`]*\\[nt][^`]*`|\s\\[nt]\s\w+\s\\[nt]"
)
"""A pattern, a formula, a path, or a program: there, a backslash is right."""


def _check(view: FileView, part: Span) -> Iterator[Report]:
    for node, key in written_with(view, _PLACE, part):
        sign = _PLACE.search(node.text) if _is_meant(node) and _is_read(key) else None
        if sign is not None:
            inner = re.sub(r'(?<!\\)"', r"\"", node.text).replace("\n", r"\n")
            message = f"`{sign[0]}` stays two characters here: write it in double quotes, or as a block text (`|`)"
            fix = Fix("write it in double quotes", False, (TextEdit(node.span, f'"{inner}"'),))
            yield Report(first_line(view.text, node.span), message, fixes=(fix,))


def _is_meant(node: ScalarNode) -> bool:
    is_raw = node.style in (Style.PLAIN, Style.SINGLE)
    return is_raw and _TYPED.search(node.text) is not None and _CODE.search(node.text) is None


def _is_read(key: str) -> bool:
    """Whether the text under `key` is sent, judged, or looked for as a literal."""
    function = functions.find(normal_function_name(key[1:])) if key.startswith("$") else None
    return key in SENT_KEYS or (function is not None and function.search is not None and function.search.is_literal)


_ON_PROMPT, _ON_FILE = hooks_of_parts(_check)

RULES = (
    Rule(
        code="Y025",
        slug="backslash-in-plain-text",
        title="Typed `\\n` that is no line break",
        severity=Severity.WARNING,
        why="A model is sent a backslash and a letter, and a check for them never finds a line break.",
        on_prompt=_ON_PROMPT,
        on_file=_ON_FILE,
    ),
)
