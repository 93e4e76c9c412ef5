"""The sentences against which the families of phrases are measured: they were written before the phrases."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "phrases"
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.toml"))
ENOUGH = 40


def sentences(family: str) -> dict[str, list[str]]:
    return tomllib.loads((FOLDER / f"{family}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_enough_sentences_and_look_alikes(family: str) -> None:
    found, clean = sentences(family)["found"], sentences(family)["clean"]
    assert len(found) == len(clean) == ENOUGH
    assert len({*found, *clean}) == 2 * ENOUGH
