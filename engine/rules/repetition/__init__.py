"""What points demand of an answer, in a form in which they can be compared, and which demands no one answer can meet.

A demand is a text, an argument, or a shape of the whole answer: amounts, a beginning, an end, JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from engine import functions
from engine.blueprint import ABSENT, Block, Point, Prompt
from engine.functions.point_function import Args, Quantifier, SearchTraits, Target
from engine.rules.checks import is_negated
from engine.rules.functions.literal_forms import straight
from engine.rules.refusals import cut
from engine.text import Record, in_quotes, lazy, replace

Criterion: TypeAlias = tuple[str, str, bool]
"""What a point demands, but for what makes no difference to it: case, quotes, articles, the kind of check."""
Key: TypeAlias = tuple[str, str]
"""The documented name of a function without `not_`, "" for a text; and what is demanded: the text, or the argument."""


class Demand(Record):
    """What a point demands of an answer in its block, in a form in which two points can be compared.

    `wanted`: an answer should meet it, or should not; a `$not_` check and its twin under `should_not` are one demand.
    `exact` has a text in lower case on one line, or the argument as JSON; `usual` is the same for all checks that look
    for one literal, for all orders of a list, and for all spellings of a text. `search` and `texts` are how a check
    searches the answer, and for what.
    """

    point: Point
    wanted: bool
    exact: Key
    usual: Key
    search: SearchTraits | None = None
    texts: tuple[str, ...] = ()

    @property
    def criterion(self) -> Criterion:
        """By what repetitions are found."""
        name, content = self.usual
        return (LITERAL, content.casefold(), self.wanted) if name in _LITERALS else (name, content, self.wanted)

    @property
    def ignores_case(self) -> bool:
        """Whether a check finds what it looks for in any case."""
        return self.search is not None and self.search.ignores_case

    @property
    def literals(self) -> tuple[str, ...]:
        """The texts that the point looks for, but for empty ones."""
        return tuple(filter(None, self.texts))

    @property
    def loss_per_literal(self) -> float:
        """The part of the point, 0–1, that an answer loses with one of its literals."""
        is_shared = self.search is not None and self.search.is_literal and self.search.quantifier is Quantifier.ALL
        return 1 / max(len(self.literals), 1) if is_shared else 1.0


def demand_of(point: Point, block: Block) -> Demand:
    """What `point` demands in `block`."""
    wanted, call = not block.inverted, point.function
    if call is None:
        text = point.text or ""
        return Demand(point, wanted, ("", plain(text)), ("", _usual_form(text)))
    exact = (call.name, "" if call.args is ABSENT else json.dumps(call.args, sort_keys=True, default=str))
    function = functions.find(call.name)
    if function is None:
        return Demand(point, wanted, exact, exact)
    exact, texts = (function.negates or function.name, exact[1]), tuple(call.texts())
    usual = exact if function.search is None else _usual_check(exact, call.args, texts, function.search)
    return Demand(point, wanted is (function.negates is None), exact, usual, function.search, texts)


def demands_of(points: Iterable[Point], block: Block) -> list[Demand]:
    """What each point of a block demands."""
    return [demand_of(point, block) for point in points]


def required_demands(prompt: Prompt) -> list[Demand]:
    """What the required points of both blocks demand."""
    return [each for rubric in prompt.rubrics for each in demands_of(rubric.required, rubric.block)]


def literal_named(text: str) -> str | None:
    """The words for which a criterion such as "Mentions the deposit" asks, and nothing else; None for other texts."""
    found = _NAMES.match(text) if len(text) <= _LONGEST_NAMING else None
    return None if found is None else plain(found["words"])


def is_sound(point: Point) -> bool:
    """Whether a check can run with its argument, and a text was not meant as a check, as `“$icontains` was."""
    function = functions.find(point.call.name)
    if function is None:
        return "$" not in (point.text or "")[:_SIGNS]
    return function.problem(point.call.args) is None


def _usual_check(exact: Key, args: Args, texts: Sequence[str], search: SearchTraits) -> Key:
    """One name for all checks that look for one literal, and sorted lists."""
    if search.target not in (Target.TEXT, Target.WORD, Target.PATTERN):
        return exact
    if len(texts) == 1 and search.quantifier is not Quantifier.AT_LEAST_N:
        literal = texts[0] if search.is_literal else _literal_of(texts[0])
        if literal:
            content = straight(literal).casefold() if search.ignores_case else straight(literal)
            return _LITERALS[search.ignores_case], content
    if search.quantifier in (Quantifier.ANY, Quantifier.ALL) and isinstance(args, list):
        return exact[0], json.dumps(sorted(texts))
    return exact


def _literal_of(pattern: str) -> str | None:
    """The text that a pattern looks for, if it is nothing but a text or a whole word."""
    bare = pattern.removeprefix("(?i)").removeprefix(r"\b").removesuffix(r"\b")
    return None if _PATTERN_SIGN.search(bare) else re.sub(r"\\(\W)", r"\1", bare)


LITERAL = "contains"
"""The name in a criterion of all checks that look for one text: as text, as a word or as a pattern without signs."""
_LITERALS = (LITERAL, "icontains")
_SIGNS = 3
"""How many characters may stand before the text of a check that was written as a text, and its `$`."""
_PATTERN_SIGN = lazy(r"(?<!\\)[.*+?^${}()|\[\]]|\\\w")
_NAMES = lazy(
    r"""(?:the\s+)?(?:(?:answer|response|model|it)\s+)?(?:explicitly\s+|clearly\s+)?
    (?:mentions?|names?|includes?|contains?|says?|states?|uses?|cites?)\s+(?:the\s+(?:words?|terms?|phrase|name)\s+)?
    (?P<words>["'“‘]?[^"'“”‘’,;:.()]+["'”’]?)\.?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_NAMING = 80
