"""Which labelled answers are fresh (docs/cases.md, "What a point is good for")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.blueprint import Block, Header, Prompt
from engine.cases.case import Case
from engine.cases.case_scoring import response_of
from engine.cases.criterion_counts import Freshness
from engine.digests import text_digest
from engine.functions import point_text
from engine.scoring.assessment import PlacedPoint


def freshness(
    prompt: Prompt, header: Header, shown: Mapping[str, str], since: Mapping[tuple[Block, str], str]
) -> Freshness:
    """Whether an answer to `prompt` was first shown only after points had their present wording.

    `shown` is when each answer was first shown, by its digest, and `since` is since when points have their wording, by
    block and text (`engine.store.stored_answers`); both as ISO times in UTC. An answer or a wording without a time
    counts as seen.
    """

    def is_fresh(case: Case, points: Sequence[PlacedPoint]) -> bool:
        first = shown.get(text_digest(response_of(case, prompt, header).subject), "")
        times = [since.get((each.rubric.block, point_text(each.point)), "") for each in points]
        return bool(first) and all(time and time < first for time in times)

    return is_fresh
