"""# beyond-token-limit

A least number of words that no answer can reach, because the request limits its tokens.

A request asks for at most 1,500 tokens, unless a custom model sets another limit in its `parameters`. That is room for
about 1,100 English words. Where more are required, every answer is cut off before it gets there, and every model loses
the point.

Bad:

    - id: report
      prompt: Write a report of 3,000 words on the fisheries of Lake Victoria.
      should:
        - Mentions the Nile perch
        - $word_count_between: [2500, 4000]

Good:

    - id: report
      prompt: Write a report of 800 words on the fisheries of Lake Victoria.
      should:
        - Mentions the Nile perch
        - $word_count_between: [700, 1000]

Fix: none. Ask for less, or evaluate custom models whose `parameters` have a higher limit.

Documents: Blueprint format, Custom Model Object Fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Severity
from engine.providers.answer_lengths import longest_answer
from engine.providers.chat import USUAL_MAX_TOKENS
from engine.record import Record
from engine.rules.rule import Report, Rule
from engine.rules.source.generated_turns import generated_turns
from engine.rules.source.layout import first_line
from engine.rules.views import FileView

_WORDS_A_TOKEN = 0.75
"""English words that a token holds, on average."""
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{3,6})"
_AT_LEAST = re.compile(
    rf"""\b(?:at\s+least|minimum(?:\s+length)?(?:\s+of)?|no\s+(?:fewer|less)\s+than|not\s+(?:fewer|less)\s+than|more\s+than
      |over|exactly|exceed(?:s|ing)?)\s+(?P<a>{_NUMBER})\s+words\b
    |\b(?:between\s+)?(?<!up\s)(?<!most\s)(?P<b>{_NUMBER})\s*(?:to|and|[-–—])\s*{_NUMBER}\s+words\b
    |\b(?P<c>{_NUMBER})\s*(?:\+|or\s+more)\s*words\b|\b(?P<d>{_NUMBER})\s+words\s+(?:or\s+more|minimum|at\s+least)\b
    |\bminimum\s+word\s+count\s+(?:of|is)\s+(?P<e>{_NUMBER})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SCRIPT = re.compile(r"split\(\s*/\\s[+*]?/\w*\s*\).{0,60}?\.length\s*>=?\s*(?P<words>\d{3,6})\b")
"""A script that counts words, and requires a least number."""


class _Limit(Record):
    """The least limit of tokens among the models of a file, and whose it is."""

    tokens: int
    model: str | None = None


def _check(view: FileView) -> Iterator[Report]:
    if not view.holds(" word", "word_count", ".split("):
        return
    limit: _Limit | None = None
    for prompt in view.blueprint.prompts:
        for point in _wanted(prompt):
            least = _least_words(point)
            if least is None:
                continue
            limit = limit or _limit(view)
            room = limit.tokens * max(generated_turns(prompt), 1)
            if least > room * _WORDS_A_TOKEN:
                span = first_line(view.text, point.subject_span)
                yield Report(span, _message(least, room, limit.model))


def _wanted(prompt: Prompt) -> Iterator[Point]:
    """The points of `should`."""
    return (point for rubric in prompt.rubrics if not rubric.block.inverted for point in rubric.points())


def _least_words(point: Point) -> int | None:
    """The least number of words that a point requires; None if it requires none."""
    call = point.function
    if call is None:
        return _least_in(point.text) if point.text else None
    if call.name in ("js", "expr") and isinstance(call.args, str):
        found = _SCRIPT.search(call.args)
        return None if found is None else int(found["words"])
    function = functions.find(call.name)
    if function is None or function.name != "word_count_between" or function.problem(call.args) is not None:
        return None
    match call.args:
        case [int() | float() as least, _] if math.isfinite(least):
            return int(least)
        case _:
            return None


@lru_cache(maxsize=1000)
def _least_in(text: str) -> int | None:
    """The least number of words that a criterion names; aliases make many points of one long text."""
    found = _AT_LEAST.search(text) if "word" in text else None
    written = None if found is None else next(number for number in found.groups() if number is not None)
    return None if written is None else int(written.replace(",", ""))


def _limit(view: FileView) -> _Limit:
    """The least limit of tokens of a request to one of the file's models."""
    models = view.blueprint.header.models
    custom = [model for model in models if isinstance(model, dict)]
    limits = [_Limit(longest_answer(name, custom), name) for each in custom if isinstance(name := each.get("id"), str)]
    if len(limits) < len(models) or not models:
        limits.append(_Limit(USUAL_MAX_TOKENS))
    return min(limits, key=lambda each: each.tokens)


def _message(least: int, room: int, model: str | None) -> str:
    whose = "a request" if model is None else f"a request to {model}"
    tokens, words = math.ceil(least / _WORDS_A_TOKEN / 10) * 10, round(room * _WORDS_A_TOKEN / 10) * 10
    return (
        f"{least:,} words are about {tokens:,} tokens, but {whose} leaves room for {room:,} (about {words:,} words): "
        "no answer is long enough"
    )


RULES = (
    Rule(
        code="F086",
        slug="beyond-token-limit",
        title="Length that the token limit cannot hold",
        severity=Severity.WARNING,
        why="Every answer is cut off before it has so many words, so every model loses the point.",
        on_file=_check,
    ),
)
