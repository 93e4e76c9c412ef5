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
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.rules.checks import checks_in, defined_checks, hooked_rule, is_negated, prompt_check_hooks
from engine.rules.functions.literal_forms import (
    APOSTROPHES,
    CHARACTER_CLASS,
    QUOTES,
    FormatMiss,
    SearchedText,
    either_quote,
    escaped,
    searched_texts,
    straight,
    written_texts,
)
from engine.rules.functions.rewritten_checks import tolerant_fixes
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.check_keys import check_of_mapping
from engine.rules.source.check_texts import UNSEEN
from engine.rules.source.prompt_texts import known_text
from engine.rules.source.written_texts import SENT_KEYS, written_with
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.hidden_characters import pictures_in
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit, in_quotes
from engine.yaml.layout import first_line, quoted
from engine.yaml.node_search import enclosing_mapping

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


def _instead(character: str) -> str:
    """What is written instead: an ordinary space for a blank, nothing for the others."""
    return " " if character in _BLANKS else ""


def _plain(text: str) -> str:
    """`text` without its unseen characters, with ordinary spaces."""
    unseen = _unseen(text)
    return "".join(_instead(each) if at in unseen else each for at, each in enumerate(text))


def _shown(text: str) -> str:
    """`text` with a visible sign for each unseen character."""
    unseen = _unseen(text)
    return "".join(("␣" if _instead(each) else "·") if at in unseen else each for at, each in enumerate(text))


def _report(source: str, place: Span, within: Span, unseen: Iterable[str], *message: str, why: str = "") -> Report:
    """The report on the characters `unseen`, whose names part the `message`, with the fix for all that `within` has."""
    plain = {each: _instead(each) for each in unseen}
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
        yield _report(
            view.text,
            first_line(view.text, point.span),
            Span(*found.span()),
            found[0],
            "",
            " stands before this point: what follows is read as plain text",
            why="YAML does not see the quotes, the check or the key behind it, so another point is scored.",
        )


def _in_file(view: FileView) -> Iterator[Report]:
    yield from _in_checks(view, defined_checks(view))
    for part in view.outside_prompts():
        yield from _turned_around(view, part)


def _turned_around(view: FileView, part: Span) -> Iterator[Report]:
    """The reports on texts that are sent or judged, and shown in another order than they are read."""
    for node, key in written_with(view, _DIRECTIONS, part):
        signs = dict.fromkeys(_DIRECTIONS.findall(node.text) if key in SENT_KEYS else ())
        if any(each not in signs and unicodedata.bidirectional(each) in ("R", "AL") for each in node.text):
            signs = (
                [each for each in signs if each in _OVERRIDES] if any(map(signs.__contains__, _OVERRIDES[1:])) else ()
            )
        unseen = [each for each in signs if each in node.span.of(view.text)]
        if unseen:
            yield _report(
                view.text,
                first_line(view.text, node.span),
                node.span,
                unseen,
                "this text holds ",
                ": what is read is not what is shown",
                why="A model and a judge get the letters in the order in which they are stored, and these signs too.",
            )


