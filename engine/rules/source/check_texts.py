"""Reading a check out of a text that was meant as one: `$icontains notary`, `$icontains： clerk`, `icontains: INR`.

What a function takes decides what the argument is: for one that takes a text it is exactly the text behind the name,
for one that takes a list or numbers it is read as YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from engine import functions
from engine.functions import PointFunction
from engine.rules.source.function_names import CODE_STEMS, Likeness, NamedFunction, may_name_function, named_at
from engine.rules.source.layout import quoted
from engine.rules.source.slash_patterns import slashed_pattern
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode, Style
from engine.yaml_nodes.values import to_data

UNSEEN = "\u200b\u200c\u200d\u2060\ufeff"
"""Characters that take no room: they come along with what is copied."""
MARKS = "[`*_“‘«„]"
"""What may stand around a check as around a word: the marks of Markdown, quotation marks that YAML does not know."""
_BULLET = r"(?:[^\w\s$＄﹩]{1,3}|\d{1,2}[.)]|\[[ xX]?\])[ \t]+"
"""What is drawn before an item of a list: a bullet or another sign, a number, a box."""
_BULLET_ROOM = 12
"""Within how many characters the `$` behind a bullet stands."""
_CLOSERS = str.maketrans("“‘«„(", "”’»“)")
_SIGN = re.compile(
    rf"[\s{UNSEEN}]*(?:{_BULLET}(?={MARKS}{{0,3}}\\?[$＄﹩]))?(?P<wrap>\((?=[$＄﹩])|{MARKS}{{0,3}})\\?"
    r"(?:(?P<negation>not)(?:_|[ \t]+)(?=[$＄﹩]))?"
    r"(?:(?P<sign>(?:[$＄﹩][ \t]*)+[.{(]?)|(?P<other>[€£¥%@&#]))?"
)
"""What stands before a name: its `$`, another sign in its place, perhaps within marks or behind a bullet."""
_KEPT = 5_000
"""How many texts are remembered: few begin as a check does, and those that do are asked about at each keystroke."""
_BEGINNINGS = (*"$＄﹩ `*_“‘«„\\€£¥%@&#-–—•·▪◦+0123456789", *UNSEEN, "($", "(＄", "not")
_DOLLAR = re.compile("[$＄﹩]")
_BLOCK_SIGN = re.compile(r"[|>][-+]?\s")
_NEGATION = re.compile(r"not[ \t]+")
_NUMBERS = re.compile(r"(\d+)\s*(?:-|–|to|and|,|\s)\s*(\d+)")
_YES = frozenset(("yes", "true", "on"))
_COLON = re.compile(rf"[ \t{UNSEEN}]*(?::|：|﹕|︰|∶|꞉|=>|=|->|→|;|；|[-–—,.](?=[ \t]))[ \t]?")
_BLANKS = re.compile(r"\s+")
LITERAL_WORDS = 3
"""How many words at the most stand behind `contains:` where a text to look for is meant, and not a sentence."""

_HUMP = re.compile(r"[a-z][A-Z]")
_OPENING = "\"'“([{"
_PATTERN_QUOTES = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ONE_QUOTED = re.compile(r"'(?:[^'\n]|''|(?<=\w)'(?=\w))*'")
"""A text in single quotes, but for an apostrophe within a word that should stand twice."""
_UNESCAPED = re.compile(r"\\([\\\"])")


class Separator(Enum):
    """What stands between a name and its argument."""

    COLON = "colon"
    BRACKET = "bracket"
    BLANK = "blank"
    OTHER = "other"
    NOTHING = "nothing"


_CALLS = (Separator.COLON, Separator.BRACKET)
"""What is written behind the name of a check, and not between the words of a sentence."""


@dataclass(frozen=True, slots=True)
class Check:
    """A sound check: a function, its argument, and how the argument is written in YAML.

    `is_certain` says that nothing else can have been meant.
    """

    name: str
    argument: Data
    source: str
    is_certain: bool


@dataclass(frozen=True, slots=True)
class CheckText:
    """A text that begins with the name of a function.

    `check` is the sound check that it stands for, None where there is none. `separator` is what stands behind the name.
    """

    named: NamedFunction
    separator: Separator
    has_dollar: bool
    check: Check | None


@lru_cache(maxsize=_KEPT)
def read_check(text: str) -> CheckText | None:
    """What `text`, a point in words, says as a check; None where it does not begin as one.

    With a `$` the name decides. Without it the text has to look like code: `icontains: INR`, `is_json`, not
    `contains the fee`.
    """
    opening = _SIGN.match(text)
    assert opening is not None
    has_dollar = opening["sign"] is not None
    text = _unwrapped(text, opening)
    first: CheckText | None = None
    for named in named_at(text):
        found = _read(text, _negated(named) if opening["negation"] else named, has_dollar=has_dollar)
        if found is None or (opening["wrap"] and found.separator not in _CALLS):
            continue  # a name in the marks of Markdown is spoken of where no colon follows
        if found.check is not None:
            return found
        first = first or found
    return first


def _unwrapped(text: str, opening: re.Match[str]) -> str:
    """`text` from its name on, without what closes the marks and brackets before it."""
    rest = text[opening.end() :]
    brackets = {"{": "}", "(": ")"}.get((opening["sign"] or " ")[-1], "")
    if not brackets and not opening["wrap"]:
        return rest
    closing = closing_of(opening["wrap"])
    name = re.match(r"\w+?(?=_*(?:\W|$))", rest)
    behind = 0 if name is None else name.end()
    argument = rest[behind:].removeprefix(brackets)
    if closing and argument.startswith(closing):
        return rest[:behind] + argument.removeprefix(closing)
    return rest[:behind] + (argument.rstrip().removesuffix(closing) if closing else argument)


def closing_of(opening: str) -> str:
    """The marks that close what `opening` opens: `”` for `“`, `**` for `**`."""
    return opening[::-1].translate(_CLOSERS)


def read_check_node(node: ScalarNode) -> CheckText | None:
    """The check that a text was meant as, None where it is another text."""
    is_block = node.style in (Style.LITERAL, Style.FOLDED)
    return read_check(node.text.rstrip("\n") if is_block else node.text)


def may_be_check(text: str) -> bool:
    """Whether `check_text` may find a check in `text`: quick, and true of more texts than hold one."""
    return text.startswith(_BEGINNINGS) or may_name_function(text) or _may_follow_a_bullet(text)


def _may_follow_a_bullet(text: str) -> bool:
    return not text[:1].isalpha() and _DOLLAR.search(text, 0, _BULLET_ROOM) is not None


def check_of_definition(node: Node) -> CheckText | None:
    """The check that a definition was meant as which is a text, and therefore read as a script."""
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or not may_be_check(node.text):
        return None
    found = read_check_node(node)
    if found is None:
        return None
    is_labelled = found.named.is_unmistakable and found.separator is Separator.COLON
    return found if found.has_dollar or is_labelled else None


def _negated(named: NamedFunction) -> NamedFunction:
    name = named.name if named.name.startswith("not_") else f"not_{named.name}"
    return NamedFunction(name, named.likeness, named.end) if functions.find(name) is not None else named


def _read(text: str, named: NamedFunction, *, has_dollar: bool) -> CheckText | None:
    separator, argument = _argument_behind(text, named.end)
    if separator is None or not (has_dollar or _is_meant(text, named, separator, argument)):
        return None
    found = next(arguments(named.function, argument), None) if separator is not Separator.NOTHING else None
    name = named.name
    slashed = slashed_pattern(found[0], name) if found is not None and isinstance(found[0], str) else None
    if slashed is not None and slashed.name is not None:
        name, found = slashed.name, (slashed.pattern, quoted(slashed.pattern), slashed.is_certain)
    if separator is Separator.NOTHING and named.function.problem(True) is None:
        found = (True, "true", True)
    check = None
    if found is not None:
        is_plain = has_dollar and text.startswith(f"{named.name}:")
        is_certain = found[2] and named.likeness.is_certain
        is_block = separator is Separator.BLANK and _BLOCK_SIGN.match(argument) is not None  # `$js |`, its colon lost
        is_certain = is_certain and not is_block and (is_plain or _is_certain(named, separator, has_dollar=has_dollar))
        check = Check(name, found[0], found[1], is_certain)
    if not has_dollar and not named.is_unmistakable and check is None:
        return None
    return CheckText(named, separator, has_dollar, check)


def _is_certain(named: NamedFunction, separator: Separator, *, has_dollar: bool) -> bool:
    """Whether the text can only be a check: behind an ordinary word, or a name without `$`, a sentence may go on."""
    if named.is_ordinary_word or separator is Separator.OTHER:
        return False
    return has_dollar or separator in _CALLS


def _is_meant(text: str, named: NamedFunction, separator: Separator, argument: str) -> bool:
    """Whether a text without `$` is a check: one may speak of a word that happens to be a function's name."""
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


