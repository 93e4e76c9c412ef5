"""A quick filter for rules about wording: the signs in a text that a rule may want to examine.

A blueprint may contain thousands of texts, and rules on the whole file see all of them at every keystroke. So the signs
of a text are cached, and the patterns of a rule run only on the few texts with its sign. Most of the words are English:
a text in another language has few signs and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from engine.blueprint import Block, Point, Prompt
from engine.record import Record
from engine.rules.language.levels import LEVEL_WORDS
from engine.rules.language.marking import QUALITY
from engine.rules.language.moments import may_be_stale
from engine.rules.language.scales import FIRST_WORDS
from engine.rules.views import FileView, PromptView
from engine.text import Span

_CACHE_SIZE = 50_000


class Sign(StrEnum):
    """A feature of a text that a rule may want to examine."""

    NEGATION = "negation"
    PERMISSION = "permission"
    CONDITION = "condition"
    QUESTION = "question"
    LEVEL = "level"
    MODEL_ANSWER = "model answer"
    PRAISE = "praise"
    MEASURE = "measure"
    MOMENT = "moment"


_WORDS = {
    Sign.NEGATION: """not no never avoid avoids avoiding avoided refrain refrains abstain abstains cannot lacks
    free devoid don't don’t dont doesn't doesn’t shouldn't shouldn’t mustn't mustn’t won't won’t
    can't can’t isn't isn’t aren't aren’t without nothing zero neither none error-free
    error-free. bias-free absence steer steers clear away omits excludes excluded excluded. leave keep
    absent absent. avoided. withholds forbidden prohibited leaves lack freedom nowhere hardly
    scarcely declines decline refuses refuse flawless flawless. faultless faultless.
    unobjectionable unobjectionable. unproblematic unproblematic. inoffensive. impeccable
    impeccable. nor rather avoidance keeps omitted omitted. holds withheld withheld.
    void seldom rarely barely avoided prevents nobody silent unmentioned unmentioned. unnamed
    unnamed. lacking lacking. missing missing. prevented removed kept non-judgmental
    fewer hasn't haven't forgotten stays excluding omit omitting exclude
    resists kept anonymous anonymous.""",
    Sign.PERMISSION: """may might could optionally optionally, optional optional: (optional (optional: (optional)
    ideally ideally, preferably preferably, bonus bonus: (bonus (bonus: (bonus) can acceptable
    fine okay ok permissible allowed permitted welcome possible, nice nice-to-have nice-to-have:
    extra need needn't needn’t have welcome, desirable desirable. desirable: recommended recommended. tolerated
    tolerated. appreciated appreciated. preferable voluntary compulsory compulsory. expected expected. (not penalty
    discretion discretion. space room length hurt free fits likes (no necessary, must) missing)
    room, space, length, time, permits, allows,
    required would plus mandatory free perhaps possibly maybe
    optional. welcome. permitted. allowed. wish. wish possible possible. up needed. wants""",
    Sign.MODEL_ANSWER: """sample sample. examiner's examiner’s expert expert. expert's expert’s expert-written author
    author's author’s teacher's teacher’s annotator's above above. attached enclosed supplied uploaded linked baseline
    previous earlier older last gpt-4's stored human-written target label. our my marking grading key. reference. cf.
    other model model. example""",
    Sign.LEVEL: """score level rating grade stufe niveau nivel puntuación livello punteggio poziom уровень оценка points
    points: point: stars stars: star: band credit: marks:""",
    Sign.CONDITION: """if when whenever unless where provided assuming case event once""",
    Sign.PRAISE: """good good. appropriate appropriate. appropriately appropriately. proper properly properly.
    accurate accurate. helpful helpful. quality quality. suitable suitably adequate adequately
    well well. informative informative. comprehensive comprehensive. coherent coherent. sensible
    sensible. useful useful. concise concise. correct correct. correctly correctly. complete
    complete. thorough thorough. clear clear. relevant relevant. accurately accurately.
    effective effective. effectively effectively. great excellent satisfactory acceptable
    reasonable valid unbiased unbiased. harmless harmless. safe safe. balanced balanced. nuanced
    nuanced. insightful insightful. engaging natural fluent meaningful detailed detailed.
    responsible ethical ethical. fair fair. honest honest. professional helpfully helpfully.
    thoroughly thoroughly. sensibly reasonably successfully successfully. strong sound
    reasonable. suitable. adequate. responsible. professional. thoughtful. nuanced fitting. valid. sound. friendly.
    friendly supportive supportive. exciting exciting. interesting interesting. creative original original.
    compelling compelling. persuasive persuasive. convincing convincing. impressive impressive. nice structured
    structured. well-structured well-structured. fitting solid culturally sufficiently sufficient enough due clarity
    fluency coherence overall overall. depth readable readable. vivid vivid. are. expertise readability
    thoughtful user-friendly user-friendly. sense standards standards. impression high
    well-written""",
}
"""Words, in lower case, that are a sign near the start of a text."""

_SIGNS: dict[str, frozenset[Sign]] = {}
for _sign, _words in _WORDS.items():
    for _word in _words.split():
        _SIGNS[_word] = _SIGNS.get(_word, frozenset()) | {_sign}
_ANY = frozenset(_SIGNS)
_LEVELS_WITHOUT_BLANK = ("评分", "等级", "分数", "レベル")
_NOT_MANDATORY = (
    "mandatory",
    "mandatory.",
    "required.",
    "necessary.",
    "optional.",
    "essential.",
    "wish.",
    "possible.",
    "welcome.",
    "marks.",
    "compulsory.",
    "compulsory",
    "expected.",
    "expected",
    "obligatory",
    "obligatory.",
    "desirable.",
    "discretion.",
    "discretion",
    "permits.",
    "allows.",
    "fits.",
    "fits",
    "likes.",
    "likes",
    "does not.",
    "does not",
    "missing)",
    "missing).",
    "must)",
    "must).",
)
_MARKED = (
    "Half a",
    "Award ",
    "Deduct ",
    "Penalise ",
    "Penalize ",
    "Do not penali",
    "Don't penali",
    "Give full ",
    "Give half ",
    "Give no ",
    "Gives full ",
    "Gives half ",
    "No credit ",
    "No marks ",
    "No points ",
    "Half credit ",
    "Full credit ",
    "Partial credit ",
    "Extra credit ",
    "Zero points ",
    "Loses a ",
    "Loses one ",
    "Subtract ",
    "Full marks",
    "Add one point",
    "One point",
    "One mark",
    "A point for",
    "A mark for",
    *("Pass if", "Fail if", "Fails if", "Passes if", "Pass only", "Zero points", "No credit", "No marks", "No points"),
    *("Partial credit", "Half credit", "Full credit", "Counts double", "Counts twice", "Binary", "Automatic fail"),
    *("Minus one", "Plus one", "Minus half", "Loses a", "Lose a", "Loses one", "Lose one", "Grade:", "Instant fail"),
    *("Loses half", "Extra credit", "Extra point", "Weighs double", "Worth double", "Is worth", "On average"),
)
_ASKED = ("?", "？", '?"', "?\n", "? ", "(yes/no)", "(yes or no)", "(y/n)", "(Y/N)", "yes/no", "yes or no", "y/n")
_ASKING = tuple(
    [
        *("The extent ", "The degree ", "Extent ", "Degree ", "Does it ", "Did it ", "Is it ", "Has it ", "Can it "),
        *("Is there ", "Are there ", "Are all ", "Are any ", "Is any ", "Was it ", "How ", "In what ", "In which "),
        *("Which ", "What ", "Check if ", "Verify ", "Check that ", "Confirm ", "Assess the ", "Evaluate the "),
        *(
            "Evaluate how ",
            "Judge how ",
            "Assess how ",
            "Rate how ",
            "Judge the ",
            "Rate the ",
            "Grade the ",
            "Was the ",
            "Were the ",
            "Why does ",
            "Where does ",
            "See if ",
        ),
    ]
    + [
        *(
            "Whether ",
            "If and how ",
            "To what ",
            "How well ",
            "How far ",
            "How clearly ",
            "How much ",
            "How accurately ",
        )
    ]
    + [f"{verb} whether " for verb in ("Check", "Judge", "Assess", "Determine", "Evaluate", "Decide", "Rate")]
    + [
        f"{aux} {the} "
        for aux in ("Does", "Do", "Did", "Is", "Are", "Can", "Could", "Will", "Would", "Has")
        for the in ("the", "this", "a")
    ]
)
_INVERTED = (
    "Should the ",
    "Should a ",
    "Should an ",
    "Should this ",
    "Should they ",
    "Should there ",
    "Should he ",
    "Should she ",
)
_HEAD = 80
_FIRST_WORDS = 9
_DIGIT = re.compile(r"[0-9]")
_LABELLED = re.compile(
    r"[\"'“]?(?:[0-9★⭐]|[(\[][0-9]|[A-F][+-]?\s?[:=–—-]|(?:An?|The) (?:[a-z]+) (?:answer|response|reply)|For |To )"
)
_NUMBERED_END = re.compile(r"[0-9] ?/ ?[0-9]{1,3}[)\]]?\.?$|[=:–(\[-] ?[0-9]{1,2} ?(?:points?|pts?|marks?)?[)\]]?\.?$")
_FIRST_OF_LEVELS = (
    FIRST_WORDS
    | LEVEL_WORDS
    | frozenset(
        [
            "tier",
            "stage",
            "level",
            "class",
            "category",
            "rank",
            "mark",
            "scores",
            "score",
            "earns",
            "gets",
            "receives",
            "achieves",
        ]
    )
)
_OF_MEASURES = re.compile(
    r"[0-9]\s(?:points?\s)?(?:if|when|otherwise)\b|[≥≤<>]|scale|[Rr]ate|[Rr]ating|[Ss]core|[Gg]rade|points?[)\]]|pts"
    r"|marks?[)\]]|= ?[0-9]|[0-9]\s?=|\+\s?[0-9]|[Rr]ated|@|(?:up to|worth) [0-9]|met\b|[Ll]ikert|/10|accuracy"
    r"|precision|recall|tokens|Flesch|[Rr]eading|similarity|runs|trials|samples|seconds|Latency|[Cc]osts?|stars"
    r"|BLEU|top|(?:point|mark|credit)s? (?:if|when|for)|\brate\b|%[)\]]|annotator|average|[Ww]eight|raters?\b|judges?\b"
    r"|[0-9] (?:out of|of|in) (?:the )?[0-9]|(?:half|full|no|[0-9]) if |(?:responses|answers|outputs)\b"
    r"|\b(?:at least|above|below|over|under|exceed|more than|less than)\b"
)
_QUALITY = re.compile(rf"(?:The |Level of |Degree of |Overall )?{QUALITY}\b", re.IGNORECASE)
_OPTIONAL = re.compile(r"\((?:optional|bonus|nice to|if possible|extra|(?:but )?not )")
_UNSEEN = re.compile(
    r"(?:expected|model|sample|example|provided|given|supplied|official|target|correct|suggested|benchmark|exemplar"
    r"|expert|canonical|known|right) (?:answer|response|solution|output|reply|label|translation)"
    r"|(?:answer|marking|scoring|mark) (?:key|scheme)|round[- ]truth|IDEAL"
)
_UNSEEN_NOUNS = (
    *(" answer", " response", " solution", " output", " reply", " label", " translation", " key", " scheme"),
    *("round-truth", "round truth", "IDEAL"),
)
"""What each match of `_UNSEEN` has."""
_NONE: frozenset[Sign] = frozenset()


@lru_cache(maxsize=_CACHE_SIZE)
def signs(text: str) -> frozenset[Sign]:
    """The signs in `text`."""
    words = text[:_HEAD].lower().split(None, _FIRST_WORDS)
    found = None if _ANY.isdisjoint(words) else {sign for word in words if word in _SIGNS for sign in _SIGNS[word]}
    if "ideal" in text or "Ideal" in text or "reference" in text or "gold" in text or _may_be_unseen(text):
        found = (found or set()) | {Sign.MODEL_ANSWER}
    if words and words[0].strip("\"'“(*:") in _FIRST_OF_LEVELS:
        found = (found or set()) | {Sign.LEVEL}
    if may_be_stale(text):
        found = (found or set()) | {Sign.MOMENT}
    if text.startswith(_INVERTED):
        found = (found or set()) | {Sign.CONDITION}
    if text.endswith(_ASKED) or text.startswith(_ASKING):
        found = (found or set()) | {Sign.QUESTION}
    if text.endswith((")", ").")) and _OPTIONAL.search(text):
        found = (found or set()) | {Sign.PERMISSION}
    if _is_negated_later(text):
        found = (found or set()) | {Sign.NEGATION}
    has_digit = _DIGIT.search(text) is not None
    if (
        (has_digit and (_OF_MEASURES.search(text) or _QUALITY.match(text)))
        or text.startswith(_MARKED)
        or _is_marked_in_words(text)
    ):
        found = (found or set()) | {Sign.MEASURE}
    if text.endswith(_NOT_MANDATORY):
        found = (found or set()) | {Sign.PERMISSION}
    if (
        text.startswith(_LEVELS_WITHOUT_BLANK)
        or _LABELLED.match(text)
        or (has_digit and _NUMBERED_END.search(text, max(len(text) - 14, 0)))
    ):
        found = (found or set()) | {Sign.LEVEL}
    return frozenset(found) if found else _NONE


def _may_be_unseen(text: str) -> bool:
    """Whether a text names an answer that a judge does not see. Most texts have no noun for one."""
    for noun in _UNSEEN_NOUNS:
        if noun in text:
            return _UNSEEN.search(text) is not None
    return False


def _is_negated_later(text: str) -> bool:
    """Whether a negative word may stand further on in a text than the first words are read."""
    return (
        " without " in text
        or " free " in text
        or ", no " in text
        or " with no " in text
        or ", never " in text
        or "-free" in text
        or " avoiding " in text
        or "(no " in text
        or "(not " in text
        or " nothing " in text
        or " far from " in text
        or " rid of " in text
    )


def _is_marked_in_words(text: str) -> bool:
    """Whether a rule of marking may stand in a text without a digit."""
    return (
        "trongly " in text or "oses one p" in text or "oses a p" in text or " pass mark" in text or " passing " in text
    )


class TextPoint(Record):
    """A text point with its prompt and block."""

    prompt: Prompt
    block: Block
    point: Point
    text: str


def repeated_texts(view: FileView, blocks: Sequence[Block]) -> Iterator[tuple[str, list[TextPoint]]]:
    """Each text of the points in these blocks, with all of its places, in the order of their first places."""
    same: dict[str, list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            for point in rubric.points() if rubric.block in blocks else ():
                if point.text is not None:
                    same.setdefault(point.text, []).append(TextPoint(prompt, rubric.block, point, point.text))
    yield from same.items()


def times(places: Sequence[TextPoint]) -> str:
    """How often a file has a text, for the end of a message; empty for once."""
    return f" ({len(places)} times in this file)" if len(places) > 1 else ""


_Index: TypeAlias = tuple[dict[Sign, list[TextPoint]], dict[tuple[int, Sign], list[TextPoint]]]


def text_points_in_file(view: FileView, sign: Sign) -> Sequence[TextPoint]:
    """The points of the whole file whose text has `sign`, in source order."""
    return _index(view)[0].get(sign, ())


def text_points(view: PromptView, sign: Sign) -> Sequence[TextPoint]:
    """The points of one prompt whose text has `sign`, in source order."""
    return _index(view.file)[1].get((view.prompt.index, sign), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """All points with a sign, by sign, and by prompt and sign: built once for all rules."""
    of_file: dict[Sign, list[TextPoint]] = {}
    of_prompts: dict[tuple[int, Sign], list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            for entry in rubric.entries:
                for point in (entry,) if isinstance(entry, Point) else entry.points:
                    text = point.text
                    if text is not None and (found := signs(text)):
                        found_point = TextPoint(prompt, rubric.block, point, text)
                        for sign in found:
                            of_file.setdefault(sign, []).append(found_point)
                            of_prompts.setdefault((prompt.index, sign), []).append(found_point)
    return of_file, of_prompts


def words_span(source: str, point: Point, start: int, end: int) -> Span | None:
    """The place of `point.text[start:end]` in `source`.

    None if it is unknown: after an escape, across a line break, or if the text is written elsewhere.
    """
    text = point.text or ""
    words = text[start:end]
    written = point.subject_span.of(source)
    places = [match.start() for match in re.finditer(re.escape(words), written)] if words else []
    in_text = [match.start() for match in re.finditer(re.escape(words), text)] if words else []
    if start not in in_text or len(places) != len(in_text):
        return None
    at = point.subject_span.start + places[in_text.index(start)]
    return Span(at, at + len(words))


def shortened(text: str, most: int = 60) -> str:
    """`text` on one line, cut after a word if it is longer than `most` code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)].rstrip(" ,;:") + " …"
