"""What the answers and verdicts in a report cost when they were given: money where a price is known, else tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.asking.run_plan import dollars_text
from engine.evaluation.events import Scored
from engine.evaluation.result_json import Entry
from engine.functions.function_text import count
from engine.models.chat import Usage
from engine.models.prices import Price, cost
from engine.text.record import Record

ANSWERS, VERDICTS = "answer", "verdict"
SPENDING_NOTE = "What answers and verdicts cost when they were given, by the prices that are known now."


class Prices(Record):
    """The known prices: of models that answered, by the keys of their entries, and of judges, by model id.

    None where the price of a model is not known. A key that is missing is of a source that costs nothing.
    """

    answers: Mapping[str, Price | None]
    judge: Callable[[str], Price | None]


class Spent(Record):
    """What one model cost: `number` of its answers or verdicts (`part`), of which the server did not count `uncounted`.

    `dollars` is None if its price is not known.
    """

    name: str
    part: str
    number: int
    uncounted: int
    input_tokens: int
    output_tokens: int
    dollars: float | None

    @property
    def text(self) -> str:
        """`12 answers, $0.0043`; `3 answers, 1,200 tokens in and 300 out`."""
        parts = [count(self.number, self.part)]
        if self.uncounted < self.number:
            tokens = f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out"
            parts.append(tokens if self.dollars is None else dollars_text(self.dollars))
        if self.uncounted:
            parts.append(f"{self.uncounted} without a count of tokens")
        return ", ".join(parts)


def spent(entries: Sequence[Entry], prices: Prices) -> tuple[Spent, ...]:
    """What each model cost that answered or judged, in the order of the entries. A verdict counts once."""
    found = [_spent(key, ANSWERS, usages, prices.answers[key]) for key, usages in _answers(entries, prices).items()]
    for name, (model, usages) in _verdicts(entries).items():
        found.append(_spent(name, VERDICTS, usages, prices.judge(model)))
    return tuple(found)


def spent_in_all(found: Iterable[Spent]) -> str:
    """`$0.0163 in all, and 1,500 tokens without a known price.`"""
    every = list(found)
    tokens = sum(each.input_tokens + each.output_tokens for each in every if each.dollars is None)
    known = [each.dollars for each in every if each.dollars is not None]
    parts = [f"{dollars_text(sum(known))} in all"] if known else []
    if tokens:
        parts.append(f"{tokens:,} tokens without a known price")
    return f"{', and '.join(parts)}." if parts else "No server counted tokens."


def _answers(entries: Sequence[Entry], prices: Prices) -> dict[str, list[Usage]]:
    found: dict[str, list[Usage]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Scored) and entry.key in prices.answers:
            found.setdefault(entry.key, []).append(entry.outcome.response.usage)
    return found


def _verdicts(entries: Sequence[Entry]) -> dict[str, tuple[str, list[Usage]]]:
    """The model of each judge by its name, and the usage of each of its judgements."""
    found: dict[str, tuple[str, list[Usage]]] = {}
    seen: set[tuple[str, int]] = set()
    for entry in entries:
        judged = () if entry.judged is None else entry.judged.points.values()
        for judgement in (each for consensus in judged for each in consensus.judgements):
            identity = judgement.key, judgement.round
            if not judgement.recipient or (judgement.key and identity in seen):
                continue
            seen.add(identity)
            usages = found.setdefault(judgement.judge.label, (judgement.judge.model, []))[1]
            usages.append(_sum(attempt.usage for attempt in judgement.attempts))
    return found


def _sum(usages: Iterable[Usage]) -> Usage:
    """The tokens of all requests; unknown if one of them was not counted."""
    every = list(usages)
    if any(each.input_tokens is None or each.output_tokens is None for each in every):
        return Usage()
    return Usage(sum(each.input_tokens or 0 for each in every), sum(each.output_tokens or 0 for each in every))


def _spent(name: str, part: str, usages: Sequence[Usage], price: Price | None) -> Spent:
    counted = [each for each in usages if each.input_tokens is not None and each.output_tokens is not None]
    total = _sum(counted)
    return Spent(
        name,
        part,
        len(usages),
        len(usages) - len(counted),
        total.input_tokens or 0,
        total.output_tokens or 0,
        None if price is None else cost(total, price),
    )
