"""Recognises misspelt function names.

Names may have other capitals (`Icontains`), other separators (`icontains-any-of`, `containsAnyOf`) or one wrong letter
(`icontans`). A name that is also an ordinary word (`match`, `call`) proves nothing without its `$`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from typing import TypeAlias

from engine import functions
from engine.blueprint import ABSENT, Absent
from engine.functions import PointFunction
from engine.rules.rule import nearest_names, one_letter_off
from engine.text import Record, lazy
from engine.yaml.layout import quoted
from engine.yaml.nodes import Data, MappingNode, ScalarNode, SequenceNode, Style, to_data
from engine.yaml.tree_loader import load, value_below, value_on_line

_REFERENCE = functions.PointFunction(
    name="ref",
    summary="The criterion that `point_defs` defines under this name.",
    argument="name",
    example="$ref: name",
    conclude=lambda _args, _subject, _outcomes: functions.CheckError("A `$ref` refers to another criterion."),
    problem=lambda args: None if isinstance(args, str) and args else "a `$ref` must be the name of a definition",
)
"""`$ref`, which is written like a function and refers to a definition."""
_ORDINARY_WORDS = frozenset(("call", "contain", "external", "match"))
_VERBS = frozenset(("contains", "matches"))
_FIRST_WORDS = frozenset(
    (_REFERENCE.name, *(name.split("_")[0] for function in functions.ALL for name in function.names))
)

_SEPARATOR = lazy(r"[-\s_]+")
_CAPITAL_INSIDE = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = lazy(r"[^\W\d]\w*(?:(?:[ \t]|-)[^\W\d]\w*){0,5}")
_SYNONYMS = {
    **dict.fromkeys(("include", "includes", "has", "find", "finds", "mention", "mentions"), ("contains", "icontains")),
    **dict.fromkeys(("regex", "regexp", "pattern"), ("matches", "imatches")),
    **dict.fromkeys(("any_of", "one_of", "includes_any_of"), ("contains_any_of", "icontains_any_of")),
    **dict.fromkeys(("match_any_of", "matches_any_of"), ("matches_at_least_n_of", "imatch_at_least_n_of")),
    **dict.fromkeys(("all_of", "includes_all_of"), ("contains_all_of", "icontains_all_of")),
    **dict.fromkeys(("begins_with", "begins", "starts"), ("starts_with", "istarts_with")),
    **dict.fromkeys(("word_count", "wordcount", "words_between", "length_between"), ("word_count_between",)),
}
"""Names that other tools and languages use, or that authors guess."""
_NEGATIVE = frozenset(("not", "no", "none", "never", "without", "doesnt", "dont", "lacks", "excludes"))
_NONE = lazy(r"(?:not_)?(.*?)(?<![^\W_])none(?:_of)?(?![^\W_])")
"""`contains_none_of`, whose name here is `not_contains_any_of`."""
_NAME = lazy(r"[\w-]+")
_FIRST = lazy(r"[^\W\d]\w*")
CODE_STEMS = ("icont", "imatch")
_MIN_FUZZY_LENGTH = 5
"""A shorter name is not recognised with a wrong letter."""


class Likeness(Enum):
    """How similar a written name is to that of a function."""

    SAME = "same"
    RESPELT = "respelt"
    NEAR = "near"
    ALIKE = "alike"

    @property
    def is_certain(self) -> bool:
        """Whether no other function can be meant: only case, separators or one letter differ."""
        return self is not Likeness.ALIKE


class NamedFunction(Record):
    """A function that the start of a text names: the correct name, and the end of the name in the text."""

    name: str
    likeness: Likeness
    end: int

    @property
    def function(self) -> functions.PointFunction:
        """The function itself."""
        found = function_named(self.name)
        assert found is not None
        return found

    @property
    def is_ordinary_word(self) -> bool:
        """Whether the name is also an ordinary word, with which a sentence may begin."""
        return self.name in _ORDINARY_WORDS

    @property
    def is_verb(self) -> bool:
        """Whether the name may also be the verb of a sentence, or begin one."""
        return self.name in _VERBS or self.is_ordinary_word

    @property
    def is_unmistakable(self) -> bool:
        """Whether the name can only be a function's: `icontains`, `starts_with`, not `contains` or `js`."""
        return "_" in self.name or self.name.startswith(CODE_STEMS)


