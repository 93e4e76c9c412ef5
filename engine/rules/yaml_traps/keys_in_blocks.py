"""Keys, messages, prompts and separators of a blueprint that a text of the place that they belong to has swallowed."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import TypeAlias

from engine.parsing.keys import Part, names_read
from engine.rules.rule import Report
from engine.rules.views import FileView
from engine.rules.words import one_letter_off
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span
from engine.yaml.key_names import LIST_KEYS
from engine.yaml.layout import column, least_indent, line_end, line_start, reindented
from engine.yaml.nodes import MappingNode, Node, ScalarNode, Style, property_name, resolved

BLOCKS = (Style.LITERAL, Style.FOLDED)
_CODE = 4
"""The columns by which Markdown indents an example."""
_LINE = lazy(
    r"""^(?P<margin>[ ]*)["']?(?P<name>(?:-[ ]+)?[A-Za-z]\w+(?:[ -]\w+)?|---)["']?[ \t\r]*(?:(?P<colon>[:：])|$)""",
    re.MULTILINE | re.VERBOSE,
)
"""A line that may begin with a key or a turn, or separates documents."""
_LIST = lazy(r"[ \t]*(?:\[\S|(?:#.*)?\r?\n\s*[-•*][ \t])")
_TEXT = lazy(r"[ \t]+\S")
_ANY = lazy(r"\s*[^\s/]")
_NO_PROSE = lazy(r"\s*[^\s/a-z]")
_NUMBER = lazy(r"[ \t]*[\d.]+[\"']?[ \t\r]*$", re.MULTILINE)
_ROLE = lazy(r"[ \t]*[\"']?(?:user|assistant|system)\b")
_SEPARATOR = lazy(r"[ \t]*(?:\n(?:[ \t]*\n)*)?(?:\Z|[ ]*(?:-[ ])?(?:id|prompt|prompts|messages):)")
_RUBRICS = ("should", "should_not")
_WHOLE = ("- id", "- prompt", "---")
_PROMPT = {
    **dict.fromkeys(("points", "expect", "expectations", "models", "prompts"), _LIST),
    **dict.fromkeys(("ideal", "idealResponse"), _ANY),
    **dict.fromkeys(("- id", "- prompt"), _TEXT),
    "messages": lazy(r"[ \t]*\r?\n[ \t]*-[ ]\w+:"),
    "prompt": lazy(r"[ \t]*[|>][-+]?[ \t\r]*\n"),
}
"""The keys of a prompt, each with the shape of what follows it: only together they are a part of the blueprint."""
_WEAK = {"weight": _NUMBER, "temperature": _NUMBER, "system": _TEXT, "citation": _ANY, "tools": _LIST}
"""Keys that are likelier than others to be those of something else that a text shows."""
_TURNS = dict.fromkeys(("- user", "- assistant", "- ai", "- system", "- role", "content"), _TEXT)
_OF_MESSAGE = {**_TURNS, "role": _ROLE}
_OF_HEADER = {**_PROMPT, **dict.fromkeys(LIST_KEYS, _LIST), **_WEAK, "title": _TEXT, "prompt": _TEXT, "---": _SEPARATOR}
KEY_NAMES = names_read(Part.PROMPT) | names_read(Part.HEADER) | names_read(Part.POINT)
_OF_POINT = dict.fromkeys(names_read(Part.PROMPT) | names_read(Part.POINT), lazy(r"(?=\s|\Z)"))
_Shapes: TypeAlias = dict[str, re.Pattern[str]]
"""The keys of a place, each with the shape of what follows its colon."""
QUOTED_FILE = lazy(r"\b(?:ya?ml|json|toml|config\w*|file|snippet|schema|manifest|parse|convert)\b", re.IGNORECASE)
"""A word with which a text speaks of a file, so that it may quote one."""
_BLANK = lazy(r"\n[ \t\r]*\n")
_NEXT_LINE = lazy(r"\n( *)[^\s#]")
_KEY_ABOVE = lazy(r"^[ \t]*(?:- )?[a-z][\w.-]*:(?:\s|$)")


