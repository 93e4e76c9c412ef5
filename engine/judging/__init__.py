"""Judges of text points: panels, prompts, requests, verdicts, consensus and agreement."""

from engine.judging.consensus import Consensus
from engine.judging.judge_prompt import Question, count_text_points, first_request, questions
from engine.judging.judge_runner import JudgeAnswered, JudgingEvent, PointJudged, judge_points
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, JudgesAs, Panel, PanelJudge, panel
from engine.judging.verdict import NoVerdict, Reason, Verdict

__all__ = [
    "Approach",
    "Attempt",
    "Consensus",
    "JudgeAnswered",
    "Judgement",
    "JudgesAs",
    "JudgingEvent",
    "NoVerdict",
    "Panel",
    "PanelJudge",
    "PointJudged",
    "Question",
    "Reason",
    "Verdict",
    "count_text_points",
    "first_request",
    "judge_points",
    "panel",
    "questions",
]
