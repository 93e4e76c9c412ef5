"""# curly-quote-in-literal

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
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.rules.checks import checks_in, defined_checks
from engine.rules.functions.format_misses import FormatMiss
from engine.rules.functions.literal_forms import APOSTROPHES, QUOTES, either_quote, escaped, straight
from engine.rules.functions.rewritten_checks import tolerant_fixes
from engine.rules.functions.searched_texts import CHARACTER_CLASS, SearchedText, searched_texts, written_texts
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line, quoted
from engine.rules.source.node_search import argument_node
from engine.rules.source.prompt_texts import known_text
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit, in_quotes

_CURLY = frozenset((*APOSTROPHES, *QUOTES))


def _in_prompt(view: PromptView) -> Iterable[Report]:
    if not view.checks or not any(map(_has_curly, written_texts(view.checks))):
        return ()
    return _in_checks(view.file, tuple(checks_in(view)), known_text(view.prompt))


def _in_definitions(view: FileView) -> Iterable[Report]:
    return _in_checks(view, defined_checks(view), "")


def _has_curly(text: str) -> bool:
    return not text.isascii() and not _CURLY.isdisjoint(text)


def _in_checks(view: FileView, points: Sequence[Point], known: str) -> Iterator[Report]:
    """One report for each check with a curly quote that `known`, the text of the prompt, does not have like that."""
    reported: set[Span] = set()
    for each in searched_texts(points):
        if not _has_curly(each.text) or straight(each.text) in each.others or each.text in known:
            continue
        curly = _CURLY.intersection(each.text)
        if each.is_pattern and all(_is_optional(each.text, character) for character in curly):
            continue
        node = argument_node(view.tree, each.point, each.text)
        if node is None or curly.isdisjoint(node.span.of(view.text)):
            continue  # written elsewhere, or on purpose with an escape
        if each.point.span not in reported:
            yield _report(view, each, node.span)
        reported.add(each.point.span)


def _is_optional(pattern: str, character: str) -> bool:
    """Whether the pattern accepts something else instead of each `character`: it is in a class, or has a `?`."""
    outside = CHARACTER_CLASS.sub("", pattern)
    is_quantified = all(
        outside[found.end() : found.end() + 1] in ("?", "*") for found in re.finditer(character, outside)
    )
    return is_quantified or (straight(character) in pattern and "|" in pattern)


def _report(view: FileView, each: SearchedText, span: Span) -> Report:
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


RULES = (
    Rule(
        code="F082",
        slug="curly-quote-in-literal",
        title="Curly quotes in what a check looks for",
        severity=Severity.WARNING,
        why="Most models write straight quotes, so a right answer loses the point.",
        on_prompt=_in_prompt,
        on_file=_in_definitions,
    ),
)
