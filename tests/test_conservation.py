"""Nothing that an author wrote is lost, joined or altered by keys, pastes and safe fixes, or misread without a word.

Seeded slips and mixtures; `python -m tests.conservation` tries as many as you like.
"""

from __future__ import annotations

from random import Random

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from tests.conservation.__main__ import trials
from tests.conservation.rubrics import blueprint
from tests.thoroughness import tried
from tests.world import needs_corpus

SEED = "7"
PARTS = 10
IN_PART = tried(2, 100)
OF_CORPUS = tried(3, 60)
MOST_SILENT = 0.02


@pytest.mark.parametrize("part", range(PARTS))
def test_fixes_of_spoiled_rubrics_lose_nothing_and_few_losses_are_silent(part: int) -> None:
    loses_nothing_and_little_in_silence("rubric", range(part * IN_PART, (part + 1) * IN_PART))


@pytest.mark.parametrize(("kind", "number"), [("typed", tried(8, 200)), ("pasted", tried(20, 500))])
def test_what_is_typed_or_pasted_becomes_what_was_meant_or_is_told(kind: str, number: int) -> None:
    loses_nothing_and_little_in_silence(kind, range(number))


def loses_nothing_and_little_in_silence(kind: str, numbers: range) -> None:
    done = trials(kind, SEED, numbers)
    assert [(one.how, one.faults) for one in done if one.faults] == []
    assert sum(bool(one.silent) for one in done) <= max(MOST_SILENT * len(numbers), 1)


@needs_corpus
def test_fixes_of_spoiled_prompts_of_the_corpus_lose_nothing() -> None:
    assert [(one.how, one.faults) for one in trials("corpus", SEED, range(OF_CORPUS)) if one.faults] == []


def test_clean_rubrics_with_wrapped_texts_are_not_warned_of_what_a_text_swallowed() -> None:
    made = ("\n".join(blueprint(Random(f"{SEED} rubric {number}"))) for number in range(PARTS * IN_PART))
    found = (one for text in made for one in check(parse(text + "\n")))
    assert {one.slug for one in found if one.severity is not Severity.HINT} <= {"path-outweighs"}


def test_who_slips_nowhere_types_what_was_meant() -> None:
    done = trials("typed", "8", range(tried(6, 200)))
    assert [one for one in done if one.how == ("no slip",) and one.became != "as meant"] == []
