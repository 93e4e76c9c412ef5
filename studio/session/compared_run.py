"""Runs as sides of a comparison, with the rubric that they were scored by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text.record import Record
from engine.text.record import replace as with_fields
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.blueprint import Header, Prompt
    from engine.evaluation.events import Response
    from engine.scoring.assessment import Assessment
    from engine.store import PromptPlace
    from engine.study.scored_answer import Side


class ComparedRun(Record):
    """One run in a comparison: its name, its prompt and the header then, its answer and its assessments."""

    label: str
    prompt: Prompt
    header: Header
    response: Response
    assessments: tuple[Assessment, ...]
    is_holistic: bool
    notes: tuple[str, ...] = ()


class ComparedPair(Record):
    """Two runs to compare, of the prompt at `place`, which `title` names."""

    place: PromptPlace
    title: str
    old: ComparedRun
    new: ComparedRun


def as_compared(run: Run, header: Header) -> ComparedRun:
    """A run that has a score, with the header that it was judged with."""
    from engine.judging.panel import Approach, panel  # here, as only comparisons load it

    assert run.response is not None
    judges = {each.judge.approach for given in run.judgements.values() for each in given}
    judges = judges or {judge.approach for judge in panel(header).judges}
    is_holistic = not judges or Approach.HOLISTIC in judges
    return ComparedRun(run.label, run.prompt, header, run.response, run.assessments, is_holistic)


def side_of(of: ComparedRun) -> Side:
    """The run as a side of a comparison."""
    from engine.study.scored_answer import Side, shown_to_judges  # here, as only comparisons load it

    turns = tuple(turn.content for turn in of.response.thread if turn.generated)
    shown = shown_to_judges(of.assessments, of.header.description, of.prompt.messages, is_holistic=of.is_holistic)
    return Side((*turns, of.response.subject), of.assessments, shown)


def as_then(saved: tuple[Header, Prompt], prompt: Prompt, header: Header) -> tuple[Prompt, Header]:
    """The prompt and the header with what was saved of a run; all else is as it is now."""
    then, old = saved
    prompt_then = with_fields(
        prompt, messages=old.messages, should=old.should, should_not=old.should_not, ideal=old.ideal
    )
    return prompt_then, with_fields(
        header,
        description=then.description,
        judges=then.judges,
        use_experimental_scale=then.use_experimental_scale,
        fields={**header.fields, **then.fields},
    )
