"""What a reviewer of a blueprint wants to know before it is merged. Nothing is sent."""

from engine.review.code_and_hosts import CodeAndHosts, code_and_hosts
from engine.review.near_duplicates import DuplicateGroup, near_duplicates
from engine.review.pull_request import PullRequest, pull_request, trimmed
from engine.review.rubric_figures import RubricFigures, rubric_figures
from engine.review.run_cost import RunCost, run_cost
from engine.review.suggestions import Suggestion, suggestions
from engine.review.web_links import WebLink, web_links

__all__ = [
    "CodeAndHosts",
    "DuplicateGroup",
    "PullRequest",
    "RubricFigures",
    "RunCost",
    "Suggestion",
    "WebLink",
    "code_and_hosts",
    "near_duplicates",
    "pull_request",
    "rubric_figures",
    "run_cost",
    "suggestions",
    "trimmed",
    "web_links",
]
