"""What several tests of the engine need around them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest


@pytest.fixture
async def own_connections() -> AsyncIterator[None]:
    """Connections end with the test."""
    from engine.providers.http import close_clients

    yield
    await close_clients()
