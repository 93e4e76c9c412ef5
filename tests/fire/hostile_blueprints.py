"""Blueprints with odd values at every key, with points that hurt, and with aliases that multiply."""

from __future__ import annotations

import random

from engine import functions
from engine.yaml.keys import KEYS, Part
from tests.fire.hostile_scalars import PATTERNS, PLAIN, QUOTED, SCRIPTS, SLOW_PATTERNS, SLOW_SCRIPTS, STRUCTURED

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
