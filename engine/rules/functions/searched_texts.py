"""# invisible-character

A character that nobody sees, inside what a check looks for or inside an id: a no-break space, a zero-width space, a
soft hyphen, a mark of direction. In prompts, ideals and criteria, marks of direction alone, and what hides the quotes
or the check of a point from YAML.

Such characters come along when text is copied from a web page or a PDF. A check for "90 km" with a no-break space does
not find the "90 km" that a model writes, so every right answer loses the point: with two points, half of the score. An
id with one is another id than the one that is typed.

Text between marks of direction is shown in another order than it is read: a model or a judge gets other text than its
author sees. Only those that turn letters around (overrides) are reported in a text with letters that are written from
right to left, because it needs the others.

Joiners that a script or an emoji needs are fine, as are escapes such as `"\\u00a0"`, a literal of nothing else, and a
list that has the plain form as well. In a key, `unknown-key` and `unknown-function` report it.

Bad:

    - id: distance
      prompt: How far is it from Nairobi to Naivasha?
      should:
        - Names the road
        - $contains: '90\u00a0km'

Good:

    - id: distance
      prompt: How far is it from Nairobi to Naivasha?
      should:
        - Names the road
        - $contains: '90 km'

Fix (unsafe): the plain form: an ordinary space for a no-break space, nothing for the others.

Documents: Blueprint format, Troubleshooting 5.

# curly-quote-in-literal: Curly quotes in what a check looks for

Typographic quotation marks inside what a check looks for: `“clear danger”`, `I’m`.

YAML knows only straight quotes, so curly ones around a text belong to the text, and the check looks for them. A
curly apostrophe is found only in an answer that has the same one, and most models write `I'm`. Every right answer
loses the point: with two points, half of the score.

Nothing is reported if the check accepts the straight form as well, or if the prompt or the ideal has these very
words.

Bad:

    - id: test
      prompt: Which test did Justice Holmes coin?
      should:
        - Names the case
        - $icontains: “clear and present danger”

Good:

    - id: test
      prompt: Which test did Justice Holmes coin?
      should:
        - Names the case
        - $icontains: 'clear and present danger'

Fix (unsafe): without the quotes where they are around the whole text; else a check that accepts both forms.

Documents: Blueprint format, Troubleshooting 5; Blueprint format, Point Definition Formats 3.

# short-substring: Short text that other words contain

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

from engine import functions
from engine.blueprint import FunctionCall, Point, Prompt
from engine.functions.function_text import listed
from engine.functions.point_function import Quantifier, Target
from engine.rules.checks import (
    check_rule,
    checks_in,
    defined_checks,
    is_negated,
    known_text,
    renamed,
    sent_text,
    text_place,
)
from engine.rules.functions import literal_forms
from engine.rules.rule import FileView, PromptView, Report, fix_at, prompt_rule
from engine.rules.source import prompt_texts
from engine.rules.source.misspelt_checks import UNSEEN, check_of_mapping
from engine.rules.source.regexes import Alternation, Repeat, parse_regex, parts, patterns_of
from engine.text import Fix, Record, Span, TextEdit, in_quotes, lazy
from engine.text.spans import pictures_in
from engine.yaml.layout import first_line, quoted
from engine.yaml.tree_loader import enclosing_mapping

_BLANKS = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
"""Blanks other than the space."""
_OVERRIDES = "\u202c\u202d\u202e"
"""What turns letters around, the end of it first."""
_DIRECTIONS = lazy("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


_HIDING = lazy(rf"[{UNSEEN}\u00ad\u200e\u200f]+(?=[\"'$\[{{|>&*!]|-\s|(?:text|point|fn)\s*:)")
"""Signs without width at the beginning of a point, before what YAML or a check begins with."""


def _unseen(text: str) -> dict[int, str]:
    """The characters of `text` that nobody sees, and no script and no emoji needs, by their places."""
    hidden = () if text.isascii() else {at for at, _ in pictures_in(text)}
    return {at: each for at, each in enumerate(text) if at in hidden or each in _BLANKS}


def _rewritten(text: str, blank: str, other: str) -> str:
    """`text` with `blank` for each unseen blank and `other` for each other unseen character."""
    unseen = _unseen(text)
    return "".join((blank if each in _BLANKS else other) if at in unseen else each for at, each in enumerate(text))


def _plain(text: str) -> str:
    """`text` without its unseen characters, with ordinary spaces."""
    return _rewritten(text, " ", "")


def _shown(text: str) -> str:
    """`text` with a visible sign for each unseen character."""
    return _rewritten(text, "␣", "·")


def _unseen_report(
    source: str, place: Span, within: Span, unseen: Iterable[str], *message: str, why: str = ""
) -> Report:
    """The report on the characters `unseen`, whose names part the `message`, with the fix for all that `within` has."""
    plain = {each: " " if each in _BLANKS else "" for each in unseen}
    names = [f"{unicodedata.name(each, 'hidden character').lower()} (U+{ord(each):04X})" for each in plain]
    named = " and ".join(f"an {name}" if name[0] == "a" else f"a {name}" for name in names)
    places = [at for at in range(within.start, within.end) if source[at] in plain]
    edits = tuple(TextEdit(Span(at, at + 1), plain[source[at]]) for at in places)
    title = "write an ordinary space" if " " in plain.values() else "remove it"
    return Report(place, named.join(message), why=why, fixes=(Fix(title, False, edits),))


def _before_points(view: PromptView) -> Iterator[Report]:
    """The reports on points whose quotes, check or key is hidden from YAML by what stands in front of it."""
    for point in view.prompt.points():
        found = _HIDING.match(view.text, point.span.start)
        if found is None:
            continue
        mapping = enclosing_mapping(view.tree, point.subject_span)
        if check_of_mapping(view.text, mapping, is_json=view.file.is_json):
            continue  # `unknown-function` reports it
        message = ("", " stands before this criterion: what follows is read as plain text")
        why = "YAML does not see the quotes, the check or the key behind it, so another criterion is scored."
        place = first_line(view.text, point.span)
        yield _unseen_report(view.text, place, Span(*found.span()), found[0], *message, why=why)


def _in_file(view: FileView) -> Iterator[Report]:
    yield from _in_checks(view, defined_checks(view))
    for part in view.outside_prompts():
        yield from _turned_around(view, part)


def _turned_around(view: FileView, part: Span) -> Iterator[Report]:
    """The reports on texts that are sent or judged, and shown in another order than they are read."""
    for node, key in prompt_texts.written_with(view, _DIRECTIONS, part):
        signs = dict.fromkeys(_DIRECTIONS.findall(node.text) if key in prompt_texts.SENT_KEYS else ())
        if any(each not in signs and unicodedata.bidirectional(each) in ("R", "AL") for each in node.text):
            is_turned = any(each in signs for each in _OVERRIDES[1:])
            signs = [each for each in signs if each in _OVERRIDES] if is_turned else ()
        unseen = [each for each in signs if each in node.span.of(view.text)]
        if unseen:
            message = ("this text holds ", ": what is read is not what is shown")
            why = "A model and a judge get the letters in the order in which they are stored, and these signs too."
            yield _unseen_report(view.text, first_line(view.text, node.span), node.span, unseen, *message, why=why)


def _in_checks(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for each in literal_forms.searched_texts(points):
        if each.text.isascii():
            continue
        text = (
            literal_forms.CHARACTER_CLASS.sub(lambda found: "x" * len(found[0]), each.text)
            if each.is_pattern
            else each.text
        )
        unseen, plain = _unseen(text).values(), _plain(each.text)
        if not unseen or not plain.strip() or plain in each.others:
            continue
        node = each.point.argument_node(each.text)
        place = None if node is None else _first_place(view.text, node.span, unseen)
        if node is None or place is None:
            continue  # written elsewhere, or on purpose with an escape
        missed = "caught" if is_negated(each.point) else "found"
        shown = f"{in_quotes(plain.strip())} in an answer is not {missed}"
        yield _unseen_report(
            view.text, place, node.span, unseen, f"{in_quotes(_shown(each.text))} holds ", f": {shown}"
        )


def _in_id(source: str, prompt: Prompt) -> Iterator[Report]:
    """The report on an id, which is unique only to the eye."""
    unseen = [each for each in _unseen(prompt.id).values() if each in prompt.id_span.of(source)]
    if prompt.id_written and unseen:
        named, typed = in_quotes(_shown(prompt.id)), in_quotes(_plain(prompt.id))
        message = (f"the id {named} holds ", f": it is not the id {typed} that one types")
        why = "Results, fixtures and `--prompt` go by the id, and nobody can see or type this one."
        yield _unseen_report(source, prompt.id_span, prompt.id_span, unseen, *message, why=why)


def _first_place(source: str, span: Span, unseen: Iterable[str]) -> Span | None:
    """The line of `span` with the first of the characters; None if the source has none of them."""
    places = [at for each in unseen if (at := source.find(each, span.start, span.end)) >= 0]
    line, first = first_line(source, span), min(places, default=None)
    return None if first is None else line if first <= line.end else first_line(source, Span(first, span.end))


_CURLY = frozenset((*literal_forms.APOSTROPHES, *literal_forms.QUOTES))


def _has_curly(text: str) -> bool:
    return not text.isascii() and not _CURLY.isdisjoint(text)


@check_rule()
def curly_quote_in_literal(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    """One report for each check with a curly quote that the text of the prompt does not have like that."""
    known = "" if prompt is None else known_text(prompt)
    reported: set[Span] = set()
    for each in literal_forms.searched_texts(points):
        if not _has_curly(each.text) or literal_forms.straight(each.text) in each.others or each.text in known:
            continue
        curly = _CURLY.intersection(each.text)
        if each.is_pattern and all(_is_optional(each.text, character) for character in curly):
            continue
        node = each.point.argument_node(each.text)
        if node is None or curly.isdisjoint(node.span.of(view.text)):
            continue  # written elsewhere, or on purpose with an escape
        if each.point.span not in reported:
            yield _curly_report(view, each, node.span)
        reported.add(each.point.span)


def _is_optional(pattern: str, character: str) -> bool:
    """Whether the pattern accepts something else instead of each `character`: it is in a class, or has a `?`."""
    outside = literal_forms.CHARACTER_CLASS.sub("", pattern)
    is_quantified = all(
        outside[found.end() : found.end() + 1] in ("?", "*") for found in re.finditer(character, outside)
    )
    return is_quantified or (literal_forms.straight(character) in pattern and "|" in pattern)


def _curly_report(view: FileView, each: literal_forms.SearchedText, span: Span) -> Report:
    line = first_line(view.text, span)
    if len(each.text) > 2 and each.text[0] in literal_forms.QUOTES and each.text[-1] in literal_forms.QUOTES:
        bare = each.text[1:-1]
        return Report(
            line,
            f"the curly quotes are part of the text, so {in_quotes(bare)} without them is not found",
            why="YAML knows only straight quotes: curly ones belong to the text that is looked for.",
            fixes=fix_at("without the curly quotes", span, quoted(bare, is_json=view.is_json)),
        )
    message = f"an answer with straight quotes, `{literal_forms.straight(each.text)}`, is not found"
    return Report(line, message, fixes=tuple(_accepting_both(view, each, span)))


def _accepting_both(view: FileView, each: literal_forms.SearchedText, span: Span) -> Iterator[Fix]:
    """The fix after which the check finds straight quotes as well; none where it would not be certain."""
    if not each.is_pattern:
        plain = {text: literal_forms.straight(text) for text in each.point.call.texts() if _has_curly(text)}
        missed = [
            literal_forms.FormatMiss(text, form, literal_forms.either_quote(literal_forms.escaped(form)))
            for text, form in plain.items()
        ]
        yield from literal_forms.tolerant_fixes(view, each.point, missed)
    elif "[" not in each.text:  # else the quote may be within a class
        pattern = quoted(literal_forms.either_quote(literal_forms.straight(each.text)), is_json=view.is_json)
        yield Fix("accept both forms", False, (TextEdit(span, pattern),))


@prompt_rule(on_file=_in_file)
def invisible_character(view: PromptView) -> Iterable[Report]:
    yield from _in_id(view.text, view.prompt)
    yield from _before_points(view)
    yield from _turned_around(view.file, view.prompt.span)
    yield from _in_checks(view.file, tuple(checks_in(view)))


_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN")
"""Scripts that separate words by blanks."""
_ONE_LETTER_WORDS = "aAiI"
_NUMBERED_OPTION = lazy(r"^[ \t]*\(?2[.):]\s", re.MULTILINE)


class _PromptContext(Record):
    """The prompt that a check belongs to: its text, its ideal, and the form of answer that it asks for."""

    prompt: str
    ideal: str
    form: prompt_texts.AnswerForm


@check_rule()
def short_substring(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterable[Report]:
    text = "" if prompt is None else sent_text(prompt)
    ideal = (prompt and prompt.ideal) or ""
    reports = tuple(_short_reports(view, points, _PromptContext(text, ideal, prompt_texts.answer_form(text))))
    is_fixed = reports and any(_fixes_whole_answer(each.bare) for point in points for each in patterns_of(point))
    return () if is_fixed else reports


def _short_reports(view: FileView, points: Sequence[Point], context: _PromptContext) -> Iterator[Report]:
    for point in points:
        search = functions.search_of(point.call)
        is_pattern = search is not None and not search.is_literal and search.quantifier is Quantifier.ONE
        if search is None or not (search.target is Target.TEXT or is_pattern):
            continue
        texts = [each.written for each in patterns_of(point)] if is_pattern else [*point.call.texts()]
        any_case = search.ignores_case
        short = [text for text in texts if _is_short(text, any_case=any_case)]
        holders = {text: holder for text in short if (holder := _holder(text, context, any_case=any_case)) is not None}
        if holders:
            yield _short_report(view, point, holders, context)


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


def _short_report(view: FileView, point: Point, holders: dict[str, str], context: _PromptContext) -> Report:
    short = list(holders)
    message = f"{listed(short)} are also found inside other words, such as {holders[short[0]]}"
    if len(short) == 1:
        message = f"{listed(short)} is also found in {holders[short[0]]}"
    return Report(text_place(view, point, short[0]), message, fixes=tuple(_short_fixes(view, point, short, context)))


def _short_fixes(view: FileView, point: Point, short: list[str], context: _PromptContext) -> Iterator[Fix]:
    """The fixes that look for whole words, or for an answer that is a letter alone; lists only in ASCII."""
    call, search = point.call, functions.search_of(point.call)
    if search is None or not search.is_literal or any(text in _ONE_LETTER_WORDS for text in short[1:]):
        return
    text, texts, is_word = short[0], [*call.texts()], short[0] not in _ONE_LETTER_WORDS
    if search.quantifier is not Quantifier.ONE:
        are_words = is_word and all(each.isascii() and each[:1].isalnum() and each[-1:].isalnum() for each in texts)
        if are_words and _passes(call, [rf"\b{literal_forms.escaped(each)}\b" for each in texts], context):
            yield from literal_forms.as_patterns(view, point, {}, "as whole words", Target.WORD)
        return
    alone = rf"^\W*{text}\W*$"
    is_letter = len(text) == 1 and text.isalpha() and text.isascii()
    if is_letter and _passes(call, [alone], context):
        yield from literal_forms.as_patterns(view, point, {text: alone}, f"the answer is “{text}” alone")
    if is_word and _passes(call, [rf"(?<!\w){re.escape(text)}(?!\w)"], context):
        yield Fix(f"as a whole word: ${call.name}_word", False, renamed(view, point, f"{call.name}_word"))


def _passes(call: FunctionCall, patterns: Sequence[str], context: _PromptContext) -> bool:
    """Whether the ideal and ordinary answers of the requested form pass with `patterns` in place of the texts.

    For a `$not_` check, only the ideal is tried: an ordinary answer contains what the check looks for.
    """
    flags = re.IGNORECASE if call.name.removeprefix("not_").startswith("i") else re.NOFLAG
    answers = prompt_texts.ordinary_answers(context.form, ", ".join(call.texts()))
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
