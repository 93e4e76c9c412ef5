"""Names of what was to be filled in: `[city]`, `<drug name>`, `CITY_NAME`, `dd/mm/yyyy`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.patterns import lazy
from engine.rules.source.slot_nouns import MATERIALS, THINGS
from engine.text import Span

_FIRST = (
    r"(?:(?:your|a|an|any|some|another|full|user|specific|certain|other|first|last|rival|local|random|famous)[ _-]+)"
    r"{0,3}"
)
_BEFORE = r"(?:[^\W\d][\w'’]*[ _-]){0,2}"
_AFTER = r"(?:[ _-]?(?:name|text|title|[A-Z]|#?\d))?"
_SLOT = rf"(?!(?:the|this|that|his|her|their|its|these|those)\b){_FIRST}{_BEFORE}(?:{MATERIALS}|{THINGS})s?{_AFTER}"
_BRACKETED = lazy(rf"\[(?<![\w\])\[]\[)\[?(?P<noun>{_SLOT})\]{{1,2}}(?![(\[:\w])", re.IGNORECASE)
_OF_TRANSCRIPTS = (
    r"(?:laugh|chuckl|giggl|sigh|paus|cough|sob|smil|nod|nodd|shrug|shrugg|whisper|gasp|cheer|shout|cry|clap|clapp)"
    r"(?:e?s|ing)\b|cries\b"
    r"|(?:laughter|applause|pause|inaudible|unintelligible|crosstalk|silence|music|noise|static)\]"
)
"""What is heard or seen, as a transcript notes it in brackets: nothing was to be filled in."""
_ONE_SLOT = (
    r"\[{1,2}(?!(?:the|this|that|his|her|their|its|sic|mask|blank|redacted|who|which)\b"
    rf"|{_OF_TRANSCRIPTS})"
    r"[^\W\d]{2}[^\W\d '’/_-]*(?:[ _/-][^\W\d]+){0,4}\]{1,2}"
)
_GOVERNED = lazy(
    r"\b(?:of|in|to|at|from|for|about|with|by|between|and|versus|vs|than|a|an|the|my|our|your|their|this|called|named|as"
    rf"|my\s+\w+,|is|are)\s+(?P<slot>{_ONE_SLOT})(?=s?(?:[\s.,?!;:]|['’]s|$))",
    re.IGNORECASE,
)
"""A name in brackets in the place of a noun: "to [destination]", "a [genre] film"; a gloss follows its noun."""
_AFTER_BLANK = lazy(rf"\s{_ONE_SLOT}", re.IGNORECASE)
_BUTTONS = lazy(r"\b(?:click\w*|press\w*|buttons?|menus?|taps?|keys?|keyboard|settings)\b", re.IGNORECASE)
_LANGUAGES = lazy(
    r"\b(?:javascript|python|java|bash|regex|arrays?|latex|chess|ipa|apa|footnotes?|citations?)\b", re.IGNORECASE
)
_ANGLED = lazy(rf"<(?<![\w<]<)(?P<noun>{_SLOT}|[XYN])>(?![>:])", re.IGNORECASE)
_UNDERLINED = lazy(
    rf"\b(?:of|in|on|to|at|from|for|about|with|is|the)\s+(?P<slot>(?:{THINGS})_(?:NAME|[A-Z]|\d)|YOUR_[A-Z]{{3,}})\b",
    re.IGNORECASE,
)
_DATE = lazy(
    r"\b(?:on|from|since|by|until|before|after|of)\s+(?P<slot>(?:dd|mm)([/.-])(?:mm|dd)\2yy(?:yy)?)\b", re.IGNORECASE
)
_MARKUP = lazy(
    r"</|/>|\b(?:x?html5?|xml|svg|markup|elements?|tags?|generics?|schema|parser?|dom|typescript|java)\b", re.IGNORECASE
)
_ANONYMOUS = lazy(
    r"\b(?:redact\w*|anonymi[sz]\w*|de-?identif\w*|pseudonym\w*|masked|withheld|subtitles?|hearsay)\b", re.IGNORECASE
)
"""Names in brackets are right where somebody took them out."""
_REQUEST = lazy(
    r"""\W*(?:please\s+|can\s+you\s+|could\s+you\s+|now\s+)?(?:what|who|whom|whose|which|where|when|why|how|is|are|was|were|do
    |does|did|can|could|should|would|will|has|have|answer|give|tell|explain|describe|list|name|write|compare|summari[sz]e
    |sum|translate|define|discuss|analy[sz]e|imagine|pretend|act|speak|talk|respond|reply|recommend|suggest|plan|find
    |calculate|convert|outline|state|show|make|create|generate|classify|identify|rewrite|read|you|your|help|teach
    |as|if|in|since|suppose|hey|hi|hello)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_SOMEBODY = lazy(r"\b(?:I|I['’]m|I['’]ve|[Mm]y|[Ww]e|[Oo]ur|[Mm]e)\b")
