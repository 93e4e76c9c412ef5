"""The rules on the wording of criteria that are nothing but phrases."""

from __future__ import annotations

from engine.rules.phrases.phrase_reports import phrase_rule

RULES = tuple(
    phrase_rule(slug)
    for slug in (
        "conditional-point",
        "metric-as-point",
        "not-visible-to-a-judge",
        "optional-point",
        "question-point",
        "refers-to-ideal",
        "refers-to-other-point",
        "stale-fact",
        "vague-criterion",
    )
)
