"""Where answers come from, as the author chose: sources and variants.

Variants are identified by their suffix in the key of a result, because the header that defines them can be edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.evaluation.sources import (
    AnswerSource,
    Candidate,
    IdealSource,
    ModelSource,
    SavedSource,
    candidates,
    saved_source,
)
from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.files.user_settings import SavedAnswers


class AnswerChoice(Record):
    """One or several answer sources, and the variants in which models are asked.

    `suffixes` are those of `Variant`; if the header has none of them, the first variant is used. `max_tokens` limits
    the answers of models; None for the default.
    """

    sources: tuple[AnswerSource, ...]
    suffixes: tuple[str, ...] = ()
    max_tokens: int | None = None

    def candidates(
        self, header: Header, tokens: int | None = None, seconds: float | None = None
    ) -> tuple[Candidate, ...]:
        """Every source in every chosen variant, at least one each. `tokens` and `seconds` are limits."""
        limit = self.max_tokens or tokens
        return tuple(each for source in self.sources for each in self._of(_within(source, limit, seconds), header))

    def _of(self, source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
        found = candidates(source, header)
        return tuple(each for each in found if each.variant.suffix in self.suffixes) or found[:1]


def _within(source: AnswerSource, max_tokens: int | None, seconds: float | None) -> AnswerSource:
    if not isinstance(source, ModelSource):
        return source
    return replace(source, max_tokens=max_tokens or source.max_tokens, seconds=seconds or source.seconds)


def label_of(chosen: tuple[Candidate, ...]) -> str:
    """The name of the candidates on the screen: `the ideal`, `gpt-4o-mini, temp 0.7`, `gpt-4o-mini and 5 more`."""
    match chosen:
        case (only,):
            return only.label
        case (first, *others):
            return f"{first.source.label} and {len(others)} more"
        case _:
            return IdealSource().label


def shorter_labels(chosen: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Shorter forms of `label_of`, the longest first: `test answer: empty +5`, `test answer +5`."""
    if not chosen:
        return ()
    name, more = chosen[0].source.label, len(chosen) - 1
    kind = name.partition(": ")[0]
    if more:
        return (f"{name} +{more}", f"{kind} +{more}")
    return (kind,) if kind != name else ()


def saved_form(answers: AnswerChoice, judges: str) -> SavedAnswers:
    """The choice in the form of the settings."""
    from engine.files.user_settings import SavedAnswers

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


def from_saved(saved: SavedAnswers) -> AnswerChoice | None:
    """The choice that was saved; None if none of its sources is known."""
    sources = tuple(saved_source(SavedSource(each.kind, each.value, each.base_url)) for each in (saved, *saved.more))
    known = tuple(each for each in sources if each is not None)
    return AnswerChoice(known, saved.variants, saved.max_tokens) if known else None
