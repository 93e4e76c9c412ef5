"""What answers and verdicts cost. It stands apart as it brings the providers, which no first frame loads."""

from __future__ import annotations

from engine.asking.run_plan import dollars_text
from engine.asking.spending import cost_of
from engine.blueprint import Header
from engine.evaluation.sources import ModelSource
from engine.models.chat import Usage
from engine.models.prices import OwnPrices, Price, cost, price_of
from engine.models.provider_registry import definition_of
from studio.session.run import Run


def judges_cost(run: Run, header: Header, own: OwnPrices) -> str:
    """The cost of the judges of a run, `$0.0043`; "" if none were asked now, or it is unknown."""
    if not run.judgements or run.restored:
        return ""
    asked = [each for judgements in run.judgements.values() for each in judgements]
    found = cost_of(asked, lambda judge: model_price(ModelSource(*judge.address), header, own))
    return dollars_text(found) if found else ""


def answer_cost(source: ModelSource, usage: Usage, header: Header, own: OwnPrices) -> float | None:
    """The cost of an answer in dollars. For a model at the author's own address, only the author's own prices count."""
    price = model_price(source, header, own)
    return None if price is None else cost(usage, price)


def model_price(source: ModelSource, header: Header, own: OwnPrices) -> Price | None:
    """The price of a model; None if it is not known."""
    is_listed = source.base_url is None and definition_of(source.model, header.models) is None
    return price_of(source.model, own) if is_listed else own.prices.get(source.model)
