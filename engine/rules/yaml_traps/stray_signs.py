"""# stray-quote

Text that ends in a quotation mark that it does not open: `- Names the year"`.

The mark is a part of the text. A judge reads it as the end of a quotation that is not there, a model is sent it, and a
check looks for it in the answer.

Bad:

    - id: deposit
      prompt: When is the deposit due?
      should:
        - Says that it is due within 30 days"

Good:

    - id: deposit
      prompt: When is the deposit due?
      should:
        - Says that it is due within 30 days

Fix (unsafe): remove the mark.

Documents: Blueprint format, Point Definition Formats 1.

# unused-anchor

A text that starts with `&name`, which nothing in the file refers to.

In YAML, `&name` marks a value that `*name` repeats elsewhere. It is no part of the text: the criterion of
`- &Names the year` is "the year". It is a warning where the name looks like a word of the text, and a hint elsewhere.

Bad:

    - id: deposit
      prompt: When is the deposit due?
      should:
        - &c Says that it is due within 30 days

Good:

    - id: deposit
      prompt: When is the deposit due?
      should:
        - '&c Says that it is due within 30 days'

Fix (unsafe): put the whole text in quotation marks, or remove the anchor.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.patterns import lazy
from engine.rules.checks import hooks_of_parts
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import line_start
from engine.rules.source.node_search import nodes_around
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import ScalarNode, Style

_QUOTE_AT_END = lazy(r'"(?=[ \t]*(?:\r?$|[ \t]#))(?<=[^\W\d]"|[.!?,;:%)\]]")', re.MULTILINE)
"""The only mark of a line, behind a word: behind a digit it may mean inches, seconds or minutes."""
_ANCHOR = lazy(r"&(?P<name>[^\s,\[\]{}]+)[ ]+(?=[^\s#&!|>\[{*])")
_REFERENCE = lazy(r"\*([\w-]*)([^\s,\[\]{}*]*)")
_BEHIND_A_NAME = ".:;!?)\"'"
_AHEAD_OF_TEXT = lazy(r"[ ]*(?:-[ ]+)*(?:[\w$]+:[ ]+)?")
_IDENTIFIER = lazy(r"[a-z0-9_][\w-]*|[A-Z0-9_]{2,}")


def _stray_quotes(view: FileView, within: Span) -> Iterator[Report]:
    if view.is_json:
        return
    for found in _QUOTE_AT_END.finditer(view.text, within.start, within.end):
        mark = Span(*found.span())
        if view.text.find('"', line_start(view.text, mark.start), mark.start) >= 0:
            continue  # another mark on the line
        node = _plain_text(view, mark)
        if node is None or node.span.end != mark.end or node.span.of(view.text).count('"') != 1:
            continue
        yield Report(
            mark,
            "this quotation mark closes a text that none opens: remove it, or open the quotation",
            fixes=(Fix("remove the quotation mark", False, (TextEdit(mark, ""),)),),
        )


def _unused_anchors(view: FileView) -> Iterator[Report]:
    if view.is_json or not view.holds("- &", ": &"):
        return
    named = _references(view.text)
    for anchor in _ANCHOR.finditer(view.text):
        ahead = view.text[line_start(view.text, anchor.start()) : anchor.start()]
        if _AHEAD_OF_TEXT.fullmatch(ahead) is None:
            continue
        if anchor["name"] in named:
            continue
        node = _plain_text(view, Span(anchor.end(), anchor.end() + 1))
        if node is None or node.span.start not in (anchor.end(), anchor.start()):
            continue
        name = anchor["name"]
        whole = Span(anchor.start(), node.span.end)
        written = "'" + whole.of(view.text).replace("'", "''") + "'"
        yield Report(
            Span(anchor.start(), anchor.start() + len(name) + 1),
            f"text that starts with `&` needs quotes: `&{name}` is an anchor of YAML and no part of the text",
            severity=None if _IDENTIFIER.fullmatch(name) else Severity.WARNING,
            fixes=(
                Fix("quote the whole text", False, (TextEdit(whole, written),)),
                Fix("remove the anchor", False, (TextEdit(Span(*anchor.span()), ""),)),
            ),
        )


def _references(text: str) -> set[str]:
    """What stands behind each `*`: the word, all up to the next blank, and that without punctuation."""
    named: set[str] = set()
    for word, rest in _REFERENCE.findall(text):
        named |= {word, word + rest, (word + rest).rstrip(_BEHIND_A_NAME)}
    return named


def _plain_text(view: FileView, span: Span) -> ScalarNode | None:
    """The plain text around `span`; None if another node is."""
    around = list(nodes_around(view.tree, span))
    node = around[-1] if around else None
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and isinstance(node.value, str):
        return node
    return None


_ON_PROMPT, _ON_FILE = hooks_of_parts(_stray_quotes)

RULES = (
    Rule(
        code="Y016",
        slug="stray-quote",
        title="A quotation mark that nothing opens",
        severity=Severity.WARNING,
        why="The mark is a part of the text: judges and models see it, and a check looks for it.",
        on_prompt=_ON_PROMPT,
        on_file=_ON_FILE,
    ),
    Rule(
        code="Y017",
        slug="unused-anchor",
        title="Text that starts with `&`",
        severity=Severity.HINT,
        why="YAML takes the anchor away: no judge and no model ever sees it.",
        on_file=_unused_anchors,
    ),
)
