"""From a result file to its blueprint: the one on disk that was run, or one put together from what the file holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.workspace.files import CannotOpen, OpenedFile, open_file
from engine.yaml_nodes.nodes import Data

if TYPE_CHECKING:
    from engine.evaluation.results import ResultFile

_ENDINGS = (".yml", ".yaml", ".json")
_HIGHEST = 6
"""How many folders above the result are searched."""


def blueprint_of(result: ResultFile) -> Path | None:
    """The blueprint that `result` is of: by the name or the id that the file holds, beside the file or above it.

    Looked at are the folder of the result, up to six above it, and in each of them its `blueprints`. Blocks on disk.
    """
    here = result.path.absolute().parent
    for folder in (here, *here.parents[:_HIGHEST]):
        for name in _names(result):
            for candidate in (folder / name, folder / "blueprints" / name):
                if candidate.is_file() and candidate.absolute() != result.path.absolute():
                    return candidate
    return None


def _names(result: ResultFile) -> Iterator[Path]:
    """What the blueprint may be called, relative to a folder; nothing that leads out of it."""
    if result.config_id is not None:
        parts = result.config_id.split("__")
        if all(part not in ("", ".", "..") and "/" not in part and "\0" not in part for part in parts):
            inner = Path(*parts)
            yield from (inner.with_name(inner.name + ending) for ending in _ENDINGS)
            yield from (Path(parts[-1] + ending) for ending in _ENDINGS)
    name = result.blueprint_name
    if name is not None and "\0" not in name and Path(name).name.endswith(_ENDINGS):
        yield Path(Path(name).name)


def reconstructed(result: ResultFile) -> OpenedFile | None:
    """The blueprint as it was run, written anew from the normalised form in the file; None where the file has none.

    It is for reading: comments, order of keys and shorthand of the original are not in a result file.
    """
    config = result.config
    if not isinstance(config, dict) or not isinstance(config.get("prompts"), list):
        return None
    reason = (
        f"This blueprint was put together from {result.path.name}, as no blueprint of that name is beside it. "
        "Save it under another name to go on with it."
    )
    return OpenedFile(result.path.absolute().with_suffix(".yml"), _as_yaml(config), read_only=reason)


def _as_yaml(config: dict[str, Data]) -> str:
    from io import StringIO

    from ruamel.yaml import YAML  # here, as only this writes YAML
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.representer import SafeRepresenter

    class InLines(SafeRepresenter):
        """Texts of several lines stand in lines."""

    def in_lines(representer: SafeRepresenter, text: str) -> ScalarNode:
        style = "|" if "\n" in text and text.replace("\n", "").isprintable() else None
        return representer.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    InLines.add_representer(str, in_lines)  # pyright: ignore[reportUnknownMemberType]
    writer = YAML(typ="safe", pure=True)
    writer.Representer = InLines
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.width = 4096
    writer.sort_base_mapping_type_on_output = False  # pyright: ignore[reportAttributeAccessIssue]
    text = StringIO()
    writer.dump(config, text)  # pyright: ignore[reportUnknownMemberType]
    return text.getvalue()


def open_with_result(path: Path) -> tuple[OpenedFile, Path | None]:
    """The file to show for `path`: itself, or where it is a result file its blueprint, with the result beside it.

    Without the blueprint it is one put together from the result, read-only. Raises `CannotOpen`. Blocks on disk.
    """
    if path.suffix.lower() != ".json":
        return open_file(path), None
    from engine.evaluation.results import UnusableResult, is_result, read_result_file  # here, as few files are results

    if not is_result(path):
        return open_file(path), None
    try:
        result = read_result_file(path.absolute())
    except UnusableResult as error:
        raise CannotOpen(path, str(error), "Choose another result file.") from error
    blueprint = blueprint_of(result)
    if blueprint is not None:
        return open_file(blueprint), result.path
    file = reconstructed(result)
    if file is None:
        advice = "Open the blueprint, and choose the result with F9."
        raise CannotOpen(path, "This result file holds no blueprint, and none of its name is beside it.", advice)
    return file, result.path