def _in_checks(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for each in searched_texts(points):
        if each.text.isascii():
            continue
        text = CHARACTER_CLASS.sub(lambda found: "x" * len(found[0]), each.text) if each.is_pattern else each.text
        unseen, plain = _unseen(text).values(), _plain(each.text)
        if not unseen or not plain.strip() or plain in each.others:
            continue
        node = each.point.argument_node(each.text)
        place = None if node is None else _first_place(view.text, node.span, unseen)
        if node is None or place is None:
            continue  # written elsewhere, or on purpose with an escape
        missed = "caught" if is_negated(each.point) else "found"
        shown = f"{in_quotes(plain.strip())} in an answer is not {missed}"
        yield _report(view.text, place, node.span, unseen, f"{in_quotes(_shown(each.text))} holds ", f": {shown}")


def _in_id(source: str, prompt: Prompt) -> Iterator[Report]:
    """The report on an id, which is unique only to the eye."""
    unseen = [each for each in _unseen(prompt.id).values() if each in prompt.id_span.of(source)]
    if prompt.id_written and unseen:
        yield _report(
            source,
            prompt.id_span,
            prompt.id_span,
            unseen,
            f"the id {in_quotes(_shown(prompt.id))} holds ",
            f": it is not the id {in_quotes(_plain(prompt.id))} that one types",
            why="Results, fixtures and `--prompt` go by the id, and nobody can see or type this one.",
        )


def _first_place(source: str, span: Span, unseen: Iterable[str]) -> Span | None:
    """The line of `span` with the first of the characters; None if the source has none of them."""
    places = [at for each in unseen if (at := source.find(each, span.start, span.end)) >= 0]
    if not places:
        return None
    line = first_line(source, span)
    return line if min(places) <= line.end else first_line(source, Span(min(places), span.end))


_CURLY = frozenset((*APOSTROPHES, *QUOTES))


def _has_curly(text: str) -> bool:
    return not text.isascii() and not _CURLY.isdisjoint(text)


@hooked_rule(
    prompt_check_hooks,
    "F082",
    Severity.WARNING,
    why="Most models write straight quotes, so a right answer loses the point.",
)
def curly_quote_in_literal(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    """One report for each check with a curly quote that the text of the prompt does not have like that."""
    known = "" if prompt is None or not any(map(_has_curly, written_texts(points))) else known_text(prompt)
    reported: set[Span] = set()
    for each in searched_texts(points):
        if not _has_curly(each.text) or straight(each.text) in each.others or each.text in known:
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
    outside = CHARACTER_CLASS.sub("", pattern)
    is_quantified = all(
        outside[found.end() : found.end() + 1] in ("?", "*") for found in re.finditer(character, outside)
    )
    return is_quantified or (straight(character) in pattern and "|" in pattern)


def _curly_report(view: FileView, each: SearchedText, span: Span) -> Report:
    line = first_line(view.text, span)
    if len(each.text) > 2 and each.text[0] in QUOTES and each.text[-1] in QUOTES:
        bare = each.text[1:-1]
        return Report(
            line,
            f"the curly quotes are part of the text, so {in_quotes(bare)} without them is not found",
            why="YAML knows only straight quotes: curly ones belong to the text that is looked for.",
            fixes=(Fix("without the curly quotes", False, (TextEdit(span, quoted(bare, is_json=view.is_json)),)),),
        )
    message = f"an answer with straight quotes, `{straight(each.text)}`, is not found"
    return Report(line, message, fixes=tuple(_accepting_both(view, each, span)))


def _accepting_both(view: FileView, each: SearchedText, span: Span) -> Iterator[Fix]:
    """The fix after which the check finds straight quotes as well; none where it would not be certain."""
    if not each.is_pattern:
        texts = () if each.point.function is None else each.point.function.texts()
        plain = {text: straight(text) for text in texts if _has_curly(text)}
        missed = [FormatMiss(text, form, either_quote(escaped(form))) for text, form in plain.items()]
        yield from tolerant_fixes(view, each.point, missed)
    elif "[" not in each.text:  # else the quote may be within a class
        pattern = quoted(either_quote(straight(each.text)), is_json=view.is_json)
        yield Fix("accept both forms", False, (TextEdit(span, pattern),))


@prompt_rule(
    "F081",
    Severity.WARNING,
    why="The check does not find the text that it shows, so every right answer loses the point.",
    on_file=_in_file,
)
def invisible_character(view: PromptView) -> Iterable[Report]:
    yield from _in_id(view.text, view.prompt)
    yield from _before_points(view)
    yield from _turned_around(view.file, view.prompt.span)
    if view.checks and not all(text.isascii() for text in written_texts(view.checks)):
        yield from _in_checks(view.file, tuple(checks_in(view)))
