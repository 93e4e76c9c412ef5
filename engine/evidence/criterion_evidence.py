"""Where to look in an answer for a criterion: at what its judges quote, else at the sentence that is closest to it.

A sentence never crosses a blank line, a list item, a heading, a table row or the end of a code block. The closest one
shares the rarest words with the criterion. These show what a sentence is about, and not whether it meets or contradicts
the criterion, so no figure leaves this module.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.evidence.nearest_miss import MissKind, figures, folded, singular, stripped, without_accents
from engine.rules.functions.literal_forms import PlainForm
from engine.text.spans import Span

_QUOTED = re.compile(
    r"“([^“”]{4,600})”|«([^«»]{4,600})»|„([^„“]{4,600})“|\"([^\"\n]{4,600})\"|`([^`\n]{4,600})`"
    r"|(?<!\w)['‘]([^\n]{4,600}?)['’](?!\w)"
)
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*")
_EDGES = " .,;:!?…*_"
_SHORTEST = 4
_LONGEST_ANSWER = 200_000
_LONGEST_READ = 50_000
"""Code points of an answer beyond which no sentence is looked for: the screen waits for it."""
_LEAST_SHARED = 2
_STEM = 6
_FENCE = re.compile(r"\s*(```|~~~)")
_OWN_LINE = re.compile(r"\s*(?:#{1,6}\s|\||(?:-{3,}|\*{3,}|_{3,})\s*$)")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+|#{1,6}\s+|\|\s*)?")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_CLOSING = "\"'”’»)\\]}*_"
_END = re.compile(
    rf"(?P<wide>[。！？｡]+[{_CLOSING}」』）】]*)"
    rf"|(?P<mark>[.!?…।॥؟۔።։။។]+)(?P<closing>[{_CLOSING}]*)(?=\s)"
)
_LAST_WORD = re.compile(r"[\w.]*\Z")
_ABBREVIATIONS = re.compile(
    r"(?:mrs?|ms|dr|prof|st|sr|jr|rev|hon|gen|col|sgt|capt|lt|cf|vs?|approx|est|dept|inc|ltd|co|corp|e\.g|i\.e|al|ca|resp"
    r"|bzw|z\.b|d\.h|u\.a|bsp|vgl)\Z",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER = re.compile(
    r"(?:nos?|nr|arts?|abs|secs?|paras?|ch|figs?|vol|eds?|pp?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\Z",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_CLUTTER = re.compile(r"[*_`#|]+")
_WORD = re.compile(r"[^\W_]+")
_COMMON = """
    about above according after all also and answer any are because been before being below between both but can
    case could describes did does each either every example explain explains for from give gives had has have her here
    his how however identifies include includes into its just like made make many may mention mentions might more most
    much must name names not note one only other our out over point provide provides response same say says should some
    state states such than that the their them then there these they this those through under use used user very was
    way well were what when where whether which while who will with within without would you your
