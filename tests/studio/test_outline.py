"""How prompt ids are made to fit the outline."""

from __future__ import annotations

import pytest

from studio.panes.outline import fit_id


@pytest.mark.parametrize(
    ("id", "width", "shown"),
    [
        ("broken-boiler", 13, "broken-boiler"),
        ("broken-boiler", 10, "broken-bo…"),
        ("c1-fork-point-10", 13, "c1-fork-p…-10"),
        ("c1-fork-point-11", 13, "c1-fork-p…-11"),
        ("a1b2c3d4e5f6a7b8", 10, "a1b2c3d4…8"),
        ("漢字の長い名前", 9, "漢字の長…"),
        ("bell\x07", 9, "bell␇"),
    ],
)
def test_an_id_is_cut_so_that_its_number_stays(id: str, width: int, shown: str) -> None:
    assert fit_id(id, width) == shown
