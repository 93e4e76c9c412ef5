"""What is known of an answer beside its words, as the head of the response tells it."""

from __future__ import annotations

from engine.blueprint import Header
from engine.conversation import conversation
from engine.evaluation.candidates import variant_words
from engine.evaluation.sources import ModelSource
from engine.providers.chat import Usage
from engine.providers.prices import OwnPrices, Price, cost, price_of
from engine.providers.provider_registry import definition_of
from studio.session.run import Run
from studio.tui.panes.response import About


def about_answer(run: Run, header: Header, own: OwnPrices) -> About:
    """A model is told by its whole id, with the temperature that it was asked at, and the price where that is known."""
    if not isinstance(run.source, ModelSource) or run.edited is not None:
        return About(run.label, kept=run.recalled, edited=run.edited is not None)
    talk = conversation(run.prompt, header, run.candidate.variant)
    if talk.answer is not None:
        return About("the last message, as it is written")
    words = [each for each in variant_words(run.candidate.variant) if not each.startswith("temp ")]
    return About(
        ", ".join([run.source.model, *words]),
        temperature=talk.temperature,
        dollars=None if run.response is None else _dollars(run.source, run.response.usage, header, own),
        kept=run.recalled,
    )


def judges_cost(run: Run, header: Header, own: OwnPrices) -> str:
    """What the judges of a run cost: `$0.0043`; "" where nobody was asked now, or it is not known."""
    if not run.judgements or run.recalled:
        return ""
    from engine.planning.plan_text import dollars_in_words
    from engine.planning.spent import spent  # here, as only runs with judges load it

    said = [each for judgements in run.judgements.values() for each in judgements]
    found = spent(None, said, lambda model: _price(ModelSource(model), header, own)).judges
    return dollars_in_words(found) if found else ""


def _dollars(source: ModelSource, usage: Usage, header: Header, own: OwnPrices) -> float | None:
    """What an answer cost. A model at the author's own address costs what the author says, whatever it is called."""
    price = _price(source, header, own)
    return None if price is None else cost(usage, price)


def _price(source: ModelSource, header: Header, own: OwnPrices) -> Price | None:
    is_listed = source.base_url is None and definition_of(source.model, header.models) is None
    return price_of(source.model, own) if is_listed else own.prices.get(source.model)