_QUOTE = lazy(r"\"|(?<!\w)'|'(?!\w)")
_ARTICLES = frozenset(("the", "a", "an"))


@lru_cache(maxsize=4_000)
def plain(text: str) -> str:
    """`text` in lower case, on one line, without its full stop, articles and quotation marks."""
    return " ".join(_words(text)).strip(". ")


def _words(text: str) -> list[str]:
    line = " ".join(text.split()) if "  " in text or "\n" in text or "\t" in text else text.strip()
    line = line.rstrip(".").casefold()
    if not line.isascii() or '"' in line or "'" in line:
        line = _QUOTE.sub("", straight(line))
    return [word for word in line.split(" ") if word not in _ARTICLES]


@lru_cache(maxsize=4_000)
def _usual_form(text: str) -> str:
    """`plain`, also without what spelling, number, separators and the order around "and" change."""
    words = [_usual_word(_THOUSANDS.sub("", word) if "," in word else word) for word in _words(text)]
    if "of" in words:
        words = [word for at, word in enumerate(words) if word != "of" or words[at - 1 : at] not in _QUANTITIES]
    if words.count("and") == 1:
        words = _in_order(words)
    return " ".join(words).strip(". ")


def _usual_word(word: str) -> str:
    """`word` in the singular and in American spelling, as far as its ending shows it."""
    word = word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su" else word
    ending = next((each for each in _ENDINGS if word.endswith(each)), None) if len(word) > _SHORTEST else None
    return word if ending is None else word.removesuffix(ending) + _ENDINGS[ending]


def _in_order(words: list[str]) -> list[str]:
    """`words` with the two single words around "and" in the order of the alphabet, if nothing else follows."""
    at = words.index("and")
    if at == len(words) - 2 and at >= 2:
        first, second = sorted((words[at - 1], words[at + 1]))
        return [*words[: at - 1], first, "and", second]
    return words


_THOUSANDS = lazy(r"(?<=\d),(?=\d{3}(?!\d))")
_QUANTITIES = (["all"], ["both"], ["each"], ["half"])
_ENDINGS = {"our": "or", "tre": "ter", "ise": "ize", "ised": "ized", "ising": "izing", "isation": "ization"}
_SHORTEST = 4
"""Letters of the longest words that are left as they are."""


_SEARCHABLE = lazy(r"(?:[^\\^$()|?*+{}]|\\[dwsDWS.])+\+?")
"""Patterns without anchors and alternatives, which mean the same to `re`."""
MOST_PAIRS = 250_000
"""How many pairs of a wanted text and a forbidden check are compared in one prompt: 500 of each."""


