"""Model collections: a name in capitals for the models listed in `models/NAME.json` (004)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from engine.files.atomic import read_regular
from engine.text.record import Record, TooDeep, field, read_json
from engine.yaml.nodes import Data

DEFAULT = ("CORE",)
"""The models of a blueprint without `models`."""
PUBLISHED = (
    "CLAUDES",
    "CORE",
    "EXPERIMENTAL",
    "FRONTIER",
    "LLAMAS",
    "OPENAI_GPT4O_SNAPSHOTS",
    "OPEN_SOURCE_CORE",
    "QUICK",
)
"""The collections that Weval publishes beside its blueprints."""
FOLDER = "models"
"""The folder of the collections, beside that of the blueprints."""
_MAX_BYTES = 4 << 20
_LONGEST_QUOTED = 60


class UnusableCollection(Exception):
    """A collection that is missing or cannot be read. The message tells authors what to do."""


class NoCollection(UnusableCollection):
    """A collection that is missing."""


class Expansion(Record):
    """Models with each collection replaced by its members; `unusable` are the names of others, and why each is one."""

    models: tuple[Data, ...]
    unusable: Mapping[str, str] = field(default_factory=dict[str, str])


class Collections(Record):
    """The collections available to the blueprint at `path`: those in `folder`, or in any `models` folder above it."""

    path: Path
    folder: Path | None = None

    def members(self, name: str) -> tuple[str, ...]:
        """The models that the collection `name` lists. Raises `UnusableCollection`."""
        try:
            file = self._file(name)
            return members_in(read_regular(file, _MAX_BYTES).decode("utf-8-sig"))
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}."
        except UnicodeDecodeError:
            reason = f"{name}.json: it is not UTF-8 text."
        except ValueError as error:
            reason = f"{name}.json: {error}"
        raise UnusableCollection(f"The collection {name} cannot be used: {reason}")

    def names(self) -> tuple[str, ...]:
        """The names of all available collections, sorted; folders that cannot be read are skipped."""
        found: set[str] = set()
        for folder in self._folders():
            try:
                found.update(file.stem for file in folder.glob("*.json") if is_collection(file.stem))
            except OSError:
                continue
        return tuple(sorted(found))

    def _folders(self) -> Iterable[Path]:
        return [self.folder] if self.folder is not None else (each / FOLDER for each in self.path.absolute().parents)

    def _file(self, name: str) -> Path:
        for folder in self._folders():
            file = folder / f"{name}.json"
            if _is_there(file):
                return file
        if self.folder is not None:
            raise NoCollection(f"There is no collection {name}: {self.folder} holds no {name}.json.")
        raise NoCollection(
            f"There is no collection {name}: no {FOLDER}/{name}.json in any folder above {self.path.name}. "
            "Put it there, or name the folder that holds it with --collections."
        )


def _is_there(file: Path) -> bool:
    """Raises `OSError` where that cannot be found out."""
    try:
        return file.exists()
    except ValueError:  # a NUL or half a character in the name
        return False


def members_in(text: str) -> tuple[str, ...]:
    """The models listed in the text of a collection file. Raises `ValueError` with a message for authors."""
    try:
        listed: Data = read_json(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} in line {error.lineno}.") from error
    except TooDeep as error:
        raise ValueError("it is nested too deeply.") from error
    if not isinstance(listed, list):
        raise ValueError('it must be a list of models, such as ["openai:gpt-4o-mini"].')
    models: list[str] = []
    for number, model in enumerate(listed, 1):
        if not isinstance(model, str) or not all(model.partition(":")):
            raise ValueError(f"entry {number} is {_quoted(model)}, not PROVIDER:MODEL in quotes.")
        models.append(model)
    return tuple(models)


def _quoted(model: Data) -> str:
    text = json.dumps(model)
    return text if len(text) <= _LONGEST_QUOTED else f"{text[: _LONGEST_QUOTED - 1]}…"


def is_collection(name: str) -> bool:
    """Whether `name` names a collection and not a model: capitals, no colon (platform.md, D)."""
    return name != "" and name == name.upper() and not any(mark in name for mark in ":/\\")


def expand(models: Sequence[Data], members: Callable[[str], Sequence[str]]) -> Expansion:
    """`models` with each collection replaced by its `members`, without repetitions.

    A collection for which `members` raises `UnusableCollection` is left out, as on the platform.
    """
    found: list[Data] = []
    unusable: dict[str, str] = {}
    for model in models:
        listed: Sequence[Data] = (model,)
        if isinstance(model, str) and is_collection(model):
            try:
                listed = members(model)
            except UnusableCollection as problem:
                unusable[model] = str(problem)
                continue
        for each in listed:
            if each not in found:
                found.append(each)
    return Expansion(tuple(found), unusable)
