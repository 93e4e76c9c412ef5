"""What the author chose to run a file with: where answers come from, in which variants, and who judges points in words.

Variants are known by what they add to the key of a result, since the header that they come from is edited meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.candidates import Candidate, candidates
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
    source_label,
)

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.workspace.settings import SavedAnswers


@dataclass(frozen=True, slots=True)
class Answers:
    """One answer source or several, and the variants in which models are asked.

    `suffixes` are those of `Variant`; empty, or where the header has none of them any more, it is the first variant.
    """

    sources: tuple[AnswerSource, ...]
    suffixes: tuple[str, ...] = ()

    def candidates(self, header: Header) -> tuple[Candidate, ...]:
        """Every source in every variant chosen, at least one each."""
        return tuple(each for source in self.sources for each in self._of(source, header))

    def _of(self, source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
        there = candidates(source, header)
        return tuple(each for each in there if each.variant.suffix in self.suffixes) or there[:1]


def label_of(chosen: tuple[Candidate, ...]) -> str:
    """What the screen calls what is run: `the ideal`, `gpt-4o-mini, temp 0.7`, `gpt-4o-mini and 5 more`."""
    match chosen:
        case (only,):
            return only.label
        case (first, *others):
            return f"{source_label(first.source)} and {len(others)} more"
        case _:
            return source_label(IdealSource())


def as_remembered(answers: Answers, judges: str) -> SavedAnswers:
    """The choice as the settings keep it."""
    from engine.workspace.settings import SavedAnswers

    first, *others = (_saved(source) for source in answers.sources)
    more = tuple(SavedAnswers(kind=kind, value=value, base_url=base_url) for kind, value, base_url in others)
    kind, value, base_url = first
    return SavedAnswers(kind=kind, value=value, base_url=base_url, more=more, variants=answers.suffixes, judges=judges)


def remembered(saved: SavedAnswers) -> Answers | None:
    """The choice that `as_remembered` described; None where nothing of it is known."""
    sources = tuple(_source(each.kind, each.value, each.base_url) for each in (saved, *saved.more))
    known = tuple(each for each in sources if each is not None)
    return Answers(known, saved.variants) if known else None


def _saved(source: AnswerSource) -> tuple[str, str, str | None]:
    """Kind, value, and base URL or fixtures' model."""
    match source:
        case IdealSource():
            return "ideal", "", None
        case WrittenSource():
            return "response", "", None
        case ControlSource(kind):
            return "control", kind.value, None
        case FixtureSource(path, model):
            return "fixtures", str(path), model
        case ModelSource(model, base_url):
            return "model", model, base_url


def _source(kind: str, value: str, base_url: str | None) -> AnswerSource | None:
    match kind:
        case "ideal":
            return IdealSource()
        case "response":
            return WrittenSource("")
        case "control" if value in list(ControlKind):
            return ControlSource(ControlKind(value))
        case "fixtures":
            return FixtureSource(Path(value), base_url)
        case "model" if value:
            return ModelSource(value, base_url)
        case _:
            return None
