"""Levels of a scale (“Score 3: …”, “Excellent: …”), and measures: what is computed from answers, not seen in one."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.marking import MARKING
from engine.rules.language.words import word_set

_NUMBERED = lazy(
    r"""\W*(?P<label>(?:score|level|rating|grade|band|stufe|niveau|nivel|puntuación|livello|punteggio|poziom|уровень
        |оценка|等级|评分|分数|レベル)\s*(?:of\s+)?(?:\d{1,3}(?:\.\d+)?|(?-i:[A-F]\b)[+-]?|one|two|three|four|five|zero)
      |\d{1,3}(?:\s*[-–]\s*\d{1,3})?\s*(?:points?|stars?|marks?|pts?)\b|\d{1,3}\s*%|\d{1,2}\s*/\s*\d{1,2})
    \s*(?:\([^)]*\)\s*)?[:：=–—-]\s*\S
    |\W*(?P<equals>\d{1,2})(?=\s*=\s*[a-z])
    |\W*(?P<fraction>\d{1,3}/(?:3|5|10|100)(?!\d))\s+[a-z]""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDED = lazy(
    r"""\W*(?P<label>(?P<word>[a-z]+(?:[ -](?!if\b)[a-z]+){0,2}?)\s*(?:\((?P<number>[^)]*)\)\s*)?)[:：=–—](?:\s|$)|
    \W*(?P<dashed>(?P<only>[a-z]+(?:\s[a-z]+)?))\s+-\s""",
    re.IGNORECASE | re.VERBOSE,
)
_GRADES = (
    word_set(
        """excellent outstanding exemplary superior good very-good proficient competent satisfactory adequate average
        fair mediocre limited developing emerging beginning poor bad very-poor unsatisfactory inadequate failing
        perfect great ok okay weak strong needs-improvement insufficient sufficient advanced basic novice expert
        terrible partial complete incomplete"""
    ),
    word_set(
    """full-credit partial-credit no-credit half-credit full-marks half-marks no-marks partial-marks zero-credit"""
),
    word_set("pass fail borderline partial-pass passes fails"),
    word_set(
    """best better worse worst middle acceptable unacceptable ideal-response acceptable-response poor-response"""
),
    word_set(
        "exceeds-expectations meets-expectations below-expectations exceeds meets approaching below above"
    ),
    word_set("high medium low moderate none very-high very-low highest lowest"),
    word_set(
        """fully-met partially-met not-met met mostly-met unmet partly-met fully-correct partially-correct incorrect
        correct"""
    ),
    word_set("never rarely sometimes often always"),
    word_set("green amber yellow orange red"),
    word_set("strongly-agree agree neutral disagree strongly-disagree"),
)  # fmt: skip
"""The labels of scales, one scale each, with `-` for a blank."""
FIRST_WORDS = frozenset(label.split("-")[0] for labels in _GRADES for label in labels)
"""The words with which a label of a scale begins."""
_MOST = 60


@lru_cache(maxsize=4_000)
def level_of(text: str) -> tuple[int, int] | None:
    """Start and end of the numbered label of a level; None if the text does not begin with one."""
    found = _NUMBERED.match(text)
    return None if found is None else found.span(found.lastgroup or "label")


@lru_cache(maxsize=4_000)
def grade_of(text: str) -> tuple[int, int, int] | None:
    """Start and end of a label such as “Excellent” or “No credit”, and the number of its scale; None without one."""
    found = _WORDED.match(text[:_MOST])
    if found is None:
        return None
    label = "only" if found["only"] is not None else "word"
    word = "-".join(found[label].lower().split())
    scale = next((number for number, words in enumerate(_GRADES) if word in words), None)
    return None if scale is None else (*found.span(label), scale)


_NOT_ALWAYS_LEVELS = frozenset({3, 5, 8})
"""The scales whose labels may label something else: best, high, green. `levels.py` reads them beside each other."""


def is_evaluative(scale: int) -> bool:
    """Whether the labels of a scale, by its number, can hardly label anything but levels."""
    return scale not in _NOT_ALWAYS_LEVELS


