"""Rules of marking and statistics in a criterion, by their grammar rather than by the name of a measure."""

from __future__ import annotations

import re

_OVER = (
    r"(?:≥|<=|>=|≤|>|<|=|of (?:at (?:least|most)|more than|less than)|at (?:least|most)|above|below|over|under"
    r"|exceed(?:s|ing)?|(?:greater|more|less|lower|higher|better|worse|fewer) than|no (?:more|less) than)"
)
_OR_MORE = r"(?: ?%| percent)? or (?:more|higher|better|above|less|lower|below|fewer)\b"
_JUDGES = r"(?:annotators?|raters?|judges?|reviewers?|evaluators?|graders?|assessors?|human experts?|markers?)"
_SAMPLES = (
    r"(?:responses|answers|runs|outputs|trials|samples|generations|completions|attempts|repetitions|seeds|items|cases)"
)
QUALITY = (
    r"(?:accuracy|clarity|empathy|politeness|tone|style|completeness|conciseness|coherence|fluency|helpfulness|relevance"
    r"|readability|creativity|correctness|usefulness|friendliness|formality|safety|toxicity|sentiment|similarity|quality"
    r"|originality|kindness|warmth|depth|structure|grammar|faithfulness|groundedness|confidence|humou?r)"
)
"""What is rated, and not counted."""
_COUNT = r"(?:an?|one|two|three|half an?|\d{1,3}(?:\.\d+)?|full|half|partial|no|zero|extra|top|maximum)"
_MARKS = r"(?:points?|marks?|credits?|pts?)"
_START = r"^\W*(?:the |an? |should |must )?"
_JUDGED = r"(?:agree[sd]?|rated|scored|ranked|preferred|judged|labell?ed|agreement)"
_COMPUTED = (
    r"(?:score|rating|index|grade level|reading ease|distance|divergence|ratio|percentile|perplexity|similarity|NPS"
    r"|loss|entropy|F1|recall|precision|likelihood|probability)"
)
_TO_MARKERS = (
    rf"(?:minus|plus|[-–+] ?\d) ?{_COUNT}? ?{_MARKS} (?:for|if|when|per)\b",
    rf"(?:los(?:es?|ing)|gains?|earns?|gets?|scores?|receives?) {_COUNT} {_MARKS} (?:for|if|when|per|each)\b",
    rf"{_COUNT} {_MARKS} (?:only )?(?:for|if|when|unless|only|per|off|each)\b",
    r"(?:minus|plus) (?:one|two|half|\d) (?:if|for|when)\b",
    r"(?:final )?(?:score|grade|mark|rating|result) (?:is|should be|must be|equals|drops|falls|=) (?:to |an? )?"
    r"(?:\d|zero|one|full|half|halved|[A-F]\b)",
    r"(?:counts?|weighs?|is worth) (?:double|twice|half|triple)\b",
    r"weight(?:ed|ing)? ?[:=]? ?(?:x ?)?\d",
    r"(?:pass|fail)(?:es|s)? (?:if|when|unless|only if|only when)\b",
    r"(?:automatic|instant) (?:fail|zero|pass)\b",
    rf"(?:give|award|assign|deduct|subtract|take|add|grant|allow)s? (?:up to )?(?:\d{{1,3}}|half|full|partial|no)"
    rf"(?: {_MARKS}| (?:if|for|when))\b",
    rf"{_COUNT} {_MARKS} ?[:–—]",
    r"binary\b",
    rf"(?:max(?:imum)?|up to|out of)\.? \d{{1,3}} {_MARKS}\b",
    r"grade ?[:=] ?(?:at least )?[A-F][+-]?(?: |$)",
    rf"{_JUDGES} (?:should|must|will|may|is to|has to|gives?|awards?|assigns?|deducts?)\b[^.;]{{0,50}}\d",
    r"on average\b",
    r"(?:mean|average|median|aggregate|overall) (?:[\w-]+ )?"
    r"(?:rating|score|latency|length|time|agreement|accuracy|quality)\b[^.;]{0,40}\d",
    r"p(?:-value)? ?[<>=≤] ?0?\.\d",
    r"(?:passes|succeeds|fails|holds) in (?:at least )?\d+ ?(?:%|(?:out )?of)",
    rf"(?:level of |degree of |overall )?{QUALITY}\b(?: (?:and|&) {QUALITY})?(?: (?:of|in) [^.;:(]{{1,40}})? ?"
    rf"(?:[:=(\[–-]|is|should be|must be| ) ?(?:{_OVER} ?)?\d{{1,3}}(?:\.\d+)? ?(?:[-–/]|to|out of) ?\d{{1,3}}\b",
)
"""At the beginning of a text: rules for a marker, and statistics."""
_ANYWHERE = (
    rf"\b(?:los(?:es?|ing)|costs?|deducts?|forfeits?) (?:an?|one|two|half a|\d{{1,2}}) {_MARKS} ?"
    r"(?:\W*$|(?:each|per|for|if)\b)",
    r"\bstrongly (?:dis)?agree\b",
    r"\bpass(?:ing)?[ -](?:mark|grade|score)\b",
    r"\( ?\d{1,3} ?% of the (?:score|grade|mark|points)\)\W*$",
    rf"\b\d+(?: ?%| percent| ?(?:out of|of|in|/) ?(?:the )?\d+) (?:of )?(?:all |the |human )*"
    rf"(?:{_SAMPLES}|{_JUDGES})\b",
    rf"\b{_JUDGED}\b[^.;]{{0,40}}\b(?:by|among|between|of|with) (?:[\w-]+ ){{0,3}}{_JUDGES}\b",
    rf"\b{_JUDGES} (?:agree|rate|prefer|score)\b",
    rf"\brate ?(?:[:=]|is|of|should be|must be|stays|remains)? ?{_OVER}? ?\d{{1,3}}(?:\.\d+)? ?%",
    rf"\b{_COMPUTED}\b[^.;,]{{0,40}}?(?:{_OVER} ?0?\.?\d|\bof 0?\.?\d+(?:\.\d+)?{_OR_MORE})",
    r"\bp\d{2} latency\b",
    r"\b\d+ (?:out of \d+ )?on an? [\w-]+ scale\b",
)
MARKING = re.compile(f"{_START}(?:{'|'.join(_TO_MARKERS)})|{'|'.join(_ANYWHERE)}", re.IGNORECASE)
"""What is a rule for a marker, or is computed from many answers."""
