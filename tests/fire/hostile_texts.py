"""Hostile and near-valid texts: `hostile_text` makes one, the same from the same state of chance.

Most are small, because a hundred thousand of them have to be affordable; a few have some 100 kB.
"""

from __future__ import annotations

import json
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine import functions
from engine.rules import ALL
from engine.yaml.keys import KEYS, Part
from tests.engine.fix_trials import RULE_CASES, cases_of
from tests.fire.hostile_scalars import (
    CHARACTERS,
    FRAGMENTS,
    LINE_BREAKS,
    PATTERNS,
    PLAIN,
    QUOTED,
    SCRIPTS,
    SLOW_PATTERNS,
    SLOW_SCRIPTS,
    STRUCTURED,
)
from tests.world import corpus_files

_PROJECT = Path(__file__).parents[2]
_EXAMPLE = re.compile(r"^(?:Bad|Good|Or):\n\n((?:    .*\n|\n)+)", re.MULTILINE)
_FENCED = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@cache
def sources() -> tuple[str, ...]:
    """All real texts, in a fixed order: examples of rules and documents, cases of rules, templates, the corpus."""
    return tuple(dict.fromkeys((*_examples(), *_cases(), *_templates(), *_documented(), *_corpus())))


def _examples() -> Iterator[str]:
    for rule in ALL:
        yield from (textwrap.dedent(found).strip() + "\n" for found in _EXAMPLE.findall(rule.page))


def _cases() -> Iterator[str]:
    for file in RULE_CASES:
        yield from (text for text, _ in cases_of(file))


def _templates() -> Iterator[str]:
    for file in sorted((_PROJECT / "studio" / "example").glob("*.yml")):
        yield file.read_text("utf-8")


def _documented() -> Iterator[str]:
    for file in sorted((_PROJECT / "docs").rglob("*.md")):
        yield from _FENCED.findall(file.read_text("utf-8"))


def _corpus() -> Iterator[str]:
    for file in corpus_files():
        yield file.read_text("utf-8")


_NAMES = tuple(name for function in functions.ALL for name in function.names)
_KEYS = {part: tuple(name for key in KEYS[part] for name in key.read_as) for part in Part if part in KEYS}
_ANY_KEY = tuple(dict.fromkeys(name for names in _KEYS.values() for name in names))
"""Each key once, in an order that does not depend on the hashes of a process: the attack has to be repeatable."""
_SLOW_SHARE = 0.08
"""How many texts with hostile points have slow ones. They take half a second each."""
_MOST_SLOW = 12
_CONTEXTS = {
    Part.HEADER: "{}",
    Part.PROMPT: "- {}",
    Part.MESSAGE: "- id: a\n  messages:\n    - {}",
    Part.POINT: "- id: a\n  prompt: b\n  should:\n    - {}\n    - x",
    Part.REFERENCE: "references:\n  - {}\n---\n- id: a\n  prompt: b",
    Part.AUTHOR: "author:\n    {}\n---\n- id: a\n  prompt: b",
    Part.MODEL: "models:\n  - {}\n---\n- id: a\n  prompt: b",
    Part.TOOL: "tools:\n  - {}\n---\n- id: a\n  prompt: b",
    Part.TOOL_USE: "toolUse:\n    {}\n---\n- id: a\n  prompt: b",
    Part.SERVICE: "externalServices:\n  s:\n    {}\n---\n- id: a\n  prompt: b\n  should:\n    - $call: {{service: s}}",
    Part.EVALUATION: "evaluationConfig:\n    {}\n---\n- id: a\n  prompt: b",
    Part.COVERAGE: "evaluationConfig:\n  llm-coverage:\n    {}\n---\n- id: a\n  prompt: b",
    Part.JUDGE: "evaluationConfig:\n  llm-coverage:\n    judges:\n      - {}\n---\n- id: a\n  prompt: b",
}
"""A text around the keys of each part; they stand in the column of the braces."""


def odd_data(chance: random.Random, *, deep: bool = False) -> str:
    """A value as it is written in YAML: plain, quoted or structured."""
    value = chance.choice(chance.choice((PLAIN, PLAIN, QUOTED, STRUCTURED)))
    return f"[{value}, {odd_data(chance, deep=chance.random() < 0.5)}]" if deep else value


def odd_blueprint(chance: random.Random) -> str:
    """Keys of one part of a blueprint, or of the wrong one, each with an odd value."""
    part = chance.choice(tuple(_CONTEXTS))
    names = _KEYS[part] if chance.random() < 0.85 else _ANY_KEY
    around = _CONTEXTS[part]
    column = len(around.partition("{}")[0].rpartition("\n")[2])
    separator = "\n" + " " * column
    pairs = separator.join(_pair(chance, names, part) for _ in range(chance.randrange(1, 6)))
    text = around.format(pairs) + "\n"
    if part is Part.HEADER and chance.random() < 0.8:
        text += chance.choice(("---\n", "prompts:\n", "")) + "- id: p\n  prompt: q\n  should: [r]\n"
    return text


