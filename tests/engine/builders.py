"""Prompts and assessments in few words, for tests of what comes after parsing."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Block, Blueprint, FunctionCall, Header, Path, Point, Prompt, Rubric
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.sums import place
from engine.text.spans import NOWHERE, Span
from engine.yaml.nodes import Data


def text(criterion: str, weight: float = 1.0, at: int = 0) -> Point:
    """A point for a judge."""
    return Point(Span(at, at), Span(at, at), text=criterion, multiplier=weight)


def check(name: str, args: Data, weight: float = 1.0) -> Point:
    """A point for a function."""
    return Point(NOWHERE, NOWHERE, function=FunctionCall(name, args), multiplier=weight)


def rubric(block: Block, entries: Sequence[Point | Sequence[Point]]) -> Rubric:
    """A block; a list among the entries is an alternative path."""
    return Rubric(
        block,
        NOWHERE,
        tuple(
            entry if isinstance(entry, Point) else Path(NOWHERE, index, tuple(entry))
            for index, entry in enumerate(entries)
        ),
    )


def prompt(
    should: Sequence[Point | Sequence[Point]] = (), should_not: Sequence[Point | Sequence[Point]] = (), **fields: object
) -> Prompt:
    """A prompt with these two blocks; other fields of `Prompt` by name."""
    return Prompt(
        index=0,
        span=NOWHERE,
        id_span=NOWHERE,
        id_written=True,
        should=rubric(Block.SHOULD, should) if should else None,
        should_not=rubric(Block.SHOULD_NOT, should_not) if should_not else None,
        **({"id": "p"} | fields),  # pyright: ignore[reportArgumentType]
    )


def blueprint(*prompts: Prompt, **fields: object) -> Blueprint:
    """A blueprint of these prompts; fields of `Header` by name."""
    return Blueprint(Header(NOWHERE, **fields), prompts)  # pyright: ignore[reportArgumentType]


def assessed(of: Prompt, extents: Sequence[float | None]) -> tuple[Assessment, ...]:
    """One assessment per point, with these extents after inversion."""
    return tuple(
        Assessment(placed, extent, None if extent is None else AssessedBy.HUMAN)
        for placed, extent in zip(place(of), extents, strict=True)
    )
