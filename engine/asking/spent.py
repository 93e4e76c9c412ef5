"""The cost of an answer and its judgements, from the token counts of the servers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.asking.plan_text import dollars_text
from engine.evaluation.events import Response
from engine.judging.judgement import Judgement
from engine.models.prices import Price, cost
from engine.text.record import Record


class Spent(Record):
    """US dollars for the answer and for its judges; None if the cost of a request is unknown."""

    answer: float | None = 0.0
    judges: float | None = 0.0

    @property
    def summary(self) -> str:
        """`$0.0021 and $0.0043 for judges`; "" if nothing was spent, or nothing is known."""
        answer = dollars_text(self.answer) if self.answer else ""
        judges = f"{dollars_text(self.judges)} for judges" if self.judges else ""
        return " and ".join(filter(None, (answer, judges)))


def spent(
    response: Response | None,
    judgements: Iterable[Judgement],
    price_of: Callable[[str], Price | None],
    *,
    model: str | None = None,
) -> Spent:
    """The cost of a run.

    `model` is the id of the model that was sent the request, None without a request (an ideal, a saved or an earlier
    answer). `price_of` returns the price of a model id, the author's own prices included. Cached judgements are free.
    """
    answer: float | None = 0.0
    if response is not None and model is not None and response.seconds is not None:
        price = price_of(model)
        answer = None if price is None else cost(response.usage, price)
    judges: float | None = 0.0
    for judgement in judgements:
        if judgement.reused or not judgement.recipient:
            continue
        price = price_of(judgement.judge.model)
        for attempt in judgement.attempts:
            paid = None if price is None else cost(attempt.usage, price)
            judges = None if judges is None or paid is None else judges + paid
    return Spent(answer, judges)