def function_named(name: str) -> functions.PointFunction | None:
    """The function with exactly this name, `ref` included; None if there is none."""
    return _REFERENCE if name == _REFERENCE.name else functions.find(name)


@cache
def known_names() -> tuple[str, ...]:
    """One name of each function: the one that Weval knows, if it knows one."""
    return (*(function.weval_name or function.name for function in functions.ALL), _REFERENCE.name)


def may_name_function(text: str) -> bool:
    """Whether `text` may begin with a function's name without `$`: a quick filter with false positives."""
    first = _FIRST.match(text)
    if first is None:
        return False
    word = first[0].lower()
    return (
        word in _FIRST_WORDS
        or "_" in word
        or word.startswith(CODE_STEMS)
        or _CAPITAL_INSIDE.search(first[0]) is not None
    )


def named_at(text: str) -> Iterator[NamedFunction]:
    """The functions that the first words of `text` may name, the longest name first.

    Only the first word alone is recognised with a wrong letter.
    """
    words = _WORDS.match(text)
    if words is None:
        return
    first, *others = (*(joint.start() for joint in re.finditer(r"[ \t-]", words[0])), words.end())
    for end in (*reversed(others), first):
        found = _respelt(text[:end])
        if found is not None:
            yield NamedFunction(*found, end)
    word = text[:first]
    if _respelt(word) is None and (len(word) >= _MIN_FUZZY_LENGTH or word.lower() in _SYNONYMS):
        yield from (NamedFunction(name, likeness, first) for name, likeness in _near(word))


def named_for(name: str, value: Data | Absent) -> tuple[NamedFunction, ...]:
    """As `named_by`, but functions that accept `value` where none of those that are alike does."""
    found = named_by(name)
    is_scalar = not isinstance(value, list)
    if any((each.likeness.is_certain and is_scalar) or each.function.problem(value) is None for each in found):
        return found
    if value is ABSENT or _NAME.fullmatch(name.strip()) is None:
        return found
    return accepting(name, value) or found


def accepting(name: str, value: Data) -> tuple[NamedFunction, ...]:
    """At most two functions that accept `value`, those whose names have most words in common with `name`.

    They drop no word of it that the name of a function has, and do not say the opposite. They may have none in common
    where the value itself says enough, a list or a pattern.
    """
    is_pattern = isinstance(value, str) and bool(pattern_signs(value))
    known = sorted({part for each in functions.ALL for part in each.name.split("_")})
    written = ((_synonyms(each) or nearest_names(each, known) or (each,))[0] for each in _SEPARATOR.split(name.lower()))
    words = {part for each in written for part in each.split("_")}
    needed = words.intersection(known)
    likeness: dict[str, tuple[int, int]] = {}
    for function in functions.ALL:
        own, search = function.name.split("_"), function.search
        is_literal = search is None or search.is_literal
        is_faithful = needed.issubset(own) and _keeps_sense(words, own)
        if function.problem(value) is None and not (is_pattern and is_literal) and is_faithful:
            likeness[function.weval_name or function.name] = (len(words.intersection(own)), -len(own))
    best = max(likeness.values(), default=(0, 0))
    near = [each for each, own in likeness.items() if own == best and (own[0] or is_pattern or isinstance(value, list))]
    return tuple(NamedFunction(each, Likeness.ALIKE, len(each)) for each in near[:2])


def _keeps_sense(written: Iterable[str], own: Iterable[str]) -> bool:
    """Whether neither of two names, given as their words, denies what the other says, nor says any for all."""
    is_denied = _NEGATIVE.isdisjoint(written) is not _NEGATIVE.isdisjoint(own)
    return not (is_denied or {*written} ^ {*own} >= {"any", "all"})


