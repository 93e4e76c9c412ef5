"""The mutants that a suite is measured by."""

import pytest

from tests import mutants
from tests.mutants import ROOT, draw, sown


def test_a_draw_is_repeated_by_its_seed_and_each_mutant_is_another_program_that_python_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mutants, "SUBJECTS", ("engine/scoring",))
    drawn = draw(40, seed=2)
    assert drawn == draw(40, seed=2)
    for mutant in drawn:
        source = (ROOT / mutant.path).read_bytes()
        changed = sown(source, [(mutant, f"({mutant.now})")])
        assert compile(changed, mutant.path, "exec").co_code is not None
        assert changed != source
