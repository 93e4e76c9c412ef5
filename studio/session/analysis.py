"""The analysis of one revision of the text, made on the checking thread."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, field
from engine.text.spans import Position
from engine.text.text_limits import Excess

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.parsing import Parsed
    from engine.rules.causes import Cause
    from engine.store import PromptPlace
    from engine.yaml.nodes import Data

_NUMBERS = itertools.count()


class Tally(Record):
    """The number of problems of each severity."""

    errors: int = 0
    warnings: int = 0
    hints: int = 0


class Analysis(Record):
    """One revision of the text: parsed, then checked.

    `models` are those of the header and its collections. `starts` are the offsets of the prompts' first lines.
    `diagnostics` are in the order of the text (None before the text is checked), `positions` are their starts, `causes`
    their causes, and `places` the keys under which the data of each prompt is saved, by its `index` (None before, too).
    `notes` say what begins on a line, by its number from 0. `tallies` has one entry for the header, then one for each
    prompt. `complete`: the rules that need JavaScript have run. `mistakes` are messages on errors in the project's
    settings. `number` changes with every field but `complete`.
    """

    revision: int
    parsed: Parsed
    starts: tuple[int, ...]
    places: Mapping[int, PromptPlace] | None = None
    diagnostics: tuple[Diagnostic, ...] | None = None
    positions: tuple[Position, ...] = ()
    causes: tuple[Cause, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()
    tallies: tuple[Tally, ...] = ()
    complete: bool = False
    models: tuple[Data, ...] = ()
    mistakes: tuple[str, ...] = ()
    number: int = field(default_factory=_NUMBERS.__next__)

    def prompt_number(self, offset: int) -> int:
        """The number of the prompt at `offset`, from 1; 0 in the header. A prompt includes its whole first line."""
        return bisect_right(self.starts, offset)

    def prompt_at(self, offset: int) -> Prompt | None:
        """The prompt at `offset`; None in the header."""
        number = self.prompt_number(offset)
        return self.parsed.blueprint.prompts[number - 1] if number else None

    @property
    def excess(self) -> Excess | None:
        """How the text is too large to be read; None if it was read."""
        tree = self.parsed.tree
        return Excess(tree.error.reason, tree.error.offset) if tree.is_refused and tree.error is not None else None

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint in the text."""
        return self.parsed.blueprint

    @property
    def header(self) -> Header:
        """The header of the blueprint."""
        return self.parsed.blueprint.header

    def place(self, prompt: Prompt) -> PromptPlace:
        """The key under which the data of `prompt`, one of this blueprint, is saved."""
        if self.places is not None:
            return self.places[prompt.index]
        from engine.store import PromptPlace  # only where a text was never checked

        return PromptPlace.of(self.parsed.path, prompt)

    @property
    def total(self) -> Tally:
        """All problems of the file."""
        return Tally(
            sum(tally.errors for tally in self.tallies),
            sum(tally.warnings for tally in self.tallies),
            sum(tally.hints for tally in self.tallies),
        )


def next_number() -> int:
    """A number for a new analysis."""
    return next(_NUMBERS)
