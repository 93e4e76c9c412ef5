"""Large texts of many shapes, each with its size as a parameter.

A shape is a function from a number of entries to a text. Most need several characters, values or lines for each entry,
so one number serves for all: at the limits of `engine.text.text_limits` and far beyond.
`python -m tests.fire.large_texts SHAPE ENTRIES|most FILE` writes one and prints how many entries it has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Shape: TypeAlias = Callable[[int], str]

BEYOND = 1_000_000
"""Entries beyond the limits; of text about 10 MB."""
_SHRINK = 1.3
"""The next smaller size of a text that is to be as large as the limits allow."""

_PROMPT = "- id: a\n  prompt: Say it\n"
_RUBRIC = f"{_PROMPT}  should:\n"
_SMALL = f"title: T\n---\n{_RUBRIC}    - Says it\n"


def _each(template: str) -> Shape:
    """`template` once for each entry, with `%d` as its number."""
    return lambda entries: "".join(template.replace("%d", str(number)) for number in range(entries))


def _around(before: str, shape: Shape, after: str = "") -> Shape:
    return lambda entries: f"{before}{shape(entries)}{after}"


def _both(one: Shape, other: Shape) -> Shape:
    return lambda entries: one(entries) + other(entries)


def _points(template: str) -> Shape:
    return _around(_RUBRIC, _each(f"    - {template}\n"))


def _with_long_ideal(point: str) -> Shape:
    ideal = _around(f"{_PROMPT}  ideal: |\n", _each("    The word is said.\n"), "  should:\n")
    return _both(ideal, _each(f"    - {point}\n"))


def _json_prompts(entries: int) -> list[dict[str, object]]:
    return [{"id": f"a{number}", "prompt": "Say it", "should": ["Says it"]} for number in range(entries)]


SHAPES: dict[str, Shape] = {
    # values
    "a flow list": _around(f"{_PROMPT}  should: [", _each("x, "), "x]\n"),
    "a flow list of lines": _around(f"{_PROMPT}  should: [\n", _each("    x,\n"), "  ]\n"),
    "a flow mapping": _around(f"{_PROMPT}  x: {{", _each("k%d: v, "), "}\n"),
    "flow mappings": _around(f"{_PROMPT}  x: [", _each("{a: b}, "), "]\n"),
    "empty brackets": _around(f"{_PROMPT}  x: [", _each("[], "), "]\n"),
    "a block list": _around(_RUBRIC, _each("    - x y\n")),
    "a block mapping": _around(f"{_PROMPT}  x:\n", _each("    k%d: v\n")),
    "keys without values": _around(f"{_PROMPT}  x:\n", _each("    k%d:\n")),
    "quoted keys": _each('"k%d": v\n'),
    "explicit keys": _each("? a%d\n: b\n"),
    "a repeated key": _each("a: b\n"),
    "empty items": _around(_RUBRIC, _each("    -\n")),
    "anchors": _points("&a%d x"),
    "a flow list and anchors": _both(
        _around(f"{_PROMPT}  should: [", _each("x, "), "x]\n"), _around("  x:\n", _each("    - &a%d x\n"))
    ),
    "aliases": _around(f"{_PROMPT}  x: &a x\n  should:\n", _each("    - *a\n")),
    "aliases of a long text": _both(
        _around(f"{_PROMPT}  x: &a ", _each("word "), "\n  should:\n"), _each("    - *a\n")
    ),
    "merge keys": _around(f"{_PROMPT}  b: &a {{x: 1, y: 2}}\n  c:\n", _each("    - <<: *a\n")),
    "a list to merge": _around(f"{_PROMPT}  b: &a {{x: 1, y: 2}}\n  c:\n    <<: [", _each("*a, "), "*a]\n"),
    "a chain of merges": _around("- &a0 {k: v}\n", _each("- &b%d {<<: *a0, x%d: y}\n")),
    "tags": _points("!!str x"),
    "binary texts": _points("!!binary QUJD"),
    "one binary text": _around("a: !!binary ", _each("QUJD"), "\n"),
    "tag directives": _around("", _each("%TAG !a%d! b\n"), "---\na\n"),
    "deep brackets": _around("a: ", _each("[")),
    "deep closed brackets": lambda n: f"a: {'[' * n}{']' * n}",
    "deep dashes": _around("", _each("- "), "a\n"),
    "deep keys": lambda n: "".join(" " * depth + "a:\n" for depth in range(min(n, 2500))),
    # scalars
    "a double-quoted text": _around(f'{_PROMPT}  x: "', _each("word word "), '"\n'),
    "a double-quoted text of lines": _around(f'{_PROMPT}  x: "', _each("word word\n    "), '"\n'),
    "escapes": _around(f'{_PROMPT}  x: "', _each("\\n\\u0041\\x41"), '"\n'),
    "a single-quoted text": _around(f"{_PROMPT}  x: '", _each("word''word "), "'\n"),
    "a plain text": _around(f"{_PROMPT}  x: ", _each("word word "), "\n"),
    "a plain text of lines": _around(f"{_PROMPT}  x: ", _each("word word\n    "), "\n"),
    "blank lines above an error": _around("", _each("\n"), ": >x"),
    "blank lines of spaces above an error": _around("a:\n", _each("  \n"), ": >x"),
    "a literal block": _around(f"{_PROMPT}  x: |\n", _each("    word word\n")),
    "a literal block of one line": _around(f"{_PROMPT}  x: |\n    ", _each("word word "), "\n"),
    "a folded block": _around(f"{_PROMPT}  x: >\n", _each("    word word\n")),
    "a block of blank lines": _around(f"{_PROMPT}  x: |\n    a\n", _each("\n")),
    "emoji": _around(f'{_PROMPT}  x: "', _each("😀 😀 "), '"\n'),
    "a number": _around(f"{_PROMPT}  x: ", _each("1234567890"), "\n"),
    "a long key": _around("", _each("word_word_"), ": b\n"),
    "a long tag": _around("a: !", _each("word_word_"), " b\n"),
    "a long anchor": _around("a: &", _each("word_word_"), " b\n"),
    "a long alias": _around("a: *", _each("word_word_"), "\n"),
    "a long model": _around("models: [openai:", _each("word_word_"), "]\n---\n- prompt: p\n"),
    "a long check": _around(f"{_RUBRIC}    - $matches: '", _each("(a|b)*c"), "'\n"),
    "a long script": _around(f"{_RUBRIC}    - $js: 'r.length + ", _each("1 + "), "1'\n"),
    "a long point": _around(f"{_RUBRIC}    - ", _each("Says it and not that, "), "\n"),
    "a long ideal": _around(
        f"{_PROMPT}  ideal: |\n", _each("    The word is said.\n"), "  should:\n    - $contains: zebra\n    - Says it\n"
    ),
    "checks of a long ideal": _with_long_ideal("$contains: w%d"),
    "patterns on a long ideal": _with_long_ideal("$matches: w%d"),
    "scripts on a long ideal": _with_long_ideal("$js: r.length > %d"),
    # lines
    "one line without an end": _each("xxxxxxxxxx"),
    "an unclosed quote": _around('a: "', _each("word word ")),
    "an unclosed quote of lines": _around(f'{_SMALL}- id: b\n  prompt: "', _each("word word\n")),
    "an unclosed bracket of lines": _around(f"{_SMALL}- id: b\n  prompt: [", _each("word word,\n")),
    "short lines": _each("a\n"),
    "blank lines": _each("\n"),
    "carriage returns": _each("a\r"),
    "Windows lines": _around("", _each("- a\r\n")),
    "runs of blanks": _around(f"{_PROMPT}  x: ", _each("a:" + " " * 900), "\n"),
    "blanks": _around("a:", _each("          "), "b\n"),
    "tabs": _each("a:\n\t- b\n"),
    "tabs in a list": _around(_RUBRIC, _each("\t- b\n")),
    "comments": _around(_SMALL, _each("# c\n")),
    "suppressions": _around(_SMALL, _each("# studio: ignore\n")),
    "named suppressions": _around(_SMALL, _each("# studio: ignore vague-criterion\n")),
    "NUL": _each("\0\n"),
    "line separators": _around(f"{_PROMPT}  x: ", _each("a\u2028")),
    # documents and prompts
    "documents": _each("---\na: b\n"),
    "empty documents": _each("---\n"),
    "documents of prompts": _around("title: T\n", _each("---\nid: p%d\nprompt: Say it\nshould: [x]\n")),
    "ends of documents": _each("a: b\n...\n"),
    "prompts": _around("title: T\n---\n", _each("- id: p%d\n  prompt: Ask %d\n  should:\n    - Says %d\n")),
    "prompts with one id": _around("title: T\n---\n", _each("- id: p\n  prompt: Ask\n  should:\n    - Says it\n")),
    "prompts without an id": _around("title: T\n---\n", _each("- prompt: Ask %d\n  should:\n    - Says it\n")),
    "prompts with a repeated key": _around("title: T\n---\n", _each("- id: p%d\n  prompt: a\n  prompt: b\n")),
    "broken prompts": _around(_SMALL, _each("- id: b%d\n  prompt: 'x\n")),
    "a broken prompt": _around(
        f"{_SMALL}- id: b\n  prompt: 'x'y\n", _each("- id: c%d\n  prompt: x\n  should:\n    - Says\n")
    ),
    "a broken list": _around(f"{_RUBRIC}    - 'x'y\n", _each("    - Says %d\n")),
    "a broken header": _around("title: 'x'y\n", _each("key%d: x\n"), "---\n- prompt: p\n"),
    "keys of a header": _around("title: T\n", _each("key%d: v\n"), "---\n- prompt: p\n"),
    "a header with a long description": _around("description: ", _each("word word "), "\n---\n- prompt: p\n"),
    "models": _around("models:\n", _each("  - openai:m%d\n"), "---\n- prompt: p\n"),
    "tags of a header": _around("tags: [", _each("a%d, "), "]\n---\n- prompt: p\n"),
    "temperatures": _around("temperatures: [", _each("0.%d, "), "]\n---\n- prompt: p\n"),
    "systems": _around("systems: [", _each("Say %d, "), "]\n---\n- prompt: p\n"),
    "definitions": _around(
        "point_defs:\n", _each("  d%d: r.length > %d\n"), "---\n- prompt: p\n  should:\n    - $ref: d1\n"
    ),
    "references to definitions": _around(
        "point_defs:\n  a: r.length > 3\n---\n- prompt: p\n  should:\n", _each("    - $ref: a\n")
    ),
    "tools": _around("tools:\n", _each("  - name: t%d\n    schema: {type: object}\n"), "---\n- prompt: p\n"),
    "messages": _around("- id: a\n  messages:\n", _each("    - user: hi\n    - assistant: ho\n"), "  should: [x]\n"),
    # points
    "points": _points("Says the thing number %d well"),
    "points alike": _points("Says the thing well"),
    "points as questions": _points("Does it say %d?"),
    "negated points": _points("Does not say %d"),
    "weighted points": _points("text: Says %d\n      weight: 2"),
    "bad weights": _points("text: Says %d\n      weight: heavy"),
    "legacy tuples": _points("[contains, word%d]"),
    "checks": _points("$contains: word%d"),
    "misspelt checks": _points("$contians: word%d"),
    "patterns": _points("$matches: '^word%d$'"),
    "scripts": _points("$js: 'r.length > %d'"),
    "bounds of words": _points("$word_count_between: [1, %d]"),
    "first words": _points("$starts_with: word%d"),
    "contradictions": _both(
        _points("$contains: word%d"), _around("  should_not:\n", _each("    - $contains: word%d\n"))
    ),
    "paths": _points("- Says %d\n      - Names %d"),
    "paths of one criterion": _points("- Says %d"),
    "paths alike": _points("- Says it\n      - Names it"),
    "paths within paths": _around(_RUBRIC, _each("    - - Says it\n"), "    - - Says it\n      - Names it\n"),
    "paths with contradictions": _points("- $contains: word%d\n      - $not_contains: word%d"),
    "forbidden paths": _around(f"{_PROMPT}  should_not:\n", _each("    - - Says %d\n      - Names %d\n")),
    "prompts with checks": _each("- prompt: Ask %d\n  ideal: It is %d\n  should:\n    - $contains: It\n"),
    "prompts with false checks": _each(
        "- prompt: Ask %d\n  ideal: It is %d\n  should:\n    - $contains: zebra\n"
    ),
}  # fmt: skip
"""The shapes that are read as YAML."""

JSON_SHAPES: dict[str, Shape] = {
    "JSON: a list": lambda n: json.dumps([{"id": "a", "prompt": "p", "should": ["x"] * n}]),
    "JSON: an object": lambda n: json.dumps({f"k{number}": 1 for number in range(n)}),
    "JSON: prompts": lambda n: json.dumps(_json_prompts(n)),
    "JSON: prompts on lines": lambda n: json.dumps(_json_prompts(n), indent=1),
    "JSON: prompts with one id": lambda n: json.dumps([{"id": "a", "prompt": "p", "should": ["x", "x"]}] * n),
    "JSON: prompts, cut off": lambda n: json.dumps(_json_prompts(n))[:-1],
    "JSON: a string": lambda n: json.dumps([{"id": "a", "prompt": "word word " * n}]),
    "JSON: a string and points": lambda n: json.dumps([{"prompt": "word " * n, "should": ["Is it?"] * (n // 20)}]),
    "JSON: escapes": _around('[{"id":"a","prompt":"', _each("\\u0041"), '"}]'),
    "JSON: deep": lambda n: "[" * n,
    "JSON: unknown keys": lambda n: json.dumps([{"prompt": "p", "shoud": ["x"]}] * n),
    "JSON: repeated keys": _around("{", _each('"a": 1, '), '"a": 1}'),
}  # fmt: skip
"""The shapes that are read as JSON."""


def within_limits(name: str) -> int:
    """About the most entries with which a text of the shape `name` is not refused for its size."""
    from engine.yaml.tree_loader import load

    shape = {**SHAPES, **JSON_SHAPES}[name]
    entries = BEYOND
    while load(shape(entries), is_json=name in JSON_SHAPES).is_refused:
        entries = int(entries / _SHRINK)
    return entries


if __name__ == "__main__":
    _, wanted, number, path = sys.argv
    count = within_limits(wanted) if number == "most" else int(number)
    Path(path).write_bytes({**SHAPES, **JSON_SHAPES}[wanted](count).encode())
    print(count)
