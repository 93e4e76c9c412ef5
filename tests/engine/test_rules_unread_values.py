"""What an author wrote and nobody reads, or a check cannot take: keys beside their like, numbers for texts."""

from __future__ import annotations

from engine.rules.fixes import fix_text
from tests.engine.rule_reports import should


def test_a_weight_of_its_own_is_joined_only_by_the_author() -> None:
    text = should("Names it", "weight: 2")
    assert fix_text(text, None).text == text
