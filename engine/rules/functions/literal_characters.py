"""# invisible-character

A character that nobody sees, inside what a check looks for or inside an id: a no-break space, a zero-width space, a
soft hyphen, a mark of direction.

Such characters come along when text is copied from a web page or a PDF. A check for "90 km" with a no-break space does
not find the "90 km" that a model writes, so every right answer loses the point: with two points, half of the score. An
id with one is another id than the one that is typed.

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

# curly-quote-in-literal

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
from collections.abc import Callable, Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.functions.point_function import Quantifier
from engine.hidden_characters import pictures_in
from engine.record import Record
from engine.rules.checks import checks_in, defined_checks, is_negated
from engine.rules.functions.literal_forms import APOSTROPHES, QUOTES, either_quote, escaped, straight
from engine.rules.functions.tolerant_checks import OtherForm, tolerant_fix
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line, quoted
from engine.rules.source.node_search import argument_node
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit

_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
_UNSEEN = re.compile(
    f"[{_SPACES}\u00ad\u034f\u061c\u115f-\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
_NAMES = {
    "\u00a0": "no-break space",
    "\u202f": "narrow no-break space",
    "\u00ad": "soft hyphen",
    "\u200b": "zero-width space",
    "\u200c": "zero-width non-joiner",
    "\u200d": "zero-width joiner",
    "\u200e": "left-to-right mark",
    "\u200f": "right-to-left mark",
    "\u2060": "word joiner",
    "\ufeff": "byte order mark",
}
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]", re.DOTALL)


class _Literal(Record):
    """A text that a check looks for, or that it matches as a pattern; `others` are the other texts of the check."""

    point: Point
    text: str
    is_pattern: bool
    others: tuple[str, ...]


def _literals(points: Sequence[Point]) -> Iterator[_Literal]:
    for point in points:
        call = point.function
        function = None if call is None else functions.find(call.name)
        if call is None or function is None or function.search is None:
            continue
        texts = tuple(call.texts())
        for text in texts:
            any_does = function.search.quantifier in (Quantifier.ANY, Quantifier.AT_LEAST_N)
            yield _Literal(point, text, not function.search.is_literal, texts if any_does else ())


# -- characters that are not seen


def _unseen(text: str) -> list[tuple[int, str]]:
    """The places of the unseen characters of `text` that no script and no emoji needs, and the characters."""
    if text.isascii() or _UNSEEN.search(text) is None:
        return []
    hidden = {at for at, _ in pictures_in(text)}
    found = [(match.start(), match[0]) for match in _UNSEEN.finditer(text)]
    return [(at, each) for at, each in found if each in _SPACES or at in hidden]


def _plain(text: str) -> str:
    """`text` without its unseen characters, with ordinary spaces."""
    unseen = dict(_unseen(text))
    return "".join(" " if unseen.get(at) in _BLANK else "" if at in unseen else each for at, each in enumerate(text))


_BLANK = frozenset(_SPACES)


def _invisible(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for each in _literals(points):
        if each.text.isascii():
            continue
        text = _CLASS.sub(lambda found: "x" * len(found[0]), each.text) if each.is_pattern else each.text
        unseen = _unseen(text)
        plain = _plain(each.text)
        if not unseen or not plain.strip() or plain in each.others:
            continue
        node = argument_node(view.tree, each.point, each.text)
        if node is None or not any(character in node.span.of(view.text) for _, character in unseen):
            continue  # written elsewhere, or on purpose with an escape
        missed = "caught" if is_negated(each.point) else "found"
        message = f"“{_shown(each.text)}” holds {_named(unseen)}: “{plain.strip()}” in an answer is not {missed}"
        yield Report(
            _first_place(view.text, node.span, [character for _, character in unseen]),
            message,
            fixes=(_removal(view.text, node.span, [character for _, character in unseen]),),
        )


def _named(unseen: Sequence[tuple[int, str]]) -> str:
    names = dict.fromkeys(_name(character) for _, character in unseen)
    return f"a {' and a '.join(names)}"


def _name(character: str) -> str:
    if character in _NAMES:
        return f"{_NAMES[character]} (U+{ord(character):04X})"
    return f"hidden character ({unicodedata.name(character, 'U+' + format(ord(character), '04X')).lower()})"


def _shown(text: str) -> str:
    """`text` with a visible sign for each unseen character."""
    unseen = dict(_unseen(text))
    return "".join("␣" if unseen.get(at) in _BLANK else "·" if at in unseen else each for at, each in enumerate(text))


def _first_place(source: str, span: Span, characters: Iterable[str]) -> Span:
    at = min(place for each in characters if (place := source.find(each, span.start, span.end)) >= 0)
    line = first_line(source, span)
    return line if at <= line.end else first_line(source, Span(at, span.end))


def _removal(source: str, span: Span, characters: Iterable[str]) -> Fix:
    """The fix that removes `characters` from the source, and writes ordinary spaces for blanks among them."""
    wanted = frozenset(characters)
    edits = tuple(
        TextEdit(Span(at, at + 1), " " if source[at] in _BLANK else "")
        for at in range(span.start, span.end)
        if source[at] in wanted
    )
    has_space = any(each in _BLANK for each in wanted)
    return Fix("write an ordinary space" if has_space else "remove it", False, edits)


def _of_prompt(view: PromptView) -> Iterable[Report]:
    yield from _in_id(view.text, view.prompt)
    if view.checks and not all(text.isascii() for text in _texts(view.checks)):
        yield from _invisible(view.file, tuple(checks_in(view)))


def _in_id(source: str, prompt: Prompt) -> Iterator[Report]:
    """The report on an id, which is unique only to the eye."""
    unseen = _unseen(prompt.id) if prompt.id_written and not prompt.id.isascii() else []
    characters = [character for _, character in unseen if character in prompt.id_span.of(source)]
    if not characters:
        return
    yield Report(
        prompt.id_span,
        f"the id “{_shown(prompt.id)}” holds {_named(unseen)}: it is not the id “{_plain(prompt.id)}” that one types",
        why="Results, fixtures and `--prompt` go by the id, and nobody can see or type this one.",
        fixes=(_removal(source, prompt.id_span, characters),),
    )


# -- curly quotes


def _curly(view: FileView, points: Sequence[Point], known: str) -> Iterator[Report]:
    reported: set[Span] = set()
    for each in _literals(points):
        curly = [character for character in each.text if character in APOSTROPHES or character in QUOTES]
        if not curly or straight(each.text) in each.others or each.text in known:
            continue
        if each.is_pattern and all(_is_optional(each.text, character) for character in set(curly)):
            continue
        node = argument_node(view.tree, each.point, each.text)
        if node is None or not any(character in node.span.of(view.text) for character in curly):
            continue
        if each.point.span not in reported:  # one report for all texts of a list
            yield _quote_report(view, each, node.span)
        reported.add(each.point.span)


def _is_optional(pattern: str, character: str) -> bool:
    """Whether the pattern accepts something else instead of each `character`: it is in a class, or has a `?`."""
    outside = _CLASS.sub("", pattern)
    return all(outside[found.end() : found.end() + 1] in ("?", "*") for found in re.finditer(character, outside)) or (
        straight(character) in pattern and "|" in pattern
    )


def _quote_report(view: FileView, each: _Literal, span: Span) -> Report:
    is_wrapped = len(each.text) > 2 and each.text[0] in QUOTES and each.text[-1] in QUOTES
    other = each.text[1:-1] if is_wrapped else straight(each.text)
    message = (
        f"the curly quotes are part of the text, so “{other}” without them is not found"
        if is_wrapped
        else f"an answer with straight quotes, `{other}`, is not found"
    )
    why = "YAML knows only straight quotes: curly ones belong to the text that is looked for." if is_wrapped else ""
    return Report(first_line(view.text, span), message, why=why, fixes=tuple(_quote_fixes(view, each, span, other)))


def _quote_fixes(view: FileView, each: _Literal, span: Span, other: str) -> Iterator[Fix]:
    if other != straight(each.text):
        yield Fix("without the curly quotes", False, (TextEdit(span, quoted(other, is_json=view.is_json)),))
    elif not each.is_pattern:
        texts = () if each.point.function is None else each.point.function.texts()
        curly = [text for text in texts if _has_curly(text)]
        forms = {text: OtherForm(straight(text), either_quote(escaped(straight(text)))) for text in curly}
        fix = tolerant_fix(view, each.point, forms)
        if fix is not None:
            yield fix
    elif "[" not in each.text:  # else the quote may be within a class
        pattern = quoted(either_quote(straight(each.text)), is_json=view.is_json)
        yield Fix("accept both forms", False, (TextEdit(span, pattern),))


def _of_curly_prompt(view: PromptView) -> Iterable[Report]:
    prompt = view.prompt
    if not view.checks or not any(_has_curly(text) for text in _texts(view.checks)):
        return ()
    known = "\n".join((prompt.ideal or "", *(message.content or "" for message in prompt.messages)))
    return _curly(view.file, tuple(checks_in(view)), known)


def _texts(points: Iterable[Point]) -> Iterator[str]:
    for point in points:
        if point.function is not None:
            yield from point.function.texts()


def _has_curly(text: str) -> bool:
    return not text.isascii() and any(character in text for character in (*APOSTROPHES, *QUOTES))


def _of_definitions(
    check: Callable[[FileView, Sequence[Point]], Iterable[Report]],
) -> Callable[[FileView], Iterable[Report]]:
    def on_file(view: FileView) -> Iterable[Report]:
        defined = defined_checks(view)
        return check(view, defined) if defined else ()

    return on_file


RULES = (
    Rule(
        code="F081",
        slug="invisible-character",
        severity=Severity.WARNING,
        why="The check does not find the text that it shows, so every right answer loses the point.",
        on_prompt=_of_prompt,
        on_file=_of_definitions(_invisible),
    ),
    Rule(
        code="F082",
        slug="curly-quote-in-literal",
        title="Curly quotes in what a check looks for",
        severity=Severity.WARNING,
        why="Most models write straight quotes, so a right answer loses the point.",
        on_prompt=_of_curly_prompt,
        on_file=_of_definitions(lambda view, points: _curly(view, points, "")),
    ),
)
