"""A few rounds of the kills within a save, and the way in which they kill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fire import kill_in_save
from tests.fire.deaths import Death, Way
from tests.fire.saving_process import Deed, Order, done
from tests.thoroughness import tried

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")

OLD = "title: Old\n"
NEW = "title: New\n" * 1000


def order(folder: Path, death: Death) -> Order:
    path = folder / "a.yml"
    path.write_text(OLD)
    return Order(str(folder / "home"), str(path), Deed.SAVE, NEW, death=death)


def test_nothing_is_torn_lost_or_left() -> None:
    assert [row for row in kill_in_save.run(1, tried(2, 4)).rows if row.met is False] == []


def test_the_same_seed_is_the_same_attack() -> None:
    assert kill_in_save.planned(7, 3) == kill_in_save.planned(7, 3)


def test_every_deed_and_every_way_to_die_occurs() -> None:
    planned = [kill_in_save.planned(1, number) for number in range(100)]
    assert {each.deed for each in planned} == {*Deed}
    assert {each.way for each in planned} == {*Way} - {Way.COUNT}


def test_a_save_has_moments_at_which_it_can_be_killed(tmp_path: Path) -> None:
    reply = done(order(tmp_path, Death(Way.COUNT)))
    assert (reply.is_done, reply.moments > 40) == (True, True)


@pytest.mark.parametrize("death", [Death(Way.AT_MOMENT, 1), Death(Way.AT_BYTE, 4096)], ids=str)
def test_a_killed_save_is_not_done(tmp_path: Path, death: Death) -> None:
    reply = done(order(tmp_path, death))
    assert (reply.is_done, reply.failure) == (False, "")
    assert (tmp_path / "a.yml").read_text() == OLD
