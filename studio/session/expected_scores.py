"""The scores that the author expected of the results that are shown."""

from __future__ import annotations

import re

from studio.session.changes import Change
from studio.session.host import EnterText
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

_SCORE = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*%?\s*")


class ExpectedScores:
    """Asks for the score that a prompt's result should have, and remembers it while the file is open."""

    def __init__(self, context: SessionContext, selection: RunSelection) -> None:
        self._context = context
        self._selection = selection
        self._wanted: dict[str, float] = {}

    @property
    def wanted(self) -> float | None:
        """The score (0–1) that was expected of the prompt that is shown; None if the author named none."""
        place = self._selection.place
        return None if place is None else self._wanted.get(place.prompt)

    async def ask_or_clear(self) -> None:
        """Ask what score the author expected of the result that is shown; if they named one, forget it."""
        run, place = self._selection.run, self._selection.place
        if run is None or place is None or run.explanation is None:
            self._context.host.notify("There is no score yet: F5 runs this prompt.", seconds=3)
            return
        if self._wanted.pop(place.prompt, None) is None:
            wanted = await self._ask()
            if wanted is None:
                return
            self._wanted[place.prompt] = wanted / 100
        self._context.changes.publish(Change.RUNS)

    async def _ask(self) -> float | None:
        """The score from 0 to 100, asked for until it can be read; None if the author cancels."""
        text = "From 0 to 100. The result then lists the fewest points that an answer has to meet for it."
        value = ""
        while True:
            written = await self._context.host.ask(EnterText("What score did you expect?", text, value, "such as 85"))
            if written is None:
                return None
            found = _SCORE.fullmatch(written)
            score = None if found is None else float(found[1].replace(",", "."))
            if score is not None and score <= 100:
                return score
            value = written
            self._context.host.notify("Write a number from 0 to 100, such as 85.", seconds=3)
