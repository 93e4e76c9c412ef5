"""What a text shows by its form alone: its sentences, its lists, a link, a question, an apology, a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record

_LETTER = lazy(r"\w")
_BLANK = lazy(r"\n[ \t]*\n")
_END = lazy(r"(?<![.!?])[.!?]++[\"”’')\]*_]*\s+(?=[\"“‘'(*_]*[A-Z])")
_ABBREVIATED = lazy(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Art|Sec|Fig|Vol|Inc|Ltd|Co|vs|etc|approx|ca|cf|al|Jr|Sr|e\.g|i\.e|a\.m|p\.m)"
    r"|\b[A-Za-z]|(?:^|\n)\s*\d+)$"
)
"""Before a stop that ends no sentence."""
_ANY_END = lazy(r"(?<![.!?;:])[.!?;:]++(?=\s|$)|\n+")
_ITEM = lazy(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+\S.*$", re.MULTILINE)
_INLINE_ITEM = lazy(r"(?:^|\s)(?:[-*•–]|\(?\d{1,2}[.)])\s")


def count_of(unit: str, text: str) -> tuple[int, int] | None:
    """The fewest and the most words, sentences, paragraphs, characters or bullets that `text` can be said to have.

    None for a unit that the form does not show, as lines: an author may have wrapped them.
    """
    match unit:
        case "word":
            words = _words(text)
            return words, words
        case "paragraph":
            return _lettered(_BLANK.split(text)), _lettered(text.splitlines())
        case "character":
            return len(text.strip()), len(text.strip())
        case "sentence":
            return _sentences(text)
        case "bullet":
            return len(_ITEM.findall(text)), max(len(_ITEM.findall(text)), len(_INLINE_ITEM.findall(text)))
        case _:
            return None


def _words(text: str) -> int:
    return _lettered(text.split())


def _lettered(parts: Iterable[str]) -> int:
    """How many of `parts` have a letter or a digit."""
    return sum(_LETTER.search(part) is not None for part in parts)


def _sentences(text: str) -> tuple[int, int]:
    ends = [
        end for end in _END.finditer(text) if _ABBREVIATED.search(text[max(0, end.start() - 12) : end.start()]) is None
    ]
    starts = [0, *(end.end() for end in ends)]
    parts = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    fewest = sum(_words(part) > 1 for part in parts)
    most = _lettered(_ANY_END.split(text))
    return max(fewest, 1), max(most, fewest, 1)


def list_items(text: str) -> int:
    """The number of items of a text that is one list, with at most a line before and after it; 0 for other texts."""
    lines = [line for line in text.splitlines() if line.strip()]
    items = [index for index, line in enumerate(lines) if _ITEM.match(line) and not line.startswith((" ", "\t"))]
    if len(items) < 2 or items != list(range(items[0], items[-1] + 1)):
        return 0
    return len(items) if items[0] <= 1 and items[-1] >= len(lines) - 2 else 0


class Shown(Record):
    """A kind of thing that the form of a text shows: what is certainly one, and what may be one."""

    name: str
    """With its article, as in “has no NAME”."""
    certain: re.Pattern[str]
    possible: re.Pattern[str]


def _shown(name: str, certain: str, possible: str | None = None) -> Shown:
    flags = re.MULTILINE
    return Shown(name, re.compile(certain, flags), re.compile(certain if possible is None else possible, flags))


_EMOJI = "[\U0001f300-\U0001faff\u2600-\u27bf]"
_NUMERAL = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|million|half|third|[IVX]{2,})\b"
)
SHOWN: dict[str, Shown] = {
    "emoji": _shown("emoji", "[\U0001f300-\U0001faff]", f"{_EMOJI}|[:;]-?[)(DP]|:\\w+:"),
    "list": _shown("list", r"(?:^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+\S.*\n+){1,}[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+\S",
                   r"(?:^|\s)(?:[-*•–—]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]+)[.):])\s|<li|\n\s*\S|(?i:\bfirst(?:ly)?\b)"),
    "table": _shown("table", r"^[ \t]*\|[^\n]*\n[ \t]*\|[ \t:|-]+\|", r"\||\t|<t[dr]|\+--"),
    "heading": _shown("heading", r"^#{1,6} \S", r"^#|^[ \t]*\*\*|^[^\n.]{1,60}:?\s*\n|^[A-Z][^\n.]*:|<h\d"),
    "link": _shown("link", r"https?://\w|\bwww\.\w+\.\w|\[[^\]\n]{1,200}\]\([^)\s]+\)",
                   r"https?:|www\.|\w\.[a-z]{2,}\b|\]\(|<a "),
    "question": _shown("question", r"[^.!?\n]{0,40}\w[)*]{0,3}\?(?=\s|[)*_]|$)",
                       r"[?？¿؟]|please (?:tell|let|share|confirm|specify|give)"),
    "exclamation-mark": _shown("exclamation mark", r"[^.!?\n]{0,40}\w!(?=\s|$)", r"[!！]"),
    "number": _shown("number", r"(?<![\w.])\d+(?![\w)]|\.\s)", rf"\d|{_NUMERAL}|[²³½¼¾]"),
    "code-block": _shown("code block", r"^[ \t]*```", r"```|^ {4}|~~~|<code|<pre|`"),
    "hashtag": _shown("hashtag", r"(?<!\S)#[A-Za-z]\w+", r"#"),
    "bold": _shown("bold text", r"\*\*\w[^*\n]*\*\*", r"\*\*|__|<b>|<strong"),
    "email": _shown("email address", r"\b[\w.+-]{1,64}@\w[\w-]*\.[\w.]+\b", "@|\\bat\\b.*\\bdot\\b"),
    "phone": _shown(
        "telephone number",
        r"(?<![\w./-])(?:\+\d{1,3}[ -]\(?\d{1,5}\)?(?:[ -]\d{2,5}){1,4}|\(?0\d{2,4}\)?(?:[ -]\d{2,5}){1,4}"
        r"|(?:\(\d{3}\) |\d{3}-)\d{3}-\d{4}|\d{3}-\d{4})(?![\w-])",
        r"\d",
    ),
    "percentage": _shown("percentage", r"\d\s?%", r"%|per\s?cent|‰|percentage|half|third|quarter"),
    "apology": _shown(
        "apology",
        r"\b(?:I|[Ww]e)\s+(?:do\s+|sincerely\s+|deeply\s+)?apologi[sz]e\b|\b(?:[Mm]y|[Oo]ur)\s+(?:sincere\s+)?apologies\b"
        r"|\b(?:I['’]m|I am|[Ww]e['’]re|[Ww]e are)\s+(?:\w+\s+)?sorry\b"
        r"(?!\s+(?:to\s+(?:hear|learn|read)|for\s+your|(?:that\s+)?you))",
        r"(?i)sorry|apolog|regret|pardon|forgive|excuse",
    ),
    "quotation": _shown("quotation", r"[\"“]\w[^\"“”\n]{12,}[\"”]", "[\"“”„«»'‘’]|^>"),
}  # fmt: skip
"""What answers may have, by the noun that criteria use."""

_REFUSAL = lazy(
    r"^\W*(?:(?:I['’]m|I am|[Ww]e['’]re)\s+(?:\w+\s+)?sorry,?\s+(?:but\s+)?"
    r"|[Ss]orry,?\s+(?:but\s+)?|Unfortunately,?\s+|No[,.]\s+)?"
    r"(?:I|[Ww]e)(?:\s+(?:cannot|can\s+not|will\s+not|must\s+decline|decline|refuse|am\s+(?:unable|not\s+able)|am\s+not\s+going)"
    r"|\s+can['’]t|\s+won['’]t|['’]m\s+(?:unable|not\s+able|not\s+going))\s+(?:to\s+)?(?:help|assist|provide|give|do|write|create|comply"
    r"|answer|support|generate|produce|share|tell|fulfil\w*|explain|offer|discuss)\b(?!\s+but)"
)
_AFTER_ALL = lazy(r"(?i)\b(?:but|however|here|still|though|although|below|following)\b")
_NEGATIVE = lazy(
    r"(?i)n['’]?t\b|\b(?:no|not|never|cannot|unable|sorry|declin\w+|refus\w+|refrain\w*|without|instead|unfortunately|illegal|harmful"
    r"|against|rather|nor|neither|none|only|however|but|unwilling|inappropriate|unethical|consult|professional|avoid\w*|prohibit\w*"
    r"|outside|beyond|must|should|encourage\w*|apolog\w+|afraid|impossible|regret)\b"
)


def refusal_in(text: str) -> str | None:
    """The sentence in which a text refuses, at its start; None if it does not, or gives something after all."""
    found = _REFUSAL.match(text)
    if found is None or _AFTER_ALL.search(text, found.end()) is not None:
        return None
    return re.split(r"(?<=[.!?])\s", text[found.start() :].strip(), maxsplit=1)[0]


def may_refuse(text: str) -> bool:
    """Whether a text has any word with which one refuses; with none, it certainly does not."""
    return _NEGATIVE.search(text) is not None


@lru_cache(maxsize=2_000)
def shown_in(text: str, noun: str) -> str | None:
    """The words of `text` that certainly are a thing of the kind `noun`; None if there are none."""
    found = SHOWN[noun].certain.search(text)
    return None if found is None else found[0].strip()


@lru_cache(maxsize=2_000)
def certainly_lacks(text: str, noun: str) -> bool:
    """Whether nothing in `text` can be taken for a thing of the kind `noun`."""
    return SHOWN[noun].possible.search(text) is None
