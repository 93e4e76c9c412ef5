"""How much of a law is tried: a part in each run of the tests, all of it with `TEST_THOROUGHLY=1`.

A test that has no part, as it counts over the whole corpus, is marked `thorough`: without that it is not collected.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

_Case = TypeVar("_Case")

THOROUGH = "TEST_THOROUGHLY" in os.environ
"""Whether all examples are tried and all frames painted."""


def tried(usually: int, thoroughly: int) -> int:
    """How many examples, seeds or places to try."""
    return thoroughly if THOROUGH else usually


def one_in(number: int, cases: Sequence[_Case]) -> Sequence[_Case]:
    """Every so many-th of `cases`, the first of them included; all of them where all is tried."""
    return cases if THOROUGH else cases[::number]
