"""# swallowed-point

A point, a key or a prompt that became part of the text above it: a quotation mark is closed too late, a dash is missing
or stands too far right, or the lines stand below a `|`.

The two are one text: a judge grades them as one point, or the model is sent the points as part of its question, and
the points count in no score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
          Says that it is the seat of government
        - Gives a source

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - Says that it is the seat of government
        - Gives a source

A line of a quoted or plain text is reported if it begins with a dash, a bullet, a number, a key or a check, or as the
other points of the rubric do. Lines of a wrapped text are left alone. In a block text (`|`), where lists are usual, it
is a warning, and only for lines that begin as the points do, and for keys: below `prompt: |`, every line that is
indented deeper than `prompt` is text, also `should:` and its points. In the header, `tags:`, `models:` or `---` that
are indented below `description: |` are text. Keys of another file that the text quotes are left alone.

Fix (unsafe): a point of its own; for keys, indent the lines like the keys of the prompt or of the header.

Documents: Blueprint format, Prompt Fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Prompt
from engine.diagnostics import Fix, Severity
from engine.parsing.keys import Part, names_read
from engine.parsing.normalised_form import POINT_KEYS
from engine.record import Record
from engine.rules.rule import Report, Rule
from engine.rules.source.keys_in_blocks import BLOCKS, QUOTED_FILE, block_margin, keys_in_block, keys_in_header
from engine.rules.source.layout import column, dash_before, line_end, line_start, newline_of, next_line_start
from engine.rules.source.node_search import mapping_at
from engine.rules.source.openings import Openings, first_word, openings_of
from engine.rules.views import PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name

_RUBRICS = frozenset((*POINT_KEYS, "should_not"))
_KEYS = "|".join(sorted((names_read(Part.PROMPT) | names_read(Part.POINT)), key=len, reverse=True))
_ROW = re.compile(
    rf"""(?P<item> (?P<sign> -[ \t\u00a0]+(?=\S) | -(?=[A-Z$]) | [•▪‣◦●○∙⁃][ \t\u00a0]*
                   | (?P<weak> (?:[*+·–—] | \d{{1,2}}[.)])[ \t\u00a0]+ ) ) (?P<text>\S.*) )
      | (?P<key> ["']?(?P<name>{_KEYS})["']?[ \t]*[:：](?=\s|\Z) )
      | (?P<check> ["']?\$[A-Za-z_]\w*[ \t]*[:：(] )""",
    re.VERBOSE,
)
"""A line that begins as an item, a key or a check does; a `weak` sign may also stand within a sentence."""
_WHY = "It counts in no score: it is read as part of the text above."
_TITLE = "a point of its own"


class _Text(Record):
    """A scalar of several lines in a prompt: the key that holds it, and the item of its point; None outside rubrics."""

    node: ScalarNode
    name: str
    item: Node | None

    @property
    def is_block(self) -> bool:
        """Whether it is a `|` or `>` text."""
        return self.node.style in BLOCKS


class _Line(Record):
    """A later line of a scalar: its content, where that starts, and the line above it ("" if that is blank)."""

    start: int
    written: str
    above: str


def _in_prompt(view: PromptView) -> Iterator[Report]:
    mapping = None if view.file.is_json else mapping_at(view.tree, view.prompt.span)
    if mapping is None or view.text.find("\n", view.prompt.span.start, view.prompt.span.end) < 0:
        return
    openings = _openings(view.text, view.prompt)
    for found in _texts(view.text, mapping):
        if found.is_block and found.item is None:
            yield from keys_in_block(view.text, mapping, found.name, found.node)
        lines = [line for line in _lines(view.text, found.node) if _is_swallowed(view.text, found, line, openings)]
        yield from _reports(view.text, found, lines)


def _openings(text: str, prompt: Prompt) -> Openings:
    """The openings of the points in words of `prompt`."""
    spans = [point.subject_span for point in prompt.points() if point.text is not None]
    return openings_of([_point_lines(span.of(text)) for span in spans])


def _point_lines(source: str) -> list[str]:
    lines = [line.strip() for line in source.split("\n")]
    if lines[0][:1] in ("|", ">"):
        return [line for line in lines[1:] if line][:1]  # lists and further sentences are usual there
    return [lines[0].lstrip("\"'"), *lines[1:-1], *(line.rstrip("\"'") for line in lines[1:][-1:])]


def _texts(text: str, mapping: MappingNode) -> Iterator[_Text]:
    """The scalars of several lines of a prompt; not those of scripts, nor one in the place of a rubric."""
    for pair in mapping.pairs:
        name = property_name(pair.key)
        if text.find("\n", pair.value.span.start, pair.value.span.end) < 0:
            continue
        if name not in _RUBRICS:
            yield from _within(text, pair.value, name, None)
        elif isinstance(pair.value, SequenceNode):
            yield from _in_list(text, pair.value, name)


def _in_list(text: str, listed: SequenceNode, name: str) -> Iterator[_Text]:
    for item in listed.items:
        if isinstance(item, SequenceNode):
            yield from _in_list(text, item, name)
        else:
            yield from _within(text, item, name, item)


def _within(text: str, node: Node, name: str, item: Node | None) -> Iterator[_Text]:
    match node:
        case ScalarNode(span=span) if text.find("\n", span.start, span.end) >= 0:
            behind = text[span.end : line_end(text, span.end)].lstrip()[:1]
            if node.style in BLOCKS or behind in ("", "#", ",", "]", "}"):  # else `yaml-syntax` reports the quotes
                yield _Text(node, name, item)
        case SequenceNode(items=items):
            for each in items:
                yield from _within(text, each, name, item)
        case MappingNode(pairs=pairs):
            is_script = {"$js", "$expr"} & set(node.keys()) or getattr(node.get("fn"), "text", "") in ("js", "expr")
            for pair in () if item is not None and is_script else pairs:
                yield from _within(text, pair.value, property_name(pair.key), item)
        case _:
            return


def _lines(text: str, node: ScalarNode) -> Iterator[_Line]:
    start = line_end(text, node.span.start)
    above = "" if node.style in BLOCKS else text[node.span.start : start].strip()
    while (start := next_line_start(text, start)) < node.span.end:
        line = text[start : min(line_end(text, start), node.span.end)]
        written = line.strip()
        if written:
            yield _Line(start + len(line) - len(line.lstrip()), written, above)
        above = written


def _is_swallowed(text: str, found: _Text, line: _Line, openings: Openings) -> bool:
    """Whether `line` begins a point or a key."""
    row = _ROW.match(line.written)
    is_list = row is not None and row["item"] is not None
    begins = openings.begins(row["text"] if row is not None and is_list else line.written, line.above)
    if found.is_block:
        if row is None or row["weak"] or not line.above or line.above.endswith(":") or _ROW.match(line.above):
            return False
        if not is_list:
            return found.item is not None
        is_known = (
            first_word(row["text"]) in openings.first if found.item is None else not _is_deeper(text, found, line)
        )
        return row["text"].startswith("$") or (begins and is_known)
    if row is None:
        return begins and found.item is not None
    if found.item is None and (not line.above or QUOTED_FILE.search(text, found.node.span.start, line.start)):
        return False  # a line of its own in the text, or of a file that it quotes
    if is_list and (row["weak"] or found.item is None):
        return begins or (openings.ends(line.above) and row["text"][0].isupper())
    return is_list or row["check"] is not None or openings.ends(line.above)


def _is_deeper(text: str, found: _Text, line: _Line) -> bool:
    """Whether a line of a block text is indented deeper than its first one, as lists in a text are."""
    return column(text, line.start) > block_margin(text, found.node)


def _reports(text: str, found: _Text, lines: Sequence[_Line]) -> Iterator[Report]:
    for number, line in enumerate(lines):
        row = _ROW.match(line.written)
        place = Span(line.start, min(line.start + len(line.written), found.node.span.end))
        holder = "the point above" if found.item is not None else f"the text of `{found.name}`"
        fixes = () if row is not None and row["key"] else _split(text, found, lines[number:])
        level = Severity.WARNING if found.is_block else None
        yield Report(place, _message(found, row, holder), severity=level, fixes=fixes)


def _message(found: _Text, row: re.Match[str] | None, holder: str) -> str:
    if row is not None and row["key"]:
        return f"`{row['name']}` is a part of {holder}: {_advice(found)}"
    if row is not None and row["item"] and found.node.style is Style.PLAIN and row["sign"][0] == "-":
        return f"this `-` stands too far right: its text is a part of {holder}"
    return f"this line is a part of {holder}: {_advice(found)}"


def _advice(found: _Text) -> str:
    match found.node.style:
        case Style.SINGLE | Style.DOUBLE:
            return "close the quotation marks before it"
        case Style.PLAIN if found.item is not None:
            return "begin it with a `-` in the column of the other points, or join the two lines"
        case _:
            return "indent it like the lines that it belongs to"


def _split(text: str, found: _Text, lines: Sequence[_Line]) -> tuple[Fix, ...]:
    """The fix that makes points of `lines`, the rest of those to report, or only of the first if no quotes close."""
    node, dash = found.node, None if found.item is None else dash_before(text, found.item.span.start)
    if dash is None:
        return ()
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    edits = [_as_item(text, line, column(text, dash)) for line in (lines if is_quoted else lines[:1])]
    if is_quoted:
        mark, end = text[node.span.start], line_start(text, lines[0].start) - len(newline_of(text))
        edits = [TextEdit(Span(end, end), mark), *edits, TextEdit(Span(node.span.end - 1, node.span.end), "")]
    return (Fix(_TITLE, False, tuple(edits)),)


def _as_item(text: str, line: _Line, margin: int) -> TextEdit:
    row = _ROW.match(line.written)
    begins = line.start + (row.start("text") if row is not None and row["item"] else 0)
    return TextEdit(Span(line_start(text, line.start), begins), f"{' ' * margin}- ")


RULES = (
    Rule(
        code="Y020",
        slug="swallowed-point",
        title="Points and keys that became part of a text",
        severity=Severity.ERROR,
        why=_WHY,
        on_prompt=_in_prompt,
        on_file=keys_in_header,
    ),
)
