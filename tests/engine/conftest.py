"""What several tests of the engine need around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from engine.functions.v8 import JavaScript


@pytest.fixture
async def own_connections() -> AsyncIterator[None]:
    """Connections end with the test."""
    from engine.models.http import close_clients

    yield
    await close_clients()


@pytest.fixture(scope="session")
def javascript() -> Iterator[JavaScript]:
    """V8, one process for all tests of a worker that leave it as it is."""
    with JavaScript() as running:
        running.warm_up()
        yield running