def named_by(name: str) -> tuple[NamedFunction, ...]:
    """At most two functions that the whole of `name` may mean, the nearest first.

    Empty if it is more than a name: `icontains notary`.
    """
    found = _respelt(name)
    if found is not None:
        return (NamedFunction(found[0], found[1], len(name)),)
    if _NAME.fullmatch(name.strip()) is None:
        return ()
    joined = _SEPARATOR.sub("_", name.strip())
    return tuple(NamedFunction(each, likeness, len(name)) for each, likeness in _near(joined))


def _synonyms(word: str) -> tuple[str, ...]:
    """The names that other tools' `word` stands for, also behind `not_`."""
    bare = word.removeprefix("not_")
    return tuple(f"{'not_' if bare != word else ''}{name}" for name in _SYNONYMS.get(bare, ()))


def _respelt(name: str) -> tuple[str, Likeness] | None:
    """The function whose name differs only in case and separators."""
    if function_named(name) is not None:
        return name, Likeness.SAME
    plain = _SEPARATOR.sub("_", _CAPITAL_INSIDE.sub("_", name)).strip("_").lower()
    for each in (plain, _SEPARATOR.sub("_", name).strip("_").lower()):
        function = function_named(each)
        if function is not None:
            known = functions.known_to_weval(each)
            return (each if known else function.weval_name or function.name), Likeness.RESPELT
    return None


def _near(word: str) -> tuple[tuple[str, Likeness], ...]:
    word = _NONE.sub(r"not_\1any_of", word)
    if synonyms := _synonyms(word.lower()):
        return tuple((name, Likeness.ALIKE) for name in synonyms)
    words = _SEPARATOR.split(word.lower())
    found = nearest_names(word, [name for name in known_names() if _keeps_sense(words, name.split("_"))])
    if len(found) == 1 and one_letter_off(word.lower(), found[0].lower()):
        return ((found[0], Likeness.NEAR),)
    return tuple((name, Likeness.ALIKE) for name in found)


def function_of(written: str) -> tuple[str, PointFunction] | None:
    """The function that the first item of a tuple names, with its correct name; None if there is none."""
    name = written.removeprefix("$")
    for each in (name, name.lower()):
        if (function := functions.find(each)) is not None:
            return each, function
    return None


# Signs of a pattern in a text that is looked for as it stands: `Sucre|La Paz`, `^Yes`, `refugee*`.


_QUOTED = lazy(
    r"(?<![\w*.)\]])(\*{1,3})(?=[^\s*])[^*\n]*[^\s*]\1(?![\w*])|`[^`\n]*`|\$[^$\n]+\$|\b[A-Za-z]\([^()\n]*\)"
    r"|\\b(?:ack|lack|(?:ar|ecause|egin|eta|f|ig\w{0,2}|in|inom|m|mod|oldsymbol|ot|ox|oxed|reve|ullet)(?![A-Za-z]))"
)
"""Emphasis and code of Markdown, a formula and commands of LaTeX, `f(x)` and `P(A|B)`: they have such signs for their
own."""
_SIGN = lazy(
    r"""(?<=\w)(?<!\b\d)\|(?=\w)(?!None\b) | (?<=[^\W\dA-Z_])\$$ | (?<=[)*+\]])\$$ | \\[.?!]\$$  # Sucre|La Paz, no$
    | ^\^(?=[^\W\d_](?:[^\W\d_]|\$)|[.(\[\\"'])                                     # ^Yes
    | (?:^|(?<=[\s^(|"']))\.[*+]\?? | (?<=[^\W\d_])\.[*+]\??(?=[^\W\d_]|$|[\s)|$])  # .*persecut.*
    | (?<![:\\\w])\\[dDwWsS](?![A-Za-z]) | \\[dDwWsS](?=[+*?]|\{\d) | (?<=\w)\\b(?![A-Za-z])  # \d
    | (?:^|(?<=[\s(|]))\\b(?=[^\W\d_]) # \bno
    | (?<=\w)\\[.?+](?=\w) | \(\?(?:[:=!<]|i\)) | \.\{\d+(?:,\d*)?\}                       # 3\.14, (?i)
    | \b(?!(?:char|int|void|float|double|long)\*)[^\W\d_]{3,}\*(?![\w*])            # refugee*
    | (?<=[a-z])\?(?=[a-z]+(?![\w=])) | (?<=[a-z])\([a-z]{1,4}\)\?                  # colou?r, point(s)?
    | \[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|0-9)[^\]\n]*\] | \[([A-Za-z])(?!\1)(?i:\1)\]  # [Yy]es
    """,
    re.VERBOSE,
)
_CHARACTERS = frozenset("|^$*+?\\[")
_PATH = lazy(r"\b[A-Za-z]:[\\/]|\w[/.]\w[\w/.]*\.\*|://")
"""A path, a package or an address, in which such signs mean something else."""


