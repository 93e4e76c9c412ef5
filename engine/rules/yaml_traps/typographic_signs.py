"""# typographic-signs

Typographic quotation marks around a whole text, or full-width brackets and commas around the items of a list.

YAML knows only the plain signs `"`, `'`, `[`, `]`, `{`, `}` and `,`. Any other sign is a part of the text: the model is
sent the quotation marks, and a list in full-width brackets is one text. Word processors and some keyboards write such
signs by themselves.

Bad:

    - id: capital
      prompt: “What is the capital of Kenya?”
      should:
        - Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe): plain signs. A text that needs no quotation marks gets none.

Documents: Blueprint format, YAML Blueprint Format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.rules.rule import Report, Rule
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import is_one_line, quoted
from engine.rules.source.node_search import mapping_at
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name, resolved
from engine.yaml_nodes.wide_signs import with_plain_signs

_SIGN = re.compile("[“”„‟＂［｛，]")
"""A cheap sign in the source."""
_QUOTED = re.compile('[“”„‟＂]([^“”„‟＂"]*)[“”‟＂"]')
_WIDE_LIST = re.compile(r"［[^\n]*［?[^\n]*］|｛[^\n]*｝")
_COMMA = re.compile(r"[\x20-\x7e]+(?:，[\x20-\x7e]*)+")
"""A text with full-width commas that is otherwise written in plain letters."""
_LITERALS = ("id", "arg", "fnArgs")
_PLAIN = re.compile(r"[A-Za-z](?:[^\n:#]|:(?=\S)|#(?<=\S#))*")


def _in_prompt(view: PromptView) -> Iterator[Report]:
    span = view.prompt.span
    if view.file.is_json or _SIGN.search(view.text, span.start, span.end) is None:
        return
    mapping = mapping_at(view.tree, span)
    if mapping is not None:
        yield from _in(view.text, mapping)


def _in_header(view: FileView) -> Iterator[Report]:
    mapping = None if view.is_json else header_mapping(view)
    for pair in () if mapping is None else mapping.pairs:
        if property_name(pair.key) != "prompts" and _SIGN.search(view.text, pair.span.start, pair.span.end) is not None:
            yield from _in(view.text, pair.value)


def _in(text: str, node: Node, *, in_brackets: bool = False, is_literal: bool = False) -> Iterator[Report]:
    """The reports in `node`. Quotation marks of a literal are left to `curly-quote-in-literal`."""
    match node:
        case ScalarNode(style=Style.PLAIN, value=str()) if is_one_line(text, node.span):
            report = _of_text(text, node, in_brackets=in_brackets, is_literal=is_literal)
            if report is not None:
                yield report
        case SequenceNode():
            for item in node.items:
                yield from _in(text, item, in_brackets=in_brackets or node.flow, is_literal=is_literal)
        case MappingNode():
            for pair in node.pairs:
                name = property_name(pair.key)
                literal = is_literal or name.startswith("$") or name in _LITERALS
                yield from _in(text, pair.value, in_brackets=in_brackets or node.flow, is_literal=literal)
        case _:
            return


def _of_text(text: str, node: ScalarNode, *, in_brackets: bool, is_literal: bool) -> Report | None:
    span, written = node.span, node.text
    inner = None if is_literal else _QUOTED.fullmatch(written)
    if inner is not None and inner[1].strip():
        is_plain = _PLAIN.fullmatch(inner[1]) is not None and not in_brackets and inner[1] == inner[1].strip()
        new = inner[1] if is_plain and _reads_as_text(inner[1]) else quoted(inner[1])
        message = f"`{written[0]}` is no quotation mark of YAML: as it stands, it is a part of the text"
        return Report(span, message, fixes=(Fix("use plain quotes", True, (TextEdit(span, new),)),))
    if _WIDE_LIST.fullmatch(written) is not None and not in_brackets:
        new = with_plain_signs(written)
        message = f"`{written[0]}` is wider than the bracket of YAML: as it stands, this is one text and no list"
        return Report(span, message, fixes=_list_fix(span, new))
    if in_brackets and _COMMA.fullmatch(written) is not None:
        comma = Span(span.start + written.index("，"), span.start + written.index("，") + 1)
        edits = tuple(TextEdit(Span(at, at + 1), ",") for at in _places(text, span))
        message = "`，` is wider than the comma of YAML: as it stands, this is one item"
        return Report(comma, message, fixes=(Fix("use plain commas", True, edits),))
    return None


def _places(text: str, span: Span) -> Iterator[int]:
    return (each.start() for each in re.finditer("，", text[: span.end]) if each.start() >= span.start)


def _list_fix(span: Span, new: str) -> tuple[Fix, ...]:
    tree = load(f"k: {new}\n")
    root = tree.documents[0].root if tree.error is None and tree.documents else None
    value = resolved(root.pairs[0].value) if isinstance(root, MappingNode) and root.pairs else None
    is_list = isinstance(value, SequenceNode | MappingNode)
    return (Fix("use plain signs", True, (TextEdit(span, new),)),) if is_list else ()


def _reads_as_text(written: str) -> bool:
    """Whether `written` is this text for YAML where it stands after a key, without quotes."""
    tree = load(f"k: {written}\n")
    root = tree.documents[0].root if tree.error is None and tree.documents else None
    value = resolved(root.pairs[0].value) if isinstance(root, MappingNode) and root.pairs else None
    return isinstance(value, ScalarNode) and value.value == written


RULES = (
    Rule(
        code="Y015",
        slug="typographic-signs",
        severity=Severity.WARNING,
        why="The signs are sent to the model or looked for in its answer as a part of the text.",
        on_prompt=_in_prompt,
        on_file=_in_header,
    ),
)
