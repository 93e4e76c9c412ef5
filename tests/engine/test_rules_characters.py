"""Characters inside literals and ids that are not seen, or not typed: no-break spaces, joiners, curly quotes."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.rule_reports import HEAD, fixed, found
from tests.thoroughness import tried

INVISIBLE = "invisible-character"


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8))
def test_a_fix_leaves_no_unseen_character(text: str) -> None:
    before = f"{HEAD}  should:\n    - b\n    - $contains: {json.dumps('a' + text + 'z', ensure_ascii=False)}\n"
    for _ in found(before, INVISIBLE):
        assert found(fixed(before, INVISIBLE), INVISIBLE) == []
