"""Keys, prompts and separators of a blueprint that a block text (`prompt: |`) has swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.parsing.keys import Part, names_read
from engine.rules.rule import Report
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import column, line_end, line_start
from engine.rules.views import FileView
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, ScalarNode, SequenceNode, Style, property_name, resolved

BLOCKS = (Style.LITERAL, Style.FOLDED)
_LIST = "should|should_not|points|expect|expectations"
_LIST_OF_HEADER = "models|tags|temperatures|evaluators|systems|collections"
_SIGN = re.compile(
    r"\n +(?:---|should|points|expect|messages|ideal|models|prompt|tags|system|temperature|title|evaluators|collections"
    r"|- (?:id|prompt))"
)
"""A cheap sign in the source of a block."""
_PART = rf"""
    (?:{_LIST}|models|prompts):[ \t]*(?:\#.*)?\n(?:[ \t]*\n)*[ \t]*-[ \t]  # the key of a list with its first item
  | (?:{_LIST}):[ \t]*\[\S  # the key of a list in brackets
  | messages:[ \t]*\n[ \t]*-[ ]\w+:  # messages with a role
  | (?:ideal|idealResponse):[ \t]*(?:[|>][-+]?[ \t]*\n|\S)  # an ideal
  | prompt:[ \t]*[|>][-+]?[ \t]*\n  # a block text of its own
  | -[ ](?:id|prompt):[ \t]+\S  # the start of a prompt
"""
_SWALLOWED = re.compile(rf"^(?:{_PART})", re.MULTILINE | re.VERBOSE)
"""What can only be a part of the blueprint."""
_SWALLOWED_IN_HEADER = re.compile(
    rf"""^(?:{_PART}
      | (?:{_LIST_OF_HEADER}):[ \t]*(?:\[\S|\n[ \t]*-[ \t])  # a list of the header
      | (?:system|title):[ \t]+\S | temperature:[ \t]*\d  # a value of the header
      | ---[ \t]*\n(?:[ \t]*\n)*(?:\Z|(?:-[ ])?(?:id|prompt|prompts|messages):)  # the line before the prompts
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""What can only be a part of the blueprint, in a block text of its header."""
QUOTED_FILE = re.compile(r"\b(?:ya?ml|json|toml|config\w*|file|snippet|schema|manifest|parse|convert)\b", re.IGNORECASE)
"""A word with which a text speaks of a file, so that it may quote one."""
_KEY_ABOVE = re.compile(r"^[ \t]*(?:- )?[a-z][\w.-]*:(?:\s|$)")
_NEXT_LINE = re.compile(r"\n( *)[^\s#]")
_MOST_LINES = 300
"""How many lines one fix may indent."""
_KEYS_OF_PROMPTS = names_read(Part.PROMPT)
_KEYS = _KEYS_OF_PROMPTS | names_read(Part.HEADER)


def keys_in_block(text: str, mapping: MappingNode, name: str, node: ScalarNode) -> Iterator[Report]:
    """The report of the first line of a block text, the value of `name` in a prompt, that is part of the blueprint."""
    margin = block_margin(text, node)
    found = _first(text, node, margin, _SWALLOWED)
    if found is None:
        return
    line = Span(found.start, min(line_end(text, found.start), node.span.end))
    key = _key_of(line.of(text))
    if mapping.pair(key) is not None and QUOTED_FILE.search(text, node.span.start, found.start) is not None:
        return  # the prompt has its own, and speaks of a file
    is_item = line.of(text).startswith("- ")
    what = "this prompt" if is_item else f"`{key}`"
    target = column(text, mapping.pairs[0].key.span.start) - 2 * is_item
    free = is_item or (key in _KEYS_OF_PROMPTS and mapping.pair(key) is None)
    title = "indent it like the keys of the prompt"
    fixes = _moved(text, node, line_start(text, found.start), margin - target, title) if free and target >= 0 else ()
    yield Report(line, f"{what} is a part of the text of `{name}`: {title}", severity=Severity.WARNING, fixes=fixes)


def keys_in_header(view: FileView) -> Iterator[Report]:
    """The report of the first line of each block text of the header that is part of the blueprint."""
    mapping = None if view.is_json else header_mapping(view)
    for pair in () if mapping is None else mapping.pairs:
        value = resolved(pair.value)
        if not isinstance(value, ScalarNode) or value.style not in BLOCKS:
            continue
        margin = block_margin(view.text, value)
        found = _first(view.text, value, margin, _SWALLOWED_IN_HEADER)
        if found is not None:
            key, title = _key_of(found.of(view.text)), "indent it like the other keys"
            message = f"`{key}` is a part of the text of `{property_name(pair.key)}`: {title}"
            fixes = _moved(view.text, value, line_start(view.text, found.start), margin, title)
            yield Report(found, message, severity=Severity.WARNING, fixes=fixes)


def block_margin(text: str, node: ScalarNode) -> int:
    """The column of the lines of a block text, -1 if it has none."""
    for line in node.span.of(text).split("\n")[1:]:
        if line.strip():
            return len(line) - len(line.lstrip(" "))
    return -1


def _key_of(written: str) -> str:
    """The key with which a line begins, perhaps behind a dash."""
    return written.strip().split(":", 1)[0].removeprefix("- ")


def _first(text: str, node: ScalarNode, margin: int, pattern: re.Pattern[str]) -> Span | None:
    """The first line that is a part of the blueprint, without its `margin`, in the source; None if there is none."""
    if margin < 0 or _SIGN.search(text, node.span.start, node.span.end) is None:
        return None
    lines = text[line_end(text, node.span.start) + 1 : node.span.end].split("\n")
    found = pattern.search("\n".join(line[margin:] for line in lines) + "\n")
    if found is None:
        return None
    before = found.string[: found.start()]
    is_quoted = _is_of_other_file(before, in_header=pattern is _SWALLOWED_IN_HEADER)
    if not before.strip() or before.count("```") % 2 or is_quoted:
        return None  # nothing but these lines, or an example in the text
    start = line_end(text, node.span.start) + 1
    start += sum(len(line) + 1 for line in lines[: before.count("\n")]) + margin
    return Span(start, max(line_end(text, start - margin), start))


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


def _moved(text: str, node: ScalarNode, start: int, by: int, title: str) -> tuple[Fix, ...]:
    """The fix that moves the rest of a block text, or else its line at `start`, to the left; none if neither is read.

    Nor if the lines below the block would follow at another margin.
    """
    part = Span(start, node.span.end)
    starts = [start, *(start + each.end() for each in re.finditer("\n", part.of(text)))]
    lines = [each for each in starts if each < part.end and text[each : line_end(text, each)].strip()]
    if by <= 0 or len(lines) > _MOST_LINES or any(text[each : each + by].strip() for each in lines):
        return ()
    below = _NEXT_LINE.search(text, part.end)
    if below is not None and len(below[1]) > block_margin(text, node) - by:
        return ()
    edits = tuple(TextEdit(Span(each, each + by), "") for each in lines)
    read = next((some for some in (edits, edits[:1]) if _is_read(text, part, some)), None)
    return () if read is None else (Fix(title, False, read),)


def _is_read(text: str, part: Span, edits: tuple[TextEdit, ...]) -> bool:
    """Whether the lines of `part` are keys of a blueprint only, or lists of prompts, after `edits`."""
    inside = (edit.shifted(-part.start) for edit in edits)
    tree = load(apply_edits(part.of(text), inside).removesuffix("\n") + "\n")
    roots = [document.root for document in tree.documents]
    return tree.error is None and all(
        set(root.keys()) <= _KEYS
        if isinstance(root, MappingNode)
        else isinstance(root, SequenceNode) and all(isinstance(resolved(item), MappingNode) for item in root.items)
        for root in roots
        if root is not None
    )
