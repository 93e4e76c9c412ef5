"""What is known of one revision of the text, put together on the checking thread."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.diagnostics import Diagnostic
from engine.text import LineIndex, Position

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.parsing import Parsed
    from engine.store import PromptPlace
    from engine.yaml_nodes import Data

_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Tally:
    """How many problems of each severity."""

    errors: int = 0
    warnings: int = 0
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of one revision of the text.

    `models` are those of the header, with what its collections list. `starts` are the offsets of the prompts' first
    lines. `diagnostics` are in the order of the text, `positions` says where each begins, `places` where what belongs
    to each prompt is saved; None and () where the text was only parsed so far. `tallies` has one entry for the header
    and one for each prompt after it. `complete`: the rules that need JavaScript took part. `mistakes` is what is wrong
    in the project's settings, for authors. `number` is another one where anything but `complete` is.
    """

    revision: int
    parsed: Parsed
    starts: tuple[int, ...]
    places: tuple[PromptPlace, ...] = ()
    diagnostics: tuple[Diagnostic, ...] | None = None
    positions: tuple[Position, ...] = ()
    tallies: tuple[Tally, ...] = ()
    complete: bool = False
    models: tuple[Data, ...] = ()
    mistakes: tuple[str, ...] = ()
    number: int = field(default_factory=_NUMBERS.__next__)

    def prompt_number(self, offset: int) -> int:
        """Which prompt `offset` lies in, from 1; 0 in the header. A prompt begins with its line, dash included."""
        return bisect_right(self.starts, offset)

    def prompt_at(self, offset: int) -> Prompt | None:
        """The prompt that `offset` lies in; None in the header."""
        number = self.prompt_number(offset)
        return self.parsed.blueprint.prompts[number - 1] if number else None

    @property
    def blueprint(self) -> Blueprint:
        """What the text says."""
        return self.parsed.blueprint

    @property
    def header(self) -> Header:
        """The header of the blueprint."""
        return self.parsed.blueprint.header

    def place(self, prompt: Prompt) -> PromptPlace:
        """Where what belongs to `prompt`, one of this blueprint's, is saved."""
        if self.places:
            return self.places[prompt.index]
        from engine.store import PromptPlace  # only where a text was never checked

        return PromptPlace.of(self.parsed.path, prompt)

    @property
    def lines(self) -> LineIndex:
        """The lines of the text; found anew at each call."""
        return LineIndex(self.parsed.text)

    @property
    def total(self) -> Tally:
        """All problems of the file."""
        return Tally(
            sum(tally.errors for tally in self.tallies),
            sum(tally.warnings for tally in self.tallies),
            sum(tally.hints for tally in self.tallies),
        )


def next_number() -> int:
    """A number that no analysis has yet."""
    return next(_NUMBERS)
