"""What is known of an answer beside its words, as the head of the response shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Header, Prompt, RenderAs
from engine.conversation import conversation
from engine.evaluation.candidates import variant_words
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource
from engine.providers.prices import OwnPrices
from engine.text import Span
from studio.session.run import Run
from studio.session.views.answer_cost import answer_cost
from studio.session.views.result_view import progress_text

if TYPE_CHECKING:
    from engine.store import PromptPlace


@dataclass(frozen=True, slots=True)
class About:
    """What is known of an answer beside its words: whose it is, at which temperature it was asked for, what it cost in
    dollars, and how else it came about."""

    label: str
    temperature: float | None = None
    dollars: float | None = None
    restored: bool = False
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Places in an answer; `is_closest`: no evidence, but the sentence closest to a criterion."""

    spans: tuple[Span, ...] = ()
    is_closest: bool = False


@dataclass(frozen=True, slots=True)
class NoResponse:
    """There is no answer of a prompt: `teaching` is the next step."""

    teaching: str


@dataclass(frozen=True, slots=True)
class WrittenResponse:
    """The author writes an answer to the prompt of `place`, beginning with `text`.

    `loaded` is another number where that is another text than the author has there.
    """

    place: PromptPlace
    text: str
    loaded: int


@dataclass(frozen=True, slots=True)
class GrowingResponse:
    """What has arrived of an answer; `started` distinguishes runs, `label` what is being done."""

    started: int
    label: str
    text: str
    render_as: RenderAs


@dataclass(frozen=True, slots=True)
class ShownResponse:
    """A whole answer, or what had arrived of one, and what the selected row of its result rests on."""

    response: Response
    about: About
    render_as: RenderAs
    evidence: Evidence = Evidence()


ResponseView: TypeAlias = NoResponse | WrittenResponse | GrowingResponse | ShownResponse


def response_view(
    prompt: Prompt, run: Run | None, answers: str, evidence: Evidence, header: Header, own: OwnPrices
) -> ResponseView:
    """The answer of `run`, which is shown of `prompt` and that the author does not write. `answers` is what F5 runs."""
    if run is None:
        return NoResponse(f"No answer yet. F5 runs this prompt with {answers}.")
    if run.response is not None:
        return ShownResponse(run.response, about_answer(run, header, own), prompt.render_as, evidence)
    if run.running:
        return GrowingResponse(run.started, progress_text(run), text_so_far(run), run.prompt.render_as)
    return NoResponse("Nothing was answered.")


def text_so_far(run: Run) -> str:
    """What has arrived of the answer that is judged."""
    return "\n\n".join(filter(None, run.arrived or run.prefilled))


def about_answer(run: Run, header: Header, own: OwnPrices) -> About:
    """A model is shown by its whole id, with its temperature, and the price where that is known."""
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
