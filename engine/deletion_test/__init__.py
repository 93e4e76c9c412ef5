"""The deletion test: each sentence of an ideal is deleted in turn, and the points say whether they notice.

It shows what a rubric does not look at: sentences that no point notices, and checks that notice nothing more than
another one does.
"""

from engine.deletion_test.check_trials import deletion_test
from engine.deletion_test.criterion_probes import Probe, criterion_trials, probes
from engine.deletion_test.deletions import (
    ROUNDS,
    CheckTrial,
    CriterionTrial,
    Deletion,
    DeletionTest,
    SentenceState,
    UntriedPoints,
)

__all__ = [
    "ROUNDS",
    "CheckTrial",
    "CriterionTrial",
    "Deletion",
    "DeletionTest",
    "Probe",
    "SentenceState",
    "UntriedPoints",
    "criterion_trials",
    "deletion_test",
    "probes",
]
