"""A small part of the attacks on readers of replies and files; `python -m tests.fire NAME` runs them in full."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.fire import event_streams, fixtures, json_bodies, judge_replies, result_files
from tests.thoroughness import tried

_ROUNDS = tried(60, 200)
_SEED = 0


HARNESSES = (judge_replies, event_streams, json_bodies, fixtures, result_files)


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.__name__)
def test_no_input_breaks_a_reader(harness: ModuleType) -> None:
    missed = [row for row in harness.run(_SEED, _ROUNDS).rows if row.met is False]
    assert missed == []
