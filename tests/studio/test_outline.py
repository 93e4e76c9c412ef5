"""How prompt ids are made to fit the outline."""

from __future__ import annotations

import pytest

from studio.tui.panes.outline import fit_id


@pytest.mark.parametrize(
    ("id", "width", "shown"),
    [
        ("broken-boiler", 13, "broken-boiler"),
        ("broken-boiler", 10, "bro…boiler"),
        ("hp-nonexistent-battle", 14, "hp-n…nt-battle"),
        ("hp-nonexistent-theorem", 14, "hp-n…t-theorem"),
        ("c1-fork-point-10", 13, "c1-f…point-10"),
        ("漢字の長い名前", 9, "漢…い名前"),
        ("bell\x07", 9, "bell␇"),
    ],
)
def test_an_id_is_cut_in_its_middle_so_that_its_end_tells_it_apart(id: str, width: int, shown: str) -> None:
    assert fit_id(id, width) == shown
