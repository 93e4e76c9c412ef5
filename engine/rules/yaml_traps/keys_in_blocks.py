"""Keys, prompts and separators of a blueprint that a block text (`prompt: |`) has swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.parsing.keys import Part, names_read
from engine.patterns import lazy
from engine.rules.rule import Report
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import column, line_end, line_start, reindented
from engine.rules.views import FileView
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, ScalarNode, Style, property_name, resolved

BLOCKS = (Style.LITERAL, Style.FOLDED)
_LIST = "should|should_not|points|expect|expectations"
_LIST_OF_HEADER = "models|tags|temperatures|evaluators|systems|collections"
_PART = rf"""^(?P<margin>[ ]+)(?:
    (?:{_LIST}|models|prompts):[ \t]*(?:\#.*)?\n(?:[ \t]*\n)*[ \t]*-[ \t]  # the key of a list with its first item
  | (?:{_LIST}):[ \t]*\[\S  # the key of a list in brackets
  | messages:[ \t]*\n[ \t]*-[ ]\w+:  # messages with a role
  | (?:ideal|idealResponse):[ \t]*(?:[|>][-+]?[ \t]*\n|\S)  # an ideal
  | prompt:[ \t]*[|>][-+]?[ \t]*\n  # a block text of its own
  | -[ ](?:id|prompt):[ \t]+\S  # the start of a prompt
"""
_SWALLOWED = lazy(rf"{_PART})", re.MULTILINE | re.VERBOSE)
"""What can only be a part of the blueprint."""
_SWALLOWED_IN_HEADER = lazy(
    rf"""{_PART}
  | (?:{_LIST_OF_HEADER}):[ \t]*(?:\[\S|\n[ \t]*-[ \t])  # a list of the header
  | (?:system|title):[ \t]+\S | temperature:[ \t]*\d  # a value of the header
  | ---[ \t]*(?:\n(?:[ \t]*\n)*)?(?:\Z|[ ]*(?:-[ ])?(?:id|prompt|prompts|messages):)  # the line before the prompts
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""What can only be a part of the blueprint, in a block text of its header."""
QUOTED_FILE = lazy(r"\b(?:ya?ml|json|toml|config\w*|file|snippet|schema|manifest|parse|convert)\b", re.IGNORECASE)
"""A word with which a text speaks of a file, so that it may quote one."""
_NEXT_LINE = lazy(r"\n( *)[^\s#]")
_KEY_ABOVE = lazy(r"^[ \t]*(?:- )?[a-z][\w.-]*:(?:\s|$)")
_KEYS = names_read(Part.PROMPT) | names_read(Part.HEADER)


def keys_in_block(text: str, mapping: MappingNode, name: str, node: ScalarNode) -> Iterator[Report]:
    """The report of the first line of a block text, the value of `name` in a prompt, that is part of the blueprint."""
    found = _first(text, node, _SWALLOWED)
    key = "" if found is None else found.of(text).split(":", 1)[0]
    if found is None or (mapping.pair(key) is not None and QUOTED_FILE.search(text, node.span.start, found.start)):
        return  # the prompt has its own, and speaks of a file
    is_item = key.startswith("- ")
    what = "this prompt" if is_item else f"`{key}`"
    target = column(text, mapping.pairs[0].key.span.start) - 2 * is_item
    yield _report(text, node, found, f"{what} is a part of the text of `{name}`", "the keys of the prompt", target)


def keys_in_header(view: FileView) -> Iterator[Report]:
    """The report of the first line of each block text of the header that is part of the blueprint."""
    mapping = None if view.is_json else header_mapping(view)
    for pair in () if mapping is None else mapping.pairs:
        value = resolved(pair.value)
        if not isinstance(value, ScalarNode) or value.style not in BLOCKS:
            continue
        found = _first(view.text, value, _SWALLOWED_IN_HEADER)
        if found is not None:
            key = found.of(view.text).split(":", 1)[0].removeprefix("- ")
            message = f"`{key}` is a part of the text of `{property_name(pair.key)}`"
            yield _report(view.text, value, found, message, "the other keys", 0)


def _report(text: str, node: ScalarNode, line: Span, message: str, beside: str, target: int) -> Report:
    """The report of a swallowed `line`; its fix moves the rest of the block to the column `target`."""
    title = f"indent it like {beside}"
    edits = reindented(text, Span(line_start(text, line.start) - 1, node.span.end), target - column(text, line.start))
    below = _NEXT_LINE.search(text, node.span.end)
    is_free = target >= 0 and (below is None or len(below[1]) <= target)
    fixes = (Fix(title, False, tuple(edits)),) if edits and is_free else ()
    return Report(line, f"{message}: {title}", severity=Severity.WARNING, fixes=fixes)


def block_margin(text: str, node: ScalarNode) -> int:
    """The column of the lines of a block text, -1 if it has none."""
    for line in node.span.of(text).split("\n")[1:]:
        if line.strip():
            return len(line) - len(line.lstrip(" "))
    return -1


def _first(text: str, node: ScalarNode, pattern: re.Pattern[str]) -> Span | None:
    """The first line that is a part of the blueprint; None if there is none."""
    margin = block_margin(text, node)
    start = line_end(text, node.span.start) + 1
    all_found = pattern.finditer(text, start, node.span.end) if margin >= 0 else ()
    found = next((each for each in all_found if len(each["margin"]) == margin), None)
    before = "" if found is None else text[start : found.start()]
    is_quoted = _is_of_other_file(before, in_header=pattern is _SWALLOWED_IN_HEADER) if before.strip() else True
    if found is None or before.count("```") % 2 or is_quoted:
        return None  # nothing but these lines, or an example in the text
    return Span(found.end("margin"), line_end(text, found.start()))


def _is_of_other_file(before: str, *, in_header: bool) -> bool:
    """Whether the lines right above are keys that no blueprint has, or announce an example: another file is quoted."""
    lines = before.rstrip("\n").split("\n")
    start = next((at for at in range(len(lines) - 1, -1, -1) if not lines[at].strip()), -1) + 1
    if lines[-1].rstrip().endswith(":") and (in_header or QUOTED_FILE.search(before) is not None):
        return True
    if not in_header and not lines[-1].strip() and QUOTED_FILE.search(before) is not None:
        return True
    keys = [line for line in lines[start:] if _KEY_ABOVE.match(line) is not None]
    return any(key.split(":", 1)[0].strip(" -") not in _KEYS for key in keys)
