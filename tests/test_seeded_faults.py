"""The list of seeded faults speaks of the code and the tests as they are."""

from __future__ import annotations

import pytest

from tests.many_cases import every
from tests.seeded_faults import Fault, Sources, faults, named_tests

FAULTS = faults()


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources()


@every("fault", FAULTS, ids=lambda fault: fault.breaks)
def test_its_fragment_stands_once_within_its_symbol(fault: Fault, sources: Sources) -> None:
    assert len(sources.places(fault)) == 1, f"correct {fault.within} or the fragment in seeded_faults.toml"


@every("fault", FAULTS, ids=lambda fault: fault.breaks)
def test_the_test_that_catches_it_is_there(fault: Fault) -> None:
    assert named_tests(fault.by), f"correct the test of this fault in seeded_faults.toml: {fault.by}"


def test_forty_faults_are_sown_at_least() -> None:
    assert len({(fault.within, fault.was) for fault in FAULTS}) >= 40
