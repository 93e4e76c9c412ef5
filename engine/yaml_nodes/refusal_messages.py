"""Messages for authors: what js-yaml's reason for refusing a text means, and what to do."""

from __future__ import annotations

import re

_SEPARATOR_EXPECTED = "end of the stream or a document separator is expected"
_PROMPTS = re.compile(r"^prompts:[ \t]*+(?:#[^\r\n]*+)?+[\r\n]", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^[^\s#]", re.MULTILINE)
_FIRST_ITEM = re.compile(r"^( +)- ", re.MULTILINE)


def needs_quotes(text: str, start: int, offset: int) -> str:
    """Why the text that begins at `start`, and at which js-yaml stops at `offset`, needs quotes."""
    first = text[start]
    match first:
        case "%" | "@" | "`":
            return f"text that starts with `{first}` needs quotes"
        case "*" | "&" | "!":
            return f"text that starts with `{first}` needs quotes: without them, `{first}` has a meaning of its own"
        case "[":
            return "text that starts with `[` needs quotes: without them, YAML reads a list"
        case "{":
            return "text that starts with `{` needs quotes: without them, YAML reads keys and values"
        case '"' | "'":
            return "the quotes close before the text ends: put the whole text in quotes"
        case _ if text[offset : offset + 1] == ":":
            return "this text contains a colon and a space, so it needs quotes: without them, YAML reads a key"
        case _:
            return "this text needs quotes: without them, YAML reads part of it as something else"


def reason_text(text: str, reason: str, offset: int) -> str:
    """The message for js-yaml's `reason` at `offset`, where the text around it does not show a likelier cause."""
    if reason.startswith("name of an alias") and text[offset : offset + 1] in (" ", "\t"):
        return "lists use `-`, not `*`"
    if reason.startswith("unidentified alias"):
        return "text that starts with `*` needs quotes: `*name` repeats a part marked `&name`, and there is none"
    if reason.startswith("unknown tag") or "tag" in reason.split():
        return "text that starts with `!` needs quotes: without them, YAML reads the name of a type"
    if reason.startswith("nested more than"):
        return f"this is {reason}"
    match reason:
        case "the stream contains non-printable characters" | "expected valid JSON character":
            return "the text before this contains a control character, which YAML does not allow: remove it"
        case "null byte is not allowed in input":
            return "this is a null byte, which YAML does not allow: remove it"
        case _ if reason == _SEPARATOR_EXPECTED and text[offset : offset + 2] == "- ":
            indent = _indent_of_prompts(text, offset)
            if indent:
                return f"this starts too far left to belong to `prompts`: indent it by {indent} like the items above"
            return "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
        case _ if reason == _SEPARATOR_EXPECTED and offset and text[offset - 1] in "\r\n":
            return "this line starts too far left to belong to the lines above: indent it"
        case "a line break is expected":
            return "after `|` or `>` the text starts on the next line; text that starts with one of them needs quotes"
        case (
            "can not read an implicit mapping pair; a colon is missed"
            | "can not read a block mapping entry; a multiline key may not be an implicit key"
        ):
            return "a line above this has no `:`, or is indented too little to belong to the text before it"
        case "a whitespace character is expected after the key-value separator within a block mapping":
            return "put a space after the `:` of this key"
        case "missed comma between flow collection entries":
            return "a `,` is missing before this, or text inside the brackets needs quotes"
        case "expected the node content, but found ','":
            return "there is nothing before this `,`: remove it"
        case "cannot merge mappings; the provided source object is unacceptable":
            return "`<<` copies keys and their values, and this has none"
        case "bad indentation of a mapping entry" | "bad indentation of a sequence entry":
            return "this does not fit the lines around it: indent it like them, or put it in quotes"
        case _:
            return "YAML cannot read the text from here on"


def _indent_of_prompts(text: str, offset: int) -> str:
    """The indentation of the items of `prompts`, in words, if the line at `offset` follows them; else ""."""
    start = text.rfind("prompts:", 0, offset)
    head = _PROMPTS.match(text, start) if start >= 0 and text[start - 1 : start] in ("", "\r", "\n") else None
    item = None if head is None else _FIRST_ITEM.search(text, head.end(), offset)
    if head is None or item is None or _TOP_LEVEL.search(text, head.end(), offset) is not None:
        return ""
    count = len(item[1])
    return "1 space" if count == 1 else f"{count} spaces"