class Measure(Record):
    """A measure in a criterion, `text[start:end]`; `marks` says that it gives a number of marks for a criterion.

    With `may_be_asked`, it is what an answer gives where the prompt asks for a rating.
    """

    start: int
    end: int
    marks: bool = False
    may_be_asked: bool = False


_METRICS = (
    r"(?:F1|F-?score|ROUGE(?:-\w+)?|BLEU|METEOR|BERTScore|accuracy|precision|recall|AUC|AUROC|perplexity|WER|CER|exact\s+match"
    r"|EM|pass@\w+|ASR|attack\s+success\s+rate|refusal\s+rate|win\s+rate|hit\s+rate|error\s+rate|hallucination\s+rate|MRR"
    r"|nDCG|cosine|similarity|semantic\s+similarity|toxicity|perplexity|readability|Flesch(?:[-\s]Kincaid)?|kappa|MSE|RMSE"
    r"|MAE|R2|correlation|confidence|coverage|faithfulness|groundedness|relevance|helpfulness|fluency|coherence|clarity)"
)
_THRESHOLD = (
    r"(?:≥|<=|>=|≤|>|<|=|of\s+at\s+least|at\s+least|above|below|over|under|exceeds?|exceeding|greater\s+than|more\s+than"
    r"|less\s+than)"
)
_MEASURE = lazy(
    rf"""(?P<rule>(?<![\d.,])[01](?:\.\d+)?\s+(?:points?\s+)?(?:if|when|otherwise)\b
      |(?<![\d.,])(?:full|half|partial|one|two|\d)\s+(?:points?|marks?|credit)\s+(?:if|when|for)\b)
    |(?P<award>^\W*(?:award|deduct|add|subtract)s?\s+(?:an?|one|half\s+a|\d)\s+(?:points?|marks?)\b
      |^\W*half\s+a\s+(?:point|mark)\s+for\b|^\W*\+\s?\d+(?:\.\d+)?\s+(?:points?\s+)?(?:for|if)\b
      |\bfull\s+marks\s+(?:if|for)\b|\brated\s+\d+\s+or\s+(?:higher|above|more)\b)
    |(?P<credit>^\W*(?:please\s+)?(?:(?:do\s+not\s+|don['’]t\s+)?penali[sz]e|award\s+(?:full\s+|half\s+|partial\s+|no\s+)?(?:credit|points|marks)
        |deduct\s+(?:points|marks|credit)|subtract\s+(?:an?|one|half\s+a|\d)\s+(?:points?\s+|marks?\s+)?for
        |gives?\s+(?:full|half|partial|no|zero)\s+(?:credit|marks|points)
        |(?:no|half|full|partial|zero|extra)\s+(?:credit|marks|points?)\s+(?:without|for|if|when|unless)
        |loses?\s+(?:an?|one|half\s+a|\d)\s+(?:points?|marks?)\s+(?:for|if|when))\b)
    |(?P<worth>\b(?:up\s+to|worth)\s+\d+\s+(?:points?|marks?)\b|=\s*\d+\s+(?:points?|marks?)\b
      |\b\d\s*=\s*(?:not\s+|fully\s+|un)?met\b|\blikert\b
      |\b\d{{1,2}}/10\b(?:\s+or\s+(?:better|higher|more|above))\W*$
      |\bat\s+least\s+\d+\s*%\s+(?:accuracy|precision|recall|agreement)\b|\b(?:accuracy|precision|recall)\s*:\s*\d)
    |(?P<rated>\((?:rating|score|grade|level)\s*(?:of|:|=)?\s*[<>≤≥]?\s*\d+(?:\s*/\s*\d+)?\))
    |(?P<likert>\b\d\s*[=:–-]\s*(?:strongly|not\s+at\s+all|very|completely|poor|worst|lowest|never)\b[^()]{{0,60}}\d\s*[=:–-])
    |(?P<scale>\b(?:on|using)\s+a\s+(?:\d+\s*(?:-|–|to)\s*\d+\s+|\d+[-\s]?point\s+|likert\s+)?scale\b(?:\s+(?:of|from)\s+\d+)?)
    |(?P<rate>^\W*(?:the\s+judge\s+)?(?:please\s+)?(?:rates?|scores?|grades?|assigns?|gives?\s+a\s+(?:score|rating))\b
      [^.;]{{0,60}}?\b(?:from\s+\d|\d+\s*(?:-|–|to)\s*\d+|out\s+of\s+\d+|/\s*\d+))
    |(?P<computed>\b(?-i:[Rr]ecall@\d+|[Pp]recision@\d+|alpha|agreement|latency|[Rr]esponse\s+time|F1|ROUGE|BLEU|METEOR|AUC|AUROC|WER|CER|MRR|nDCG|kappa|Kappa|BERTScore|RMSE|MSE)\b[^.;,]{{0,40}}?
      {_THRESHOLD}\s*\d+(?:\.\d+)?)
    |(?P<run>\b\d+\s+tokens\s+per\s+second\b|\b(?:cosine|semantic)\s+similarity\s+(?:of|above|over|≥|>)\s*\d
      |\bflesch\b[^.;]{{0,30}}\d|\breading\s+(?:level|age|grade)\s+(?:of\s+)?(?:grade\s+)?\d
      |\bin\s+(?:at\s+least\s+)?\d+\s*(?:of|out\s+of|/)\s*\d+\s+(?:runs|trials|attempts|samples|generations|tries)\b
      |\b(?:across|over|in)\s+(?:all\s+)?\d+\s+(?:runs|trials|samples|generations)\b
      |\bin\s+(?:at\s+least\s+)?\d+\s*%\s+of\s+(?:the\s+)?(?:runs|trials|samples|generations)\b
      |^\W*(?:pass|success|refusal|failure)\s+rate\s+{_THRESHOLD}\s*\d
      |^\W*(?:latency\s+(?:of\s+)?|(?:answers?|responds?|replies)\s+(?:with)?in\s+)(?:under\s+|below\s+|less\s+than\s+)?\d+\s+(?:ms|milliseconds|seconds)\b
      |^\W*costs?\s+(?:less|fewer)\s+than\s+\d+\s+(?:cents?|tokens?)\W*$|\b\d\s+(?:of|out\s+of)\s+5\s+stars\b
      |^\W*(?:bleu|rouge|meteor|bertscore)\s+of\s+\d|^\W*mean\s+(?:rating|score)\s+of\s+\d|\bscores?\s+in\s+the\s+top\s+\d)
    |(?P<metric>\b(?i:{_METRICS})(?:\s+(?:score|rate|value|is|of|should\s+be|must\s+be))*\s*{_THRESHOLD}\s*\d+(?:\.\d+)?)
    |(?P<of>\bscores?\s+(?:{_THRESHOLD}\s*)?\d+(?:\.\d+)?\s*(?:/|out\s+of)\s*\d+\s+(?:or\s+(?:higher|above|more)\s+)?(?:on|for|in)\b)
    |(?P<marks>[(\[]\s*\+?\d{{1,3}}(?:\.\d+)?\s*(?:points?|pts?|marks?)\s*[)\]]\s*\.?\s*$)""",
    re.IGNORECASE | re.VERBOSE,
)
_CONTENT = lazy(
    r"\W*(?:the\s+\w+\s+)?(?:should\s+|must\s+)?(?:states?|explains?|mentions?|says?|notes?|names?|reports?|calculates?|cites?"
    r"|gives?|lists?|defines?|describes?|identif(?:y|ies)|concludes?|indicates?|computes?|recommends?|advises?|tells?)\b",
    re.IGNORECASE,
)


_RULES = frozenset({"rated", "marks", "likert", "rule", "worth", "award", "credit"})
"""Rules of marking, which are no content of an answer whatever stands before them."""


@lru_cache(maxsize=4_000)
def measure_in(text: str) -> Measure | None:
    """A measure or a rule of marking in a criterion; None if there is none, or if it is what the answer states."""
    found = _MEASURE.search(text[:600])
    if found is None:
        marking = MARKING.search(text[:600]) if _CONTENT.match(text) is None else None
        return None if marking is None else Measure(*marking.span(), may_be_asked=True)
    if found.lastgroup not in _RULES and _CONTENT.match(text):
        return None
    if found.lastgroup == "rule" and _CONTENT.match(text) and found.start() < 60 and ":" not in text[: found.start()]:
        return None
    return Measure(*found.span(), found.lastgroup == "marks")
