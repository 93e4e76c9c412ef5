"""Recording that commands print answers of result files, or verdicts on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from engine.text import visible

if TYPE_CHECKING:
    from engine.evaluation.results import StoredResult
    from engine.store import StoreUnavailable


def mark_results_shown(results: Iterable[StoredResult]) -> None:
    """Record that these results are shown now, for every prompt on this machine that has their answers. Blocks."""
    from studio.session.cache import Cache
    from studio.session.resources import Resources

    texts = [each.response for each in results if each.response is not None]
    if not texts:
        return
    resources = Resources()
    try:
        Cache(resources.store, report_unrecorded).mark_texts_shown(texts)
    finally:
        resources.close()


def report_unrecorded(error: StoreUnavailable) -> None:
    """Print that the database does not take what was shown."""
    click.echo(visible(f"It cannot be recorded which answers were shown: {error}"), err=True)
