"""What several tests of the engine need around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from engine.javascript import JavaScript


@pytest.fixture
async def own_connections() -> AsyncIterator[None]:
    """Connections end with the test."""
    from engine.providers.http import close_clients

    yield
    await close_clients()


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    """V8, one process for each file of tests."""
    with JavaScript() as running:
        yield running
