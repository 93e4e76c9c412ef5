"""# yaml-syntax

Text that is not valid YAML: an unquoted colon, a quotation mark that is never closed, a line with too little
indentation.

Weval refuses the whole file, so nothing in it is scored. Here, the rest of the file is still checked, and the message
points at the cause, often far above the place where YAML reports the error. After each error, the prompt is read on as
if the error were repaired: several slips in one prompt are several reports, each with its own fix. A quoted text that
is closed only by the next quotation mark further down is reported even if YAML can read it: it has swallowed the keys
in between.

A file that is too large to be checked (more than 4 MB, 100,000 lines, or 50,000 keys and values) has this one error.

Bad:

    - id: capital
      prompt: Answer in one word: what is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    - id: capital
      prompt: "Answer in one word: what is the capital of Kenya?"
      should:
        - Names Nairobi

Fix (safe), where only one thing can be meant: quote the value; close the quotation mark or the bracket; write `-` for a
bullet, `---` for another separator, `:` and spaces where they are missing; add the dash of an item or of a prompt;
indent a block that stands too far left or right, or the text below its key.

Documents: Blueprint format, YAML Blueprint Format.

# duplicate-key

The same key twice in one mapping, such as two `should:` in one prompt.

Weval refuses the whole file, so nothing in it is scored. In JSON, only the last of the two counts and the value of the
first is lost, which is a warning.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
      should:
        - Says that it is in East Africa

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - Says that it is in East Africa

Fix: none. Join the two, or remove one.

Documents: Blueprint format, YAML Blueprint Format.

# tab-indent: Tab in the indentation

A line that is indented with a tab.

YAML allows only spaces there. Weval refuses the whole file, so nothing in it is scored. Many editors show a tab like
spaces, so the line looks right.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
    \t- Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe): replace the tabs with spaces in all lines of the prompt that start with tabs, or remove them
before a key at the margin.

Documents: Blueprint format, YAML Blueprint Format.

# ended-alias

An alias (`*name`) whose anchor (`&name`) stands in another document, stands below it, or has another name.

An anchor holds up to the next `---`. What is shared in the header cannot be repeated in the prompts below that line:
write it there, or define a check once under `point_defs` and call it with `$ref`.

Bad:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    ---
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Good:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Fix (unsafe): the name that was meant.

Documents: Blueprint format, YAML Blueprint Format.

# backslash-in-double-quotes

A backslash in double quotation marks, as in `"\\d+"`: it starts an escape of YAML, not one of the pattern.

If YAML does not know the escape, Weval refuses the whole file, so nothing in it is scored. If it does, the text changes
silently: `"\\bNairobi\\b"` looks for a backspace on either side of the name, which no answer has, so the check always
costs its whole share of the score.

Bad:

    - id: capital
      prompt: In which year did Nairobi become a city?
      should:
        - $matches: "\\d{4}"

Good:

    - id: capital
      prompt: In which year did Nairobi become a city?
      should:
        - $matches: '\\d{4}'

Fix (safe): single quotation marks, in which a backslash has no special meaning; beside other escapes, a doubled
backslash.

Documents: Blueprint format, Troubleshooting 5, "Forgot to escape special characters".

# backslash-in-plain-text: Typed `\\n` that is no line break

A line break or a tab that was typed as `\\n` or `\\t` in a text without quotes or in single quotes, where it stays a
backslash and a letter.

The model is sent the two characters. A check for a literal with them never finds a real line break, so every right
answer loses the point.

Only double quotes read such escapes. Nothing is reported in patterns, in code, in paths and formulas (`C:\\new`,
`\\nu`), and where `\\n` stands alone and is what the text is about.

Bad:

    - id: rewrite
      prompt: Rewrite this politely.\\n\\nSend it now.
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

# comment-ate-text: Text cut off by `#`

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

# key-under-text: Key below a criterion without `text:`

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

# typographic-signs

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
from collections.abc import Iterable, Iterator
from itertools import pairwise

from engine import functions
from engine.parsing.demands import Finding, Kind
from engine.parsing.normalised_form import normal_function_name
from engine.rules.checks import part_rule
from engine.rules.phrases import shortened
from engine.rules.refusals import excerpt, kind_of_value, text_alone
from engine.rules.rule import FileView, PromptView, Report, file_rule, finding_rule, fix_at, prompt_rule, rule_of
from engine.rules.source.check_names import function_of
from engine.rules.source.prompt_texts import SENT_KEYS, key_of, written_with
from engine.rules.source.spoilt_blocks import spoilt_point_keys
from engine.text import Fix, Related, Severity, Span, TextEdit, in_quotes, lazy
from engine.yaml.edit import key_like
from engine.yaml.keys import KEYS, Names, Part, Shape
from engine.yaml.layout import first_line, in_single_quotes, is_one_line, line_end, line_start, quoted
from engine.yaml.line_slips import with_plain_signs
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, Style, property_name
from engine.yaml.tree_loader import enclosing_mapping, nodes_around, value_on_line

# `engine.yaml` finds both while the text is read. This module holds their pages, the report of an error without
# a known cause, and of duplicate keys in JSON.


@file_rule()
def yaml_syntax(view: FileView) -> Iterator[Report]:
    error = view.tree.error
    if error is None or view.tree.diagnostics:
        return
    offset = min(error.offset, len(view.text))
    reason = error.reason[:1].lower() + error.reason[1:]
    yield Report(Span(offset, line_end(view.text, offset)), f"this cannot be read: {reason}")


@file_rule()
def duplicate_key(view: FileView) -> Iterator[Report]:
    for document in view.tree.documents if view.is_json else ():
        if document.root is not None:
            yield from _duplicates_in(document.root)


def _duplicates_in(node: Node) -> Iterator[Report]:
    match node:
        case MappingNode(pairs=pairs):
            first: dict[str, Pair] = {}
            for pair in pairs:
                name = property_name(pair.key)
                earlier = first.setdefault(name, pair)
                if earlier is not pair:
                    yield Report(
                        pair.key.span,
                        f"`{name}` is written twice: only the last one counts",
                        "The value of the first is lost and counts in no score.",
                        Severity.WARNING,
                        related=(Related(earlier.key.span, f"the first `{name}` is here"),),
                    )
                yield from _duplicates_in(pair.value)
        case SequenceNode(items=items):
            for item in items:
                yield from _duplicates_in(item)
        case _:
            return


# `engine.yaml` finds tabs and aliases while the text is read. This module holds their pages.


tab_indent, ended_alias = rule_of("tab-indent"), rule_of("ended-alias")


# Escapes that YAML does not know are errors of the tree (`engine.yaml.diagnosis`); this finds the others.

_ESCAPE = lazy(r"\\(.)", re.DOTALL)
_LIKELY = lazy(r"\\[baefvPLN]")
_LETTER_AFTER = lazy(r"\\[fv][A-Za-z]")
_READS_AS = {
    "b": "a backspace character",
    "a": "a bell character",
    "e": "an escape character",
    "f": "a form feed",
    "v": "a vertical tab",
    "P": "a paragraph separator",
    "L": "a line separator",
    "N": "a next-line character",
}
_WHY = "The text has a control character instead of what was written, so no answer passes a check for it."


@prompt_rule()
def backslash_in_double_quotes(view: PromptView) -> Iterator[Report]:
    for node, _ in written_with(view.file, _LIKELY, view.prompt.span):
        found = _misread_escape(view.text, node.span) if node.style is Style.DOUBLE else None
        if found is not None:
            yield _escape_report(view, node, found)


def _misread_escape(text: str, span: Span) -> re.Match[str] | None:
    """The first escape in the quoted `span` that is read as a control character."""
    for escape in _ESCAPE.finditer(text, span.start, span.end):
        if escape[1] in _READS_AS and (escape[1] not in "fv" or _LETTER_AFTER.match(text, escape.start())):
            return escape
    return None


def _escape_report(view: PromptView, node: ScalarNode, escape: re.Match[str]) -> Report:
    edits = _escape_edits(view, node)
    title = "use single quotes" if len(edits) == 1 and edits[0].span == node.span else "write the backslash twice"
    return Report(
        Span(*escape.span()),
        f"`{escape[0]}` in double quotes is read as {_READS_AS[escape[1]]}",
        _WHY,
        Severity.WARNING,
        fixes=(Fix(title, True, edits),),
    )


def _escape_edits(view: PromptView, node: ScalarNode) -> tuple[TextEdit, ...]:
    inner = Span(node.span.start + 1, node.span.end - 1)
    escapes = list(_ESCAPE.finditer(view.text, inner.start, inner.end))
    only_these = all(escape[1] in _READS_AS for escape in escapes)
    if only_these and not view.file.is_json and is_one_line(view.text, node.span):
        return (TextEdit(node.span, in_single_quotes(inner.of(view.text))),)
    places = [escape.start() for escape in escapes if escape[1] in _READS_AS]
    return tuple(TextEdit(Span(place, place), "\\") for place in places)


_PLACE = lazy(r"\\[nt]")
_TYPED = lazy(
    r"(?:^|[^\s\\\"'`(]|[.!?:;,]\ )\\[nt](?![a-z])|[.!?:,;]\\[nt]|\\n\\n(?=[^\s\"'`).,;\\])"
    r"|(?:^|\s)\w+\\n(?!(?:abla|eg|eq?|eq?slant|i|leq|geq|mid|ot|otin|u|ewline|onumber)\b)[a-z]\w*\s",
)
"""Where a break is meant: not in `\\nu` and `\\text`, and not alone, as what the text is about."""
_CODE_SIGNS = lazy(
    r"""\\(?!n|t|r\\n|")|\b[A-Za-z]:\\|\w\(\s*[a-z]?["'][^"']*\\[nt]|[=+,\[{]\s*["'][^"']*\\[nt]|["']\s*:\s*["']"""
    r"|(?<!`)`(?!`)[^`]*\\[nt][^`]*`|\s\\[nt]\s\w+\s\\[nt]"
)
"""A pattern, a formula, a path, or a program: there, a backslash is right."""


@part_rule()
def backslash_in_plain_text(view: FileView, part: Span) -> Iterator[Report]:
    for node, key in written_with(view, _PLACE, part):
        sign = _PLACE.search(node.text) if _is_typed(node) and _is_read(key) else None
        if sign is not None:
            inner = re.sub(r'(?<!\\)"', r"\"", node.text).replace("\n", r"\n")
            message = f"`{sign[0]}` stays two characters here: write it in double quotes, or as a block text (`|`)"
            fixes = fix_at("write it in double quotes", node.span, f'"{inner}"')
            yield Report(first_line(view.text, node.span), message, fixes=fixes)


def _is_typed(node: ScalarNode) -> bool:
    is_raw = node.style in (Style.PLAIN, Style.SINGLE)
    return is_raw and _TYPED.search(node.text) is not None and _CODE_SIGNS.search(node.text) is None


def _is_read(key: str) -> bool:
    """Whether the text under `key` is sent, judged, or looked for as a literal."""
    function = functions.find(normal_function_name(key[1:])) if key.startswith("$") else None
    return key in SENT_KEYS or (function is not None and function.search is not None and function.search.is_literal)


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


@file_rule()
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
            yield Report(Span(*mark.span()), "this is a comment, so the criterion begins in the line below")


def _of_empty(finding: Finding, view: FileView) -> Iterator[Report]:
    """The report of a point of which nothing is left."""
    mark = _ALL.match(view.text, finding.span.end)
    if mark is not None and _NOTES.match(mark[1]) is None:
        place, level = Span(*mark.span(1)), Severity.ERROR if finding.refused else None
        fixes = fix_at("quote the whole text", place, in_single_quotes(mark[1].rstrip()))
        yield Report(place, "this is a comment, so the criterion is empty", severity=level, fixes=fixes)


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
    return Report(
        Span(rest.start, min(rest.start + len(lost), line_end(view.text, rest.start))),
        f"this is a comment, so the text ends at {in_quotes(text if len(text) <= 40 else '…' + text[-39:])}",
        fixes=fix_at("quote the whole text", whole, in_single_quotes(whole.of(view.text))),
    )


# `engine.yaml.diagnosis` finds keys that make the file unreadable; this module finds those that YAML reads as
# words of the point, because they have a wide colon or no space after it.

_NOT_PLAIN = frozenset("\"'|>[{&*!")


@prompt_rule()
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


@finding_rule(Kind.NON_STRING_SCALAR)
def non_string_scalar(finding: Finding, view: FileView) -> Report:
    node, is_tag = finding.node, finding.detail == "tags"
    if is_tag and not isinstance(node, ScalarNode):
        return Report(finding.span, f"a tag must be text, not {excerpt(node, view.text)}")
    if isinstance(node, SequenceNode | MappingNode):
        return _no_text(finding, node, view)
    written = node.span.of(view.text) if isinstance(node, ScalarNode) else ""
    if not isinstance(node, ScalarNode) or not written.strip():
        return Report(finding.span, "nothing is written here, but text is required")
    is_safe = is_tag or not isinstance(node.value, bool)
    fixes = fix_at("put it in quotation marks", node.span, quoted(written, is_json=view.is_json), safe=is_safe)
    is_alone = is_tag or not _is_in_legacy_tuple(node, view)
    if node.value is None or not is_one_line(view.text, node.span) or not is_alone:
        fixes = ()
    why = _WHY_OF_IDEAL if finding.detail == "ideal" else ""
    return Report(finding.span, f"YAML reads {written} as {kind_of_value(node)}, not as a string", why, fixes=fixes)


_WHY_OF_IDEAL = "Weval takes the value for the ideal, and not its text as written."


def _no_text(finding: Finding, node: SequenceNode | MappingNode, view: FileView) -> Report:
    """The report on a list or a mapping, such as the parts of a message that other programs send."""
    (text, is_all), shape = text_alone(node), excerpt(node, view.text)
    what = {"prompt": "`prompt`", "message": "the content of a message"}.get(finding.detail, "this")
    advice = f": write the text alone, {in_quotes(shortened(text))}" if text else ""
    fixes = fix_at("write the text alone", node.span, quoted(text, is_json=view.is_json)) if is_all else ()
    pair = enclosing_mapping(view.tree, node.span).pair("prompt") if finding.detail == "prompt" else None
    if pair is not None and shape == "a list of messages":
        advice = ": a conversation is written under `messages`"
        fixes = fix_at("write messages", pair.key.span, key_like(view.text, pair.key, "messages"))
    return Report(first_line(view.text, finding.span), f"{what} must be text, not {shape}{advice}", fixes=fixes)


def _is_in_legacy_tuple(node: Node, view: FileView) -> bool:
    """Whether `node` is an argument in a legacy tuple, which quotation marks would turn into a path of criteria."""
    for block, path in pairwise(nodes_around(view.tree, node.span)):
        is_item = isinstance(block, SequenceNode) and path in block.items  # a whole `should: [..]` is not a tuple
        if is_item and isinstance(path, SequenceNode) and path.flow and node in path.items[1:]:
            first = path.items[0]
            named = function_of(first.text) if isinstance(first, ScalarNode) else None
            return named is not None and (len(path.items) > 2 or named[1].problem("x") is not None)
    return False


_SIGN = lazy("[“”„‟＂［｛，]")
_QUOTED = lazy('[“”„‟＂]([^“”„‟＂"]*)[“”‟＂"]')
_WIDE_LIST = lazy(r"［[^\n]*［?[^\n]*］|｛[^\n]*｝")
_COMMA = lazy(r"[\x20-\x7e]+(?:，[\x20-\x7e]*)+")
"""A text with full-width commas that is otherwise written in plain letters."""
_LITERALS = ("id", "arg", "fnArgs")
"""Keys whose values are looked for or compared as they are."""
_PLAIN = lazy(r"[A-Za-z](?:[^\n:#]|:(?=\S)|#(?<=\S#))*")
"""A text that begins with a letter, without what begins a value or a comment."""


@part_rule()
def typographic_signs(view: FileView, part: Span) -> Iterator[Report]:
    for node, key in () if view.is_json else written_with(view, _SIGN, part):
        if key and node.style is Style.PLAIN and isinstance(node.value, str) and is_one_line(view.text, node.span):
            around = [*nodes_around(view.tree, node.span)]
            in_brackets = any(isinstance(each, SequenceNode | MappingNode) and each.flow for each in around)
            report = _of_text(view.text, node, in_brackets=in_brackets, is_literal=_is_literal(node, around))
            if report is not None:
                yield report


def _is_literal(node: ScalarNode, around: Iterable[Node]) -> bool:
    """Whether `node` is looked for or compared as it is: its quotation marks are left to `curly-quote-in-literal`."""
    pairs = (pair for each in around if isinstance(each, MappingNode) for pair in each.pairs)
    names = [
        property_name(pair.key) for pair in pairs if pair.value.span.start <= node.span.start < pair.value.span.end
    ]
    return any(name.startswith("$") or name in _LITERALS for name in names)


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
    return Report(node.span, message, fixes=fix_at("use plain quotes", node.span, new, safe=True))


def _brackets(node: ScalarNode) -> Report:
    new = with_plain_signs(node.text)
    is_list = isinstance(value_on_line(new), SequenceNode | MappingNode)
    message = f"`{node.text[0]}` is wider than the bracket of YAML: as it stands, this is one text and no list"
    fixes = fix_at("use plain signs", node.span, new, safe=True) if is_list else ()
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


@part_rule()
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
        message = "this quotation mark closes a text that none opens: remove it, or open the quotation"
        yield Report(mark, message, fixes=fix_at("remove the quotation mark", mark, ""))


@file_rule()
def unused_anchor(view: FileView) -> Iterator[Report]:
    if view.is_json or not view.holds("- &", ": &"):
        return
    named = _references(view.text)
    for anchor in _ANCHOR.finditer(view.text):
        name, ahead = anchor["name"], view.text[line_start(view.text, anchor.start()) : anchor.start()]
        if _AHEAD_OF_TEXT.fullmatch(ahead) is None or name in named:
            continue
        node = _plain_text(view, Span(anchor.end(), anchor.end() + 1))
        if node is None or node.span.start not in (anchor.end(), anchor.start()):
            continue
        whole = Span(anchor.start(), node.span.end)
        yield Report(
            Span(anchor.start(), anchor.start() + len(name) + 1),
            f"text that starts with `&` needs quotes: `&{name}` is an anchor of YAML and no part of the text",
            severity=None if _IDENTIFIER.fullmatch(name) else Severity.WARNING,
            fixes=(
                *fix_at("quote the whole text", whole, in_single_quotes(whole.of(view.text))),
                *fix_at("remove the anchor", Span(*anchor.span()), ""),
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
