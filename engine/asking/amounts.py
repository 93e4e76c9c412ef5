"""Estimates of requests, tokens, dollars and seconds: a range, and the usual value within it."""

from __future__ import annotations

from collections.abc import Iterable

from engine.models.prices import Price, TokenRange
from engine.text.record import Record


class Requests(Record):
    """A number of requests: `least` if every reply can be read, `most` if judges or services are asked again."""

    least: int = 0
    most: int = 0

    def __add__(self, other: Requests) -> Requests:
        """The sum of both."""
        return Requests(self.least + other.least, self.most + other.most)


class Amount(Record):
    """An estimated number: its lower bound, its usual value and its upper bound."""

    least: float = 0.0
    usual: float = 0.0
    most: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        """The sum of both."""
        return Amount(self.least + other.least, self.usual + other.usual, self.most + other.most)

    def times(self, least: float, most: float | None = None) -> Amount:
        """This amount, `least` times at least and usually, and `most` times (default: `least`) at most."""
        return Amount(self.least * least, self.usual * least, self.most * (least if most is None else most))


NOTHING = Amount()


def counted(tokens: TokenRange) -> Amount:
    """The tokens of a known text. The usual value is a third of the way up, where measured counts lie."""
    return Amount(tokens.low, tokens.low + (tokens.high - tokens.low) / 3, tokens.high)


def total(amounts: Iterable[Amount]) -> Amount:
    """The sum of all amounts."""
    least = usual = most = 0.0
    for amount in amounts:
        least += amount.least
        usual += amount.usual
        most += amount.most
    return Amount(least, usual, most)


def priced(tokens_in: Amount, tokens_out: Amount, price: Price) -> Amount:
    """The cost of these tokens in dollars."""
    return Amount(
        *(
            (into * price.input + out * price.output) / 1_000_000
            for into, out in (
                (tokens_in.least, tokens_out.least),
                (tokens_in.usual, tokens_out.usual),
                (tokens_in.most, tokens_out.most),
            )
        )
    )
