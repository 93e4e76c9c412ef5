"""Aliases (`*name`) without an anchor (`&name`) above them in their document, and the anchor that was meant."""

from __future__ import annotations

import re
from difflib import get_close_matches

from engine.diagnostics import Diagnostic, Fix, Related
from engine.record import replace
from engine.text import Span, TextEdit
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.line_spans import line_start
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
        fixes = ()
    elif meant == name:
        message, fixes = f"`&{meant}` in line {line} is part of what cannot be read: correct that first", ()
    else:
        message = f"there is no `&{name}`: did you mean `*{meant}`?"
        fixes = (Fix(f"write *{meant}", False, (TextEdit(place, f"*{meant}"),)),)
    related = (Related(Span(*anchor.span("sign")), f"`&{meant}` is here"),)
    return replace(diagnostic, message=message, related=related, fixes=fixes)
