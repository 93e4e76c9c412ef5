"""Recognises texts that were meant as checks: `$icontains notary`, `$icontains： clerk`, `icontains: INR`."""

from __future__ import annotations

import json
import re
from enum import Enum
from functools import lru_cache

from engine import functions
from engine.rules.source.check_arguments import Argument, arguments, written_as_mapping
from engine.rules.source.function_names import CODE_STEMS, Likeness, NamedFunction, may_name_function, named_at
from engine.rules.source.pattern_signs import slashed_pattern
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.yaml.layout import quoted
from engine.yaml.nodes import Data, ScalarNode, Style

UNSEEN = "\u200b\u200c\u200d\u2060\ufeff"
"""Invisible characters, which copied text may contain."""
_DOUBLE, _SINGLE = "“”„‟«»＂″", "‘’‚‛‹›＇′"
MARKS = f"[`*_{_DOUBLE}{_SINGLE}]"
"""What may surround a check as it may surround a word: marks of Markdown, quotation marks that YAML does not know."""
_BULLET = r"(?:[^\w\s$＄﹩]{1,3}|\d{1,2}[.)]|\[[ xX]?\])[ \t]+"
"""What may precede an item of a list: a bullet or another sign, a number, a box."""
_BULLET_ROOM = 12
"""The `$` after a bullet is within this number of characters."""
_ALIKE = str.maketrans(dict.fromkeys(_DOUBLE, "”") | dict.fromkeys(_SINGLE, "’"))
"""One quotation mark for all of its kind: which of them opens and which closes depends on the language."""
_SIGN = lazy(
    rf"[\s{UNSEEN}]*(?:{_BULLET}(?={MARKS}{{0,3}}\\?[$＄﹩]))?(?P<wrap>\((?=[$＄﹩])|{MARKS}{{0,3}})\\?"
    r"(?:(?P<negation>not)(?:_|[ \t]+)(?=[$＄﹩]))?"
    r"(?:(?P<sign>(?:[$＄﹩][ \t]*)+[.{(]?)|(?P<other>[€£¥%@&#]))?"
)
"""What precedes a name: its `$` or another sign, perhaps inside marks or after a bullet."""
_CACHE_SIZE = 5_000
"""Few texts begin like a check, and these are read again at each keystroke."""
_BEGINNINGS = (*f"$＄﹩ `*_{_DOUBLE}{_SINGLE}\\€£¥%@&#-–—•·▪◦+0123456789", *UNSEEN, "($", "(＄", "not")
_DOLLAR = lazy("[$＄﹩]")
_BLOCK_SIGN = lazy(r"[|>][-+]?\s")
_NEGATION = lazy(r"not[ \t]+")
_COLON = lazy(rf"[ \t{UNSEEN}]*(?::|：|﹕|︰|∶|꞉|=>|=|->|→|;|；|[-–—,.](?=[ \t]))[ \t]?")
_BLANKS = lazy(r"\s+")
LITERAL_WORDS = 3
"""More words than this after `contains:` are a sentence, and not a text to look for."""

_HUMP = lazy(r"[a-z][A-Z]")
_OPENING = "\"'“([{"


class Separator(Enum):
    """What separates a name from its argument."""

    COLON = "colon"
    BRACKET = "bracket"
    BLANK = "blank"
    OTHER = "other"
    NOTHING = "nothing"


_CALLS = (Separator.COLON, Separator.BRACKET)
"""Separators that follow the name of a check, but not a word in a sentence."""


class Check(Record):
    """A valid check: a function, its argument, and the YAML of the argument.

    `is_certain` says that nothing else can be meant.
    """

    name: str
    argument: Data
    source: str
    is_certain: bool


class CheckText(Record):
    """A text that begins with the name of a function.

    `check` is the valid check that it means, None if there is none. `separator` is what follows the name. `has_dollar`
    says that a `$` precedes it.
    """

    named: NamedFunction
    separator: Separator
    has_dollar: bool
    check: Check | None


@lru_cache(maxsize=_CACHE_SIZE)
def read_check(text: str) -> CheckText | None:
    """The check that `text`, a text point, was meant as; None if it does not begin like one.

    With a `$`, the name decides. Without it, the text must look like code: `icontains: INR`, `is_json`, not
    `contains the fee`.
    """
    opening = _SIGN.match(text)
    assert opening is not None
    has_dollar = opening["sign"] is not None
    is_closed = opening["wrap"] != "" and closing_of(opening["wrap"])[-1] in text[opening.end() :].translate(_ALIKE)
    text = _unwrapped(text, opening)
    first: CheckText | None = None
    for named in named_at(text):
        found = _read(text, _negated(named) if opening["negation"] else named, has_dollar=has_dollar)
        if found is None or (is_closed and found.separator not in _CALLS):
            continue  # a name in Markdown marks without a colon is only mentioned
        if found.check is not None:
            return found
        first = first or found
    return first


def _unwrapped(text: str, opening: re.Match[str]) -> str:
    """`text` from its name on, without the closing marks and brackets."""
    rest = text[opening.end() :]
    brackets = {"{": "}", "(": ")"}.get((opening["sign"] or " ")[-1], "")
    if not brackets and not opening["wrap"]:
        return rest
    closing = closing_of(opening["wrap"])
    name = re.match(r"\w+?(?=_*(?:\W|$))", rest)
    end = 0 if name is None else name.end()
    argument = rest[end:].removeprefix(brackets)
    if closing and argument.translate(_ALIKE).startswith(closing):
        return rest[:end] + argument[len(closing) :]
    is_wrapped = closing and argument.rstrip().translate(_ALIKE).endswith(closing)
    return rest[:end] + (argument.rstrip()[: -len(closing)] if is_wrapped else argument)