def pattern_signs(text: str) -> list[str]:
    """The signs of a pattern in `text`, in order; a word with a star for `refugee*`."""
    if _CHARACTERS.isdisjoint(text) or _PATH.search(text) is not None:
        return []
    return [found[0] for found in _SIGN.finditer(_QUOTED.sub(" ", text))]


_SLASHED = lazy(r"/(?P<body>(?:[^/\\\n]|\\.)+)/(?P<flags>[dgimsuvy]*)")
_MATCHING = lazy(r"(?:not_)?i?match(?:es)?(?:_all_of|_at_least_n_of)?")
_SEARCHING = lazy(r"(?:not_)?i?contains?")
_PLAIN_PATH = lazy(r"[\w.-]+")


class SlashedPattern(Record):
    """A pattern between slashes, and the function that takes it without them.

    `name` is None if no function takes its flags. `is_certain` says that nothing else can be meant.
    """

    pattern: str
    flags: str
    name: str | None
    is_certain: bool

    def checks(self) -> Iterator[Check]:
        """The check that takes it, if there is one."""
        if self.name is not None:
            yield Check(self.name, self.pattern, quoted(self.pattern), self.is_certain)


def slashed_pattern(written: str, function: str) -> SlashedPattern | None:
    """The pattern that `written`, an argument of `function`, contains between slashes; None if it is not one.

    For a function that looks for text, the pattern must have a flag `i` or `g`: otherwise the text may be a path.
    """
    found = _SLASHED.fullmatch(written)
    if found is None or len(set(found["flags"])) < len(found["flags"]):
        return None
    body, flags = found["body"].replace(r"\/", "/"), found["flags"]
    if _MATCHING.fullmatch(function) is not None:
        is_certain = bool(flags) or _PLAIN_PATH.fullmatch(body) is None
        return SlashedPattern(body, flags, _taking(function, flags, body), is_certain)
    if _SEARCHING.fullmatch(function) is not None and set(flags) & set("ig"):
        negation = "not_" if function.startswith("not_") else ""
        name = f"{negation}{'i' if 'icontain' in function else ''}matches"
        return SlashedPattern(body, flags, _taking(name, flags, body), False)
    return None


def _taking(name: str, flags: str, body: str) -> str | None:
    """The function like `name` that takes a pattern with these `flags`; None if there is none."""
    if not set(flags) <= set("giu") or ("u" in flags and re.search(r"\\[pPu]", body) is not None):
        return None
    if "i" in flags and "imatch" not in name:
        name = name.replace("match", "imatch", 1)
    function = functions.find(name)
    if function is None:
        return None
    return name if functions.known_to_weval(name) else function.weval_name or name


# Reads and writes the arguments of checks as YAML.
#
# The function decides what its argument is: for a function that takes a text, exactly the text after the name; for one
# that takes a list or numbers, the YAML value.


