"""What was to be filled in, `[city]` or `<drug name>`, and texts that only stand in for one, "to be written"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span

_MATERIALS = (
    "article|text|passage|excerpt|document|question|query|content|transcript|e-?mail|story|essay|input|context|sentence"
    "|paragraph|prompt|abstract|poem|review|comment|tweet|post|message|code|data|table|contract|clause|report|speech|judge?ment|ruling"
    "|verdict|extract|log|recipe|dialogue|conversation|cv|minutes|thread|chapter|lyrics|script|snippet"
)
_THINGS = (
    "topic|subject|theme|country|language|product|industry|name|city|town|village|state|region|district|continent|place"
    "|location|address|date|day|month|year|age|number|amount|price|sum|figure|percentage|value|fact|answer|source|detail"
    "|specific|company|organi[sz]ation|firm|brand|bank|school|university|hospital|clinic|court|law|act|statute|case"
    "|person|people|politician|president|minister|author|character|landlord|tenant|employer|customer|client|patient"
    "|group|party|religion|race|ethnicity|nationality|community|gender|occupation|profession|job|job\\s+title|hobby"
    "|drug|medicine|medication|disease|illness|condition|symptom|side\\s+effect|dose|animal|species|plant|crop|food|dish"
    "|ingredient|word|term|phrase|concept|event|war|book|book\\s+title|film|movie|song|sport|team|skill|item|object"
    "|currency|river|vaccine|institution|agency|ministry|website|url|phone\\s+number"
    "|pa[ií]s|pays|ciudad|ville|stadt|nombre|nom|fecha|datum|texto|texte|thema|tema"
)
_FIRST = (
    r"(?:(?:your|a|an|any|some|another|full|user|specific|certain|other|first|last|rival|local|random|famous)[ _-]+)"
    r"{0,3}"
)
_BEFORE = r"(?:[^\W\d][\w'’]*[ _-]){0,2}"
_AFTER = r"(?:[ _-]?(?:name|text|title|[A-Z]|#?\d))?"
_SLOT = rf"(?!(?:the|this|that|his|her|their|its|these|those)\b){_FIRST}{_BEFORE}(?:{_MATERIALS}|{_THINGS})s?{_AFTER}"
_BRACKETED = re.compile(rf"\[(?<![\w\])\[]\[)\[?(?P<noun>{_SLOT})\]{{1,2}}(?![(\[:\w])", re.IGNORECASE)
_ONE_SLOT = (
    r"\[{1,2}(?!(?:the|this|that|his|her|their|its|sic|mask|blank|redacted|who|which)\b)"
    r"[^\W\d]{2}[^\W\d '’/_-]*(?:[ _/-][^\W\d]+){0,4}\]{1,2}"
)
_GOVERNED = re.compile(
    r"\b(?:of|in|to|at|from|for|about|with|by|between|and|versus|vs|than|a|an|the|my|our|your|their|this|called|named|as"
    rf"|my\s+\w+,|is|are)\s+(?P<slot>{_ONE_SLOT})(?=s?(?:[\s.,?!;:]|['’]s|$))",
    re.IGNORECASE,
)
"""A name in brackets in the place of a noun: "to [destination]", "a [genre] film"; a gloss follows its noun."""
_AFTER_BLANK = re.compile(rf"\s{_ONE_SLOT}", re.IGNORECASE)
_BUTTONS = re.compile(r"\b(?:click\w*|press\w*|buttons?|menus?|taps?|keys?|keyboard|settings)\b", re.IGNORECASE)
_LANGUAGES = re.compile(
    r"\b(?:javascript|python|java|bash|regex|arrays?|latex|chess|ipa|apa|footnotes?|citations?)\b", re.IGNORECASE
)
_ANGLED = re.compile(rf"<(?<![\w<]<)(?P<noun>{_SLOT}|[XYN])>(?![>:])", re.IGNORECASE)
_UNDERLINED = re.compile(
    rf"\b(?:of|in|on|to|at|from|for|about|with|is|the)\s+(?P<slot>(?:{_THINGS})_(?:NAME|[A-Z]|\d)|YOUR_[A-Z]{{3,}})\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:on|from|since|by|until|before|after|of)\s+(?P<slot>(?:dd|mm)([/.-])(?:mm|dd)\2yy(?:yy)?)\b", re.IGNORECASE
)
_MARKUP = re.compile(
    r"</|/>|\b(?:x?html5?|xml|svg|markup|elements?|tags?|generics?|schema|parser?|dom|typescript|java)\b", re.IGNORECASE
)
_ANONYMOUS = re.compile(
    r"\b(?:redact\w*|anonymi[sz]\w*|de-?identif\w*|pseudonym\w*|masked|withheld|subtitles?|hearsay)\b", re.IGNORECASE
)
"""Names in brackets are right where somebody took them out."""
_REQUEST = re.compile(
    r"""\W*(?:please\s+|can\s+you\s+|could\s+you\s+|now\s+)?(?:what|who|whom|whose|which|where|when|why|how|is|are|was|were|do
    |does|did|can|could|should|would|will|has|have|answer|give|tell|explain|describe|list|name|write|compare|summari[sz]e
    |sum|translate|define|discuss|analy[sz]e|imagine|pretend|act|speak|talk|respond|reply|recommend|suggest|plan|find
    |calculate|convert|outline|state|show|make|create|generate|classify|identify|rewrite|read|you|your|help|teach
    |as|if|in|since|suppose|hey|hi|hello)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_SOMEBODY = re.compile(r"\b(?:I|I['’]m|I['’]ve|[Mm]y|[Ww]e|[Oo]ur|[Mm]e)\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_QUOTES = '"“”'

_TO_BE = (
    r"to\s+be\s+(?:added|written|filled(?:\s+in)?|inserted|completed|determined|decided|confirmed|supplied|provided|done|defined"
    r"|announced|formulated|specified|drafted)"
)
_KIND = (
    r"(?:prompt|question|text|criterion|criteria|point|ideal|answer|ideal\s+(?:answer|response)|response|article|content"
    r"|instructions?|system\s+prompt|rubric|description|expected\s+(?:answer|response|output)|model\s+answer|expectation)"
)
_EXPECTATION = (
    r"(?:an?|another|your|first|second|third)\s+expectation(?:\s+(?:for|of)\s+(?:the|this|an?)\s+(?:response|answer|output))?"
    r"|expectation\s+\d+|an?(?:other)?\s+(?:ideal|expected|model|example|sample)\s+(?:response|answer)"
    r"(?:\s+(?:to|for)\s+(?:the|this|your)\s+(?:prompt|question))?"
)
_REPLACED = (
    rf"(?:replace|change|overwrite)\s+(?:this|me)(?:\s+(?:line|placeholder|{_KIND}))?"
    rf"(?:\s+(?:with|by|to)\s+(?:(?:the|your|an?|own)\s+){{0,2}}{_KIND})?"
    rf"|replace\s+(?:with|by)\s+(?:(?:the|your|an?|own)\s+){{1,2}}{_KIND}"
)
_UNWRITTEN = re.compile(
    rf"""(?:<!--|/\*|//|--+)?\s*[\[<({{*]*\s*(?:to[-\s]?do|tb[dca]|fix-?me|placeholder(?:\s+text)?|x{{3,}}|\?{{2,}}|\.{{2,}}|…|_{{3,}}|lorem\s+ipsum\b.*
    |(?:{_KIND}\s+)?{_TO_BE}(?:\s+(?:later|by\s+\w+(?:\s+\w+)?))?
    |(?:(?:the|your|my|an?|some|first|second|third|next|another|\d+(?:st|nd|rd|th))\s+){{0,2}}{_KIND}
      (?:\s+\w+)?\s+(?:goes\s+|comes\s+)?here
    |(?:please\s+)?(?:insert|enter|add|write|put|paste|type|fill\s+in)\s+(?:(?:the|your|an?|some|more|another)\s+)?{_KIND}
      (?:\s+here)?
    |(?:new|another|my|your|example|sample|dummy)\s+(?:prompt|criterion|point|criteria)(?:\s+\d+)?
    |(?:first|second|third)\s+prompt|{_EXPECTATION}|{_REPLACED}
    |(?:prompt|criterion|point)\s+\d+)\s*[\]>)}}*]*[.!:]*\s*(?:-->|\*/|--+)?""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_LEFT_LINE = re.compile(
    r"^[ \t]*(?:--+|<!--|[*#=\[<(]+)?[ \t]*(?:insert|paste|add|put|attach)"
    rf"\s+(?:(?:the|your|an?|full)\s+)*(?:{_MATERIALS})s?"
    r"(?:[ \t]+(?:text|here|below|content|body))*[ \t]*(?:--+>?|[*#=\]>)]+)?[.:]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of its own that says what is to be put there."""
_VERB_OF_LINE = re.compile(r"\n[^\w\n]*(?:insert|paste|add|put|attach)\b", re.IGNORECASE)
_LONE_SLOT = re.compile(
    rf"[\[<]\s*(?:(?:ideal|model|expected)\s+)?(?:{_MATERIALS}|ideal|answer|response|criterion)\s*[\]>]", re.I
)
_LONGEST_UNWRITTEN = 60
_ELLIPSIS = re.compile(r":\s*(?P<slot>\[(?:\.\.\.|…)\]|\.\.\.|…)[ \t]*(?=\n|\Z|[A-Z]\w+:)")
_OF_MATERIAL = re.compile(
    rf"\b(?:{_MATERIALS}|history|notes?|letter|file|following|this|below|list)\b[^.?!\n]{{0,40}}\Z", re.IGNORECASE
)
_REACH = 60
"""Characters before an ellipsis in which the material is named that it stands for."""
_LEFT_OUT = re.compile(
    r"[\[<][^\[\]<>\n]{2,50}?\b(?:omitted"
    r"|to be (?:added|inserted|provided|filled in|supplied|written)"
    r"|left out|not included)"
    r"\b[^\[\]<>\n]{0,40}[\]>]",
    re.IGNORECASE,
)


_MATERIAL = (
    rf"(?:texts?|descriptions?|transcripts?|contents?|details|summary|abstracts?|list|copy|excerpts?|body|history"
    rf"|(?:{_MATERIALS})s?)"
)
_DESCRIPTION = (
    rf"[\[<](?:[^\W\d][\w'’-]*\s+){{0,3}}{_MATERIAL}"
    r"(?:\s+(?:of|about|on|with|from|describing|detailing|in|for)\b|[,:]?\s+(?:e\.g\.|for\s+example|such\s+as))"
    r"[^\[\]<>\n]{4,300}[\]>]"
)
_DESCRIBED = re.compile(
    r"(?:^|(?<=\n)|:[ \t]*)[ \t]*"
    rf"(?P<slot>{_DESCRIPTION})"
    r"[ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
"""A line that describes in brackets what should stand in its place."""
_OPENED = re.compile(_DESCRIPTION, re.IGNORECASE)
_EXAMPLE = r"[\[<](?:few-?shot\s+|worked\s+)?(?:example|demonstration|exemplar|shot|sample)\s*#?\d{0,2}[\]>][ \t]*"
_ONE_EXAMPLE = re.compile(_EXAMPLE, re.IGNORECASE)
_EXAMPLES = re.compile(
    rf"(?:^|(?<=\n))[ \t]*(?P<slot>{_EXAMPLE}(?:\n[ \t]*{_EXAMPLE})+)(?=\n[ \t]*\n|\s*\Z)", re.IGNORECASE
)
"""Two or more lines in the place of examples, with nothing below them."""


def is_unwritten(text: str) -> bool:
    """Whether a whole text only stands in for one that is to be written."""
    if len(text) > _LONGEST_UNWRITTEN:
        return False
    text = text.strip()
    return _UNWRITTEN.fullmatch(text) is not None or (text[:1] in ("[", "<") and _LONE_SLOT.fullmatch(text) is not None)


def bracketed_slots(text: str, *, is_criterion: bool) -> Iterator[Span]:
    """Names in square brackets of what was to be filled in: in a criterion, or in a request of a prompt.

    None where they stand for what somebody took out of a text, or inside a quotation.
    """
    named = list(_BRACKETED.finditer(text)) if "[" in text else []
    governed = list(_GOVERNED.finditer(text)) if _AFTER_BLANK.search(text) is not None else []
    if not (named or governed) or _ANONYMOUS.search(text) is not None or _LANGUAGES.search(text) is not None:
        return
    for match in named:
        if (is_criterion or _is_request(text, Span(*match.span()))) and not is_quoted_with_more(text, match):
            yield Span(*match.span())
    for match in governed if governed and _BUTTONS.search(text) is None else ():
        span = Span(*match.span("slot"))
        if (is_criterion or _is_request(text, span)) and not is_quoted_with_more(text, match):
            yield span


def angled_slots(text: str, *, is_criterion: bool) -> Iterator[Span]:
    """Names in angle brackets of what was to be filled in; none in a text about markup or code."""
    named = list(_ANGLED.finditer(text)) if "<" in text and "</" not in text else []
    for match in named if named and _MARKUP.search(text) is None else ():
        if is_criterion or _is_request(text, Span(*match.span())):
            yield Span(*match.span())


def other_slots(text: str) -> Iterator[Span]:
    """Material that was left out, `CITY_NAME`, and dates that are still a pattern."""
    if "..." in text or "…" in text:
        for match in _ELLIPSIS.finditer(text):
            if _OF_MATERIAL.search(text[max(match.start() - _REACH, 0) : match.start()]) is not None:
                yield Span(*match.span("slot"))
    if "[" in text or "<" in text:
        for match in _LEFT_OUT.finditer(text):
            yield Span(*match.span())
        for match in _EXAMPLES.finditer(text) if _ONE_EXAMPLE.search(text) is not None else ():
            first = match["slot"].split("\n", 1)[0].rstrip()
            yield Span(match.start("slot"), match.start("slot") + len(first))
    if "\n" in text and _VERB_OF_LINE.search(text) is not None:
        for match in _LEFT_LINE.finditer(text, text.find("\n")):
            yield Span(*match.span())
    if "_N" in text or "YOUR_" in text or "CITY_" in text:
        for match in _UNDERLINED.finditer(text):
            if match["slot"].isupper():
                yield Span(*match.span("slot"))
    if "yy" in text or "YY" in text:
        for match in _DATE.finditer(text):
            yield Span(*match.span("slot"))


def described_slots(text: str) -> Iterator[Span]:
    """Lines that describe in brackets the material that should stand there; some describe the form of the answer."""
    if _OPENED.search(text) is not None:
        for match in _DESCRIBED.finditer(text):
            yield Span(*match.span("slot"))


def is_about_markup(text: str) -> bool:
    """Whether a prompt is about markup or code, in which names in angle brackets are right."""
    return _MARKUP.search(text) is not None


def _is_request(text: str, slot: Span) -> bool:
    """Whether the sentence with the slot asks for something or is the user's own, or the slot is a line of its own."""
    starts = [found.end() for found in _SENTENCE_END.finditer(text, 0, slot.start)]
    start = starts[-1] if starts else 0
    ending = _SENTENCE_END.search(text, slot.end)
    end = len(text) if ending is None else ending.end()
    sentence = text[start:end].strip()
    if sentence == slot.of(text):
        return text[:start].rstrip().endswith(":") or (bool(text[:start].strip()) and not text[end:].strip())
    if text[slot.end :].startswith(" ") and not text[start : slot.start].strip(" \t-*#>"):
        following = text[slot.end :].lstrip()
        if following[:1].isupper() and not sentence.endswith("?"):
            return False  # a label at the head of its line
    return _REQUEST.match(sentence) is not None or _OF_SOMEBODY.search(sentence) is not None or sentence.endswith("?")


def is_quoted_with_more(text: str, match: re.Match[str]) -> bool:
    """Whether the slot stands inside quotation marks that hold other words."""
    start = text.rfind("\n", 0, match.start()) + 1
    line, rest = text[start : match.start()], text[match.end() :]
    if sum(line.count(sign) for sign in _QUOTES) % 2 == 0:
        return False
    return not (line.rstrip().endswith(tuple(_QUOTES)) and rest.lstrip(" .,!?").startswith(tuple(_QUOTES)))
