"""Several temperatures that a model ignores are asked about once before they are sent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from engine.planning import RunPlan
from engine.planning.temperatures import SameRequests
from engine.workspace.settings import Settings
from studio.screens.consent import agreements, must_ask

PLAN = RunPlan(2, 0, (), same=(SameRequests("openai:gpt-5", (0.0, 1.0), 2),))


def app(settings: Settings) -> Any:
    return cast("Any", SimpleNamespace(settings=settings))


def test_an_author_is_asked_before_the_same_is_sent_at_two_temperatures() -> None:
    assert must_ask(app(Settings()), PLAN, many=False)


def test_who_agreed_is_not_asked_again() -> None:
    settings = Settings(consented=list(agreements(PLAN, many=False)))
    assert not must_ask(app(settings), PLAN, many=False)


def test_who_agreed_for_one_model_is_asked_for_another() -> None:
    settings = Settings(consented=list(agreements(PLAN, many=False)))
    other = RunPlan(2, 0, (), same=(SameRequests("openai:o3", (0.0, 1.0), 2),))
    assert must_ask(app(settings), other, many=False)


def test_a_plan_without_such_a_model_asks_nothing() -> None:
    assert not must_ask(app(Settings()), RunPlan(1, 0, ()), many=False)