def closing_of(opening: str) -> str:
    """The marks that close what `opening` opens, with one quotation mark for all: `”` for `„`, `**` for `**`."""
    return opening[::-1].translate(_ALIKE).replace("(", ")")


def read_check_node(node: ScalarNode) -> CheckText | None:
    """As `read_check`, for the text of a scalar."""
    is_block = node.style in (Style.LITERAL, Style.FOLDED)
    return read_check(node.text.rstrip("\n") if is_block else node.text)


def may_be_check(text: str) -> bool:
    """Whether `read_check` may find a check in `text`: a quick filter with false positives."""
    return text.startswith(_BEGINNINGS) or may_name_function(text) or _may_follow_a_bullet(text)


def _may_follow_a_bullet(text: str) -> bool:
    return not text[:1].isalpha() and _DOLLAR.search(text, 0, _BULLET_ROOM) is not None


def _negated(named: NamedFunction) -> NamedFunction:
    name = named.name if named.name.startswith("not_") else f"not_{named.name}"
    return NamedFunction(name, named.likeness, named.end) if functions.find(name) is not None else named


def _read(text: str, named: NamedFunction, *, has_dollar: bool) -> CheckText | None:
    separator, argument = _argument_after(text, named.end)
    if separator is None or not (has_dollar or _is_meant(text, named, separator, argument)):
        return None
    found = next(arguments(named.function, argument), None) if separator is not Separator.NOTHING else None
    name = named.name
    slashed = slashed_pattern(found.value, name) if found is not None and isinstance(found.value, str) else None
    if slashed is not None and slashed.name is not None:
        name, found = slashed.name, Argument(slashed.pattern, quoted(slashed.pattern), slashed.is_certain)
    if separator is Separator.NOTHING and named.function.problem(True) is None:
        found = Argument(True, "true", True)
    check = None
    if found is not None:
        is_plain = has_dollar and text.startswith(f"{named.name}:")
        is_certain = found.is_certain and named.likeness.is_certain
        is_block = separator is Separator.BLANK and _BLOCK_SIGN.match(argument) is not None  # `$js |`, its colon lost
        is_certain = is_certain and not is_block and (is_plain or _is_certain(named, separator, has_dollar=has_dollar))
        check = Check(name, found.value, found.source, is_certain)
    if not has_dollar and not named.is_unmistakable and check is None:
        return None
    return CheckText(named, separator, has_dollar, check)


def _is_certain(named: NamedFunction, separator: Separator, *, has_dollar: bool) -> bool:
    """Whether the text can only be a check: an ordinary word, or a name without `$`, may begin a sentence."""
    if named.is_ordinary_word or separator is Separator.OTHER:
        return False
    return has_dollar or separator in _CALLS


def _is_meant(text: str, named: NamedFunction, separator: Separator, argument: str) -> bool:
    """Whether a text without `$` is a check, and not a sentence with a word that is also a function's name."""
    written = _NEGATION.sub("", text[: named.end])
    if not named.likeness.is_certain or separator is Separator.OTHER or any(blank in written for blank in " \t"):
        return False
    if named.is_unmistakable:
        is_code = named.likeness is Likeness.SAME or "_" in written or _HUMP.search(written) is not None
        return separator in _CALLS or is_code or written.lower().startswith(CODE_STEMS)
    if named.name == "ref":
        return False
    if named.is_verb and len(argument.split()) > LITERAL_WORDS and argument.strip()[0] not in _OPENING:
        return False
    return named.likeness is Likeness.SAME and separator in _CALLS


def _argument_after(text: str, end: int) -> tuple[Separator | None, str]:
    """The separator after the name, and the argument; no separator if the name goes on."""
    rest = text[end:]
    if not rest.strip():
        return Separator.NOTHING, ""
    colon = _COLON.match(rest)
    if colon is not None and rest.startswith("\n", colon.end()):
        return Separator.COLON, rest[colon.end() :]
    if colon is not None:
        argument = rest[colon.end() :]
        return (Separator.COLON, argument) if argument.strip() else (Separator.NOTHING, "")
    inside = _in_brackets(rest)
    if inside is not None:
        return Separator.BRACKET, inside
    blanks = _BLANKS.match(rest)
    if blanks is not None:
        argument = rest[blanks.end() :]
        inside = _in_brackets(argument)
        if inside is not None and inside[:1] in "\"'":
            return Separator.BRACKET, inside
        return Separator.BLANK, argument
    if rest[0] in _OPENING:
        return Separator.BRACKET, rest
    return (Separator.OTHER, rest if rest[0] == "/" else rest[1:]) if not rest[0].isalnum() else (None, "")


def _in_brackets(rest: str) -> str | None:
    """The content of `rest` if it is one pair of round brackets; else None."""
    if not (rest.startswith("(") and rest.rstrip().endswith(")")):
        return None
    depth = 0
    rest = rest.rstrip()
    for place, letter in enumerate(rest):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(rest) - 1:
            return None
    return rest[1:-1].strip() or None


def as_mapping(check: Check, *, in_brackets: bool, is_json: bool) -> str:
    """The check as a point: `$name: argument`, in braces if it is within brackets."""
    if is_json:
        return json.dumps({f"${check.name}": check.argument}, ensure_ascii=False)
    return written_as_mapping(f"${check.name}", check.source, check.argument, in_brackets=in_brackets)
