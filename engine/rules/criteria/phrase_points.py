"""The rules on the wording of criteria that are nothing but phrases."""

from __future__ import annotations

from engine.rules.phrases.phrase_reports import phrase_rule

conditional_point = phrase_rule("conditional-point")
metric_as_point = phrase_rule("metric-as-point")
not_visible_to_a_judge = phrase_rule("not-visible-to-a-judge")
optional_point = phrase_rule("optional-point")
question_point = phrase_rule("question-point")
refers_to_ideal = phrase_rule("refers-to-ideal")
refers_to_other_point = phrase_rule("refers-to-other-point")
stale_fact = phrase_rule("stale-fact")
vague_criterion = phrase_rule("vague-criterion")