"""
"""Words that show nothing of what a sentence is about: frequent ones, and those of criteria."""
_COMMON_WORDS = frozenset(_COMMON.split())


def quotes_found(reflections: Iterable[str], answer: str) -> tuple[Span, ...]:
    """The places in `answer` of what `reflections` quote, in the order of the answer, without repeats.

    Case, accents, quotes, dashes, blanks and emphasis may differ; of a quote with an ellipsis, each part is looked for.
    A quote that is not in the answer is left out: judges quote criteria too, and sometimes what nobody wrote.
    """
    if len(answer) > _LONGEST_ANSWER:
        return ()
    spans = {span for text in reflections for part in _parts(text) if (span := _place(part, answer)) is not None}
    return tuple(sorted(spans))


def _parts(reflection: str) -> Iterator[str]:
    for found in _QUOTED.finditer(reflection):
        quote = next(group for group in found.groups() if group is not None)
        for part in _ELLIPSIS.split(quote):
            stripped = part.strip(_EDGES)
            if len(stripped) >= _SHORTEST:
                yield stripped


def _place(part: str, answer: str) -> Span | None:
    wanted, text = _plain(part), _plain(answer)
    at = text.text.find(wanted.text) if wanted.text else -1
    return None if at < 0 else text.original(at, at + len(wanted.text))


@lru_cache(maxsize=64)
def _plain(text: str) -> PlainForm:
    return folded(text, frozenset({MissKind.CASE, MissKind.FORM, MissKind.ACCENT}))


def closest_sentence(criterion: str, answer: str) -> Span | None:
    """The place in `answer` of the sentence that shares the rarest words with `criterion`, the first one in a tie.

    A word is rarer the fewer sentences of the answer have it. Plurals, accents, numbers in words and endings make no
    difference. None where no sentence shares two words that are not common, and for very long answers.
    """
    if len(answer) > _LONGEST_READ:
        return None
    found, counts = _words_by_sentence(answer)
    wanted = _rare_words(criterion)
    best, rarity = None, 0.0
    for span, words in found:
        shared = wanted & words
        score = sum(1 / counts[word] for word in shared)
        if len(shared) >= _LEAST_SHARED and score > rarity:
            best, rarity = span, score
    return best


def sentence_text(span: Span, answer: str) -> str:
    """A sentence of `answer` on one line, without the signs of Markdown."""
    return " ".join(_CLUTTER.sub(" ", span.of(answer)).split())


@lru_cache(maxsize=16)
def _words_by_sentence(answer: str) -> tuple[tuple[tuple[Span, frozenset[str]], ...], Counter[str]]:
    """The sentences with their words, and in how many each word is."""
    found = tuple((span, _rare_words(span.of(answer))) for span in sentences(answer))
    return found, Counter(word for _, words in found for word in words)


def _rare_words(text: str) -> frozenset[str]:
    """The words of `text` that are not common, each by its first letters: `protected` and `protection` are one."""
    words = (word.lower() for word in _WORD.findall(text))
    rare = (word for word in words if word not in _COMMON_WORDS and (len(word) > 2 or word.isdigit()))
    return frozenset(figures(singular("".join(map(without_accents, word))))[:_STEM] for word in rare)


@lru_cache(maxsize=16)
def sentences(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of `text` that have a letter or a digit, in order."""
    spans = (stripped(text, span) for block in _blocks(text) for span in _within(text, block))
    return tuple(span for span in spans if any(each.isalnum() for each in span.of(text)))


def _blocks(text: str) -> Iterator[Span]:
    """The blocks that no sentence crosses, without their leading markers."""
    start: int | None = None
    end = place = 0
    code = False
    for line in text.splitlines(keepends=True):
        begin, place = place, place + len(line)
        fence = _FENCE.match(line) is not None
        alone = not code and _OWN_LINE.match(line) is not None
        if start is not None and (fence or alone or code or not line.strip() or _ITEM.match(line)):
            yield Span(start, end)
            start = None
        if fence:
            code = not code
        elif line.strip():
            if start is None:
                marker = None if code else _MARKER.match(line)
                start = begin + (0 if marker is None else marker.end())
            end = begin + len(line.rstrip())
            if alone:
                yield Span(start, end)
                start = None
    if start is not None:
        yield Span(start, end)


def _within(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for end in _END.finditer(text, block.start, block.end):
        if end["wide"] is None and not _ends(text, end, start, block.end):
            continue
        yield Span(start, end.end())
        start = end.end()
    if start < block.end:
        yield Span(start, block.end)


def _ends(text: str, end: re.Match[str], start: int, stop: int) -> bool:
    """Whether a sentence ends at the mark `end`: not after an abbreviation, and not inside a sentence."""
    rest = text[end.end() : min(end.end() + 40, stop)].lstrip(" \t\n\"'“‘«([*_")
    if rest[:1].islower():
        return False
    if end["mark"] != "." or end["closing"]:
        return True
    last = _LAST_WORD.search(text, max(start, end.start() - 30), end.start())
    word = "" if last is None else last[0]
    if rest[:1].isdigit() and _BEFORE_A_NUMBER.match(word):
        return False
    return not (_ABBREVIATIONS.match(word) or _INITIALS.match(word))
