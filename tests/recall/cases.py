"""The cases: small blueprints with one fault each, and clean ones that resemble a faulty one.

A file `HALF/CATEGORY.yml`, or `CATEGORY-2.yml` for a further set of both halves, is a list of mappings, and so is
`tuning/CATEGORY-added.yml`, whose cases are in the open half alone:

- `id`: unique over all files
- `kind`: the slug of the rule that is right to report the fault, a list where several are, or `clean`
- `expect`: `hint` for a fault of which a hint is enough; without it, a warning or an error is wanted
- `at`: a text that stands on the reported line, or a list of texts of which one does
- `blueprint`: the file; `‹U+200B›` stands for that code point, so that a reader sees it
- `why`: why an author wants to be told, or why the text is right as it is
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.yaml.nodes import Data, to_data
from engine.yaml.tree_loader import load

FOLDER = Path(__file__).parent
ADDED = "added"
CLEAN = "clean"
_CODE_POINT = re.compile(r"‹U\+([0-9A-F]{4,6})›")
_KEYS = {"id", "kind", "expect", "at", "blueprint", "why"}


class Half(StrEnum):
    """`TUNING` may be read by whoever writes rules; of `HELD_APART` they see sums only."""

    TUNING = "tuning"
    HELD_APART = "held_apart"


class Tier(StrEnum):
    """What is wanted of a case: a warning or an error, at least a hint, or neither warning nor error."""

    PROBLEM = "problem"
    HINT = "hint"
    CLEAN = "clean"


@dataclass(frozen=True, slots=True)
class Case:
    """One blueprint; `slugs` are the rules that are right to report it, none where it is clean.

    `added` says that the other half has no like of it.
    """

    id: str
    half: Half
    category: str
    tier: Tier
    slugs: tuple[str, ...]
    at: tuple[str, ...]
    blueprint: str
    why: str
    added: bool = False


def stored(half: Half, folder: Path = FOLDER) -> list[Case]:
    """The cases of one half, in the order of the files.

    Raises `ValueError` with file and id where one does not have the documented form.
    """
    return [case for path in sorted((folder / half).glob("*.yml")) for case in _cases(path, half)]


def _cases(path: Path, half: Half) -> Iterator[Case]:
    for row in rows_of(path):
        try:
            yield _case(row, path.stem, half)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{half}/{path.name}, {row.get('id')}: {error!r}") from error


def rows_of(path: Path) -> list[dict[str, Data]]:
    """A file of YAML that is a list of mappings. Raises `ValueError` where it is not."""
    tree = load(path.read_text("utf-8"))
    if tree.error is not None:
        raise ValueError(f"{path.name}: {tree.error.reason}")
    rows = [to_data(document.root) for document in tree.documents if document.root is not None]
    match rows:
        case [list() as cases] if all(isinstance(case, dict) for case in cases):
            return [case for case in cases if isinstance(case, dict)]
        case _:
            raise ValueError(f"{path.name} is not a list of mappings")


def _case(row: Mapping[str, object], stem: str, half: Half) -> Case:
    category, _, set_name = stem.partition("-")
    if unknown := row.keys() - _KEYS:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    slugs = _texts(row["kind"])
    return Case(
        id=_text(row["id"]),
        half=half,
        category=category,
        tier=Tier.CLEAN if slugs == (CLEAN,) else Tier(row.get("expect", Tier.PROBLEM)),
        slugs=() if slugs == (CLEAN,) else slugs,
        at=_texts(row["at"]),
        blueprint=_text(row["blueprint"]),
        why=_text(row["why"]),
        added=set_name == ADDED,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{value!r} is not a text")
    return _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), value)
