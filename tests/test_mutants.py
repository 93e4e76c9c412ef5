"""The mutants that a suite is measured by."""

from tests.mutants import ROOT, draw, sown


def test_a_draw_is_repeated_by_its_seed() -> None:
    assert draw(5, seed=3) == draw(5, seed=3)


def test_each_mutant_is_another_program_that_python_reads() -> None:
    for mutant in draw(60, seed=2):
        source = (ROOT / mutant.path).read_bytes()
        changed = sown(source, [(mutant, f"({mutant.now})")])
        assert compile(changed, mutant.path, "exec").co_code is not None
        assert changed != source
