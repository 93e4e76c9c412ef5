"""What the author chose to run a file with: where answers come from, in which variants, and who judges points in words.

Variants are known by what they add to the key of a result, since the header that they come from is edited meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.evaluation.candidates import Candidate, candidates
from engine.evaluation.sources import AnswerSource, IdealSource, ModelSource, SavedSource, saved_source

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.workspace.user_settings import SavedAnswers


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One answer source or several, and the variants in which models are asked.

    `suffixes` are those of `Variant`; empty, or where the header has none of them any more, it is the first variant.
    `max_tokens` is the most that an answer of a model may have, None for as many as usual.
    """

    sources: tuple[AnswerSource, ...]
    suffixes: tuple[str, ...] = ()
    max_tokens: int | None = None

    def candidates(self, header: Header, usual_tokens: int | None = None) -> tuple[Candidate, ...]:
        """Every source in every variant chosen, at least one each. `usual_tokens` is the limit of the settings."""
        most = self.max_tokens or usual_tokens
        return tuple(each for source in self.sources for each in self._of(_within(source, most), header))

    def _of(self, source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
        there = candidates(source, header)
        return tuple(each for each in there if each.variant.suffix in self.suffixes) or there[:1]


def _within(source: AnswerSource, max_tokens: int | None) -> AnswerSource:
    return replace(source, max_tokens=max_tokens) if max_tokens and isinstance(source, ModelSource) else source


def label_of(chosen: tuple[Candidate, ...]) -> str:
    """What the screen calls what is run: `the ideal`, `gpt-4o-mini, temp 0.7`, `gpt-4o-mini and 5 more`."""
    match chosen:
        case (only,):
            return only.label
        case (first, *others):
            return f"{first.source.label} and {len(others)} more"
        case _:
            return IdealSource().label


def as_remembered(answers: AnswerChoice, judges: str) -> SavedAnswers:
    """The choice as the settings keep it."""
    from engine.workspace.user_settings import SavedAnswers

    first, *others = (source.saved for source in answers.sources)
    more = tuple(SavedAnswers(kind=each.kind, value=each.value, base_url=each.more) for each in others)
    return SavedAnswers(
        kind=first.kind,
        value=first.value,
        base_url=first.more,
        more=more,
        variants=answers.suffixes,
        judges=judges,
        max_tokens=answers.max_tokens,
    )


def remembered(saved: SavedAnswers) -> AnswerChoice | None:
    """The choice that `as_remembered` described; None where nothing of it is known."""
    sources = tuple(saved_source(SavedSource(each.kind, each.value, each.base_url)) for each in (saved, *saved.more))
    known = tuple(each for each in sources if each is not None)
    return AnswerChoice(known, saved.variants, saved.max_tokens) if known else None