_NUMBERS = lazy(r"(\d+)\s*(?:-|–|to|and|,|\s)\s*(\d+)")
_PARTED = lazy(r"\s*[;\n]\s*|\s+\|\s+")
"""What parts the texts of a list but a comma; `a | b` is one pattern."""
_YES = frozenset(("yes", "true", "on"))
_DOUBLE_QUOTED = lazy(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_QUOTED = lazy(r"'(?:[^'\n]|''|(?<=\w)'(?=\w))*'")
"""A text in single quotes; an apostrophe within a word may lack its double."""
_ESCAPED_IN_DOUBLE = lazy(r"\\([\\\"])")


class Check(Record):
    """A valid check: a function, its argument, and the YAML of the argument, "" for one that stays as it is written.

    `is_certain` says that nothing else can be meant.
    """

    name: str
    argument: Data
    source: str
    is_certain: bool


def checks_of(name: str, function: PointFunction, written: str) -> Iterator[Check]:
    """The valid checks of a function, called `name`, whose argument `written` may mean, the likeliest first.

    A text keeps every character; quotation marks are removed only if they surround all of it. A pattern between slashes
    is one of the function that takes its flags.
    """
    for value, source, is_certain in _arguments(function, written):
        if function.problem(value) is None:
            slashed = slashed_pattern(value, name) if isinstance(value, str) else None
            yield from () if slashed is None else slashed.checks()
            yield Check(name, value, source, is_certain)


def takes_text(function: PointFunction) -> bool:
    """Whether the argument of `function` is a text."""
    return function.problem("x") is None


_Argument: TypeAlias = tuple[Data, str, bool]
"""A value, the YAML that it is written as, and whether nothing else can be meant."""


def _arguments(function: PointFunction, written: str) -> Iterator[_Argument]:
    is_pattern, stripped = "match" in function.name, written.strip()
    if takes_text(function):
        value = _without_quotes(stripped, is_pattern=is_pattern)
        is_certain = value is not None or _SINGLE_QUOTED.fullmatch(stripped) is None
        value = written if value is None else value
        yield value, stripped if _reads_as(stripped, value) else quoted(value), is_certain
        return
    if "\n" in written and (root := value_below(written)) is not None:
        data = to_data(root)
        yield data, json.dumps(data, ensure_ascii=False, default=str), True
    if function.problem(True) is None and stripped.strip("'\"").lower() in _YES:
        yield True, "true", True
    yield from _values(stripped, is_pattern=is_pattern)


def _values(stripped: str, *, is_pattern: bool) -> Iterator[_Argument]:
    """`stripped` as YAML, and as a list if it has commas or other signs that part, or is two numbers."""
    numbers, parts = _NUMBERS.fullmatch(stripped), _PARTED.split(stripped)
    listed = f"[{stripped}]" if "," in stripped else None
    if len(parts) > 1 and not (is_pattern and "|" in stripped):
        listed = json.dumps(parts, ensure_ascii=False)
    if numbers is not None:
        listed = f"[{numbers[1]}, {numbers[2]}]"
    for source, is_certain in ((stripped, True), (listed, False)):
        root = None if source is None else value_on_line(source)
        if source is not None and root is not None:
            data = to_data(root)
            yield data, source if "\n" not in source else json.dumps(data, ensure_ascii=False), is_certain


def _without_quotes(written: str, *, is_pattern: bool) -> str | None:
    """The text inside the quotation marks that surround all of `written`; None if none do.

    In a pattern between double quotes, `\\d` and `\\\\d` are both the digit class.
    """
    if len(written) < 2 or written[0] != written[-1] or written[0] not in "\"'":
        return None
    is_whole = written[0] == '"' and _DOUBLE_QUOTED.fullmatch(written) is not None
    if is_whole and is_pattern and "\\" in written:
        return _unescaped(written)
    root = value_on_line(written)
    if isinstance(root, ScalarNode) and root.style in (Style.SINGLE, Style.DOUBLE):
        return root.text
    return _unescaped(written) if is_whole else None


def _unescaped(written: str) -> str:
    """The pattern that is `written` in double quotes."""
    return _ESCAPED_IN_DOUBLE.sub(r"\1", written[1:-1])


def _reads_as(source: str, value: Data) -> bool:
    root = value_on_line(source)
    return root is not None and not isinstance(root, MappingNode | SequenceNode) and to_data(root) == value


def written_as_mapping(key: str, source: str, value: Data, *, in_brackets: bool) -> str:
    """`key: source`, in braces if it is within brackets; with `value` quoted or as JSON if `source` would not do."""
    for each in (source, quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)):
        whole = f"{{{key}: {each}}}" if in_brackets else f"{key}: {each}"
        tree = load(f"[{whole}]" if in_brackets else f"- {whole}")
        root = tree.documents[0].root if tree.documents else None
        if tree.error is None and root is not None and to_data(root) == [{key: value}]:
            return whole
    return whole
