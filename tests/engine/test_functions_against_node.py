"""Point functions called at random, by us and in Node 20: the same extents, and errors for the same arguments."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine import functions
from engine.blueprint import ABSENT, FunctionCall
from engine.functions.point_function import Checked, Result, Subject
from engine.functions.v8 import JavaScript
from tests.node import answers, needs_node
from tests.pieces import pieces
from tests.thoroughness import tried

pytestmark = needs_node

SEEDS = range(tried(2, 4))
CALLS_PER_SEED = tried(500, 1_000)

CHARACTERS = "aAsSſkKiIİıßẞςσΣμµ😀𐐀𐐨ǅﬁŉÉe\u0301\u0345'·0٣Ⅷ_-.*( \t\n\r\u00a0\ufeff\u0085\u001c\u2028\u200b\ud83d\ude00"
WORDS = ["fox", "FOX", "São", "Paraná", "Straße", "ΟΔΟΣ", "οδος", "İstanbul", "café", "हिन्दी", "x_y", "(b)", "1,000"]
GAPS = [" ", "  ", "\n", "\r\n", "\u00a0", "\ufeff", "\u0085", "\u001c", "\u2028", "-", "_", ". ", "\u200b"]
PATTERNS = pieces("pieces of patterns")
NUMBERS = [0, 1, 2, 3, -1, 0.5, 2.5, -0.0, 1e-9, 1e308, 2**53 + 1, 10**25, math.nan, math.inf, -math.inf]
NO_NUMBERS = ["5", " 5 ", "0x10", "", None, True, False, [], [1], {}]
ODD: list[Any] = [
    *("\ud83d", "\x00", [math.nan, -1], [-0.0, 0], [math.nan, []], [0, ["a"], 1], [1e308, ["a"]], ["1", ["a"]]),
    *([0.5, ["a"]], [[], []], [1, None], {"name": 5}, {"name": "a"}, {"name": "a", "where": []}, {"0": "a"}, False),
    *({"name": "", "where": {}}, {"name": "a", "where": {"toString": 1}}, {"name": "a", "where": "args"}, -0.0, 1e21),
    *(["a", "\ud83d"], ["constructor"], ["__proto__"], "__proto__", [True, False], [None, None, "a"], ["a"] * 3),
]
"""Arguments that are nearly right for some function and wrong for the others."""
JUNK = [*ODD, None, True, 0, 1.5, "", [], {}, [None], [True], ["x", None], {"a": 1}, [[]], "5", ["x", ["y"]], 10**30]
SCRIPTS = pieces("scripts")
TOOLS = ["a", "b", "search", "café"]
KEYS = ["a", "b", "0", "1", "length", "toString"]
BEFORE = ["", "", "", " ", "\t", "\u00a0", "\ufeff", "\u0085", "\u001c", "- ", "`", "\u2028"]
MARKS = [*["TOOL_CALL "] * 6, "TOOL_CALL", "TOOL_CALL\t", "TOOL_CALL  ", "TOOL_CALL \u00a0", "tool_call "]
SPOILS: list[Callable[[str], str]] = [
    *[str] * 12,
    lambda line: line[:-1],
    lambda line: line.replace(":", ":\n", 1),
    lambda line: line.replace('"', "'"),
    lambda line: f'{line[:-1]},"name":"b"}}',
    lambda line: line.replace("{", '{"x":NaN,', 1),
    lambda line: line.replace("{", '{"x":1e400,', 1),
    lambda line: line.replace("{", '{"x":"\t",', 1),
    lambda line: line.replace("{", '{"x":"\\ud83d\u2028",', 1),
]


class Chance(random.Random):
    """Calls of point functions, by chance."""

    def text(self) -> str:
        if self.random() < 0.4:
            return "".join(self.choices(CHARACTERS, k=self.randrange(25)))
        return "".join(self.choice(WORDS) + self.choice(GAPS) for _ in range(self.randrange(8)))

    def wanted(self, text: str) -> str:
        """A piece of the text in whatever case, or something else."""
        if text and self.random() < 0.5:
            at = self.randrange(len(text))
            return self.choice([str, str.upper, str.lower, str.swapcase])(text[at : at + self.randrange(1, 6)])
        return self.choice(WORDS) if self.random() < 0.6 else "".join(self.choices(CHARACTERS, k=self.randrange(4)))

    def pattern(self, text: str) -> str:
        return self.wanted(text) if self.random() < 0.2 else "".join(self.choices(PATTERNS, k=self.randrange(1, 6)))

    def number(self) -> object:
        return self.choice(NUMBERS if self.random() < 0.8 else NO_NUMBERS)

    def value(self, depth: int = 0) -> object:
        """A JSON value."""
        kind = self.random()
        if kind < 0.5 or depth > 2:
            return self.choice(
                [1, 0, -0.0, 1.5, "1", "a b", "a\u00a0b", "", None, True, False, 2**53 + 1, 1e300, "São"]
            )
        if kind < 0.75:
            return [self.value(depth + 1) for _ in range(self.randrange(4))]
        return {self.choice(KEYS): self.value(depth + 1) for _ in range(self.randrange(4))}

    def part(self, value: object) -> object:
        """Some of a value, as a pattern for it."""
        if isinstance(value, dict):
            return {key: self.part(item) for key, item in value.items() if self.random() < 0.7}
        if isinstance(value, list):
            return [self.part(item) for item in value[: self.randrange(len(value) + 1)]]
        return value if self.random() < 0.8 else self.value(2)

    def trace(self) -> tuple[str, list[dict[str, Any]]]:
        """A response with tool calls, some of them spoilt, and the calls that were meant."""
        calls: list[dict[str, Any]] = []
        lines: list[str] = []
        for _ in range(self.randrange(5)):
            call: dict[str, Any] = {"name": self.choice([*TOOLS, *TOOLS, ""]), "arguments": self.value()}
            written = json.dumps(call, ensure_ascii=self.random() < 0.3)
            calls.append(call)
            lines.append(
                f"{self.choice(BEFORE)}{self.choice(MARKS)}{self.choice(SPOILS)(written)}{self.choice(BEFORE)}"
            )
        return self.choice(["\n", "\n", "\r\n", "\r", "\u2028", "\n\n"]).join(lines), calls

    def call(self) -> tuple[str, object, str]:
        """A function, its argument and a response."""
        name = self.choice([function.name for function in functions.ALL if not function.by_service])
        args, text = self.of(name.removeprefix("not_"))
        return name, self.choice(JUNK) if self.random() < 0.12 else args, text

    def of(self, name: str) -> tuple[object, str]:
        text = self.text()
        one = self.pattern if "matches" in name else self.wanted
        match name:
            case "js":
                return self.choice(SCRIPTS), text
            case "is_json":
                written = json.dumps(self.value(), ensure_ascii=False)
                return True, self.choice(["", "", " ", "\ufeff", "\u00a0", "```json\n"]) + self.choice(SPOILS)(written)
            case "word_count_between":
                return [self.number(), self.number()], text
            case "tool_called":
                return self.choice([*TOOLS, ""]), self.trace()[0]
            case "tool_call_order":
                return self.choices([*TOOLS, "", 1, None], k=self.randrange(4)), self.trace()[0]
            case "tool_call_count_between":
                return [self.number(), self.number(), *self.choices([*TOOLS, ""], k=self.randrange(2))], self.trace()[0]
            case "tool_args_match":
                return self.tool_args()
            case _ if name.endswith("_at_least_n_of"):
                return [self.number(), [one(text) for _ in range(self.randrange(5))]], text
            case _ if name.endswith("_of"):
                return [one(text) for _ in range(self.randrange(5))], text
            case _:
                return one(text), text

    def tool_args(self) -> tuple[object, str]:
        text, calls = self.trace()
        call = self.choice(calls) if calls else {"name": "a", "arguments": {}}
        where = self.part(call["arguments"])
        if self.random() < 0.2:
            where = self.choice(["args", "args.a === 1", "args.length > 0", "args.x.y", "(", "", None, 5])
        return {"name": call["name"], "where": where, "normalizeWhitespace": self.choice([True, 0, "", None, []])}, text


def joined(text: str) -> str:
    """The text with the two halves of a character made one, as they are in JavaScript."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def for_node(value: Any) -> Any:
    """A value with stand-ins for the numbers that JSON lacks."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, dict):
        return {name: for_node(part) for name, part in value.items()}
    return [for_node(part) for part in value] if isinstance(value, list) else value


def shown(result: Result) -> object:
    if not isinstance(result, Checked):
        return "error"
    return result.extent if math.isfinite(result.extent) else "NaN"


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript(milliseconds=1_000) as javascript:
        yield javascript


@pytest.mark.parametrize("seed", SEEDS)
def test_random_calls_give_what_node_gives(seed: int, javascript: JavaScript) -> None:
    chance = Chance(seed)
    calls = [chance.call() for _ in range(CALLS_PER_SEED)]
    rows = [(name, json.loads(json.dumps(args)), joined(text), chance.random() < 0.01) for name, args, text in calls]
    there = answers(
        "functions.js",
        [{"fn": name, "args": for_node(args), "absent": absent, "text": text} for name, args, text, absent in rows],
    )
    here = [
        shown(functions.run([FunctionCall(name, ABSENT if absent else args)], Subject(text), javascript)[0])
        for name, args, text, absent in rows
    ]
    wrong = [(row, want, got) for row, want, got in zip(rows, there, here, strict=True) if want != got]
    assert wrong == []
