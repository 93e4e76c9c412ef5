"""How much of a law is tried: a part in each run of the tests, all of it in `.ci/run`."""

from __future__ import annotations

import os

THOROUGH = "TEST_THOROUGHLY" in os.environ
"""Whether all examples are tried and all frames painted."""


def tried(usually: int, thoroughly: int) -> int:
    """How many examples, seeds or places to try."""
    return thoroughly if THOROUGH else usually
