"""Placeholders of templates that were left in a text: `{text}`, `{{name}}`, `[INSERT …]`, `TODO`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.patterns import lazy
from engine.rules.source.gaps import gaps_in, means_letters
from engine.rules.source.left_out_material import described_material, left_out_material
from engine.rules.source.placeholder_context import REACH, describes_answer, is_code, line_around
from engine.rules.source.slots import angled_slots, bracketed_slots, is_quoted_with_more, patterned_slots
from engine.rules.source.unwritten_texts import is_unwritten
from engine.text import Span

EXPECTED = lazy(
    r"""\b(?:placeholders?|unfilled|templates?|curly|brackets?
    |(?:prompt|question|request|input|text)\s+(?:is|was)\s+(?:incomplete|unclear|ambiguous|empty|cut\s+off)
    |not\s+(?:been\s+)?(?:provided|given|included|filled|supplied|specified)
    |missing\s+(?:\w+\s+)?(?:text|input|information|content|data|value|context|details?)
    |(?:no\s+\w+|nothing)\s+(?:was|is|were|are|has|have)\s+(?:been\s+)?(?:provided|given|included|attached|arrived)
    |no\s+(?:such\s+)?(?:attach\w*|image|picture|photo|file|document|article|text|table|paragraph|passage|letter|email)\b
    |(?:can(?:not|['’]t)|do(?:es)?(?:\s+not|n['’]t))\s+(?:see|open|(?:have\s+)?access)
    |asks?\s+(?:the\s+user\s+)?(?:to\s+(?:provide|share|supply|paste|send|specify)|for\s+(?:(?:the\s+)?(?:missing|clarif)
      |(?:the|an?)\s+(?:\w+\s+)?(?:text|document|article|paragraph|passage|letter|report|file|table|image|picture|e-?mail)\b)))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Points of a prompt that tests what a model does without what is missing."""
_NAME = r"[^\W\d]\w*(?:[ -][\w'’]+){0,4}(?:\[\w+\])?"
_BRACES = lazy(
    rf"""(?<![\\\w^}}$\])])(?:
        [$\#]\{{(?P<script>[^\W\d]\w*)\}}
      | \{{\{{\s?(?P<double>[^\W\d][^{{}}"\n:]{{0,60}}?)\s?\}}\}}
      | (?<!\#)\{{\s?(?P<single>{_NAME}|\d)\s?\}}
    )(?![{{}}])""",
    re.VERBOSE,
)
"""A name in braces: `${name}`, `{{name}}`, `{name}`."""
_INSERTED = lazy(
    r"""[\[<{(]{1,2}\s*(?:
        (?:please\s+)?(?P<verb>insert|paste|enter|add|put|type|attach|replace|fill\s+in)\b
          (?P<what>[^\[\]<>{}()\n"“]{2,60}?)
      | (?P<todo>to-?do|tbd|tbc|fixme|placeholder)\b[^\[\]<>{}()\n]{0,60}?
      | (?P<here>[^\[\]<>{}()\n]{1,50}?\b(?:goes\s+)?here)
    )\s*[\]>})]{1,2}(?!\()""",
    re.IGNORECASE | re.VERBOSE,
)
"""An instruction in brackets: `[INSERT ARTICLE]`, `[your name here]`."""
_NOUNS = (
    "article|text|passage|excerpt|document|question|query|content|transcript|e-?mail|story|essay|input|context|sentence"
    "|paragraph|topic|subject|country|language|product|industry"
)
_BRACKETED = lazy(
    rf"\[(?P<noun>(?:(?:your|the|any|some|another|source|full|user|{_NOUNS})[ _-])*(?:{_NOUNS})"
    r"(?:[ _-](?:text|\d|name))?)\]"
    r"(?![(\[:])",
    re.IGNORECASE,
)
_ANGLED = lazy(
    rf"<(?<!<<)(?P<noun>(?:(?:your|the|any|some|source|full|user)[ _-])*(?:{_NOUNS})(?:[ _-](?:text|\d|name))?)>"
    r"(?!>|\s+(?:elements?|tags?)\b|\s+(?:and|or)\s+<[^<>]+>\s+(?:elements?|tags?)\b)",
    re.IGNORECASE,
)
_CODED = lazy(r"[\[<](?P<code>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[\]>]")
_TODO = lazy(r"\b(?:TODO|FIXME)\b(?!\s+(?:lists?|apps?|items?|comments?)\b)(?::\s*)?|\bTB[DC]\b(?::\s*)?")
_A_TODO = lazy(r"\b(?:every|each|all|the|an?|any|my|these|those|no|old|of\s+the)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
"""Before “TODO”, it is a thing that is spoken of."""
_IN_CRITERION = lazy(
    r"""\b(?:TBD|TBC|TBA|tbd|tbc|X{3,}|x{3,})\b(?![-\d])
    | \bXX\b(?!\s*(?:chromosom|century|and\b|or\b|/))
    | _{3,} | __(?=\s?%) | (?<=\s)__(?=\s) | (?<=:\s)\#{3}(?!\#)
    | \$(?:NAME|YEAR|COUNTRY|CITY|AMOUNT|DATE|ANSWER)\b | \$X{1,3}\b
    | \?{2,}(?=\s\w) | \(\?+\) | (?<=,\s)\?{2,}\Z
    | \b(?:19|20)(?:XX|xx|__|\?\?)(?!\w)
    | [(\[]TK[)\]] | \bTK(?:TK)?(?=\W*\Z)
    | \((?:name|year|date|source|number|amount|figure|check|verify|which\s+one|spelling)\s?\?+\)
    | \[(?:(?:double-?|fact-?)?check|verify|confirm|look\s+up|citation\s+needed|source\s+needed)
        (?:\s[^\[\]\n]{1,40})?\??\]
    | \[(?:[Xx]+|[NY]|\?+|\.\.\.|…|name|date|number|year|amount|value|fact|person|place|city|answer|source|details?
        |specifics?)\]""",
    re.VERBOSE,
)
"""What an author leaves in a criterion to fill it in later."""
_OF_CRITERIA = ("[", "?", "$", "XX", "xx", "__", "TB", "tb", "TK", "###")
"""What each match of `_IN_CRITERION` has."""
_MARKED = lazy(
    r"""<<[^\W\d]\w*(?:[ ]\w+){0,3}>> | %\(\w+\)s
    | (?<!\w)__(?!FILE__|LINE__|DIR__)[A-Z][A-Z0-9_]+__(?!\w)
    | \b(?:INSERT|PASTE|PUT)\s+(?:[A-Z]+\s+){1,5}HERE\b | \#\s?(?:INSERT|PASTE)(?:\s[A-Z]+){1,4}(?=\s?\#)
    | \{\{[\#/^>][^{}\n]{1,40}\}\} | \{%[^{}\n]{1,60}%\} | <%=?[^<>\n]{1,60}%>
    | (?<!\w)%[A-Z][A-Z_]{2,}%(?!\w) | @@\w{2,30}@@ | (?<!\#)\#\#[A-Za-z_]{2,30}\#\#(?!\#)""",
    re.VERBOSE,
)
"""A mark of a template language, or of a person: `<<name>>`, `%(name)s`, `{% if %}`, `PASTE TEXT HERE`."""
_MARK = lazy(r"<[<%]|%[(A-Z]|\{[%{]|__[A-Z]|#\s?(?:INS|PAS)|HERE|@@|##")
"""What each match of `_MARKED` has: searched for faster, as it begins with a sign."""
_UNDECIDED = lazy(
    r"\((?:to\s+be\s+(?:added|filled(?:\s+in)?|completed|decided|determined|confirmed))\b[^)]{0,30}\)"
    r"|(?:\.\.\.|…)\s*\Z",
    re.IGNORECASE,
)
_HOW_TO = lazy(r"\b(?:how\s+(?:do|can|does|to|should)|why\s+(?:do|does|is)|what\s+does)\b", re.IGNORECASE)
_PATH = lazy(r"(?:://|(?<=\s)/\w)\S*\Z")
"""The part of an address before a variable."""
_LOREM = lazy(r"\blorem ipsum dolor sit amet,? consectetur\b", re.IGNORECASE)
_NUMBERED = lazy(r"\{(\d)\}")

_SIGNS = (
    *("[", "{", "<", "$", "%", "@", "TODO", "TB", "__", "HERE", "(insert", "(paste", "FIXME", "##", "XX", "orem ip"),
    *(
        "...",
        "…",
        "xxx",
        "??",
        "(to be",
        "tbd",
        "tbc",
        "yyyy",
        "YYYY",
        "_N",
        "YOUR_",
        "?)",
        "###",
        "CITY_",
        "TK",
        "PASTE",
        "INSERT",
        "-- ",
    ),
)
"""The commonest first: most prompts with a placeholder have a bracket."""
_SIGNS_BY_FIRST = tuple(
    (first, tuple(sign for sign in _SIGNS if sign[0] == first)) for first in dict.fromkeys(sign[0] for sign in _SIGNS)
)
"""A character is found several times as fast as a word: long texts are searched only for words that may be there."""

_ABOUT_TEMPLATES = lazy(
    r"""\b(?:placeholders?|templat(?:es?|ing)|f-strings?|jinja2?|mustache|handlebars|interpolat\w+|merge\s+fields?
    |mail[\s-]merge|format\s+strings?|string\s+formatting|mad\s?-?libs?|curly|braces|brackets|variables?\s+names?
    |filled\s+in|left\s+(?:blank|open)|(?:be|is|are)\s+replaced|user[- ]interface\s+strings?|locali[sz]ation)\b
    |\b(?:keep|leave|preserve)s?\b[^.\n]{0,30}\b(?:as\s+(?:it\s+is|they\s+are|is)|unchanged|untouched|intact)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_UNFINISHED = 3
"""Words of a criterion that breaks off, such as "Mentions …"; a longer one may name a list that goes on."""
_OF_THE_ANSWER = lazy(
    r"\b(?:answer|choice|response|reasoning|explanation|letter|option|rating|score|verdict|thoughts?|click|see)\b",
    re.IGNORECASE,
)
_LETTER_OR_FORM = lazy(
    r"""\b(?:write|draft|compose|create|prepare|generate|give|make|provide|produce|help|need|want|show)\b[^.?!\n]{0,60}
    \b(?:letters?|e-?mails?|forms?|contracts?|agreements?|resum[eé]s?|cvs?|memos?|releases?|statements?|invoices?
    |scripts?|speech(?:es)?|announcements?|notices?|messages?|complaints?|petitions?|wills?|affidavits?|polic(?:y|ies)
    |posts?|applications?|proposals?|invitations?|reports?|leases?|wills|bios?|captions?|adverts?|sms|texts|cards?)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def may_hold_placeholder(text: str, start: int, end: int) -> bool:
    """Whether `placeholders_in` may find something in `text[start:end]`: a quick filter with false positives."""
    for first, signs in _SIGNS_BY_FIRST:
        at = text.find(first, start, end)
        if at >= 0:
            for sign in signs:
                if text.find(sign, at, end) >= 0:
                    return True
    return False


def asks_for_form(text: str) -> bool:
    """Whether a prompt asks for a letter or a form, in which bracketed names are right."""
    return _LETTER_OR_FORM.search(text) is not None


@lru_cache(maxsize=4096)
def placeholders_in(text: str, *, is_criterion: bool = False) -> tuple[Span, ...]:
    """The placeholders of `text`, a turn or a system prompt, in source order.

    None in code, in a text about templates, and where the form of the answer is described. Bracketed names are none
    where a letter or a form is asked for. With `is_criterion`, `[name]`, `XXX`, `___` and `TBD` are placeholders, too.
    """
    if is_unwritten(text):
        start = len(text) - len(text.lstrip())
        return (Span(start, start + len(text.strip())),)
    if not may_hold_placeholder(text, 0, len(text)):
        return ()
    found = {span for span in _candidates(text, is_criterion=is_criterion) if not is_code(text, span)}
    return _apart(sorted(found)) if found and not _is_about_templates(text, found) else ()


def _apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans without those that lie within the one before."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


def _is_about_templates(text: str, found: Iterable[Span]) -> bool:
    """Whether the text speaks of templates outside its placeholders."""
    rest = text
    for span in sorted(found, reverse=True):
        rest = f"{rest[: span.start]} {rest[span.end :]}"
    return _ABOUT_TEMPLATES.search(rest) is not None


def _candidates(text: str, *, is_criterion: bool) -> Iterator[Span]:
    """What may be placeholders, in any order."""
    yield from _in_braces(text, is_criterion=is_criterion)
    yield from left_out_material(text)
    yield from patterned_slots(text)
    has_bracket = any(sign in text for sign in ("[", "<", "{", "(insert", "(paste"))
    bracketed = list(_in_brackets(text, is_criterion=is_criterion)) if has_bracket else []
    if is_criterion or not bracketed or _LETTER_OR_FORM.search(text) is None:
        yield from bracketed
    yield from _todos(text)
    if _MARK.search(text) is not None:
        yield from (Span(*match.span()) for match in _MARKED.finditer(text))
    yield from gaps_in(text)
    if is_criterion:
        yield from _unfinished(text)
    elif "orem" in text:
        yield from (Span(*match.span()) for match in _LOREM.finditer(text))


def _in_braces(text: str, *, is_criterion: bool) -> Iterator[Span]:
    for match in _BRACES.finditer(text) if "{" in text else ():
        is_shown = is_quoted_with_more(text, match) and _HOW_TO.search(text) is not None
        in_address = _PATH.search(text, max(match.start() - REACH, 0), match.start()) is not None
        if is_shown or in_address or _is_symbol(match, text, is_criterion=is_criterion):
            continue
        if is_criterion or not describes_answer(text, match.start()):
            yield Span(*match.span())


def _todos(text: str) -> Iterator[Span]:
    """`TODO` anywhere; `TBD` only as all of a text, or before or behind its colon."""
    for match in _TODO.finditer(text) if "TODO" in text or "FIXME" in text or "TB" in text else ():
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        is_note = match[0].startswith(("TODO", "FIXME"))
        is_alone = not before and (not after or ":" in match[0])
        is_value = before.endswith(":") and not after.strip(" .")
        is_spoken_of = match[0].startswith("TODO") and _A_TODO.search(text, 0, match.start()) is not None
        if (is_note or is_alone or is_value) and not is_spoken_of:
            yield Span(match.start(), match.start() + len(match[0].rstrip(" :")))


def _unfinished(text: str) -> Iterator[Span]:
    """What is left open in a criterion."""
    for match in _IN_CRITERION.finditer(text) if any(sign in text for sign in _OF_CRITERIA) else ():
        is_ticked = match.start() == 0 and match[0].startswith("[")  # `[x]` at the start is a box
        if not is_ticked and not (match[0].startswith("XX") and means_letters(text)):
            yield Span(*match.span())
    for match in _UNDECIDED.finditer(text):
        if match[0].startswith("(") or len(text.split()) <= _LONGEST_UNFINISHED:
            yield Span(*match.span())


def _in_brackets(text: str, *, is_criterion: bool) -> Iterator[Span]:
    for match in _INSERTED.finditer(text):
        inside = match["what"] or match["here"] or ""
        verb = (match["verb"] or "").lower()
        is_instruction = verb in ("insert", "paste") or match["here"] or match["todo"] or "here" in inside.lower()
        in_round = match[0].startswith("(") and verb not in ("insert", "paste")
        is_of_answer = _OF_THE_ANSWER.search(inside) is not None or (
            not is_criterion and describes_answer(text, match.start())
        )
        if is_instruction and not in_round and not is_of_answer:
            yield Span(*match.span())
    for match in _BRACKETED.finditer(text):
        if is_criterion or _stands_for_content(text, match):
            yield Span(*match.span())
    for match in _ANGLED.finditer(text):
        if f"</{match['noun']}" not in text and _stands_for_content(text, match):
            yield Span(*match.span())
    for match in () if is_criterion else _CODED.finditer(text):
        if _is_quoted(text, match) or (match[0].startswith("<") and _stands_for_content(text, match)):
            yield Span(*match.span())
    for span in (
        *bracketed_slots(text, is_criterion=is_criterion),
        *angled_slots(text, is_criterion=is_criterion),
        *described_material(text),
    ):
        if not describes_answer(text, span.start):
            yield span


def _is_symbol(match: re.Match[str], text: str, *, is_criterion: bool) -> bool:
    """Whether the braces hold a symbol of mathematics or code, such as `{x}` or `{0}` beside other signs."""
    single = match["single"]
    if single is None:
        return False
    if single.isdigit():
        numbers = sorted({int(number) for number in _NUMBERED.findall(text)})
        if numbers not in (list(range(len(numbers))), list(range(1, len(numbers) + 1))) or "set" in text:
            return True
    line = line_around(text, match.start()).of(text)
    return len(single) == 1 and (
        (single.isalpha() and not is_criterion) or re.search(r"[=^\\<>+\[\]]", line) is not None
    )


def _stands_for_content(text: str, match: re.Match[str]) -> bool:
    """Whether a bracketed noun stands in a sentence or after a label, and does not head a section of its own."""
    noun = match[match.lastgroup or 0]
    before = text[line_around(text, match.start()).start : match.start()].strip()
    return (
        bool(before)
        and f"[/{noun}" not in text
        and f"</{noun}" not in text
        and not describes_answer(text, match.start())
    )


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith(('"', "'", "“", "‘", ": ", ":")) and f"</{match['code']}" not in text
