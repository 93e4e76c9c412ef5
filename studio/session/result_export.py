"""Results as a file of Weval's own form, under the name that Weval gives such a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.atomic import write_atomically
from engine.evaluation.export import NO_LABEL, Entry, dumps, result_json, stamp
from engine.identity import CannotHash, content_hash
from engine.javascript import JavaScript
from engine.model_collections import DEFAULT, Collections, expand
from engine.parsing import Parsed, reading, weval_config
from engine.yaml_nodes.nodes import Data

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Export:
    """A result file before it is written: its text, and the name that Weval would give it."""

    name: str
    text: str

    def write(self, out: Path) -> Path:
        """Write it to `out`, under its own name where that is a folder; the path of the file. Raises `OSError`."""
        path = out / self.name if out.is_dir() else out
        write_atomically(path, self.text.encode("utf-8"))
        return path


def export(
    parsed: Parsed,
    entries: Sequence[Entry],
    path: Path,
    javascript: JavaScript,
    *,
    collections: Path | None = None,
    when: datetime | None = None,
) -> Export:
    """The results `entries` of the blueprint at `path`. Blocks. `when` is the moment of the run, now unless given.

    `collections` is the folder of the model collections, where it is not any `models` above the file.
    """
    when = when or datetime.now(UTC)
    config = weval_config(parsed) if parsed.weval.ok else reading(parsed)
    models = _models(config, path, collections)
    label = _run_label(config, models, javascript)
    data = result_json(
        parsed.blueprint, config, entries, path=path.absolute(), when=when, run_label=label, models=models
    )
    return Export(result_name(label, when), dumps(data))


def result_name(run_label: str | None, when: datetime) -> str:
    """`RUNLABEL_TIMESTAMP_comparison.json` (000, part 3): the time in UTC to the millisecond, with `-` for `:` and `.`.

    A run without a label, for which Weval has no content hash, is called `run`.
    """
    label = _NOT_IN_NAMES.sub("-", run_label or "").strip("-.") or NO_LABEL
    return f"{label}_{stamp(when)}_comparison.json"


def _models(config: Data, path: Path, collections: Path | None) -> list[Data] | None:
    """The models of `config` with collections expanded; None where it lists none."""
    models = config.get("models", list(DEFAULT)) if isinstance(config, dict) else None
    return list(expand(models, Collections(path, collections).members).models) if isinstance(models, list) else None


def _run_label(config: Data, models: list[Data] | None, javascript: JavaScript) -> str | None:
    """The content hash over the expanded `models`, as Weval labels a run; None where there is none."""
    if not isinstance(config, dict):
        return None
    try:
        return content_hash({**config, "models": config.get("models") if models is None else models}, javascript)
    except CannotHash:
        return None