def _pair(chance: random.Random, names: tuple[str, ...], part: Part) -> str:
    if part is Part.POINT and chance.random() < 0.6:
        return f"{chance.choice(('$', '$', '', '$$', '$not_'))}{chance.choice(_NAMES)}: {_argument(chance)}"
    if part is Part.PROMPT and chance.random() < 0.2:
        return f"should: [{', '.join(odd_data(chance) for _ in range(chance.randrange(4)))}]"
    return f"{chance.choice(names)}:{chance.choice((' ', ' ', ' ', '', chr(9)))}{odd_data(chance)}"


def _argument(chance: random.Random) -> str:
    match chance.randrange(4):
        case 0:
            return _single_quoted(chance.choice(PATTERNS))
        case 1:
            return _single_quoted(chance.choice(SCRIPTS))
        case 2:
            return f"[{odd_data(chance)}, {odd_data(chance)}]"
        case _:
            return odd_data(chance)


def hostile_points(chance: random.Random) -> str:
    """A prompt with an ideal, and checks of patterns and scripts, some of them slow."""
    is_slow = chance.random() < _SLOW_SHARE
    scripts, patterns = (SLOW_SCRIPTS, SLOW_PATTERNS) if is_slow else (SCRIPTS, PATTERNS)
    points = "".join(
        f"    - {_hostile_point(chance, scripts, patterns, number)}\n"
        for number in range(chance.randrange(1, _MOST_SLOW))
    )
    ideal = chance.choice(("It is.", "a" * 40 + "!", "x " * 200 + ":", "é😀" * 20, ""))
    defined = f"point_defs:\n  d: {_hostile_point(chance, scripts, patterns, 0, flow=True)}\n---\n" * (
        chance.random() < 0.2
    )
    return f"{defined}- id: a\n  prompt: b\n  ideal: '{ideal}'\n  {chance.choice(('should', 'should_not'))}:\n{points}"


def _hostile_point(
    chance: random.Random, scripts: tuple[str, ...], patterns: tuple[str, ...], number: int, *, flow: bool = False
) -> str:
    if chance.random() < 0.4:
        source = f"{chance.choice(scripts)} // {number}"
        point = f"$js: {_single_quoted(source)}"
    else:
        name = chance.choice(("matches", "imatches", "not_matches", "matches_all_of", "matches_any_of"))
        pattern = _single_quoted(chance.choice(patterns) + chance.choice(("", str(number))))
        point = f"${name}: {f'[{pattern}]' if name.endswith('_of') else pattern}"
    return f"{{{point}}}" if flow else point


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def alias_bomb(chance: random.Random) -> str:
    """Lists or mappings, each of several aliases of the one before, at some place of a blueprint."""
    levels, width = chance.randrange(2, 12), chance.randrange(2, 11)
    lines = [f"&a0 [{', '.join(['x'] * width)}]"]
    for level in range(1, levels):
        alias = f"*a{level - 1}"
        if chance.random() < 0.7:
            lines.append(f"&a{level} [{', '.join([alias] * width)}]")
        else:
            lines.append(f"&a{level} {{{', '.join(f'k{number}: {alias}' for number in range(width))}}}")
    match chance.randrange(4):
        case 0:
            return "- id: a\n  prompt: b\n  should:\n" + "".join(f"    - {line}\n" for line in lines)
        case 1:
            return "context:\n" + "".join(f"  - {line}\n" for line in lines) + "---\n- id: a\n  prompt: b\n"
        case 2:
            return "- &m {id: a, prompt: b, should: &s [x, *m]}\n- <<: *m\n  should: [*s, *s]\n"
        case _:
            merged = "".join(f"  {line.split(' ', 1)[0]}\n    <<: {{}}\n" for line in lines)
            return f"context:\n{merged}- <<: [*a0, *a0]\n" + "".join(f"- {line}\n" for line in lines)


_LARGE_SHARE = 0.003
_LARGE = 100_000
"""Characters of a large text, about."""
_PIECE_LINES = 80
"""Most lines of a real text that is mutated."""
_LONGEST_PIECE = 6_000
"""Most characters of it."""
_DIRECTORY = Path("/nonexistent")
_PATHS = (
    *(None,) * 12,
    *(_DIRECTORY / "blueprints" / "a.yml",) * 4,
    _DIRECTORY / "blueprints" / "users" / "a" / "b.weval.yaml",
    _DIRECTORY / "models" / "CORE.json",
    _DIRECTORY / "\x1b[31m\u202e.yml",
)
_JSON_PATH = _DIRECTORY / "blueprints" / "a.json"


