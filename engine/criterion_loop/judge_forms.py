"""How judges are asked, and which of their verdicts can be compared: only those that were asked for alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache

from engine.blueprint import Header
from engine.digests import short_data_digest
from engine.judging.judge_prompt import Question, first_request
from engine.judging.judge_runner import place_of
from engine.judging.panel import Approach, Panel, PanelJudge, Scale
from engine.store.lineages import UNKNOWN_FORM, JudgeForm, WordingVerdict
from engine.yaml_nodes.nodes import Data


class Unlike(StrEnum):
    """Why two verdicts of a judge cannot be compared: by other scales, asked for otherwise, or nobody knows how."""

    SCALE = "scale"
    FORM = "form"
    UNKNOWN = "unknown"


def form_of(judge: PanelJudge, scale: Scale, custom: Iterable[Data] = ()) -> JudgeForm:
    """How `judge` is asked by `scale`; `custom` are the blueprint's own models.

    The digest is of the model and where it is, the approach, the scale, and all that a judge prompt says in this
    version whatever the question.
    """
    asked = _words(judge.approach, scale)
    return JudgeForm(scale.name, short_data_digest([judge.model, place_of(judge.model, custom), asked]))


@cache
def _words(approach: Approach, scale: Scale) -> tuple[object, ...]:
    request = first_request(Question("", (), (), "-"), approach, scale, "")
    return (request.temperature, request.max_tokens, *(turn.content for turn in request.turns))


def forms_today(panel: Panel, header: Header) -> Mapping[str, JudgeForm]:
    """How the judges of a panel are asked, by label."""
    return {judge.label: form_of(judge, panel.scale, header.models) for judge in panel.every_judge}


def unlike(one: JudgeForm, other: JudgeForm) -> Unlike | None:
    """Why verdicts that a judge gave in two forms cannot be compared; None if they can."""
    if UNKNOWN_FORM in (one, other):
        return Unlike.UNKNOWN
    if one == other:
        return None
    return Unlike.SCALE if one.scale != other.scale else Unlike.FORM


def verdict_of(verdicts: Sequence[WordingVerdict], judge: str, form: JudgeForm | None) -> WordingVerdict | None:
    """The verdict of a judge that was asked for in this form, else its newest; None if it has none."""
    given = [each for each in verdicts if each.judge == judge]
    return next((each for each in given if each.form == form), given[-1] if given else None)


def verdicts_like(verdicts: Sequence[WordingVerdict], forms: Mapping[str, JudgeForm]) -> tuple[WordingVerdict, ...]:
    """One verdict of each judge: the one in its form of `forms`, else its newest."""
    found = (verdict_of(verdicts, judge, forms.get(judge)) for judge in dict.fromkeys(each.judge for each in verdicts))
    return tuple(each for each in found if each is not None)
