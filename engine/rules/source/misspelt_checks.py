"""Recognises texts that were meant as checks: `$icontains notary`, `$icontains： clerk`, `icontains: INR`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from engine import functions
from engine.blueprint import ABSENT
from engine.rules.source.check_names import (
    CODE_STEMS,
    Check,
    Likeness,
    NamedFunction,
    checks_of,
    may_name_function,
    named_at,
    named_by,
    named_for,
    slashed_pattern,
    takes_text,
    written_as_mapping,
)
from engine.text import Record, TextEdit, lazy, replace
from engine.yaml.edit import rename
from engine.yaml.layout import column, is_one_line, quoted
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, Style, property_name, resolved, to_data

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
_NEGATION = lazy(r"^not[ \t]+", re.IGNORECASE)
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
    may_follow_a_bullet = not text[:1].isalpha() and _DOLLAR.search(text, 0, _BULLET_ROOM) is not None
    return text.startswith(_BEGINNINGS) or may_name_function(text) or may_follow_a_bullet


def _negated(named: NamedFunction) -> NamedFunction:
    name = named.name if named.name.startswith("not_") else f"not_{named.name}"
    return NamedFunction(name, named.likeness, named.end) if functions.find(name) is not None else named


def _read(text: str, named: NamedFunction, *, has_dollar: bool) -> CheckText | None:
    separator, argument = _argument_after(text, named.end)
    if separator is None or not (has_dollar or _is_meant(text, named, separator, argument)):
        return None
    check = None
    if separator is not Separator.NOTHING:
        check = next(checks_of(named.name, named.function, argument), None)
    elif named.function.problem(True) is None:
        check = Check(named.name, True, "true", True)
    if check is not None and check.is_certain:
        is_block = separator is Separator.BLANK and _BLOCK_SIGN.match(argument) is not None  # `$js |`, its colon lost
        is_plain = has_dollar and text.startswith(f"{named.name}:")
        may_be_word = named.is_ordinary_word or separator is Separator.OTHER  # with which a sentence may begin
        is_check = is_plain or (not may_be_word and (has_dollar or separator in _CALLS))
        check = replace(check, is_certain=named.likeness.is_certain and not is_block and is_check)
    if not has_dollar and not named.is_unmistakable and check is None:
        return None
    return CheckText(named, separator, has_dollar, check)


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
    if colon is not None:
        argument = rest[colon.end() :]
        is_there = argument.startswith("\n") or argument.strip()
        return (Separator.COLON, argument) if is_there else (Separator.NOTHING, "")
    blanks = _BLANKS.match(rest)
    argument = rest if blanks is None else rest[blanks.end() :]
    inside = _in_brackets(argument)
    if inside is not None and (blanks is None or inside[:1] in "\"'"):
        return Separator.BRACKET, inside
    if blanks is not None:
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


# Recognises mappings that were meant as checks: `icontains: INR`, `$ icontains: INR`, `$icontains a: b`.
#
# The key contains the name, perhaps followed by a part of the argument.


_KEY_SIGN = lazy(r"\s*[`*]{0,3}\\?(?:(?:[$＄﹩]\s*)+[.{(]?|[€£¥%@&#])")
_CLOSING = lazy(rf"[\s{UNSEEN}`*}})：:;=.,]+$")
_MARKED = lazy(
    rf"[\s{UNSEEN}]*(?:{MARKS}|[({UNSEEN}]|(?:[^\w\s$＄﹩]{{1,3}}|\d{{1,2}}[.)]|\[[ xX]?\]|not)[ \t]+[$＄﹩])"
)
"""The start of a key that has more than a sign before its name."""
_BESIDE = ("weight", "multiplier", "citation")
_SCRIPTS = ("js", "expr")
NAME_KEYS = ("function", "func", "function_name", "name", "check", "type", "method", "$fn")
_ARGUMENT_KEYS = ("arg", "args", "fnArgs", "argument", "arguments", "value", "values", "params", "text", "pattern")


class KeyCheck(Record):
    """A mapping that was meant as a check, with its name in a wrong form at `node`: its key, or the value of `fn`.

    `edits` turn the mapping into the check for each of `names`; there are none if the argument would not be valid.
    `is_certain` says that nothing else can be meant. `is_in_full` says that the name stands after `fn`.
    """

    node: Node
    names: tuple[str, ...]
    edits: tuple[tuple[TextEdit, ...], ...] = ()
    is_certain: bool = False
    is_in_full: bool = False

    @property
    def written(self) -> str:
        """The name as it is written."""
        return property_name(self.node)

    @property
    def correct_form(self) -> str:
        """What to write instead."""
        return f"fn: {self.names[0]}" if self.is_in_full else f"${self.names[0]}: …"


def check_of_mapping(text: str, mapping: MappingNode, *, is_json: bool) -> KeyCheck | None:
    """The check that a mapping without a `$name` was meant as; None if it was meant as something else."""
    names = [property_name(pair.key) for pair in mapping.pairs]
    if any((name.startswith("$") and name != "$fn") or name == "fn" for name in names):
        return None
    own = [pair for pair, name in zip(mapping.pairs, names, strict=True) if name not in _BESIDE]
    if len(own) == 1:
        return _named_by_key(text, mapping, own[0], is_json=is_json)
    found = _with_other_keys(text, own) if len(own) == 2 else None
    named = [] if found or "text" in names or "point" in names else [pair for pair in own if _is_unmistakable(pair)]
    return _named_by_key(text, mapping, named[0], is_json=is_json) if len(named) == 1 else found


def _is_unmistakable(pair: Pair) -> bool:
    return any(
        named.is_unmistakable and named.likeness.is_certain for named in named_by(bare_name(property_name(pair.key)))
    )


def bare_name(key: str) -> str:
    """`key` without its `$` or other sign, and without marks around it."""
    return _CLOSING.sub("", _KEY_SIGN.sub("", key, count=1))


# -- the name as the key


def _named_by_key(text: str, mapping: MappingNode, pair: Pair, *, is_json: bool) -> KeyCheck | None:
    name = property_name(pair.key)
    if _MARKED.match(name) is not None and not is_json:
        whole = _read_whole(text, pair)  # the closing marks of `**$icontains: INR**` are not part of the argument
        if whole is not None and whole.separator is Separator.COLON and (check := whole.check) is not None:
            edit = TextEdit(pair.span, _pair(text, mapping, pair, check, "", is_json=is_json))
            return KeyCheck(pair.key, (check.name,), ((edit,),), check.is_certain)
    if _KEY_SIGN.match(name) is None and not may_name_function(name):
        return None
    bare = bare_name(name)
    has_dollar = _DOLLAR.search(name[: len(name) - len(_KEY_SIGN.sub("", name, count=1))]) is not None
    found = named_by(bare)
    if found and found[0].name == "ref" and not has_dollar and not _is_defined(text, pair.value):
        return None
    if found and (has_dollar or _is_meant_key(bare, found[0], pair)):
        certain = has_dollar or _is_certain_key(found[0], pair)
        return renamed_check(text, pair.key, found, pair.value, certain=certain)
    return argument_in_key(text, mapping, pair, is_json=is_json)


def _read_whole(text: str, pair: Pair) -> CheckText | None:
    """The check that a pair on one line, with a plain key, is as a text."""
    return read_check(pair.span.of(text)) if _is_plain(pair.key) and is_one_line(text, pair.span) else None


def _is_meant_key(written: str, named: NamedFunction, pair: Pair) -> bool:
    """Whether a key without `$` is the name of a check, and not a word before a colon."""
    if not named.likeness.is_certain:
        return False
    written = _NEGATION.sub("", written)
    is_sound = next(_checks_of(named, pair.value), None) is not None
    if named.is_unmistakable:
        is_one_word = re.search(r"\s", written) is None
        return is_one_word or (is_sound and not isinstance(resolved(pair.value), ScalarNode))
    if named.likeness is Likeness.SAME:
        return True
    return named.likeness is Likeness.RESPELT and is_sound and _is_plain(pair.key) and _is_literal(pair.value, most=2)


def _is_defined(text: str, value: Node) -> bool:
    """Whether `value` is a name that `point_defs` seems to define."""
    value = resolved(value)
    if not isinstance(value, ScalarNode) or not value.text or "defs" not in text:
        return False
    return re.search(rf"""[\s{{,"']{re.escape(value.text)}["']?[ \t]*:""", text) is not None


def _is_certain_key(named: NamedFunction, pair: Pair) -> bool:
    if named.is_unmistakable or named.is_ordinary_word:
        return named.is_unmistakable
    if named.name in _SCRIPTS:
        return _is_like_script(pair.value)
    return named.likeness is Likeness.SAME and not (named.is_verb and not _is_literal(pair.value, LITERAL_WORDS))


def _is_like_script(value: Node) -> bool:
    """Whether a value looks like JavaScript; otherwise `js: …` may be a sentence about it."""
    value = resolved(value)
    return isinstance(value, ScalarNode) and re.search(r"[()<>=&|;{}\[\]]|\br\.\w", value.text) is not None


def _is_plain(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style is Style.PLAIN


def _is_literal(value: Node, most: int) -> bool:
    """Whether the text after the colon is not a sentence."""
    value = resolved(value)
    return not (isinstance(value, ScalarNode) and value.style is Style.PLAIN and len(value.text.split()) > most)


def renamed_check(
    text: str,
    node: Node,
    found: tuple[NamedFunction, ...],
    argument: Node | None,
    *,
    certain: bool,
    is_in_full: bool = False,
) -> KeyCheck:
    """The check whose name at `node` may mean each of `found`."""
    meant = [check for named in found if (check := next(_checks_of(named, argument), None)) is not None]
    is_certain = certain and len(meant) == 1 and found[0].likeness.is_certain and all(each.is_certain for each in meant)
    edits: list[tuple[TextEdit, ...]] = []
    for check in meant:
        naming = rename(text, node, check.name if is_in_full else f"${check.name}")
        rest = (TextEdit(argument.span, check.source),) if argument is not None and check.source else ()
        edits.append((*naming, *rest))
    return KeyCheck(node, tuple(each.name for each in meant or found), tuple(edits), is_certain, is_in_full)


def _checks_of(named: NamedFunction, node: Node | None) -> Iterator[Check]:
    """The valid checks that the value of a key may mean: as written, without slashes, in quotes, as a list."""
    name, function, target = named.name, named.function, node and resolved(node)
    if function.problem(ABSENT if target is None else to_data(target)) is None:
        slashed = slashed_pattern(target.text, function.name) if isinstance(target, ScalarNode) else None
        yield from () if slashed is None or target is not node else slashed.checks()
        yield Check(name, None, "", True)
    elif isinstance(target, ScalarNode) and target is node and target.text:
        if takes_text(function) and isinstance(target.value, bool | int | float):
            yield Check(name, target.text, quoted(target.text), True)
        elif isinstance(target.value, str):
            yield from checks_of(name, function, target.text)


# -- a part of the argument in the key


def argument_in_key(text: str, mapping: MappingNode, pair: Pair, *, is_json: bool) -> KeyCheck | None:
    """The check of a key such as `$icontains label`; after the colon is the rest of the argument, or a citation."""
    name = property_name(pair.key)
    whole = _read_whole(text, pair)
    found = read_check(name) or (whole if whole is not None and whole.named.end < len(name) else None)
    if found is None or found.separator is Separator.NOTHING:
        return None
    value, check, beside = resolved(pair.value), found.check, ""
    is_empty = isinstance(value, ScalarNode) and value.value is None and not value.text
    if not is_empty:
        if not (isinstance(value, ScalarNode) and value is pair.value and is_one_line(text, pair.span)):
            check = None
        elif _is_plain(pair.key):
            check = None if whole is None else whole.check
        elif mapping.pair("citation") is None:
            beside = value.span.of(text)
        else:
            check = None
    if check is None:
        return KeyCheck(pair.key, (found.named.name,))
    edit = TextEdit(pair.span, _pair(text, mapping, pair, check, beside, is_json=is_json))
    is_certain = check.is_certain and (is_empty or not isinstance(check.argument, str))
    return KeyCheck(pair.key, (found.named.name,), ((edit,),), is_certain)


def _pair(text: str, mapping: MappingNode, pair: Pair, check: Check, citation: str, *, is_json: bool) -> str:
    """`$name: argument` to replace `pair`, with the citation after it."""
    in_braces = is_json or mapping.flow
    written = as_mapping(check, in_brackets=in_braces, is_json=is_json)
    if in_braces:
        key = '"citation"' if is_json else "citation"
        inner = written[1:-1] + (f", {key}: {citation}" if citation else "")
        return inner if text[mapping.span.start] == "{" else f"{{{inner}}}"
    return written + (f"\n{' ' * column(text, pair.key.span.start)}citation: {citation}" if citation else "")


# -- other keys instead of `fn` and `arg`


def _with_other_keys(text: str, own: list[Pair]) -> KeyCheck | None:
    """The check of `function: icontains` with `value: INR`: the full form with other words for `fn` and `arg`."""
    naming = next((pair for pair in own if property_name(pair.key) in NAME_KEYS), None)
    argument = next((pair for pair in own if pair is not naming and property_name(pair.key) in _ARGUMENT_KEYS), None)
    if naming is None or argument is None or not isinstance(naming.value, ScalarNode):
        return None
    name = naming.value.text.removeprefix("$")
    if functions.find(name) is None or not isinstance(naming.value.value, str):
        return None
    named = (NamedFunction(name, Likeness.SAME, 0),)
    found = renamed_check(text, naming.value, named, argument.value, certain=False, is_in_full=True)
    keys = (*rename(text, naming.key, "fn"), *rename(text, argument.key, "arg"))
    edits = tuple((*keys, *(each for each in own if each.span.of(text) != each.text)) for own in found.edits)
    return replace(found, node=naming.key, edits=edits)


def renamed_value(text: str, mapping: MappingNode, node: ScalarNode) -> KeyCheck | None:
    """The check of `fn: NAME` under each name that may be meant, or of `fn: NAME ARGUMENT`."""
    name, argument = bare_name(node.text), mapping.pair("fnArgs") or mapping.pair("arg")
    found = named_for(name, ABSENT if argument is None else to_data(resolved(argument.value)))
    if found:
        return renamed_check(text, node, found, argument and argument.value, certain=True, is_in_full=True)
    read = read_check(f"${name}")
    if read is None:
        return None
    is_plain = _is_plain(node) and not mapping.flow and is_one_line(text, node.span)
    if read.check is None or argument is not None or not is_plain:
        return KeyCheck(node, (read.named.name,), is_in_full=True)
    written = written_as_mapping("arg", read.check.source, read.check.argument, in_brackets=False)
    key = next(pair.key for pair in mapping.pairs if pair.value is node)
    edit = TextEdit(node.span, f"{read.check.name}\n{' ' * column(text, key.span.start)}{written}")
    return KeyCheck(node, (read.check.name,), ((edit,),), is_in_full=True)
