"""Estimates of requests, tokens, dollars and seconds: a range, and the usual value within it.

Tokens are counted in the exact texts that models and judges are sent. Counts of texts are cached, so that a new plan
after an edit costs no more than the edit. For a question to a judge, the frame is counted once for each approach, and
the texts within it separately; the counts add up to that of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn
from engine.judging.judge_prompt import MAX_TOKENS, MAX_TOKENS_AGAIN, Question, first_request, next_request
from engine.judging.panel import Approach, Scale
from engine.judging.verdict import NoVerdict, Reason
from engine.models.prices import Price, TokenRange, tokens_of, tokens_of_messages
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


USUAL_VERDICT = 80
"""Tokens of a reflection of two sentences and a classification."""
_SIGN = re.compile("<conversation-([0-9a-f]{8})")
_SHORT_SIGN, _LONG_SIGN = "abcdefab", "01234567"
"""The sign is eight hex digits; tokenisers split these two into few and many tokens."""


@lru_cache(maxsize=16_384)
def tokens_in(text: str) -> Amount:
    """The tokens of one text."""
    return counted(tokens_of(text))


@lru_cache(maxsize=16_384)
def tokens_in_message(text: str) -> Amount:
    """The tokens of one message with its overhead."""
    return counted(tokens_of_messages([text]))


class Frame(Record):
    """The tokens of a question to a judge besides the texts in it: in all, for each turn, and for each criterion that
    is shown for context."""

    whole: Amount
    turn: Amount
    criterion: Amount


@lru_cache(maxsize=64)
def frame_of(approach: Approach, scale: Scale, described: bool) -> Frame:
    """The frame of an approach; `described` is whether the blueprint has a description."""
    turn = ThreadTurn(Role.ASSISTANT, "", generated=True)
    nothing = Question("", (), (), "A" if described else None)
    whole = _request_range(nothing, approach, scale)
    with_turn = _request_range(Question("", (turn,), (), nothing.description), approach, scale)
    with_two = _request_range(Question("", (), ("", ""), nothing.description), approach, scale)
    with_one = _request_range(Question("", (), ("",), nothing.description), approach, scale)
    return Frame(counted(whole), _difference(with_turn, whole), _difference(with_two, with_one))


@lru_cache(maxsize=64)
def retry_tokens(approach: Approach, scale: Scale, longest: int) -> float:
    """The upper bound of further tokens that a judge is sent when asked again: its reply (`longest`) and the request
    to answer in form."""
    first = first_request(Question("", ()), approach, scale, "")
    again = next_request(first, "A", NoVerdict(Reason.OFF_FORM, ""))
    more = tokens_of_messages(turn.content for turn in again.turns[len(first.turns) :])
    return longest + more.high


def verdict_tokens(points: int, longest: Callable[[int], int]) -> Amount:
    """The tokens of a judge's replies to `points` questions, up to two replies to each. `longest` maps the requested
    limit of tokens to the limit that applies."""
    return Amount(0, USUAL_VERDICT * points, (longest(MAX_TOKENS) + longest(MAX_TOKENS_AGAIN)) * points)


def _request_range(question: Question, approach: Approach, scale: Scale) -> TokenRange:
    texts = [turn.content for turn in first_request(question, approach, scale, "").turns]
    found = _SIGN.search(texts[-1])
    if found is None:
        raise AssertionError("a question to a judge has a sign")
    sign = found[1]
    low = tokens_of_messages(text.replace(sign, _SHORT_SIGN) for text in texts)
    high = tokens_of_messages(text.replace(sign, _LONG_SIGN) for text in texts)
    return TokenRange(low.low, high.high)


def _difference(more: TokenRange, less: TokenRange) -> Amount:
    """The difference of two counts, widened for the rounding of both."""
    return counted(TokenRange(max(0, more.low - less.low - 1), more.high - less.high + 1))
