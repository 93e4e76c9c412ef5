"""Placeholders of templates that were left in a text: `{text}`, `{{name}}`, `[INSERT …]`, `TODO`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.rules.source.slots import (
    angled_slots,
    bracketed_slots,
    described_slots,
    is_quoted_with_more,
    is_unwritten,
    other_slots,
)
from engine.text import Span

_NAME = r"[^\W\d]\w*(?:[ -][\w'’]+){0,4}(?:\[\w+\])?"
_BRACES = re.compile(
    rf"(?<![\\\w^}}$\])])(?:[$#]\{{(?P<script>[^\W\d]\w*)\}}|\{{\{{\s?(?P<double>[^\W\d][^{{}}\"\n:]{{0,60}}?)\s?\}}\}}"
    rf"|(?<!#)\{{\s?(?P<single>{_NAME}|\d)\s?\}})(?![{{}}])"
)
_INSERTED = re.compile(
    r"[\[<{(]{1,2}\s*(?:(?:please\s+)?(?P<verb>insert|paste|enter|add|put|type|attach|replace|fill\s+in)\b"
    r"(?P<what>[^\[\]<>{}()\n\"“]{2,60}?)|(?P<todo>to-?do|tbd|tbc|fixme|placeholder)\b[^\[\]<>{}()\n]{0,60}?"
    r"|(?P<here>[^\[\]<>{}()\n]{1,50}?\b(?:goes\s+)?here))\s*[\]>})]{1,2}(?!\()",
    re.IGNORECASE,
)
_NOUNS = (
    "article|text|passage|excerpt|document|question|query|content|transcript|e-?mail|story|essay|input|context|sentence"
    "|paragraph|topic|subject|country|language|product|industry"
)
_BRACKETED = re.compile(
    rf"\[(?P<noun>(?:(?:your|the|any|some|another|source|full|user|{_NOUNS})[ _-])*(?:{_NOUNS})"
    r"(?:[ _-](?:text|\d|name))?)\]"
    r"(?![(\[:])",
    re.IGNORECASE,
)
_ANGLED = re.compile(
    rf"(?<!<)<(?P<noun>(?:(?:your|the|any|some|source|full|user)[ _-])*(?:{_NOUNS})(?:[ _-](?:text|\d|name))?)>"
    r"(?!>|\s+(?:elements?|tags?)\b|\s+(?:and|or)\s+<[^<>]+>\s+(?:elements?|tags?)\b)",
    re.IGNORECASE,
)
_CODED = re.compile(r"[\[<](?P<code>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[\]>]")
_TODO = re.compile(r"\b(?:TODO|FIXME)\b(?!\s+(?:lists?|apps?|items?|comments?)\b)(?::\s*)?|\bTB[DC]\b(?::\s*)?")
_A_TODO = re.compile(r"\b(?:every|each|all|the|an?|any|my|these|those|no|old|of\s+the)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
"""Before “TODO”, it is a thing that is spoken of."""
_IN_CRITERION = re.compile(
    r"\b(?:TBD|TBC|TBA|tbd|tbc|X{3,}|x{3,})\b(?![-\d])|\bXX\b(?!\s*(?:chromosom|century|and\b|or\b|/))|_{3,}|__(?=\s?%)|(?<=\s)__(?=\s)|(?<=:\s)\#{3}(?!\#)|\$(?:NAME|YEAR|COUNTRY|CITY|AMOUNT|DATE|ANSWER)\b|\?{2,}(?=\s\w)|\(\?+\)|(?<=,\s)\?{2,}\Z|\b(?:19|20)(?:XX|xx|__|\?\?)(?!\w)|\$X{1,3}\b"
    r"|[(\[]TK[)\]]|\bTK(?:TK)?(?=\W*\Z)|\((?:name|year|date|source|number|amount|figure|check|verify|which\s+one|spelling)\s?\?+\)"
    r"|\[(?:(?:double-?|fact-?)?check|verify|confirm|look\s+up|citation\s+needed|source\s+needed)(?:\s[^\[\]\n]{1,40})?\??\]"
    r"|\[(?:[Xx]+|[NY]|\?+|\.\.\.|…|name|date|number|year|amount|value|fact|person|place|city|answer|source|details?|specifics?)\]",
)
_MARKED = re.compile(
    r"<<[^\W\d]\w*(?: \w+){0,3}>>|%\(\w+\)s|(?<!\w)__(?!FILE__|LINE__|DIR__)[A-Z][A-Z0-9_]+__(?!\w)"
    r"|\b(?:INSERT|PASTE|PUT)\s+(?:[A-Z]+\s+){1,5}HERE\b|\#\s?(?:INSERT|PASTE)(?:\s[A-Z]+){1,4}(?=\s?\#)|\{\{[#/^>][^{}\n]{1,40}\}\}|\{%[^{}\n]{1,60}%\}|<%=?[^<>\n]{1,60}%>"
    r"|(?<!\w)%[A-Z][A-Z_]{2,}%(?!\w)|@@\w{2,30}@@|(?<!#)##[A-Za-z_]{2,30}##(?!#)"
)
_MARKS = ("<<", "%", "# INS", "#INS", "# PAS", "__", "HERE", "{{", "@@", "##")
"""What each match of `_MARKED` has."""
_VARIABLE = re.compile(
    r"(?<![\w$\\])\$(?:[a-z][a-z_]{2,}|[A-Z]+(?:_[A-Z]+)+)\b(?![$(])|(?<=\s)%[sd](?=[\s.,?!]|$)|(?<![\w@.])@[a-z_]{2,30}@(?![\w@])"
)
_PROGRAMMING = re.compile(
    r"""\b(?:variables?|shell|bash|php|perl|ruby|python|javascript|scripts?|commands?|echo|printf?|code|functions?|strings?
    |regex|latex|sql|program\w*|terminal|environment|format(?:ting)?|syntax|linux|unix|windows|powershell|java|ruby|go
    |perl|c\+\+|excel|localis\w*|localiz\w*|user[- ]interface)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_GAP = re.compile(
    r"\b(?:of|on|in|to|by|at|from|for|about|with|is|are|cook|take|use|buy|sell|see|visit|make|called|named|I|my)"
    r"\s+(?P<gap>X{3,}|_{3,})(?![-\w]|\s?\d)"
    r"|\b(?:the|an?|my|our|this)\s+(?P<named>X{3,}|_{3,})\s+[a-z]|(?<!\w)(?P<long>X{4,})(?![-\w]|\s?\d)"
)
_IN_QUESTION = re.compile(
    r"\b(?:what|who|whom|which|where|when|why|how|is|are|does|do|did|can|could|should|would|will|explain|describe|tell"
    r"|write|give|list|name|compare|my|I)\b",
    re.IGNORECASE,
)
_NOT_A_GAP = re.compile(
    r"\b(?:mean\w*|stands?\s+for|roman|numerals?|rated|ratings?|kiss\w*|chromosom\w*|hangman)\b", re.I
)
_EXERCISE = re.compile(
    r"\b(?:fill|blanks?|complete|missing|gaps?|cloze|choose|options?|sentence|word)\b|\n|\(?\b[A-D1-4][.)]\s",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\((?:to\s+be\s+(?:added|filled(?:\s+in)?|completed|decided|determined|confirmed))\b[^)]{0,30}\)"
    r"|(?:\.\.\.|…)\s*\Z",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\b(?:how\s+(?:do|can|does|to|should)|why\s+(?:do|does|is)|what\s+does)\b", re.IGNORECASE)
