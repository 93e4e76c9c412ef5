"""# swallowed-block

Keys or prompts that a block text has swallowed: below `prompt: |`, every line that is indented deeper than `prompt` is
text, also `should:` and its points.

Weval sends them to the model as part of the text, and the points count in no score. The same happens to a `- ` that is
indented deeper than the plain point above it: the two become one point.

Bad:

    - id: capital
      prompt: |
        What is the capital of Kenya?
        should:
          - Names Nairobi

Good:

    - id: capital
      prompt: |
        What is the capital of Kenya?
      should:
        - Names Nairobi

The same happens in the header: `tags:`, `models:` or `---` that are indented below `description: |` are text. Keys that
belong to another file, quoted in the prompt, are left alone.

Fix (unsafe, where the prompt has none of the swallowed keys, and reads as a prompt then): indent the lines like the
keys of the prompt. In the header, the rest of the text is moved to the margin if it reads as a header and prompts then.

Documents: Blueprint format, Prompt Fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from engine.diagnostics import Fix, Severity
from engine.parsing.keys import Part, names_read
from engine.rules.rule import Report, Rule
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import column, line_end, line_start
from engine.rules.source.node_search import mapping_at
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, Style, property_name, resolved

_BLOCKS = (Style.LITERAL, Style.FOLDED)
_LISTS_OF_PROMPTS = ("should", "should_not", "points", "expect", "expectations", "messages")
_LIST = "|".join(name for name in _LISTS_OF_PROMPTS if name != "messages")
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
_QUOTED_FILE = re.compile(
    r"\b(?:ya?ml|json|toml|config\w*|file|snippet|schema|manifest|parse|convert)\b", re.IGNORECASE
)
_KEY_ABOVE = re.compile(r"^[ \t]*(?:- )?[a-z][\w.-]*:(?:\s|$)")
_ITEM = re.compile(r"\n(?P<margin> +)-[ \t]+\S")
_NEXT_LINE = re.compile(r"\n( *)[^\s#]")
_MOST_LINES = 300
"""How many lines one fix may indent."""
_KEYS_OF_PROMPTS = names_read(Part.PROMPT)
_KEYS_OF_HEADERS = names_read(Part.HEADER)
_KEYS_OF_BLUEPRINTS = _KEYS_OF_PROMPTS | _KEYS_OF_HEADERS
_WHY_OF_POINTS = "The two are scored as one point."
_WHY = "It is sent to the model as text, and counts in no score."


def _in_prompt(view: PromptView) -> Iterator[Report]:
    mapping = mapping_at(view.tree, view.prompt.span)
    if mapping is None or view.file.is_json:
        return
    for pair in mapping.pairs:
        yield from _of_pair(view, mapping, pair)
    if view.text.find("\n", view.prompt.span.start, view.prompt.span.end) >= 0:
        for rubric in (mapping.pair(name) for name in ("should", "should_not", "points")):
            value = None if rubric is None else resolved(rubric.value)
            if isinstance(value, SequenceNode) and not value.flow:
                yield from _items(view.text, value.items)


def _of_pair(view: PromptView, mapping: MappingNode, pair: Pair) -> Iterator[Report]:
    value = resolved(pair.value)
    if _may_have_swallowed(value, view.text):
        yield from _in_block(view.text, mapping, pair, value)
    elif isinstance(value, SequenceNode) and property_name(pair.key) == "messages":
        for message in map(resolved, value.items):
            for inner in message.pairs if isinstance(message, MappingNode) else ():
                content = resolved(inner.value)
                if _may_have_swallowed(content, view.text):
                    yield from _in_block(view.text, mapping, inner, content)


def _may_have_swallowed(node: Node, text: str) -> TypeGuard[ScalarNode]:
    """Whether `node` is a block text with the sign of a key or a prompt."""
    is_block = isinstance(node, ScalarNode) and node.style in _BLOCKS
    return is_block and _SIGN.search(text, node.span.start, node.span.end) is not None


def _in_block(text: str, mapping: MappingNode, pair: Pair, node: ScalarNode) -> Iterator[Report]:
    """The report of the first line of a block text that is a part of the blueprint."""
    margin = _margin(text, node)
    found = _first(text, node, margin)
    if found is None:
        return
    line = Span(found.start, min(line_end(text, found.start), node.span.end))
    key = _key_of(line.of(text))
    if mapping.pair(key) is not None and _QUOTED_FILE.search(text, node.span.start, found.start) is not None:
        return  # the prompt has its own, and speaks of a file
    what = "this prompt" if line.of(text).startswith("- ") else f"`{key}`"
    message = f"{what} is a part of the text of `{property_name(pair.key)}`: indent it like the keys of the prompt"
    fix = _fix(text, mapping, node, Span(line_start(text, found.start), node.span.end), key, margin)
    yield Report(line, message, fixes=() if fix is None else (fix,))


def _key_of(written: str) -> str:
    """The key with which a line begins, perhaps behind a dash."""
    return written.strip().split(":", 1)[0].removeprefix("- ")


def _margin(text: str, node: ScalarNode) -> int:
    """The column of the lines of a block text, -1 if it has none."""
    for line in node.span.of(text).split("\n")[1:]:
        if line.strip():
            return len(line) - len(line.lstrip(" "))
    return -1


def _first(text: str, node: ScalarNode, margin: int, *, in_header: bool = False) -> Span | None:
    """The first line that is a part of the blueprint, without its `margin`, in the source; None if there is none."""
    if margin < 0:
        return None
    lines = text[line_end(text, node.span.start) + 1 : node.span.end].split("\n")
    pattern = _SWALLOWED_IN_HEADER if in_header else _SWALLOWED
    found = pattern.search("\n".join(line[margin:] for line in lines) + "\n")
    if found is None:
        return None
    before = found.string[: found.start()]
    if not before.strip() or before.count("```") % 2 or _is_of_other_file(before, in_header=in_header):
        return None  # nothing but these lines, or an example in the text
    start = line_end(text, node.span.start) + 1
    start += sum(len(line) + 1 for line in lines[: before.count("\n")]) + margin
    return Span(start, max(line_end(text, start - margin), start))


def _is_of_other_file(before: str, *, in_header: bool) -> bool:
    """Whether the lines right above are keys that no blueprint has, or announce an example: another file is quoted."""
    lines = before.rstrip("\n").split("\n")
    start = next((at for at in range(len(lines) - 1, -1, -1) if not lines[at].strip()), -1) + 1
    if lines[-1].rstrip().endswith(":") and (in_header or _QUOTED_FILE.search(before) is not None):
        return True
    if not in_header and not lines[-1].strip() and _QUOTED_FILE.search(before) is not None:
        return True
    keys = [line for line in lines[start:] if _KEY_ABOVE.match(line) is not None]
    return any(key.split(":", 1)[0].strip(" -") not in _KEYS_OF_BLUEPRINTS for key in keys)


def _fix(text: str, mapping: MappingNode, node: ScalarNode, part: Span, key: str, margin: int) -> Fix | None:
    """The fix that indents `part`, the rest of a block text, like the keys of the prompt; None if they are there."""
    prompt_column = column(text, mapping.pairs[0].key.span.start)
    is_item = text[part.start : part.end].lstrip().startswith("- ")
    target = prompt_column - 2 if is_item else prompt_column
    if target < 0 or (not is_item and (key not in _KEYS_OF_PROMPTS or mapping.pair(key) is not None)):
        return None
    if _column_after(text, part.end) > target:
        return None
    starts = [part.start, *(part.start + each.end() for each in re.finditer("\n", part.of(text)))]
    lines = [start for start in starts if start < part.end and text[start : line_end(text, start)].strip()]
    if len(lines) > _MOST_LINES or any(text[start : start + margin].strip() for start in lines):
        return None
    edits = tuple(TextEdit(Span(start, start + margin - target), "") for start in lines)
    for some in (edits, edits[:1]):
        if _is_read(text, part, some, is_item):
            return Fix("indent it like the keys of the prompt", False, some)
    return None


def _column_after(text: str, offset: int) -> int:
    """The column of the first line after `offset` that is not blank; 0 at the end of the text."""
    found = _NEXT_LINE.search(text, offset)
    return 0 if found is None else len(found[1])


def _is_read(text: str, part: Span, edits: tuple[TextEdit, ...], is_item: bool) -> bool:
    """Whether the lines of `part` are a mapping with keys of prompts only, or a list of prompts, after `edits`."""
    inside = (edit.shifted(-part.start) for edit in edits)
    tree = load(apply_edits(part.of(text), inside).removesuffix("\n") + "\n")
    root = tree.documents[0].root if tree.error is None and len(tree.documents) == 1 else None
    if is_item:
        return isinstance(root, SequenceNode) and all(isinstance(resolved(item), MappingNode) for item in root.items)
    return isinstance(root, MappingNode) and set(root.keys()) <= _KEYS_OF_PROMPTS


def _items(text: str, items: Iterable[Node]) -> Iterator[Report]:
    """Points that a plain point above has swallowed, as their dash is indented deeper."""
    for item in items:
        if not isinstance(item, ScalarNode) or item.style is not Style.PLAIN or " - " not in item.text:
            continue
        source = item.span.of(text)
        found = list(_ITEM.finditer(source))
        if not found:
            continue
        dash = column(text, item.span.start) - 2
        starts = [item.span.start + each.start("margin") for each in found]
        edits = tuple(
            TextEdit(Span(start, start + len(each["margin"])), " " * dash)
            for start, each in zip(starts, found, strict=True)
        )
        first = item.span.start + found[0].end("margin")
        line = Span(first, min(line_end(text, first), item.span.end))
        message = "this `-` stands too far right: its text is a part of the point above"
        fixes = (Fix("indent it like the other points", False, edits),) if dash >= 0 else ()
        yield Report(line, message, _WHY_OF_POINTS, fixes=fixes)


def _in_header(view: FileView) -> Iterator[Report]:
    """Keys that a block text of the header has swallowed."""
    mapping = None if view.is_json else header_mapping(view)
    for pair in () if mapping is None else mapping.pairs:
        value = resolved(pair.value)
        if not _may_have_swallowed(value, view.text):
            continue
        found = _first(view.text, value, _margin(view.text, value), in_header=True)
        if found is not None:
            key, name = _key_of(found.of(view.text)), property_name(pair.key)
            message = f"`{key}` is a part of the text of `{name}`: indent it like the other keys"
            fix = _fix_of_header(view.text, value, line_start(view.text, found.start))
            yield Report(found, message, fixes=() if fix is None else (fix,))


def _fix_of_header(text: str, node: ScalarNode, start: int) -> Fix | None:
    """The fix that moves the rest of a block text of the header to the margin; None if it is no blueprint then."""
    by = _margin(text, node)
    lines = [start, *(start + each.end() for each in re.finditer("\n", text[start : node.span.end]))]
    lines = [line for line in lines if line < node.span.end and text[line : line_end(text, line)].strip()]
    if len(lines) > _MOST_LINES or any(text[line : line + by].strip() for line in lines):
        return None
    edits = tuple(TextEdit(Span(line, line + by), "") for line in lines)
    tree = load(apply_edits(text, edits))
    header = tree.documents[0].root if tree.error is None and tree.documents else None
    if not isinstance(header, MappingNode) or tree.diagnostics or not set(header.keys()) <= _KEYS_OF_HEADERS:
        return None
    return Fix("indent it like the other keys", False, edits)


RULES = (
    Rule(
        code="Y014",
        slug="swallowed-block",
        title="Keys that became part of a text",
        severity=Severity.WARNING,
        why=_WHY,
        on_prompt=_in_prompt,
        on_file=_in_header,
    ),
)
