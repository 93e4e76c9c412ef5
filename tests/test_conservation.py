"""Nothing that an author wrote is lost, joined or altered by keys, pastes and safe fixes, or misread without a word.

Seeded slips and mixtures; `python -m tests.conservation` and `python -m tests.conservation.by_hand` try as many as you
like.
"""

from __future__ import annotations

import pytest

from tests.conservation.__main__ import corpus, rubrics
from tests.conservation.by_hand import works
from tests.thoroughness import tried
from tests.world import needs_corpus

SEED = "7"
PARTS = 10
IN_PART = tried(4, 100)
OF_CORPUS = tried(3, 60)
MOST_SILENT = 0.02


@pytest.mark.parametrize("part", range(PARTS))
def test_fixes_of_spoiled_rubrics_lose_nothing_and_few_losses_are_silent(part: int) -> None:
    totals = rubrics(SEED, range(part * IN_PART, (part + 1) * IN_PART))
    assert [(one.spoils, one.faults) for one in totals.shown if one.faults] == []
    assert totals.silent <= max(MOST_SILENT * totals.made, 1)


def test_clean_rubrics_with_wrapped_texts_are_not_warned_of_what_a_text_swallowed() -> None:
    assert set(rubrics(SEED, range(PARTS * IN_PART)).warned) <= {"path-outweighs"}


@needs_corpus
def test_fixes_of_spoiled_prompts_of_the_corpus_lose_nothing() -> None:
    totals = corpus(SEED, range(OF_CORPUS))
    assert [(one.spoils, one.faults) for one in totals.shown if one.faults] == []


@pytest.mark.parametrize(("kind", "number"), [("typed", tried(12, 200)), ("pasted", tried(40, 500))])
def test_what_is_typed_or_pasted_becomes_what_was_meant_or_is_told(kind: str, number: int) -> None:
    done = works(kind, SEED, range(number))
    assert [(work.how, work.faults) for work in done if work.faults] == []
    assert sum(bool(work.silent) for work in done) <= max(MOST_SILENT * number, 1)


def test_who_slips_nowhere_types_what_was_meant() -> None:
    done = works("typed", "8", range(tried(12, 200)))
    assert [work.after for work in done if work.how == ("no slip",) and (work.silent or work.told)] == []
