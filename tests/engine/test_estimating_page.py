"""The page on estimates says what a measurement gives today. The corpus' part takes minutes: `tests.estimating`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.estimating import MiniLM
from engine.estimating.page import page
from engine.providers.weights import MINILM
from tests.estimating.corpus import auc
from tests.estimating.pairs import Pair, pairs
from tests.estimating.weights import INSTALLED_IN, needs_encoder

PAGE = " ".join(page().split())
pytestmark = needs_encoder


@pytest.fixture(scope="module")
def written() -> Iterator[list[Pair]]:
    encoder = MiniLM(INSTALLED_IN / "models" / MINILM.name)
    yield pairs(encoder)
    encoder.close()


def told(written: list[Pair], *kinds: str) -> str:
    some = [each.told for each in written if each.kind in kinds]
    return f"{sum(some)} of {len(some)}"


def test_how_often_what_meets_a_criterion_is_nearer(written: list[Pair]) -> None:
    share = auc([each.met for each in written], [each.contradicted for each in written])
    assert f"than a random wrong one {share * 100:.0f} times in 100" in PAGE
    assert f"Of {len(written)} criteria" in PAGE
    assert f"the right one was nearer in {sum(each.told for each in written)} of {len(written)}" in PAGE


def test_what_kinds_of_contradiction_are_seen(written: list[Pair]) -> None:
    assert told(written, "number", "order") == "16 of 16"
    assert "in all 16 where numbers or the order of things differ" in PAGE
    assert f"in {told(written, 'permission')} where something is allowed or forbidden" in PAGE
    assert f"in {told(written, 'who')} where it is who did it to whom" in PAGE
    assert f"in {told(written, 'negation')} where only a “not” differs" in PAGE
    assert f"Conditions, degrees and opposites: {told(written, 'condition', 'degree', 'opposite')}." in PAGE


@pytest.mark.parametrize("low", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_how_near_they_come(low: float, written: list[Pair]) -> None:
    within = [
        round(sum(low <= near < low + 0.2 or near == low + 0.2 == 1 for near in column) / len(column) * 100)
        for column in ([each.met for each in written], [each.contradicted for each in written])
    ]
    row = next(line.split() for line in page().splitlines() if line.strip().startswith(f"{low:.1f}–"))
    assert [int(figure) for figure in row[-2:]] == within
