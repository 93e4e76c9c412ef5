"""How Weval reads a judge's reply: the first `<reflection>` and the first `<classification>`, wherever they are.

Both must be closed, in lower case and without attributes. Nothing else counts, and nothing is skipped: a class in a
think block, or quoted in the reflection, is the verdict (`golden/judge_replies.jsonl`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.functions.counts import JAVASCRIPT_SPACE
from engine.judging.scale import Scale
from engine.scoring.explanation_text import number_text

_REFLECTION = re.compile(rf"<reflection>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</reflection>", re.S)
_CLASSIFICATION = re.compile(rf"<classification>[{JAVASCRIPT_SPACE}]*(.*?)[{JAVASCRIPT_SPACE}]*</classification>", re.S)
_PREFIX = "CLASS_"


@dataclass(frozen=True, slots=True)
class WevalReading:
    """Weval's reading of a reply: an extent of 0–1 with the judge's reflection, or no verdict (`extent` None)."""

    extent: float | None
    reflection: str = ""

    def __str__(self) -> str:
        return "no verdict" if self.extent is None else number_text(self.extent)


def weval_reading(reply: str, scale: Scale) -> WevalReading:
    """Weval's reading of `reply`, with the classes of `scale`."""
    reflection, classification = _REFLECTION.search(reply), _CLASSIFICATION.search(reply)
    if reflection is None or classification is None:
        return WevalReading(None)
    name = classification[1].upper()
    name = name if name.startswith(_PREFIX) else f"{_PREFIX}{name}"
    extent = next((step.extent for step in scale.steps if step.name == name), None)
    return WevalReading(extent, reflection[1] if extent is not None else "")
