"""Places in a prompt where material was to be put: “Article: …”, “[insert the law here]”, “[transcript omitted]”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.patterns import lazy
from engine.rules.source.slot_nouns import MATERIALS
from engine.text import Span

_LEFT_LINE = lazy(
    r"^[ \t]*(?:--+|<!--|[*#=\[<(]+)?[ \t]*(?:insert|paste|add|put|attach)"
    rf"\s+(?:(?:the|your|an?|full)\s+)*(?:{MATERIALS})s?"
    r"(?:[ \t]+(?:text|here|below|content|body))*[ \t]*(?:--+>?|[*#=\]>)]+)?[.:]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of its own that says what is to be put there."""
_VERB_OF_LINE = lazy(r"\n[^\w\n]*(?:insert|paste|add|put|attach)\b", re.IGNORECASE)
_ELLIPSIS = lazy(r":\s*(?P<slot>\[(?:\.\.\.|…)\]|\.\.\.|…)[ \t]*(?=\n|\Z|[A-Z]\w+:)")
_OF_MATERIAL = lazy(
    rf"\b(?:{MATERIALS}|history|notes?|letter|file|following|this|below|list)\b[^.?!\n]{{0,40}}\Z", re.IGNORECASE
)
_REACH = 60
"""Characters before an ellipsis in which the material is named that it stands for."""
_LEFT_OUT = lazy(
    r"[\[<][^\[\]<>\n]{2,50}?\b(?:omitted"
    r"|to be (?:added|inserted|provided|filled in|supplied|written)"
    r"|left out|not included)"
    r"\b[^\[\]<>\n]{0,40}[\]>]",
    re.IGNORECASE,
)


_MATERIAL = (
    rf"(?:texts?|descriptions?|transcripts?|contents?|details|summary|abstracts?|list|copy|excerpts?|body|history"
    rf"|(?:{MATERIALS})s?)"
)
_DESCRIPTION = (
    rf"[\[<](?:[^\W\d][\w'’-]*\s+){{0,3}}{_MATERIAL}"
    r"(?:\s+(?:of|about|on|with|from|describing|detailing|in|for)\b|[,:]?\s+(?:e\.g\.|for\s+example|such\s+as))"
    r"[^\[\]<>\n]{4,300}[\]>]"
)
_DESCRIBED = lazy(
    r"(?:^|(?<=\n)|:[ \t]*)[ \t]*"
    rf"(?P<slot>{_DESCRIPTION})"
    r"[ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
"""A line that describes in brackets what should stand in its place."""
_OPENED = lazy(_DESCRIPTION, re.IGNORECASE)
_EXAMPLE = r"[\[<](?:few-?shot\s+|worked\s+)?(?:example|demonstration|exemplar|shot|sample)\s*#?\d{0,2}[\]>][ \t]*"
_ONE_EXAMPLE = lazy(_EXAMPLE, re.IGNORECASE)
_EXAMPLES = lazy(rf"(?:^|(?<=\n))[ \t]*(?P<slot>{_EXAMPLE}(?:\n[ \t]*{_EXAMPLE})+)(?=\n[ \t]*\n|\s*\Z)", re.IGNORECASE)
"""Two or more lines in the place of examples, with nothing below them."""


def left_out_material(text: str) -> Iterator[Span]:
    """The places of material that was left out of `text`, each in its own form."""
    if "..." in text or "…" in text:
        yield from _ellipses(text)
    if "[" in text or "<" in text:
        yield from (Span(*match.span()) for match in _LEFT_OUT.finditer(text))
        yield from _examples(text)
    if "\n" in text and _VERB_OF_LINE.search(text) is not None:
        yield from (Span(*match.span()) for match in _LEFT_LINE.finditer(text, text.find("\n")))


def described_material(text: str) -> Iterator[Span]:
    """Lines such as “[A text about the history of tea]”; some describe the form of the answer."""
    if _OPENED.search(text) is not None:
        yield from (Span(*match.span("slot")) for match in _DESCRIBED.finditer(text))


def _ellipses(text: str) -> Iterator[Span]:
    """The dots of “Summarise this article: …”."""
    for match in _ELLIPSIS.finditer(text):
        if _OF_MATERIAL.search(text[max(match.start() - _REACH, 0) : match.start()]) is not None:
            yield Span(*match.span("slot"))


def _examples(text: str) -> Iterator[Span]:
    """The first of the lines “[Example 1]”, “[Example 2]”."""
    for match in _EXAMPLES.finditer(text) if _ONE_EXAMPLE.search(text) is not None else ():
        first = match["slot"].split("\n", 1)[0].rstrip()
        yield Span(match.start("slot"), match.start("slot") + len(first))