def contradiction_in(
    together: Sequence[Demand], *, but_for_case: bool = False
) -> tuple[Demand, tuple[Demand, ...]] | None:
    """The first demand that no answer meets without losing others, and these others; None if there is none.

    All of the points are required, or are on one path. With `but_for_case`, a literal that is wanted in any case
    contradicts one that is forbidden in one case only.
    """
    forbidden = _Forbidden([each for each in together if not each.wanted], but_for_case=but_for_case)
    if not forbidden.exact:
        return None
    found = ((each, forbidden.contradicting(each)) for each in together if each.wanted)
    return next((each for each in found if each[1]), None)


class _Forbidden:
    """Forbidden demands, and which of them an answer loses with a wanted one."""

    def __init__(self, demands: Sequence[Demand], *, but_for_case: bool) -> None:
        self._but_for_case = but_for_case
        self._left = MOST_PAIRS
        self.exact = {each.exact: each for each in reversed(demands)}
        self._searches = [(each, each.search) for each in demands if each.search is not None and _is_searchable(each)]

    def contradicting(self, wanted: Demand) -> tuple[Demand, ...]:
        """Those that every answer that meets `wanted` loses."""
        same, search = self.exact.get(wanted.exact), wanted.search
        if same is not None:
            return (same,)
        if search is None or not search.is_literal or search.quantifier is Quantifier.AT_LEAST_N:
            return ()
        by_literal = [self._forbidding(text, ignores_case=search.ignores_case) for text in wanted.literals]
        found = [other for other in by_literal if other is not None]
        if len(found) == len(by_literal) or search.quantifier is Quantifier.ALL:
            return tuple(other for index, other in enumerate(found) if all(other is not each for each in found[:index]))
        return ()

    def _forbidding(self, literal: str, *, ignores_case: bool) -> Demand | None:
        """The first that every answer loses that contains `literal`, with `ignores_case` in any case."""
        self._left -= len(self._searches)
        if self._left < 0:
            return None
        for each, search in self._searches:
            any_case = search.ignores_case or (ignores_case and self._but_for_case)
            if (any_case or not ignores_case) and any(
                _finds(text, literal, search, any_case) for text in each.literals
            ):
                return each
        return None


def _is_searchable(each: Demand) -> bool:
    """Whether a literal by itself shows that a text is found in an answer that holds it."""
    search = each.search
    if search is None or search.quantifier not in (Quantifier.ONE, Quantifier.ANY):
        return False
    is_pattern = search.target is Target.PATTERN and all(map(_SEARCHABLE.fullmatch, each.literals))
    return is_pattern or search.target is Target.TEXT


def _finds(text: str, literal: str, search: SearchTraits, any_case: bool) -> bool:
    if not search.is_literal:
        return re.search(text, literal, re.IGNORECASE if any_case else re.NOFLAG) is not None
    return text.lower() in literal.lower() if any_case else text in literal


# Amounts that a criterion wants of an answer: at most 50 words, exactly three sentences, a single paragraph.


