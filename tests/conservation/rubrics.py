"""Seeded blueprints as authors write them: points in words, checks, weights, citations, paths, wraps and quotes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.pieces import pieces

_VERBS = pieces("verbs of criteria")
_THINGS = pieces("things of criteria")
_TAILS = pieces("tails of criteria")
_CHECKS = ("$icontains", "$contains", "$icontains_word", "$matches", "$word_count_between", "$contains_any_of")
_QUESTIONS = (
    "What are my rights if the landlord refuses a repair",
    "How long may an authority take to answer a request",
    "Which dose is safe for an adult with kidney disease",
    "May I record a conversation with my employer",
)


@dataclass(frozen=True, slots=True)
class Style:
    """How one author writes: columns of the dashes, the favourite quotes, the width at which texts are wrapped."""

    step: int
    quote: str
    width: int


def blueprint(rng: Random, prompts: int = 3) -> list[str]:
    """The lines of a blueprint of `prompts` prompts without a slip."""
    style = Style(rng.choice((0, 2, 2, 4)), rng.choice(("", "", '"', "'")), rng.choice((0, 0, 60, 76)))
    lines = ["title: Rights of tenants", "description: What people ask of an adviser", "models: [CORE]", "---"]
    for number in range(prompts):
        lines += _prompt(rng, style, number + 1)
        lines += [""] * rng.choice((0, 0, 1))
    return lines


def _prompt(rng: Random, style: Style, number: int) -> list[str]:
    lines = [f"- id: question-{number}"]
    question = f"{rng.choice(_QUESTIONS)}, case {number}?"
    match rng.randrange(4):
        case 0:
            lines += ["  prompt: |", f"    {question}", "    Answer in plain words."]
        case 1:
            lines += ["  messages:", f"    - user: {question}"]
        case _:
            lines.append(f"  prompt: {question}")
    match rng.randrange(4):
        case 0:
            lines += ["  ideal: |", f"    The law gives {number + 1} weeks.", "    After that you may appeal."]
        case 1:
            lines.append(f"  ideal: You may appeal within {number + 1} weeks.")
        case _:
            pass
    lines.append("  should:")
    lines += _entries(rng, style, rng.randint(3, 6), paths=rng.random() < 0.3)
    if rng.random() < 0.35:
        lines.append("  should_not:")
        lines += _entries(rng, style, rng.randint(1, 3), paths=False)
    return lines


def _entries(rng: Random, style: Style, count: int, *, paths: bool) -> list[str]:
    margin = " " * (2 + style.step)
    lines: list[str] = []
    for _ in range(count):
        lines += _item(rng, style, margin)
    if paths:
        for _ in range(2):
            items = [_item(rng, style, margin + "  ") for _ in range(rng.randint(2, 3))]
            lines.append(f"{margin}- {items[0][0].lstrip()}")
            lines += items[0][1:]
            lines += [line for item in items[1:] for line in item]
    return lines


def _item(rng: Random, style: Style, margin: str) -> list[str]:
    match rng.randrange(10):
        case 0 | 1:
            return [f"{margin}- {_check(rng)}"]
        case 2:
            lines = [f"{margin}- text: {_quoted(criterion(rng), style)}"]
            lines.append(f"{margin}  weight: {rng.choice((0.5, 2, 3))}")
            return lines
        case 3:
            return [
                f"{margin}- text: {_quoted(criterion(rng), style)}",
                f"{margin}  citation: FOIA 2000 s.{rng.randint(1, 80)}",
            ]
        case _:
            return _wrapped(rng, f"{margin}- ", criterion(rng), style)


def _wrapped(rng: Random, head: str, text: str, style: Style) -> list[str]:
    written = _quoted(text, style)
    if not style.width or len(head) + len(written) <= style.width or rng.random() < 0.3:
        return [head + written]
    lines, line = [], head
    for word in written.split(" "):
        if len(line) + len(word) > style.width and line.strip() != "-":
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + " "
    return [*lines, line.rstrip()]


def _quoted(text: str, style: Style) -> str:
    return f"{style.quote}{text.replace(chr(39), chr(39) * 2) if style.quote == chr(39) else text}{style.quote}"


def criterion(rng: Random) -> str:
    """A criterion in words, told apart from others by a number."""
    thing = rng.choice(_THINGS)
    words = (rng.choice(_VERBS), thing, rng.choice(_TAILS), f"in item {rng.randint(1, 99999)}")
    return " ".join(filter(None, words))


def _check(rng: Random) -> str:
    name, number = rng.choice(_CHECKS), rng.randint(1000, 99999)
    match name:
        case "$word_count_between":
            return f"{name}: [{rng.randint(1, 40)}, {number}]"
        case "$contains_any_of":
            return f"{name}: [cap {number}, 'limit {number}']"
        case "$matches":
            return f"{name}: '\\b{number}\\b'"
        case _:
            quote = rng.choice(("", "'", '"'))
            return f"{name}: {quote}cap {number}{quote}"
