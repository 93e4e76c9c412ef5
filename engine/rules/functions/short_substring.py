r"""# short-substring: Short text that other words contain

A check that finds one to three letters, or one or two digits, anywhere: `no` in "know", `4` in "1984".

Such a check passes by accident. Nearly every answer contains a `D` for `$icontains: D`, so the point is given away:
with two points, half of the score. It matters most if the answer is one letter out of several.

The message names a word that contains the text: one of this prompt, of its ideal, or a common English word, for a
single digit also a common number. A form of the same word, "rats" for `rat`, does not count. If there is none, nothing
is reported. Three letters have to be in a word that nearly every answer has: `red` is not reported because of "credit".
Nor is the number of an option in a numbered list.

Bad:

    - id: exists
      prompt: Does the law exist? Answer yes or no.
      should:
        - $icontains: 'no'

Good:

    - id: exists
      prompt: Does the law exist? Answer yes or no.
      should:
        - $icontains_word: 'no'

Fix (unsafe): whole words only. For a single letter, also a pattern for an answer that is this letter alone, if the
prompt asks for just that; "a" is a word of its own in nearly every English answer. A fix is offered only if the
prompt's ideal passes it, and so does an ordinary answer of the form that the prompt asks for, such as reasoning first
for "think step by step".

Documents: The `should` system, Part 1, Idiomatic Function Call, `$contains_word`; Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

from engine.blueprint import FunctionCall, Point, Prompt
from engine.functions.function_text import listed
from engine.functions.point_function import Quantifier, Target
from engine.rules.checks import hooked_rule, prompt_check_hooks, renamed_function, searched, text_place
from engine.rules.functions.literal_forms import escaped
from engine.rules.functions.rewritten_checks import as_patterns
from engine.rules.rule import Report
from engine.rules.source.pattern_places import patterns_of
from engine.rules.source.prompt_texts import AnswerForm, answer_form, ordinary_answers, sent_text
from engine.rules.source.regex_parser import Alternation, Repeat, parse_regex, parts
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record

_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN")
"""Scripts that separate words by blanks."""
_ONE_LETTER_WORDS = "aAiI"
_NUMBERED_OPTION = lazy(r"^[ \t]*\(?2[.):]\s", re.MULTILINE)


class _PromptContext(Record):
    """The prompt that a check belongs to: its text, its ideal, and the form of answer that it asks for."""

    prompt: str
    ideal: str
    form: AnswerForm


@hooked_rule(
    prompt_check_hooks,
    "F016",
    Severity.WARNING,
    why="A wrong answer passes the check by accident, so the point is given away.",
)
def short_substring(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterable[Report]:
    text = "" if prompt is None else sent_text(prompt)
    ideal = (prompt and prompt.ideal) or ""
    reports = tuple(_reports(view, points, _PromptContext(text, ideal, answer_form(text))))
    is_fixed = reports and any(_fixes_whole_answer(each.bare) for point in points for each in patterns_of(point))
    return () if is_fixed else reports


def _reports(view: FileView, points: Sequence[Point], context: _PromptContext) -> Iterator[Report]:
    for point in points:
        call, search = searched(point) or (None, None)
        is_pattern = search is not None and not search.is_literal and search.quantifier is Quantifier.ONE
        if call is None or search is None or not (search.target is Target.TEXT or is_pattern):
            continue
        texts = [each.written for each in patterns_of(point)] if is_pattern else [*call.texts()]
        any_case = search.ignores_case
        short = [text for text in texts if _is_short(text, any_case=any_case)]
        holders = {text: holder for text in short if (holder := _holder(text, context, any_case=any_case)) is not None}
        if holders:
            yield _report(view, point, holders, context)


def _holder(short: str, context: _PromptContext, *, any_case: bool) -> str | None:
    """A word that contains `short`, and where it is from; None if there is none."""
    for text, whose in ((context.prompt, "of this prompt"), (context.ideal, "of the ideal")):
        word = word_containing(short, text, any_case=any_case)
        if word is not None:
            return f"“{word}”, a {'number' if short.isdigit() else 'word'} {whose}"
    if short.isdigit() and _NUMBERED_OPTION.search(context.prompt) is not None:
        return None  # the answer is the number of an option: others have one digit, too
    word = common_word_containing(short, any_case=any_case)
    return None if word is None else f"“{word}”, a common {'number' if short.isdigit() else 'word'}"


def _fixes_whole_answer(pattern: str) -> bool:
    """Whether a pattern describes the whole answer with a limited length, so that it contains nothing by accident."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return False
    tree = parse_regex(pattern)
    is_open = tree is None or any(isinstance(part, Repeat) and part.most is None for part in parts(tree))
    return not is_open and not isinstance(tree, Alternation)


def _is_short(text: str, *, any_case: bool) -> bool:
    """Whether other words may contain `text`; not if it is an abbreviation such as `USA` and case matters."""
    if text.isdigit() and text.isascii():
        return len(text) <= 2
    if not 1 <= len(text) <= 3 or not text.isalpha():
        return False
    if not any_case and len(text) > 1 and text.isupper():
        return False
    return text.isascii() or all(unicodedata.name(letter, "").startswith(_SCRIPTS) for letter in text)


def _report(view: FileView, point: Point, holders: dict[str, str], context: _PromptContext) -> Report:
    short = list(holders)
    verb = "is" if len(short) == 1 else "are"
    message = f"{listed(short)} {verb} also found inside other words, such as {holders[short[0]]}"
    if len(short) == 1:
        message = f"{listed(short)} is also found in {holders[short[0]]}"
    return Report(text_place(view, point, short[0]), message, fixes=tuple(_fixes(view, point, short, context)))


