"""Answers, runs, grades, and replies of judges and services, saved in SQLite as they arrive. Secrets never enter.

One module per kind of record; `Store` is all of them over one file.
"""

from engine.store.database import PromptPlace, StoreUnavailable
from engine.store.grades import (
    HUMAN,
    UNKNOWN_FORM,
    Grades,
    JudgeForm,
    Lineage,
    Wording,
    WordingVerdict,
    WrittenWording,
)
from engine.store.run_records import PastRun, PastRuns, RunRecords, RunState, rubric_digest


class Store(RunRecords, Grades):
    """One database file. Safe to use from several threads; every change is on disk when the call returns."""


__all__ = [
    "HUMAN",
    "UNKNOWN_FORM",
    "JudgeForm",
    "Lineage",
    "PastRun",
    "PastRuns",
    "PromptPlace",
    "RunState",
    "Store",
    "StoreUnavailable",
    "Wording",
    "WordingVerdict",
    "WrittenWording",
    "rubric_digest",
]
