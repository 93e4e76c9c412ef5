"""Rules of marking and statistics in a criterion, by their grammar rather than by the name of a measure."""

from __future__ import annotations

import re

from engine.patterns import lazy

_OVER = (
    r"(?:≥|<=|>=|≤|>|<|=|of (?:at (?:least|most)|more than|less than)|at (?:least|most)|above|below|over|under"
    r"|exceed(?:s|ing)?|(?:greater|more|less|lower|higher|better|worse|fewer) than|no (?:more|less) than)"
)
_OR_MORE = r"(?: ?%| percent)? or (?:more|higher|better|above|less|lower|below|fewer)\b"
_JUDGES = r"(?:annotators?|raters?|evaluators?|graders?|assessors?|human (?:judges?|experts?|reviewers?))"
_RUNS = r"(?:responses|runs|outputs|generations|completions|repetitions|seeds)"
QUALITY = (
    r"(?:accuracy|clarity|empathy|politeness|tone|style|completeness|conciseness|coherence|fluency|helpfulness|relevance"
    r"|readability|creativity|correctness|usefulness|friendliness|formality|safety|toxicity|sentiment|similarity|quality"
    r"|originality|kindness|warmth|depth|structure|grammar|faithfulness|groundedness|confidence|humou?r)"
)
"""What is rated, and not counted."""
_COUNT = r"(?:an?|\d{1,3}(?:\.\d+)?|full|half|half an?|partial|no|zero|extra|top|maximum)"
_MARKS = r"(?:points?|marks?|credits?|pts?)"
_START = r"^\W*(?:the |an? |should |must )?"
_JUDGED = r"(?:agree[sd]?|rated|scored|ranked|preferred|judged|labell?ed|agreement)"
_RATES = (
    r"(?:false (?:positive|negative)|pass|failure|success|refusal|hallucination|win|hit|error|compliance|jailbreak)"
)
_TO_MARKERS = (
    rf"(?:minus|plus|[-–+] ?\d) ?{_COUNT}? ?{_MARKS} (?:for|if|when|per)\b",
    rf"(?:los(?:es?|ing)|gains?|earns?|gets?|scores?|receives?) {_COUNT} {_MARKS} (?:for|if|when|per|each)\b",
    rf"{_COUNT} {_MARKS} (?:only )?(?:for|if|when|unless|only|per|off|each)\b",
    r"(?:minus|plus) (?:one|two|half|\d) (?:point |mark )?(?:if|for|when)\b",
    r"(?:final )?(?:score|grade|mark|rating) (?:is|should be|must be|equals|drops to|falls to|=) "
    r"(?:\d|zero|one|full|half|[A-F])\b[^.;]{0,20} (?:if|when|otherwise|unless)\b",
    r"(?:counts?|weighs?|is worth) (?:double|twice|half|triple)\b",
    r"weight(?:ed|ing)? ?[:=] ?(?:x ?)?\d+(?:\.\d+)?(?: ?[.,;)%]|$)",
    r"(?:pass|fail) (?:if|when|unless|only if|only when)\b",
    r"(?:passes|fails) (?:only )?(?:if|when|unless) (?:it|the (?:answer|response|model|reply))\b",
    r"(?:automatic|instant) (?:fail|zero|pass)\b",
    rf"(?:give|award|assign|deduct|subtract|grant)s? (?:up to )?(?:\d{{1,3}}|half|full|partial|no)(?: {_MARKS}| if)\b",
    rf"{_COUNT} {_MARKS} ?[:–—]",
    r"binary ?[:(=]",
    rf"(?:max(?:imum)?|up to|out of)\.? \d{{1,3}} {_MARKS}\b",
    r"grade ?[:=] ?(?:at least )?[A-F][+-]?(?: |$)",
    rf"(?:judge|marker|grader|rater)s? (?:should|must|may|gives?|awards?|assigns?|deducts?)\b[^.;]{{0,30}}\d ?{_MARKS}",
    r"on average,? (?:fewer|less|more|at (?:least|most))\b[^.;]{0,40} per (?:answer|response|reply|run)\b",
    rf"(?:mean|average|median|aggregate|overall) (?:[\w-]+ )?(?:rating|score|latency|agreement|accuracy) {_OVER} ?\d",
    r"p(?:-value)? ?[<>=≤] ?0?\.\d",
    rf"(?:passes|succeeds|fails|holds) in (?:at least )?\d+ ?(?:%|(?:out )?of (?:\d+ )?){_RUNS}?",
    rf"(?:level of |degree of |overall )?{QUALITY}\b(?: (?:and|&) {QUALITY})?(?: (?:of|in) [^.;:(]{{1,40}})? ?"
    rf"(?:[:=(\[–-]|is|should be|must be| ) ?(?:{_OVER} ?)?"
    r"(?:[01] ?(?:[-–]|to) ?(?:3|4|5|6|7|10|100)|\d{1,3} ?(?:/|out of) ?(?:3|4|5|6|7|10|20|100))\b",
    rf"(?:{QUALITY} )?(?:score|rating) {_OVER} ?\d",
    rf"(?:flesch|readability|perplexity|NPS|(?:cosine |semantic )?similarity)\b[^.;,]{{0,40}}?"
    rf"(?:{_OVER} ?\d|\d{_OR_MORE})",
)
"""At the beginning of a text: rules for a marker, and statistics."""
_ANYWHERE = (
    rf"^\W*(?:each|every|any)\b[^.;]{{1,40}}\b(?:loses|costs|deducts|forfeits) "
    rf"(?:an?|one|two|half a|\d{{1,2}}) {_MARKS}\b",
    r"\bstrongly disagree\b.{1,40}\bstrongly agree\b|\bstrongly agree\b.{1,40}\bstrongly disagree\b",
    r"\b(?:reach|achieve|get|meet|pas)e?s?s? (?:the|a) pass(?:ing)?[ -](?:mark|grade|score)\b",
    r"\( ?\d{1,3} ?% of the (?:score|grade|mark|points)\)\W*$",
    rf"\b\d+(?: ?%| percent| ?(?:out of|of|in|/) ?(?:the )?\d+) (?:of )?(?:all |the |human )*(?:{_RUNS}|{_JUDGES})\b",
    rf"\b{_JUDGED}\b[^.;]{{0,40}}\b(?:by|among|between|of|with) (?:[\w-]+ ){{0,3}}{_JUDGES}\b",
    rf"\b{_JUDGES} (?:agree|rate|prefer|score)\b",
    rf"\b{_RATES} rate ?(?:[:=]|{_OVER}) ?\d{{1,3}}(?:\.\d+)? ?%",
    r"\bp\d{2} latency\b",
    r"\bat least \d+ (?:out of \d+ )?on an? [\w-]+ scale\b",
)
MARKING = lazy(f"{_START}(?:{'|'.join(_TO_MARKERS)})|{'|'.join(_ANYWHERE)}", re.IGNORECASE)
"""What is a rule for a marker, or is computed from many answers."""