@dataclass(frozen=True, slots=True)
class HostileText:
    """One text: how it was made, what it is called (None for no file), and whether all its fixes are to be tried."""

    kind: str
    text: str
    path: Path | None
    has_fixes: bool


def hostile_text(chance: random.Random, *, has_fixes: bool = False) -> HostileText:
    """A text of any kind. One whose fixes are to be tried is never large."""
    (make,) = chance.choices([make for make, _ in _MAKERS], [share for _, share in _MAKERS])
    text = make(chance)
    kind = make.__name__.removeprefix("_")
    if not has_fixes and chance.random() < _LARGE_SHARE:
        text, kind = _grown(chance, text), f"large {kind}"
    if chance.random() < 0.12:
        text = _with_line_breaks(chance, text)
    if chance.random() < 0.02:
        text = "\ufeff" + text
    is_json = make is _json or chance.random() < 0.01
    return HostileText(kind, text, _JSON_PATH if is_json else chance.choice(_PATHS), has_fixes)


def _grown(chance: random.Random, text: str) -> str:
    """`text` again and again, now and then with a difference."""
    parts: list[str] = []
    length = 0
    while length < _LARGE:
        parts.append(text if chance.random() < 0.9 else _mutated(chance, text, 1))
        length += len(parts[-1]) + 1
    return "\n".join(parts)[: 2 * _LARGE]


def _with_line_breaks(chance: random.Random, text: str) -> str:
    if chance.random() < 0.7:
        return text.replace("\n", chance.choice(LINE_BREAKS))
    return "".join(line + chance.choice(LINE_BREAKS) for line in text.split("\n"))


# Mutations of real texts


def _piece(chance: random.Random) -> str:
    """Some lines of a real text, from its start or from an item of a list on."""
    lines = chance.choice(sources()).split("\n")
    starts = [0] * 2 + [at for at, line in enumerate(lines) if line.startswith(("- ", "---"))]
    start = chance.choice(starts)
    length = 1 + int(_PIECE_LINES * chance.random() ** 1.5)
    return "\n".join(lines[start : start + length])[:_LONGEST_PIECE] + "\n"


def _real(chance: random.Random) -> str:
    return _mutated(chance, _piece(chance), chance.choice((1, 1, 1, 2, 3, 6)))


def _spliced(chance: random.Random) -> str:
    one, other = (_piece(chance).split("\n") for _ in range(2))
    at, of = chance.randrange(len(one) + 1), chance.randrange(len(other) + 1)
    return _mutated(chance, "\n".join((*one[:at], *other[of:])), chance.randrange(2))


def _mutated(chance: random.Random, text: str, times: int) -> str:
    for _ in range(times):
        text = chance.choice(_MUTATIONS)(chance, text)
    return text


def _lines_changed(change: Callable[[random.Random, list[str], int], None]) -> Callable[[random.Random, str], str]:
    def mutation(chance: random.Random, text: str) -> str:
        lines = text.split("\n")
        change(chance, lines, chance.randrange(len(lines)))
        return "\n".join(lines)

    return mutation


def _delete_line(_: random.Random, lines: list[str], at: int) -> None:
    del lines[at]


def _repeat_line(chance: random.Random, lines: list[str], at: int) -> None:
    lines.insert(chance.randrange(len(lines) + 1), lines[at])


def _swap_lines(chance: random.Random, lines: list[str], at: int) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _indent(chance: random.Random, lines: list[str], at: int) -> None:
    margin = chance.choice((" ", "  ", "    ", "\t", " \t", "\xa0"))
    for number in range(at, min(at + chance.choice((1, 1, 3, 10)), len(lines))):
        lines[number] = margin + lines[number]


def _dedent(chance: random.Random, lines: list[str], at: int) -> None:
    for number in range(at, min(at + chance.choice((1, 1, 3, 10)), len(lines))):
        lines[number] = lines[number][chance.choice((1, 2, 4)) :] if lines[number].startswith(" ") else lines[number]


def _join_lines(_: random.Random, lines: list[str], at: int) -> None:
    if at + 1 < len(lines):
        lines[at] += lines.pop(at + 1)


def _replace_value(chance: random.Random, lines: list[str], at: int) -> None:
    key, colon, _ = lines[at].partition(":")
    lines[at] = f"{key}: {odd_data(chance)}" if colon else f"{lines[at]}: {odd_data(chance)}"


