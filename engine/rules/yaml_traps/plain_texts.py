"""# comment-ate-text: Text cut off by `#`

Text without quotation marks that contains ` #`: the rest of the line is a comment.

The criterion of `- Ranks Nairobi #1 of the region` is "Ranks Nairobi" only, so an answer earns the point without the
rank. A prompt that is cut this way is sent without its end. A point that begins with `#` is empty, or begins in the
line below.

Bad:

    - id: cities
      prompt: Which city of East Africa has the largest economy?
      should:
        - Ranks Nairobi #1 of the region

Good:

    - id: cities
      prompt: Which city of East Africa has the largest economy?
      should:
        - 'Ranks Nairobi #1 of the region'

Fix (unsafe): put the whole text in quotation marks.

Documents: Blueprint format, Point Definition Formats 1.

# key-under-text: Key below a point without `text:`

A key of a point, such as `weight:` or `citation:`, below a point that is plain text.

A plain text cannot have keys. Weval refuses the whole file, so nothing in it is scored. A point with a weight or a
citation is written with `text:`.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
          weight: 2
        - Says that it is in East Africa

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - Says that it is in East Africa

Fix (unsafe where YAML reads the key as words of the point): write `text:` before the point, and line the keys up with
it.

Documents: Blueprint format, Point Definition Formats 4.

# non-string-scalar: Number, date or `true` where text belongs

A number, a yes-or-no value, a date or nothing where text is required: `- 42`, `- 2024-01-01`, `prompt: 7`,
`ideal: 3.10`; and a list or mapping there, such as the `content` of a message as other programs send it, a list of
parts.

Weval refuses such a point and with it the whole file, so nothing is scored. As a prompt it is not sent as written.

Bad:

    - id: answer
      prompt: What is six times seven?
      should:
        - 42

Good:

    - id: answer
      prompt: What is six times seven?
      should:
        - "42"

Fix (safe; for a yes-or-no value unsafe): put it in quotation marks. Unsafe for a single part: its text alone; for
messages under `prompt`: the key `messages`.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from engine.parsing.findings import Finding, Kind
from engine.parsing.keys import KEYS, Names, Part, Shape
from engine.rules.phrases.phrase_reports import shortened
from engine.rules.refusals import excerpt, text_alone
from engine.rules.rule import REFUSED, Report, file_rule, finding_rule, prompt_rule
from engine.rules.source.check_names import function_of
from engine.rules.source.prompt_texts import key_of
from engine.rules.source.spoilt_blocks import spoilt_point_keys
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit, in_quotes
from engine.yaml.edit import key_like
from engine.yaml.layout import first_line, is_one_line, line_end, line_start, quoted
from engine.yaml.node_search import enclosing_mapping, nodes_around
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style

_MARK = lazy(r"#[^\W_][^\r\n]*")
_NOTES = lazy(r"#[ \t]*(?:todo|fixme|note|xxx|noqa|nosec|hack)\b", re.IGNORECASE)
_ALL = lazy(r"[ \t]+(#[^\r\n]*[^\W_][^\r\n]*)")
_COMMENT_PROPER = lazy(r"[ \t]+#(?=[ \t#]|\Z).*")
_BEGINS_ITEM = lazy(r"(?P<margin>[ \t]*)-(?:[ \t]+-)*[ \t]+#[^\r\n]*\r?\n(?P=margin)[ \t]+[^\s#-]")
"""A comment behind the dash of an item whose text is in the next line."""
_IDENTIFIERS = {"id", "role", "fn", "render_as"}
_TEXTS = {
    name
    for part in (Part.PROMPT, Part.MESSAGE, Part.POINT, Part.HEADER)
    for key in KEYS[part]
    if key.name not in _IDENTIFIERS
    and (key.shape is Shape.TEXT or key.part in (Part.POINT, Part.MESSAGE))
    and key.names not in (Names.MODELS, Names.TOOLS)
    for name in key.read_as
} | {"citation", "reference"}


@file_rule("Y012", Severity.WARNING, why="The text after the # is a comment: no judge and no model ever sees it.")
def comment_ate_text(view: FileView) -> Iterator[Report]:
    if view.is_json:
        return
    for finding in view.findings_of(Kind.NOT_WRITTEN):
        yield from _of_empty(finding, view)
    for mark in _MARK.finditer(view.text):
        if view.text[mark.start() - 1 : mark.start()] not in (" ", "\t") or _NOTES.match(mark[0]) is not None:
            continue
        node = _text_before(view, mark.start())
        if node is not None:
            yield _report(view, node, Span(*mark.span()))
        elif _BEGINS_ITEM.match(view.text, line_start(view.text, mark.start())):
            yield Report(Span(*mark.span()), "this is a comment, so the point begins in the line below")


def _of_empty(finding: Finding, view: FileView) -> Iterator[Report]:
    """The report of a point of which nothing is left."""
    mark = _ALL.match(view.text, finding.span.end)
    if mark is not None and _NOTES.match(mark[1]) is None:
        place, written = Span(*mark.span(1)), "'" + mark[1].rstrip().replace("'", "''") + "'"
        fix = Fix("quote the whole text", False, (TextEdit(place, written),))
        level = Severity.ERROR if finding.refused else None
        yield Report(place, "this is a comment, so the point is empty", severity=level, fixes=(fix,))


def _text_before(view: FileView, mark: int) -> ScalarNode | None:
    """The plain scalar that ends before the `#` at `mark`, with only spaces or tabs between."""
    start = line_start(view.text, mark)
    end = start + len(view.text[start:mark].rstrip(" \t"))
    if end == start:
        return None
    around = list(nodes_around(view.tree, Span(end - 1, end)))
    node = around[-1] if around else None
    if not isinstance(node, ScalarNode) or node.style is not Style.PLAIN or node.span.end != end:
        return None
    if any(isinstance(each, MappingNode | SequenceNode) and each.flow for each in around):
        return None
    key = key_of(node, around)
    is_text = key in _TEXTS or key.startswith("$") or " " in key  # before a citation, the key is the criterion
    return node if isinstance(node.value, str) and is_text else None


def _report(view: FileView, node: ScalarNode, rest: Span) -> Report:
    text, lost = " ".join(node.text.split()), rest.of(view.text).rstrip()
    whole = Span(node.span.start, rest.start + len(_COMMENT_PROPER.sub("", lost)))
    written = "'" + whole.of(view.text).replace("'", "''") + "'"
    return Report(
        Span(rest.start, min(rest.start + len(lost), line_end(view.text, rest.start))),
        f"this is a comment, so the text ends at {in_quotes(text if len(text) <= 40 else '…' + text[-39:])}",
        fixes=(Fix("quote the whole text", False, (TextEdit(whole, written),)),),
    )


# `engine.yaml.diagnosis` finds keys that make the file unreadable; this module finds those that YAML reads as
# words of the point, because they have a wide colon or no space after it.

_NOT_PLAIN = frozenset("\"'|>[{&*!")


@prompt_rule("Y013", Severity.ERROR, why="Weval refuses the whole file: none of its prompts is run or scored.")
def key_under_text(view: PromptView) -> Iterator[Report]:
    for point in view.prompt.points():
        text = point.text
        if text is None or not (":" in text or "：" in text) or view.file.is_json:
            continue
        span = point.subject_span
        keys = spoilt_point_keys(view.text, span) if view.text[span.start] not in _NOT_PLAIN else None
        if keys is not None:
            first = keys.slips[0]
            message = f"{first.message}; as it stands, this is a part of the criterion"
            is_one_line = "\n" not in span.of(view.text)
            title = first.title if is_one_line else f"{first.title}: the key is no text"
            yield Report(first.span, message, fixes=(Fix(title, is_one_line, keys.edits),), why=_READ)


_READ = "The judge is sent the key as words of the criterion, and neither a weight nor a citation counts."


@finding_rule(
    "Y006", Severity.ERROR, Kind.NON_STRING_SCALAR, why=REFUSED, why_accepted="It is not a point, so it checks nothing."
)
def non_string_scalar(finding: Finding, view: FileView) -> Report:
    node = finding.node
    written = node.span.of(view.text) if isinstance(node, ScalarNode) else ""
    if finding.detail == "tags" and not isinstance(node, ScalarNode):
        return Report(finding.span, f"a tag must be text, not {excerpt(node, view.text)}")
    if isinstance(node, SequenceNode | MappingNode):
        return _no_text(finding, node, view)
    if not written.strip():
        return Report(finding.span, "nothing is written here, but text is required")
    fixes: tuple[Fix, ...] = ()
    is_empty = isinstance(node, ScalarNode) and node.value is None
    if (
        node is not None
        and not is_empty
        and is_one_line(view.text, node.span)
        and not (finding.detail != "tags" and _is_in_legacy_tuple(node, view))
    ):
        is_safe = finding.detail == "tags" or not (isinstance(node, ScalarNode) and isinstance(node.value, bool))
        edit = TextEdit(node.span, quoted(written, is_json=view.is_json))
        fixes = (Fix("put it in quotation marks", is_safe, (edit,)),)
    why = _WHY_OF_IDEAL if finding.detail == "ideal" else ""
    return Report(finding.span, f"YAML reads {written} as {_kind(node)}, not as a string", why, fixes=fixes)


_WHY_OF_IDEAL = "Weval takes the value for the ideal, and not its text as written."


def _no_text(finding: Finding, node: SequenceNode | MappingNode, view: FileView) -> Report:
    """The report on a list or a mapping, such as the parts of a message that other programs send."""
    (text, is_all), shape = text_alone(node), excerpt(node, view.text)
    what = {"prompt": "`prompt`", "message": "the content of a message"}.get(finding.detail, "this")
    advice = f": write the text alone, {in_quotes(shortened(text))}" if text else ""
    fixes = (_written_instead("write the text alone", node, quoted(text, is_json=view.is_json)),) if is_all else ()
    pair = enclosing_mapping(view.tree, node.span).pair("prompt") if finding.detail == "prompt" else None
    if pair is not None and shape == "a list of messages":
        advice = ": a conversation is written under `messages`"
        fixes = (_written_instead("write messages", pair.key, key_like(view.text, pair.key, "messages")),)
    return Report(first_line(view.text, finding.span), f"{what} must be text, not {shape}{advice}", fixes=fixes)


def _written_instead(title: str, node: Node, text: str) -> Fix:
    return Fix(title, False, (TextEdit(node.span, text),))


def _is_in_legacy_tuple(node: Node, view: FileView) -> bool:
    """Whether `node` is an argument in a legacy tuple, which quotation marks would turn into a path of criteria."""
    for block, path in pairwise(nodes_around(view.tree, node.span)):
        is_item = isinstance(block, SequenceNode) and path in block.items  # a whole `should: [..]` is not a tuple
        if is_item and isinstance(path, SequenceNode) and path.flow and node in path.items[1:]:
            first = path.items[0]
            named = function_of(first.text) if isinstance(first, ScalarNode) else None
            return named is not None and (len(path.items) > 2 or named[1].problem("x") is not None)
    return False


def _kind(node: Node | None) -> str:
    value = node.value if isinstance(node, ScalarNode) else ""
    match value:
        case bool():
            return "a yes-or-no value"
        case int() | float():
            return "a number"
        case datetime():
            return "a date"
        case None:
            return "nothing"
        case str():
            return "something else"
