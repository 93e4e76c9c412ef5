"""# answer-not-given

A criterion that wants "the correct dose" or "the right year" and does not name it.

A judge sees the conversation, the answer and the criterion. For "gives the correct dose" it has to know the dose
itself, and where it does not, it believes the answer: a wrong dose, stated with confidence, gets 100. With two points,
that is 50 of 100 for a mistake that the author could have caught with three words.

Reported if a verb such as gives, names, states, calculates or selects has "the correct …", "the right …" or "the exact
…" as its object, or is preceded by "correctly", and nothing in the text says which it is. English only. Off by default:
how often authors act on it is not known yet.

Bad:

    - id: adrenaline
      prompt: How much adrenaline for an adult in anaphylaxis?
      should:
        - Gives the correct dose
        - Says into the thigh muscle

Good:

    - id: adrenaline
      prompt: How much adrenaline for an adult in anaphylaxis?
      should:
        - Gives 0.5 mg as the dose
        - Says into the thigh muscle

Fix: none, because only the author knows the answer. Write it into the point.

Documents: The `should` system, Path A: LLM-Based "Fuzzy" Evaluation, "how well the following <CRITERION> is expressed".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block
from engine.diagnostics import Severity
from engine.rules.language.missing_answers import missing_answer
from engine.rules.rule import Report, Rule
from engine.rules.shares import points_of_100
from engine.rules.source.text_points import repeated_texts, times, words_place
from engine.rules.views import FileView


def _check(view: FileView) -> Iterator[Report]:
    for text, places in repeated_texts(view, (Block.SHOULD,)):
        place, first = missing_answer(text), places[0]
        if place is None or first.point.citation is not None:
            continue
        worth = points_of_100(first.prompt, first.point)
        words = " ".join(text[slice(*place)].split())
        yield Report(
            words_place(view.text, first.point, *place),
            f"“{words}”: write which it is, as a judge may not know it{times(places)}",
            why=f"A judge that does not know it believes the answer: {worth} points of 100." if worth else "",
        )


RULES = (
    Rule(
        code="R062",
        slug="answer-not-given",
        title="Criterion without the answer that it wants",
        severity=Severity.HINT,
        why="A judge that does not know the answer believes what it reads.",
        on_file=_check,
        off=True,
    ),
)
