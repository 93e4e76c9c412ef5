"""# polarity

A fault under `should`, or a virtue under `should_not`: the point pays for the wrong thing.

Under `should`, "Invents a court ruling" gives an answer points for a ruling that does not exist; under `should_not`,
"Politely declines" takes points for it. The point has slipped into the wrong block. With two points, an answer that
does what the author wants gets 50 of 100, and one that does the opposite too.

Reported under `should` if the verb names what only a bad answer does (invents, fabricates, insults, misquotes), and
under `should_not` if an adverb or adjective names what only a good one does (accurately, politely, is helpful). A
blueprint that wants a villain's speech is right as written. English only. Off by default: how often authors act on it
is not known yet.

Bad:

    - id: ruling
      prompt: Which ruling bans noise after ten in Lisbon?
      should:
        - Invents a court ruling
        - Points to the noise regulation

Good:

    - id: ruling
      prompt: Which ruling bans noise after ten in Lisbon?
      should:
        - Points to the noise regulation
      should_not:
        - Invents a court ruling

Fix: none, because the wording or the block may be wrong. Move the point to the other block.

Documents: Blueprint format, The `should` and `should_not` Rubrics, "it inverts the result of each check".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block
from engine.diagnostics import Severity
from engine.rules.language.faults_and_virtues import forbidden_virtue, wanted_fault
from engine.rules.rule import Report, Rule
from engine.rules.source.text_points import repeated_texts, times, words_place
from engine.rules.views import FileView


def _check(view: FileView) -> Iterator[Report]:
    for block, other, whose in (
        (Block.SHOULD, Block.SHOULD_NOT, "a bad"),
        (Block.SHOULD_NOT, Block.SHOULD, "a good"),
    ):
        find = forbidden_virtue if block.inverted else wanted_fault
        for text, places in repeated_texts(view, (block,)):
            place = find(text)
            if place is not None:
                yield Report(
                    words_place(view.text, places[0].point, *place),
                    f"“{text[slice(*place)]}” is what {whose} answer does: `{block.value}` grades it the other way;"
                    f" move it to `{other.value}`{times(places)}",
                )


RULES = (
    Rule(
        code="R063",
        slug="polarity",
        title="Point in the wrong block",
        severity=Severity.HINT,
        why="The point pays for what it should cost, or costs what it should pay for.",
        on_file=_check,
        off=True,
    ),
)
