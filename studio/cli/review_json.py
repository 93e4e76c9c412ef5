"""Reviews as JSON (docs/machine-readable.md, "studio review")."""

from __future__ import annotations

from collections.abc import Sequence

from engine.asking.exchanges import Amount
from engine.evaluation.result_json import dumps
from engine.report.pull_request import RunCost
from engine.yaml.nodes import Data
from studio.cli.review_page import Review

VERSION = 1


def as_json(reviews: Sequence[Review]) -> str:
    """A list with one object for each blueprint."""
    return dumps([_review(review) for review in reviews])


def _review(review: Review) -> Data:
    return {
        "version": VERSION,
        "file": str(review.path),
        "prompts": len(review.parsed.blueprint.prompts),
        "pitfalls": [
            {
                "slug": each.slug,
                "severity": each.severity.value,
                "line": review.line(each.span.start),
                "message": each.message,
                "why": each.why,
            }
            for each in review.diagnostics
        ],
        "rubric": _rubric(review),
        "nearDuplicates": [
            {"prompts": [prompt.id for prompt in group.prompts], "likeness": group.least} for group in review.duplicates
        ],
        "scripts": [
            {
                "line": review.line(script.span.start),
                "function": script.function,
                "code": script.code,
                "points": script.uses,
            }
            for script in review.code.scripts
        ],
        "hosts": [
            {
                "host": host.recipient,
                "services": list(host.services),
                "calls": host.calls,
                "variables": list(host.variables),
            }
            for host in review.code.hosts
        ],
        "variableServices": list(review.code.variable_services),
        "ownModels": [
            {"id": model.id, "url": model.url, "variables": list(model.variables)} for model in review.code.models
        ],
        "cost": _cost(review.cost),
        "collectionProblems": list(review.collection_problems),
        "pullRequest": _pull_request(review),
        "links": [
            {
                "url": link.url,
                "citedIn": list(link.cited_in),
                "state": None if review.link_states is None else review.link_states[link.url].verdict.value,
                "detail": None if review.link_states is None else review.link_states[link.url].detail,
            }
            for link in review.links
        ],
        "suggestions": [
            {
                "slug": each.diagnostic.slug,
                "firstLine": each.first,
                "lastLine": each.last,
                "title": each.title or None,
                "lines": None if each.lines is None else list(each.lines),
            }
            for each in review.suggestions
        ],
    }


def _rubric(review: Review) -> Data:
    found = review.rubric
    return {
        "criteria": found.criteria,
        "citing": found.citing,
        "guards": [{"line": review.line(each.point.span.start), "left": each.left} for each in found.guards],
        "echoes": [{"prompt": each.prompt.id, "earns": each.earns} for each in found.echoes],
    }


def _pull_request(review: Review) -> Data:
    found = review.pull_request
    return {
        "location": found.location.value,
        "author": found.author or None,
        "leftOut": {
            "prompts": list(found.prompts),
            "models": list(found.models) if found.core_known else None,
            "temperatures": list(found.temperatures),
            "systems": list(found.systems),
        },
        "responses": found.responses,
        "cost": _cost(review.trimmed_cost),
    }


def _cost(cost: RunCost | None) -> Data:
    if cost is None:
        return None
    requests, dollars = cost.plan.requests, cost.plan.dollars
    return {
        "models": cost.models,
        "answers": cost.responses,
        "points": cost.plan.points,
        "requests": {"least": requests.least, "most": requests.most},
        "tokensIn": _amount(cost.plan.tokens_in),
        "tokensOut": _amount(cost.plan.tokens_out),
        "dollars": None if dollars is None else _amount(dollars),
        "unpriced": list(cost.plan.unpriced),
        "recipients": [recipient.name for recipient in cost.plan.recipients],
    }


def _amount(amount: Amount) -> Data:
    return {"least": amount.least, "usual": amount.usual, "most": amount.most}
