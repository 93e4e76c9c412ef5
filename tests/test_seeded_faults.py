"""The list of seeded faults speaks of the code and the tests as they are."""

from __future__ import annotations

import pytest

from tests.seeded_faults import Fault, Sources, faults, names_real_tests

FAULTS = faults()
SOURCES = Sources()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.breaks)
def test_its_fragment_stands_once_within_its_symbol(fault: Fault) -> None:
    assert len(SOURCES.places(fault)) == 1, f"correct {fault.within} or the fragment in seeded_faults.toml"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.breaks)
def test_the_tests_that_catch_it_are_there(fault: Fault) -> None:
    assert names_real_tests(fault), f"correct the tests of this fault in seeded_faults.toml: {', '.join(fault.by)}"


def test_forty_faults_are_sown_at_least() -> None:
    assert len({(fault.within, fault.was) for fault in FAULTS}) >= 40
