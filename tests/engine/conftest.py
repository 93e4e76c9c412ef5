"""What several tests of the engine need around them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest


@pytest.fixture
async def own_connections(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Nothing is remembered of servers from other tests, and connections end with the test."""
    from engine.providers.http import close_clients

    monkeypatch.setattr("engine.providers.server._left_out", {})
    yield
    await close_clients()
