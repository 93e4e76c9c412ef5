"""# case-alone: Check that fails by capital letters alone

A check that the prompt's own ideal, or its written last answer, fails only because upper and lower case differ.

The ideal says "Nairobi" and the check looks for "nairobi". A good answer that is written like the ideal loses the point
because of a capital: with two points, half of its score. If the conversation ends with a written answer, that answer is
judged, and the rule compares it with the checks in the same way.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $icontains: nairobi

Fix (unsafe): the check of the same name with an `i`, which ignores case.

Documents: Blueprint format, Point Definition Formats 3, `$icontains`; Blueprint format, Troubleshooting 5.

# unicode-form: Check that fails by how its letters are stored

A check that the prompt's own ideal, or its written last answer, fails only because the same letters are stored in
another way.

Unicode knows two ways to write "\u00e9": one character, or an "e" and an accent behind it. They look the same, and a
check compares characters. Names of files on macOS and texts from a PDF often have the accent apart (form NFD);
keyboards and models write one character (NFC). Text from a PDF also has one character for "fi" or "ffi" (a ligature).
A good answer that is written like the ideal loses the point: with two points, half of its score.

Bad:

    - id: city
      prompt: Name the second city of Ivory Coast.
      ideal: It is Bouake\u0301.
      should:
        - Says where it lies
        - $icontains: Bouak\u00e9

Good:

    - id: city
      prompt: Name the second city of Ivory Coast.
      ideal: It is Bouak\u00e9.
      should:
        - Says where it lies
        - $icontains: Bouak\u00e9

Fix (unsafe): one character for each letter, as models write, in the check or in the ideal; there, "fi" for a ligature.

Documents: Blueprint format, Troubleshooting 5.

# format-fragile-literal: Text that a check misses by its format alone

A literal that the prompt's own ideal misses by its format alone: `can't` and "can’t", `5000` and "5,000", `30 days` and
"30 **days**".

A check for a literal compares characters. If the ideal writes a curly apostrophe, a comma between thousands, a dash
between numbers or a word in bold, and the check does not, then the check does not find what the ideal says: a good
answer that is written like the ideal loses the point, with two points half of the score. The message shows the form
that is missed.

Nothing is reported without an ideal that shows the other form, or if the check accepts that form, too. Characters that
nobody sees are reported by `invisible-character`, signs of a pattern by `pattern-in-literal`.

Bad:

    - id: notice
      prompt: How many days of notice do I get?
      ideal: You get 30 **days** of notice.
      should:
        - Says who decides
        - $contains: 30 days

Good:

    - id: notice
      prompt: How many days of notice do I get?
      ideal: You get 30 **days** of notice.
      should:
        - Says who decides
        - $matches: '30\\W+days'

Fix (unsafe): a pattern that accepts both forms; in a list of which any will do, the other form as well.

Documents: Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from unicodedata import normalize

from engine.blueprint import Point, Prompt, Role
from engine.parsing.fields import member
from engine.rules.checks import checks_in, forbidden_places, renamed_function, text_place
from engine.rules.functions.missed_literals import (
    missed_by_case,
    missed_by_form,
    missed_by_format,
    twin_of,
    written_texts,
)
from engine.rules.functions.rewritten_checks import meant_as_patterns, tolerant_fixes
from engine.rules.functions.trial_subjects import failed_checks
from engine.rules.refusals import cut
from engine.rules.rule import OnPrompt, Report, Rule, prompt_rule
from engine.rules.source.prompt_texts import known_text
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.record import replace
from engine.text.spans import TextEdit, in_quotes

_ReportMiss: TypeAlias = Callable[[PromptView, Point, str, str], Report | None]
"""Reports that an answer fails a point by its letters alone; the last argument says whose answer it is."""


def _hook(may_miss: Callable[[PromptView], bool], report: _ReportMiss) -> OnPrompt:
    def check(view: PromptView) -> Iterator[Report]:
        reported: set[int] = set()
        for point, answer, whose in _failing(view) if view.checks and may_miss(view) else ():
            found = None if point.span.start in reported else report(view, point, answer, whose)
            if found is not None:
                reported.add(point.span.start)
                yield found

    return check


def _failing(view: PromptView) -> Iterator[tuple[Point, str, str]]:
    """Each check with a text that it may miss, and whose text it is: the ideal, or an answer that is written last."""
    failed = failed_checks(view, passes=1.0)
    yield from ((each.point, view.prompt.ideal or "", "the prompt's own ideal") for each, _ in failed)
    last = _written_last(view)
    yield from ((point, last, "the answer that is written last") for point in view.checks if last)


def _written_last(view: PromptView) -> str:
    last = view.prompt.messages[-1] if view.prompt.messages else None
    return last.content or "" if last is not None and last.role is Role.ASSISTANT else ""


def _has_twin(view: PromptView) -> bool:
    return any(point.function is not None and twin_of(point.function.name) is not None for point in view.checks)


def _of_case(view: PromptView, point: Point, answer: str, whose: str) -> Report | None:
    twin = None if view.javascript is None else missed_by_case(point, answer, view.javascript)
    if twin is None:
        return None
    naming = renamed_function(view.file, point, twin)
    fixes = () if naming is None else (Fix(f"ignore case: ${twin}", False, (naming,)),)
    return Report(point.subject_span, f"{whose} fails this only by its case: ${twin} passes", fixes=fixes)


def _has_marks(view: PromptView) -> bool:
    return not f"{view.prompt.ideal}{_written_last(view)}".isascii()


def _of_form(view: PromptView, point: Point, answer: str, whose: str) -> Report | None:
    form = None if view.javascript is None else missed_by_form(point, answer, view.javascript)
    if form is None or (form == "NFKC" and missed_by_format(point, answer)):
        return None
    own, way = normalize("NFKC", "".join(written_texts((point,)))).casefold(), "NFKC" if form == "NFKC" else "NFD"
    changed = [each for each in normalize("NFC", answer) if normalize(way, each) != each] or [answer]
    letter = next((each for each in changed if normalize("NFKC", each).casefold() in own), changed[0])
    plain = normalize("NFKC", letter)
    other = {"NFC": "NFD", "NFD": "NFC"}.get(form)
    stored = f"is stored as {other} there, not here" if other else f"is one character there, for {in_quotes(plain)}"
    message = f"{whose} fails this only by its Unicode form: {in_quotes(letter)} {stored}"
    where = "check" if form == "NFD" else "ideal"
    node = member(view.prompt.node, "ideal") if where == "ideal" else point.argument
    written = "" if node is None else node.span.of(view.text)
    right = normalize("NFC", written.replace(letter, plain) if form == "NFKC" else written)
    edits = () if node is None or right == written else (TextEdit(node.span, right),)
    title = f"write {in_quotes(plain)}" if form == "NFKC" else f"write the {where} in NFC"
    return Report(point.subject_span, message, fixes=(Fix(title, False, edits),) if edits else ())


@prompt_rule("F083", Severity.WARNING, why="A right answer that is only written differently loses the point.")
def format_fragile_literal(view: PromptView) -> Iterator[Report]:
    ideal = view.prompt.ideal if view.checks else None
    forbidden = forbidden_places(view.prompt) if ideal else ()
    for point in checks_in(view) if ideal else ():
        missed = missed_by_format(point, ideal) if ideal and point.span not in forbidden else None
        if missed is not None and not _is_told(missed.literal, point, view.prompt):
            yield Report(
                text_place(view.file, point, missed.literal),
                f"the ideal writes {in_quotes(cut(missed.form))}, which is not found",
                fixes=tolerant_fixes(view.file, point, [replace(missed, form=missed.form.strip("*_`"))]),
            )


def _is_told(literal: str, point: Point, prompt: Prompt) -> bool:
    """Whether `invisible-character` or `pattern-in-literal` reports what the ideal lacks of the literal."""
    return not literal.replace("\n", "").isprintable() or literal in meant_as_patterns(point, known_text(prompt))


case_alone = Rule(
    code="F017",
    slug="case-alone",
    severity=Severity.WARNING,
    why="An answer that differs only in case loses the point.",
    on_prompt=_hook(_has_twin, _of_case),
    needs_javascript=True,
)
unicode_form = Rule(
    code="F096",
    slug="unicode-form",
    severity=Severity.WARNING,
    why="An answer with the same letters, stored in another form, loses the point.",
    on_prompt=_hook(_has_marks, _of_form),
    needs_javascript=True,
)
