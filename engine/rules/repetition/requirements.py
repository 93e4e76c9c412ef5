"""What a point requires of an answer, in a form in which two points can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine import functions
from engine.blueprint import ABSENT, Block, Path, Point, Prompt
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.rules.functions.literal_forms import straight
from engine.text.patterns import lazy
from engine.text.record import Record, replace


class Requirement(Record):
    """One criterion, and whether an answer should meet it (`wanted`) or should not.

    `name` is a function's documented name without `not_`, empty for a text. `content` is the text in lower case on one
    line, or the argument as JSON. A `$not_` check and its twin under `should_not` are the same requirement.
    """

    name: str
    content: str
    wanted: bool

    @property
    def opposite(self) -> Requirement:
        """The requirement that no answer meets together with this one."""
        return Requirement(self.name, self.content, not self.wanted)


def requirement_of(point: Point, block: Block) -> Requirement:
    """What `point` requires in `block`."""
    wanted = not block.inverted
    if point.function is None:
        return Requirement("", plain(point.text or ""), wanted)
    function = functions.find(point.function.name)
    args = point.function.args
    content = "" if args is ABSENT else json.dumps(args, sort_keys=True, default=str)
    if function is None:
        return Requirement(point.function.name, content, wanted)
    if function.negates is not None:
        return Requirement(function.negates, content, not wanted)
    return Requirement(function.name, content, wanted)


class PointRequirement(Record):
    """A point, and what it requires in its block."""

    point: Point
    requirement: Requirement

    @property
    def loss_per_literal(self) -> float:
        """The part of the point, 0–1, that an answer loses with one of its literals."""
        traits = _traits(self)
        is_shared = traits is not None and traits.is_literal and traits.quantifier is Quantifier.ALL
        return 1 / max(len(list(_literals(self))), 1) if is_shared else 1.0


def requirements_in(points: Iterable[Point], block: Block) -> list[PointRequirement]:
    """The points of a block, with what each requires."""
    return [PointRequirement(point, requirement_of(point, block)) for point in points]


def required_points(prompt: Prompt) -> list[PointRequirement]:
    """The required points of both blocks, with what each requires."""
    return [each for rubric in prompt.rubrics for each in requirements_in(rubric.required, rubric.block)]


def requirements_of(path: Path, block: Block) -> frozenset[Requirement]:
    """What the points of a path require; literals that are written as different checks are the same."""
    return frozenset(map(_comparable, requirements_in(path.points, block)))


def criterion_of(each: PointRequirement) -> Requirement:
    """What a point requires, without what makes no difference to it: case, quotes, articles, the kind of check."""
    requirement = _comparable(each)
    if requirement.name not in _LITERALS:
        return requirement
    return replace(requirement, name=LITERAL, content=requirement.content.casefold())


def spelling_of(each: PointRequirement) -> str:
    """What a check or a text looks for, with its case."""
    return _comparable(each).content


def literal_named(text: str) -> str | None:
    """The words for which a criterion such as "Mentions the deposit" asks, and nothing else; None for other texts."""
    found = _NAMES.match(text) if len(text) <= _LONGEST_NAMING else None
    return None if found is None else plain(found["words"])


def ignores_case(point: Point) -> bool:
    """Whether a check for a literal finds it in any case."""
    function = None if point.function is None else functions.find(point.function.name)
    return function is not None and function.search is not None and function.search.ignores_case


def is_sound(point: Point) -> bool:
    """Whether a check can run with its argument, and a text was not meant as a check, as `“$icontains` was."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None:
        return "$" not in (point.text or "")[:_SIGNS]
    return function.problem(call.args) is None


def _comparable(each: PointRequirement) -> Requirement:
    """The requirement in its usual form: one name for all checks that look for one literal, and sorted lists."""
    call, requirement = each.point.function, each.requirement
    if call is None:
        return Requirement("", _usual_form(each.point.text or ""), requirement.wanted)
    function = functions.find(call.name)
    search = None if function is None else function.search
    if search is None or search.target not in (Target.TEXT, Target.WORD, Target.PATTERN):
        return requirement
    texts = list(call.texts())
    if len(texts) == 1 and search.quantifier is not Quantifier.AT_LEAST_N:
        literal = texts[0] if search.is_literal else _literal_of(texts[0])
        if literal:
            content = straight(literal).casefold() if search.ignores_case else straight(literal)
            return Requirement(_LITERALS[search.ignores_case], content, requirement.wanted)
    if search.quantifier in (Quantifier.ANY, Quantifier.ALL) and isinstance(call.args, list):
        return Requirement(requirement.name, json.dumps(sorted(texts)), requirement.wanted)
    return requirement


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
    """`word` in American spelling and in the singular, as far as its ending shows it."""
    if len(word) > 5 and word.endswith(_RESPELT):
        for ending, usual in _ENDINGS:
            if word.endswith(ending):
                word = word[: -len(ending)] + usual
                break
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su" else word


