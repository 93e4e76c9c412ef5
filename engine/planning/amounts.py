"""How much: requests, tokens, dollars and seconds, each as a range with what is usual."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.providers.prices import Price
from engine.providers.tokens import TokenRange


@dataclass(frozen=True, slots=True)
class Requests:
    """At least so many where everybody answers in form, at most so many where somebody has to be asked again."""

    least: int = 0
    most: int = 0

    def __add__(self, other: Requests) -> Requests:
        """Both together."""
        return Requests(self.least + other.least, self.most + other.most)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that is not known before: at least, usually, at most."""

    least: float = 0.0
    usual: float = 0.0
    most: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        """Both together."""
        return Amount(self.least + other.least, self.usual + other.usual, self.most + other.most)

    def times(self, least: float, most: float | None = None) -> Amount:
        """So many of it: `least` of them usually, and at most `most`."""
        return Amount(self.least * least, self.usual * least, self.most * (least if most is None else most))


NOTHING = Amount()


def counted(tokens: TokenRange) -> Amount:
    """The tokens of a text that is known. Usual is a third of the way up: there the true counts were found."""
    return Amount(tokens.low, tokens.low + (tokens.high - tokens.low) / 3, tokens.high)


def together(amounts: Iterable[Amount]) -> Amount:
    """All of them."""
    least = usual = most = 0.0
    for amount in amounts:
        least += amount.least
        usual += amount.usual
        most += amount.most
    return Amount(least, usual, most)


def priced(tokens_in: Amount, tokens_out: Amount, price: Price) -> Amount:
    """What so many tokens cost, in dollars."""
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
