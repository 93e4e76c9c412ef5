"""Rules about patterns: what is unescaped, bounded, slow, or never matches."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from tests.engine.rule_reports import fixed, should

# ascii-boundary


@pytest.mark.parametrize(("answer", "score"), [("un café noir", True), ("deux cafés", False)])
def test_the_edge_that_is_offered_knows_accents(answer: str, score: bool, javascript: JavaScript) -> None:
    from engine import functions
    from engine.functions.point_function import Checked, Subject

    after = parse(fixed(should(r"$matches: '(?:un|deux) café\b'"), "ascii-boundary"))
    call = after.blueprint.prompts[0].points()[0].function
    assert call is not None
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    assert bool(result.extent) is score