def _argument_behind(text: str, end: int) -> tuple[Separator | None, str]:
    """What parts the name from its argument, and the argument; no separator where the name goes on."""
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
    """What stands in the round brackets that `rest` is; None where it is something else."""
    if not (rest.startswith("(") and rest.rstrip().endswith(")")):
        return None
    depth = 0
    rest = rest.rstrip()
    for place, letter in enumerate(rest):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(rest) - 1:
            return None
    return rest[1:-1].strip() or None


# -- arguments


def arguments(function: PointFunction, written: str) -> Iterator[tuple[Data, str, bool]]:
    """What `written` can be as an argument of `function`: the value, its YAML, and whether it is sure; only sound ones.

    A text keeps every character; quotation marks go only where they stand around all of it.
    """
    for value, source, is_sure in _candidates(function, written):
        if function.problem(value) is None:
            yield value, source, is_sure


def takes_text(function: PointFunction) -> bool:
    """Whether the argument of `function` is a text."""
    return function.problem("x") is None


def _candidates(function: PointFunction, written: str) -> Iterator[tuple[Data, str, bool]]:
    stripped = written.strip()
    is_pattern = "match" in function.name
    if takes_text(function):
        if (value := _without_quotes(stripped, is_pattern=is_pattern)) is not None:
            yield value, stripped if _reads_as(stripped, value) else quoted(value), True
            return
        root = _loaded(stripped)
        if isinstance(root, ScalarNode) and isinstance(root.value, bool):
            yield root.value, stripped, True
        is_sure = _ONE_QUOTED.fullmatch(stripped) is None
        yield written, stripped if _reads_as(stripped, written) else quoted(written), is_sure
        return
    if "\n" in written and (root := _loaded_below(written)) is not None:
        data = to_data(root)
        yield data, json.dumps(data, ensure_ascii=False, default=str), True
    if function.problem(True) is None and stripped.strip("'\"").lower() in _YES:
        yield True, "true", True
    numbers = _NUMBERS.fullmatch(stripped)
    listed = ((f"[{stripped}]", False),) if "," in stripped else ()
    if numbers is not None:
        listed = ((f"[{numbers[1]}, {numbers[2]}]", False),)
    for source, is_sure in ((stripped, True), *listed):
        for each in (source, _requoted(source)) if is_pattern else (source,):
            root = _loaded(each)
            if root is not None:
                data = to_data(root)
                yield data, each if "\n" not in each else json.dumps(data, ensure_ascii=False), is_sure