def in_text(text: str, mapping: MappingNode, found: tuple[ScalarNode, str, Node | None]) -> Iterator[Report]:
    """The reports of the lines of a text in a prompt that are part of the blueprint.

    The text is the value of a key, or belongs to an item of a rubric.
    """
    node, name, item = found
    if item is not None:
        for line in _found(text, node, _OF_POINT, _OF_POINT):
            yield _report(text, node, line, "", "the lines that it belongs to", -1)
        return
    joined = names_read(Part.PROMPT) - _PROMPT.keys() if node.style not in BLOCKS else ()
    weak = {**dict.fromkeys(joined, _TEXT), **_WEAK, **(_OF_MESSAGE if name in names_read(Part.MESSAGE) else {})}
    if joined or not any(map(mapping.pair, ("prompt", "messages", "promptText"))):
        weak["prompt"] = _TEXT
    target = column(text, mapping.pairs[0].key.span.start)
    for key, line in _found(text, node, {**_PROMPT, **weak}, weak):
        if key in _OF_MESSAGE:
            yield _report(text, node, (key, line), name, "the other messages", -1)
        elif mapping.pair(key) is None or not QUOTED_FILE.search(text, node.span.start, line.start):
            yield _report(text, node, (key, line), name, "the keys of the prompt", target - 2 * key.startswith("- "))


def in_header(view: FileView) -> Iterator[Report]:
    """The reports of the lines of each text of the header that are part of the blueprint."""
    for pair in () if view.is_json else view.header.pairs:
        value = resolved(pair.value)
        if isinstance(value, ScalarNode):
            for found in _found(view.text, value, _OF_HEADER, _OF_HEADER):
                yield _report(view.text, value, found, property_name(pair.key), "the other keys", 0)


def _report(text: str, node: ScalarNode, found: tuple[str, Span], name: str, beside: str, target: int) -> Report:
    """The report of a swallowed line of the text of `name`, "" for a point.

    Its fix moves the rest of a block to `target`, -1 for none.
    """
    key, line = found
    is_block = node.style in BLOCKS
    what = "this prompt" if key in ("- id", "- prompt") else "this message" if key in _OF_MESSAGE else f"`{key}`"
    edits = reindented(text, Span(line_start(text, line.start) - 1, node.span.end), target - column(text, line.start))
    below = _NEXT_LINE.search(text, node.span.end)
    is_free = is_block and target >= 0 and (below is None or len(below[1]) <= target)
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    title = "close the quotation marks before it" if is_quoted else f"indent it like {beside}"
    fixes = (Fix(title, False, tuple(edits)),) if edits and is_free else ()
    message = f"{what} is a part of {f'the text of `{name}`' if name else 'the point above'}: {title}"
    return Report(line, message, severity=Severity.WARNING if is_block else None, fixes=fixes)


def _found(text: str, node: ScalarNode, keys: _Shapes, weak: Container[str]) -> Iterator[tuple[str, Span]]:
    """Each of `keys`, some of them `weak`, with which a line of a text begins, and that line, up to a whole prompt."""
    margin = least_indent(text, node.span) or 0
    below = quoted = line_end(text, node.span.start) + 1
    for line in _LINE.finditer(text, below, node.span.end):
        key = " ".join(line["name"].split())
        shape = keys.get(key) if line["colon"] or key == "---" else None
        if _is_rubric(key):
            shape = (_NO_PROSE if node.style in BLOCKS else _ANY) if line["colon"] else _LIST
        is_code = node.style in BLOCKS and not 0 <= len(line["margin"]) - margin < _CODE
        if shape is None or line.start() < quoted or is_code or not shape.match(text, line.end(), node.span.end):
            continue
        paragraph = _BLANK.split(text[line.start() : node.span.end], maxsplit=1)[0]
        others = re.split(f"\n{line['margin']}(?=[a-z])", paragraph)[1:]
        before = text[node.span.start : line.start()]
        if is_fenced(text, node, line.start()) or _is_of_other_file(before, others, is_weak=key in weak):
            quoted = line.start() + len(paragraph)
            continue
        yield key, Span(line.end("margin"), line_end(text, line.start()))
        if key in _WHOLE:
            return


def is_fenced(text: str, node: ScalarNode, at: int) -> bool:
    """Whether the line of a text at `at` is in a fence of Markdown."""
    return text.count("```", node.span.start, at) % 2 == 1


def _is_of_other_file(before: str, below: list[str], *, is_weak: bool) -> bool:
    """Whether a line is a part of an example: of another file, by the keys beside it, or of one that is announced."""
    if before.rstrip().endswith(":") and (is_weak or QUOTED_FILE.search(before)):
        return True
    lines = [*_BLANK.split(before.rstrip("\n"))[-1].split("\n"), *below]
    keys = [line.split(":", 1)[0].strip() for line in lines if _KEY_ABOVE.match(line) is not None]
    return any(key not in _OF_MESSAGE and key.strip(" -") not in KEY_NAMES and not _is_rubric(key) for key in keys)


def _is_rubric(key: str) -> bool:
    """Whether a key is `should` or `should_not`, also misspelt."""
    return any(one_letter_off(key.lower(), each) for each in _RUBRICS)
