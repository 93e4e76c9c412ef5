"""How many tokens go to models and judges, counted from the very texts that would be sent.

A text is counted once and remembered, so that a plan follows an edit at the cost of the edit. Of a question to a judge
the frame is counted once for each approach, and what stands in it by itself: the parts add up to the whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engine.blueprint import Role
from engine.conversation import ThreadTurn
from engine.judging.judge_prompt import MAX_TOKENS, MAX_TOKENS_AGAIN, Question, first_request, next_request
from engine.judging.panel import Approach
from engine.judging.scale import Scale
from engine.judging.verdict import NoVerdict, Reason
from engine.planning.amounts import Amount, counted
from engine.providers.tokens import TokenRange, tokens_of, tokens_of_messages

USUAL_VERDICT = 80
"""Tokens of a reflection of two sentences and a class."""
_SIGN = re.compile("<conversation-([0-9a-f]{8})")
_CHEAP_SIGN, _DEAR_SIGN = "abcdefab", "01234567"
"""The sign is eight hex digits, which are cut in the one way or the other."""


@lru_cache(maxsize=16_384)
def tokens_in(text: str) -> Amount:
    """The tokens of one text."""
    return counted(tokens_of(text))


@lru_cache(maxsize=16_384)
def tokens_in_message(text: str) -> Amount:
    """The tokens of one message with its form."""
    return counted(tokens_of_messages([text]))


@dataclass(frozen=True, slots=True)
class Frame:
    """What a question to a judge takes beside the texts that it is about: on the whole, for each turn, and for each
    criterion that is shown for context."""

    whole: Amount
    turn: Amount
    criterion: Amount


@lru_cache(maxsize=64)
def frame_of(approach: Approach, scale: Scale, described: bool) -> Frame:
    """The frame of an approach; `described` tells that the blueprint has a description."""
    turn = ThreadTurn(Role.ASSISTANT, "", generated=True)
    nothing = Question("", (), (), "A" if described else None)
    whole = _request_range(nothing, approach, scale)
    with_turn = _request_range(Question("", (turn,), (), nothing.description), approach, scale)
    with_two = _request_range(Question("", (), ("", ""), nothing.description), approach, scale)
    with_one = _request_range(Question("", (), ("",), nothing.description), approach, scale)
    return Frame(counted(whole), _difference(with_turn, whole), _difference(with_two, with_one))


@lru_cache(maxsize=64)
def asked_again(approach: Approach, scale: Scale, longest: int) -> float:
    """How many tokens more a judge is sent, at most, that is asked again: its reply (`longest`), and what follows."""
    first = first_request(Question("", ()), approach, scale, "")
    again = next_request(first, "A", NoVerdict(Reason.OFF_FORM, ""))
    more = tokens_of_messages(turn.content for turn in again.turns[len(first.turns) :])
    return longest + more.high


def verdicts(points: int, longest: Callable[[int], int]) -> Amount:
    """What a judge says to so many questions: up to two replies to each. `longest` is what its limit of tokens is where
    so many are asked for."""
    return Amount(0, USUAL_VERDICT * points, (longest(MAX_TOKENS) + longest(MAX_TOKENS_AGAIN)) * points)


def _request_range(question: Question, approach: Approach, scale: Scale) -> TokenRange:
    texts = [turn.content for turn in first_request(question, approach, scale, "").turns]
    found = _SIGN.search(texts[-1])
    if found is None:
        raise AssertionError("a question to a judge has marks")
    sign = found[1]
    cheap = tokens_of_messages(text.replace(sign, _CHEAP_SIGN) for text in texts)
    dear = tokens_of_messages(text.replace(sign, _DEAR_SIGN) for text in texts)
    return TokenRange(cheap.low, dear.high)


def _difference(more: TokenRange, less: TokenRange) -> Amount:
    """What one has and the other has not, with room for the rounding of both."""
    return counted(TokenRange(max(0, more.low - less.low - 1), more.high - less.high + 1))