_NUMBER_NAMES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_MORE_NAMES = {"a single": 1, "single": 1, "a": 1, "thirty": 30, "forty": 40, "fifty": 50, "a hundred": 100}
_NUMBERS = {name: number for number, name in enumerate(_NUMBER_NAMES.split())} | _MORE_NAMES
_UNITS = ("word", "sentence", "paragraph", "line", "bullet point", "bullet", "character")
_NUMBER = rf"\d{{1,3}}(?:,\d{{3}})+|\d+|{'|'.join(map(re.escape, sorted(_NUMBERS, key=len, reverse=True)))}"
_AMOUNT = lazy(
    rf"""\b(?:
      (?P<most>at\ most|limits?\ (?:\w+\ ){{1,4}}to|no\ more\ than|not\ more\ than|up\ to|a\ maximum\ of
        |maximum(?:\ of)?|max\.?|not\ exceed(?:ing)?|does\ not\ exceed|within|not\ longer\ than|no\ longer\ than)
      |(?P<under>under|fewer\ than|less\ than|shorter\ than|below)
      |(?P<least>at\ least|no\ fewer\ than|no\ less\ than|not\ less\ than|a\ minimum\ of|minimum(?:\ of)?|min\.?)
      |(?P<over>more\ than|over|longer\ than|above|exceeds)
      |(?P<exact>exactly|precisely)
      |(?P<in>(?:is|in|has|uses|contains|of|be|have|only|just|an?(?=\ \d+-))(?:\ only|\ just)?)
      |(?P<between>between)
    )\ (?P<number>{_NUMBER})(?:(?P<to>\ (?:and|to|or)\ |\s?[-–]\s?)(?P<second>{_NUMBER}))?[\ -]
    (?P<unit>{"|".join(map(re.escape, _UNITS))})s?\b(?P<more>\ or\ (?:more|longer|fewer|less|shorter))?""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = lazy(r"\b(?:each|every|per|first|last|opening|closing|title|heading|quote|quotes|example)\b", re.IGNORECASE)


_ENDS = lazy(r"\W*(?:$|(?:in\ (?:all|total)|only|long)\W*$)", re.VERBOSE)
_ITEMS = lazy(
    rf"""\b(?:
      (?P<exact>exactly|precisely|only|just)
      |(?P<least>at\ least|no\ fewer\ than|no\ less\ than|a\ minimum\ of)
      |(?P<most>at\ most|no\ more\ than|not\ more\ than|up\ to|a\ maximum\ of)
      |(?P<over>more\ than)
      |(?P<under>fewer\ than|less\ than)
      |(?P<plain>(?:lists?|gives?|names?|has|contains?|includes?|offers?|suggests?|uses?|asks?|provides?|presents?|writes?|proposes?
        |recommends?|mentions?|identif(?:y|ies))(?:\ me|\ us)?)
    )\ (?P<number>{_NUMBER})\ (?:(?:different|distinct|separate|further|specific|concrete|possible|main|key|short
      |good)\ )*
    (?P<noun>[a-z]+s)\b(?P<more>(?:,?\ (?:and\ |but\ )?(?:no|not)\ more|,?\ no\ fewer|\ or\ (?:more|fewer
      |less))\b)?(?P<rest>[^.!?;]*)""",
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT = 0.5
_EXACT = ("exactly", "precisely")
_PARTS_OF_PARTS = ("paragraph", "sentence", "word", "character")
"""Units, each of which consists of one or more of the next."""


class Amount(Record):
    """From `least` to `most` of a unit, and the words that say so."""

    unit: str
    least: float
    most: float
    written: str

    def excludes(self, other: Amount) -> bool:
        """Whether no answer has both amounts: each paragraph has a sentence at least, each sentence a word."""
        if self.unit == other.unit:
            return self.most < other.least or other.most < self.least
        if self.unit not in _PARTS_OF_PARTS or other.unit not in _PARTS_OF_PARTS:
            return False
        longer, shorter = sorted((self, other), key=lambda each: _PARTS_OF_PARTS.index(each.unit))
        least = 2 * longer.least - 1 if (longer.unit, shorter.unit) == ("word", "character") else longer.least
        return shorter.most < least


@lru_cache(maxsize=4_000)
def amounts_in(text: str, *, is_order: bool = False) -> tuple[Amount, ...]:
    """The amounts that the whole answer should have; none where a text speaks of parts of it.

    An order to write "a poem of two lines" is one for the whole, "has two sentences on the price" is said of a part.
    """
    if not any(unit in text for unit in _UNITS) or _PARTS.search(text):
        return ()
    return tuple(each for found in _AMOUNT.finditer(text) if (each := _amount(found, is_order=is_order)) is not None)


def _amount(found: re.Match[str], *, is_order: bool) -> Amount | None:
    number = _value(found["number"])
    least, most = _bounds(found, number, number) if found["second"] is None else (number, _value(found["second"]))
    is_loose = (found["in"] or "").lower() in ("has", "uses", "contains", "have", "" if is_order else "of")
    is_bare = found["in"] and found["second"] is None and found["more"] is None
    if is_bare and is_loose and not _ENDS.match(found.string, found.end()):
        return None
    return Amount(found["unit"].lower().removesuffix(" point"), least, most, found[0]) if least <= most else None


def _bounds(found: re.Match[str], number: float, most: float) -> tuple[float, float]:
    """The least and the most that the words around a number say; up to `most` where they say nothing."""
    more = (found["more"] or "").lower()
    if found["most"] or more.endswith(("or fewer", "or less", "or shorter")):
        return 0, number
    if found["under"]:
        return 0, number - 1
    if found["over"]:
        return number + 1, math.inf
    if found["exact"] or more.endswith(("no more", "not more")):
        return number, number
    return number, math.inf if found["least"] or more else most


def ordered_amounts(text: str) -> tuple[Amount, ...]:
    """The amounts in an order: "in 100 words" is followed by an answer of 50 to 150."""
    return tuple(
        replace(each, least=each.least * (1 - _ABOUT), most=each.most * (1 + _ABOUT))
        if 1 < each.least == each.most and each.unit == "word" and not each.written.lower().startswith(_EXACT)
        else each
        for each in amounts_in(text, is_order=True)
    )


@lru_cache(maxsize=4_000)
def items_in(text: str) -> Amount | None:
    """How many things of a kind an answer should have: “exactly four options”; None if a text does not say.

    “Lists three causes” wants at least three. The unit is the noun with what follows it.
    """
    found = _ITEMS.search(text) if _PARTS.search(text) is None else None
    if found is None or found["noun"].lower().rstrip("s") in _UNITS:
        return None
    least, most = _bounds(found, _value(found["number"]), math.inf)
    rest = found["rest"].strip().lower()
    return Amount(
        f"{found['noun'].lower()} {rest}".strip(), least, most, found[0][: len(found[0]) - len(found["rest"])]
    )


def _value(text: str) -> float:
    known = _NUMBERS.get(text.lower())
    return float(text.replace(",", "")) if known is None else float(known)


# What points want of the answer as a whole, and whether one answer can have both of two such things.


_TEXT = r"(?P<text>(?:(?:[\w ,;:'’-]|\\[.!()?*+])(?![?*{]))*)"
_PATTERN_START = lazy(rf"(?:\(\?i\))?\^(?:\\s\*)?{_TEXT}")
_PATTERN_END = lazy(rf"(?<!\\){_TEXT}\$\Z")
_SUBJECT = (
    r"\W*(?:(?:the\s+)?(?:whole\s+|entire\s+)?(?:response|answer|model|assistant|reply|output|summary|text|message|it)\s+)?"
    r"(?:(?:should|must)\s+)?"
)
"""How a criterion may begin."""
_NOT = r"(?P<not>(?:(?:does|do|should|must)\s+not|not|doesn['’]t|shouldn['’]t|never|avoids?)\s+)?"
_QUOTED = r"""["“‘'`](?P<word>[^"”’'`]{1,60}?)[.,]?["”’'`]"""
_HELD = lazy(
    rf"""{_SUBJECT}{_NOT}
    (?:us(?:e|es|ing)|sa(?:y|ys|ying)|mention(?:s|ing)?|contain(?:s|ing)?|includ(?:e|es|ing)|nam(?:e|es|ing)|quot(?:e|es|ing)
      |cit(?:e|es|ing)|writ(?:e|es|ing)|has)\s+
    (?:the\s+)?(?:(?:exact\s+|literal\s+)?(?:words?|terms?|phrases?|expression|name|string|text)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_ONE_END = lazy(
    rf"""{_SUBJECT}{_NOT}(?P<verb>begin|start|open|end|close|finish|conclude)s?\s+with\s+(?:the\s+)?
    (?:(?:exact\s+)?(?:words?|phrase|sentence)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTES = frozenset("\"'“`‘")
_OF_CONTENT = lazy(r"\b(?:that|how|why|what|which|who|whether)\b", re.IGNORECASE)


class Literal(Record):
    """A text in quotation marks that an answer holds, begins or ends with (`place`), or must not (`is_wanted`)."""

    word: str
    place: str
    is_wanted: bool


@lru_cache(maxsize=4_000)
def literal_in(text: str) -> Literal | None:
    """The quoted text that a criterion is about, if it says nothing else."""
    if _QUOTES.isdisjoint(text):
        return None
    found = _AT_ONE_END.match(text)
    place = "" if found is None else "start" if found["verb"].lower() in ("begin", "start", "open") else "end"
    found = found or _HELD.match(text)
    return None if found is None else Literal(found["word"].strip(), place, found["not"] is None)


class Shape(Record):
    """How an answer begins and ends, how much of what it has, and whether all of it is JSON.

    `words` say so behind "an answer that", or are those of the criterion.
    """

    words: str
    start: str = ""
    end: str = ""
    ignores_case: bool = False
    amounts: tuple[Amount, ...] = ()
    is_json: bool = False

    def clash(self, other: Shape) -> tuple[str, str] | None:
        """The words of each by which no answer has both shapes; None if one can have both."""
        for one, two in product(self.amounts, other.amounts):
            if one.excludes(two):
                return one.written, two.written
        any_case = self.ignores_case or other.ignores_case
        is_clash = (
            _differ(self.start.lstrip(), other.start.lstrip(), str.startswith, any_case=any_case)
            or _differ(self.end.rstrip(), other.end.rstrip(), str.endswith, any_case=any_case)
            or (self.is_json and other.is_prose)
            or (other.is_json and self.is_prose)
        )
        return (self.words, other.words) if is_clash else None

    @property
    def is_prose(self) -> bool:
        """Whether it begins or ends as no JSON object and no list does."""
        start, end = self.start.lstrip()[:1], self.end.rstrip()[-1:]
        return (start not in ("", "{", "[")) or (end not in ("", "}", "]"))


def _differ(one: str, other: str, matches: Callable[[str, str], bool], *, any_case: bool) -> bool:
    """Whether neither text is the start (or the end) of the other."""
    if any_case:
        one, other = one.lower(), other.lower()
    return not matches(one, other) and not matches(other, one)


def shape_of(each: Demand) -> Shape | None:
    """What a wanted point wants of the whole answer; None of another point, and of one that wants nothing of it."""
    text = each.point.text
    if not each.wanted or (text is None and (is_negated(each.point) or not is_sound(each.point))):
        return None
    return _of_check(each) if text is None else _of_text(text)


def _of_text(text: str) -> Shape | None:
    """The amounts of a criterion, and how an answer begins or ends; what it says of the content is no amount."""
    amounts = () if _OF_CONTENT.search(text) is not None else amounts_in(text)
    items, found = items_in(text), literal_in(text)
    amounts = amounts if items is None else (*amounts, items)
    start, end = (
        found.word if found is not None and found.is_wanted and found.place == place else ""
        for place in ("start", "end")
    )
    return Shape(text, start, end, True, amounts) if amounts or start or end else None


def _of_check(each: Demand) -> Shape | None:
    match each.exact[0], each.point.call.args:
        case "is_json", _:
            return Shape("is JSON", is_json=True)
        case "word_count_between", [int() | float() as least, int() | float() as most] if 0 <= least <= most:
            words = f"has {least:g} to {most:g} words"
            return Shape(words, amounts=(Amount("word", least, most, words),))
        case _:
            return None if each.search is None else _of_search(each.search, each.texts)


def _of_search(search: SearchTraits, texts: Sequence[str]) -> Shape | None:
    if search.quantifier not in (Quantifier.ONE, Quantifier.ALL) or not any(texts):
        return None
    text = max(texts, key=lambda text: len(text.split()))
    start, end = text if search.target is Target.START else "", text if search.target is Target.END else ""
    if not search.is_literal:
        start, end = _ends(text)
    if not (start or end or search.is_literal):
        return None
    where = "begins with" if start else "ends with" if end else "contains"
    words = f"{where} {in_quotes(cut(start or end or text))}"
    amounts = (Amount("word", len(text.split()), math.inf, words),) if search.is_literal else ()
    return Shape(words, start, end, search.ignores_case or text.startswith("(?i)"), amounts)


@lru_cache(maxsize=500)
def _ends(pattern: str) -> tuple[str, str]:
    """The texts with which an answer begins and ends in which an anchored pattern is found; "" for an unknown one."""
    found = () if "|" in pattern else (_PATTERN_START.match(pattern), _PATTERN_END.search(pattern))
    first, last = (re.sub(r"\\(.)", r"\1", each["text"]) if each else "" for each in found or (None, None))
    return first, last
