"""The section about the blueprint: its description, author, references and models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import RenderAs
from studio.session.views.overview_view import ModelGroup, Overview
from studio.tui.panes.rendering import lay_out
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading

_NAME_WIDTH = 13
_LONGEST_SUMMARY = 400
"""Code points of a description that are read for its row."""


def about_rows(view: Overview) -> Iterator[ResultRow]:
    """One row for each entry of the header, with the full entry as its detail."""
    rows = [*_description(view), *_author(view), *_references(view), *_models(view), *_cases(view)]
    if rows:
        yield heading("about", "About")
        yield from rows


def _description(view: Overview) -> Iterator[ResultRow]:
    if view.description.strip():
        yield _row(view, "description", "description", _beginning(view.description), prose=view.description)
    else:
        missing = "The header has no description. Judges and readers see it."
        yield _row(view, "description", "description", "none written", (Cell(missing, Ink.DIM),))


def _beginning(description: str) -> str:
    """The beginning of a description, without formatting."""
    laid = lay_out(description.strip()[:_LONGEST_SUMMARY], RenderAs.MARKDOWN, (), _LONGEST_SUMMARY)
    return " ".join(line.lead + line.body for line in laid.drawn if line.body)


def _author(view: Overview) -> Iterator[ResultRow]:
    name, address = view.author
    if name or address:
        yield _row(view, "author", "author", _linked(name, address), _cells(name, address))


def _references(view: Overview) -> Iterator[ResultRow]:
    for number, (title, address) in enumerate(view.references):
        name = "reference" if len(view.references) == 1 else "references" if number == 0 else ""
        yield _row(view, f"reference:{number}", name, _linked(title, address), _cells(title, address))


def _models(view: Overview) -> Iterator[ResultRow]:
    if not view.models:
        return
    text = ("" if view.names_models else "none named: Weval takes ") + ", ".join(map(_short, view.models))
    yield _row(view, "models", "models", text, tuple(_model_cells(view.models)))


def _cases(view: Overview) -> Iterator[ResultRow]:
    if view.cases:
        detail = Cell("`studio test` lists them. The result of each prompt has its own.", Ink.DIM)
        yield _row(view, "cases", "cases", view.cases, (Cell(view.cases, Ink.STRONG), detail))


def _short(group: ModelGroup) -> str:
    """`CORE (3)`, or the one model."""
    if not group.collection:
        return "".join(group.models)
    return f"{group.collection} ({len(group.models)})" if group.models else group.collection


def _model_cells(groups: Sequence[ModelGroup]) -> Iterator[Cell]:
    for group in groups:
        indent = ""
        if group.collection:
            indent = "  "
            listed = "1 model" if len(group.models) == 1 else f"{len(group.models)} models"
            yield Cell(
                f"{group.collection}, a collection of {listed}" if group.models else group.collection, Ink.STRONG
            )
        if group.problem:
            yield Cell(f"{indent}{group.problem}", Ink.WARNING)
        for model in group.models:
            yield Cell(f"{indent}{model}")


def _row(view: Overview, key: str, name: str, text: str, cells: tuple[Cell, ...] = (), *, prose: str = "") -> ResultRow:
    return ResultRow(
        f"about:{key}",
        text,
        lead=(Cell(f"  {name:<{_NAME_WIDTH}}", Ink.DIM),),
        target=view.span,
        detail_source=cells,
        prose=prose,
    )


def _linked(text: str, address: str) -> str:
    return f"{text} · {address}" if text and address else text or address


def _cells(text: str, address: str) -> tuple[Cell, ...]:
    """A text above its address. The address is shown and never opened: the file is untrusted."""
    return (*([Cell(text, Ink.STRONG)] if text else []), *([Cell(address)] if address else []))
