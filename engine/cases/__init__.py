"""Cases: labelled answers to the prompts of a blueprint, and whether its rubrics agree with their labels."""

from engine.cases.case import Case, CaseFile, CaseGrade, CaseVerdict, Label, NamedPoint, ScoreRange
from engine.cases.case_outcome import CaseOutcome, CaseState, outcome_of
from engine.cases.case_places import case_file_path, default_case_path
from engine.cases.case_problems import CaseProblem, problems_with
from engine.cases.case_reader import read_cases
from engine.cases.prompt_names import prompt_names

__all__ = [
    "Case",
    "CaseFile",
    "CaseGrade",
    "CaseOutcome",
    "CaseProblem",
    "CaseState",
    "CaseVerdict",
    "Label",
    "NamedPoint",
    "ScoreRange",
    "case_file_path",
    "default_case_path",
    "outcome_of",
    "problems_with",
    "prompt_names",
    "read_cases",
]