_SENTENCE_END = lazy(r"[.!?](?=\s)|\n")
_QUOTES = '"“”'


def bracketed_slots(text: str, *, is_criterion: bool) -> Iterator[Span]:
    """Names in square brackets: “Compare [country A] with Peru”, in a criterion or in a request of a prompt.

    None where they stand for what somebody took out of a text, or inside a quotation.
    """
    named = list(_BRACKETED.finditer(text)) if "[" in text else []
    governed = list(_GOVERNED.finditer(text)) if _AFTER_BLANK.search(text) is not None else []
    if not (named or governed) or _ANONYMOUS.search(text) is not None or _LANGUAGES.search(text) is not None:
        return
    if governed and _BUTTONS.search(text) is not None:
        governed = []  # “press [Enter]”
    for match, span in (*_spans(named), *_spans(governed, "slot")):
        if (is_criterion or _is_requested(text, span)) and not is_quoted_with_more(text, match):
            yield span


def angled_slots(text: str, *, is_criterion: bool) -> Iterator[Span]:
    """Names in angle brackets: “What does <drug name> do?”; none in a text about markup or code."""
    named = list(_ANGLED.finditer(text)) if "<" in text and "</" not in text else []
    for _, span in _spans(named) if named and _MARKUP.search(text) is None else ():
        if is_criterion or _is_requested(text, span):
            yield span


def _spans(found: Iterable[re.Match[str]], group: str | int = 0) -> Iterator[tuple[re.Match[str], Span]]:
    for match in found:
        yield match, Span(*match.span(group))


def patterned_slots(text: str) -> Iterator[Span]:
    """Names in capitals, “in CITY_NAME”, and dates that are still a pattern, “on dd/mm/yyyy”."""
    if "_N" in text or "YOUR_" in text or "CITY_" in text:
        yield from (Span(*match.span("slot")) for match in _UNDERLINED.finditer(text) if match["slot"].isupper())
    if "yy" in text or "YY" in text:
        yield from (Span(*match.span("slot")) for match in _DATE.finditer(text))


def is_about_markup(text: str) -> bool:
    """Whether a prompt is about markup or code, in which names in angle brackets are right."""
    return _MARKUP.search(text) is not None


def _is_requested(text: str, slot: Span) -> bool:
    """Whether what stands in the slot is asked for: by its sentence, or as the material below a request."""
    sentence = _sentence_around(text, slot)
    written = sentence.of(text).strip()
    if written == slot.of(text):
        return _is_below_request(text, sentence)
    if _is_label(text, slot, sentence.start) and not written.endswith("?"):
        return False
    return _REQUEST.match(written) is not None or _OF_SOMEBODY.search(written) is not None or written.endswith("?")


def _sentence_around(text: str, slot: Span) -> Span:
    """The sentence, or the line, that has the slot."""
    starts = [found.end() for found in _SENTENCE_END.finditer(text, 0, slot.start)]
    ending = _SENTENCE_END.search(text, slot.end)
    return Span(starts[-1] if starts else 0, len(text) if ending is None else ending.end())


def _is_below_request(text: str, line: Span) -> bool:
    """Whether a line that is nothing but a slot follows a colon, or ends the text: “Translate this:” and “[text]”."""
    before = text[: line.start].rstrip()
    return before.endswith(":") or (bool(before) and not text[line.end :].strip())


def _is_label(text: str, slot: Span, line: int) -> bool:
    """Whether the slot is a label at the head of its line, which begins at `line`: “[Speaker A] Good evening.”."""
    heads = text.startswith(" ", slot.end) and not text[line : slot.start].strip(" \t-*#>")
    return heads and text[slot.end :].lstrip()[:1].isupper()


def is_quoted_with_more(text: str, match: re.Match[str]) -> bool:
    """Whether the slot stands inside quotation marks that hold other words."""
    start = text.rfind("\n", 0, match.start()) + 1
    line, rest = text[start : match.start()], text[match.end() :]
    if sum(line.count(sign) for sign in _QUOTES) % 2 == 0:
        return False
    return not (line.rstrip().endswith(tuple(_QUOTES)) and rest.lstrip(" .,!?").startswith(tuple(_QUOTES)))
