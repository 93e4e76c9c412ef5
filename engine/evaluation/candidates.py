"""Candidates: an answer source in one of a blueprint's variants (002, `temperatures`; platform.md, D)."""

from __future__ import annotations

from engine.blueprint import Header
from engine.conversation import Variant, variants
from engine.evaluation.sources import AnswerSource, FixtureSource, ModelSource
from engine.record import Record
from engine.yaml_nodes.javascript_text import javascript_number

_AS_WRITTEN = Variant()


class Candidate(Record):
    """One answer source in one variant. It has a score of its own for each prompt."""

    source: AnswerSource
    variant: Variant = _AS_WRITTEN

    @property
    def key(self) -> str:
        """The key of its results in result JSON, such as `openai:gpt-4o-mini[temp:0.7]`."""
        return self.source.key + self.variant.suffix

    @property
    def label(self) -> str:
        """Its name on the screen: `gpt-4o-mini, temp 0.7, system 2`."""
        return ", ".join([self.source.label, *variant_words(self.variant)])


def candidates(source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
    """`source` in every variant of the blueprint, at least one. Only the answers of models differ by variant."""
    by_model = isinstance(source, ModelSource) or (isinstance(source, FixtureSource) and source.model is not None)
    return tuple(Candidate(source, each) for each in variants(header)) if by_model else (Candidate(source),)


def variant_words(variant: Variant) -> tuple[str, ...]:
    """How a variant differs from the others of its blueprint: `temp 0.7`, `system 2`."""
    temperature = f"temp {javascript_number(variant.temperature)}" if variant.temperature is not None else None
    _, several, place = variant.suffix.partition("[sp_idx:")
    system = f"system {int(place[:-1]) + 1}" if several else None
    return tuple(words for words in (temperature, system) if words is not None)
