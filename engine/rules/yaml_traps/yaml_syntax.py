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
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine import functions
from engine.parsing.normalised_form import normal_function_name
from engine.rules.checks import part_rule
from engine.rules.rule import REFUSED, FileView, PromptView, Report, Rule, file_rule, fix_at, prompt_rule
from engine.rules.source.prompt_texts import SENT_KEYS, written_with
from engine.text import Fix, Related, Severity, Span, TextEdit, lazy
from engine.yaml.layout import first_line, in_single_quotes, is_one_line, line_end
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, Style, property_name
from engine.yaml.slips import SlipRule

# `engine.yaml` finds both while the text is read. This module holds their pages, the report of an error without
# a known cause, and of duplicate keys in JSON.


@file_rule("Y001", Severity.ERROR, why=REFUSED)
def yaml_syntax(view: FileView) -> Iterator[Report]:
    error = view.tree.error
    if error is None or view.tree.diagnostics:
        return
    offset = min(error.offset, len(view.text))
    reason = error.reason[:1].lower() + error.reason[1:]
    yield Report(Span(offset, line_end(view.text, offset)), f"this cannot be read: {reason}")


@file_rule("Y002", Severity.ERROR, why=REFUSED)
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


_NONE_RUN = "Weval refuses the whole file: none of its prompts is run or scored."


def _found_while_reading(slip: SlipRule) -> Rule:
    code, slug = slip.value
    return Rule(code=code, slug=slug, severity=Severity.ERROR, why=_NONE_RUN)


tab_indent = _found_while_reading(SlipRule.TAB)
ended_alias = _found_while_reading(SlipRule.ENDED_ALIAS)


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


@prompt_rule("Y010", Severity.ERROR, why=_NONE_RUN)
def backslash_in_double_quotes(view: PromptView) -> Iterator[Report]:
    for node, _ in written_with(view.file, _LIKELY, view.prompt.span):
        found = _misread_escape(view.text, node.span) if node.style is Style.DOUBLE else None
        if found is not None:
            yield _report(view, node, found)


def _misread_escape(text: str, span: Span) -> re.Match[str] | None:
    """The first escape in the quoted `span` that is read as a control character."""
    for escape in _ESCAPE.finditer(text, span.start, span.end):
        if escape[1] in _READS_AS and (escape[1] not in "fv" or _LETTER_AFTER.match(text, escape.start())):
            return escape
    return None


def _report(view: PromptView, node: ScalarNode, escape: re.Match[str]) -> Report:
    edits = _edits(view, node)
    title = "use single quotes" if len(edits) == 1 and edits[0].span == node.span else "write the backslash twice"
    return Report(
        Span(*escape.span()),
        f"`{escape[0]}` in double quotes is read as {_READS_AS[escape[1]]}",
        _WHY,
        Severity.WARNING,
        fixes=(Fix(title, True, edits),),
    )


def _edits(view: PromptView, node: ScalarNode) -> tuple[TextEdit, ...]:
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


@part_rule(
    "Y025",
    Severity.WARNING,
    why="A model is sent a backslash and a letter, and a check for them never finds a line break.",
)
def backslash_in_plain_text(view: FileView, part: Span) -> Iterator[Report]:
    for node, key in written_with(view, _PLACE, part):
        sign = _PLACE.search(node.text) if _is_meant(node) and _is_read(key) else None
        if sign is not None:
            inner = re.sub(r'(?<!\\)"', r"\"", node.text).replace("\n", r"\n")
            message = f"`{sign[0]}` stays two characters here: write it in double quotes, or as a block text (`|`)"
            fixes = fix_at("write it in double quotes", node.span, f'"{inner}"')
            yield Report(first_line(view.text, node.span), message, fixes=fixes)


def _is_meant(node: ScalarNode) -> bool:
    is_raw = node.style in (Style.PLAIN, Style.SINGLE)
    return is_raw and _TYPED.search(node.text) is not None and _CODE_SIGNS.search(node.text) is None


def _is_read(key: str) -> bool:
    """Whether the text under `key` is sent, judged, or looked for as a literal."""
    function = functions.find(normal_function_name(key[1:])) if key.startswith("$") else None
    return key in SENT_KEYS or (function is not None and function.search is not None and function.search.is_literal)
