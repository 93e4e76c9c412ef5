"""Nothing that an author wrote is lost, joined or altered by safe fixes, or misread without a word.

Seeded slips and mixtures; `python -m tests.conservation` tries as many as you like.
"""

from __future__ import annotations

import pytest

from tests.conservation.__main__ import corpus, rubrics
from tests.thoroughness import tried
from tests.world import needs_corpus

SEED = "7"
PARTS = 10
IN_PART = tried(12, 100)
OF_CORPUS = tried(6, 60)
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
