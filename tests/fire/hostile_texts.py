"""Hostile and near-valid texts: `hostile_text` makes one, the same from the same state of chance.

Most are small, because a hundred thousand of them have to be affordable; a few have some 100 kB.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fire.hostile_blueprints import alias_bomb, hostile_points, odd_blueprint, odd_data
from tests.fire.hostile_scalars import CHARACTERS, FRAGMENTS, LINE_BREAKS
from tests.fire.text_sources import sources

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
