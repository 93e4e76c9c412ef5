"""# format-fragile-literal

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

from collections.abc import Iterator

from engine.blueprint import Point, Prompt
from engine.diagnostics import Severity
from engine.record import replace
from engine.rules.checks import checks_in, forbidden_places, text_place
from engine.rules.functions.format_misses import missed_by_format
from engine.rules.functions.rewritten_checks import meant_as_patterns, tolerant_fixes
from engine.rules.refusals import cut
from engine.rules.rule import Report, Rule
from engine.rules.source.prompt_texts import known_text
from engine.rules.views import PromptView
from engine.text import in_quotes


def _check(view: PromptView) -> Iterator[Report]:
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


RULES = (
    Rule(
        code="F083",
        slug="format-fragile-literal",
        title="Text that a check misses by its format alone",
        severity=Severity.WARNING,
        why="A right answer that is only written differently loses the point.",
        on_prompt=_check,
    ),
)
