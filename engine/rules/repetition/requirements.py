"""What points demand of an answer, in a form in which they can be compared, and which demands contradict others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from engine import functions
from engine.blueprint import ABSENT, Block, Point, Prompt
from engine.functions.point_function import Args, Quantifier, SearchTraits, Target
from engine.rules.functions.literal_forms import straight
from engine.text.patterns import lazy
from engine.text.record import Record

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
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None:
        return "$" not in (point.text or "")[:_SIGNS]
    return function.problem(call.args) is None


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
