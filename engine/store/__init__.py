"""Answers, runs, grades, and replies of judges and services, saved in SQLite as they arrive. Secrets never enter.

One module per kind of record; `Store` is all of them over one file.
"""

from engine.store.blind_grades import BlindGrades
from engine.store.database import StoreUnavailable
from engine.store.grades import HUMAN, Grades
from engine.store.judged_answers import JudgedAnswers
from engine.store.lineages import UNKNOWN_FORM, JudgeForm, Lineage, Lineages, Wording, WordingVerdict, WrittenWording
from engine.store.prompt_place import PromptPlace
from engine.store.responses import Responses
from engine.store.run_history import PastRun, PastRuns, RunState, rubric_digest
from engine.store.run_records import RunRecords
from engine.store.stored_answers import Answers
from engine.store.stored_judgements import Judgements
from engine.store.stored_services import ServiceAnswers


class Store(Answers, RunRecords, Responses, Grades, Judgements, ServiceAnswers, JudgedAnswers, BlindGrades, Lineages):
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
