"""Recording that commands print answers, or verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from studio.cli.frame import tell

if TYPE_CHECKING:
    from engine.evaluation.results import StoredResult
    from engine.store import Store, StoreUnavailable
    from engine.study.judged_pairs import JudgedPair


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


def mark_pairs_shown(store: Callable[[], Store], blueprint: str, pairs: Iterable[JudgedPair]) -> None:
    """Record that the answers of these pairs, or verdicts on them, are shown now. Blocks.

    `blueprint` is the key of the blueprint in the store.
    """
    from engine.blueprint.conversation import subject_text
    from engine.store import PromptPlace
    from studio.session.cache import Cache

    answers = [(PromptPlace(blueprint, pair.id.prompt), subject_text(pair.thread)) for pair in pairs]
    if answers:
        Cache(store, report_unrecorded).mark_shown(answers)


def report_unrecorded(error: StoreUnavailable) -> None:
    """Print that the database does not take what was shown."""
    tell(f"It cannot be recorded which answers were shown: {error}")
