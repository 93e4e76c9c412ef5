"""What an answer and its judgements have cost, from the tokens that the servers counted.

For the Response line (`$0.0021`) and the head of a result (`$0.0021 and $0.0043 for judges`): call `spent` with the
`Response` and the `Judgement`s of a `studio.session.run.Run`, and show `Spent.in_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.evaluation.events import Response
from engine.judging.judgement import Judgement
from engine.planning.plan_text import dollars_text
from engine.providers.prices import Price, cost


@dataclass(frozen=True, slots=True)
class Spent:
    """US dollars: for the answer, and for its judges. None where something was asked and its cost is not known."""

    answer: float | None = 0.0
    judges: float | None = 0.0

    @property
    def in_words(self) -> str:
        """`$0.0021 and $0.0043 for judges`; "" where nothing was spent, as far as anybody knows."""
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
    """What a run has cost.

    `model` is the id under which the answer was asked for, None where nobody was asked (an ideal, a saved answer, one
    from before). `price_of` gives the price of a model id: `engine.providers.prices.price_of` with the author's own.
    Cached judgements cost nothing now.
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
