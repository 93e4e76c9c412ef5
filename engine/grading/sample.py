"""The seeded random sample of judged pairs, from which the rate of agreement comes.

The order is that of a digest of the seed and the pair: the same seed draws the same sample on every machine and in
every version, whatever the order in which the pairs are found, and nobody chose it by the verdicts.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from engine.digests import text_digest
from engine.grading.judged_pair import JudgedPair, pair_key

SAMPLE_SIZE = 40
"""The usual number of pairs."""
LARGEST_SEED = 2**32 - 1


def new_seed() -> int:
    """A seed that nobody chose, 0–`LARGEST_SEED`."""
    return secrets.randbelow(LARGEST_SEED + 1)


def sample(pairs: Iterable[JudgedPair], seed: int, size: int = SAMPLE_SIZE) -> tuple[JudgedPair, ...]:
    """At most `size` of `pairs`, each as likely as any other, in random order; the same ones for the same seed."""
    return tuple(sorted(pairs, key=lambda pair: _rank(pair, seed))[:size])


def _rank(pair: JudgedPair, seed: int) -> str:
    return text_digest(f"{seed} {pair_key(pair.id)}")