def _in_order(words: list[str]) -> list[str]:
    """`words` with the two single words around "and" in the order of the alphabet, if nothing else follows."""
    at = words.index("and")
    if at == len(words) - 2 and at >= 2:
        first, second = sorted((words[at - 1], words[at + 1]))
        return [*words[: at - 1], first, "and", second]
    return words


_THOUSANDS = lazy(r"(?<=\d),(?=\d{3}(?!\d))")
_QUANTITIES = (["all"], ["both"], ["each"], ["half"])
_ENDINGS = (
    ("our", "or"),
    ("ours", "ors"),
    ("tre", "ter"),
    ("tres", "ters"),
    ("ise", "ize"),
    ("ises", "izes"),
    ("ised", "ized"),
    ("ising", "izing"),
    ("isation", "ization"),
)
_RESPELT = tuple(ending for ending, _ in _ENDINGS)


_SEARCHABLE = lazy(r"(?:[^\\^$()|?*+{}]|\\[dwsDWS.])+\+?")
"""Patterns without anchors and alternatives, which mean the same to `re`."""
_ANYWHERE = (Quantifier.ONE, Quantifier.ANY)
MOST_PAIRS = 250_000
"""How many pairs of a wanted text and a forbidden check are compared in one prompt: 500 of each."""


def contradiction_in(
    together: Sequence[PointRequirement], *, but_for_case: bool = False
) -> tuple[PointRequirement, tuple[PointRequirement, ...]] | None:
    """The first point that no answer meets without losing others, and these others; None if there is none.

    All of the points are required, or are on one path. With `but_for_case`, a literal that is wanted in any case
    contradicts one that is forbidden in one case only.
    """
    forbidden = _Forbidden([each for each in together if not each.requirement.wanted], but_for_case=but_for_case)
    if not forbidden.points:
        return None
    for each in together:
        if each.requirement.wanted and (others := forbidden.contradicting(each)):
            return each, others
    return None


class _Forbidden:
    """Forbidden points, and which of them an answer loses with a wanted one."""

    def __init__(self, points: Sequence[PointRequirement], *, but_for_case: bool) -> None:
        self.points = points
        self._but_for_case = but_for_case
        self._left = MOST_PAIRS
        self._by_requirement: dict[Requirement, PointRequirement] = {}
        for each in points:
            self._by_requirement.setdefault(each.requirement, each)
        self._searches = [
            (each, traits, texts)
            for each in points
            for traits, texts in ((_traits(each), tuple(_literals(each))),)
            if traits is not None and traits.quantifier in _ANYWHERE and _is_searchable(traits, texts)
        ]

    def contradicting(self, wanted: PointRequirement) -> tuple[PointRequirement, ...]:
        """The points that every answer that meets `wanted` loses."""
        same = self._by_requirement.get(wanted.requirement.opposite)
        if same is not None:
            return (same,)
        traits = _traits(wanted)
        literals = tuple(_literals(wanted))
        if traits is None or not traits.is_literal or traits.quantifier is Quantifier.AT_LEAST_N or not literals:
            return ()
        by_literal = [self._forbidding(text, ignores_case=traits.ignores_case) for text in literals]
        found = [other for other in by_literal if other is not None]
        if len(found) == len(literals) or (found and traits.quantifier is Quantifier.ALL):
            return tuple(other for index, other in enumerate(found) if all(other is not each for each in found[:index]))
        return ()

    def _forbidding(self, literal: str, *, ignores_case: bool) -> PointRequirement | None:
        """The first point that every answer loses that contains `literal`, with `ignores_case` in any case."""
        self._left -= len(self._searches)
        if self._left < 0:
            return None
        for each, traits, texts in self._searches:
            any_case = traits.ignores_case or (ignores_case and self._but_for_case)
            if (any_case or not ignores_case) and any(_finds(text, literal, traits, any_case) for text in texts):
                return each
        return None


def _is_searchable(traits: SearchTraits, texts: Sequence[str]) -> bool:
    """Whether a literal by itself shows that the texts are found in an answer that holds it."""
    is_pattern = traits.target is Target.PATTERN and all(map(_SEARCHABLE.fullmatch, texts))
    return is_pattern or traits.target is Target.TEXT


def _finds(text: str, literal: str, traits: SearchTraits, any_case: bool) -> bool:
    if not traits.is_literal:
        return re.search(text, literal, re.IGNORECASE if any_case else re.NOFLAG) is not None
    return text.lower() in literal.lower() if any_case else text in literal


def _traits(each: PointRequirement) -> SearchTraits | None:
    """How the point's function searches; None for a text, and for a function that does not search."""
    function = functions.find(each.requirement.name)
    return None if function is None else function.search


def _literals(each: PointRequirement) -> Iterator[str]:
    call = each.point.function
    if call is not None:
        yield from (text for text in call.texts() if text)
