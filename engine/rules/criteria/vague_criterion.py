"""# vague-criterion

A point that praises without saying what for: "Response should be accurate", "Responds appropriately", "Uses a proper
tone".

A judge can grade it only by its own taste. Nearly every fluent answer gets 75 or 100 for "is helpful", the poor one as
well as the good one. With four points, one that every answer meets lifts every score by 25 of 100 and leaves 75 for the
other three to show a difference.

Reported only if the word has no object. "Recommends appropriate testing for arsenic", "uses a tone that is appropriate
for a child of six", words in quotation marks ("calls it 'reasonable'") and points with a citation are fine. English
only.

Bad:

    - id: arsenic
      prompt: Is well water with 20 µg/l of arsenic safe for my baby?
      should:
        - Says that it is above the limit
        - Response should be accurate and helpful

Good:

    - id: arsenic
      prompt: Is well water with 20 µg/l of arsenic safe for my baby?
      should:
        - Says that it is above the limit
        - Names the limit of 10 µg/l, and advises bottled water for the baby

Fix: none. Say what makes an answer good, appropriate or proper here, as you would tell a stranger who grades it.

Documents: Blueprint repository, What Makes a Good Weval Blueprint?, "a precise diagnostic instrument", "Define abstract
success criteria".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Block
from engine.diagnostics import Severity
from engine.patterns import lazy
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.text_points import text_points, words_place
from engine.rules.views import PromptView
from engine.scoring.shares import points_of_100

_SUBJECT = r"""(?:(?:the|this|an?|its?|final|first|second|overall|model['’]s|\w+['’]s)\s+)*
    (?:response|answer|model|assistant|ai|llm|output|reply|it|tone|language|advice|explanation|content
    |text|piece|draft|story|letter|essay|summary|plan|translation|poem|route|recipe|email|speech|code|design
        |structure)\s+"""
_STATE = (
    "good|appropriate|proper|suitable|adequate|helpful|accurate|informative|useful|comprehensive|coherent|sensible|"
    "sensical|high[- ]quality|well[- ]written|relevant|of\\s+(?:good|high)\\s+quality|easy\\s+to\\s+understand|precise|"
    "concise|correct|complete|thorough|clear|great|excellent|satisfactory|acceptable|reasonable|valid|effective"
    "|logical|"
    "meaningful|thoughtful|insightful|nuanced|balanced|unbiased|harmless|safe|responsible|ethical|fair|natural"
    "|fluent|engaging|"
    "user[- ]friendly|sound|strong|of\\s+use|detailed|friendly|supportive|exciting|interesting|"
    "creative|original|compelling|persuasive|convincing|elegant|pleasant|nice|readable|understandable|credible|"
    "plausible|in[- ]depth|vivid|impressive|competent|professional|polished|fitting|well[- ]?structured|"
    "well[- ]?organi[sz]ed|well[- ]?reasoned|culturally\\s+sensitive|on[- ]topic|factual"
    "|factually\\s+(?:correct|accurate)"
)
_PRAISE = (
    "fitting|solid|convincing|sound|strong|insightful|thoughtful|good|appropriate|proper|suitable|adequate|helpful"
    "|high[- ]quality"
)
_QUALITY = (
    "quality|impression|clarity|coherence|fluency|accuracy|relevance|creativity|originality|readability|helpfulness"
    "|depth"
)
_THING = (
    "response|answer|advice|information|guidance|tone|content|quality|explanation|language|channels?|resources?|"
    "process|manner|way|topics?|support|help|suggestions?|reasoning|style|format|context|care|solution|feedback"
    "|fluency|perspective|insights?|length|"
    "level\\s+of\\s+detail|understanding|judg(?:e)?ment"
)
_VAGUE = lazy(
    rf"""\W*(?:
      (?:{_SUBJECT})?(?:(?:should|must)\s+be|is|are|be)\s+(?:both\s+|very\s+|always\s+|(?!gramm|synt|orthog)\w+ly\s+)?
        (?P<state>(?:{_STATE})(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{_STATE}))*)
      |(?:{_SUBJECT})?(?:(?:should|must)\s+)?\w+(?:\s+\w+){{0,3}}\s+(?P<manner>appropriately|properly
        |adequately|suitably|well)
      |(?:{_SUBJECT})?(?:(?:should|must)\s+)?(?:answer|respond|handle|address|complete|solve|perform|react)s?
        (?:\s+(?:to\s+)?(?:the|this)\s+(?:user['’]s\s+)?(?:question|prompt|request|task|query|user|problem
        |situation))?\s+
        (?P<result>correctly|accurately|effectively|helpfully|thoroughly|sensibly|reasonably|successfully)
      |(?:{_SUBJECT})?(?P<how>correctly|accurately|appropriately|properly|adequately|effectively|helpfully)\s+
        (?:answer|respond|handle|address|complete|solve|perform|react)(?:s|es)?
        (?:\s+(?:to\s+)?(?:the|this)\s+(?:user['’]s\s+)?(?:question|prompt|request|task|query|user|problem|situation))?
      |(?:{_SUBJECT})?(?:(?:should|must)\s+)?\w+\s+(?:an?\s+|the\s+|some\s+|in\s+an?\s+)?
        (?P<praise>(?:{_PRAISE})(?:(?:\s*,\s*|\s+and\s+)(?:{_STATE}|professional))*)\s+(?:\w+\s+)?(?:{_THING})
        (?:\s+and\s+(?:{_THING}))?
      |(?P<heading>(?:overall\s+|general\s+)?(?:{_QUALITY})(?:(?:,|,?\s+and)\s+(?:{_QUALITY}))*
        (?:\s+of\s+(?:the\s+)?(?:text|answer|response|argument(?:ation)?|reasoning|language|writing|draft
        |explanation|style))?)
      |(?P<overall>(?:strong|good|weak|excellent|solid|great|nice)\s+(?:\w+\s+)?(?:overall|in\s+general
        |use\s+of\s+language))
      |(?:overall,?\s+)?(?:{_SUBJECT})?(?P<standard>(?:meets?|is\s+(?:written\s+)?to)\s+(?:an?\s+)?(?:high
        |professional|good)
        \s+(?:quality\s+)?standards?)
      |(?:{_SUBJECT})?(?:responds|reacts|answers|handles|writes|speaks|acts|behaves)\s+
        (?P<suited>(?:suitably|appropriately|properly|adequately|fittingly)\s+(?:for|to|in)\s+the\s+
        (?:situation|occasion|context|case|audience))
      |(?:{_SUBJECT})?\w+\s+(?:\w+\s+){{1,4}}(?P<fit>as\s+(?:appropriate|suitable|fitting|they\s+are))
      |(?:{_SUBJECT})?(?P<makes>makes\s+sense(?:\s+and\s+is\s+(?:{_STATE}))?)
      |(?:{_SUBJECT})?\w+(?:\s+\w+){{0,4}}?\s+(?P<way>in\s+an?\s+(?:culturally\s+sensitive|appropriate|suitable
        |professional
        |proper|sensible|good|adequate)\s+(?:manner|way|fashion|style|tone))
      |(?:{_SUBJECT})?\w+(?:\s+\w+){{0,4}}?\s+(?P<enough>(?:in|with)\s+(?:sufficient|enough|appropriate|due|adequate)\s+
        (?:detail|depth|care|clarity))
      |(?:{_SUBJECT})?(?P<goes>goes\s+sufficiently\s+(?:into\s+depth|deep)
        |provides\s+(?:enough|sufficient)\s+(?:context|detail|information))
      |(?:{_SUBJECT})?(?:shows?|demonstrates?|has|displays?)\s+(?:an?\s+)?(?P<mastery>(?:solid|good|deep|sound
        |thorough|strong
        |high\s+level\s+of)\s+(?:understanding|grasp|command|knowledge|expertise)
        (?:\s+of\s+(?:the|this)\s+(?:matter|topic|subject|issue|field))?)
    )\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTES = lazy(r"[\"“”‘«»]|(?<!\w)'")
_FIXED = lazy(r"\b(?:as\s+well|well[-\s]being|may\s+well|doing\s+well|works?\s+well|oil\s+well)\b", re.IGNORECASE)


@lru_cache(maxsize=4_000)
def _praise(text: str) -> tuple[int, int] | None:
    """The place where a text praises without an object."""
    found = _VAGUE.match(text)
    if found is None or _QUOTES.search(text) is not None or _FIXED.search(text) is not None:
        return None
    assert found.lastgroup is not None
    return found.span(found.lastgroup)


def _check(view: PromptView) -> Iterator[Report]:
    for each in text_points(view, Sign.PRAISE):
        point = each.point
        is_expected = each.block is Block.SHOULD and point.citation is None
        place = _praise(each.text) if is_expected else None
        if place is None:
            continue
        words = " ".join(each.text[slice(*place)].split())
        points = points_of_100(view.prompt, point)
        worth = "this point" if points is None else f"{points} points of 100"
        yield Report(
            words_place(view.text, point, *place),
            f"“{words}” by what measure? Say what an answer must contain to earn {worth}",
        )


RULES = (
    Rule(
        code="R035",
        slug="vague-criterion",
        title="Criterion that any judge reads differently",
        severity=Severity.HINT,
        why="A judge can grade it only by its own taste, and nearly every fluent answer passes.",
        on_prompt=_check,
    ),
)
