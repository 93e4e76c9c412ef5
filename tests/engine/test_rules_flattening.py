"""Flattening paths: what it brings is said first, and it brings nothing that was not wrong before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from engine.rules.fixes import FixTrial
from engine.text.diagnostics import Diagnostic, Severity
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

NAMES = ["the form", "the office", "the fee", "the court", "the date", "the judge", "the stamp", "the witness"]
GUARDS = ["a lawyer", "a friend", "a rumour", "a secret", "a party", "a rival", "a price", "a brand"]


def rubric(random: Random) -> str:
    """A prompt with required points and paths at random, of distinct points, in one or both blocks."""
    names, guards = iter(random.sample(NAMES, len(NAMES))), iter(random.sample(GUARDS, len(GUARDS)))
    should = [f"Names {next(names)}" for _ in range(random.randint(0, 2))]
    paths = [[f"Names {next(names)}" for _ in range(random.randint(1, 3))] for _ in range(random.randint(0, 2))]
    unwanted = [[f"Praises {next(guards)}" for _ in range(random.randint(1, 3))] for _ in range(random.randint(0, 2))]
    text = "- id: p\n  prompt: What is due?\n"
    if should or paths:
        text += "  should:\n" + lines(should, paths)
    if unwanted:
        text += "  should_not:\n" + lines([f"Praises {next(guards)}"] * random.randint(0, 1), unwanted)
    return text


def lines(required: list[str], paths: list[list[str]]) -> str:
    nested = ["    - - " + "\n      - ".join(path) for path in paths]
    return "".join(f"{line}\n" for line in [*(f"    - {point}" for point in required), *nested])


def brought(text: str) -> list[tuple[str, str, str]]:
    """For each flattening fix and each warning or error that it brings: the problem, the new one, and the objection."""
    trial = FixTrial(text)
    return [
        (problem.slug, new, outcome.objection)
        for problem in trial.diagnostics
        for fix in problem.fixes
        if "flatten" in fix.title
        for outcome in (trial.outcome(problem, fix),)
        for new in (Counter(loud(outcome.diagnostics)) - Counter(loud(trial.diagnostics)))
    ]


def loud(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [one.slug for one in diagnostics if one.severity is not Severity.HINT]


@needs_corpus
@every("path", one_in(2, [path for path in corpus_files() if "- - " in path.read_text("utf-8")]), ids=str)
def test_flattening_in_the_corpus_brings_no_warning(path: Path) -> None:
    assert brought(path.read_text("utf-8")) == []


@pytest.mark.parametrize("seed", range(tried(6, 40)))
def test_what_flattening_brings_is_said_first(seed: int) -> None:
    random = Random(seed)
    said = [each for text in [rubric(random) for _ in range(10)] for each in brought(text)]
    assert {(problem, new) for problem, new, _ in said} <= {("paths-in-should-not", "path-outweighs")}
    assert all("brings a new warning" in objection for _, _, objection in said)
