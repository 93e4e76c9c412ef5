"""A part of the sequences in the installed program: what is typed, deleted and pasted is what Ctrl+S writes."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.fire.driven_studio import Broken, home
from tests.fire.pseudo_terminal import PseudoTerminal
from tests.fire.text_model import TextModel

_STEPS = 60
_MANY = 10
_KEYS = {
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "ctrl+home": "\x1b[1;5H",
    "ctrl+end": "\x1b[1;5F",
}
_TYPED = "abz09.,:;#'\"{}[]&*%@!?\u00df\u00f8\u05d0\u0627\u4f60\U0001f600\u0301\u200c\u00a0\u3000"
_PASTED = (
    "two\nlines",
    "a\r\nb\rc\n",
    "tab\t\nx",
    "\x1b[31mred\x1b[A",
    "\u4f60\u597d" * 40,
    "x" * 3000,
    "\x11\x03\x00",
)
_TEXT = "# Typed\n# \u00e9 \u4f60\u597d\nlast"


def play_in_terminal(seed: int, number: int) -> None:
    """Type one sequence, save, and read the file. Raises `Broken` if it is not the model's text."""
    chance = random.Random(f"{seed} {number} terminal")
    with home(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fire.yml"
        path.write_bytes(_TEXT.encode())
        with PseudoTerminal(path) as terminal:
            terminal.wait_for_start()
            model = TextModel(_TEXT)
            for _ in range(_STEPS):
                terminal.write(_step(model, chance))
            terminal.write("\x13")
            wanted = model.text.encode()
            try:
                terminal.wait(lambda: path.read_bytes() == wanted, "does not save the model's text")
            except Broken as broken:
                raise Broken(f"{broken}\n{path.read_bytes()!r}\nis not\n{wanted!r}") from None
            _quit(terminal)
            terminal.end()
            if terminal.program.returncode:
                raise Broken(f"exit code {terminal.program.returncode}")


def _quit(terminal: PseudoTerminal) -> None:
    """Press Ctrl+Q. The file may be written before the studio knows; it asks then, and is asked again later."""
    program = terminal.program
    for _ in range(_MANY):
        begun = len(terminal.output)
        terminal.write("\x11")
        terminal.wait(
            lambda begun=begun: program.poll() is not None or b"Leave without saving" in terminal.output[begun:],
            "Ctrl+Q does not quit",
        )
        if program.poll() is not None:
            return
        terminal.write("\x1b")
        terminal.rest(1.0)
    raise Broken(f"the text still counts as unsaved:\n{terminal.drawn}")


def _step(model: TextModel, chance: random.Random) -> str:
    """The bytes of the next step, which the model takes as well."""
    what = chance.random()
    if what < 0.5:
        character = chance.choice(_TYPED)
        _take(model, model.text[: model.cursor] + character, character)
        return character
    if what < 0.6:
        text = chance.choice(_PASTED)
        _paste(model, text)
        return f"\x1b[200~{text}\x1b[201~"
    key = chance.choice(tuple(_KEYS))
    _press(model, key)
    return _KEYS[key]


def _take(model: TextModel, head: str, character: str) -> None:
    outcome = model.law("", character)(head + model.text[model.cursor :])
    assert outcome is not None
    model.accept(outcome)
    _go(model, len(head))


def _paste(model: TextModel, text: str) -> None:
    shown = text.replace("\x1b", "\u241b").replace("\0", "")
    lines = shown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    head = model.text[: model.cursor] + "\n".join(_untabbed(lines))
    outcome = model.pasted(shown)(head + model.text[model.cursor :])
    assert outcome is not None
    model.accept(outcome)
    _go(model, len(head))


def _untabbed(lines: Sequence[str]) -> list[str]:
    return ["  " * (len(line) - len(line.lstrip("\t"))) + line.lstrip("\t") for line in lines]


def _press(model: TextModel, key: str) -> None:
    text, at = model.text, model.cursor
    after = {
        "backspace": (text[: max(0, at - 1)] + text[at:], max(0, at - 1)),
        "delete": (text[:at] + text[at + 1 :], at),
        "left": (text, max(0, at - 1)),
        "right": (text, min(len(text), at + 1)),
        "ctrl+home": (text, 0),
        "ctrl+end": (text, len(text)),
    }[key]
    outcome = model.law(key)(after[0])
    assert outcome is not None
    model.accept(outcome)
    _go(model, after[1])


def _go(model: TextModel, offset: int) -> None:
    model.anchor = model.cursor = offset
