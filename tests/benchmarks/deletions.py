"""The deletion test of an ideal of 500 words against 30 checks: texts, lists, patterns, counts and a few scripts."""

from __future__ import annotations

import time
from collections.abc import Iterator

from engine.deletion_test import deletion_test
from engine.javascript import JavaScript
from engine.parsing import parse
from tests.benchmarks.table import Row, row

CHECKS, WORDS, ROUNDS = 30, 500, 15
MOST = 500.0
_SENTENCE = "Under rule {0} the landlord has to give word{0} in writing before day {0} of the month of the term."
_SCRIPTS = 3


def measure() -> Iterator[Row]:
    """From the prompt to the result, with V8 running already."""
    sentences = WORDS // len(_SENTENCE.split())
    ideal = " ".join(_SENTENCE.format(number) for number in range(sentences))
    blueprint = parse(
        f"- id: p\n  prompt: What has the landlord to do?\n  ideal: {ideal}\n  should:\n{_checks()}"
    ).blueprint
    prompt, what = blueprint.prompts[0], f"{CHECKS} checks × {sentences} sentences"
    with JavaScript() as javascript:
        deletion_test(prompt, blueprint.header, javascript)
        taken: list[float] = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            deletion_test(prompt, blueprint.header, javascript)
            taken.append((time.perf_counter() - began) * 1000)
        yield row("deletion test", what, "ms", taken, (MOST, float("inf")))


def _checks() -> str:
    kinds = (
        "$icontains: word{0}",
        "$contains_word: word{0}",
        "$imatches: 'word{0}\\b.*writing'",
        "$contains_any_of: [word{0}, 'rule {0} ']",
        "$matches: '^Under rule {0}'",
        "$word_count_between: [{0}, 480]",
    )
    scripts = [f"    - $js: \"r.includes('word{number}') && r.length > 40\"\n" for number in range(_SCRIPTS)]
    plain = [f"    - {kinds[number % len(kinds)].format(number)}\n" for number in range(CHECKS - _SCRIPTS)]
    return "".join([*scripts, *plain])
