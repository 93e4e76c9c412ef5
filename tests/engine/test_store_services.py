"""What services answered is found again while it is fresh."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from engine.store import Store

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def test_an_answer_is_found_again_after_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.save_service_answer("k", "a\ud800\0b")
    store.close()
    assert Store(tmp_path / "s").service_answer("k", LONG_AGO) == "a\ud800\0b"


def test_a_later_answer_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.save_service_answer("k", "first")
    store.save_service_answer("k", "second")
    assert store.service_answer("k", LONG_AGO) == "second"


def test_an_answer_that_is_too_old_is_not_found(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.save_service_answer("k", "answer")
    assert store.service_answer("k", datetime.now(UTC) + timedelta(seconds=1)) is None


def test_times_of_any_zone_are_compared_as_the_moments_they_are(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.save_service_answer("k", "answer")
    hour_ago = datetime.now(timezone(timedelta(hours=-11))) - timedelta(hours=1)
    assert store.service_answer("k", hour_ago) == "answer"


def test_another_key_finds_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.save_service_answer("k", "answer")
    assert store.service_answer("other", LONG_AGO) is None