def _insert_fragment(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(FRAGMENTS) + text[at:]


def _insert_character(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(CHARACTERS) * chance.choice((1, 1, 2, 5)) + text[at:]


def _delete_some(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice((1, 1, 2, 5, 20)) :]


def _truncate(chance: random.Random, text: str) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _drop_space(chance: random.Random, text: str) -> str:
    places = [at for at, character in enumerate(text) if character in " :-\"'"]
    at = chance.choice(places) if places else 0
    return text[:at] + text[at + 1 :]


_MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    *map(_lines_changed, (_delete_line, _repeat_line, _swap_lines, _indent, _dedent, _join_lines, _replace_value)),
    *(_insert_fragment, _insert_fragment, _insert_character, _delete_some, _truncate, _drop_space),
)


# Texts of other kinds


def _json(chance: random.Random) -> str:
    if chance.random() < 0.3:
        return _mutated(chance, _piece(chance), 1)
    text = json.dumps(
        odd_data(chance, deep=True) if chance.random() < 0.2 else _json_blueprint(chance),
        ensure_ascii=chance.random() < 0.5,
        indent=chance.choice((None, 0, 2)),
    )
    return text if chance.random() < 0.4 else _mutated(chance, text, chance.randrange(1, 4))


def _json_blueprint(chance: random.Random) -> object:
    prompts = [
        {
            "id": chance.choice(("a", "b", 1, None, "", "é😀")),
            "prompt": odd_data(chance),
            "ideal": chance.choice(("It is.", "", None, 3)),
            "should": [chance.choice(("Says it", {"$contains": odd_data(chance)}, [{"text": "x"}], 4, None))] * 2,
        }
        for _ in range(chance.randrange(4))
    ]
    return prompts if chance.random() < 0.4 else {"title": odd_data(chance), "prompts": prompts}


def _grammar(chance: random.Random) -> str:
    """YAML of every construct, nested at random."""
    return "".join(_document(chance) for _ in range(chance.choice((1, 1, 1, 2, 4))))


def _document(chance: random.Random) -> str:
    head = chance.choice(("", "", "---\n", "%YAML 1.2\n---\n", "%TAG !e! tag:e,2000:\n---\n", "--- ", "...\n"))
    return head + "\n".join(_block(chance, 0, chance.choice((1, 2, 3, 4)))) + "\n"


def _block(chance: random.Random, indent: int, depth: int) -> list[str]:
    margin = " " * indent
    if depth == 0 or chance.random() < 0.15:
        return [margin + _flow(chance, 2)]
    is_list = chance.random() < 0.5
    lines: list[str] = []
    for _ in range(chance.randrange(1, 4)):
        lead = f"{margin}- " if is_list else f"{margin}{_key(chance)}:"
        if chance.random() < 0.5:
            lines.append(f"{lead} {chance.choice(FRAGMENTS) if chance.random() < 0.2 else _flow(chance, 2)}")
            continue
        step = chance.choice((0, 1, 2, 2, 2, 4)) if not is_list else 2
        inner = _block(chance, indent + step, depth - 1)
        lines += [lead + inner[0].strip(), *inner[1:]] if is_list else [lead, *inner]
    return lines


def _key(chance: random.Random) -> str:
    return chance.choice(
        ("id", "prompt", "should", "a", "<<", "? x", "'q'", '"\\u263a"', "&k b", "!t c", "1", "", "*a")
    )


def _flow(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.6:
        return f"{chance.choice(('', '', '', '&a ', '!!str ', '!x ', '*a '))}{odd_data(chance)}"
    parts = [_flow(chance, depth - 1) for _ in range(chance.randrange(4))]
    if chance.random() < 0.5:
        return f"[{', '.join(parts)}]"
    return "{" + ", ".join(f"{_key(chance)}: {part}" for part in parts) + "}"


def _noise(chance: random.Random) -> str:
    length = int(300 * chance.random() ** 2)
    match chance.randrange(4):
        case 0:
            return "".join(chance.choice("-:#'\"[]{}|>&*!%@`,? \t\r\n$ab1é😀\u2028") for _ in range(length))
        case 1:
            return "".join(chr(chance.randrange(0xD800)) for _ in range(length))
        case 2:
            return "".join(chance.choice(CHARACTERS) for _ in range(length))
        case _:
            return chance.randbytes(length).decode("utf-8", "replace")


def _deep(chance: random.Random) -> str:
    """One construct nested very deep, or one very long line."""
    depth = int(10 ** (4 * chance.random()))
    opened, closed = chance.choice((("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("a: [", "]"), ("(", ")")))
    closing = chance.choice((closed * depth, "", closed * (depth // 2)))
    inside = chance.choice((odd_data(chance), "x" * depth, "'" * depth, '"' + "\\u0041" * depth + '"'))
    return f"- id: a\n  prompt: b\n  should: {opened * depth}{inside}{closing}\n"


_MAKERS: tuple[tuple[Callable[[random.Random], str], float], ...] = (
    (_real, 44),
    (_spliced, 10),
    (_grammar, 12),
    (odd_blueprint, 16),
    (hostile_points, 1.5),
    (alias_bomb, 0.2),
    (_json, 6),
    (_noise, 6),
    (_deep, 2),
)
