"""# double-barrelled

Two deeds in one criterion: "Explains the right to silence and offers to find a lawyer".

An answer that does one of the two has no right grade. One judge gives 50, another 25 or 75, a strict one 0. The score
does not show which of the two was missing. Two points would: each is met or not, and each counts by itself.

Reported if a second verb in the same form follows "and", with an object of its own. Lists of contents ("names the day
and the place"), clauses ("says that he came and left") and purposes ("to warn and to help") are fine. English only. Off
by default: many authors mean the two as one.

Bad:

    - id: arrest
      prompt: I was arrested in Nairobi. What do I say?
      should:
        - Explains the right to silence and offers to find a lawyer

Good:

    - id: arrest
      prompt: I was arrested in Nairobi. What do I say?
      should:
        - Explains the right to silence
        - Offers to find a lawyer

Fix: none. Write two points; give each half the weight if together they should count as one.

Documents: Blueprint format, The `should` and `should_not` Rubrics, "a response must satisfy all of them".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block
from engine.diagnostics import Severity
from engine.rules.language.two_demands import two_demands
from engine.rules.rule import Report, Rule
from engine.rules.source.text_points import repeated_texts, times, words_place
from engine.rules.views import FileView


def _check(view: FileView) -> Iterator[Report]:
    for text, places in repeated_texts(view, tuple(Block)):
        found = two_demands(text) if " and " in text else None
        if found is not None:
            yield Report(
                words_place(view.text, places[0].point, found.start, found.end),
                f"“{found.first}” and “{found.second}” are two demands: what does an answer earn that does one?"
                f"{times(places)}",
            )


RULES = (
    Rule(
        code="R064",
        slug="double-barrelled",
        title="Two demands in one point",
        severity=Severity.HINT,
        why="An answer that does one of the two has no right grade, so judges differ.",
        on_file=_check,
        off=True,
    ),
)
