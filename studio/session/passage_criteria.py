"""Passages of answers made criteria of the rubric, and citations of its criteria."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Block
from engine.rules.rubric_edits import Refusal, as_wording, cited, new_criterion
from engine.scoring.explanation_text import point_label
from engine.study.case import NamedPoint
from engine.text.spans import TextEdit, in_quotes
from studio.session.fixes import TextChange
from studio.session.host import Choice, Choose, EnterText, Host, Severity
from studio.session.side_reading import BlueprintText, SideReading

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from studio.session.analysis import Analysis

_BLOCKS = {Block.SHOULD: "A good answer does this.", Block.SHOULD_NOT: "An answer that does this loses points."}


class PassageCriteria:
    """Writes criteria into the rubric of the prompt whose answers are read, worded by the author."""

    def __init__(self, host: Host, reading: SideReading) -> None:
        self._host = host
        self._reading = reading

    async def make(self, passage: str, text: BlueprintText) -> None:
        """Make a criterion of a passage, worded by the author, and write it into the rubric of the prompt."""
        made = await self.new(passage, text)
        if made is not None:
            self._reading.notify(
                f"The criterion is in `{made.block}` of {self._reading.prompt.prompt.id}. Ctrl+Z undoes it."
            )

    async def new(
        self, passage: str, text: BlueprintText, blocks: Sequence[Block] = tuple(_BLOCKS)
    ) -> NamedPoint | None:
        """Ask for the wording and the block of a criterion, and write it; None if it was not written."""
        if text.refuses_change():
            return None
        ask = self._host.ask
        what = "What should, or should not, an answer do? In one sentence."
        wording = await ask(EnterText("A new criterion", what, as_wording(passage)))
        if wording is None:
            return None
        choices = [Choice(block, block.value, _BLOCKS[block]) for block in blocks]
        title = self._reading.prompt.prompt.id
        chosen = await ask(Choose(f"A new criterion for {title}", in_quotes(wording), choices))
        found = None if chosen is None else await self._reading.present(text)
        if chosen is None or found is None:
            return None
        block = Block(chosen)
        edits = await asyncio.to_thread(new_criterion, found[0].parsed, found[1], block, as_wording(wording))
        if not self._apply(found[0], edits, text):
            return None
        return NamedPoint(as_wording(wording), block)

    async def cite(self, analysis: Analysis, prompt: Prompt, at: int, passage: str, text: BlueprintText) -> None:
        """Make a passage the citation of the criterion at this place of `Prompt.points()`."""
        edits = await asyncio.to_thread(cited, analysis.parsed, prompt, at, as_wording(passage))
        if self._apply(analysis, edits, text):
            self._reading.notify(
                f"The passage is the citation of {point_label(prompt.points()[at], 70)}. Ctrl+Z undoes it."
            )

    def _apply(self, analysis: Analysis, edits: Sequence[TextEdit] | Refusal, text: BlueprintText) -> bool:
        if isinstance(edits, Refusal):
            self._host.notify(f"Nothing was changed: {edits.message}.", Severity.WARNING)
            return False
        return text.apply(TextChange(analysis.revision, edits))
