"""Figures in words: totals, and how long ago something was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta


def age_text(began: Sequence[datetime], now: datetime) -> str:
    """`3 h ago`, `3 h ago and earlier` for runs that began at these times, the newest first; "" for none."""
    ages = list(dict.fromkeys(ago(each, now) for each in began))
    return "" if not ages else ages[0] if len(ages) == 1 else f"{ages[0]} and earlier"


def from_prompts(count: int, total: int) -> str:
    """`from 3 of 5 prompts`."""
    return f"from {count} of {total} {'prompt' if total == 1 else 'prompts'}"


_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)


def now() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


def ago(then: datetime, now: datetime) -> str:
    """How long ago: `just now`, `12 min ago`, `3 h ago`, `yesterday`, `5 days ago`; then the date."""
    passed = now - then
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{passed // _MINUTE} min ago"
    days = (now.astimezone().date() - then.astimezone().date()).days
    if days == 0 or passed < 6 * _HOUR:
        return f"{passed // _HOUR} h ago"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 14 else f"{then.astimezone():%Y-%m-%d}"
