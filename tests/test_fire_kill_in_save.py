"""A few rounds of the kills within a save, and the way in which they kill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fire import kill_in_save
from tests.fire.deaths import NO_DEATH, Death, Way
from tests.fire.kill_in_save import Done, done
from tests.fire.studio_events import Deed, Order, Shown
from tests.thoroughness import tried

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")

OLD = "title: Old\n"
NEW = "title: New\n" * 1000


def saved(folder: Path, death: Death) -> Done:
    path = folder / "a.yml"
    path.write_text(OLD)
    write, save = (
        Order(deed, path, folder / "home", "", NEW, is_last=deed is Deed.SAVE) for deed in (Deed.WRITE, Deed.SAVE)
    )
    return done([write, save], death)


def test_nothing_is_torn_lost_or_left() -> None:
    assert [row for row in kill_in_save.run(1, tried(2, 4)).rows if row.met is False] == []


def test_the_same_seed_is_the_same_attack() -> None:
    assert kill_in_save.planned(7, 3) == kill_in_save.planned(7, 3)


def test_every_deed_and_every_way_to_die_occurs() -> None:
    planned = [kill_in_save.planned(1, number) for number in range(100)]
    assert {each.deed for each in planned} == {*kill_in_save.DEEDS}
    assert {each.way for each in planned} == {*Way} - {Way.COUNT}


def test_a_save_has_moments_at_which_it_can_be_killed(tmp_path: Path) -> None:
    found = saved(tmp_path, NO_DEATH)
    last = found.events[-1]
    assert isinstance(last, Shown)
    assert (found.is_done, last.moments > 40) == (True, True)
    assert (tmp_path / "a.yml").read_text() == NEW


@pytest.mark.parametrize("death", [Death(Way.AT_MOMENT, 1), Death(Way.AT_BYTE, 4096)], ids=str)
def test_a_killed_save_is_not_done(tmp_path: Path, death: Death) -> None:
    found = saved(tmp_path, death)
    assert (found.is_done, found.failure) == (False, "")
    assert (tmp_path / "a.yml").read_text() == OLD


def test_a_save_killed_by_the_clock_leaves_the_text_of_before_or_its_own(tmp_path: Path) -> None:
    found = saved(tmp_path, Death(Way.TIMED, 0))
    assert found.failure == ""
    assert (tmp_path / "a.yml").read_text() in (OLD, NEW)
