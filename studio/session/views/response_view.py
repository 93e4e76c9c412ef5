"""The view of the response pane: an answer with its evidence, and the facts in its head."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Header, Prompt, RenderAs
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource, variant_words
from engine.models.prices import OwnPrices
from engine.text.record import Record
from engine.text.spans import Span
from studio.session.run import Run
from studio.session.views.answer_cost import answer_cost
from studio.session.views.result_view import progress_text

if TYPE_CHECKING:
    from engine.store import PromptPlace


class About(Record):
    """The head of an answer: its source, the temperature, the cost in dollars, and whether it was saved or edited."""

    label: str
    temperature: float | None = None
    dollars: float | None = None
    restored: bool = False
    edited: bool = False


class Evidence(Record):
    """Places in an answer. `is_closest`: the sentence closest to a criterion, which is not evidence."""

    spans: tuple[Span, ...] = ()
    is_closest: bool = False


class NoResponse(Record):
    """A prompt has no answer; `teaching` says how to get one."""

    teaching: str


class WrittenResponse(Record):
    """The author writes an answer to the prompt of `place`; the field starts with `text`.

    `loaded` changes when `text` must replace the text in the field.
    """

    place: PromptPlace
    text: str
    loaded: int


class GrowingResponse(Record):
    """The part of an answer that has arrived. `started` identifies the run; `label` says what it is doing."""

    started: int
    label: str
    text: str
    render_as: RenderAs


class ShownResponse(Record):
    """A complete or stopped answer, with the evidence of the selected row of its result."""

    response: Response
    about: About
    render_as: RenderAs
    evidence: Evidence = Evidence()


ResponseView: TypeAlias = NoResponse | WrittenResponse | GrowingResponse | ShownResponse


def response_view(
    prompt: Prompt, run: Run | None, answers: str, evidence: Evidence, header: Header, own: OwnPrices
) -> ResponseView:
    """The answer of `run`, a run of `prompt`, unless the author writes it. `answers` names what F5 runs."""
    if run is None:
        return NoResponse(f"No answer yet. F5 runs this prompt with {answers}.")
    if run.response is not None:
        return ShownResponse(run.response, about_answer(run, header, own), prompt.render_as, evidence)
    if run.running:
        return GrowingResponse(run.started, progress_text(run), text_so_far(run), run.prompt.render_as)
    return NoResponse("Nothing was answered.")


def text_so_far(run: Run) -> str:
    """The generated text that has arrived so far."""
    return "\n\n".join(filter(None, run.arrived or run.prefilled))


def about_answer(run: Run, header: Header, own: OwnPrices) -> About:
    """The head of the answer of `run`: for a model its id, temperature, and cost if known."""
    if not isinstance(run.source, ModelSource) or run.edited is not None:
        return About(run.label, restored=run.restored, edited=run.edited is not None)
    talk = conversation(run.prompt, header, run.candidate.variant)
    if talk.answer is not None:
        return About("the last message, as it is written")
    words = [each for each in variant_words(run.candidate.variant) if not each.startswith("temp ")]
    return About(
        ", ".join([run.source.model, *words]),
        temperature=talk.temperature,
        dollars=None if run.response is None else answer_cost(run.source, run.response.usage, header, own),
        restored=run.restored,
    )