_PATH = re.compile(r"(?:://|(?<=\s)/\w)\S*\Z")
"""The part of an address before a variable."""
_LOREM = re.compile(r"\blorem ipsum dolor sit amet,? consectetur\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\{(\d)\}")

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

_ABOUT_TEMPLATES = re.compile(
    r"""\b(?:placeholders?|templat(?:es?|ing)|f-strings?|jinja2?|mustache|handlebars|interpolat\w+|merge\s+fields?
    |mail[\s-]merge|format\s+strings?|string\s+formatting|mad\s?-?libs?|curly|braces|brackets|variables?\s+names?
    |filled\s+in|left\s+(?:blank|open)|(?:be|is|are)\s+replaced|user[- ]interface\s+strings?|locali[sz]ation)\b
    |\b(?:keep|leave|preserve)s?\b[^.\n]{0,30}\b(?:as\s+(?:it\s+is|they\s+are|is)|unchanged|untouched|intact)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FORMAT = re.compile(
    r"""\bformat\b(?!\s+(?:the|this|these|it|my|a)\b)|\b(?:schema|syntax|layout)\b|\bas\s+follows\b|\blike\s+this\b
    |\b(?:in|following|this|of)\s+(?:exactly\s+)?(?:the\s+|this\s+)?(?:following\s+|exact\s+)?(?:form|structure|pattern)\b
    |\b(?:where|let|replac\w+|substitut\w+)\b[^.\n]{0,40}$
    |\b(?:answer|reply|respond|start|begin|end|sign|label|mark|tag|fill|replace|write|format)\w*\b[^.\n]{0,30}\b(?:with|as|using)\s*
      (?:only|just|exactly)?\s*[:"'“‘(*]*\s*$
    |\b(?:with|as|using)\s*[:"'“‘(*]+\s*$
    |\b(?:(?<!do\sI\s)say|says|write|output|return|print)\s*(?:only|just|exactly)?\s*[:"'“‘(*]*\s*$
    |\b(?:answer|verdict|rating|score|choice|result|confidence|reasoning|explanation|label|prediction)\s*\**:\s*[*"'(]*$
    |^\W*output\W*:?\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""What comes before a placeholder that describes the form of the answer."""
_LONGEST_UNFINISHED = 3
"""Words of a criterion that breaks off, such as "Mentions …"; a longer one may name a list that goes on."""
_REACH = 120
"""Characters before a placeholder in which the form of the answer is described."""
_OF_THE_ANSWER = re.compile(
    r"\b(?:answer|choice|response|reasoning|explanation|letter|option|rating|score|verdict|thoughts?|click|see)\b", re.I
)
_CODE_LINE = re.compile(
    r"""\bf["']|\bprint\(|console\.log|=>|;\s*$|^\s*(?:def|class)\s+\w+\s*[(:]|\b(?:const|let|var)\s+\w+\s*=
    |</(?:div|span|p|li|ul|h\d|td|a|button|body|html)>|\\[a-zA-Z]+\{|^\s*(?://|\#\s)""",
    re.VERBOSE,
)
_TOKEN = re.compile(r"\{[^{}\n]+\}|<[^<>\n]+>|\[[^\[\]\n]+\]")
_LETTER_OR_FORM = re.compile(
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


def is_about_programs(text: str) -> bool:
    """Whether a prompt is about a program, in which `$name` and `%s` are right."""
    return _PROGRAMMING.search(text) is not None


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
    found = {span for span in _candidates(text, is_criterion=is_criterion) if not _is_code(text, span)}
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
    for match in _BRACES.finditer(text) if "{" in text else ():
        if is_quoted_with_more(text, match) and _HOW_TO.search(text) is not None:
            continue
        if _PATH.search(text, max(match.start() - _REACH, 0), match.start()) is not None:
            continue
        if not _is_symbol(match, text, is_criterion=is_criterion) and not (
            not is_criterion and _describes_answer(text, match.start())
        ):
            yield Span(*match.span())
    has_bracket = any(sign in text for sign in ("[", "<", "{", "(insert", "(paste"))
    yield from other_slots(text)
    bracketed = list(_in_brackets(text, is_criterion=is_criterion)) if has_bracket else []
    if bracketed and (is_criterion or _LETTER_OR_FORM.search(text) is None):
        yield from bracketed
    for match in _TODO.finditer(text) if "TODO" in text or "FIXME" in text or "TB" in text else ():
        if match[0].startswith("TODO") and _A_TODO.search(text, 0, match.start()) is not None:
            continue
        is_whole = not text[: match.start()].strip() and not text[match.end() :].strip()
        if (
            match[0].startswith(("TODO", "FIXME"))
            or is_whole
            or (not text[: match.start()].strip() and ":" in match[0])
            or (text[: match.start()].rstrip().endswith(":") and not text[match.end() :].strip(" ."))
        ):
            yield Span(match.start(), match.start() + len(match[0].rstrip(" :")))
    if any(mark in text for mark in _MARKS):
        for match in _MARKED.finditer(text):
            yield Span(*match.span())
    yield from _gaps(text)
    for match in (_IN_CRITERION if is_criterion else _LOREM).finditer(text) if is_criterion or "orem" in text else ():
        if match[0].startswith("XX") and _NOT_A_GAP.search(text) is not None:
            continue
        if match.start() or not match[0].startswith("["):  # `[x]` at the start is a box that is ticked
            yield Span(*match.span())
    for match in _UNDECIDED.finditer(text) if is_criterion else ():
        if match[0].startswith("(") or len(text.split()) <= _LONGEST_UNFINISHED:
            yield Span(*match.span())


def _gaps(text: str) -> Iterator[Span]:
    """Variables of scripts, and what was left open in a question that is no exercise."""
    variables = list(_VARIABLE.finditer(text)) if "$" in text or "%" in text or "@" in text else []
    if variables and _PROGRAMMING.search(text) is None:
        yield from (Span(*match.span()) for match in variables if match.start())  # at the start, a check was meant
    gaps = list(_GAP.finditer(text)) if "XXX" in text or "___" in text else []
    if gaps and _EXERCISE.search(text.strip()) is None and _NOT_A_GAP.search(text) is None:
        for match in gaps:
            kind = match.lastgroup or "gap"
            if is_quoted_with_more(text, match):
                continue
            if match[kind].startswith("X") or _IN_QUESTION.search(text, 0, match.start(kind)) is not None:
                yield Span(*match.span(kind))


def _in_brackets(text: str, *, is_criterion: bool) -> Iterator[Span]:
    for match in _INSERTED.finditer(text):
        inside = match["what"] or match["here"] or ""
        verb = (match["verb"] or "").lower()
        is_instruction = verb in ("insert", "paste") or match["here"] or match["todo"] or "here" in inside.lower()
        in_round = match[0].startswith("(") and verb not in ("insert", "paste")
        is_of_answer = _OF_THE_ANSWER.search(inside) is not None or (
            not is_criterion and _describes_answer(text, match.start())
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
        *described_slots(text),
    ):
        if not _describes_answer(text, span.start):
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
    line = _line_of(text, match.start())
    return len(single) == 1 and (
        (single.isalpha() and not is_criterion) or re.search(r"[=^\\<>+\[\]]", line) is not None
    )


def _stands_for_content(text: str, match: re.Match[str]) -> bool:
    """Whether a bracketed noun stands in a sentence or after a label, and does not head a section of its own."""
    noun = match[match.lastgroup or 0]
    start = text.rfind("\n", 0, match.start()) + 1
    before = text[start : match.start()].strip()
    return (
        bool(before)
        and f"[/{noun}" not in text
        and f"</{noun}" not in text
        and not _describes_answer(text, match.start())
    )


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith(('"', "'", "“", "‘", ": ", ":")) and f"</{match['code']}" not in text


def _describes_answer(text: str, at: int) -> bool:
    """Whether the text before `at` describes the form of the answer, on its line or above lines of placeholders."""
    line_start = text.rfind("\n", 0, at) + 1
    if _FORMAT.search(text[max(line_start, at - _REACH) : at]) is not None:
        return True
    above = text[:line_start].split("\n")[:-1]
    while above and (not above[-1].strip() or _TOKEN.search(above[-1]) is not None):
        is_gap = not above.pop().strip()
        if is_gap and above and not above[-1].rstrip().endswith(":"):
            return False
    return bool(above) and _FORMAT.search(above[-1]) is not None


def _is_code(text: str, span: Span) -> bool:
    before = text[: span.start]
    if before.count("```") % 2:
        return True
    line = _line_of(text, span.start)
    in_line = before[before.rfind("\n") + 1 :]
    return in_line.count("`") % 2 == 1 or _CODE_LINE.search(line) is not None


def _line_of(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)]
