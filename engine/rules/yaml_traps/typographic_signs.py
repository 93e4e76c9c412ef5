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

# stray-quote: A quotation mark that nothing opens

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

# unused-anchor: Text that starts with `&`

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
from functools import lru_cache

from engine.rules.checks import hooked_rule, hooks_of_parts
from engine.rules.rule import Report, file_rule, prompt_rule
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import is_one_line, line_start, quoted
from engine.yaml.line_slips import with_plain_signs
from engine.yaml.node_search import mapping_at, nodes_around, value_on_line
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name

_SIGNS = tuple("“”„‟＂［｛，")
_SIGN = lazy(f"[{''.join(_SIGNS)}]")
"""A cheap sign in the source."""
_QUOTED = lazy('[“”„‟＂]([^“”„‟＂"]*)[“”‟＂"]')
_WIDE_LIST = lazy(r"［[^\n]*［?[^\n]*］|｛[^\n]*｝")
_COMMA = lazy(r"[\x20-\x7e]+(?:，[\x20-\x7e]*)+")
"""A text with full-width commas that is otherwise written in plain letters."""
_LITERALS = ("id", "arg", "fnArgs")
"""Keys whose values are looked for or compared as they are."""
_PLAIN = lazy(r"[A-Za-z](?:[^\n:#]|:(?=\S)|#(?<=\S#))*")
"""A text that begins with a letter, without what begins a value or a comment."""


@lru_cache(maxsize=8)
def _signs_in(text: str) -> tuple[str, ...]:
    """Those of the signs that the file has at all: each prompt is then searched for those only."""
    return tuple(sign for sign in _SIGNS if sign in text)


def _in_header(view: FileView) -> Iterator[Report]:
    for pair in () if view.is_json else view.header.pairs:
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
    written = node.text
    inner = None if is_literal else _QUOTED.fullmatch(written)
    if inner is not None and inner[1].strip():
        return _quotes(node, inner[1], in_brackets=in_brackets)
    if _WIDE_LIST.fullmatch(written) is not None and not in_brackets:
        return _brackets(node)
    if in_brackets and _COMMA.fullmatch(written) is not None:
        return _commas(text, node.span)
    return None


def _quotes(node: ScalarNode, inner: str, *, in_brackets: bool) -> Report:
    """The report on quotation marks around `inner`."""
    is_plain = _PLAIN.fullmatch(inner) is not None and not in_brackets and inner == inner.strip()
    new = inner if is_plain and _reads_as_text(inner) else quoted(inner)
    message = f"`{node.text[0]}` is no quotation mark of YAML: as it stands, it is a part of the text"
    return Report(node.span, message, fixes=(Fix("use plain quotes", True, (TextEdit(node.span, new),)),))


def _brackets(node: ScalarNode) -> Report:
    new = with_plain_signs(node.text)
    is_list = isinstance(value_on_line(new), SequenceNode | MappingNode)
    message = f"`{node.text[0]}` is wider than the bracket of YAML: as it stands, this is one text and no list"
    fixes = (Fix("use plain signs", True, (TextEdit(node.span, new),)),) if is_list else ()
    return Report(node.span, message, fixes=fixes)


def _commas(text: str, span: Span) -> Report:
    """The report on the commas in `span`, an item in brackets."""
    commas = [Span(*each.span()) for each in re.compile("，").finditer(text, span.start, span.end)]
    edits = tuple(TextEdit(comma, ",") for comma in commas)
    message = "`，` is wider than the comma of YAML: as it stands, this is one item"
    return Report(commas[0], message, fixes=(Fix("use plain commas", True, edits),))


def _reads_as_text(written: str) -> bool:
    """Whether `written` is this text for YAML where it stands after a key, without quotes."""
    value = value_on_line(written)
    return isinstance(value, ScalarNode) and value.value == written


_QUOTE_AT_END = lazy(r'"(?=[ \t]*(?:\r?$|[ \t]#))(?<=[^\W\d]"|[.!?,;:%)\]]")', re.MULTILINE)
"""The only mark of a line, behind a word: behind a digit it may mean inches, seconds or minutes."""
_ANCHOR = lazy(r"&(?P<name>[^\s,\[\]{}]+)[ ]+(?=[^\s#&!|>\[{*])")
_REFERENCE = lazy(r"\*([\w-]*)([^\s,\[\]{}*]*)")
_BEHIND_A_NAME = ".:;!?)\"'"
_AHEAD_OF_TEXT = lazy(r"[ ]*(?:-[ ]+)*(?:[\w$]+:[ ]+)?")
_IDENTIFIER = lazy(r"[a-z0-9_][\w-]*|[A-Z0-9_]{2,}")


@hooked_rule(
    hooks_of_parts,
    "Y016",
    Severity.WARNING,
    why="The mark is a part of the text: judges and models see it, and a check looks for it.",
)
def stray_quote(view: FileView, within: Span) -> Iterator[Report]:
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


@file_rule("Y017", Severity.HINT, why="YAML takes the anchor away: no judge and no model ever sees it.")
def unused_anchor(view: FileView) -> Iterator[Report]:
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


@prompt_rule(
    "Y015",
    Severity.WARNING,
    why="The signs are sent to the model or looked for in its answer as a part of the text.",
    on_file=_in_header,
)
def typographic_signs(view: PromptView) -> Iterator[Report]:
    span = view.prompt.span
    signs = _signs_in(view.text)
    if not signs or view.file.is_json or all(view.text.find(sign, span.start, span.end) < 0 for sign in signs):
        return
    mapping = mapping_at(view.tree, span)
    if mapping is not None:
        yield from _in(view.text, mapping)
