"""What hands do in the editor, and whether it gave the rubric that was meant: typing, pasting, undo.

The editor is the real one, without a screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random

from textual._context import active_app
from textual.app import App

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from studio.tui.editor import BlueprintEditor
from tests.conservation.rubrics import blueprint
from tests.conservation.trials import Kept, kept

_WORD = re.compile(r"\w+")
LETTER = re.compile(r"[^\W_]")
_NUMBER = re.compile(r"\w|\d\d")


@dataclass(slots=True)
class Work:
    """One piece of work in the editor: how it was done, the text before with ¦ at the cursor, what came and was meant.

    `meant` are the texts that would all be right.
    """

    how: tuple[str, ...]
    before: str
    input: str
    after: str
    meant: tuple[str, ...]
    faults: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    told: tuple[str, ...] = ()

    @property
    def became(self) -> str:
        """What became of it, in words."""
        return "told" if self.told else "otherwise without a word" if self.silent else "as meant"

    def shown(self) -> Iterator[str]:
        """The text before, what was typed or pasted, and the text after."""
        yield "\n  ----\n".join((self.before, repr(self.input), self.after))


def laid_out(rng: Random) -> tuple[list[str], str]:
    """A blueprint whose prompts are a list, or a document each, and the margin of their keys."""
    lines = blueprint(rng, rng.randint(1, 2))
    if rng.random() < 0.7:
        return lines, "  "
    first = lines.index("---") + 1
    apart = "\n".join(lines[first:]).replace("\n- id:", "\n--- \n- id:").split("\n")
    return [*lines[:first], *("---" if line == "--- " else line[2:] for line in apart)], ""


def opened(text: str, at: int) -> BlueprintEditor:
    """An editor on `text` without a screen, the cursor at offset `at`."""
    active_app.set(App[None]())
    editor = BlueprintEditor()
    editor.load(text)
    editor.move_cursor(editor.location_of(at))
    return editor


def judged(work: Work, unit: re.Pattern[str] = _WORD) -> Work:
    """Fill in which words (or other units) were lost, and what is not as it was meant without a word of `check`."""
    there, came, after = (
        Counter(unit.findall(text.lower()))
        for text in (work.before.replace("¦", ""), work.input.replace("```yaml", ""), work.after)
    )
    work.faults += [f"lost: {word}" for word in there + came - after if unit is LETTER or not _NUMBER.fullmatch(word)]
    now = shape(work.after)
    if now in map(shape, work.meant):
        return work
    meant = work.meant[0]
    usual = {one.slug for one in check(parse(meant))}
    loud = [one for one in check(parse(work.after)) if one.severity is not Severity.HINT and one.slug not in usual]
    work.told = tuple(dict.fromkeys(one.slug for one in loud))
    if not loud:
        work.silent += _differences(shape(meant), now)
    return work


Shape = tuple[tuple[str, ...], ...]


def shape(text: str) -> Shape:
    """All that counts of a text: the prompts with the lines of their texts, the points with their places."""
    return (*_fields(text), *_points(kept(text)))


def _fields(text: str) -> Iterator[tuple[str, ...]]:
    for prompt in parse(text).blueprint.prompts:
        yield ("prompt", *_WORD.findall(prompt.id))
        for message in prompt.messages:
            yield (message.role.value, *_lines(message.content))
        yield ("ideal", *_lines(prompt.ideal))


def _lines(text: str | None) -> Iterator[str]:
    for line in (text or "").splitlines():
        if line.strip():
            yield " ".join(_WORD.findall(line))


def _points(points: Sequence[Kept]) -> Iterator[tuple[str, ...]]:
    for (prompt, block, path), group in groupby(points, lambda each: (each.prompt, each.block, each.path)):
        yield (*_WORD.findall(prompt), block, "path" if path is not None else "points")
        for each in group:
            words = each.words[bool(each.words and _NUMBER.fullmatch(each.words[0])) :]
            yield (*words, f"×{each.weight}", *each.citation)


def _differences(meant: Shape, now: Shape) -> Iterator[str]:
    left = Counter(meant)
    more = Counter(now)
    for each in left - more:
        yield f"missing: {' '.join(each)}"
    for each in more - left:
        yield f"instead: {' '.join(each)}"
    if left == more:
        yield "in another order"
