"""Judges of points in words: who they are, what they are asked, what they answer, and how far they agree."""

from engine.judging.agreement import Agreement, Interpretation, JudgeShare, agreement
from engine.judging.consensus import Consensus, panel_agreement
from engine.judging.judge_prompt import Question, first_request, questions
from engine.judging.judge_runner import JudgeAnswered, JudgingEvent, Kept, PointJudged, judge_points
from engine.judging.judge_texts import SentText, points_in_words, sent_texts
from engine.judging.judgement import Attempt, Judgement
from engine.judging.judgement_text import word_for_word
from engine.judging.panel import Approach, BackupWhen, Panel, PanelJudge, panel
from engine.judging.scale import JudgesAs, Scale, Step, scale_in_force
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict

__all__ = [
    "Agreement",
    "Approach",
    "Attempt",
    "BackupWhen",
    "Consensus",
    "Interpretation",
    "JudgeAnswered",
    "JudgeShare",
    "Judgement",
    "JudgesAs",
    "JudgingEvent",
    "Kept",
    "NoVerdict",
    "Panel",
    "PanelJudge",
    "PointJudged",
    "Question",
    "Reading",
    "Reason",
    "Scale",
    "SentText",
    "Step",
    "Verdict",
    "agreement",
    "first_request",
    "judge_points",
    "panel",
    "panel_agreement",
    "points_in_words",
    "questions",
    "read_verdict",
    "scale_in_force",
    "sent_texts",
    "word_for_word",
]