def _fixes(view: FileView, point: Point, short: list[str], context: _PromptContext) -> Iterator[Fix]:
    call, search = searched(point) or (None, None)
    if call is None or search is None or not search.is_literal or any(text in _ONE_LETTER_WORDS for text in short[1:]):
        return
    if search.quantifier is Quantifier.ONE:
        yield from _fixes_of_text(view, point, call, short[0], context)
    elif short[0] not in _ONE_LETTER_WORDS:
        yield from _fixes_of_list(view, point, call, context)


def _fixes_of_text(
    view: FileView, point: Point, call: FunctionCall, text: str, context: _PromptContext
) -> Iterator[Fix]:
    alone = rf"^\W*{text}\W*$"
    is_letter = len(text) == 1 and text.isalpha() and text.isascii()
    if is_letter and _passes(call, [alone], context):
        yield from as_patterns(view, point, {text: alone}, f"the answer is “{text}” alone")
    word = f"{call.name}_word"
    naming = renamed_function(view, point, word)
    is_word = rf"(?<!\w){re.escape(text)}(?!\w)"
    if naming is not None and text not in _ONE_LETTER_WORDS and _passes(call, [is_word], context):
        yield Fix(f"as a whole word: ${word}", False, (naming,))


def _passes(call: FunctionCall, patterns: Sequence[str], context: _PromptContext) -> bool:
    """Whether the ideal and ordinary answers of the requested form pass with `patterns` in place of the texts.

    For a `$not_` check, only the ideal is tried: an ordinary answer contains what the check looks for.
    """
    flags = re.IGNORECASE if call.name.removeprefix("not_").startswith("i") else re.NOFLAG
    texts = list(call.texts())
    answers = ordinary_answers(context.form, ", ".join(texts))
    negated = call.name.startswith("not_")
    ideal_passes = not context.ideal.strip() or _is_met(call, patterns, context.ideal, flags) is not negated
    return ideal_passes and (negated or all(_is_met(call, patterns, answer, flags) for answer in answers))


def _is_met(call: FunctionCall, patterns: Sequence[str], answer: str, flags: re.RegexFlag) -> bool:
    found = sum(re.search(pattern, answer, flags) is not None for pattern in patterns)
    match call.args:
        case [int(least), list()]:
            return found >= least
        case _:
            return found == len(patterns) if "all_of" in call.name else found > 0


def _fixes_of_list(view: FileView, point: Point, call: FunctionCall, context: _PromptContext) -> tuple[Fix, ...]:
    """The fix that turns a list of texts into patterns for whole words; only for texts in ASCII."""
    texts = [*call.texts()]
    are_words = all(text.isascii() and text[:1].isalnum() and text[-1:].isalnum() for text in texts)
    if not are_words or not _passes(call, [rf"\b{escaped(text)}\b" for text in texts], context):
        return ()
    return as_patterns(view, point, {}, "as whole words", Target.WORD)


_LISTS: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("common_words.toml").read_text(encoding="utf-8"))
COMMON_WORDS = tuple(_LISTS["common"].split())
_IN_MOST_ANSWERS = tuple(_LISTS["frequent"].split())
_ROUND = (110, 120, 125, 150, 180, 200, 250, 300, 360, 365, 400, 500, 1000)
COMMON_NUMBERS = tuple(map(str, chain(range(10, 101), range(1900, 2031), _ROUND)))
"""Small numbers, years and round numbers, in which a digit is found by accident."""

_LONGEST_ANYWHERE = 3
"""Letters from which on a text is in few words."""
_INFLECTIONS = frozenset({"s", "es", "ed", "ing"})
_LETTERS = lazy(r"[^\W\d_]+")
_NUMBER = lazy(r"\d+")


def word_containing(short: str, text: str, *, any_case: bool) -> str | None:
    """The first word of `text`, or number if `short` is one, that contains `short` and more; None if none does."""
    pattern = _NUMBER if short.isdigit() else _LETTERS
    return _first(short, (found[0] for found in pattern.finditer(text)), any_case=any_case)


@lru_cache(maxsize=1000)
def common_word_containing(short: str, *, any_case: bool) -> str | None:
    """The first common word or number that contains `short` and more, capitalised if needed; None if none does.

    None for two digits: a wrong answer with just the year that contains them is far-fetched. Three letters have to be
    in a word of nearly every answer: “credit” is no reason to expect “red” in a wrong one.
    """
    if short.isdigit():
        return _first(short, COMMON_NUMBERS, any_case=True) if len(short) == 1 else None
    words = COMMON_WORDS if len(short) < _LONGEST_ANYWHERE else _IN_MOST_ANSWERS
    found = _first(short, words, any_case=any_case)
    return found or _first(short, (word.capitalize() for word in words), any_case=False)


def _first(short: str, words: Iterator[str] | tuple[str, ...], *, any_case: bool) -> str | None:
    wanted = short.casefold() if any_case else short
    for word in words:
        compared = word.casefold() if any_case else word
        if wanted in compared and len(compared) > len(wanted) and not _is_inflection(compared, wanted):
            return word
    return None


def _is_inflection(word: str, short: str) -> bool:
    """Whether `word` is a form of the word `short`, as “rats” is of “rat”: there, it is not found by accident."""
    return len(short) > 1 and word.startswith(short) and word[len(short) :] in _INFLECTIONS
