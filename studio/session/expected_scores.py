"""The scores that the author expected of the results that are shown."""

from __future__ import annotations

import re

from studio.session.host import EnterText
from studio.session.parts import Part

_SCORE = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*%?\s*")


class ExpectedScores(Part):
    """Asks for the score that a prompt's result should have, and remembers it while the file is open."""

    @property
    def wanted(self) -> float | None:
        """The score (0–1) that was expected of the prompt that is shown; None if the author named none."""
        place = self.state.place
        return None if place is None else self.state.wanted.get(place.prompt)

    async def ask_or_clear(self) -> None:
        """Ask what score the author expected of the result that is shown; if they named one, forget it."""
        run, place = self.runs.selection.run, self.state.place
        if run is None or place is None or run.explanation is None:
            self.host.notify("There is no score yet: F5 runs this prompt.", seconds=3)
            return
        if place.prompt in self.state.wanted:
            self.change(wanted={prompt: score for prompt, score in self.state.wanted.items() if prompt != place.prompt})
        elif (wanted := await self._ask()) is not None:
            self.change(wanted={**self.state.wanted, place.prompt: wanted / 100})

    async def _ask(self) -> float | None:
        """The score from 0 to 100, asked for until it can be read; None if the author cancels."""
        text = "From 0 to 100. The result then lists the fewest points that an answer has to meet for it."
        value = ""
        while True:
            written = await self.host.ask(EnterText("What score did you expect?", text, value, "such as 85"))
            if written is None:
                return None
            found = _SCORE.fullmatch(written)
            score = None if found is None else float(found[1].replace(",", "."))
            if score is not None and score <= 100:
                return score
            value = written
            self.host.notify("Write a number from 0 to 100, such as 85.", seconds=3)