def _without_quotes(written: str, *, is_pattern: bool) -> str | None:
    """The text between the quotation marks that stand around all of `written`; None where none do.

    Between double quotes `\\d` and `\\\\d` of a pattern are both the digit class.
    """
    if len(written) < 2 or written[0] != written[-1] or written[0] not in "\"'":
        return None
    is_whole = written[0] == '"' and _PATTERN_QUOTES.fullmatch(written) is not None
    if is_whole and is_pattern and "\\" in written:
        return _pattern_in_double_quotes(written)
    root = _loaded(written)
    if isinstance(root, ScalarNode) and root.style in (Style.SINGLE, Style.DOUBLE):
        return root.text
    return _pattern_in_double_quotes(written) if is_whole else None


def _pattern_in_double_quotes(written: str) -> str:
    return _UNESCAPED.sub(r"\1", written[1:-1])


def _requoted(source: str) -> str:
    """`source` with the patterns in double quotes put in single ones, so that no backslash needs an escape."""
    return _PATTERN_QUOTES.sub(lambda found: quoted(_pattern_in_double_quotes(found[0])), source)


def _reads_as(source: str, value: Data) -> bool:
    root = _loaded(source)
    return root is not None and not isinstance(root, MappingNode | SequenceNode) and to_data(root) == value


def _loaded(source: str) -> Node | None:
    """The value of a key for which `source` is written; None where it is no value, or a comment ends it early."""
    tree = load(f"a: {source}")
    root = tree.documents[0].root if tree.documents else None
    if tree.error is not None or len(tree.documents) != 1 or not isinstance(root, MappingNode) or len(root.pairs) != 1:
        return None
    return root.pairs[0].value if root.span.end == len("a: ") + len(source) else None


def _loaded_below(source: str) -> Node | None:
    """The list or mapping that `source`, lines of their own, is below a key."""
    tree = load(f"a:{source}")
    root = tree.documents[0].root if tree.documents else None
    if tree.error is not None or not isinstance(root, MappingNode) or len(root.pairs) != 1:
        return None
    value = root.pairs[0].value
    return value if isinstance(value, MappingNode | SequenceNode) else None


# -- writing


def as_mapping(check: Check, *, in_brackets: bool, is_json: bool) -> str:
    """The check as a point: `$name: argument`, in braces where it stands within brackets."""
    if is_json:
        return json.dumps({f"${check.name}": check.argument}, ensure_ascii=False)
    return written_as_mapping(f"${check.name}", check.source, check.argument, in_brackets=in_brackets)


def written_as_mapping(key: str, source: str, value: Data, *, in_brackets: bool) -> str:
    """`key: source`, in braces where it stands within brackets; `value` in quotes or as JSON where it would not be."""
    for each in (source, quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)):
        whole = f"{{{key}: {each}}}" if in_brackets else f"{key}: {each}"
        tree = load(f"[{whole}]" if in_brackets else f"- {whole}")
        root = tree.documents[0].root if tree.documents else None
        if tree.error is None and root is not None and to_data(root) == [{key: value}]:
            return whole
    return whole
