"""Aliases (`*name`) without an anchor (`&name`) above them in their document, and the anchor that was meant."""

from __future__ import annotations

import re
from difflib import get_close_matches

from engine.diagnostics import Diagnostic, Fix, Related
from engine.record import replace
from engine.text import Span, TextEdit
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.line_spans import line_end, line_start
from engine.yaml_nodes.slips import Slip, SlipRule

_ALIAS = re.compile(r"\*(?P<name>[\w.-]+)(?=[ \t\r]*(?:$|[,\]}]|[ \t]#))", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^[ \t]*|[:\[{,-][ \t]+)(?P<sign>&(?P<name>[\w.-]+))(?=[\s,\]}]|\Z)", re.MULTILINE)
_DOCUMENT = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_LIKENESS = 0.7


def ended_alias(text: str, refusal: Refusal) -> Slip | None:
    """The slip of an alias that is a whole value, where js-yaml refuses `text`; None if a text was meant."""
    if not refusal.reason.startswith("unidentified alias"):
        return None
    at = text.rfind("*", line_start(text, refusal.offset), refusal.offset + 1)
    alias = None if at < 0 else _ALIAS.match(text, at)
    if alias is None:
        return None
    message = f"`{alias[0]}` repeats what `&{alias['name']}` marks, and there is none in this file"
    return Slip(Span(*alias.span()), message, rule=SlipRule.ENDED_ALIAS)


def with_anchor(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """`diagnostic`, the report of an `ended_alias` in the whole `text`, with the place of the anchor that was meant."""
    place = diagnostic.span
    name = place.of(text)[1:]
    anchors = {each["name"]: each for each in reversed(list(_ANCHOR.finditer(text)))}
    meant = next(iter([name] if name in anchors else get_close_matches(name, anchors, 1, _LIKENESS)), None)
    if meant is None:
        return diagnostic
    anchor = anchors[meant]
    line = text.count("\n", 0, anchor.start("sign")) + 1
    if anchor.start() > place.start:
        message, fixes = f"`&{meant}` stands below it, in line {line}: an alias repeats what stands above it", ()
    elif _DOCUMENT.search(text, anchor.end(), place.start):
        message = f"`&{meant}` stands in line {line}, and the `---` below it ends it: an alias cannot reach past it"
        fixes = _written_out(text, anchor, place)
    elif meant == name:
        message, fixes = f"`&{meant}` in line {line} is part of what cannot be read: correct that first", ()
    else:
        message = f"there is no `&{name}`: did you mean `*{meant}`?"
        fixes = (Fix(f"write *{meant}", False, (TextEdit(place, f"*{meant}"),)),)
    related = (Related(Span(*anchor.span("sign")), f"`&{meant}` is here"),)
    return replace(diagnostic, message=message, related=related, fixes=fixes)


def _written_out(text: str, anchor: re.Match[str], alias: Span) -> tuple[Fix, ...]:
    """The fix that repeats what `anchor` marks in place of `alias`: the text on its line, or the block below."""
    title = f"write out what `&{anchor['name']}` marks"
    end = line_end(text, anchor.end())
    written = text[anchor.end() : end].strip()
    if written:
        return () if written[0] in "|>#" else (Fix(title, False, (TextEdit(alias, written),)),)
    start, head = line_start(text, alias.start), line_start(text, anchor.start("sign"))
    column = len(text[head:end]) - len(text[head:end].lstrip(" "))
    block: list[str] = []
    for line in text[end + 1 :].split("\n"):
        if line.strip() and len(line) - len(line.lstrip(" ")) < column + (not line.lstrip().startswith("- ")):
            break
        block.append(line.rstrip())
    before = text[start : alias.start]
    if not before.rstrip().endswith(":") or not any(block):
        return ()
    least = min(len(line) - len(line.lstrip(" ")) for line in block if line)
    margin = " " * (len(before) - len(before.lstrip(" -")) + 2)
    inside = "".join(f"\n{margin}{line[least:]}" for line in block if line)
    gap = Span(start + len(before.rstrip()), alias.end)
    return (Fix(title, False, (TextEdit(gap, inside),)),)
